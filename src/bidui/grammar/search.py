"""Search: a filling of a frame, found depth first, jumping back over the positions that are not to blame.

When nothing fits at a position, the search knows which earlier positions took the words away, and whether it was their
words (by a conflict or a seam) or only their groups (by links and lengths). It goes back to the last of them; and words
of a group that failed as such are not tried again. A pronoun too many is noticed once, not once for every verb.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from bidui.grammar.filling import Neighbour, clash, narrow, neighbours, seam_broken
from bidui.grammar.frames import Frame
from bidui.grammar.supports import bits_of

Found = TypeVar("Found")
Blame = tuple[int, int]  # the earlier positions to blame, and those of them whose very words are, as bits


@dataclass(slots=True, eq=False)
class Search(Generic[Found]):
    """Searches one frame, again and again: what had no acceptable completion once is not looked at twice."""

    frame: Frame
    candidates: Callable[[int, int], Iterable[int]]  # the values to try at a position, of the groups in a mask
    accept: Callable[[list[int]], Found | None]  # what (no tuple) to make of a complete filling, if it will do
    adjacent: list[list[Neighbour]] = field(init=False)
    dead: set[tuple[int, ...]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.adjacent = neighbours(self.frame)

    def run(self) -> Found | None:
        """The first filling that is accepted, or None if there is none."""
        start = self.frame.start
        if not all(start):
            return None
        found = self._place(list(start), [0] * len(start), [], self.frame.fixed)
        return None if isinstance(found, tuple) else found

    def _place(self, masks: list[int], culprits: list[int], values: list[int], length: int) -> Found | Blame:
        """Fills the next position and all after it, or says who is to blame."""
        frame, at = self.frame, len(values)
        before = (1 << at) - 1
        if at == len(frame.columns):
            accepted = self.accept(values)
            return (before, before) if accepted is None else accepted
        if self.dead and tuple(values) in self.dead:
            return before, before
        domain = frame.columns[at].domain
        groups = domain.group
        conflicts, adjacent, reach = frame.conflicts[at], self.adjacent[at], frame.reach
        linked = frame.later[at] or frame.among[at]
        blame, words, failed, total = culprits[at], 0, 0, length
        left = (masks, culprits)
        passed: dict[int, int] = {}  # groups with words passed over because of other words: whose
        for value in self.candidates(at, masks[at]):
            group = groups[value]
            if failed and failed >> group & 1:
                continue
            if conflicts and (earlier := clash(conflicts, value, values)) is not None:
                passed[group] = passed.get(group, 0) | 1 << earlier
                continue
            if reach is not None:
                total = length + domain.diffs[value]
                if -total not in reach[at + 1]:
                    failed |= 1 << group
                    blame |= before
                    continue
            if adjacent and seam_broken(frame, adjacent, domain.texts, value, values):
                passed[group] = before
                continue
            if linked:
                narrowed = narrow(frame, at, group, masks, culprits)
                if isinstance(narrowed, int):
                    failed |= 1 << group
                    blame |= narrowed
                    continue
                left = narrowed
            values.append(value)
            found = self._place(left[0], left[1], values, total)
            if not isinstance(found, tuple):
                return found
            values.pop()
            if not found[0] >> at & 1:
                return found
            blame |= found[0]
            words |= found[1]
            if not found[1] >> at & 1:
                failed |= 1 << group
        for group, others in passed.items():
            if not failed >> group & 1:
                blame |= others
                words |= others
        self.dead.add(tuple(values))
        return blame & before, words & before


def values_in(frame: Frame) -> Callable[[int, int], Iterable[int]]:
    """Candidates in the order of the lexicon."""

    def candidates(at: int, mask: int) -> Iterable[int]:
        groups = frame.columns[at].domain.groups
        return sorted(value for group in bits_of(mask) for value in groups[group])

    return candidates


def can_be_filled(frame: Frame) -> bool:
    """Whether a frame has any filling."""
    return Search(frame, values_in(frame), lambda values: True).run() is not None
