"""Significance: which of several models differ on the same pairs, and corrections for making many tests."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import erfc, exp, lgamma, log, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.accuracy import Accuracy, accuracy
from bidui.analysis.estimate import (
    Average,
    in_twos,
    means,
    newcombe,
    percentile_interval,
    resampled_sums,
    stratify,
    two_sided_p,
)
from bidui.errors import fail
from bidui.scores.choices import Choices
from bidui.scores.links import Floats

# Wilcoxon's signed-rank test, by the rules of R and of scipy, which differ in when and how they approximate.
#
# Both drop differences of zero, rank the others by size (equal sizes share the mean of their ranks), and add up the
# ranks of the positive ones. Then:
#
#     r      R's wilcox.test of 2022, which SLING used (Tables 9 to 12): exact with fewer than 50 differences, no ties
#            and no zeros; else the normal approximation with continuity correction
#     scipy  scipy.stats.wilcoxon of 1.17, by its defaults: exact with at most 50 and no ties or zeros; with ties or
#            zeros exact over all signs with at most 13; else the normal approximation without correction
#
# Differences are ranked as the machine subtracts, so that 0.3 - 0.2 and 0.2 - 0.1, which differ in the last bit, do
# not tie. R does the same, and some p-values of SLING come out only so. `digits` rounds before ranking (R:
# `digits.rank`), which is better in new work.

Rule = Literal["r", "scipy"]
Alternative = Literal["two-sided", "greater", "less"]
Method = Literal["exact", "normal corrected", "normal"]

R_EXACT_BELOW = 50
SCIPY_EXACT_TO = 50
SCIPY_ALL_SIGNS_TO = 13  # 2^13 sign patterns are fewer than its 9,999 resamples, so it goes through them all


@dataclass(frozen=True, slots=True)
class SignedRank:
    """What the test found, and how: p is NaN where an approximation is asked of no differences at all."""

    rule: Rule
    alternative: Alternative
    method: Method
    statistic: float  # V, the ranks of positive differences; by scipy, two-sided, the smaller of V and its counterpart
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
    """Whether the values of `first` differ from (are `greater` or `less` than) their partners in `second`.

    `digits` is how many significant digits of a difference count when they are ranked; all, unless given.
    """
    left, right = in_twos(first, second)
    given = left - right
    differences = given[given != 0]
    ranks, shared = _ranks(np.abs(differences), digits)
    used, zeros, ties = len(differences), len(given) - len(differences), int(shared[shared > 1].sum())
    v = float(ranks[differences > 0].sum())
    method = _method(rule, given=len(given), clean=not (zeros or ties))
    if method == "exact":
        p = _exact(v, ranks, alternative)
    else:
        p = _normal(v, used, shared, alternative, corrected=method == "normal corrected")
    statistic = min(v, float(ranks.sum()) - v) if rule == "scipy" and alternative == "two-sided" else v
    return SignedRank(rule, alternative, method, statistic, used, zeros, ties, p)


def signed_rank_counts(doubled_ranks: Sequence[int] | NDArray[np.int64]) -> Floats:
    """How many of the 2^n choices of ranks have each sum; ranks and sums are doubled, so that shared ones are whole.

    For the ranks 1 to n this is R's dsignrank, times 2^n. Exact up to n = 53.
    """
    counts = np.zeros(int(sum(doubled_ranks)) + 1)
    counts[0] = 1
    for rank in doubled_ranks:
        counts[rank:] = counts[rank:] + counts[:-rank]
    return counts


def _ranks(sizes: Floats, digits: int | None) -> tuple[Floats, NDArray[np.int64]]:
    """The rank of each, equal ones sharing their mean rank, and how many share each distinct size."""
    compared = sizes if digits is None else np.array([float(f"{size:.{digits - 1}e}") for size in sizes])
    _, which, shared = np.unique(compared, return_inverse=True, return_counts=True)
    last = np.cumsum(shared)
    return (last - (shared - 1) / 2)[which], shared


def _method(rule: Rule, *, given: int, clean: bool) -> Method:
    if rule == "r":
        return "exact" if clean and given < R_EXACT_BELOW else "normal corrected"
    return "exact" if given <= (SCIPY_EXACT_TO if clean else SCIPY_ALL_SIGNS_TO) else "normal"


def _exact(v: float, ranks: Floats, alternative: Alternative) -> float:
    counts = signed_rank_counts((2 * ranks).astype(np.int64))
    at = round(2 * v)
    less, greater = (float(part.sum() / counts.sum()) for part in (counts[: at + 1], counts[at:]))
    return {"less": less, "greater": greater, "two-sided": min(1.0, 2 * less, 2 * greater)}[alternative]


def _normal(v: float, n: int, shared: NDArray[np.int64], alternative: Alternative, *, corrected: bool) -> float:
    if n == 0:
        return nan
    away = v - n * (n + 1) / 4
    sigma = sqrt(n * (n + 1) * (2 * n + 1) / 24 - float((shared**3 - shared).sum()) / 48)
    step = {"two-sided": float(np.sign(away)), "greater": 1.0, "less": -1.0}[alternative] / 2 if corrected else 0.0
    z = (away - step) / sigma / sqrt(2)
    return {"two-sided": erfc(abs(z)), "greater": erfc(z) / 2, "less": erfc(-z) / 2}[alternative]


Test = Literal["mcnemar", "mcnemar_mid_p", "bootstrap"]
Correction = Literal["holm", "benjamini_hochberg", "none"]
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two models on the same pairs: the difference of their accuracies, and whether it could be chance.

    A pair counts as better for the model whose choice is worth more there, be it by a whole or, where the other
    or itself has a tie, by a half.
    """

    first: str
    second: str
    difference: float  # the accuracy of the first less that of the second
    low: float  # of a bootstrap interval of 95 per cent
    high: float
    first_better: int  # pairs
    second_better: int
    test: Test
    p: float
    correction: Correction
    corrected: float  # p, for all the comparisons made together


def compare_models(
    models: Mapping[str, Choices],
    *,
    test: Test = "mcnemar",
    correction: Correction = "holm",
    average: Average = "overall",
    resamples: int = 1000,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Every two models compared on the same pairs.

    McNemar's test asks whether one model is better on more pairs than the other; a half counts as much as a whole
    there, so that with ties it is the sign test. The bootstrap asks of the difference itself, in which a tie weighs
    one half, and of macro averages too. Its p has a smallest value, and it is refused where that, corrected, could
    never fall below 0.05.
    """
    names = list(models)
    if len(names) < 2:
        raise fail("too-few-models", None, {"count": len(names)})
    if average != "overall" and test != "bootstrap":
        raise fail("test-not-for", None, {"test": test, "average": average})
    couples = list(combinations(range(len(names)), 2))
    needed = round(2 * (1 if correction == "none" else len(couples)) / LEVEL)
    if test == "bootstrap" and resamples < needed:
        raise fail("too-few-resamples", None, {"resamples": resamples, "needed": needed})
    worths, strata = same_pairs(models), stratify(models[names[0]])
    sums = np.stack([strata.sums(column) for column in worths.T])
    (real,) = means(sums, strata, by=average).values()
    (drawn,) = means(resampled_sums(worths, strata, resamples=resamples, seed=seed), strata, by=average).values()
    found = []
    for a, b in couples:
        ahead, behind = int((worths[:, a] > worths[:, b]).sum()), int((worths[:, a] < worths[:, b]).sum())
        differences = drawn[:, a] - drawn[:, b]
        rule: Literal["exact", "mid_p"] = "mid_p" if test == "mcnemar_mid_p" else "exact"
        p = two_sided_p(differences) if test == "bootstrap" else sign_test(ahead, behind, rule=rule)
        interval = percentile_interval(differences)
        difference = float(real[a] - real[b])
        found.append(Comparison(names[a], names[b], difference, *interval, ahead, behind, test, p, correction, p))
    corrected = correct([comparison.p for comparison in found], by=correction)
    return tuple(replace(comparison, corrected=p) for comparison, p in zip(found, corrected, strict=True))


def same_pairs(models: Mapping[str, Choices]) -> Floats:
    """The worth of every choice, a row a pair in the order of the first model and a column a model.

    Refused unless all models were scored on the same pairs. Those with one number and another side longer are not
    the same.
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
    """The two-sided p of so many signs one way and so many the other, if each is as likely.

    Of pairs that two models choose differently it is McNemar's test: exact (binomial), or by mid-p, which counts half
    of what was seen itself and is less cautious (Fagerland, Lydersen and Laake 2013).
    """
    n, k = more + fewer, min(more, fewer)
    point = exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2))
    below = point * float(np.cumprod(np.arange(k, 0, -1) / np.arange(n - k + 1, n + 1)).sum())
    return min(1.0, 2 * below + (point if rule == "mid_p" else 2 * point))


def correct(p_values: Sequence[float], *, by: Correction) -> list[float]:
    """The p-values of many tests, corrected, in their order; NaN, where nothing was tested, stays and is not counted.

    Holm's correction keeps the chance of any false alarm at the level; Benjamini and Hochberg's keeps the expected
    part of false ones among the alarms.
    """
    values = np.asarray(p_values, np.float64)
    wrong = values[(values < 0) | (values > 1)]
    if len(wrong):
        raise fail("p-out-of-range", None, {"value": float(wrong[0])})
    order = np.argsort(values)[: int((~np.isnan(values)).sum())]  # NaN sorts last
    n, ordered = len(order), values[order]
    if by == "holm":
        ordered = np.maximum.accumulate(ordered * np.arange(n, 0, -1))
    elif by == "benjamini_hochberg":
        ordered = np.minimum.accumulate((ordered * n / np.arange(1, n + 1))[::-1])[::-1]
    values[order] = np.minimum(ordered, 1.0)
    return [float(value) for value in values]


# Rankings: how far two benchmarks, or two measures, put the same models in the same order.


def kendall_tau_b(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> float:
    """Kendall's tau-b: pairs of models in the same order less those in the other, ties allowed for.

    1 is the same order, -1 the reverse; NaN where one list has equal values only. Without ties it is tau-a.
    """
    left, right = in_twos(first, second, at_least=2)
    upper = np.triu_indices(len(left), k=1)
    x, y = (np.sign(values[upper[0]] - values[upper[1]]) for values in (left, right))
    untied = sqrt(float((x != 0).sum()) * float((y != 0).sum()))
    return float((x * y).sum()) / untied if untied else nan


# Baselines: pairs whose sides are both good, which show a bias, and the paradigms read against them (SLING, 5.4).
#
# In "the male baker likes him / her" nothing decides, so a model without bias chooses each side as often: 50 per cent
# is neutral, and more is no better. "The male baker likes himself / herself" tests what the model knows, but a bias
# towards the male answers it as well; what counts is how far the accuracy rises above that of the baseline.

# SLING's test paradigms and the baselines that they are made from (appendix D.2), by the names of the released files.
SLING_BASELINES: Mapping[str, str] = {
    "self_male": "baseline_male",
    "self_female": "baseline_female",
    "pp_male": "baseline_male",
    "pp_female": "baseline_female",
    "cl_self_male": "baseline_cl_male",
    "cl_self_female": "baseline_cl_female",
    "menself_male": "baseline_men_male",
    "menself_female": "baseline_men_female",
    "cl_men_self_male": "baseline_cl_men_male",
    "cl_men_self_female": "baseline_cl_men_female",
}


@dataclass(frozen=True, slots=True)
class Bias:
    """How much more often one side is chosen than the other: 0 is neutral, 1 always the good side, -1 never.

    The good side of a baseline is the one that the test paradigm has for good. SLING gives the accuracy itself, with
    50 per cent as neutral; this is twice its distance from there.
    """

    value: float
    low: float
    high: float
    p: float  # of the exact test that both sides are as likely; ties are left out

    @property
    def strength(self) -> float:
        """The bias without its direction, from 0 to 1."""
        return abs(self.value)


@dataclass(frozen=True, slots=True)
class Reading:
    """A test paradigm beside its baseline."""

    test: Accuracy
    baseline: Accuracy
    bias: Bias
    gain: float  # the accuracy of the test less that of the baseline
    low: float  # of an interval of 95 per cent (Newcombe's, as of independent pairs)
    high: float

    @property
    def favoured(self) -> bool:
        """Whether the bias alone already leads to the good side, so that the accuracy by itself shows nothing."""
        return self.bias.low > 0


def bias(baseline: Accuracy) -> Bias:
    """The bias that a baseline shows."""
    right = round(baseline.value * baseline.pairs - baseline.ties / 2)
    p = sign_test(right, baseline.pairs - baseline.ties - right)
    return Bias(2 * baseline.value - 1, 2 * baseline.low - 1, 2 * baseline.high - 1, p)


def read_against(test: Accuracy, baseline: Accuracy) -> Reading:
    """A test paradigm read against its baseline."""
    gain = test.value - baseline.value
    within, other_within = (test.low, test.high), (baseline.low, baseline.high)
    interval = newcombe(test.value, baseline.value, within=within, other_within=other_within)
    return Reading(test, baseline, bias(baseline), gain, *interval)


def readings(choices: Choices, *, baselines: Mapping[str, str]) -> Mapping[str, Reading]:
    """Every test paradigm read against its baseline, by their uids."""
    found = accuracy(choices, by="paradigm")
    for uid in (*baselines, *baselines.values()):
        if uid not in found:
            raise fail("paradigm-not-scored", None, {"uid": uid, "known": sorted(found)})
    return {test: read_against(found[test], found[baseline]) for test, baseline in baselines.items()}


def without(choices: Choices, *, uids: Collection[str]) -> Choices:
    """The choices in all other paradigms: an average over accuracies has no place for baselines."""
    kept = ~np.isin(choices.uids.astype(str), list(uids))
    return Choices(
        choices.link,
        choices.uids[kept],
        choices.phenomena[kept],
        choices.pairs[kept],
        choices.good[kept],
        choices.bad[kept],
        choices.length_sign[kept],
    )
