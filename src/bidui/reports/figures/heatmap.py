"""Heatmaps: accuracy by model (columns) and phenomenon or paradigm (rows)."""

from collections.abc import Mapping, Sequence
from math import cos, isfinite, nan, pi, sin

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure

from bidui.reports.figures.drawing import Drawing, Rows, check_parts, groups_of
from bidui.reports.figures.layout import Block, make_blocks, place, rows_under_headings, shortened, widest, word
from bidui.reports.figures.style import FAINT, INK, PAPER, SMALL, TINY, house_style
from bidui.words import Language

# From dark to light, so that failures stand out in grey as well; orange below chance, blue above, and no colour at
# chance: accuracies a little below and above it do not differ, and must not look as if they did.
SHADES = (
    *((0.0, "#4a1a04"), (0.25, "#a8500e"), (0.38, "#c98a50"), (0.46, "#b9b0a6"), (0.5, "#b9b4ae")),
    *((0.54, "#b9bcc0"), (0.6, "#b9cadb"), (0.75, "#cfe0f0"), (1.0, "#f7fbff")),
)
DARK = 0.4  # numbers on cells below this are white
LONGEST = 1.1  # inches: the most that the name of a model takes
SLANT = pi / 4
WIDEST = 0.45  # inches: the greatest width of a cell
NARROW = 0.14  # inches: above narrower cells, names are upright
KEY = 1.5  # inches: width of the key
FOOT = 0.5  # inches below the cells, with the key


def accuracy_heatmap(
    accuracies: Mapping[str, Mapping[str, float]],
    *,
    sections: Mapping[str, str] | None = None,
    language: Language = "en",
) -> Drawing:
    """Draw accuracies by model and group, in percent; `sections` puts groups, such as paradigms, under headings.

    Numbers are written in the cells where they fit. A long list is drawn as two blocks side by side.
    """
    models = tuple(accuracies)
    check_parts((value for values in accuracies.values() for value in values.values()), what=", ".join(models))
    rows = rows_under_headings(groups_of(accuracies), sections or {})
    row, size = (0.16, SMALL) if len(rows) <= 40 else (0.115, TINY)
    with house_style():
        names = [shortened(name, size=size, width=LONGEST) for name in models]
        longest = widest(names, size=size)
        blocks = make_blocks(rows, row=row, width="page", size=size)
        cell, reach = cell_width(blocks[0].width, len(models), longest=longest)
        slant = 45 if reach else 0
        if reach and cell < NARROW:  # slanted names would stand on each other
            cell, reach, slant = min(WIDEST, (blocks[0].width - 0.05) / len(models)), 0.05, 90
        # as many decimals of a percentage as fit in a cell; None where not even a whole number fits
        fitting = [count for count in (1, 0) if widest([f"{100:.{count}f}"], size=size) <= cell - 0.04]
        decimals = max(fitting, default=None)
        top = longest * sin(slant / 180 * pi) + (0.1 if slant == 90 else 0.16)
        height = max(len(block.rows) for block in blocks) * row
        across = max(blocks[-1].left + cell * len(models) + reach, blocks[0].left + KEY + 0.2)
        figure = Figure(figsize=(across, top + height + FOOT))
        for block in blocks:
            down = row * len(block.rows)
            axes = place(figure, left=block.left, top=top, width=cell * len(models), height=down)
            draw_cells(axes, block, accuracies, size=size, decimals=decimals)
            write_names(axes, block, names, size=size, slant=slant)
        draw_key(figure, left=blocks[0].left, language=language)
    lines: list[tuple[str | int | float, ...]] = []
    for group in (line.name for line in rows if not line.heading):
        values = [own.get(group, nan) for own in accuracies.values()]
        lines.append(((sections or {}).get(group, ""), group, *values))
    return Drawing(figure, Rows(("section", "group", *accuracies), tuple(lines)))


def cell_width(room: float, models: int, *, longest: float) -> tuple[float, float]:
    """Return the width of a cell, and how far the slanted name of the last reaches beyond it; 0 for level names."""
    level = min(WIDEST, room / models)
    if longest + 0.05 < level:
        return level, 0.0
    lean = longest * cos(SLANT) + 0.1  # from the middle of its cell
    cell = min(WIDEST, (room - lean) / (models - 0.5))
    return cell, lean - cell / 2


def shades() -> Colormap:
    """Return the colours from 0 to 1."""
    return LinearSegmentedColormap.from_list("bidui", list(SHADES))


def draw_cells(
    axes: Axes, block: Block, accuracies: Mapping[str, Mapping[str, float]], *, size: float, decimals: int | None
) -> None:
    """Draw the cells of a block, a number in each; a dash where there is no value."""
    models = tuple(accuracies)
    values = np.full((len(block.rows), len(models)), nan)
    for group, number in block.groups.items():
        values[number] = [accuracies[model].get(group, nan) for model in models]
    axes.pcolormesh(np.ma.masked_invalid(values), cmap=shades(), vmin=0, vmax=1, edgecolors=PAPER, linewidth=0.4)
    axes.set_ylim(len(block.rows), 0)
    for number in block.groups.values():
        for column, value in enumerate(values[number].tolist()):
            if isfinite(value) and decimals is None:
                continue
            text = f"{100 * value:.{decimals}f}" if isfinite(value) else "–"
            colour = FAINT if not isfinite(value) else PAPER if value < DARK else INK
            axes.text(column + 0.5, number + 0.53, text, ha="center", va="center", fontsize=size, color=colour)


def write_names(axes: Axes, block: Block, models: Sequence[str], *, size: float, slant: int) -> None:
    """Write models above, groups to the left, and headings above their groups."""
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labeltop=True, labelbottom=False, labelsize=size)
    axes.set_xticks([number + 0.5 for number in range(len(models))], models)
    for label in axes.get_xticklabels():
        side = "center" if slant == 90 else "bottom"
        label.set(rotation=slant, rotation_mode="anchor", ha="left" if slant else "center", va=side)
    axes.set_yticks([number + 0.5 for number in block.groups.values()], [block.names[name] for name in block.groups])
    for number, row in enumerate(block.rows):
        if row.heading:
            text = shortened(row.name, size=size, width=block.width)
            axes.text(0, number + 0.6, f" {text}", ha="left", va="center", fontsize=size, color=INK)


def draw_key(figure: Figure, *, left: float, language: Language) -> None:
    """Draw the key to the colours below the cells: from 0 to 100, with chance in the middle."""
    height = figure.get_size_inches()[1]
    axes = place(figure, left=left, top=height - FOOT + 0.1, width=KEY, height=0.08)
    steps = np.linspace(0.005, 0.995, 100)[None]
    axes.pcolormesh(np.linspace(0, 100, 101), [0, 1], steps, cmap=shades(), vmin=0, vmax=1)
    axes.set_yticks([])
    axes.set_xticks([0, 50, 100], ["0", f"50 ({word('chance', language)})", "100"])
    axes.set_xlabel(word("accuracy", language), labelpad=1)
    axes.spines[:].set_visible(False)
