"""The gap to people: the best model beside them by phenomenon, the widest gap first (Liu et al., Table 6)."""

from collections.abc import Mapping
from math import isfinite, nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bidui.analysis.humans import Gap
from bidui.errors import Place, fail
from bidui.report.figures.axes import per_cent_axis
from bidui.report.figures.blocks import Block, Row, make_blocks, name_rows
from bidui.report.figures.drawing import Drawing, Rows, check_parts
from bidui.report.figures.labels import Label, label_above, shortened, widest, word, write_beside
from bidui.report.figures.panels import place
from bidui.report.figures.style import COLOURS, FAINT, INK, SMALL, TINY, WIDTHS, Width, darker, house_style
from bidui.words import Language

ROW, HEAD, TOP, BOTTOM = 0.17, 0.22, 0.05, 0.40  # inches
NUMBER = 0.3  # inches for a gap in points
BEHIND, AHEAD = COLOURS[1], COLOURS[0]


def human_gap(
    gaps: Mapping[str, Gap],
    *,
    intervals: Mapping[str, tuple[float, float]] | None = None,
    width: Width = "column",
    language: Language = "en",
) -> Drawing:
    """People as a diamond, the best model as a dot with its interval, and people less the model, in points, beside.

    Where different models are best, each is named in its row.
    """
    if not gaps:
        raise fail("figure-nothing", Place())
    within = {name: intervals[name] for name in gaps if name in intervals} if intervals else {}
    reached = [value for gap in gaps.values() for value in (gap.people, gap.best)]
    reached += [end for ends in within.values() for end in ends]
    check_parts(reached, what=", ".join(gaps))
    order = sorted(gaps, key=lambda name: -gaps[name].gap if isfinite(gaps[name].gap) else 2.0)
    models = {gap.model for gap in gaps.values()}
    with house_style():
        shown = {model: shortened(model, size=TINY, width=WIDTHS[width] / 4) for model in models}
        right = NUMBER + (widest(shown.values(), size=TINY) + 0.11 if len(models) > 1 else 0.04)
        blocks = make_blocks([Row(name) for name in order], row=ROW, width=width, size=SMALL, right=right)
        down = max(len(block.rows) for block in blocks) * ROW
        figure = Figure(figsize=(WIDTHS[width], TOP + HEAD + down + BOTTOM))
        for block in blocks:
            axes = place(figure, left=block.left, top=TOP, width=block.width, height=HEAD + ROW * len(block.rows))
            per_cent_axis(axes, (100 * value for value in reached), which="x", inches=block.width)
            name_rows(axes, [block.names[one.name] for one in block.rows], size=SMALL, head=HEAD / ROW)
            axes.set_xlabel(word("accuracy", language))
            write_beside(axes, word("gap", language), y=-0.5, size=TINY, colour=FAINT)
            for name, number in block.groups.items():
                draw_gap(axes, gaps[name], within=within.get(name, (nan, nan)), y=number + 0.5)
                if len(models) > 1:
                    text = shown[gaps[name].model]
                    write_beside(axes, text, y=number + 0.5, size=TINY, colour=FAINT, points=4 + NUMBER * 72)
            label_first(axes, block, gaps, alone=len(models) == 1, language=language)
    return Drawing(figure, gap_rows(gaps, order, within))


def draw_gap(axes: Axes, gap: Gap, *, within: tuple[float, float], y: float) -> None:
    """One row: what lies between people and the model, coloured by who is ahead."""
    colour = BEHIND if gap.gap > 0 else AHEAD
    axes.plot([100 * gap.best, 100 * gap.people], [y, y], color=colour, linewidth=1.6, alpha=0.35, zorder=1)
    axes.plot([100 * end for end in within], [y, y], color=colour, linewidth=0.7, zorder=2)
    axes.plot([100 * gap.people], [y], marker="D", color=INK, markersize=3, markeredgewidth=0, zorder=3)
    axes.plot([100 * gap.best], [y], marker="o", color=colour, markersize=3.4, markeredgewidth=0, zorder=4)
    write_beside(axes, points_text(gap.gap), y=y, size=SMALL, colour=darker(colour))


def points_text(gap: float) -> str:
    """A gap in points with its sign; what rounds to nothing has none."""
    if not isfinite(gap):
        return "–"
    points = round(100 * gap, 1)
    return f"{points:+.1f}".replace("-", "−") if points else "0.0"


def label_first(axes: Axes, block: Block, gaps: Mapping[str, Gap], *, alone: bool, language: Language) -> None:
    """Who the marks are, above the first row."""
    gap = gaps[block.rows[0].name]
    colour = darker(BEHIND if gap.gap > 0 else AHEAD)
    model = shortened(gap.model, size=TINY, width=block.width / 2) if alone else word("best", language)
    labels = [Label(model, 100 * gap.best, 0.5, colour), Label(word("people", language), 100 * gap.people, 0.5, INK)]
    label_above(axes, [label for label in labels if isfinite(label.x)], y=-0.1, width=block.width, size=TINY)


def gap_rows(gaps: Mapping[str, Gap], order: list[str], within: Mapping[str, tuple[float, float]]) -> Rows:
    """A row a phenomenon, in the order drawn."""
    lines = (
        (name, gaps[name].people, gaps[name].model, gaps[name].best, *within.get(name, (nan, nan)), gaps[name].gap)
        for name in order
    )
    return Rows(("group", "people", "model", "accuracy", "low", "high", "gap"), tuple(lines))
