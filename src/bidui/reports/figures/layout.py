"""Layout: the scales of axes, labels that do not overlap, rows in blocks, and panels, all placed in inches."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FixedFormatter, FixedLocator, NullFormatter, NullLocator
from matplotlib.transforms import ScaledTranslation, Transform

from bidui.reports.figures.style import FAINT, INK, RULE, SMALL, TALLEST, TEXT, WIDTHS, Width, families
from bidui.words import Language, texts

CHANCE = 50.0
POWERS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
UNITS: dict[Language, tuple[tuple[float, str], ...]] = {
    "en": ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")),
    "zh": ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
}
NARROW = 0.9  # inches: on a shorter axis, numbers would be too close


def per_cent_axis(axes: Axes, values: Iterable[float], *, which: Literal["x", "y"], inches: float) -> None:
    """Scale an axis in percent, so many inches long, with a faint line at chance; 100 has room for a mark."""
    lowest = min((value for value in values if isfinite(value)), default=CHANCE)
    low = max(0.0, min(CHANCE - 2, floor(lowest / 5) * 5))
    step = 10 if low > 45 and inches > NARROW else 25
    ticks = FixedLocator([float(tick) for tick in range(0, 101, step) if tick >= low])
    if which == "x":
        axes.set_xlim(low - 1.5, 102)
        axes.xaxis.set_major_locator(ticks)
        axes.axvline(CHANCE, color=RULE, linewidth=0.6, zorder=0)
    else:
        axes.set_ylim(low - 1.5, 102)
        axes.yaxis.set_major_locator(ticks)
        axes.axhline(CHANCE, color=RULE, linewidth=0.6, zorder=0)


def log_axis(axes: Axes, values: Iterable[float], *, text: Callable[[int], str], most: int = 4) -> None:
    """Scale a logarithmic x axis with at most `most` numbers; zero, where it occurs, is to the left.

    `text` writes a power of ten. Where all values lie between two powers, both are the ends of the axis, which would
    have no numbers otherwise.
    """
    places = [value for value in values if isfinite(value)]
    above = [value for value in places if value > 0] or [1.0]
    low, high = min(above), max(above)
    powers = list(range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1))
    if not powers:
        powers = [floor(log10(low)), ceil(log10(high))]
        low, high = 10.0 ** powers[0], 10.0 ** powers[1]
    step = ceil(len(powers) / most)
    shown = powers[(len(powers) - 1) % step :: step]
    ticks, texts = [10.0**power for power in shown], [text(power) for power in shown]
    room = (high / low) ** 0.04 if high > low else 2.0
    if 0 in places:
        away = max(0.3, 0.2 * log10(high / low))  # decades: enough for the numbers of both
        axes.set_xscale("symlog", linthresh=low, linscale=away)
        axes.set_xlim(-low * 0.12, high * room)
        ticks, texts = [0.0, *ticks], ["0", *texts]
    else:
        axes.set_xscale("log")
        axes.set_xlim(low / room, high * room)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FixedFormatter(texts))
    axes.xaxis.set_minor_locator(FixedLocator([10.0**power for power in powers]) if step > 1 else NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())


def power_of_ten(exponent: int) -> str:
    """Write a power of ten as plain text: 10¹⁷."""
    return f"10{str(exponent).translate(POWERS)}"


def short_number(value: float, language: Language) -> str:
    """Write a number with a unit: 10M, 1B; 1000万, 10亿."""
    for size, unit in UNITS[language]:
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


# Labels: how wide a text is, how to shorten one that is too wide, and how to keep several apart.

CUT = "..."  # the ellipsis of a Chinese font is as wide as a character
LEADER = {"arrowstyle": "-", "linewidth": 0.35, "color": FAINT, "shrinkA": 0}  # from a label to what it names


@dataclass(frozen=True, slots=True)
class Label:
    """A name, and the point in the axes that it belongs to."""

    text: str
    x: float
    y: float
    colour: str
    mark: str = ""  # drawn before a name in the margin, as the key to lines that end far from it
    mark_colour: str = ""  # where it is not that of the name, which is darker


def word(name: str, language: Language) -> str:
    """Return one of the words that figures draw."""
    return texts("report", language)[f"figure.{name}"]


def widths_of(texts: Iterable[str], *, size: float) -> list[float]:
    """Return the width of each text, in inches."""
    font = FontProperties(family=families(), size=size)
    return [text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72 for text in texts]


def widest(texts: Iterable[str], *, size: float) -> float:
    """Return the width of the widest text, in inches."""
    return max(widths_of(texts, size=size), default=0.0)


def shortened(text: str, *, size: float, width: float) -> str:
    """Return the text, or as much of both its ends as fits: names of paradigms often differ only at the end."""
    kept = len(text)
    while kept > 2 and widths_of([shown := _middle_cut(text, kept)], size=size)[0] > width:
        kept = min(kept - 1, int(kept * max(0.5, width / widths_of([shown], size=size)[0])))
    return _middle_cut(text, kept)


def spread(wanted: Sequence[float], *, sizes: Sequence[float], low: float, high: float) -> list[float]:
    """Return centres near the wanted ones, so that things of these sizes do not overlap and stay inside the limits.

    Those that would collide move together around their mean, so none moves further than necessary. Where there is no
    room for all, they overlap evenly.
    """
    if not wanted:
        return []
    order = sorted(range(len(wanted)), key=lambda number: wanted[number])
    shrink = min(1.0, (high - low) / (sum(sizes) or 1.0))
    before, total = [0.0] * len(wanted), 0.0  # how far each centre is from the start of the first thing, if all touch
    for number in order:
        before[number] = (total + sizes[number] / 2) * shrink
        total += sizes[number]
    blocks: list[tuple[float, int]] = []  # where the first thing would start, by the mean of several, and how many
    for number in order:
        start, count = wanted[number] - before[number], 1
        while blocks and blocks[-1][0] > start:
            other, many = blocks.pop()
            start, count = (other * many + start * count) / (many + count), many + count
        blocks.append((start, count))
    starts = [min(max(start, low), high - total * shrink) for start, count in blocks for _ in range(count)]
    places = [0.0] * len(wanted)
    for start, number in zip(starts, order, strict=True):
        places[number] = start + before[number]
    return places


def moved(axes: Axes, right: float) -> Transform:
    """Return the transform of data that lie so many points to the right of their places."""
    return axes.transData + ScaledTranslation(right / 72, 0, axes.figure.dpi_scale_trans)


def label_ends(axes: Axes, labels: Sequence[Label], *, size: float, height: float, away: float = 6) -> None:
    """Write names in the right margin of a panel of this height; one that had to move has a dotted line to its place.

    The line lies in the margin, where nothing can take it for data. A name with a mark needs none. Names are so many
    points `away` from the panel.
    """
    bottom, top = axes.get_ylim()
    per_inch = (top - bottom) / height
    high = size / 72 * 1.12 * per_inch
    places = spread([label.y for label in labels], sizes=[high] * len(labels), low=bottom, high=top + high / 2)
    right = axes.get_xlim()[1]
    edge, beside, before = (moved(axes, away + points) for points in (-6, -2, 2))
    for label, place in zip(labels, places, strict=True):
        to_right, at = (away + 6 * bool(label.mark), 0), (right, place)
        write_near(axes, label.text, at, to_right, size=size, colour=label.colour, va="center", annotation_clip=False)
        if label.mark:
            mark: dict[str, Any] = {"markersize": 3.2, "markeredgewidth": 0, "clip_on": False, "transform": before}
            axes.plot([right], [place], label.mark, color=label.mark_colour or label.colour, **mark)
        elif abs(place - label.y) > high / 3:
            leader = {**LEADER, "linestyle": (0, (1, 1.5)), "shrinkB": 0}
            to_point: dict[str, Any] = {"annotation_clip": False, "arrowprops": leader}
            axes.annotate("", (right, label.y), (right, place), xycoords=edge, textcoords=beside, **to_point)


def label_above(axes: Axes, labels: Sequence[Label], *, y: float, width: float, size: float) -> None:
    """Write names side by side at the height `y`, above marks in the rows of axes that are `width` inches wide."""
    left, right = axes.get_xlim()
    inch = (right - left) / width
    wide = [(length + 0.06) * inch for length in widths_of([label.text for label in labels], size=size)]
    places = spread([label.x for label in labels], sizes=wide, low=left, high=right)
    for label, place in zip(labels, places, strict=True):
        style: dict[str, Any] = {"ha": "center", "va": "bottom", "fontsize": size, "color": label.colour}
        leader = {**LEADER, "shrinkB": 3, "relpos": (0.5, 0)}
        axes.annotate(label.text, (label.x, label.y), (place, y), annotation_clip=False, arrowprops=leader, **style)


def write_near(
    axes: Axes,
    text: str,
    point: tuple[float, float],
    away: tuple[float, float],
    *,
    size: float,
    colour: str = INK,
    ha: str = "left",
    va: str = "center_baseline",
    **more: Any,
) -> None:
    """Write a text so many points away from a point; more options are those of `annotate`."""
    more |= {"ha": ha, "va": va, "fontsize": size, "color": colour}
    axes.annotate(text, point, away, textcoords="offset points", **more)


def write_beside(axes: Axes, text: str, *, y: float, size: float, colour: str, points: float = 4) -> None:
    """Write a text to the right of the axes, so many points away, at the height of a row."""
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "annotation_clip": False}
    write_near(axes, text, (1, y), (points, 0), size=size, colour=colour, **place)


def _middle_cut(text: str, kept: int) -> str:
    if kept >= len(text):
        return text
    first = (kept + 1) // 2
    return f"{text[:first]}{CUT}{text[len(text) - (kept - first) :]}"


# Rows: one per group, with headings; a list longer than a page becomes two blocks.

BETWEEN = 0.2  # inches between two blocks


@dataclass(frozen=True, slots=True)
class Row:
    """A group, or the heading of the groups that follow."""

    name: str
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Rows one below the other, and where their axes are, after the names: inches from the left of the figure."""

    rows: tuple[Row, ...]
    left: float
    width: float
    names: Mapping[str, str]  # of groups, shortened to fit

    @property
    def groups(self) -> Mapping[str, int]:
        """The groups, and the number of the row of each."""
        return {row.name: number for number, row in enumerate(self.rows) if not row.heading}


def rows_under_headings(groups: Sequence[str], sections: Mapping[str, str]) -> tuple[Row, ...]:
    """Return the groups by section, in the order of first occurrence; a section without a name has no heading."""
    by_section: dict[str, list[str]] = {}
    for group in groups:
        by_section.setdefault(sections.get(group, ""), []).append(group)
    rows: list[Row] = []
    for section, members in by_section.items():
        rows += [Row(section, heading=True)] * bool(section) + [Row(member) for member in members]
    return tuple(rows)


def make_blocks(
    rows: Sequence[Row], *, row: float, width: Width, size: float, right: float = 0.0, names: float = 0.42
) -> tuple[Block, ...]:
    """Return one block of rows `row` inches high, or two where one would be higher than a page.

    Names take what they need, up to the share `names` of the width of a block; `right` inches stay free beside it.
    """
    parts = [tuple(rows)]
    if width == "page" and len(rows) * row > TALLEST - 1:
        # the second block begins at the heading nearest to the middle; without headings, in the middle
        middle = ceil(len(rows) / 2)
        headings = [number for number, line in enumerate(rows) if line.heading and number]
        cut = min(headings, key=lambda number: abs(number - middle), default=middle)
        parts = [tuple(rows[:cut]), tuple(rows[cut:])]
    across = (WIDTHS[width] - (len(parts) - 1) * BETWEEN) / len(parts)
    shown = {line.name: shortened(line.name, size=size, width=names * across) for line in rows if not line.heading}
    room = widest(shown.values(), size=size) + 0.1
    return tuple(
        Block(part, number * (across + BETWEEN) + room, across - room - right, shown)
        for number, part in enumerate(parts)
    )


def name_rows(axes: Axes, names: Sequence[str], *, size: float, head: float = 0.0) -> None:
    """Name rows 0, 1, … from the top, to the left of the axes, below a free space of `head` rows."""
    axes.set_ylim(len(names), -head)
    axes.set_yticks([number + 0.5 for number in range(len(names))], names)
    axes.tick_params(axis="y", length=0, labelsize=size)
    axes.spines["left"].set_visible(False)


def percent_rows(
    names: Sequence[str],
    values: Iterable[float],
    *,
    row: float,
    size: float,
    width: Width,
    language: Language,
    top: float = 0.05,
    head: float = 0.0,
    right: float = 0.0,
    share: float = 0.42,
) -> tuple[Figure, list[tuple[Block, Axes]]]:
    """Return a figure with one row per name over an axis in percent that holds these shares, in one block or two.

    `head` inches above the first row stay free for labels. `right` and `share` are as in `make_blocks`.
    """
    percents = [100 * value for value in values]
    blocks = make_blocks([Row(name) for name in names], row=row, width=width, size=size, right=right, names=share)
    down = max(len(block.rows) for block in blocks) * row
    figure = Figure(figsize=(WIDTHS[width], top + head + down + BOTTOM))
    placed = []
    for block in blocks:
        axes = place(figure, left=block.left, top=top, width=block.width, height=head + row * len(block.rows))
        per_cent_axis(axes, percents, which="x", inches=block.width)
        name_rows(axes, [block.names[line.name] for line in block.rows], size=size, head=head / row)
        axes.set_xlabel(word("accuracy", language))
        placed.append((block, axes))
    return figure, placed


# Small multiples: panels of one size with common axes, one per group.

LEFT, BOTTOM, TOP = 0.42, 0.40, 0.20  # inches: for words and numbers on the outer sides
ACROSS, DOWN = 0.12, 0.25  # inches between panels; the lower space holds a title
SHAPE, HIGHEST = 0.74, 2.0  # height over width of a panel, and its greatest height


@dataclass(frozen=True, slots=True)
class Panels:
    """A figure, the axes of every group, their size in inches, and the groups at the end of a row."""

    figure: Figure
    axes: Mapping[str, Axes]
    width: float
    height: float
    at_row_end: frozenset[str]


def place(figure: Figure, *, left: float, top: float, width: float, height: float) -> Axes:
    """Add axes so many inches from the left and from the top of a figure."""
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
    down: float = DOWN,
    height: float | None = None,
) -> Panels:
    """Return empty panels under their names; `right` inches stay free beside the last of a row.

    Numbers are only at the outer axes, below the lowest panel of each column, and labels appear once.
    """
    columns = column_count(len(names), width)
    rows = ceil(len(names) / columns)
    across = (WIDTHS[width] - left - right - (columns - 1) * between) / columns
    high = height or min(HIGHEST, across * SHAPE)
    figure = Figure(figsize=(WIDTHS[width], TOP + rows * high + (rows - 1) * down + BOTTOM))
    panels: dict[str, Axes] = {}
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        start = left + column * (across + between)
        axes = place(figure, left=start, top=TOP + row * (high + down), width=across, height=high)
        axes.set_title(shortened(name, size=TEXT, width=across))
        axes.tick_params(labelleft=column == 0, labelbottom=number + columns >= len(names))
        panels[name] = axes
    wide, tall = figure.get_size_inches()
    middle = (left + (wide - left - right) / 2) / wide
    figure.text(middle, 0.05 / tall, x_label, ha="center", va="bottom", fontsize=TEXT)
    if y_label:
        middle = (BOTTOM + (tall - BOTTOM - TOP) / 2) / tall
        figure.text(0.04 / wide, middle, y_label, ha="left", va="center", rotation=90, fontsize=TEXT)
    ends = frozenset(name for number, name in enumerate(names, 1) if number % columns == 0 or number == len(names))
    return Panels(figure, panels, across, high, ends)


def column_count(panels: int, width: Width) -> int:
    """Return how many panels stand side by side: as few rows as can be read, as even as possible."""
    rows = ceil(panels / (4 if width == "page" else 2))
    return ceil(panels / rows)


def label_room(names: Sequence[str]) -> tuple[float, Mapping[str, str]]:
    """Return the inches that names need to the right of a page's panels, and the names, cut to a fifth of the page."""
    most = WIDTHS["page"] / 5
    shown = {name: shortened(name, size=SMALL, width=most) for name in names}
    return widest(shown.values(), size=SMALL) + 0.15, shown
