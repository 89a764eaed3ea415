"""Diagnostics: the problems of a text, finished or half-typed, each at the characters that caused it."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Mapping as Mapping_diagnostics
from dataclasses import dataclass, field, replace
from itertools import islice

from bidui.errors import InputError, Place, Problem, Severity, distinct
from bidui.grammar.lexicon import rule_problems
from bidui.grammar.network import Compiler, Network
from bidui.grammar.paradigm import Line, Paradigm, Slot, Use, Variant
from bidui.grammar.paradigm_file import parse_paradigm, parse_phrases
from bidui.grammar.rules import Alternative, Phrase, Ref, Rule, parse_rule
from bidui.grammar.yaml import Mapping, Node, Path, Scalar
from bidui.web.editing.paradigm import is_rule
from bidui.web.editing.pieces import Piece, items_of, pieces_of
from bidui.web.editing.text import Lines, Range, Span
from bidui.web.editing.yaml import offsets, refuse_unreadable, try_lay_out
from bidui.words import Language

# Ranges: the characters that a problem is about, found from the place it names.

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


MAX_SHOWN = 100
MAX_ROWS = 1_000  # slots and variants of a paradigm; the largest that is shipped has 60


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem, where it stands, and in which row."""

    kind: str
    severity: Severity
    values: Mapping_diagnostics[str, str | int | list[str]] = field(default_factory=dict)
    range: Range | None = None  # none: it lies in another file
    file: str = ""
    row: Path = ()  # of the scalar it stands in

    @property
    def slot(self) -> str:
        """The slot in whose rule it stands, if it does."""
        return str(self.row[-1]) if self.row[-2:-1] == ("slots",) else ""

    @property
    def variant(self) -> int | None:
        """The variant in which it stands, counted from 0."""
        return int(self.row[1]) if self.row[:1] == ("variants",) and len(self.row) > 1 else None

    def text(self, language: Language = "en") -> str:
        """Its words."""
        return Problem(self.kind, values=self.values).text(language)


@dataclass(frozen=True, slots=True)
class Compiled:
    """What a paradigm's text is: a paradigm and its networks, as far as it can be read, and its problems."""

    paradigm: Paradigm | None
    networks: tuple[Network, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def broken(self) -> bool:
        """Whether there is an error, so that there can be no pairs."""
        return any(problem.severity == "error" for problem in self.problems)


def compile_text(text: str, *, name: str, compiler: Compiler) -> Compiled:
    """The paradigm in a text, with everything that is wrong in it; never raises for what the text holds.

    Where one rule is broken, the others are still held against the lexicon.
    """
    try:
        refuse_unreadable(text, name=name)
    except InputError as error:
        return Compiled(None, problems=error.problems)
    paradigm, problems = parse_paradigm(text, name=name)
    if paradigm is None:
        problems += islice(_rule_problems(text, name, compiler), MAX_SHOWN)
        return Compiled(None, problems=tuple(distinct(problems)))
    rows = sum(1 + len(variant.slots) for variant in paradigm.variants)
    if rows > MAX_ROWS:
        return Compiled(None, problems=(Problem("too-many-rows", Place(name), {"rows": rows, "limit": MAX_ROWS}),))
    try:
        return Compiled(paradigm, tuple(compiler.networks(paradigm)), tuple(problems))
    except InputError as error:
        return Compiled(paradigm, problems=(*problems, *error.problems))


def paradigm_diagnostics(text: str, *, name: str, compiler: Compiler) -> tuple[Diagnostic, ...]:
    """The problems of a paradigm's text, by position."""
    return located(text, compile_text(text, name=name, compiler=compiler).problems, name=name)


def phrase_diagnostics(text: str, *, compiler: Compiler, name: str = "phrases.yaml") -> tuple[Diagnostic, ...]:
    """The problems of a text of phrases, by position: each phrase is tried by itself."""
    try:
        refuse_unreadable(text, name=name)
    except InputError as error:
        return located(text, error.problems, name=name)
    phrases, problems = parse_phrases(text, name=name)
    problems += islice(_rule_problems(text, name, replace(compiler, phrases=phrases), phrases=True), MAX_SHOWN)
    if not any(problem.severity == "error" for problem in problems):
        trial = replace(compiler, phrases=phrases, endless=None)
        for phrase in phrases:
            rule = Rule((Alternative(Phrase(phrase)),))
            use = Use(Ref("phrase"))
            variant = Variant("", {"phrase": Slot("phrase", rule)}, Line((use,)), Line((use, use)))
            try:
                trial.networks(Paradigm("phrase", "phrase", (variant,)))
            except InputError as error:
                problems += error.problems
    return located(text, distinct(problems), name=name)


def located(text: str, problems: Iterable[Problem], *, name: str) -> tuple[Diagnostic, ...]:
    """Problems with their places in a text; those of other files keep the file's name only."""
    lines, scalars = Lines(text), scalars_in(text)
    ordered = sorted(problems, key=lambda problem: (problem.place.file != name, problem.place.line))
    found = [_diagnostic(problem, name, lines, scalars) for problem in ordered[:MAX_SHOWN]]
    found.sort(key=lambda diagnostic: diagnostic.range.start if diagnostic.range else len(text))
    if len(ordered) > MAX_SHOWN:
        values: dict[str, str | int | list[str]] = {"count": len(ordered) - MAX_SHOWN}
        found.append(Diagnostic("more-problems", "warning", values, lines.range(Span(0, 0)), name))
    return tuple(found)


def _diagnostic(problem: Problem, name: str, lines: Lines, scalars: Sequence[Located]) -> Diagnostic:
    values = {key: _plain(value) for key, value in problem.values.items()}
    if problem.place.file not in {name, ""}:
        return Diagnostic(problem.kind, problem.severity, values, None, problem.place.file)
    span, row = span_of(problem, lines, scalars)
    return Diagnostic(problem.kind, problem.severity, values, lines.range(span), name, row)


def _plain(value: object) -> str | int | list[str]:
    """A value that can travel as JSON."""
    if isinstance(value, list | tuple):
        return [str(item) for item in value]
    return value if isinstance(value, int) else str(value)


def _rule_problems(text: str, name: str, compiler: Compiler, *, phrases: bool = False) -> Iterable[Problem]:
    """What can be said of each rule by itself, where the file as a whole cannot be read."""
    for at in scalars_in(text):
        if at.key or not is_rule(at.path, phrases=phrases):
            continue
        place = Place(name, at.line, at.column)
        try:
            rule = parse_rule(at.scalar.text, place)
        except InputError:
            continue  # said already
        yield from rule_problems(rule, place, lexicon=compiler.domains.lexicon, phrases=compiler.phrases)
