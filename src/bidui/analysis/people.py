"""Models beside people: the gap to them (Liu et al., Table 6), and correlations with graded ratings (Table 7)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from bidui.analysis.accuracy import ESTIMATES, Interval, common_kind
from bidui.analysis.estimate import Strata, cluster_draws, paired
from bidui.errors import fail
from bidui.intervals import Estimate, newcombe, percentile_estimate, wilson
from bidui.people.ratings import Acceptability
from bidui.people.responses import Response
from bidui.scores.choices import Choices
from bidui.scores.links import Floats

Coefficient = Literal["pearson", "spearman"]
FEWEST = 3  # items: two are always on a line


@dataclass(frozen=True, slots=True)
class Gap:
    """The accuracy of humans, that of the best of several models, and humans minus that model, in the unit given."""

    people: float
    best: float
    model: str
    gap: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """A coefficient from −1 to 1 with a bootstrap interval, over so many items."""

    estimate: Estimate
    items: int
    undefined: int = 0  # resamples in which one side did not vary; the interval is that of the others


@dataclass(frozen=True, slots=True)
class Correlations:
    """Correlations over sentences and over the differences within pairs, and what was rated but could not be used."""

    pointwise: Correlation
    pairwise: Correlation | None  # None where fewer than three pairs have ratings of both sides
    whole: int  # pairs of which both sides were rated
    unscored: int  # sentences without a score
    unpaired: int  # scored sentences whose other side was not rated


def gaps(models: Mapping[str, Mapping[str, float]], *, people: Mapping[str, float]) -> Mapping[str, Gap]:
    """Return the gap of every group that a model has an accuracy for; of equally good models the first is named.

    The best of many models is best partly by luck, so a gap to it is on the small side. Groups that no model has, such
    as "all" beside phenomena, are skipped; groups without an accuracy of humans are refused.
    """
    groups = dict.fromkeys(group for values in models.values() for group in values)
    unknown = [group for group in groups if group not in people]
    if unknown:
        raise fail("people-unknown", None, {"groups": unknown, "known": list(people)})
    by_group: dict[str, Gap] = {}
    for group in groups:
        there = {model: values[group] for model, values in models.items() if group in values}
        best = max(there, key=there.__getitem__)
        by_group[group] = Gap(people[group], there[best], best, people[group] - there[best])
    return by_group


def judged_accuracy(
    counts: Mapping[str, tuple[int, int]], groups: Mapping[str, str], *, interval: Interval | None = None
) -> dict[str, Estimate]:
    """Return how often humans were right in each group, from the right and all judgements on each paradigm.

    `groups` are by paradigm; those that nobody judged are left out. Intervals are those of `accuracy`: for these
    paradigms, with judgements as the pairs, or for paradigms like these.
    """
    judged = [uid for uid in groups if counts.get(uid, (0, 0))[1]]
    if not judged:
        return {}
    right, judgements = (np.array([counts[uid][part] for uid in judged], np.float64) for part in (0, 1))
    strata = Strata(tuple(judged), tuple(groups[uid] for uid in judged), judgements, np.zeros(0, np.intp))
    weights = strata.weights(by="phenomenon")
    estimate = ESTIMATES[common_kind(strata, weights, interval)]
    return {name: estimate(right, strata, own) for name, own in weights.items()}


@dataclass(frozen=True, slots=True)
class Beside:
    """The agreement of the people of a study with the gold labels, and the accuracy of a model, on the same pairs."""

    people: Estimate
    model: Estimate
    gap: Estimate  # people minus model
    pairs: int
    judgements: int


def beside(
    choices: Choices, responses: Iterable[Response], *, by: Literal["paradigm", "phenomenon"]
) -> dict[str, Beside]:
    """Set a model beside the people of a study, on the pairs that both judged; intervals are Wilson's and Newcombe's.

    Give the responses that no rule leaves out (`bidui.people.responses.kept`).
    """
    keys = zip(choices.uids.tolist(), choices.pairs.tolist(), strict=True)
    worths = np.where(choices.good == choices.bad, 0.5, choices.good > choices.bad)
    worth = dict(zip(keys, worths.tolist(), strict=True))
    groups: dict[str, list[Response]] = {}
    for one in responses:
        if one.task == "choice" and (one.uid, one.pair) in worth:
            groups.setdefault(one.uid if by == "paradigm" else one.phenomenon, []).append(one)
    table: dict[str, Beside] = {}
    for name, own in groups.items():
        pairs = {(one.uid, one.pair) for one in own}
        people = wilson(sum(one.chosen == "good" for one in own) / len(own), pairs=len(own))
        model = wilson(sum(worth[pair] for pair in pairs) / len(pairs), pairs=len(pairs))
        table[name] = Beside(people, model, newcombe(people, model), len(pairs), len(own))
    return table


def correlate(
    choices: Choices, rated: Acceptability, *, method: Coefficient = "pearson", resamples: int = 1000, seed: int = 0
) -> Correlations:
    """Correlate scores with ratings of sentences, and differences between good and bad with those of ratings.

    Liu et al. report Pearson's coefficient. Resamples draw pairs, so the two sentences of one stay together.
    """
    rows = {key: row for row, key in enumerate(zip(choices.uids.tolist(), choices.pairs.tolist(), strict=True))}
    keys = zip(rated.uids.tolist(), rated.pairs.tolist(), strict=True)
    row_of = np.fromiter((rows.get(key, -1) for key in keys), np.intp, len(rated.values))
    at, good, values = row_of[row_of >= 0], rated.good[row_of >= 0], rated.values[row_of >= 0]
    scores = np.where(good, choices.good[at], choices.bad[at])
    by_side = np.full((len(choices.good), 2), np.nan)
    by_side[at, np.where(good, 0, 1)] = values
    whole = np.flatnonzero(~np.isnan(by_side).any(axis=1))
    score_gaps, rating_gaps = choices.good[whole] - choices.bad[whole], by_side[whole, 0] - by_side[whole, 1]
    pairwise = (  # ratings may be of single sentences, and still correlate
        correlation(score_gaps, rating_gaps, method=method, resamples=resamples, seed=seed)
        if len(whole) >= FEWEST
        else None
    )
    pointwise = correlation(scores, values, clusters=at, method=method, resamples=resamples, seed=seed)
    return Correlations(pointwise, pairwise, len(whole), int((row_of < 0).sum()), len(at) - 2 * len(whole))


def correlation(
    first: Floats,
    second: Floats,
    *,
    clusters: NDArray[np.intp] | None = None,
    method: Coefficient = "pearson",
    resamples: int = 1000,
    seed: int = 0,
) -> Correlation:
    """Correlate two lists; items of the same cluster are drawn together."""
    x, y = paired(first, second, at_least=FEWEST)
    value = _coefficient(x, y, method)
    if np.isnan(value):
        raise fail("correlation-constant", None, {"count": len(x)})
    together = np.arange(len(x)) if clusters is None else clusters
    resampled = cluster_draws(together, resamples=resamples, seed=seed)
    draws = np.array([_coefficient(x[drawn], y[drawn], method) for drawn in resampled])
    defined = draws[~np.isnan(draws)]
    return Correlation(percentile_estimate(value, defined), len(x), resamples - len(defined))


def _coefficient(x: Floats, y: Floats, method: Coefficient) -> float:
    """Return NaN where all values of one list are equal.

    Ranks of each resample make Spearman's coefficient; `scipy.stats.pearsonr` would also compute a p each time.
    """
    if x.min() == x.max() or y.min() == y.max():
        return float("nan")
    if method == "spearman":
        x, y = rankdata(x), rankdata(y)
    x, y = x - x.mean(), y - y.mean()
    return float(np.clip((x @ y) / np.sqrt((x @ x) * (y @ y)), -1, 1))
