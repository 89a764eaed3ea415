"""Wilcoxon's signed-rank test, by the rules of R and of scipy, which differ in when and how they approximate.

Both drop differences of zero, rank the others by size (equal sizes share the mean of their ranks), and add up the
ranks of the positive ones. Then:

    r      R's wilcox.test of 2022, which SLING used (Tables 9 to 12): exact with fewer than 50 differences, no ties
           and no zeros; else the normal approximation with continuity correction
    scipy  scipy.stats.wilcoxon of 1.17, by its defaults: exact with at most 50 and no ties or zeros; with ties or
           zeros exact over all signs with at most 13; else the normal approximation without correction

Differences are ranked as the machine subtracts, so that 0.3 - 0.2 and 0.2 - 0.1, which differ in the last bit, do not
tie. R does the same, and some p-values of SLING come out only so. `digits` rounds before ranking (R: `digits.rank`),
which is better in new work.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import erfc, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.values import in_twos
from bidui.scores.links import Floats

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
