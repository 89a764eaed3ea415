"""The scales of axes: per cents, and logarithms that keep a place for zero."""

from collections.abc import Callable, Iterable
from math import ceil, floor, isfinite, log10
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter, NullLocator

from bidui.report.figures.style import RULE
from bidui.words import Language

CHANCE = 50.0
POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
UNITS: dict[Language, tuple[tuple[float, str], ...]] = {
    "en": ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")),
    "zh": ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
}
NARROW = 0.9  # inches: here numbers would stand too close


def per_cent_limits(values: Iterable[float], *, inches: float) -> tuple[float, float, tuple[float, ...]]:
    """Limits and ticks for values in per cent: chance is always inside, and 100 has room for a mark."""
    lowest = min((value for value in values if isfinite(value)), default=CHANCE)
    low = max(0.0, min(CHANCE - 2, floor(lowest / 5) * 5))
    step = 10 if low > 45 and inches > NARROW else 25
    ticks = tuple(float(tick) for tick in range(0, 101, step) if tick >= low)
    return low - 1.5, 102.0, ticks


def per_cent_axis(axes: Axes, values: Iterable[float], *, which: Literal["x", "y"], inches: float) -> None:
    """An axis in per cent, so many inches long, with a faint line at chance."""
    low, high, ticks = per_cent_limits(values, inches=inches)
    if which == "x":
        axes.set_xlim(low, high)
        axes.xaxis.set_major_locator(FixedLocator(ticks))
        axes.axvline(CHANCE, color=RULE, linewidth=0.6, zorder=0)
    else:
        axes.set_ylim(low, high)
        axes.yaxis.set_major_locator(FixedLocator(ticks))
        axes.axhline(CHANCE, color=RULE, linewidth=0.6, zorder=0)


def log_axis(axes: Axes, values: Iterable[float], *, text: Callable[[int], str], most: int = 4) -> None:
    """A logarithmic x axis over these values with at most so many numbers; zero, where it occurs, stands to the left.

    `text` writes a power of ten. Values between two of them have both as the ends of their axis, which would be without
    any number otherwise.
    """
    known = [value for value in values if isfinite(value)]
    above = [value for value in known if value > 0] or [1.0]
    low, high = min(above), max(above)
    powers = [power for power in range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)]
    if not powers:
        powers = [floor(log10(low)), ceil(log10(high))]
        low, high = 10.0 ** powers[0], 10.0 ** powers[1]
    step = ceil(len(powers) / most)
    shown = powers[(len(powers) - 1) % step :: step]
    places, texts = [10.0**power for power in shown], [text(power) for power in shown]
    room = (high / low) ** 0.04 if high > low else 2.0
    if 0 in known:
        away = max(0.3, 0.2 * log10(high / low))  # decades: enough for the numbers of both
        axes.set_xscale("symlog", linthresh=low, linscale=away)
        axes.set_xlim(-low * 0.12, high * room)
        places, texts = [0.0, *places], ["0", *texts]
    else:
        axes.set_xscale("log")
        axes.set_xlim(low / room, high * room)
    axes.xaxis.set_major_locator(FixedLocator(places))
    axes.xaxis.set_major_formatter(FixedFormatter(texts))
    axes.xaxis.set_minor_locator(FixedLocator([10.0**power for power in powers]) if step > 1 else NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


def power_of_ten(exponent: int) -> str:
    """Write a power of ten as plain text: 10¹⁷."""
    return f"10{str(exponent).translate(POWERS)}"


def short_number(value: float, language: Language) -> str:
    """Write a number with a unit: 10M, 1B; 1000万, 10亿."""
    for size, unit in UNITS[language]:
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"
