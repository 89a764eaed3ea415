"""Dots: accuracy of several models by phenomenon, with intervals and the value of people."""

from collections.abc import Mapping
from math import isfinite, nan

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bidui.report.figures.axes import per_cent_axis
from bidui.report.figures.blocks import Block, Row, make_blocks, name_rows
from bidui.report.figures.drawing import Drawing, Measured, Rows, check_parts, groups_of
from bidui.report.figures.labels import shortened, widths_of, word
from bidui.report.figures.panels import place
from bidui.report.figures.style import INK, RULE, SMALL, TEXT, TINY, WIDTHS, Look, Width, house_style, looks
from bidui.words import Language

STEP = 0.085  # inches between two models of a phenomenon: as high as a small letter with its line
AROUND = 0.10  # inches above the first and below the last
TOP, BOTTOM = 0.16, 0.40

Accuracies = Mapping[str, Mapping[str, Measured]]


def accuracy_by_phenomenon(
    accuracies: Accuracies,
    *,
    people: Mapping[str, float] | None = None,
    width: Width = "page",
    language: Language = "en",
) -> Drawing:
    """A dot a model with its interval of 95 per cent, phenomenon by phenomenon; people are an upright line.

    Models stand in the same order in every phenomenon and are named where they come first.
    """
    groups = groups_of(accuracies)
    known = {group: value for group, value in (people or {}).items() if group in groups}
    check_parts((one.value for values in accuracies.values() for one in values.values()), what=", ".join(accuracies))
    check_parts(known.values(), what=word("people", "en"))
    row = len(accuracies) * STEP + AROUND
    with house_style():
        blocks = make_blocks([Row(group) for group in groups], row=row, width=width, size=TEXT, right=0.04, names=0.36)
        rows = max(len(block.rows) for block in blocks)
        figure = Figure(figsize=(WIDTHS[width], TOP + rows * row + BOTTOM))
        dots = [one for values in accuracies.values() for one in values.values()]
        reached = [*known.values(), *(end for one in dots for end in _ends(one))]
        for block in blocks:
            axes = place(figure, left=block.left, top=TOP, width=block.width, height=row * len(block.rows))
            per_cent_axis(axes, (100 * value for value in reached), which="x", inches=block.width)
            axes.set_xlabel(word("accuracy", language))
            name_rows(axes, [block.names[one.name] for one in block.rows], size=TEXT)
            for number in range(1, len(block.rows)):
                axes.axhline(number, color=RULE, linewidth=0.4, zorder=0)
            draw_people(axes, block, known, language=language)
            for number, (model, look) in enumerate(looks(accuracies).items()):
                offset = (AROUND / 2 + (number + 0.5) * STEP) / row
                draw_model(axes, block, accuracies[model], look, offset=offset)
            label_models(axes, block, accuracies, people=known, row=row)
    return Drawing(figure, dot_rows(accuracies, known))


def draw_people(axes: Axes, block: Block, people: Mapping[str, float], *, language: Language) -> None:
    """An upright line through the row of each group, named where it comes first."""
    for group, number in block.groups.items():
        value = 100 * people.get(group, nan)
        axes.plot([value, value], [number + 0.06, number + 0.94], color=INK, linewidth=0.8, zorder=1)
    first = next((group for group in block.groups if isfinite(people.get(group, nan))), None)
    if first is not None:
        point = (100 * people[first], block.groups[first] + 0.06)
        axes.annotate(word("people", language), point, (0, 3), textcoords="offset points", ha="center", fontsize=SMALL)


def draw_model(axes: Axes, block: Block, values: Mapping[str, Measured], look: Look, *, offset: float) -> None:
    """The dots of a model, and its intervals where they are known."""
    for group, number in block.groups.items():
        one = values.get(group, Measured(nan))
        axes.plot([100 * one.low, 100 * one.high], [number + offset] * 2, color=look.colour, linewidth=0.7, zorder=2)
    heights = [number + offset for number in block.groups.values()]
    dots = [100 * values.get(group, Measured(nan)).value for group in block.groups]
    axes.plot(dots, heights, look.mark, color=look.colour, markersize=3, markeredgewidth=0, zorder=3)


def label_models(axes: Axes, block: Block, accuracies: Accuracies, *, people: Mapping[str, float], row: float) -> None:
    """The name of each model beside its first dot, on a side where there is room and people are not."""
    low, high = axes.get_xlim()
    inch = (high - low) / block.width
    for number, (model, look) in enumerate(looks(accuracies).items()):
        values = accuracies[model]
        group = next((name for name in block.groups if name in values and isfinite(values[name].value)), None)
        if group is None:
            continue
        one, taken = values[group], 100 * people.get(group, nan)
        ends = [100 * end for end in _ends(one) if isfinite(end)]
        text = shortened(model, size=TINY, width=block.width / 2.5)
        long = (0.07 + widths_of([text], size=TINY)[0]) * inch
        left_free = min(ends) - long >= low and not min(ends) - long <= taken <= min(ends)
        right_free = max(ends) + long <= high and not max(ends) <= taken <= max(ends) + long
        to_right = right_free or not left_free
        axes.annotate(
            text,
            (max(ends) if to_right else min(ends), block.groups[group] + (AROUND / 2 + (number + 0.5) * STEP) / row),
            (3.5 if to_right else -3.5, 0),
            textcoords="offset points",
            ha="left" if to_right else "right",
            va="center_baseline",
            fontsize=TINY,
            color=look.ink,
        )


def dot_rows(accuracies: Accuracies, people: Mapping[str, float]) -> Rows:
    """A row a dot, people last."""
    lines = [
        (group, model, one.value, one.low, one.high)
        for model, values in accuracies.items()
        for group, one in values.items()
    ]
    lines += [(group, "people", value, nan, nan) for group, value in people.items()]
    return Rows(("group", "model", "accuracy", "low", "high"), tuple(lines))


def _ends(one: Measured) -> tuple[float, float, float]:
    return one.value, one.low, one.high
