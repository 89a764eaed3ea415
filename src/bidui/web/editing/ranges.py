"""Ranges: the characters that a problem is about, found from the place it names."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bidui.errors import Problem
from bidui.web.editing.layout import Mapping, Node, Path, Scalar, try_lay_out
from bidui.web.editing.line_items import items_of
from bidui.web.editing.positions import Lines, Span
from bidui.web.editing.rule_pieces import Piece, pieces_of
from bidui.web.editing.scalars import offsets

_ONE = {"bracket-stray", "bracket-too-deep", "quote-inside", "escape-unknown"}  # about a single character
_REST = {"quote-open"}  # about all that follows
_NAMED = {  # which of the values names the pieces that a problem is about, and what they may be
    "value-unknown": ("value", ("value",)),
    "feature-unknown": ("feature", ("feature", "theirs")),
    "slot-unknown": ("slot", ("slot",)),
    "phrase-unknown": ("phrase", ("phrase",)),
    "relation-unknown": ("relation", ("relation",)),
    "part-unknown": ("part", ("slot", "part")),
    "position-bad": ("position", ("slot",)),
}
_FIELDS = {"edit-differs": "edit", "linked-unequal": "link", "crossed-form": "crossed"}  # keys that problems are about


@dataclass(frozen=True, slots=True)
class Located:
    """A scalar with its path, and the line and column at which the grammar says that it begins."""

    path: Path
    scalar: Scalar
    raw: str
    line: int
    column: int
    key: bool = False

    def at(self, offset: int) -> int:
        """Where in the text the n-th of its characters stands."""
        places = offsets(self.raw, self.scalar.text, style=self.scalar.style)
        return self.scalar.start + places[max(0, min(offset, len(places) - 1))]

    def inner(self, span: Span) -> Span | None:
        """Which of its characters stand in a stretch of the text, if it lies in this scalar."""
        if self.key or not self.scalar.start <= span.start <= span.end <= self.scalar.end:
            return None
        places = offsets(self.raw, self.scalar.text, style=self.scalar.style)
        start, end = (bisect_left(places, at - self.scalar.start) for at in (span.start, span.end))
        return Span(min(start, len(places) - 1), min(end, len(places) - 1))


def scalars_in(text: str) -> tuple[Located, ...]:
    """All scalars of a text, keys too, in order; none where it is not YAML."""
    document = try_lay_out(text)
    if document is None:
        return ()
    lines = Lines(text)
    found = []
    for path, scalar, key in _scalars(document, ()):
        line, column = lines.place(scalar.start + (scalar.style in {"'", '"'}))
        found.append(Located(path, scalar, text[scalar.start : scalar.end], line, column, key))
    return tuple(found)


def _scalars(node: Node, path: Path) -> Iterator[tuple[Path, Scalar, bool]]:
    if isinstance(node, Scalar):
        yield path, node, False
    elif isinstance(node, Mapping):
        for entry in node.entries:
            yield (*path, entry.key.text), entry.key, True
            yield from _scalars(entry.value, (*path, entry.key.text))
    else:
        for number, item in enumerate(node.items):
            yield from _scalars(item, (*path, number))


def span_of(problem: Problem, lines: Lines, scalars: Sequence[Located]) -> tuple[Span, Path]:
    """The characters that a problem is about, and the path of the scalar they stand in."""
    place = problem.place
    here = [s for s in scalars if s.line == place.line and s.column <= max(place.column, 1)]
    field = _FIELDS.get(problem.kind, "" if place.line else "uid")
    if field and (not here or here[-1].key):
        found = next((s for s in scalars if s.path[-1] == field and s.line >= place.line and not s.key), None)
        found = found or next((s for s in scalars if s.path[-1] == field and s.line >= place.line), None)
        return (_whole(found), found.path) if found else (Span(0, 0), ())
    if not here:
        return _rest_of_line(lines, lines.offset(place.line, place.column)), ()
    found = here[-1]
    if problem.kind == "slot-unused" or found.scalar.start == found.scalar.end:
        found = next(s for s in scalars if s.path == found.path)  # its key
    elif problem.kind == "slot-unknown" and found.key:  # in a list of names
        named = (s for s in scalars if s.path[:-1] == found.path and s.scalar.text == problem.values["slot"])
        found = next(named, found)
    start, end = _within(problem, found, place.column - found.column)
    span = Span(found.at(start), found.at(end))
    return (_whole(found) if span.start == span.end else span), found.path


def _whole(found: Located) -> Span:
    return Span(found.scalar.start, found.scalar.end)


def _rest_of_line(lines: Lines, offset: int) -> Span:
    """From a character to the end of its line; at the end of a line, its last character."""
    end = lines.line_end(offset)
    start = offset if offset < end else max(lines.line_start(offset), end - 1)
    return Span(start, end)


def _within(problem: Problem, found: Located, offset: int) -> tuple[int, int]:
    """The characters of a scalar, in its own count."""
    text = found.scalar.text
    offset = max(0, min(offset, len(text)))
    if found.key or not text:
        return 0, len(text)
    if problem.kind in _ONE:
        return offset, min(offset + 1, len(text))
    if problem.kind in _REST:
        return offset, len(text)
    if found.path[-2:-1] in {("slots",), ("parts",)} or isinstance(found.path[-1], int):
        return _in_rule(problem, text, offset)
    if found.path[-1] in {"good", "bad", "line"} and problem.kind != "sides-equal":
        items = items_of(text, slots=())
        return next(((item.start, item.end) for item in items if item.start <= offset < item.end), (0, len(text)))
    return 0, len(text)


def _in_rule(problem: Problem, rule: str, offset: int) -> tuple[int, int]:
    pieces = pieces_of(rule)
    if problem.kind in _NAMED:
        key, kinds = _NAMED[problem.kind]
        name = str(problem.values.get(key, ""))
        for piece in pieces:
            if piece.token[0] >= offset and piece.kind in kinds and _means(piece, name):
                return piece.start, piece.end
    if offset == 0 and problem.kind in {"no-word-fits", "column-several", "crossed-form"}:
        return 0, len(rule)
    around = [piece.token for piece in pieces if piece.token[0] <= offset < piece.token[1]]
    if around:
        return min(around, key=lambda token: token[1] - token[0])
    weight = re.compile(r"[^\s|]+").match(rule, offset)
    return weight.span() if weight else (max(0, offset - 1), offset)  # an empty alternative shows at its bar


def _means(piece: Piece, name: str) -> bool:
    return piece.text == name or (piece.kind in {"slot", "part"} and name in piece.text.split("."))
