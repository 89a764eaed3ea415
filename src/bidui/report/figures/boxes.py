"""Box plots: how accuracies spread, over models or over paradigms, a box each (Song et al., Figures 6 and 7)."""

from collections.abc import Mapping
from math import isfinite, nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bidui.analysis.summary import Box
from bidui.errors import Place, fail
from bidui.report.figures.axes import per_cent_axis
from bidui.report.figures.blocks import Block, Row, make_blocks, name_rows
from bidui.report.figures.drawing import Drawing, Rows, check_parts
from bidui.report.figures.labels import Label, label_above, word
from bidui.report.figures.panels import place
from bidui.report.figures.style import COLOURS, INK, SMALL, TINY, WIDTHS, Width, darker, house_style
from bidui.words import Language

HEAD, TOP, BOTTOM = 0.2, 0.05, 0.40  # inches: for the names of marks, above, and below with the numbers
THICK = 0.62  # of a box, in rows
FILL, MEDIAN, MEAN = "#cfe3f1", COLOURS[1], COLOURS[2]


def box_plots(
    boxes: Mapping[str, Box],
    *,
    people: Mapping[str, float] | None = None,
    width: Width = "column",
    language: Language = "en",
) -> Drawing:
    """Quartiles as a box, a line at the median, a triangle at the mean, whiskers, outliers; people are a diamond."""
    if not boxes:
        raise fail("figure-nothing", Place())
    known = {name: value for name, value in (people or {}).items() if name in boxes}
    reached = [value for box in boxes.values() for value in (box.summary.minimum, box.summary.maximum)]
    check_parts([*reached, *known.values()], what=", ".join(boxes))
    row, size = (0.15, SMALL) if len(boxes) <= 40 else (0.12, TINY)
    with house_style():
        rows = [Row(name) for name in boxes]
        blocks = make_blocks(rows, row=row, width=width, size=size, right=0.06)
        down = max(len(block.rows) for block in blocks) * row
        figure = Figure(figsize=(WIDTHS[width], TOP + HEAD + down + BOTTOM))
        for block in blocks:
            height = HEAD + row * len(block.rows)
            axes = place(figure, left=block.left, top=TOP, width=block.width, height=height)
            per_cent_axis(axes, (100 * value for value in (*reached, *known.values())), which="x", inches=block.width)
            name_rows(axes, [block.names[one.name] for one in block.rows], size=size, head=HEAD / row)
            axes.set_xlabel(word("accuracy", language))
            for name, number in block.groups.items():
                draw_box(axes, boxes[name], y=number + 0.5, people=known.get(name, nan))
            label_first(axes, block, boxes, people=known, language=language)
    return Drawing(figure, box_rows(boxes, known))


def draw_box(axes: Axes, box: Box, *, y: float, people: float) -> None:
    """One box, in per cent."""
    summary, half = box.summary, THICK / 2
    first, third = 100 * summary.first_quartile, 100 * summary.third_quartile
    for inner, outer in ((first, 100 * box.low_whisker), (third, 100 * box.high_whisker)):
        axes.plot([inner, outer], [y, y], color=INK, linewidth=0.6, zorder=1)
    axes.barh(y, third - first, left=first, height=THICK, color=FILL, edgecolor=INK, linewidth=0.5, zorder=2)
    axes.plot([100 * summary.median] * 2, [y - half, y + half], color=MEDIAN, linewidth=1.2, zorder=3)
    axes.plot([100 * summary.mean], [y], marker="^", color=MEAN, markersize=2.8, markeredgewidth=0, zorder=4)
    outliers = [100 * value for value in box.outliers]
    axes.plot(outliers, [y] * len(outliers), "o", markersize=1.8, markerfacecolor="none", markeredgecolor=INK, zorder=2)
    if isfinite(people):
        axes.plot([100 * people], [y], marker="D", color=INK, markersize=2.4, markeredgewidth=0, zorder=5)


def label_first(
    axes: Axes, block: Block, boxes: Mapping[str, Box], *, people: Mapping[str, float], language: Language
) -> None:
    """What the marks are, above the first box; people may be missing there, and are named where they come first."""
    summary = boxes[block.rows[0].name].summary
    labels = [
        Label(word("median", language), 100 * summary.median, 0.3, darker(MEDIAN)),
        Label(word("mean", language), 100 * summary.mean, 0.5, darker(MEAN)),
    ]
    marked = next((group for group in block.groups if isfinite(people.get(group, nan))), None)
    if marked is not None:
        labels.append(Label(word("people", language), 100 * people[marked], block.groups[marked] + 0.5, INK))
    label_above(axes, labels, y=-0.15, width=block.width, size=TINY)


def box_rows(boxes: Mapping[str, Box], people: Mapping[str, float]) -> Rows:
    """A row a box; outliers stand in one cell, parted by blanks."""
    head = ("name", "count", "minimum", "low_whisker", "first_quartile", "median", "third_quartile", "high_whisker")
    lines = []
    for name, box in boxes.items():
        one, outliers = box.summary, " ".join(repr(value) for value in box.outliers)
        within = (box.low_whisker, one.first_quartile, one.median, one.third_quartile, box.high_whisker)
        lines.append((name, one.count, one.minimum, *within, one.maximum, one.mean, outliers, people.get(name, nan)))
    return Rows((*head, "maximum", "mean", "outliers", "people"), tuple(lines))
