"""A value with its interval, and the formulas that give one for proportions.

`Estimate` is the only type for a value with an interval, of people and models alike, and it says what the interval
allows for. All intervals are of 95%.
"""

from dataclasses import dataclass
from math import nan, sqrt
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUANTILE = 1.959963984540054  # of the normal distribution, at 97.5%
PERCENTILES = (0.025, 0.975)  # for 95%
LEAST = 100  # resamples; with fewer, the percentiles mean nothing

# What an interval allows for, and so what it says something about:
#
#     pairs      other pairs of these paradigms ("for these paradigms"): paradigms and models stay as they are
#     paradigms  other paradigms ("for paradigms like these"), as many as there are
#     runs       other paradigms and other training runs ("for paradigms and runs like these")
#
# Empty where none of these is meant: for parameters of a curve, rankings, judgements of people.
Kind = Literal["", "pairs", "paradigms", "runs"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the ends of its interval; the ends are NaN where there is no interval.

    An infinite end, or 0 for a quantity that must be positive, says that the data set no limit. `kind` is what the
    interval allows for: other `pairs` of these paradigms, other `paradigms`, other paradigms and `runs`, or none.
    """

    value: float
    low: float = nan
    high: float = nan
    kind: Kind = ""

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends."""
        return self.low, self.high


def wilson(value: float, *, pairs: float, kind: Kind = "", quantile: float = QUANTILE) -> Estimate:
    """Return a proportion of so many pairs with Wilson's score interval (1927).

    Written here because a tie is worth one half: scipy's `binomtest` takes whole successes only.
    """
    square = quantile * quantile / pairs
    centre = (value + square / 2) / (1 + square)
    half = quantile / (1 + square) * sqrt(value * (1 - value) / pairs + square / (4 * pairs))
    # at 0 and 1 the end of the interval is the value itself, which rounding would miss
    return Estimate(value, max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half)), kind)


def newcombe(first: Estimate, second: Estimate) -> Estimate:
    """Return first − second, two independent proportions with Wilson intervals (Newcombe 1998, method 10)."""
    difference = first.value - second.value
    low = difference - sqrt((first.value - first.low) ** 2 + (second.high - second.value) ** 2)
    high = difference + sqrt((first.high - first.value) ** 2 + (second.value - second.low) ** 2)
    return Estimate(difference, low, high, first.kind if first.kind == second.kind else "")


def percentile_estimate(
    value: float, draws: "NDArray[np.float64]", *, kind: Kind = "", ends: tuple[float, float] = PERCENTILES
) -> Estimate:
    """Return a value with the middle 95% of its resamples as the interval, or what lies between other percentiles."""
    import numpy as np  # here, so that whoever only reads counts of judgements need not wait for it

    low, high = np.quantile(draws, ends)
    return Estimate(float(value), float(low), float(high), kind)
