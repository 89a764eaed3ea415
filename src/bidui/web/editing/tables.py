"""Tables: a TSV text as rows of cells, edits that leave every other line as it is, and the vocabulary in them.

Lines are counted from 1, as in messages; line 1 is the header. A row of the lexicon may have fewer cells than the
header: the rest are blank. In a `full` table, such as a relation, every row has all its cells. The vocabulary is all
tables of the lexicon together, searched by features and text.
"""

import csv
import io
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated

from pydantic import Field as Constraint

from bidui.errors import InputError, Place, Problem, fail
from bidui.grammar.lexicon import (
    Lexicon,
    Word,
    each_line,
    feature_problems,
    join_lexicons,
    parse_features,
    parse_lexicon,
    with_ancestors,
)
from bidui.grammar.rules import Condition, Lexical, parse_rule
from bidui.grammar.yaml import printable
from bidui.web.editing.pieces import pieces_of
from bidui.web.editing.text import Change, Edit, Span, Utf16, make_edit

MAX_PASTED = 100_000  # cells
MAX_LISTED = 20  # cells in an error message

# What edits take; the calls of the API are described by these.
Line = Annotated[int, Constraint(ge=1, le=10_000_000)]
NewRows = Annotated[list[list[str]], Constraint(max_length=20_000)]
LineNumbers = Annotated[list[Line], Constraint(max_length=50_000)]
Changes = Annotated[list[Change], Constraint(max_length=50_000)]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table, which starts at an offset of the text."""

    line: int
    cells: tuple[str, ...]
    start: int

    @property
    def span(self) -> Span:
        """Where it stands, without its line break; a lexicon has many rows, and keeps none of these."""
        return Span(self.start, self.start + sum(map(len, self.cells)) + len(self.cells) - 1)

    def cell(self, column: int) -> str:
        """Return the cell of a column, blank where the row is shorter."""
        return self.cells[column] if column < len(self.cells) else ""


@dataclass(frozen=True, slots=True)
class Table:
    """The header and the rows of a text, blank lines left out.

    Of the rows only their lines and where they start are kept: their cells take ten times the memory of the text.
    """

    text: str
    header: tuple[str, ...]
    lines: "array[int]"
    starts: "array[int]"
    newline: str
    header_end: int
    full: bool = False

    @property
    def rows(self) -> Iterator[Row]:
        """The rows, cut from the text one after the other."""
        return map(self._row, range(len(self.lines)))

    def rows_from(self, line: int) -> Iterator[Row]:
        """Return the rows from a line on."""
        return map(self._row, range(bisect_left(self.lines, line), len(self.lines)))

    def row(self, line: int) -> Row:
        """Return the row at a line."""
        row = next(self.rows_from(line), None)
        if row is None or row.line != line:
            raise fail("row-missing", None, {"row": line})
        return row

    def _row(self, number: int) -> Row:
        start = self.starts[number]
        end = self.text.find("\n", start)
        raw = self.text[start : end if end >= 0 else len(self.text)]
        return Row(self.lines[number], tuple(raw.removesuffix("\r").split("\t")), start)

    def written(self, cells: Sequence[str]) -> str:
        """Return a row as it is written: with all its cells, or without the blank ones at its end."""
        missing = [""] * (len(self.header) - len(cells)) if self.full else []
        text = "\t".join((*cells, *missing))
        return text if self.full else text.rstrip("\t")

    def column(self, name: str) -> int:
        """Return the number of a column, from 0."""
        if name not in self.header:
            raise fail("row-missing", None, {"row": name})
        return self.header.index(name)


def read_table(text: str, *, full: bool = False) -> Table:
    """Read a text as a table; every text is one. Edits of a `full` table write all cells of the rows they touch."""
    lines, starts = array("L"), array("L")
    each = each_line(text)
    first = next(each)
    start = len(first) + 1
    for number, raw in enumerate(each, start=2):
        if raw and not raw.isspace():
            lines.append(number)
            starts.append(start)
        start += len(raw) + 1
    header = first.removesuffix("\r")
    names = tuple(name.removeprefix("\ufeff") for name in header.split("\t"))
    return Table(text, names, lines, starts, "\r\n" if "\r\n" in text else "\n", len(header), full)


def changed_rows(old: str, table: Table) -> Iterator[Row]:
    """Yield the rows that are not as in a text with as many lines."""
    for number, (was, now) in enumerate(zip(each_line(old), each_line(table.text), strict=True), start=1):
        if was.removesuffix("\r") != now.removesuffix("\r") and number > 1 and now.strip():
            yield table.row(number)


def set_cell(table: Table, *, line: Line, column: str, value: str) -> Edit:
    """Set the value of a cell."""
    row, number = table.row(line), table.column(column)
    refuse_cells([(value, line)])
    if value == row.cell(number):
        return ()
    if table.full and len(row.cells) < len(table.header):
        cells = [row.cell(at) if at != number else value for at in range(len(table.header))]
        return (Change(row.span.start, row.span.end, table.written(cells)),)
    if number >= len(row.cells):
        tabs = "\t" * (number - len(row.cells) + 1)
        return (Change(row.span.end, row.span.end, tabs + value),)
    start = row.span.start + sum(len(cell) + 1 for cell in row.cells[:number])
    return (Change(start, start + len(row.cells[number]), value),)


def add_rows(table: Table, rows: NewRows, *, after: Line | None = None) -> Edit:
    """Add rows after a line, or at the end; their cells are in the order of the header."""
    refuse_cells((cell, 0) for cells in rows for cell in cells)
    lines = [table.written(cells) for cells in rows]
    if not lines:
        return ()
    text = table.newline.join(lines)
    end = len(table.text)
    if after is not None:
        end = table.row(after).span.end if after > 1 else table.header_end
    elif table.text.endswith("\n"):
        return (Change(end, end, text + table.newline),)
    return (Change(end, end, table.newline + text),)


def delete_rows(table: Table, lines: LineNumbers) -> Edit:
    """Delete lines."""
    changes = []
    for line in sorted(set(lines)):
        span = table.row(line).span
        if end := table.text.find("\n", span.end) + 1:
            changes.append(Change(span.start, end, ""))
        else:  # the last line goes with the line break before it
            start = span.start - len(table.newline) if table.text[: span.start].endswith(table.newline) else span.start
            changes.append(Change(max(start, changes[-1].end if changes else 0), span.end, ""))
    return make_edit(changes)


def add_column(table: Table, name: str) -> Edit:
    """Add a column at the end; where rows may be short, only the header changes."""
    if name in table.header:
        raise fail("row-exists", None, {"name": name})
    refuse_cells([(name, 1)])
    ends = [row.span.end for row in table.rows] if table.full and any(table.header) else []
    header = Change(table.header_end, table.header_end, f"\t{name}" if any(table.header) else name)
    return make_edit([header, *(Change(end, end, "\t") for end in ends)])


def paste(table: Table, block: str, *, line: Line | None = None, column: str = "") -> Edit:
    """Paste a block from a spreadsheet over the cells from a line and column on, and into new rows below the last.

    A block whose first row names columns, `expression` among them, is added as new rows, column by column.
    """
    cells = pasted_cells(block)
    if not cells:
        return ()
    if "expression" in cells[0] and set(cells[0]) <= set(table.header):
        added = [[""] * len(table.header) for _ in cells[1:]]
        for filled, values in zip(added, cells[1:], strict=True):
            for name, value in zip(cells[0], values, strict=False):
                filled[table.header.index(name)] = value
        return add_rows(table, added)
    first = table.column(column) if column else 0
    width = max(map(len, cells))
    if first + width > len(table.header):
        raise fail("paste-too-wide", None, {"cells": first + width, "columns": len(table.header)})
    rows = [] if line is None else list(islice(table.rows_from(line), len(cells)))
    changes: list[Change] = []
    for row, new in zip(rows, cells, strict=False):
        old = [*row.cells, *[""] * (first + len(new) - len(row.cells))]
        old[first : first + len(new)] = new
        text = "\t".join(old) if len(old) == len(row.cells) else table.written(old)
        if text != "\t".join(row.cells):
            changes.append(Change(row.span.start, row.span.end, text))
    below = [[*[""] * first, *new] for new in cells[len(rows) :]]
    return make_edit([*changes, *add_rows(table, below)])


def apply_changes(table: Table, changes: Changes) -> Edit:
    """Make changes of the text that a page worked out, such as those that take back what was done."""
    return Utf16(table.text).changes(changes)


def pasted_cells(block: str) -> list[list[str]]:
    """Return the cells of a block as spreadsheets copy it, without quotes, and without blanks around a cell."""
    if len(block) > 50 * MAX_PASTED:
        raise fail("paste-too-large", None, {"limit": MAX_PASTED})
    try:
        rows = list(csv.reader(io.StringIO(block.rstrip("\r\n"), newline=""), dialect="excel-tab"))
    except csv.Error as error:
        raise fail("paste-broken", None, {"reason": error}) from None
    if sum(map(len, rows)) > MAX_PASTED:
        raise fail("paste-too-large", None, {"limit": MAX_PASTED})
    cells = [[cell.strip() for cell in row] for row in rows]
    refuse_cells((cell, number) for number, row in enumerate(cells, start=1) for cell in row)
    return cells


def refuse_cells(cells: Iterable[tuple[str, int]]) -> None:
    """Raise `InputError` for cells, given with their lines, that hold what a table cannot; it lists the first few."""
    wrong = ((value, line) for value, line in cells if not all(map(printable, value)))
    shown = islice(wrong, MAX_LISTED)
    problems = [Problem("cell-characters", Place("", line), {"cell": repr(value)}) for value, line in shown]
    if problems:
        raise InputError(problems)


MOST = 50


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All words of a project: the tables they stand in, and the lexicon that rules see.

    `by_file` are the problems that each file has by itself, and `parts` the words of each file.
    """

    tables: Mapping[str, Table]
    lexicon: Lexicon
    problems: tuple[Problem, ...] = ()
    by_file: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    parts: Mapping[str, Lexicon] = field(default_factory=dict)


def read_vocabulary(
    texts: Mapping[str, str], *, features: str | None = None, before: Vocabulary | None = None
) -> Vocabulary:
    """Read the texts of the lexicon's files, by name; `features` is the text of `features.tsv`.

    Files that have not changed since the vocabulary `before` are not read again, and its words are shared.
    """
    by_file: dict[str, tuple[Problem, ...]] = {}
    parts: dict[str, Lexicon] = {}
    tables: dict[str, Table] = {}
    for name, text in texts.items():
        if before is not None and name in before.parts and before.tables[name].text == text:
            parts[name], by_file[name], tables[name] = before.parts[name], before.by_file[name], before.tables[name]
            continue
        known = before.parts.get(name) if before is not None else None
        parts[name], more = parse_lexicon(text, name=name, known=known)
        by_file[name], tables[name] = tuple(more), read_table(text)
    problems = [problem for each in by_file.values() for problem in each]
    if len(parts) == 1:
        joined = next(iter(parts.values()))
    else:
        joined, more = join_lexicons(parts.values(), name="lexicon/" if parts else "lexicon.tsv")
        problems += more
    if features is not None:
        hierarchy, more = parse_features(features, name="features.tsv")
        problems += more
        by_file["features.tsv"] = tuple(more)
        if hierarchy is not None:
            joined = with_ancestors(joined, hierarchy)
            problems += feature_problems(joined, hierarchy)
    return Vocabulary(tables, joined, tuple(problems), by_file, parts)


def find(vocabulary: Vocabulary, query: str) -> list[tuple[str, int]]:
    """Return the file and line of the rows that meet every term: `feature:value`, or text in some cell.

    A value is also found by the more general values above it. An unfinished term (`pos:`) excludes nothing.
    """
    conditions, texts = _terms(query, vocabulary.lexicon)
    kept = {(word.file, word.line) for word in vocabulary.lexicon.select(conditions)} if conditions else None
    hits = []
    for name, table in vocabulary.tables.items():
        for row in table.rows:
            if kept is None or (name, row.line) in kept:
                whole = "\t".join(row.cells).casefold() if texts else ""
                if all(text in whole for text in texts):
                    hits.append((name, row.line))
    return hits


def _terms(query: str, lexicon: Lexicon) -> tuple[list[Condition], list[str]]:
    conditions: list[Condition] = []
    texts: list[str] = []
    pieces = [piece for piece in pieces_of(query) if not piece.inside]
    named = {p.token for p in pieces if p.kind == "feature" and lexicon.has_feature(p.text)}
    for token in dict.fromkeys(piece.token for piece in pieces):
        raw = query[slice(*token)]
        if token not in named:
            texts.append(raw.strip('"').casefold())
            continue
        with suppress(InputError):
            body = parse_rule(raw, Place()).alternatives[0].rule
            conditions += body.conditions if isinstance(body, Lexical) else ()
    return conditions, texts


def suggest(vocabulary: Vocabulary, *, column: str, typed: str, most: int = MOST) -> tuple[tuple[str, int], ...]:
    """Suggest values for a cell, with the number of words that have each; in `a/b` for the last value."""
    if not vocabulary.lexicon.has_feature(column) or column == "expression":
        return ()
    *before, last = typed.split("/")
    part = last.casefold()
    counts = vocabulary.lexicon.counts(column)
    values = [value for value in counts if value not in before and part in value.casefold()]
    values.sort(key=lambda value: (not value.casefold().startswith(part), -counts[value], value))
    return tuple((value, counts[value]) for value in values[:most])


def word_at(vocabulary: Vocabulary, *, file: str, line: int) -> Word | None:
    """Return the word in a row, or None for a row that is no word: without an expression, or a duplicate."""
    return next((word for word in vocabulary.lexicon.words if (word.file, word.line) == (file, line)), None)
