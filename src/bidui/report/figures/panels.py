"""Small multiples: panels of one size with common axes, a group each, laid out in inches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bidui.report.figures.labels import shortened, widest
from bidui.report.figures.style import SMALL, TEXT, WIDTHS, Width

LEFT, BOTTOM, TOP = 0.42, 0.40, 0.20  # inches: for words and numbers on the outer sides
ACROSS, DOWN = 0.12, 0.25  # between panels; a title stands in the lower one
SHAPE, HIGHEST = 0.74, 2.0  # height over width of a panel, and its greatest height


@dataclass(frozen=True, slots=True)
class Panels:
    """A figure, the axes of every group, their size in inches, and the groups that stand at the end of a row."""

    figure: Figure
    axes: Mapping[str, Axes]
    width: float
    height: float
    at_row_end: frozenset[str]


def place(figure: Figure, *, left: float, top: float, width: float, height: float) -> Axes:
    """New axes so many inches from the left and from the top of a figure."""
    across, down = figure.get_size_inches()
    return figure.add_axes((left / across, 1 - (top + height) / down, width / across, height / down))


def make_panels(
    names: Sequence[str],
    *,
    width: Width,
    right: float,
    x_label: str,
    y_label: str = "",
    left: float = LEFT,
    between: float = ACROSS,
    height: float | None = None,
    columns: int | None = None,
) -> Panels:
    """Empty panels under their names; `right` inches are kept free beside the last of a row.

    Numbers stand only at the outer axes, below the lowest panel of each column, and the words once.
    """
    columns = columns or column_count(len(names), width)
    rows = ceil(len(names) / columns)
    across = (WIDTHS[width] - left - right - (columns - 1) * between) / columns
    down = height or min(HIGHEST, across * SHAPE)
    figure = Figure(figsize=(WIDTHS[width], TOP + rows * down + (rows - 1) * DOWN + BOTTOM))
    found: dict[str, Axes] = {}
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        start = left + column * (across + between)
        axes = place(figure, left=start, top=TOP + row * (down + DOWN), width=across, height=down)
        axes.set_title(shortened(name, size=TEXT, width=across))
        axes.tick_params(labelleft=column == 0, labelbottom=number + columns >= len(names))
        found[name] = axes
    write_axis_words(figure, x=x_label, y=y_label, left=left, right=right)
    ends = frozenset(name for number, name in enumerate(names, 1) if number % columns == 0 or number == len(names))
    return Panels(figure, found, across, down, ends)


def write_axis_words(figure: Figure, *, x: str, y: str, left: float, right: float) -> None:
    """What the axes of all panels count, once below and once to the left."""
    width, height = figure.get_size_inches()
    figure.text((left + (width - left - right) / 2) / width, 0.05 / height, x, ha="center", va="bottom", fontsize=TEXT)
    if y:
        middle = (BOTTOM + (height - BOTTOM - TOP) / 2) / height
        figure.text(0.04 / width, middle, y, ha="left", va="center", rotation=90, fontsize=TEXT)


def column_count(panels: int, width: Width) -> int:
    """How many panels stand side by side: in as few rows as can be read, and these as even as can be."""
    rows = ceil(panels / (4 if width == "page" else 2))
    return ceil(panels / rows)


def label_room(names: Sequence[str], *, width: Width) -> tuple[float, Mapping[str, str]]:
    """The inches that names need to the right of the panels, and the names, cut to at most a fifth of the width."""
    most = WIDTHS[width] / 5
    shown = {name: shortened(name, size=SMALL, width=most) for name in names}
    return widest(shown.values(), size=SMALL) + 0.15, shown
