"""Totals of pairs: the sums and lengths of every sentence, which is all that linking functions need.

They are made once from a table of token scores. Every linking function, every alpha and every setting of MORCELA is
then a pass over a few columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from bidui.scores.links import Floats, Totals
from bidui.scores.table import LengthUnit, ScoreTable

COLUMNS = ("uid", "phenomenon", "pair", "sentence", "logprobs")  # what they are made from; and ids, with unigrams


@dataclass(frozen=True, slots=True)
class PairTotals:
    """Paradigm, phenomenon and number of each pair; and of its two sentences, good first, LP, lengths and U."""

    uids: NDArray[np.object_]
    phenomena: NDArray[np.object_]
    pairs: NDArray[np.int32]
    logprob: Floats  # two rows a pair, as in the table; so are those below
    lengths: Mapping[LengthUnit, Floats]
    unigram: Floats | None = None

    def __len__(self) -> int:
        return len(self.uids)

    def totals(self, unit: LengthUnit = "tokens") -> Totals:
        """Of all sentences, as linking functions take them, lengths counted in `unit`."""
        return Totals(self.logprob, self.lengths[unit], self.unigram)

    def length_sign(self, unit: LengthUnit = "tokens") -> NDArray[np.int8]:
        """-1 where the good side is the shorter one (D<), 0 where both are as long (D=), 1 where it is longer (D>)."""
        good, bad = sides(self.lengths[unit])
        return np.sign(good - bad).astype(np.int8)


def pair_totals(table: ScoreTable, *, unigrams: Floats | None = None) -> PairTotals:
    """The totals of the pairs of a table; with U where unigram log-probabilities by id are given."""
    found = table.totals(unigrams=unigrams)
    units: tuple[LengthUnit, ...] = get_args(LengthUnit)
    pairs = table.frame.select("uid", "phenomenon", "pair").gather_every(2)
    return PairTotals(
        pairs["uid"].to_numpy(),
        pairs["phenomenon"].to_numpy(),
        pairs["pair"].to_numpy(),
        found.logprob,
        {unit: table.lengths(unit) for unit in units},
        found.unigram,
    )


def sides(column: Floats) -> tuple[Floats, Floats]:
    """The good and the bad sentences' part of a column."""
    return column[0::2], column[1::2]
