"""Positions in a text, and changes of it.

A position is a number of characters from the start of the text, a line and a column as people count them (`Lines`), or
a UTF-16 offset as browsers count (`Utf16`). An edit is a tuple of changes that are applied together and can be undone.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from bidui.errors import fail

_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")  # what YAML takes for the end of a line


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """The characters from `start` up to `end`, counted from 0."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Range:
    """A span, and where it begins and ends in lines and columns counted from 1."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


class Lines:
    """The lines of a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *(match.end() for match in _BREAK.finditer(text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the line and column of a character, from 1."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the character at a line and column, or the nearest where they lie outside the text."""
        line = min(max(line, 1), len(self.starts))
        start = self.starts[line - 1]
        return min(start + max(column - 1, 0), self.line_end(start))

    def line_start(self, offset: int) -> int:
        """Return where the line of a character begins."""
        return self.starts[bisect_right(self.starts, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Return where the line of a character ends, before its line break."""
        match = _BREAK.search(self.text, offset)
        return match.start() if match else len(self.text)

    def next_line(self, offset: int) -> int:
        """Return where the line after that of a character begins, or the end of the text."""
        number = bisect_right(self.starts, offset)
        return self.starts[number] if number < len(self.starts) else len(self.text)

    def range(self, span: Span) -> Range:
        """Return a span with its lines and columns."""
        return Range(span.start, span.end, *self.place(span.start), *self.place(span.end))


def newline_of(text: str) -> str:
    """Return the line break that a text uses."""
    match = re.search("\r\n|\n", text)
    return match.group() if match else "\n"


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """The characters from `start` up to `end` (counted from 0) are replaced by `text`."""

    start: int
    end: int
    text: str


Edit = tuple[Change, ...]  # by position, none overlapping


def make_edit(changes: Iterable[Change]) -> Edit:
    """Return changes in order; insertions at the same position keep the order in which they were given."""
    edit = tuple(sorted(changes, key=lambda change: (change.start, change.end)))
    for before, after in pairwise(edit):
        if before.end > after.start:
            raise ValueError(f"changes overlap: {before} and {after}")
    return edit


def apply_edit(text: str, edit: Edit) -> str:
    """Return the text after an edit."""
    pieces: list[str] = []
    last = 0
    for change in edit:
        pieces += (text[last : change.start], change.text)
        last = change.end
    return "".join((*pieces, text[last:]))


def inverse(text: str, edit: Edit) -> Edit:
    """Return the edit that undoes `edit`, which was applied to `text`."""
    changes: list[Change] = []
    shift = 0
    for change in edit:
        start = change.start + shift
        changes.append(Change(start, start + len(change.text), text[change.start : change.end]))
        shift += len(change.text) - (change.end - change.start)
    return tuple(changes)


def difference(old: str, new: str) -> Edit:
    """Return the changes from `old` to `new`: line by line, or as one change where lines were added or removed.

    A changed line keeps its equal start and end.
    """
    same, rest = _ends(old, new)  # a large text is split only between them
    before = old[same : len(old) - rest].splitlines(keepends=True)
    after = new[same : len(new) - rest].splitlines(keepends=True)
    least = min(len(before), len(after))
    head = next((n for n in range(least) if before[n] != after[n]), least)
    tail = next((n for n in range(least - head) if before[-1 - n] != after[-1 - n]), least - head)
    start = same + sum(map(len, before[:head]))
    before, after = before[head : len(before) - tail], after[head : len(after) - tail]
    if len(before) != len(after):
        end = start + sum(map(len, before))
        return (_narrowed(old, Change(start, end, "".join(after))),)
    starts = accumulate(map(len, before), initial=start)
    changed = [(at, b, a) for at, b, a in zip(starts, before, after, strict=False) if b != a]
    return tuple(_narrowed(old, Change(at, at + len(b), a)) for at, b, a in changed)


def _ends(old: str, new: str) -> tuple[int, int]:
    """Return how many characters both texts begin and end with, in whole lines."""
    least = min(len(old), len(new))
    head = old.rfind("\n", 0, _equal(least, lambda a, b: old[a:b] == new[a:b])) + 1
    m, n = len(old), len(new)
    tail = _equal(least - head, lambda a, b: old[m - b : m - a] == new[n - b : n - a])
    after = old.find("\n", m - tail) + 1
    return head, m - after if after else 0


def _equal(most: int, same: Callable[[int, int], bool]) -> int:
    """Return how far texts are the same, if `same` compares pieces of them."""
    at, step = 0, 1 << 16
    while step:
        while at + step <= most and same(at, at + step):
            at += step
        step //= 2
    return at


def _narrowed(text: str, change: Change) -> Change:
    """Return a change without the characters at its start and end that stay the same."""
    old, new = text[change.start : change.end], change.text
    start = end = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return Change(change.start + start, change.end - end, new[start : len(new) - end])


_WIDE = re.compile("[\U00010000-\U0010ffff]")


class Utf16:
    """Positions in a text as browsers count them: in UTF-16, where a rare character such as 𠮷 counts twice."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.wide = [] if text.isascii() else [match.start() for match in _WIDE.finditer(text)]  # rare characters
        self.ends = [at + number + 2 for number, at in enumerate(self.wide)]  # where a browser sees them end

    def offset(self, offset: int) -> int:
        """Return where a browser sees the character at `offset`."""
        return offset + bisect_left(self.wide, offset)

    def span(self, span: Span) -> Span:
        """Return a span as a browser counts it."""
        return Span(self.offset(span.start), self.offset(span.end))

    def range(self, range: Range) -> Range:
        """Return a range as a browser counts it; lines and columns stay as people count them."""
        return replace(range, start=self.offset(range.start), end=self.offset(range.end))

    def edit(self, edit: Edit) -> Edit:
        """Return the changes of this text as a browser counts them."""
        return tuple(Change(self.offset(c.start), self.offset(c.end), c.text) for c in edit)

    def character(self, seen: int) -> int:
        """Return the character that a browser sees at `seen`; the middle of a character counts as its end."""
        return max(0, min(seen - bisect_right(self.ends, seen), len(self.text)))

    def changes(self, changes: Iterable[Change]) -> Edit:
        """Return changes that a browser counted as an edit; raises `InputError` where they do not fit this text."""
        counted = [Change(self.character(c.start), self.character(c.end), c.text) for c in changes]
        try:
            if any(change.start > change.end for change in counted):
                raise ValueError
            return make_edit(counted)
        except ValueError:
            raise fail("changes-overlap", None) from None
