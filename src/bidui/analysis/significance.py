"""Significance: which of several models differ on the same pairs, and corrections for making many tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import exp, lgamma, log
from typing import Literal

import numpy as np

from bidui.analysis.bootstrap import percentile_interval, resampled_sums, two_sided_p
from bidui.analysis.strata import Average, means, stratify
from bidui.errors import fail
from bidui.scores.choices import Choices
from bidui.scores.links import Floats

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
