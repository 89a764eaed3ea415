"""Regions: how far the good sentence is ahead of the bad one in each part, over training (Liu et al. 2024, 5.4)."""

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from bidui.report.figures.axes import log_axis, short_number
from bidui.report.figures.drawing import Drawing, Line, check_lines
from bidui.report.figures.labels import label_ends, word
from bidui.report.figures.lines import check_x, draw_line, reached, rows_of
from bidui.report.figures.panels import label_room, make_panels
from bidui.report.figures.style import RULE, SMALL, Width, house_style, looks
from bidui.words import Language


def region_differences(
    panels: Mapping[str, Sequence[Line]],
    *,
    at: Literal["tokens", "steps"] = "tokens",
    width: Width = "page",
    language: Language = "en",
) -> Drawing:
    """A panel a paradigm, a line a region: above zero, this part of the sentence speaks for the good one."""
    check_lines(panels, parts=False)
    check_x(panels)
    names = tuple(dict.fromkeys(line.name for lines in panels.values() for line in lines))
    heights = np.array([0.0, *(value for lines in panels.values() for line in lines for value in reached(line))])
    low, high = float(np.nanmin(heights)), float(np.nanmax(heights))
    room = (high - low or 1.0) * 0.06
    with house_style():
        right, shown = label_room(names, width=width)
        # regions differ from paradigm to paradigm, so they are named beside every panel
        made = make_panels(
            tuple(panels),
            width=width,
            right=right,
            between=right + 0.05,
            x_label=word(at, language),
            y_label=word("difference", language),
        )
        look = looks(names)
        places = [place for lines in panels.values() for line in lines for place in line.x.tolist()]
        for name, lines in panels.items():
            axes = made.axes[name]
            axes.set_ylim(low - room, high + room)
            axes.axhline(0, color=RULE, linewidth=0.6, zorder=0)
            log_axis(axes, places, text=lambda power: short_number(10.0**power, language), most=3)
            drawn = [draw_line(axes, line, look[line.name], shown[line.name]) for line in lines]
            label_ends(axes, [end for end in drawn if end], size=SMALL, height=made.height)
    return Drawing(made.figure, rows_of(panels, head=("paradigm", "region", at, "difference")))
