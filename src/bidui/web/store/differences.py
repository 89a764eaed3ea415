"""Two versions of a file compared: line by line, as git does, and row by row, as people edit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from typing import Literal

Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row that is not as it was: its number and cells before and after, from 1; 0 and none where it is not there.

    In a YAML file a row is a line, and its cells are the key and the value.
    """

    kind: Literal["added", "removed", "changed"]
    before: int
    after: int
    old: Lines
    new: Lines


def unified(old: str, new: str, *, name: str) -> str:
    """The difference as `diff -u` and git show it."""
    lines = unified_diff(_lines(old), _lines(new), f"a/{name}", f"b/{name}", lineterm="")
    return "".join(f"{line}\n" for line in lines)


def row_changes(old: str, new: str, *, name: str) -> tuple[RowChange, ...]:
    """The rows of a TSV, or the lines of a YAML file, that were added, removed or changed."""
    before, after = _lines(old), _lines(new)
    header = before[0].split("\t") if before and name.endswith(".tsv") else []
    key = header.index("expression") if "expression" in header else 0
    found: list[RowChange] = []
    i = j = 0
    for start, first, length in (*_blocks(before, after), (len(before), len(after), 0)):
        olds = [(at + 1, _cells(before[at], name)) for at in range(i, start)]
        news = [(at + 1, _cells(after[at], name)) for at in range(j, first)]
        found += _paired(olds, news, key=key)
        i, j = start + length, first + length
    return tuple(found)


def _lines(text: str) -> list[str]:
    """The lines by their ends alone: a text may hold other characters that Python takes for the end of a line."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def _cells(line: str, name: str) -> Lines:
    if name.endswith(".tsv"):
        return tuple(line.split("\t"))
    key, colon, value = line.partition(":")
    return (key.strip(), value.strip()) if colon else (line.strip(),)


Numbered = list[tuple[int, Lines]]


def _paired(olds: Numbered, news: Numbered, *, key: int) -> Iterator[RowChange]:
    """Old rows with the new ones of the same key; one that is left on each side is the same row renamed."""
    named: dict[str, Numbered] = {}
    for row in olds:
        named.setdefault(_key(row[1], key), []).append(row)
    pairs = {new: named[name].pop(0) for new in news if named.get(name := _key(new[1], key))}
    kept = {number for number, _ in pairs.values()}
    gone = [row for row in olds if row[0] not in kept]
    come = [row for row in news if row not in pairs]
    if len(gone) == len(come) == 1:
        pairs[come[0]] = gone.pop()
    for number, cells in gone:
        yield RowChange("removed", number, 0, cells, ())
    for new in news:
        old = pairs.get(new)
        if old is None:
            yield RowChange("added", 0, new[0], (), new[1])
        elif old[1] != new[1]:
            yield RowChange("changed", old[0], new[0], old[1], new[1])


def _key(cells: Lines, key: int) -> str:
    return cells[key] if key < len(cells) else ""


def _blocks(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int]]:
    """The runs of lines that two versions share: where they begin in each, and how many lines they have."""
    least = min(len(before), len(after))
    head = next((n for n in range(least) if before[n] != after[n]), least)
    tail = next((n for n in range(least - head) if before[-1 - n] != after[-1 - n]), least - head)
    # what is left between is little, mostly, and the rest need not be searched
    middle = SequenceMatcher(None, before[head : len(before) - tail], after[head : len(after) - tail])
    found = [(0, 0, head)]
    found += [(head + block.a, head + block.b, block.size) for block in middle.get_matching_blocks()]
    found += [(len(before) - tail, len(after) - tail, tail)]
    return [block for block in found if block[2]]
