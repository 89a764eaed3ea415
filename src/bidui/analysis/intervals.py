"""Intervals of 95 per cent for proportions, by formula."""

from math import sqrt

QUANTILE = 1.959963984540054  # of the normal distribution


def wilson(value: float, *, pairs: int) -> tuple[float, float]:
    """Wilson's score interval (1927) of a proportion of so many pairs."""
    square = QUANTILE * QUANTILE / pairs
    centre = (value + square / 2) / (1 + square)
    half = QUANTILE / (1 + square) * sqrt(value * (1 - value) / pairs + square / (4 * pairs))
    # at 0 and 1 the end of the interval is the value itself, which rounding would miss
    return max(0.0, min(value, centre - half)), min(1.0, max(value, centre + half))


def newcombe(
    value: float, other: float, *, within: tuple[float, float], other_within: tuple[float, float]
) -> tuple[float, float]:
    """The interval of value - other, two independent proportions, from their Wilson intervals (Newcombe 1998)."""
    difference = value - other
    low = difference - sqrt((value - within[0]) ** 2 + (other_within[1] - other) ** 2)
    high = difference + sqrt((within[1] - value) ** 2 + (other - other_within[0]) ** 2)
    return low, high
