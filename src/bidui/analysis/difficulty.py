"""Difficulty classes: paradigms by the best accuracy of models of several sizes, and by whether size helps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal

import numpy as np
from scipy.stats import t as student

from bidui.analysis.estimate import check_accuracies
from bidui.errors import fail

Level = Literal["easy", "medium", "difficult", "other"]

# The thresholds of Liu et al. (first version, section 5.3); a value must exceed them.
EASY = 0.85
MEDIUM = 0.70
RHO = 0.80
LEAST_SIZES = 3  # with two, every correlation is 1 or -1
ENOUGH_SIZES = 5  # with fewer, a correlation above the threshold is often chance: see `chance_of_rho`
DECIMALS = 9  # so that neither number exceeds its threshold by a rounding error


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The class of a paradigm, with the two numbers behind it; rho is NaN where all sizes are equally accurate."""

    level: Level
    best: float
    rho: float


def chance_of_rho(sizes: int) -> float:
    """Return how often accuracies that do not depend on size correlate above the threshold, with so many sizes.

    Of noise that is normal: 20% with three sizes, 10% with four, 5% with five (Student's t of a correlation).
    """
    return float(student.sf(RHO * ((sizes - 2) / (1 - RHO**2)) ** 0.5, sizes - 2))


def difficulty(accuracies: Mapping[str, Sequence[float]], *, parameters: Sequence[float]) -> Mapping[str, Difficulty]:
    """Return the class of every paradigm (Liu et al., first version, section 5.3), from one accuracy per model.

    Easy: the best accuracy is above 0.85. Medium: above 0.70. Difficult: not above 0.70, and the Pearson correlation of
    accuracy and the logarithm of the number of parameters is above 0.80. Other: the rest, including undefined
    correlations. With three or four sizes, "difficult" is often chance (`chance_of_rho`). The models should be trained
    on the same data. Models of one size, such as several seeds, count as one with the mean of their accuracies: the
    paper does not say, and reports means of seeds everywhere else.
    """
    sizes = np.asarray(parameters, np.float64)
    if not (np.isfinite(sizes) & (sizes > 0)).all():
        raise fail("sizes-not-positive", None, {"sizes": sizes.tolist()})
    distinct, belongs = np.unique(sizes, return_inverse=True)
    if len(distinct) < LEAST_SIZES:
        raise fail("sizes-too-few", None, {"sizes": len(distinct), "least": LEAST_SIZES})
    classes = {}
    for uid, values in accuracies.items():
        if len(values) != len(belongs):
            raise fail("sizes-lengths", None, {"uid": uid, "accuracies": len(values), "sizes": len(belongs)})
        check_accuracies(np.asarray(values, np.float64))
        means = np.round(np.bincount(belongs, weights=values) / np.bincount(belongs), DECIMALS)
        best, correlation = float(means.max()), nan
        if np.ptp(means) > 0:
            correlation = round(float(np.corrcoef(np.log(distinct), means)[0, 1]), DECIMALS)
        level: Level = "difficult" if correlation > RHO else "other"
        if best > EASY:
            level = "easy"
        elif best > MEDIUM:
            level = "medium"
        classes[uid] = Difficulty(level, best, correlation)
    return classes
