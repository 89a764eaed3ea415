"""What figures are drawn from and what they give back: values with intervals, lines, and a figure with its rows.

Accuracies are parts of one, as analysis gives them, and are drawn in per cent; NaN is a gap.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import NamedTuple, TypeVar

from matplotlib.figure import Figure

from bidui.errors import Place, fail
from bidui.scores.links import Floats

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a figure was drawn from, under the names of their columns."""

    head: tuple[str, ...]
    lines: tuple[tuple[str | int | float, ...], ...]


class Drawing(NamedTuple):
    """A figure, and the rows it was drawn from: `save_figure(*drawing, folder=…, name=…)`."""

    figure: Figure
    rows: Rows


@dataclass(frozen=True, slots=True)
class Measured:
    """A value with its interval of 95 per cent, where there is one."""

    value: float
    low: float = nan
    high: float = nan


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a panel: its name, its points by rising x, and the band about it, where there is one."""

    name: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None


def groups_of(columns: Mapping[str, Mapping[str, Value]]) -> tuple[str, ...]:
    """The groups of all models, in the order in which they come first; nothing at all is refused."""
    groups = tuple(dict.fromkeys(group for values in columns.values() for group in values))
    if not groups:
        raise fail("figure-nothing", Place())
    return groups


def check_parts(values: Iterable[float], *, what: str) -> None:
    """Refuse an accuracy that is no part of one; most often it is in per cent."""
    for value in values:
        if isfinite(value) and not 0 <= value <= 1:
            raise fail("figure-not-part", Place(), {"what": what, "value": f"{value:g}"})


def check_lines(panels: Mapping[str, Sequence[Line]], *, parts: bool) -> None:
    """Refuse lines that cannot be drawn: points without a partner, bands without an end, or no lines at all."""
    if not any(panels.values()):
        raise fail("figure-nothing", Place())
    for panel, lines in panels.items():
        for line in lines:
            given = [values for values in (line.x, line.y, line.low, line.high) if values is not None]
            if len({len(values) for values in given}) != 1 or (line.low is None) != (line.high is None):
                lengths = [len(values) for values in given]
                raise fail("figure-lengths", Place(), {"panel": panel, "line": line.name, "lengths": lengths})
            if parts:
                check_parts(line.y.tolist(), what=f"{panel}, {line.name}")
