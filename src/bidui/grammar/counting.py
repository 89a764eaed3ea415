"""Counting: how many distinct pairs a network has, exactly, without making them.

The tables of its slots are joined into one number; conflicts are counted by inclusion and exclusion.
"""

from dataclasses import dataclass

from bidui.grammar.coincidences import Coincidences, TooMany
from bidui.grammar.network import Network
from bidui.grammar.slot_tables import Tables

MAX_TERMS = 2_000
MAX_JOINT = 100  # rows of a table that counts distinct words of several leaves at once


@dataclass(frozen=True, slots=True)
class Count:
    """A number of pairs; if it is not exact, there are at most so many."""

    value: int
    exact: bool = True

    def __str__(self) -> str:
        return f"{self.value:,}" if self.exact else f"≤ {self.value:,}"


def count_assignments(network: Network) -> Count:
    """The number of ways to fill a network's slots: all links, conflicts and lengths observed."""
    coincidences = Coincidences(network)
    counter = Tables(network, together=coincidences.small_components(MAX_JOINT))
    total = Count(1)
    for slots in counter.islands():
        found = _count_island(counter, coincidences, slots)
        total = Count(total.value * found.value, total.exact and found.exact)
    return total


def _count_island(counter: Tables, coincidences: Coincidences, slots: frozenset[str]) -> Count:
    total = 0
    if coincidences.at_least(slots) >= MAX_TERMS:
        return Count(counter.term((), slots), exact=False)
    try:
        for number, blocks in enumerate(coincidences.terms(slots)):
            if number >= MAX_TERMS:
                return Count(counter.term((), slots), exact=False)
            total += counter.term(blocks, slots)
    except TooMany:
        return Count(counter.term((), slots), exact=False)
    return Count(total)
