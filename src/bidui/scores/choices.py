"""Choices: which sentence of each pair a model prefers, by a linking function; a tie is worth one half.

Linking functions need only the sums and lengths of every sentence. These totals are made once from a table of token
scores; every linking function, every alpha and every setting of MORCELA is then a pass over a few columns.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidui.errors import Place, Problem, fail
from bidui.files import encode, json_text
from bidui.notebooks import counted, to_pandas
from bidui.scores.links import AnyLink, Floats, Link, Totals, as_link, worth
from bidui.scores.table import LengthUnit, Scores, ScoreTable, read_scores

if TYPE_CHECKING:
    import pandas

AnyScores = Scores | ScoreTable | str | Path  # scores in memory, or their folder

Number = TypeVar("Number", float, Floats)
Texts = NDArray[np.object_]
COLUMNS = ("uid", "phenomenon", "pair", "sentence", "logprobs", "columns")  # what totals need; ids for unigrams too

# Paradigms of SLING whose sentences are all good: they show a bias, and have no part in any average.
BASELINES = frozenset(
    f"baseline{kind}_{gender}" for kind in ("", "_cl", "_men", "_cl_men") for gender in ("male", "female")
)
NEAR_TIE = 2e-4  # log-probabilities of fp32 runs differ by half as much
CROSS = " × "  # between the values of crossed columns


@dataclass(frozen=True, slots=True, repr=False)
class PairTotals:
    """Paradigm, phenomenon and number of each pair; and LP, lengths and U of its two sentences, the good one first."""

    uids: Texts
    phenomena: Texts
    pairs: NDArray[np.int32]
    logprob: Floats  # two rows per pair, as in the table; so are those below
    lengths: Mapping[LengthUnit, Floats]
    unigram: Floats | None = None
    notes: tuple[Problem, ...] = ()  # on the unigrams
    columns: Mapping[str, Texts] = field(default_factory=dict)  # the variant and further columns, one text per pair

    def __len__(self) -> int:
        return len(self.uids)

    def __repr__(self) -> str:
        unigrams = "" if self.unigram is None else ", with unigrams"
        return f"PairTotals of {counted(len(self), 'pair')} of {counted(len(set(self.uids)), 'paradigm')}{unigrams}"

    def totals(self, unit: LengthUnit = "tokens") -> Totals:
        """Return the totals of all sentences, as linking functions take them, with lengths counted in `unit`."""
        return Totals(self.logprob, self.lengths[unit], self.unigram)

    def length_sign(self, unit: LengthUnit = "tokens") -> NDArray[np.int8]:
        """Return -1 where the good sentence is shorter (D<), 0 where both are as long (D=), 1 where it is longer."""
        good, bad = sides(self.lengths[unit])
        return np.sign(good - bad).astype(np.int8)


def table_of(scores: AnyScores) -> ScoreTable:
    """Return the table of scores that are in memory or in a folder."""
    if isinstance(scores, str | Path):
        scores = read_scores(scores)
    return scores.table if isinstance(scores, Scores) else scores


def pair_totals(scores: AnyScores, *, unigrams: Floats | None = None, place: Place | None = None) -> PairTotals:
    """Return the totals of the pairs of scores; with U if unigram log-probabilities by id are given.

    A score that is not finite is refused; `place` says where, and is the folder if `scores` is one.
    """
    if place is None:
        place = Place(str(scores)) if isinstance(scores, str | Path) else Place()
    table = table_of(scores)
    sums = table.totals(unigrams=unigrams)
    units: tuple[LengthUnit, ...] = get_args(LengthUnit)
    pairs = table.frame.select("uid", "phenomenon", "pair").gather_every(2)
    totals = PairTotals(
        pairs["uid"].to_numpy(),
        pairs["phenomenon"].to_numpy(),
        pairs["pair"].to_numpy(),
        sums.logprob,
        {unit: table.lengths(unit) for unit in units},
        sums.unigram,
        columns=table.columns(),
    )
    _check_finite(totals.logprob, totals, what="LP", place=place)
    return totals


def sides(column: Floats) -> tuple[Floats, Floats]:
    """Return the parts of a column that belong to the good and to the bad sentences."""
    return column[0::2], column[1::2]


@dataclass(frozen=True, repr=False)  # without slots, to keep what a report asks for hundreds of times
class Choices:
    """What a model prefers: one row per pair, with the scores of both sentences."""

    link: str
    uids: Texts
    phenomena: Texts
    pairs: NDArray[np.int32]
    good: Floats
    bad: Floats
    length_sign: NDArray[np.int8]  # of the good sentence's length minus the bad one's
    columns: Mapping[str, Texts] = field(default_factory=dict)  # the variant and further columns of the pairs
    margin: Floats | None = None  # what a rounding error of the log-probabilities makes of the scores of each pair

    @cached_property
    def worth(self) -> Floats:
        """1 where the good sentence is preferred, 0.5 where neither is, 0 where the bad one is; read-only."""
        worths = worth(self.good, self.bad)
        worths.flags.writeable = False
        return worths

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The rows at which another paradigm or phenomenon begins: pairs come in runs, so these are few."""
        new = (self.uids[1:] != self.uids[:-1]) | (self.phenomena[1:] != self.phenomena[:-1])
        return np.concatenate([[0], np.flatnonzero(new) + 1]) if len(self.uids) else np.zeros(0, np.intp)

    @property
    def ties(self) -> int:
        """The number of pairs with equal scores."""
        return int((self.good == self.bad).sum())

    @property
    def undecided(self) -> bool:
        """Whether all pairs are ties, so that an accuracy of one half would say nothing."""
        return bool(len(self.good)) and self.ties == len(self.good)

    @property
    def near_ties(self) -> int:
        """The number of pairs whose order a rounding error could change."""
        margin = NEAR_TIE if self.margin is None else self.margin
        return int(((self.good != self.bad) & (np.abs(self.good - self.bad) < margin)).sum())

    @property
    def frame(self) -> pl.DataFrame:
        """One row per pair: uid, phenomenon, pair, both scores, and `correct`, which is 1, 0.5 for a tie, or 0.

        The variant and the further columns of the pairs come last.
        """
        columns = {"good": self.good, "bad": self.bad, "correct": self.worth, "length_sign": self.length_sign}
        names = {"uid": self.uids.tolist(), "phenomenon": self.phenomena.tolist(), "pair": self.pairs}
        texts = {name: values.tolist() for name, values in self.columns.items()}
        types = dict.fromkeys(("uid", "phenomenon", *texts), pl.String)
        return pl.DataFrame({**names, **columns, **texts}, schema_overrides=types)

    def groups(self, *names: str) -> Texts:
        """Return the group of each pair: its paradigm, its phenomenon or its value in a column; several are crossed."""
        known = {"paradigm": self.uids, "phenomenon": self.phenomena, **self.columns}
        if missing := [name for name in names if name not in known]:
            raise fail("column-unknown", Place(), {"column": missing[0], "known": list(known)})
        if len(names) == 1:
            return known[names[0]]
        rows = list(zip(*(known[name].tolist() for name in names), strict=True))
        joined = {row: CROSS.join(row) for row in set(rows)}
        if len(set(joined.values())) < len(joined):  # a value holds the sign itself
            joined = {row: json_text(row) for row in joined}
        return np.array([joined[row] for row in rows], object)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def __repr__(self) -> str:
        accuracy = f"{100 * self.worth.mean():.2f}% correct" if len(self.uids) else "no accuracy"
        accuracy = "no pair is decided" if self.undecided else accuracy
        return f"Choices by {self.link}: {counted(len(self.uids), 'pair')}, {accuracy}, {counted(self.ties, 'tie')}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.frame._repr_html_()}"


@dataclass(frozen=True, slots=True)
class LengthSplit:
    """Accuracy on pairs of equal length, with the good sentence shorter and longer, and delta-acc."""

    equal: float
    good_shorter: float
    good_longer: float
    delta: float


def choose(
    scores: AnyScores,
    link: AnyLink,
    *,
    unit: LengthUnit = "tokens",
    unigrams: Floats | None = None,
    groups: LengthUnit = "tokens",
) -> Choices:
    """Return which sentence of every pair a model prefers by a linking function.

    `scores` is what `score` or `read_scores` returned, or the folder of one model's scores. `link` is a name such as
    `slln:0.5`, what one of the functions in `links` returns, or any function of `Totals`. `unit` is what the function
    divides by; `groups` is what the lengths of D=, D< and D> are counted in.
    """
    function = as_link(link)
    totals = pair_totals(scores, unigrams=unigrams if function.needs_unigrams else None)
    return choose_from(totals, function, unit=unit, groups=groups)


def choose_from(
    totals: PairTotals,
    link: AnyLink,
    *,
    unit: LengthUnit = "tokens",
    groups: LengthUnit = "tokens",
) -> Choices:
    """Do the same from totals, which serve for any number of linking functions."""
    function, plain = as_link(link), totals.totals(unit)
    scores = function.score(plain)
    _check_finite(scores, totals, what=function.name)
    good, bad = sides(scores)
    # how far a rounding error moves a score: a sum by as much, a mean over tokens by as much per token
    moved = np.abs(function.score(replace(plain, logprob=plain.logprob + NEAR_TIE)) - scores)
    names = (totals.uids, totals.phenomena, totals.pairs)
    margin = np.maximum(*sides(moved))
    return Choices(function.name, *names, good, bad, totals.length_sign(groups), totals.columns, margin)


def _check_finite(values: Floats, totals: PairTotals, *, what: str, place: Place | None = None) -> None:
    """Refuse a score that is not a number, or infinite: it would count as a wrong choice."""
    if np.isfinite(values).all():
        return
    rows = np.flatnonzero(~np.isfinite(values))
    at = int(rows[0])
    where = {"uid": totals.uids[at // 2], "pair": int(totals.pairs[at // 2]), "side": ("good", "bad")[at % 2]}
    count = len(np.unique(rows // 2))
    raise fail("score-not-finite", place, {"what": what, "value": f"{values[at]:g}", **where, "count": count})


def length_split(choices: Choices) -> LengthSplit:
    """Return the accuracy on D=, D< and D>, and delta-acc."""
    worths = choices.worth

    def accuracy(sign: int) -> float:
        group = worths[choices.length_sign == sign]
        return float(group.mean()) if len(group) else float("nan")

    equal, shorter, longer = accuracy(0), accuracy(-1), accuracy(1)
    return LengthSplit(equal, shorter, longer, delta_acc(equal, shorter, longer))


def delta_acc(equal: Number, shorter: Number, longer: Number) -> Number:
    """Return the mean distance of the accuracies on D< and D> from that on D= (Liu et al., 4.2); 0 is no bias.

    Liu et al. write |x| for tokens, and their counts of pairs (Table 5) change with the tokenizer. So D= is the same
    for every function that divides LP by a length, as it is in their table.
    """
    return (abs(shorter - equal) + abs(longer - equal)) / 2


def published_lines(
    table: ScoreTable, link: Link, *, unit: LengthUnit = "tokens", unigrams: Floats | None = None
) -> bytes:
    """Return scores as others publish them: JSON lines with BLiMP's fields, one per pair.

    They hold both sentences, their scores by `link`, their lengths, and `correct`: 1, 0.5 for a tie, or 0; `baseline`,
    if any pair belongs to a baseline of SLING; then the variant and the further columns, if any pair has them.
    """
    choices = choose(table, link, unit=unit, unigrams=unigrams)
    lengths = table.lengths(unit).astype(int)
    sentences = table.frame["sentence"].to_list()
    baselines = [uid in BASELINES for uid in choices.uids.tolist()]
    columns = {
        "sentence_good": sentences[0::2],
        "sentence_bad": sentences[1::2],
        "UID": choices.uids.tolist(),
        "phenomenon": choices.phenomena.tolist(),
        "pairID": map(str, choices.pairs.tolist()),
        "score_good": choices.good.tolist(),
        "score_bad": choices.bad.tolist(),
        "length_good": lengths[0::2].tolist(),
        "length_bad": lengths[1::2].tolist(),
        "correct": [int(worth) if worth in (0, 1) else worth for worth in choices.worth.tolist()],
        **({"baseline": baselines} if any(baselines) else {}),
        **{name: values.tolist() for name, values in choices.columns.items()},
    }
    rows = zip(*columns.values(), strict=True)
    return encode("".join(json_text(dict(zip(columns, row, strict=True))) + "\n" for row in rows))


def file_of(folder: Path, *, results: Path) -> str:
    """Return the name of the file for the scores in `folder`: its path below `results`, with dots kept."""
    below = folder.relative_to(results)
    return f"{below.as_posix() if below.parts else folder.resolve().name}.jsonl"
