"""A minimal pair, the stretches in which its two sentences differ, and a collection of pairs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, overload

Side = Literal["good", "bad"]


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of one sentence that differs from the other sentence; empty where something was dropped."""

    side: Side
    start: int  # characters, half-open
    end: int
    slot: str  # the slot, or the literal, it came from
    edit: str  # move, copy, drop, add, replace, agree


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences that differ in one contrast, and where they came from.

    Files keep the regions by side, so those of the good sentence stand first here too.
    """

    good: str
    bad: str
    uid: str
    phenomenon: str
    pair_id: int
    variant: str = ""
    edit: str = ""  # order, insertion, deletion, substitution, agreement; several are joined by +
    regions: tuple[Region, ...] = ()
    slots: tuple[tuple[str, str], ...] = ()  # a slot's path, and the form that filled it
    words: tuple[str, ...] = ()  # expressions of the lexicon rows used


@dataclass(frozen=True, slots=True)
class Short:
    """A paradigm that gave fewer pairs than were asked for, and why."""

    asked: int
    given: int
    uid: str
    reason: str


@dataclass(frozen=True, slots=True)
class Pairs(Sequence[Pair]):
    """Pairs in order, with what fell short; a slice is the pairs alone."""

    items: tuple[Pair, ...] = ()
    short: tuple[Short, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.items)

    @overload
    def __getitem__(self, index: int) -> Pair: ...
    @overload
    def __getitem__(self, index: slice) -> "Pairs": ...
    def __getitem__(self, index: int | slice) -> "Pair | Pairs":
        return Pairs(self.items[index]) if isinstance(index, slice) else self.items[index]

    def by_uid(self) -> dict[str, tuple[Pair, ...]]:
        """The pairs of each paradigm, paradigms in the order in which they first come."""
        groups: dict[str, list[Pair]] = {}
        for pair in self.items:
            groups.setdefault(pair.uid, []).append(pair)
        return {uid: tuple(group) for uid, group in groups.items()}
