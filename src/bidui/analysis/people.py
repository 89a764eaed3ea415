"""Models beside people: how far the best model is behind them, group by group (Liu et al., Table 6)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.accuracy import Accuracy
from bidui.analysis.estimate import cluster_draws, in_twos, newcombe, percentile_interval, wilson
from bidui.analysis.ratings import Acceptability
from bidui.errors import Place, fail
from bidui.scores.choices import Choices
from bidui.scores.links import Floats


@dataclass(frozen=True, slots=True)
class Gap:
    """People, the best of several models, and people less that model, in the unit given."""

    people: float
    best: float
    model: str
    gap: float


@dataclass(frozen=True, slots=True)
class Behind:
    """People less one model, with an interval of 95 per cent."""

    value: float
    low: float
    high: float


def gaps(models: Mapping[str, Mapping[str, float]], *, people: Mapping[str, float]) -> Mapping[str, Gap]:
    """The gap of every group that a model has a figure for; of equally good models the first is named.

    The best of many models is best partly by luck, so a gap to it is on the small side. Groups that no model has, such
    as "all" beside phenomena, are passed over; groups without a figure for people are refused.
    """
    groups = dict.fromkeys(group for figures in models.values() for group in figures)
    unknown = [group for group in groups if group not in people]
    if unknown:
        raise fail("people-unknown", Place(), {"groups": unknown, "known": list(people)})
    found: dict[str, Gap] = {}
    for group in groups:
        figures = {model: values[group] for model, values in models.items() if group in values}
        best = max(figures, key=figures.__getitem__)
        found[group] = Gap(people[group], figures[best], best, people[group] - figures[best])
    return found


def behind(model: Accuracy, *, correct: int, judgements: int) -> Behind:
    """How far a model is behind people who were right so many times, as parts of one, by Newcombe's interval (1998).

    Judgements and pairs count as independent. Those of one person or one paradigm are not, so the truth is wider.
    """
    if not 0 <= correct <= judgements or not judgements:
        raise fail("judgements-bad", Place(), {"correct": correct, "judgements": judgements})
    people = correct / judgements
    theirs, its = wilson(people, pairs=judgements), wilson(model.value, pairs=model.pairs)
    return Behind(people - model.value, *newcombe(people, model.value, within=theirs, other_within=its))


def weighted_mean(values: Mapping[str, float], *, weights: Mapping[str, float]) -> float:
    """The mean of the groups' values; with the number of pairs or paradigms as weights, the figure over all pairs."""
    missing = [name for name in values if name not in weights]
    if missing or not values:
        raise fail("weights-missing", Place(), {"groups": missing})
    return sum(value * weights[name] for name, value in values.items()) / sum(weights[name] for name in values)


# Correlation of linking functions with graded ratings, over sentences and within pairs (Liu et al., Table 7).

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
