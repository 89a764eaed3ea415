"""Summaries: the figures that describe a list of accuracies, and the box that draws them (SLING, Tables 11 and 12).

Quartiles are those of R's `quantile` and `summary` (type 7: linear between order statistics), which numpy and
matplotlib share. R's `boxplot` draws hinges instead, which differ a little for most counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bidui.analysis.values import finite
from bidui.scores.links import Floats

REACH = 1.5  # of a whisker, in heights of the box


@dataclass(frozen=True, slots=True)
class Summary:
    """Five numbers, the mean, and the standard deviation of a sample (n - 1; NaN for one value)."""

    count: int
    minimum: float
    first_quartile: float
    median: float
    third_quartile: float
    maximum: float
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Box:
    """A box plot: whiskers end at the last values within 1.5 heights of the box; those beyond are outliers."""

    summary: Summary
    low_whisker: float
    high_whisker: float
    outliers: tuple[float, ...]


def summarise(values: Sequence[float] | Floats) -> Summary:
    """The descriptive statistics of one or more values."""
    array = finite(values)
    low, first, middle, third, high = (float(number) for number in np.quantile(array, [0, 0.25, 0.5, 0.75, 1]))
    return Summary(len(array), low, first, middle, third, high, float(array.mean()), deviation(array))


def deviation(values: Sequence[float] | Floats) -> float:
    """The standard deviation of a sample: the one that SLING gives over phenomena, and R's `sd`."""
    array = finite(values)
    return float(array.std(ddof=1)) if len(array) > 1 else float("nan")


def box(values: Sequence[float] | Floats) -> Box:
    """What a box plot draws (SLING, Figures 6 and 7)."""
    array, summary = finite(values), summarise(values)
    reach = REACH * (summary.third_quartile - summary.first_quartile)
    inside = (array >= summary.first_quartile - reach) & (array <= summary.third_quartile + reach)
    outliers = tuple(sorted(float(value) for value in array[~inside]))
    return Box(summary, float(array[inside].min()), float(array[inside].max()), outliers)
