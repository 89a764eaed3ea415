"""Graded ratings: how far the scores of linking functions agree with them (Liu et al., Table 7), and MORCELA fitted.

Scores correlate with ratings over sentences (pointwise), and the differences between the sentences of pairs with those
of their ratings (pairwise). MORCELA's beta and gamma are chosen so that its scores correlate best (Tjuatja et al. 2025
fit ratings in the same way). That is a linear regression: the score is linear in them, so that the combination that
correlates best with the ratings is the one of least squares. What is fitted is judged on paradigms that were left out.

Sentences of one paradigm are alike, so intervals are for paradigms like these, from six paradigms on: with pairs taken
as independent, they would hold the truth in 83 to 85% of simulations only (`bench/coverage.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from scipy.stats import t as student

from bidui.analysis.estimate import FEWEST_PARADIGMS, cluster_draws, expanded_percentiles, finite, paired
from bidui.analysis.length_bias import DIVISIONS, FEWEST_PAIRS, FOLDS, Setting, score_terms
from bidui.errors import fail
from bidui.intervals import PERCENTILES, Estimate, Kind, percentile_estimate
from bidui.people.ratings import Acceptability
from bidui.scores.choices import Choices, PairTotals
from bidui.scores.links import Floats

Coefficient = Literal["pearson", "spearman"]
Over = Literal["pointwise", "pairwise"]  # sentences, or differences within pairs
FEWEST = 3  # items: two are always on a line
FITS = 200  # resamples for the intervals of beta and gamma


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient from −1 to 1 with its interval, over so many items."""

    estimate: Estimate
    items: int


@dataclass(frozen=True, slots=True)
class Correlations:
    """Correlations over sentences and over the differences within pairs, and what was rated but could not be used."""

    pointwise: Correlation
    pairwise: Correlation | None  # None where fewer than three pairs have ratings of both sides
    whole: int  # pairs of which both sides were rated
    unscored: int  # sentences without a score
    unpaired: int  # scored sentences whose other side was not rated


@dataclass(frozen=True, slots=True)
class Matched:
    """The rated sentences that were scored, and the pairs of which both sentences were rated."""

    rows: NDArray[np.intp]  # for each sentence, the row of its pair
    good: NDArray[np.bool_]
    ratings: Floats
    whole: NDArray[np.intp]  # rows of pairs
    gaps: Floats  # their ratings, good minus bad
    unscored: int  # sentences


def match(scored: Choices | PairTotals, rated: Acceptability) -> Matched:
    """Find the rated sentences among the scored ones, by paradigm, number of the pair and side."""
    rows = {key: row for row, key in enumerate(zip(scored.uids.tolist(), scored.pairs.tolist(), strict=True))}
    keys = zip(rated.uids.tolist(), rated.pairs.tolist(), strict=True)
    row_of = np.fromiter((rows.get(key, -1) for key in keys), np.intp, len(rated.values))
    there = row_of >= 0
    at, good, values = row_of[there], rated.good[there], rated.values[there]
    by_side = np.full((len(rows), 2), np.nan)
    by_side[at, np.where(good, 0, 1)] = values
    whole = np.flatnonzero(~np.isnan(by_side).any(axis=1))
    return Matched(at, good, values, whole, by_side[whole, 0] - by_side[whole, 1], int((~there).sum()))


def correlate(choices: Choices, rated: Acceptability, *, method: Coefficient = "pearson") -> Correlations:
    """Correlate scores with ratings of sentences, and differences between good and bad with those of ratings.

    Liu et al. report Pearson's coefficient. Intervals are for paradigms like these or, with fewer than six, for other
    pairs, whose two sentences stay together.
    """
    found = match(choices, rated)
    scores, gaps = scores_of(choices, found)

    def correlated(first: Floats, second: Floats, rows: NDArray[np.intp]) -> Correlation:
        clusters, kind = _clusters(choices, rows)
        return correlation(first, second, clusters=clusters, kind=kind, method=method)

    # ratings may be of single sentences, and still correlate
    pairwise = correlated(gaps, found.gaps, found.whole) if len(found.whole) >= FEWEST else None
    pointwise = correlated(scores, found.ratings, found.rows)
    unpaired = len(found.rows) - 2 * len(found.whole)
    return Correlations(pointwise, pairwise, len(found.whole), found.unscored, unpaired)


def scores_of(choices: Choices, found: Matched) -> tuple[Floats, Floats]:
    """Return the scores of the rated sentences, and the differences within the pairs that were rated whole."""
    scores = np.where(found.good, choices.good[found.rows], choices.bad[found.rows])
    return scores, choices.good[found.whole] - choices.bad[found.whole]


def _clusters(scored: Choices | PairTotals, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], Kind]:
    """Return the number of the paradigm of each row; or of its pair, where there are fewer than six paradigms."""
    paradigms = np.unique(scored.uids[rows].astype(str), return_inverse=True)[1]
    if len(rows) and paradigms.max() + 1 >= FEWEST_PARADIGMS:
        return paradigms, "paradigms"
    return np.unique(rows, return_inverse=True)[1], "pairs"


def correlation(
    first: Floats,
    second: Floats,
    *,
    clusters: NDArray[np.intp] | None = None,
    kind: Kind = "",
    method: Coefficient = "pearson",
) -> Correlation:
    """Correlate two lists; items of the same cluster vary together, and `kind` says what a cluster is.

    The interval is that of the jackknife, which leaves out one cluster at a time, on Fisher's scale z = artanh r, with
    Student's t. There is none where the rest, without some cluster, does not vary or lies on a line.
    """
    x, y = paired(first, second, at_least=FEWEST)
    value = _coefficient(x, y, method)
    if np.isnan(value):
        raise fail("correlation-constant", None, {"count": len(x)})
    member = np.arange(len(x)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    count = int(member.max()) + 1
    left = np.array([_coefficient(x[member != one], y[member != one], method) for one in range(count)])
    if not (np.abs([value, *left]) < 1).all():  # or NaN
        return Correlation(Estimate(value), len(x))
    z, others = np.arctanh(value), np.arctanh(left)
    half = student.ppf(PERCENTILES[1], count - 1) * np.sqrt((count - 1) * others.var())
    return Correlation(Estimate(value, float(np.tanh(z - half)), float(np.tanh(z + half)), kind), len(x))


def _coefficient(x: Floats, y: Floats, method: Coefficient) -> float:
    """Return NaN where all values of one list are equal.

    Ranks of the items make Spearman's coefficient; `scipy.stats.pearsonr` would also compute a p each time.
    """
    if not len(x) or x.min() == x.max() or y.min() == y.max():
        return float("nan")
    if method == "spearman":
        x, y = rankdata(x), rankdata(y)
    x, y = x - x.mean(), y - y.mean()
    return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1, 1))


# MORCELA fitted to ratings


@dataclass(frozen=True, slots=True)
class RatedMorcela:
    """The beta and gamma under which scores correlate best with ratings, and what they are worth on other paradigms."""

    beta: Estimate  # with percentiles of a bootstrap over paradigms, or over pairs; NaN where the items do not tell it
    gamma: Estimate
    plain: float  # r with beta 1 and gamma 0, the default, which is SLOR
    fitted: float  # r on the ratings that it was fitted to
    held_out: Correlation  # r of what the fits to the other folds predict
    divisions: Estimate  # the mean of r over divisions into folds, with the lowest and the highest
    settings: tuple[Setting, ...]  # beta and gamma of every fold of every division
    folds: Literal["paradigms", "pairs"]  # what was left out: pairs where there is only one paradigm

    def spread(self, parameter: int) -> Estimate:
        """The median of a parameter over all folds, with the lowest and the highest; NaN where items do not tell it."""
        if isnan((self.beta, self.gamma)[parameter].value):
            return Estimate(nan)
        values = np.array([setting[parameter] for setting in self.settings])
        return Estimate(float(np.median(values)), float(values.min()), float(values.max()))


def fit_morcela_to_ratings(
    totals: PairTotals, rated: Acceptability, *, over: Over = "pointwise", seed: int = 0
) -> RatedMorcela:
    """Fit beta and gamma to ratings of sentences, or to their differences within pairs; and judge them held out.

    Paradigms (or pairs, where there is one paradigm) are divided into five folds, ten times. Each sentence is judged by
    what fits to the other folds predict for it, averaged over the divisions: fits differ in their scale, so scores of
    several folds cannot be compared as they are, but the ratings that they predict can.
    """
    found, terms = match(totals, rated), score_terms(totals)
    if over == "pointwise":
        x, y, rows = terms[:, 2 * found.rows + ~found.good], found.ratings, found.rows
    else:
        x, y, rows = terms[:, 2 * found.whole] - terms[:, 2 * found.whole + 1], found.gaps, found.whole
    pairs = len(np.unique(rows))
    if pairs < FEWEST_PAIRS:
        raise fail("length-few-pairs", None, {"pairs": pairs, "needed": FEWEST_PAIRS})
    for values in (*x, y):
        finite(values)
    weights = _regression(x, y)
    _setting(weights)  # or refuse them
    clusters, kind = _clusters(totals, rows)
    drawn = [_regression(x[:, one], y[one]) for one in cluster_draws(clusters, resamples=FITS, seed=seed)]
    ends = expanded_percentiles(int(clusters.max()) + 1)
    groups = np.unique(totals.uids[rows].astype(str), return_inverse=True)[1]
    alone = groups.max() == 0
    groups = np.unique(rows, return_inverse=True)[1] if alone else groups
    predicted, settings = _held_out(x, y, groups, seed)
    by_division = np.array([_coefficient(one, y, "pearson") for one in predicted])
    return RatedMorcela(
        _parameter(weights, drawn, x, 1, kind, ends),
        _parameter(weights, drawn, x, 2, kind, ends),
        _coefficient(x[0] + x[1], y, "pearson"),
        _coefficient(weights @ x, y, "pearson"),
        correlation(predicted.mean(axis=0), y, clusters=clusters, kind=kind),
        Estimate(float(by_division.mean()), float(by_division.min()), float(by_division.max())),
        settings,
        "pairs" if alone else "paradigms",
    )


def _regression(x: Floats, y: Floats) -> Floats:
    """Return the weights of least squares of the rows of `x`, with a constant that is left out."""
    if np.ptp(y) == 0:
        return np.full(len(x), nan)
    centred = x - x.mean(axis=1, keepdims=True)
    size = np.sqrt((centred**2).mean(axis=1))
    size[size == 0] = 1  # a row of equal values keeps the weight 0
    weights: Floats = np.linalg.lstsq((centred / size[:, None]).T, y - y.mean(), rcond=1e-9)[0] / size
    return weights


def _setting(weights: Floats) -> Setting:
    """Return beta and gamma; refuse scores whose probabilities go against the ratings, which no setting turns round."""
    if not weights[0] > 0:
        raise fail("morcela-ratings")
    return float(weights[1] / weights[0]), float(weights[2] / weights[0])


def _parameter(
    weights: Floats, drawn: Sequence[Floats], x: Floats, number: int, kind: Kind, ends: tuple[float, float]
) -> Estimate:
    """Return beta or gamma, which is the weight of a row of `x` over that of the first, with its interval.

    NaN where the row has equal values only, as that of gamma has for items of one length: any value is then as good. A
    ratio has no limits where the weight below it may be zero (Fieller 1954).
    """
    if np.ptp(x[number]) == 0:
        return Estimate(nan)
    value = float(weights[number] / weights[0])
    ratios = np.array([one[number] / one[0] for one in drawn if one[0] > 0])
    if len(ratios) < (1 - PERCENTILES[0]) * len(drawn):
        return Estimate(value, -inf, inf, kind)
    return percentile_estimate(value, ratios, kind=kind, ends=ends)


def _held_out(x: Floats, y: Floats, groups: NDArray[np.intp], seed: int) -> tuple[Floats, tuple[Setting, ...]]:
    """Return what is predicted for each item in every division, and the settings of the folds."""
    rng, count = np.random.default_rng(seed), int(groups.max()) + 1
    folds = min(FOLDS, count)
    predicted, settings = np.zeros((DIVISIONS, len(y))), []
    for row in predicted:
        fold = (rng.permutation(count) % folds)[groups]
        for number in range(folds):
            own = fold == number
            weights = _regression(x[:, ~own], y[~own])
            settings.append(_setting(weights))
            row[own] = weights @ (x[:, own] - x[:, ~own].mean(axis=1, keepdims=True)) + y[~own].mean()
    return predicted, tuple(settings)
