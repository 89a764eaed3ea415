"""Choices: which sentence of each pair a model prefers, by a linking function; ties are worth one half."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from bidui.files import encode, json_text
from bidui.scores.links import Floats, Link, Totals, as_link, worth
from bidui.scores.table import LengthUnit, Scores, ScoreTable

# Totals of pairs: the sums and lengths of every sentence, which is all that linking functions need.
#
# They are made once from a table of token scores. Every linking function, every alpha and every setting of MORCELA is
# then a pass over a few columns.

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
    scores: Scores | ScoreTable,
    link: str | Link | Callable[[Totals], Floats],
    *,
    unit: LengthUnit = "tokens",
    unigrams: Floats | None = None,
    groups: LengthUnit = "tokens",
) -> Choices:
    """Return which sentence of every pair a model prefers by a linking function.

    `link` is a name such as `slln:0.5`, what one of the functions in `links` returns, or any function of `Totals`.
    `unit` is what the function divides by; `groups` is what the lengths of D=, D< and D> are counted in.
    """
    table, function = scores.table if isinstance(scores, Scores) else scores, as_link(link)
    totals = pair_totals(table, unigrams=unigrams if function.needs_unigrams else None)
    return choose_from(totals, function, unit=unit, groups=groups)


def choose_from(
    totals: PairTotals, link: Link, *, unit: LengthUnit = "tokens", groups: LengthUnit = "tokens"
) -> Choices:
    """The same from totals, which serve for any number of linking functions."""
    good, bad = sides(link.score(totals.totals(unit)))
    return Choices(link.name, totals.uids, totals.phenomena, totals.pairs, good, bad, totals.length_sign(groups))


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


# Scores as others publish them: a line a pair, with both sentences, both scores, and which was chosen.


def published_lines(
    table: ScoreTable, link: Link, *, unit: LengthUnit = "tokens", unigrams: Floats | None = None
) -> bytes:
    """JSON lines with BLiMP's fields, the scores by `link`, the lengths, and `correct`: 1, 0.5 for a tie, or 0."""
    choices = choose(table, link, unit=unit, unigrams=unigrams)
    good, bad = table.sides()
    lengths = table.lengths(unit).astype(int)
    sentences = table.frame["sentence"].to_list()
    phenomena = table.frame["phenomenon"].to_list()
    lines = [
        json_text(
            {
                "sentence_good": sentences[g],
                "sentence_bad": sentences[b],
                "UID": choices.uids[number],
                "phenomenon": phenomena[g],
                "pairID": str(choices.pairs[number]),
                "score_good": float(choices.good[number]),
                "score_bad": float(choices.bad[number]),
                "length_good": int(lengths[g]),
                "length_bad": int(lengths[b]),
                "correct": int(worth) if worth in (0, 1) else float(worth),
            }
        )
        for number, (g, b, worth) in enumerate(zip(good, bad, choices.worth, strict=True))
    ]
    return encode("".join(line + "\n" for line in lines))


def file_of(folder: Path, *, results: Path) -> str:
    """The file for the scores in `folder`, named as it is named below `results`; dots in a model's name stay."""
    below = folder.relative_to(results)
    return f"{below.as_posix() if below.parts else folder.resolve().name}.jsonl"
