"""Dots in rows: accuracy by phenomenon with intervals, the gap between models and humans, and length bias."""

from collections.abc import Mapping
from math import isfinite, nan

from matplotlib.axes import Axes

from bidui.analysis.people import Gap
from bidui.errors import Place, fail
from bidui.intervals import Estimate
from bidui.reports.figures import layout, style
from bidui.reports.figures.drawing import Drawing, Rows, check_parts, groups_of
from bidui.reports.figures.layout import Block, Label, word
from bidui.reports.figures.style import COLOURS, FAINT, INK, RULE, SMALL, TEXT, TINY, Look, darker, house_style, looks
from bidui.scores.choices import LengthSplit
from bidui.words import Language

STEP = 0.085  # inches between two models of a phenomenon: the height of a line of small letters
AROUND = 0.10  # inches above the first and below the last
TOP = 0.16

Accuracies = Mapping[str, Mapping[str, Estimate]]


def accuracy_by_phenomenon(accuracies: Accuracies, *, language: Language = "en") -> Drawing:
    """Draw one dot per model and phenomenon with its interval.

    Models are in the same order in every phenomenon and are named where they first occur.
    """
    groups = groups_of(accuracies)
    named = [(group, model, one) for model, values in accuracies.items() for group, one in values.items()]
    lines = [(group, model, one.value, one.low, one.high) for group, model, one in named]
    check_parts((one.value for _, _, one in named), what=", ".join(accuracies))
    row = len(accuracies) * STEP + AROUND
    with house_style():
        reached = [end for _, _, *ends in lines for end in ends]
        figure, placed = layout.percent_rows(
            groups, reached, row=row, size=TEXT, width="page", language=language, top=TOP, right=0.04, share=0.36
        )
        for block, axes in placed:
            for number in range(1, len(block.rows)):
                axes.axhline(number, color=RULE, linewidth=0.4, zorder=0)
            for number, (model, look) in enumerate(_looks(accuracies, language).items()):
                offset = (AROUND / 2 + (number + 0.5) * STEP) / row
                heights = [row_number + offset for row_number in block.groups.values()]
                ones = [accuracies[model].get(group, Estimate(nan)) for group in block.groups]
                for y, one in zip(heights, ones, strict=True):
                    interval = [100 * one.low, 100 * one.high]
                    axes.plot(interval, [y, y], color=look.colour, linewidth=0.7, zorder=2)
                dots = [100 * one.value for one in ones]
                axes.plot(dots, heights, look.mark, color=look.colour, markersize=3, markeredgewidth=0, zorder=3)
            label_models(axes, block, accuracies, row=row, language=language)
    return Drawing(figure, Rows(("group", "model", "accuracy", "low", "high"), tuple(lines)))


def _looks(accuracies: Accuracies, language: Language) -> dict[str, Look]:
    """Return the looks of models; humans are a black diamond, as in the other figures."""
    people = word("people", language)
    drawn = looks(name for name in accuracies if name != people)
    return {name: drawn[name] if name != people else Look(INK, "D", "-") for name in accuracies}


def label_models(axes: Axes, block: Block, accuracies: Accuracies, *, row: float, language: Language) -> None:
    """Write the name of each model beside its first dot, on the side where there is room."""
    low, high = axes.get_xlim()
    inch = (high - low) / block.width
    for number, (model, look) in enumerate(_looks(accuracies, language).items()):
        values = accuracies[model]
        group = next((name for name in block.groups if name in values and isfinite(values[name].value)), None)
        if group is None:
            continue
        one = values[group]
        ends = [100 * end for end in (one.value, one.low, one.high) if isfinite(end)]
        text = layout.shortened(model, size=TINY, width=block.width / 2.5)
        long = (0.07 + layout.widths_of([text], size=TINY)[0]) * inch
        to_right = max(ends) + long <= high or min(ends) - long < low
        y = block.groups[group] + (AROUND / 2 + (number + 0.5) * STEP) / row
        x, away, ha = (max(ends), 3.5, "left") if to_right else (min(ends), -3.5, "right")
        layout.write_near(axes, text, (x, y), (away, 0), size=TINY, colour=look.ink, ha=ha)


# The gap to humans: the best model beside them by phenomenon, the widest gap first (Liu et al., Table 6).

ROW, HEAD = 0.17, 0.22  # inches: of a group, and above the first
NUMBER = 0.3  # inches for a gap in points
BEHIND, AHEAD = COLOURS[1], COLOURS[0]


Ends = tuple[float, float]


def human_gap(
    gaps: Mapping[str, Gap], *, intervals: Mapping[str, tuple[Ends, Ends]] | None = None, language: Language = "en"
) -> Drawing:
    """Draw humans as a diamond, the best model as a dot, and write the gap in points beside them.

    `intervals` are those of humans and of the model. Where different models are best, each is named in its row.
    """
    if not gaps:
        raise fail("figure-nothing", Place())
    unknown = ((nan, nan), (nan, nan))
    within = {name: (intervals or {}).get(name, unknown) for name in gaps}
    reached = [value for gap in gaps.values() for value in (gap.people, gap.best)]
    reached += [end for both in within.values() for ends in both for end in ends]
    check_parts(reached, what=", ".join(gaps))
    order = sorted(gaps, key=lambda name: -gaps[name].gap if isfinite(gaps[name].gap) else 2.0)
    models = {gap.model for gap in gaps.values()}
    with house_style():
        shown = {model: layout.shortened(model, size=TINY, width=style.WIDTHS["column"] / 4) for model in models}
        right = NUMBER + (layout.widest(shown.values(), size=TINY) + 0.11 if len(models) > 1 else 0.04)
        figure, placed = layout.percent_rows(
            order, reached, row=ROW, size=SMALL, width="column", language=language, head=HEAD, right=right
        )
        for block, axes in placed:
            layout.write_beside(axes, word("gap", language), y=-0.5, size=TINY, colour=FAINT)
            for name, number in block.groups.items():
                draw_gap(axes, gaps[name], within=within[name], y=number + 0.5)
                if len(models) > 1:
                    text = shown[gaps[name].model]
                    layout.write_beside(axes, text, y=number + 0.5, size=TINY, colour=FAINT, points=4 + NUMBER * 72)
            label_first(axes, block, gaps, alone=len(models) == 1, language=language)
    heads = ("group", "people", "people_low", "people_high", "model", "accuracy", "low", "high", "gap")
    lines = []
    for name in order:
        gap, (of_people, of_best) = gaps[name], within[name]
        lines.append((name, gap.people, *of_people, gap.model, gap.best, *of_best, gap.gap))
    return Drawing(figure, Rows(heads, tuple(lines)))


def draw_gap(axes: Axes, gap: Gap, *, within: tuple[Ends, Ends], y: float) -> None:
    """Draw one row: the gap between humans and the model, coloured by who is ahead, and the intervals of both."""
    colour = BEHIND if gap.gap > 0 else AHEAD
    axes.plot([100 * gap.best, 100 * gap.people], [y, y], color=colour, linewidth=1.6, alpha=0.35, zorder=1)
    for ends, shade in zip(within, (INK, colour), strict=True):
        axes.plot([100 * end for end in ends], [y, y], color=shade, linewidth=0.7, zorder=2)
    axes.plot([100 * gap.people], [y], marker="D", color=INK, markersize=3, markeredgewidth=0, zorder=3)
    axes.plot([100 * gap.best], [y], marker="o", color=colour, markersize=3.4, markeredgewidth=0, zorder=4)
    points = f"{100 * gap.gap:+z.1f}".replace("-", "−") if isfinite(gap.gap) else "–"
    layout.write_beside(axes, "0.0" if points == "+0.0" else points, y=y, size=SMALL, colour=darker(colour))


def label_first(axes: Axes, block: Block, gaps: Mapping[str, Gap], *, alone: bool, language: Language) -> None:
    """Name the marks above the first row."""
    gap = gaps[block.rows[0].name]
    colour = darker(BEHIND if gap.gap > 0 else AHEAD)
    model = layout.shortened(gap.model, size=TINY, width=block.width / 2) if alone else word("best", language)
    labels = [Label(model, 100 * gap.best, 0.5, colour), Label(word("people", language), 100 * gap.people, 0.5, INK)]
    layout.label_above(axes, [label for label in labels if isfinite(label.x)], y=-0.1, width=block.width, size=TINY)


# Length bias: accuracy on D=, D< and D> by linking function, one panel per model (Liu et al., Table 5).

SPLIT_ROW, SPLIT_HEAD = 0.16, 0.2  # inches: of a linking function, and above the first
MARKS = {"D=": ("o", INK), "D<": ("<", COLOURS[0]), "D>": (">", COLOURS[1])}

Splits = Mapping[str, Mapping[str, LengthSplit]]


def length_bias(splits: Splits, *, language: Language = "en") -> Drawing:
    """Draw three marks per linking function, the closer the less biased, and write delta-acc in points beside them."""
    links = groups_of(splits)
    named = [(model, link, split) for model, by_link in splits.items() for link, split in by_link.items()]
    lines = [(model, link, s.equal, s.good_shorter, s.good_longer, s.delta) for model, link, s in named]
    values = [value for _, _, *groups, _ in lines for value in groups]
    check_parts(values, what=", ".join(splits))
    with house_style():
        shown = [layout.shortened(link, size=SMALL, width=style.WIDTHS["page"] / 4) for link in links]
        made = layout.make_panels(
            tuple(splits),
            width="page",
            left=layout.widest(shown, size=SMALL) + 0.1,
            right=0.4,
            between=0.45,
            height=len(links) * SPLIT_ROW + SPLIT_HEAD,
            x_label=word("accuracy", language),
        )
        for model, by_link in splits.items():
            axes = made.axes[model]
            layout.per_cent_axis(axes, (100 * value for value in values), which="x", inches=made.width)
            layout.name_rows(axes, shown, size=SMALL, head=SPLIT_HEAD / SPLIT_ROW)
            layout.write_beside(axes, word("bias", language), y=-SPLIT_HEAD / SPLIT_ROW - 0.4, size=TINY, colour=FAINT)
            for row, link in enumerate(links):
                if link in by_link:
                    draw_split(axes, by_link[link], y=row + 0.5)
        fullest = max(splits, key=lambda model: len(known_groups(splits[model].get(links[0]))))
        marks = known_groups(splits[fullest].get(links[0]))
        labels = [Label(word(group, language), value, 0.5, darker(MARKS[group][1])) for group, value in marks.items()]
        layout.label_above(made.axes[fullest], labels, y=-0.15, width=made.width, size=TINY)
    return Drawing(made.figure, Rows(("model", "link", "D=", "D<", "D>", "delta"), tuple(lines)))


def known_groups(split: LengthSplit | None) -> Mapping[str, float]:
    """Return the accuracy, in percent, on the groups that have pairs."""
    values = {"D=": split.equal, "D<": split.good_shorter, "D>": split.good_longer} if split else {}
    return {group: 100 * value for group, value in values.items() if isfinite(value)}


def draw_split(axes: Axes, split: LengthSplit, *, y: float) -> None:
    """Draw a linking function: a line from the lowest to the highest mark, the marks, and delta-acc."""
    values = known_groups(split)
    if values:
        axes.plot([min(values.values()), max(values.values())], [y, y], color=RULE, linewidth=1.2, zorder=1)
    for group, value in values.items():
        mark, colour = MARKS[group]
        axes.plot([value], [y], marker=mark, color=colour, markersize=3.4, markeredgewidth=0, zorder=3)
    layout.write_beside(axes, f"{100 * split.delta:.1f}" if isfinite(split.delta) else "–", y=y, size=SMALL, colour=INK)
