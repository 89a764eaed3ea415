"""Significance: which models differ on the same pairs, tests over paradigms, corrections, rankings and baselines."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from math import atanh, comb, isclose, nan, sqrt, tanh
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, false_discovery_control, kendalltau, rankdata, wilcoxon

from bidui.analysis.accuracy import Accuracy
from bidui.analysis.estimate import (
    FEWEST_PARADIGMS,
    RESAMPLES,
    Average,
    Strata,
    expanded_p,
    expanded_percentiles,
    paired,
    paradigm_draws,
    resampled_sums,
    stratify,
    two_sided_p,
)
from bidui.analysis.people import StudyPeople, beside_people
from bidui.errors import fail
from bidui.intervals import LEAST, QUANTILE, Estimate, newcombe, percentile_estimate
from bidui.scores.choices import Choices
from bidui.scores.links import Floats

Test = Literal["paradigms", "pairs", "mcnemar", "mcnemar_mid_p"]
Correction = Literal["holm", "benjamini_hochberg", "none"]
LEVEL = 0.05
BLOCK = 10_000  # resamples of paradigms held in memory at a time, and the fewest: a p of 0.05 is then good to 0.006


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on the same pairs: the difference between their accuracies, and whether it could be chance.

    A pair counts as better for the model whose choice is worth more there, by one or, where one of the two has a tie,
    by one half.
    """

    first: str
    second: str
    difference: Estimate  # accuracy of the first minus that of the second; its kind says what the interval is for
    first_better: int  # pairs
    second_better: int
    test: Test
    p: float
    correction: Correction
    corrected: float  # p, corrected for all comparisons made together
    floor: float = 0.0  # the smallest p that this many resamples can give; at this value, read p as "at most"
    wilcoxon: float = nan  # p of the signed-rank test over paradigms; NaN where all are equal
    group: str = ""  # the values that its pairs share, where groups are compared


def compare_models(
    models: Mapping[str, Choices],
    *,
    by: str | Sequence[str] = (),
    test: Test | None = None,
    correction: Correction = "holm",
    average: Average = "overall",
    resamples: int | None = None,
    seed: int = 0,
    study: StudyPeople | str | Path | None = None,
) -> tuple[Comparison, ...]:
    """Compare models pairwise on the same pairs; with `study`, also with the majority of its people, on its pairs.

    `by` names columns of the pairs, `phenomenon` or `paradigm`: models are then compared within each group, as in
    `accuracy`, by one test, and p is corrected for the comparisons of all groups.

    The tests ask different questions. `paradigms`, the default from six paradigms on: would the models differ on other
    paradigms like these? Paradigms are drawn with replacement, the same ones for both models. `pairs`: would they
    differ on other pairs of these paradigms? Pairs are drawn within paradigms. `mcnemar` (the default with fewer
    paradigms) and `mcnemar_mid_p`: is one model better on more of these pairs than the other? One half counts as much
    as one there, so with ties it is the sign test, and only `overall` is tested. None of them says whether another
    training run would differ in the same way: `crossed_difference` does, from several runs of each.

    The p of a bootstrap has a smallest value, the `floor`. By default there are as many resamples as the correction
    needs; too few, with which the corrected p could never fall below 0.05, are refused.
    """
    models = models if study is None else beside_people(models, study)
    names = list(models)
    if len(names) < 2:
        raise fail("too-few-models", None, {"count": len(names)})
    if by:
        columns = (by,) if isinstance(by, str) else tuple(dict.fromkeys(by))
        return _within_groups(models, columns, test, correction, average, resamples, seed)
    worths, strata = same_pairs(models), stratify(models[names[0]])
    paradigms = len(set(strata.uids))
    few: Test = "mcnemar" if average == "overall" else "pairs"
    chosen: Test = test or ("paradigms" if paradigms >= FEWEST_PARADIGMS else few)
    if chosen not in get_args(Test):
        raise fail("test-unknown", None, {"test": chosen, "known": list(get_args(Test))})
    if chosen == "paradigms" and paradigms < FEWEST_PARADIGMS:
        raise fail("interval-few-paradigms", None, {"fewest": FEWEST_PARADIGMS, "groups": ["all"]})
    if average != "overall" and chosen.startswith("mcnemar"):
        raise fail("test-not-for", None, {"test": chosen, "average": average})
    couples = list(combinations(range(len(names)), 2))
    needed = round(2 * (1 if correction == "none" else len(couples)) / LEVEL)
    count = resamples or max(BLOCK if chosen == "paradigms" else RESAMPLES, 2 * needed)
    if chosen in ("paradigms", "pairs") and count < needed:
        raise fail("too-few-resamples", None, {"resamples": count, "needed": needed})
    sums = np.stack([strata.sums(column) for column in worths.T])
    (weights,) = strata.weights(by=average).values()
    (real,) = strata.means(sums, by=average).values()
    if chosen == "paradigms":
        drawn = _paradigms_drawn(sums, strata, weights, resamples=count, seed=seed)
    else:
        resampled = resampled_sums(worths, strata, resamples=count, seed=seed)
        (drawn,) = strata.means(resampled, by=average).values()
    comparisons = []
    for a, b in couples:
        ahead, behind = int((worths[:, a] > worths[:, b]).sum()), int((worths[:, a] < worths[:, b]).sum())
        difference, p, floor = _tested(float(real[a] - real[b]), drawn[:, a] - drawn[:, b], chosen, paradigms)
        if chosen.startswith("mcnemar"):
            p, floor = sign_test(ahead, behind, rule="mid_p" if chosen == "mcnemar_mid_p" else "exact"), 0.0
        ranks = signed_rank(sums[a] / strata.sizes, sums[b] / strata.sizes, digits=9).p
        found = (difference, ahead, behind, chosen, p, correction, p, floor, ranks)
        comparisons.append(Comparison(names[a], names[b], *found))
    corrected = correct([comparison.p for comparison in comparisons], by=correction)
    return tuple(replace(comparison, corrected=p) for comparison, p in zip(comparisons, corrected, strict=True))


def _within_groups(
    models: Mapping[str, Choices],
    by: Sequence[str],
    test: Test | None,
    correction: Correction,
    average: Average,
    resamples: int | None,
    seed: int,
) -> tuple[Comparison, ...]:
    """Compare models within each group of pairs, by a test that every group can have."""
    labels = {name: choices.groups(*by) for name, choices in models.items()}
    parts = {
        group: {name: _kept(choices, labels[name] == group) for name, choices in models.items()}
        for group in dict.fromkeys(next(iter(labels.values())).tolist())
    }
    if test is None and any(len(set(one.uids)) < FEWEST_PARADIGMS for part in parts.values() for one in part.values()):
        test = "mcnemar" if average == "overall" else "pairs"
    total = len(parts) * comb(len(models), 2)
    needed = round(2 * (1 if correction == "none" else total) / LEVEL)
    count = resamples or max(BLOCK if test in (None, "paradigms") else RESAMPLES, 2 * needed)
    if count < needed and not (test or "").startswith("mcnemar"):
        raise fail("too-few-resamples", None, {"resamples": count, "needed": needed})
    comparisons = [
        replace(one, group=group, correction=correction)
        for group, part in parts.items()
        for one in compare_models(part, test=test, correction="none", average=average, resamples=count, seed=seed)
    ]
    corrected = correct([comparison.p for comparison in comparisons], by=correction)
    return tuple(replace(comparison, corrected=p) for comparison, p in zip(comparisons, corrected, strict=True))


def _tested(value: float, draws: Floats, test: Test, paradigms: int) -> tuple[Estimate, float, float]:
    """Return a difference with its interval, p, and the smallest p that so many draws can give."""
    p, floor = two_sided_p(draws), 2 / (len(draws) + 1)
    if test != "paradigms":
        return percentile_estimate(value, draws, kind="pairs"), p, floor
    estimate = percentile_estimate(value, draws, kind="paradigms", ends=expanded_percentiles(paradigms))
    return estimate, expanded_p(p, paradigms), expanded_p(floor, paradigms)


def _paradigms_drawn(sums: Floats, strata: Strata, weights: Floats, *, resamples: int, seed: int) -> Floats:
    """Return the averages of all models, one per column, in every resample of paradigms, one per row."""
    paradigms = strata.clusters
    count = int(paradigms.max()) + 1
    shares = weights * sums / strata.sizes
    above = np.stack([np.bincount(paradigms, own, count) for own in shares], axis=1)
    below = np.bincount(paradigms, weights, count)
    blocks = []
    for block, start in enumerate(range(0, resamples, BLOCK)):  # thousands of comparisons need many resamples
        size = max(min(BLOCK, resamples - start), LEAST)
        draws = paradigm_draws(count, resamples=size, seed=seed + block)[: resamples - start]
        blocks.append(draws @ above / (draws @ below)[:, None])
    return np.concatenate(blocks)


def same_pairs(models: Mapping[str, Choices]) -> Floats:
    """Return the worth of every choice: one row per pair in the order of the first model, one column per model.

    Models scored on different pairs are refused. Pairs with the same number and another side longer are different.
    """
    (name, first), *_ = models.items()
    wanted = _keys(first)
    columns = []
    for other, choices in models.items():
        keys = _keys(choices)
        if keys == wanted:
            columns.append(choices.worth)
            continue
        place = {key: row for row, key in enumerate(keys)}
        shared = sum(key in place for key in wanted)
        if not shared == len(wanted) == len(keys) == len(place):
            values = {"first": name, "second": other, "shared": shared}
            values |= {"only_first": len(wanted) - shared, "only_second": len(keys) - shared}
            raise fail("models-other-pairs", None, values)
        columns.append(choices.worth[[place[key] for key in wanted]])
    return np.stack(columns, axis=1)


def _keys(choices: Choices) -> list[tuple[str, int, int]]:
    return list(zip(choices.uids.tolist(), choices.pairs.tolist(), choices.length_sign.tolist(), strict=True))


def sign_test(more: int, fewer: int, *, rule: Literal["exact", "mid_p"] = "exact") -> float:
    """Return the two-sided p of so many signs one way and so many the other, if each is equally likely.

    For pairs that two models choose differently this is McNemar's test: exact (binomial), or by mid-p, which counts the
    observed outcome by half and is less conservative (Fagerland, Lydersen and Laake 2013).
    """
    n, k = more + fewer, min(more, fewer)
    both_tails = 2 * float(binom.cdf(k, n, 0.5))
    return min(1.0, both_tails - float(binom.pmf(k, n, 0.5)) if rule == "mid_p" else both_tails)


def correct(p_values: Sequence[float], *, by: Correction) -> list[float]:
    """Correct the p-values of many tests; NaN, where nothing was tested, stays NaN and is not counted.

    Holm's correction limits the probability of any false positive; Benjamini and Hochberg's limits the expected share
    of false positives among the positives.
    """
    values = np.asarray(p_values, np.float64)
    wrong = values[(values < 0) | (values > 1)]
    if len(wrong):
        raise fail("p-out-of-range", None, {"value": float(wrong[0])})
    order = np.argsort(values)[: int((~np.isnan(values)).sum())]  # NaN sorts last
    if by == "holm":
        values[order] = np.minimum(np.maximum.accumulate(values[order] * np.arange(len(order), 0, -1)), 1.0)
    elif by == "benjamini_hochberg":
        values[order] = false_discovery_control(values[order])
    return [float(value) for value in values]


# Wilcoxon's signed-rank test, by the rules of R and of scipy, which differ in when and how they approximate.
#
# Both drop differences of zero, rank the others by size (equal sizes share the mean of their ranks), and add up the
# ranks of the positive ones. Then:
#
#     r      R's wilcox.test of 2022, which SLING used (Tables 9 to 12): exact with fewer than 50 differences, no ties
#            and no zeros; otherwise the normal approximation with continuity correction
#     scipy  scipy.stats.wilcoxon of 1.17 with its defaults: exact with at most 50 and no ties or zeros; with ties or
#            zeros exact over all signs with at most 13; otherwise the normal approximation without correction
#
# The approximations are scipy's. The exact p is computed here, because scipy goes through all signs one by one where
# there are ties, which takes seconds; counting sums of ranks takes microseconds.
#
# Differences are ranked as the machine subtracts, so 0.3 - 0.2 and 0.2 - 0.1, which differ in the last bit, do not
# tie. R does the same, and some p-values of SLING come out only this way. `digits` rounds before ranking (R:
# `digits.rank`), which is better in new work.

Rule = Literal["r", "scipy"]
Alternative = Literal["two-sided", "greater", "less"]
TestMethod = Literal["exact", "normal corrected", "normal"]

R_EXACT_BELOW = 50
SCIPY_EXACT_TO = 50
SCIPY_ALL_SIGNS_TO = 13  # 2^13 sign patterns are fewer than its 9,999 resamples, so it goes through all of them


@dataclass(frozen=True, slots=True)
class SignedRank:
    """The result of the test, and how it was computed; p is NaN where all differences are zero and R has none."""

    rule: Rule
    alternative: Alternative
    method: TestMethod
    statistic: float  # V, the ranks of positive differences; for scipy, two-sided, the smaller of V and its counterpart
    used: int  # differences that are not zero
    zeros: int
    ties: int  # differences that share their size with another
    p: float


def signed_rank(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    *,
    alternative: Alternative = "two-sided",
    rule: Rule = "r",
    digits: int | None = None,
) -> SignedRank:
    """Test whether the values of `first` differ from (are `greater` or `less` than) their partners in `second`.

    `digits` is the number of significant digits of a difference that count when differences are ranked; default all.
    """
    left, right = paired(first, second)
    differences = left - right
    if digits is not None:
        differences = np.array([float(f"{difference:.{digits - 1}e}") for difference in differences])
    nonzero = differences[differences != 0]
    _, shared = np.unique(np.abs(nonzero), return_counts=True)
    used, zeros, ties = len(nonzero), len(differences) - len(nonzero), int(shared[shared > 1].sum())
    ranks = rankdata(np.abs(nonzero))
    v = float(ranks[nonzero > 0].sum())
    method = _method(rule, count=len(differences), clean=not (zeros or ties))
    if method == "exact":
        counts = signed_rank_counts((2 * ranks).astype(np.int64))
        at = round(2 * v)
        less, greater = (float(part.sum() / counts.sum()) for part in (counts[: at + 1], counts[at:]))
        p = {"less": less, "greater": greater, "two-sided": min(1.0, 2 * less, 2 * greater)}[alternative]
    elif used:
        corrected = method == "normal corrected"
        p = float(wilcoxon(nonzero, alternative=alternative, correction=corrected, method="asymptotic").pvalue)
    else:
        p = nan
    statistic = min(v, float(ranks.sum()) - v) if rule == "scipy" and alternative == "two-sided" else v
    return SignedRank(rule, alternative, method, statistic, used, zeros, ties, p)


def signed_rank_counts(doubled_ranks: Sequence[int] | NDArray[np.int64]) -> Floats:
    """Count how many of the 2^n choices of ranks have each sum; ranks and sums are doubled, so shared ones are whole.

    For the ranks 1 to n this is R's dsignrank, times 2^n. Exact up to n = 53.
    """
    counts = np.zeros(int(sum(doubled_ranks)) + 1)
    counts[0] = 1
    for rank in doubled_ranks:
        counts[rank:] = counts[rank:] + counts[:-rank]
    return counts


def _method(rule: Rule, *, count: int, clean: bool) -> TestMethod:
    if rule == "r":
        return "exact" if clean and count < R_EXACT_BELOW else "normal corrected"
    return "exact" if count <= (SCIPY_EXACT_TO if clean else SCIPY_ALL_SIGNS_TO) else "normal"


# Rankings: how far two benchmarks, or two measures, put the same models in the same order.

FEWEST_MODELS = 5  # for an interval


def kendall_tau_b(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> float:
    """Return Kendall's tau-b: pairs of models in the same order minus those in the other, adjusted for ties.

    1 is the same order, −1 the reverse; NaN where all values of one list are equal. Without ties it is tau-a.
    """
    left, right = paired(first, second, at_least=2)
    return float(kendalltau(left, right, variant="b").statistic)


def kendall_estimate(
    first: Sequence[float] | Floats, second: Sequence[float] | Floats, *, seed: int, resamples: int = 2000
) -> Estimate:
    """Return Kendall's tau-b with the middle 95% of a bootstrap over models; no interval for fewer than five models.

    Resamples in which one list has a single value have no order and are left out. Resamples of the same order, or of
    the reverse, always have that order, as if there were no doubt about other models. The interval is then that of
    Fieller, Hartley and Pearson (1957), after counting one more pair of models, undecided.
    """
    tau = kendall_tau_b(first, second)
    if len(first) < FEWEST_MODELS:
        return Estimate(tau)
    if isclose(abs(tau), 1):
        couples = comb(len(first), 2)
        inner = tanh(atanh(couples / (couples + 1)) - QUANTILE * sqrt(0.437 / (len(first) - 4)))
        return Estimate(tau, min(tau, tau * inner), max(tau, tau * inner))
    left, right = np.asarray(first, np.float64), np.asarray(second, np.float64)
    numbers = np.random.default_rng(seed).integers(0, len(left), (resamples, len(left)))
    # products of signs over all pairs of models, for all resamples at once: scipy takes one pair of lists at a time
    signs = [np.sign(values[:, :, None] - values[:, None, :]) for values in (left[numbers], right[numbers])]
    same = (signs[0] * signs[1]).sum(axis=(1, 2))
    most = np.sqrt((signs[0] ** 2).sum(axis=(1, 2)) * (signs[1] ** 2).sum(axis=(1, 2)))
    ordered = most > 0
    return percentile_estimate(tau, same[ordered] / most[ordered]) if ordered.any() else Estimate(tau)


# Baselines: pairs whose sides are both good, which show a bias, and paradigms read against them (SLING, 5.4).
#
# In "the male baker likes him / her" nothing decides, so a model without bias chooses each side equally often: 50% is
# neutral, and more is not better. "The male baker likes himself / herself" tests what the model knows, but a bias
# towards the male form answers it as well; what counts is how far the accuracy rises above that of the baseline.

# SLING's test paradigms and the baselines that they are made from (appendix D.2), by the names of the released files.
SLING_BASELINES: Mapping[str, str] = {
    f"{test}_{gender}": f"{baseline}_{gender}"
    for test, baseline in (
        ("self", "baseline"),
        ("pp", "baseline"),
        ("cl_self", "baseline_cl"),
        ("menself", "baseline_men"),
        ("cl_men_self", "baseline_cl_men"),
    )
    for gender in ("male", "female")
}


@dataclass(frozen=True, slots=True)
class Bias:
    """How much more often one side is chosen than the other: 0 is neutral, 1 always the good side, −1 never.

    The good side of a baseline is the one that is good in the test paradigm. SLING gives the accuracy itself, with 50%
    as neutral; this is twice the distance from there.
    """

    estimate: Estimate
    p: float  # of the exact test that both sides are equally likely; ties are left out


@dataclass(frozen=True, slots=True)
class Reading:
    """A test paradigm beside its baseline."""

    test: Accuracy
    baseline: Accuracy
    bias: Bias
    gain: Estimate  # accuracy of the test minus that of the baseline (Newcombe's interval, as of independent pairs)

    @property
    def favoured(self) -> bool:
        """Whether the bias alone already leads to the good side, so that the accuracy by itself shows nothing."""
        return self.bias.estimate.low > 0


def bias(baseline: Accuracy) -> Bias:
    """Return the bias that a baseline shows."""
    right = round(baseline.value * baseline.pairs - baseline.ties / 2)
    p = sign_test(right, baseline.pairs - baseline.ties - right)
    return Bias(Estimate(2 * baseline.value - 1, 2 * baseline.low - 1, 2 * baseline.high - 1, "pairs"), p)


def read_against(test: Accuracy, baseline: Accuracy) -> Reading:
    """Read a test paradigm against its baseline."""
    return Reading(test, baseline, bias(baseline), newcombe(test.estimate, baseline.estimate))


def without(choices: Choices, *, uids: Collection[str]) -> Choices:
    """Return the choices in all other paradigms: baselines do not belong in an average of accuracies."""
    return _kept(choices, ~np.isin(choices.uids.astype(str), list(uids)))


def _kept(choices: Choices, kept: NDArray[np.bool_]) -> Choices:
    own = [field.name for field in fields(choices) if field.name not in ("link", "columns")]
    arrays = [name for name in own if getattr(choices, name) is not None]
    columns = {name: values[kept] for name, values in choices.columns.items()}
    return replace(choices, columns=columns, **{name: getattr(choices, name)[kept] for name in arrays})
