"""Choices: which sentence of each pair a model prefers, by a linking function; ties are worth one half."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bidui.scores.links import Floats, Link
from bidui.scores.table import LengthUnit, ScoreTable
from bidui.scores.totals import PairTotals, pair_totals, sides

Number = TypeVar("Number", float, Floats)
NEAR_TIE = 2e-4  # log-probabilities of fp32 runs differ by half as much


@dataclass(frozen=True, slots=True)
class Choices:
    """One row a pair: uid, the scores of both sides, and the worth of the choice (1, 0.5 or 0)."""

    link: str
    uids: NDArray[np.object_]
    phenomena: NDArray[np.object_]
    pairs: NDArray[np.int32]
    good: Floats
    bad: Floats
    length_sign: NDArray[np.int8]  # of the good side's length minus the bad side's

    @property
    def worth(self) -> Floats:
        """1 where good is preferred, 0.5 where neither is, 0 where bad is."""
        return worth(self.good, self.bad)

    @property
    def ties(self) -> int:
        """How many pairs have equal scores."""
        return int((self.good == self.bad).sum())

    @property
    def near_ties(self) -> int:
        """How many pairs a rounding error could turn."""
        return int(((self.good != self.bad) & (np.abs(self.good - self.bad) < NEAR_TIE)).sum())


@dataclass(frozen=True, slots=True)
class LengthSplit:
    """Accuracy on pairs of equal length, with the good side shorter and longer, and delta-acc."""

    equal: float
    good_shorter: float
    good_longer: float
    delta: float


def choose(
    table: ScoreTable,
    link: Link,
    *,
    unit: LengthUnit = "tokens",
    unigrams: Floats | None = None,
    groups: LengthUnit = "tokens",
) -> Choices:
    """What a model prefers in every pair of a table; `groups` is what the lengths of D=, D< and D> are counted in."""
    totals = pair_totals(table, unigrams=unigrams if link.needs_unigrams else None)
    return choose_from(totals, link, unit=unit, groups=groups)


def choose_from(
    totals: PairTotals, link: Link, *, unit: LengthUnit = "tokens", groups: LengthUnit = "tokens"
) -> Choices:
    """The same from totals, which serve for any number of linking functions."""
    good, bad = sides(link.score(totals.totals(unit)))
    return Choices(link.name, totals.uids, totals.phenomena, totals.pairs, good, bad, totals.length_sign(groups))


def worth(good: Floats, bad: Floats) -> Floats:
    """1 where the good score is higher, 0.5 where they are equal, 0 where the bad one is."""
    return np.where(good > bad, 1.0, np.where(good == bad, 0.5, 0.0))


def length_split(choices: Choices) -> LengthSplit:
    """Accuracy on D=, D< and D>, and delta-acc."""
    worths = choices.worth

    def accuracy(sign: int) -> float:
        chosen = worths[choices.length_sign == sign]
        return float(chosen.mean()) if len(chosen) else float("nan")

    equal, shorter, longer = accuracy(0), accuracy(-1), accuracy(1)
    return LengthSplit(equal, shorter, longer, delta_acc(equal, shorter, longer))


def delta_acc(equal: Number, shorter: Number, longer: Number) -> Number:
    """The mean distance of the accuracies on D< and D> from that on D= (Liu et al., 4.2); 0 is no bias.

    Liu et al. write |x| for tokens, and their counts of pairs (Table 5) change with the tokenizer. So D= is the same
    for every function that divides LP by a length, as it is in their table.
    """
    return (abs(shorter - equal) + abs(longer - equal)) / 2
