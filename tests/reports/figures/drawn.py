"""What stands in a figure, read back from its artists."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

from bidui.reports.figures.style import house_style

Points = list[tuple[float, float]]


def panel(figure: Figure, title: str) -> Axes:
    """The panel under a title."""
    return next(axes for axes in figure.axes if axes.get_title(loc="left") == title)


def marks(axes: Axes, mark: str) -> Points:
    """The points with a mark."""
    return [point for line in axes.lines if line.get_marker() == mark for point in _points(line)]


def line(axes: Axes, name: str) -> Points:
    """The points of a named line."""
    return next(_points(found) for found in axes.lines if found.get_label() == name)


def levels(axes: Axes) -> list[float]:
    """The heights of the lines that go from one side to the other."""
    return [_points(found)[0][1] for found in axes.lines if list(found.get_xdata()) == [0, 1]]


def words(figure: Figure) -> list[str]:
    """Everything that is written."""
    return [text.get_text() for text in _shown(figure)]


def unreadable(figure: Figure) -> list[str]:
    """Texts that reach over the edge of the figure, and pairs that share more than a hair's breadth of paper.

    Slanting texts, whose boxes say little, are looked at for the edge only.
    """
    with house_style():
        FigureCanvasAgg(figure).draw()
        shown = _shown(figure)
        # of the text alone: that of an annotation reaches to what it names
        x0, y0, x1, y1 = np.array([Text.get_window_extent(text).extents for text in shown]).T
    width, height = figure.bbox.size
    over = np.flatnonzero((x0 < 0) | (y0 < 0) | (x1 > width) | (y1 > height))
    level = np.array([text.get_rotation() in (0, 90) for text in shown])
    across = np.minimum.outer(x1, x1) - np.maximum.outer(x0, x0)
    down = np.minimum.outer(y1, y1) - np.maximum.outer(y0, y0)
    both = np.argwhere(np.triu((across > 1) & (down > 1) & np.logical_and.outer(level, level), k=1))
    return [shown[n].get_text() for n in over] + [" / ".join(shown[n].get_text() for n in pair) for pair in both]


def _shown(figure: Figure) -> list[Text]:
    """All texts but empty ones and the numbers of ticks beyond the ends of an axis."""
    axles = [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]
    ticks = [(tick, *sorted(axis.get_view_interval())) for axis in axles for tick in axis.get_major_ticks()]
    beyond = {
        id(label)
        for tick, low, high in ticks
        for label in (tick.label1, tick.label2)
        if not low <= tick.get_loc() <= high
    }
    found = [text for text in figure.findobj(Text) if isinstance(text, Text) and text.get_visible()]
    return [text for text in found if text.get_text() and id(text) not in beyond]


def _points(found: Line2D) -> Points:
    return [(float(x), float(y)) for x, y in zip(found.get_xdata(), found.get_ydata(), strict=True)]
