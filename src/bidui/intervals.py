"""A value with its interval, and the formulas that give one for proportions.

`Estimate` is the only type for a value with an interval, of people and models alike. Intervals are of 95% unless a
function says otherwise. `bidui.analysis.estimate` adds the intervals that come from resampling the choices of models.
"""

from dataclasses import dataclass
from math import nan, sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUANTILE = 1.959963984540054  # of the normal distribution, at 97.5%
PERCENTILES = (0.025, 0.975)  # for 95%
LEAST = 100  # resamples; with fewer, the percentiles mean nothing


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the ends of its interval; the ends are NaN where there is no interval.

    An infinite end, or 0 for a quantity that must be positive, says that the data set no limit.
    """

    value: float
    low: float = nan
    high: float = nan

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends."""
        return self.low, self.high


def wilson(value: float, *, pairs: int) -> Estimate:
    """Return a proportion of so many pairs with Wilson's score interval (1927).

    Written here because a tie is worth one half: scipy's `binomtest` takes whole successes only.
    """
    square = QUANTILE * QUANTILE / pairs
    centre = (value + square / 2) / (1 + square)
    half = QUANTILE / (1 + square) * sqrt(value * (1 - value) / pairs + square / (4 * pairs))
    # at 0 and 1 the end of the interval is the value itself, which rounding would miss
    return Estimate(value, max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half)))


def newcombe(first: Estimate, second: Estimate) -> Estimate:
    """Return first − second, two independent proportions with Wilson intervals (Newcombe 1998, method 10)."""
    difference = first.value - second.value
    low = difference - sqrt((first.value - first.low) ** 2 + (second.high - second.value) ** 2)
    high = difference + sqrt((first.high - first.value) ** 2 + (second.value - second.low) ** 2)
    return Estimate(difference, low, high)


def percentile_estimate(value: float, draws: "NDArray[np.float64]") -> Estimate:
    """Return a value with the middle 95% of its resamples as the interval."""
    import numpy as np  # here, so that whoever only reads counts of judgements need not wait for it

    low, high = np.quantile(draws, PERCENTILES)
    return Estimate(float(value), float(low), float(high))
