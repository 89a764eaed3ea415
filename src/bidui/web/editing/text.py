"""Positions in a text: characters counted from its start, and the lines and columns that people count."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from bidui.errors import fail

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # what YAML takes for the end of a line


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The characters from `start` up to `end`, counted from 0."""

    start: int
    end: int

    def holds(self, offset: int) -> bool:
        """Whether a cursor at `offset` stands in it or at one of its ends."""
        return self.start <= offset <= self.end


@dataclass(frozen=True, slots=True)
class Range:
    """A span, and where it begins and ends in lines and columns counted from 1."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a text."""

    text: str
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        starts = [0, *(found.end() for found in _BREAK.finditer(self.text))]
        object.__setattr__(self, "starts", starts)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, of a character."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The character at a line and column; the nearest there is, where they lie outside of the text."""
        line = min(max(line, 1), len(self.starts))
        start = self.starts[line - 1]
        return min(start + max(column - 1, 0), self.line_end(start))

    def line_start(self, offset: int) -> int:
        """Where the line of a character begins."""
        return self.starts[bisect_right(self.starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Where the line of a character ends, before its line break."""
        found = _BREAK.search(self.text, offset)
        return found.start() if found else len(self.text)

    def next_line(self, offset: int) -> int:
        """Where the line after that of a character begins, or the end of the text."""
        number = bisect_right(self.starts, offset)
        return self.starts[number] if number < len(self.starts) else len(self.text)

    def range(self, span: Span) -> Range:
        """A span with its lines and columns."""
        return Range(span.start, span.end, *self.place(span.start), *self.place(span.end))


def newline_of(text: str) -> str:
    """The line break a text uses."""
    found = re.search("\r\n|\n", text)
    return found.group() if found else "\n"


# Changes of a text: stretches that are replaced, applied all at once, and undone by their inverse.


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """The characters from `start` up to `end` (counted from 0) give way to `text`."""

    start: int
    end: int
    text: str


_BY_LINES = 5_000  # characters: longer stretches are not compared line by line, which could take long
Edit = tuple[Change, ...]  # by position, none overlapping


def make_edit(changes: Iterable[Change]) -> Edit:
    """The changes in order; insertions at one place keep the order they were given in."""
    edit = tuple(sorted(changes, key=lambda change: (change.start, change.end)))
    for before, after in pairwise(edit):
        if before.end > after.start:
            raise ValueError(f"changes overlap: {before} and {after}")
    return edit


def apply_edit(text: str, edit: Edit) -> str:
    """The text after an edit."""
    pieces: list[str] = []
    last = 0
    for change in edit:
        pieces += (text[last : change.start], change.text)
        last = change.end
    return "".join((*pieces, text[last:]))


def inverse(text: str, edit: Edit) -> Edit:
    """The edit that brings `text` back once `edit` was applied to it."""
    found: list[Change] = []
    shift = 0
    for change in edit:
        start = change.start + shift
        found.append(Change(start, start + len(change.text), text[change.start : change.end]))
        shift += len(change.text) - (change.end - change.start)
    return tuple(found)


def difference(old: str, new: str) -> Edit:
    """The changes that make `new` of `old`, found by lines, and within lines by what they begin and end with."""
    whole = _narrowed(old, Change(0, len(old), new))
    if old == new or max(whole.end - whole.start, len(whole.text)) > _BY_LINES:
        return () if old == new else (whole,)
    one, other = old[whole.start : whole.end].splitlines(keepends=True), whole.text.splitlines(keepends=True)
    starts, places = ([0, *accumulate(map(len, lines))] for lines in (one, other))
    found = []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            change = Change(whole.start + starts[a], whole.start + starts[b], whole.text[places[c] : places[d]])
            found.append(_narrowed(old, change))
    return make_edit(found)


def line_difference(old: str, new: str) -> Edit:
    """The same for tables, however long: line by line, or at once where lines were added or went."""
    one, other = old.splitlines(keepends=True), new.splitlines(keepends=True)
    least = min(len(one), len(other))
    head = next((n for n in range(least) if one[n] != other[n]), least)
    tail = next((n for n in range(least - head) if one[-1 - n] != other[-1 - n]), least - head)
    start = sum(map(len, one[:head]))
    before, after = one[head : len(one) - tail], other[head : len(other) - tail]
    if len(before) != len(after):
        end = start + sum(map(len, before))
        return (_narrowed(old, Change(start, end, "".join(after))),)
    starts = accumulate(map(len, before), initial=start)
    changed = [(at, b, a) for at, b, a in zip(starts, before, after, strict=False) if b != a]
    return tuple(_narrowed(old, Change(at, at + len(b), a)) for at, b, a in changed)


def _narrowed(text: str, change: Change) -> Change:
    """The change without what it leaves as it is at its start and end."""
    old, new = text[change.start : change.end], change.text
    start = end = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return Change(change.start + start, change.end - end, new[start : len(new) - end])


# Places as browsers count them: in UTF-16, where a rare character such as 𠮷 counts twice.

_WIDE = re.compile("[\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Utf16:
    """A text whose places are translated, many of them at little cost."""

    text: str
    wide: list[int] = field(init=False, repr=False)  # where the rare characters stand
    ends: list[int] = field(init=False, repr=False)  # where a browser sees them end

    def __post_init__(self) -> None:
        wide = [] if self.text.isascii() else [found.start() for found in _WIDE.finditer(self.text)]
        object.__setattr__(self, "wide", wide)
        object.__setattr__(self, "ends", [at + number + 2 for number, at in enumerate(wide)])

    def offset(self, offset: int) -> int:
        """Where a browser sees the character at `offset`."""
        return offset + bisect_left(self.wide, offset)

    def span(self, span: Span) -> Span:
        """A stretch as a browser counts it."""
        return Span(self.offset(span.start), self.offset(span.end))

    def range(self, range: Range) -> Range:
        """The same with lines and columns, which stay as people count them."""
        return replace(range, start=self.offset(range.start), end=self.offset(range.end))

    def edit(self, edit: Edit) -> Edit:
        """The changes of this text as a browser counts them."""
        return tuple(Change(self.offset(c.start), self.offset(c.end), c.text) for c in edit)

    def character(self, seen: int) -> int:
        """Where the character is that a browser sees at `seen`; the middle of one counts as its end."""
        return max(0, min(seen - bisect_right(self.ends, seen), len(self.text)))

    def changes(self, changes: Iterable[Change]) -> Edit:
        """Changes that a browser counted, as an edit of this text; raises `InputError` where they do not fit it."""
        found = [Change(self.character(c.start), self.character(c.end), c.text) for c in changes]
        try:
            if any(change.start > change.end for change in found):
                raise ValueError
            return make_edit(found)
        except ValueError:
            raise fail("changes-overlap", None) from None
