"""Correlation of linking functions with graded ratings, over sentences and within pairs (Liu et al., Table 7)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.bootstrap import percentile_interval
from bidui.analysis.clusters import cluster_draws
from bidui.analysis.ratings import Acceptability
from bidui.analysis.values import in_twos
from bidui.errors import Place, fail
from bidui.scores.choices import Choices
from bidui.scores.links import Floats

Method = Literal["pearson", "spearman"]
FEWEST = 3  # items: two are always in line


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient from -1 to 1 with a bootstrap interval of 95 per cent; how many items, and lame resamples."""

    value: float
    low: float
    high: float
    items: int
    undefined: int = 0  # resamples in which one side did not vary; the interval is that of the others


@dataclass(frozen=True, slots=True)
class Correlations:
    """Over sentences, and over the differences within pairs; and what was rated but could not take part."""

    pointwise: Correlation
    pairwise: Correlation | None  # None where fewer than three pairs were rated whole
    whole: int  # pairs of which both sides were rated
    unscored: int  # sentences without a score
    unpaired: int  # scored sentences whose other side was not rated


def correlate(
    choices: Choices, rated: Acceptability, *, method: Method = "pearson", resamples: int = 1000, seed: int = 0
) -> Correlations:
    """Scores against ratings of sentences, and good less bad against good less bad.

    Liu et al. give Pearson's coefficient. Resamples draw pairs, so that the two sentences of one stay together.
    """
    rows = {key: row for row, key in enumerate(zip(choices.uids.tolist(), choices.pairs.tolist(), strict=True))}
    keys = zip(rated.uids.tolist(), rated.pairs.tolist(), strict=True)
    found = np.fromiter((rows.get(key, -1) for key in keys), np.intp, len(rated.values))
    at, good, values = found[found >= 0], rated.good[found >= 0], rated.values[found >= 0]
    scores = np.where(good, choices.good[at], choices.bad[at])
    by_side = np.full((len(choices.good), 2), np.nan)
    by_side[at, np.where(good, 0, 1)] = values
    whole = np.flatnonzero(~np.isnan(by_side).any(axis=1))
    score_gaps, rating_gaps = choices.good[whole] - choices.bad[whole], by_side[whole, 0] - by_side[whole, 1]
    pairwise = (  # ratings may be of single sentences, and correlate all the same
        correlation(score_gaps, rating_gaps, method=method, resamples=resamples, seed=seed)
        if len(whole) >= FEWEST
        else None
    )
    return Correlations(
        correlation(scores, values, clusters=at, method=method, resamples=resamples, seed=seed),
        pairwise,
        len(whole),
        int((found < 0).sum()),
        len(at) - 2 * len(whole),
    )


def correlation(
    first: Floats,
    second: Floats,
    *,
    clusters: NDArray[np.intp] | None = None,
    method: Method = "pearson",
    resamples: int = 1000,
    seed: int = 0,
) -> Correlation:
    """The correlation of two lists; items of the same cluster are drawn together."""
    x, y = in_twos(first, second, at_least=FEWEST)
    value = _coefficient(x, y, method)
    if np.isnan(value):
        raise fail("correlation-constant", Place(), {"count": len(x)})
    together = np.arange(len(x)) if clusters is None else clusters
    resampled = cluster_draws(together, resamples=resamples, seed=seed)
    draws = np.array([_coefficient(x[drawn], y[drawn], method) for drawn in resampled])
    defined = draws[~np.isnan(draws)]
    return Correlation(value, *percentile_interval(defined), len(x), resamples - len(defined))


def _coefficient(x: Floats, y: Floats, method: Method) -> float:
    """NaN where one list has equal values only."""
    if x.min() == x.max() or y.min() == y.max():
        return float("nan")
    if method == "spearman":
        x, y = _ranks(x), _ranks(y)
    x, y = x - x.mean(), y - y.mean()
    return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1, 1))


def _ranks(values: Floats) -> Floats:
    """Ranks from 1; equal values share the mean of theirs."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    return ranks
