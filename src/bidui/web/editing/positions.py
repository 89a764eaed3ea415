"""Positions in a text: characters counted from its start, and the lines and columns that people count."""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

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
