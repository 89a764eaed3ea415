"""Two versions of a text compared, line by line or row by row, and three merged where they do not contradict."""

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


@dataclass(frozen=True, slots=True)
class Piece:
    """Lines of a merge: `same` to all, changed by `yours` or `theirs` alone or by `both` alike, or in `conflict`."""

    kind: Literal["same", "yours", "theirs", "both", "conflict"]
    base: Lines
    theirs: Lines
    yours: Lines

    @property
    def merged(self) -> Lines | None:
        """What the lines become; None where somebody must decide."""
        if self.kind == "conflict":
            return None
        return self.theirs if self.kind == "theirs" else self.yours


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


def merge(base: str, *, theirs: str, yours: str) -> tuple[Piece, ...]:
    """The lines of three versions side by side; only those that both sides changed differently are in conflict."""
    origin, left, right = _lines(base), _lines(theirs), _lines(yours)
    pieces: list[Piece] = []
    at = (0, 0, 0)
    for start, stop in _stable(origin, left, right):
        pieces += _piece(origin[at[0] : start[0]], left[at[1] : start[1]], right[at[2] : start[2]])
        same = tuple(origin[start[0] : stop[0]])
        pieces += [Piece("same", same, same, same)] if same else []
        at = stop
    return tuple(pieces)


def merged_text(pieces: Sequence[Piece]) -> str | None:
    """The text that a merge gives, if nothing in it is in conflict."""
    lines = [piece.merged for piece in pieces]
    return None if None in lines else "".join(f"{line}\n" for some in lines for line in some or ())


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


def _stable(
    origin: Sequence[str], left: Sequence[str], right: Sequence[str]
) -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Where runs of lines that all three versions share begin and end in each; last, the end of all."""
    ours, theirs = _blocks(origin, left), _blocks(origin, right)
    one = other = 0
    while one < len(ours) and other < len(theirs):
        (first, at_left, long), (second, at_right, wide) = ours[one], theirs[other]
        start, end = max(first, second), min(first + long, second + wide)
        if start < end:
            begin = (start, at_left + start - first, at_right + start - second)
            yield begin, (end, begin[1] + end - start, begin[2] + end - start)
        if first + long < second + wide:
            one += 1
        else:
            other += 1
    yield (len(origin), len(left), len(right)), (len(origin), len(left), len(right))


def _piece(origin: Sequence[str], left: Sequence[str], right: Sequence[str]) -> Iterator[Piece]:
    """The pieces of a stretch that is not the same in all; rows are taken one by one where none came or went."""
    if len(origin) == len(left) == len(right) > 1:
        for rows in zip(origin, left, right, strict=True):
            yield from _piece(*([row] for row in rows))
    elif origin or left or right:
        base, theirs, yours = tuple(origin), tuple(left), tuple(right)
        if theirs == yours:
            yield Piece("same" if theirs == base else "both", base, theirs, yours)
        elif theirs == base:
            yield Piece("yours", base, theirs, yours)
        else:
            yield Piece("theirs" if yours == base else "conflict", base, theirs, yours)
