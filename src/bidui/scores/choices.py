"""Choices: which sentence of each pair a model prefers, by a linking function; ties are worth one half."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidui.scores.links import Floats, Link
from bidui.scores.table import LengthUnit, ScoreTable

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
    length_sign: NDArray[np.int8]  # of the good side's length minus the bad side's, in characters

    @property
    def worth(self) -> Floats:
        """1 where good is preferred, 0.5 where neither is, 0 where bad is."""
        return np.where(self.good > self.bad, 1.0, np.where(self.good == self.bad, 0.5, 0.0))

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


def choose(table: ScoreTable, link: Link, *, unit: LengthUnit = "tokens", unigrams: Floats | None = None) -> Choices:
    """What a model prefers in every pair of a table."""
    scores = link.score(table.totals(unit=unit, unigrams=unigrams if link.needs_unigrams else None))
    good, bad = table.sides()
    characters = table.frame["sentence"].str.len_chars().cast(pl.Int64).to_numpy()
    return Choices(
        link.name,
        table.frame["uid"].to_numpy()[good],
        table.frame["phenomenon"].to_numpy()[good],
        table.frame["pair"].to_numpy()[good],
        scores[good],
        scores[bad],
        np.sign(characters[good] - characters[bad]).astype(np.int8),
    )


def length_split(choices: Choices) -> LengthSplit:
    """Accuracy by which side is longer; delta-acc is the mean distance of D< and D> from D= (Liu et al., 4.2)."""
    worth = choices.worth

    def accuracy(sign: int) -> float:
        chosen = worth[choices.length_sign == sign]
        return float(chosen.mean()) if len(chosen) else float("nan")

    equal, shorter, longer = accuracy(0), accuracy(-1), accuracy(1)
    return LengthSplit(equal, shorter, longer, (abs(shorter - equal) + abs(longer - equal)) / 2)
