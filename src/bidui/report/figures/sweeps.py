"""Alpha sweeps: accuracy and delta-acc of SLLN-LP against alpha, from LP to mean LP (Liu et al., Figure 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.axes import Axes

from bidui.errors import Place, fail
from bidui.report.figures.drawing import Drawing, Line, Rows, check_lines
from bidui.report.figures.labels import label_ends, word
from bidui.report.figures.lines import draw_line, reached
from bidui.report.figures.panels import label_room, make_panels
from bidui.report.figures.style import SMALL, Look, Width, house_style, looks
from bidui.scores.links import Floats
from bidui.words import Language


@dataclass(frozen=True, slots=True)
class AlphaSweep:
    """Accuracy and delta-acc at every alpha, of one model or the mean of several with their standard deviations."""

    name: str
    alpha: Floats
    accuracy: Floats
    delta: Floats
    accuracy_deviation: Floats | None = None
    delta_deviation: Floats | None = None


def alpha_sweep(
    sweeps: Sequence[AlphaSweep],
    *,
    of: Literal["accuracy", "unequal"] = "unequal",
    width: Width = "page",
    language: Language = "en",
) -> Drawing:
    """Accuracy beside delta-acc, a line a model; a ring marks where accuracy is highest and delta-acc lowest.

    `of` says which accuracy was given: that of all pairs, or, as in the paper, the mean of those on D< and D>.
    """
    measures = {word(of, language): accuracy_lines(sweeps), word("delta", language): delta_lines(sweeps)}
    check_lines(measures, parts=True)
    names = tuple(sweep.name for sweep in sweeps)
    look = looks(names)
    with house_style():
        right, shown = label_room(names, width=width)
        made = make_panels(
            tuple(measures),
            width=width,
            right=right,
            between=right + 0.35,
            x_label=word("alpha", language),
            columns=2 if width == "page" else 1,
        )
        for (name, lines), best in zip(measures.items(), (np.nanargmax, np.nanargmin), strict=True):
            axes = made.axes[name]
            prepare(axes, lines)
            ends = [draw_line(axes, line, look[line.name], shown[line.name], times=100) for line in lines]
            for line in lines:
                if np.isfinite(line.y).any():
                    draw_ring(axes, line, look[line.name], at=int(best(line.y)))
            label_ends(axes, [end for end in ends if end], size=SMALL, height=made.height)
    return Drawing(made.figure, sweep_rows(sweeps))


def accuracy_lines(sweeps: Sequence[AlphaSweep]) -> list[Line]:
    """Accuracy with its band."""
    return [_banded(one.name, one.alpha, one.accuracy, one.accuracy_deviation) for one in sweeps]


def delta_lines(sweeps: Sequence[AlphaSweep]) -> list[Line]:
    """delta-acc with its band."""
    return [_banded(one.name, one.alpha, one.delta, one.delta_deviation) for one in sweeps]


def prepare(axes: Axes, lines: Sequence[Line]) -> None:
    """The axes of one measure; alpha 0 and 1 carry the names that they have in the papers."""
    heights = [100 * value for line in lines for value in reached(line) if np.isfinite(value)] or [0.0]
    room = (max(heights) - min(heights) or 1.0) * 0.08
    axes.set_ylim(min(heights) - room, max(heights) + room)
    axes.set_xlim(-0.03, 1.03)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 = LP", "0.25", "0.5", "0.75", "1 = mean LP"])
    axes.tick_params(labelleft=True)


def draw_ring(axes: Axes, line: Line, look: Look, *, at: int) -> None:
    """The best point."""
    x, y = [line.x[at]], [100 * line.y[at]]
    axes.plot(x, y, "o", markersize=6, markerfacecolor="none", markeredgecolor=look.colour, zorder=4)


def sweep_rows(sweeps: Sequence[AlphaSweep]) -> Rows:
    """A row a point."""
    lines: list[tuple[str | int | float, ...]] = []
    for one in sweeps:
        gaps = np.full(len(one.alpha), np.nan)
        deviations = (gaps if given is None else given for given in (one.accuracy_deviation, one.delta_deviation))
        columns = (one.alpha, one.accuracy, one.delta, *deviations)
        lines += [(one.name, *point) for point in zip(*(column.tolist() for column in columns), strict=True)]
    return Rows(("model", "alpha", "accuracy", "delta", "accuracy_deviation", "delta_deviation"), tuple(lines))


def _banded(name: str, alpha: Floats, values: Floats, deviation: Floats | None) -> Line:
    if len({len(one) for one in (alpha, values, deviation) if one is not None}) != 1:
        lengths = [len(one) for one in (alpha, values, deviation) if one is not None]
        raise fail("figure-lengths", Place(), {"panel": "alpha", "line": name, "lengths": lengths})
    if deviation is None:
        return Line(name, alpha, values)
    return Line(name, alpha, values, values - deviation, values + deviation)
