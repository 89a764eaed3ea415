"""Relations: tables of tuples that say which words go together when no feature does."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from bidui.errors import Place, Problem
from bidui.grammar.lexicon import NO_VALUES, Lexicon, Values


@dataclass(frozen=True, slots=True)
class Relation:
    """A table; the n-th cell of a row lists what the n-th slot may be.

    A column called `thing` lists expressions; one called `thing@class` lists values of the feature `class`. A blank
    cell goes with no word.
    """

    name: str
    columns: tuple[str, ...]
    features: tuple[str, ...]
    rows: tuple[tuple[Values, ...], ...]
    index: tuple[dict[str, list[int]], ...] = field(init=False, repr=False, compare=False)  # value -> rows, by column

    def __post_init__(self) -> None:
        index: tuple[dict[str, list[int]], ...] = tuple({} for _ in self.columns)
        for number, row in enumerate(self.rows):
            for column, values in zip(index, row, strict=True):
                for value in values:
                    column.setdefault(value, []).append(number)
        object.__setattr__(self, "index", index)

    def words(self, column: int, *, used: tuple[int, ...]) -> frozenset[str]:
        """What stands in a column, in rows where none of the columns used is blank."""
        rows = (row for row in self.rows if all(row[other] for other in used))
        return frozenset().union(*(row[column] for row in rows))


def parse_relation(text: str, *, name: str, file: str) -> tuple[Relation | None, list[Problem]]:
    """The relation in a TSV text, or None, and the problems found."""
    lines = text.replace("\r\n", "\n").split("\n")
    header = lines[0].split("\t")
    problems = [
        Problem("relation-column", Place(file, 1, 0, f"column {number}"), {"column": column})
        for number, column in enumerate(header, start=1)
        if not column.strip() or column != column.strip() or column in header[: number - 1]
    ]
    rows: list[tuple[Values, ...]] = []
    first_line: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        cells = tuple(line.split("\t"))
        place = Place(file, number)
        if len(cells) != len(header):
            problems.append(Problem("relation-cells", place, {"cells": len(cells), "columns": len(header)}))
        elif any(value != value.strip() or (cell and not value) for cell in cells for value in cell.split("/")):
            problems.append(Problem("relation-blank", place, {"row": line}))
        elif cells in first_line:
            problems.append(Problem("relation-duplicate", place, {"line": first_line[cells]}))
        else:
            first_line[cells] = number
            rows.append(tuple(frozenset(cell.split("/")) if cell else NO_VALUES for cell in cells))
    if problems:
        return None, problems
    features = tuple(column.partition("@")[2] or "expression" for column in header)
    return Relation(name, tuple(header), features, tuple(rows)), []


def relation_problems(relation: Relation, lexicon: Lexicon, *, file: str) -> Iterator[Problem]:
    """Columns on features the lexicon lacks, and (as warnings) values that no word has."""
    for number, feature in enumerate(relation.features):
        place = Place(file, 1, 0, f'column "{relation.columns[number]}"')
        if not lexicon.has_feature(feature):
            values = {"feature": feature, "near": lexicon.nearest_feature(feature)}
            yield Problem("feature-unknown", place, values)
            continue
        missing = sorted(value for value in relation.index[number] if not lexicon.knows(feature, value))
        if missing:
            yield Problem("relation-values", place, {"feature": feature, "values": missing}, "warning")
