"""What the bad list does to the good one, read off their rule strings: equal strings are one slot.

A bad string that equals the good one at its own index is that slot, kept. One that equals good strings elsewhere is the
first of them that no bad string has taken yet: that slot, moved. Where all are taken it is the first again: a copy.
Any other is a slot of the bad side only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bidui.errors import Place, Problem
from bidui.grammar.classic.cells import Cell

Side = Literal["good", "bad"]


@dataclass(frozen=True, slots=True)
class Identity:
    """A slot of the template by the list and index where it first stands."""

    side: Side
    index: int

    def __str__(self) -> str:
        return f"{self.side}_rule[{self.index}]"


def align(good: Sequence[Cell], bad: Sequence[Cell]) -> tuple[dict[Identity, Identity], list[Problem]]:
    """The slot that each place of either list holds, empty ones left out, and warnings on what had to be guessed."""
    held = {Identity("good", i): Identity("good", i) for i, cell in enumerate(good) if not cell.empty}
    kept = {j for j, cell in enumerate(bad) if j < len(good) and cell.text == good[j].text}
    problems = [problem for j in sorted(kept) if (problem := _blanks(bad[j], j, [good[j]], [j]))]
    taken = set(kept)
    for j, cell in enumerate(bad):
        here = Identity("bad", j)
        if cell.empty:
            continue
        if j in kept:
            held[here] = Identity("good", j)
            continue
        same = [i for i, other in enumerate(good) if other.text == cell.text]
        if not same:
            held[here] = here
            continue
        free = [i for i in same if i not in taken]
        chosen = (free or same)[0]
        taken.add(chosen)
        held[here] = Identity("good", chosen)
        # one fixed word is as good as another that is the same
        if not cell.fixed and len(free or same) > 1:
            problems.append(_choice(cell, chosen, free or same, copied=not free))
        if problem := _blanks(cell, j, [good[i] for i in same], same):
            problems.append(problem)
    return held, problems


def _choice(cell: Cell, chosen: int, options: Sequence[int], *, copied: bool) -> Problem:
    others = tuple(str(Identity("good", i)) for i in options if i != chosen)
    values = {"rule": cell.text, "chosen": Identity("good", chosen), "others": others}
    return Problem("classic-copy-choice" if copied else "classic-move-choice", cell.place, values, "warning")


def _blanks(cell: Cell, index: int, same: Sequence[Cell], indices: Sequence[int]) -> Problem | None:
    """A warning where the original saw two rules, because it compared them with their blanks."""
    if cell.empty or any(cell.raw == other.raw for other in same):
        return None
    place = Place(cell.place.file, cell.place.line, cell.place.column, str(Identity("bad", index)))
    values = {"rule": cell.raw, "other": Identity("good", indices[0]), "written": same[0].raw}
    return Problem("classic-blanks", place, values, "warning")
