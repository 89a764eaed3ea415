"""Scatter plots: ratings of people against the scores of a model, one panel per model or linking function."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.intervals import Estimate
from bidui.reports.figures import layout
from bidui.reports.figures.drawing import Drawing, Rows
from bidui.reports.figures.layout import Label, word
from bidui.reports.figures.style import COLOURS, FAINT, INK, SMALL, darker, house_style
from bidui.scores.links import Floats
from bidui.words import Language

SIDES = {True: ("good", COLOURS[0]), False: ("bad", COLOURS[1])}
MANY = 2000  # points; more are drawn as an image inside the figure, which would be huge otherwise
BETWEEN, DOWN = 0.3, 0.42  # inches: every panel has numbers of its own, since scores differ in their scale


@dataclass(frozen=True, slots=True)
class Scatter:
    """Scores and ratings of the same sentences, or differences within pairs, and their correlation."""

    scores: Floats
    ratings: Floats
    good: NDArray[np.bool_] | None  # the side of each sentence; None for differences
    r: Estimate


def rating_scatter(panels: Mapping[str, Scatter], *, differences: bool = False, language: Language = "en") -> Drawing:
    """Draw one dot per sentence, or per pair for differences, with the line of least squares and r with its interval.

    After Liu et al., Table 7, which gives the correlations only.
    """
    if not panels:
        raise fail("figure-nothing", Place())
    with house_style():
        names = {side: word(key, language) for side, (key, _) in SIDES.items()}
        right = 0.05 if differences else layout.widest(names.values(), size=SMALL) + 0.28
        made = layout.make_panels(
            tuple(panels),
            width="page",
            right=right,
            between=BETWEEN,
            down=DOWN,
            x_label=word("score-gap" if differences else "score", language),
            y_label=word("rating-gap" if differences else "rating", language),
        )
        every = np.concatenate([one.ratings for one in panels.values()])
        low, high = float(every.min()), float(every.max())
        room = (high - low or 1.0) * 0.05
        for name, one in panels.items():
            axes = made.axes[name]
            axes.set_ylim(low - room, high + 4 * room)  # r stands above all dots
            axes.xaxis.set_major_locator(MaxNLocator(3))
            axes.tick_params(labelbottom=True)
            _draw_dots(axes, one)
            text = f"r = {one.r.value:.3f} [{one.r.low:.3f}, {one.r.high:.3f}]".replace("-", "−")
            style: dict[str, Any] = {"ha": "left", "va": "top", "fontsize": SMALL, "color": INK}
            axes.text(0.03, 0.98, text, transform=axes.transAxes, **style)
        if not differences:
            last = next(name for name in panels if name in made.at_row_end)
            _name_sides(made.axes[last], panels[last], names, height=made.height)
    rows = [
        (name, "" if one.good is None else SIDES[bool(one.good[n])][0], float(one.scores[n]), float(one.ratings[n]))
        for name, one in panels.items()
        for n in range(len(one.scores))
    ]
    return Drawing(made.figure, Rows(("panel", "side", "score", "rating"), tuple(rows)))


def _draw_dots(axes: Axes, one: Scatter) -> None:
    groups = [(np.ones(len(one.scores), np.bool_), INK)] if one.good is None else []
    groups += [] if one.good is None else [(one.good == side, colour) for side, (_, colour) in SIDES.items()]
    share = 0.7 if len(one.scores) < 200 else 0.35
    for inside, colour in groups:
        look: dict[str, Any] = {"color": colour, "markersize": 2.2, "markeredgewidth": 0, "alpha": share}
        x, y = one.scores[inside], one.ratings[inside]
        axes.plot(x, y, "o", linestyle="none", rasterized=len(one.scores) > MANY, zorder=2, **look)
    if np.ptp(one.scores) > 0:
        slope, start = np.polyfit(one.scores, one.ratings, 1)
        ends = np.array([one.scores.min(), one.scores.max()])
        axes.plot(ends, start + slope * ends, color=FAINT, linewidth=0.7, zorder=3)


def _name_sides(axes: Axes, one: Scatter, names: Mapping[bool, str], *, height: float) -> None:
    """Name the colours beside a panel, at the mean ratings of both sides."""
    labels = []
    for side, (_, colour) in SIDES.items():
        inside = one.ratings[one.good == side] if one.good is not None else one.ratings
        if len(inside):
            labels.append(Label(names[side], 0.0, float(inside.mean()), darker(colour), mark="o"))
    layout.label_ends(axes, labels, size=SMALL, height=height)
