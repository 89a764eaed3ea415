"""Alignment: what the bad line does to each item of the good one: keeps, moves, copies, drops, adds or replaces it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from bidui.grammar.paradigm import EDITS
from bidui.grammar.printing import BAD, GOOD, Item
from bidui.grammar.rules import Match

Kind = Literal["move", "copy", "drop", "add", "replace", "agree"]
_EDIT = {
    "move": "order",
    "copy": "insertion",
    "add": "insertion",
    "drop": "deletion",
    "replace": "substitution",
    "agree": "agreement",
}


@dataclass(frozen=True, slots=True)
class Change:
    """An item of one side that is not simply kept."""

    side: int
    item: int
    slot: str
    kind: Kind


def align(good: Sequence[Item], bad: Sequence[Item]) -> list[Change]:
    """The changes that turn the good line into the bad one, good side first, in the order of the line.

    As many items as possible are kept in place; what is left is moved where the same item stands on both sides,
    copied where the bad side says it once more, replaced where both sides have something in the same gap.
    """
    kept = _common(good, bad)
    free_good = [i for i in range(len(good)) if i not in {a for a, _ in kept}]
    free_bad = [j for j in range(len(bad)) if j not in {b for _, b in kept}]
    kinds: dict[tuple[int, int], Kind] = {}
    for j in free_bad:
        match = next((i for i in free_good if (GOOD, i) not in kinds and good[i] == bad[j]), None)
        if match is not None:
            kinds[GOOD, match] = kinds[BAD, j] = "move"
    for j in free_bad:
        if (BAD, j) not in kinds and not isinstance(bad[j], str) and bad[j] in good:
            kinds[BAD, j] = "copy"
    for gap_good, gap_bad in _gaps(kept, len(good), len(bad)):
        left = [i for i in gap_good if (GOOD, i) not in kinds]
        right = [j for j in gap_bad if (BAD, j) not in kinds]
        for i, j in zip(left, right, strict=False):
            kinds[GOOD, i] = kinds[BAD, j] = "agree" if _mismatched(bad[j]) else "replace"
    kinds |= {(GOOD, i): "drop" for i in free_good if (GOOD, i) not in kinds}
    kinds |= {(BAD, j): "add" for j in free_bad if (BAD, j) not in kinds}
    lines = (good, bad)
    return [Change(side, n, _slot(lines[side][n]), kinds[side, n]) for side, n in sorted(kinds)]


def edit_kinds(changes: Iterable[Change]) -> list[str]:
    """The kinds of edit, in the order in which they are always written."""
    found = {_EDIT[change.kind] for change in changes}
    return [edit for edit in EDITS if edit in found]


def _slot(item: Item) -> str:
    return item if isinstance(item, str) else item[0].slot


def _mismatched(item: Item) -> bool:
    return not isinstance(item, str) and any(
        isinstance(link.term, Match) and not link.term.same for link in item[0].links
    )


def _common(good: Sequence[Item], bad: Sequence[Item]) -> list[tuple[int, int]]:
    """A longest common subsequence; words weigh more than literals, so that these move rather than those."""
    best: list[list[int]] = [[0] * (len(bad) + 1) for _ in range(len(good) + 1)]
    for i in range(len(good) - 1, -1, -1):
        for j in range(len(bad) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1])
            if good[i] == bad[j]:
                best[i][j] = max(best[i][j], best[i + 1][j + 1] + _weight(good[i]))
    pairs = []
    i = j = 0
    while i < len(good) and j < len(bad):
        if good[i] == bad[j] and best[i][j] == best[i + 1][j + 1] + _weight(good[i]):
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _weight(item: Item) -> int:
    return 2 if isinstance(item, str) else 3


def _gaps(kept: list[tuple[int, int]], n_good: int, n_bad: int) -> Iterable[tuple[range, range]]:
    previous = (-1, -1)
    for pair in (*kept, (n_good, n_bad)):
        yield range(previous[0] + 1, pair[0]), range(previous[1] + 1, pair[1])
        previous = pair


