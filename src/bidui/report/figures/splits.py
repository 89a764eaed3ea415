"""Length bias: accuracy on D=, D< and D> by linking function, a panel a model (Liu et al., Table 5)."""

from collections.abc import Mapping
from math import isfinite

from matplotlib.axes import Axes

from bidui.report.figures.axes import per_cent_axis
from bidui.report.figures.blocks import name_rows
from bidui.report.figures.drawing import Drawing, Rows, check_parts, groups_of
from bidui.report.figures.labels import Label, label_above, shortened, widest, word, write_beside
from bidui.report.figures.panels import make_panels
from bidui.report.figures.style import COLOURS, FAINT, INK, RULE, SMALL, TINY, WIDTHS, Width, darker, house_style
from bidui.scores.choices import LengthSplit
from bidui.words import Language

ROW, HEAD = 0.16, 0.2  # inches: of a linking function, and above the first
MARKS = {"D=": ("o", INK), "D<": ("<", COLOURS[0]), "D>": (">", COLOURS[1])}

Splits = Mapping[str, Mapping[str, LengthSplit]]


def length_bias(splits: Splits, *, width: Width = "page", language: Language = "en") -> Drawing:
    """Three marks a linking function, the closer together the less biased, and delta-acc, in points, beside them."""
    links = groups_of(splits)
    values = [value for by_link in splits.values() for split in by_link.values() for value in by_group(split).values()]
    check_parts(values, what=", ".join(splits))
    with house_style():
        shown = [shortened(link, size=SMALL, width=WIDTHS[width] / 4) for link in links]
        made = make_panels(
            tuple(splits),
            width=width,
            left=widest(shown, size=SMALL) + 0.1,
            right=0.4,
            between=0.45,
            height=len(links) * ROW + HEAD,
            x_label=word("accuracy", language),
        )
        for model, by_link in splits.items():
            axes = made.axes[model]
            per_cent_axis(axes, (100 * value for value in values), which="x", inches=made.width)
            name_rows(axes, shown, size=SMALL, head=HEAD / ROW)
            write_beside(axes, word("bias", language), y=-HEAD / ROW - 0.4, size=TINY, colour=FAINT)
            for row, link in enumerate(links):
                if link in by_link:
                    draw_split(axes, by_link[link], y=row + 0.5)
        fullest = max(splits, key=lambda model: len(known_groups(splits[model].get(links[0]))))
        label_marks(made.axes[fullest], splits[fullest].get(links[0]), width=made.width, language=language)
    return Drawing(made.figure, bias_rows(splits))


def by_group(split: LengthSplit) -> Mapping[str, float]:
    """Accuracy on each group of pairs."""
    return {"D=": split.equal, "D<": split.good_shorter, "D>": split.good_longer}


def known_groups(split: LengthSplit | None) -> Mapping[str, float]:
    """Accuracy, in per cent, on the groups that have pairs."""
    found = by_group(split) if split else {}
    return {group: 100 * value for group, value in found.items() if isfinite(value)}


def draw_split(axes: Axes, split: LengthSplit, *, y: float) -> None:
    """A linking function: a rule from the lowest to the highest of the three, the marks, and delta-acc."""
    found = known_groups(split)
    if found:
        axes.plot([min(found.values()), max(found.values())], [y, y], color=RULE, linewidth=1.2, zorder=1)
    for group, value in found.items():
        mark, colour = MARKS[group]
        axes.plot([value], [y], marker=mark, color=colour, markersize=3.4, markeredgewidth=0, zorder=3)
    write_beside(axes, f"{100 * split.delta:.1f}" if isfinite(split.delta) else "–", y=y, size=SMALL, colour=INK)


def label_marks(axes: Axes, split: LengthSplit | None, *, width: float, language: Language) -> None:
    """What the marks are, above those of the first linking function."""
    found = known_groups(split)
    labels = [Label(word(group, language), value, 0.5, darker(MARKS[group][1])) for group, value in found.items()]
    label_above(axes, labels, y=-0.15, width=width, size=TINY)


def bias_rows(splits: Splits) -> Rows:
    """A row a model and linking function."""
    lines = [
        (model, link, split.equal, split.good_shorter, split.good_longer, split.delta)
        for model, by_link in splits.items()
        for link, split in by_link.items()
    ]
    return Rows(("model", "link", "D=", "D<", "D>", "delta"), tuple(lines))
