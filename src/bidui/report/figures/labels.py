"""Labels beside what they name: how wide a text is, how to cut one that is too wide, how to keep several apart."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.transforms import ScaledTranslation

from bidui.report.figures.fonts import families
from bidui.report.figures.style import FAINT
from bidui.words import Language, texts

CUT = "..."  # the ellipsis of a Chinese font is as wide as a character
LEADER = {"arrowstyle": "-", "linewidth": 0.35, "color": FAINT, "shrinkA": 0}  # from a label to what it names


@dataclass(frozen=True, slots=True)
class Label:
    """A name, and the point in its axes that it names."""

    text: str
    x: float
    y: float
    colour: str


def word(name: str, language: Language) -> str:
    """Return one of the words that figures draw."""
    return texts("report", language)[f"figure.{name}"]


def widths_of(texts: Iterable[str], *, size: float) -> list[float]:
    """The width of each text, in inches."""
    font = FontProperties(family=families(), size=size)
    return [text_to_path.get_text_width_height_descent(text, font, ismath=False)[0] / 72 for text in texts]


def widest(texts: Iterable[str], *, size: float) -> float:
    """The width of the widest text, in inches."""
    return max(widths_of(texts, size=size), default=0.0)


def shortened(text: str, *, size: float, width: float) -> str:
    """The text, or as much of both its ends as fits: names of paradigms often differ only at the end."""
    kept = len(text)
    while kept > 2 and widths_of([shown := _middle_cut(text, kept)], size=size)[0] > width:
        kept = min(kept - 1, int(kept * max(0.5, width / widths_of([shown], size=size)[0])))
    return _middle_cut(text, kept)


def spread(wanted: Sequence[float], *, sizes: Sequence[float], low: float, high: float) -> list[float]:
    """Centres near the wanted ones, for things of such sizes, so that they do not overlap and are inside the limits.

    Those that would collide move together about their mean, so none moves further than it must. Where there is no room
    for all, they overlap evenly.
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


def label_ends(axes: Axes, labels: Sequence[Label], *, size: float, height: float) -> None:
    """Write names in the margin to the right of a panel of that height, with a thin line to where each belongs."""
    bottom, top = axes.get_ylim()
    per_inch = (top - bottom) / height
    high = size / 72 * 1.12 * per_inch
    wanted = [label.y for label in labels]
    places = spread(wanted, sizes=[high] * len(labels), low=bottom, high=top + high / 2)
    right = axes.get_xlim()[1]
    beside = axes.transData + ScaledTranslation(4 / 72, 0, axes.figure.dpi_scale_trans)
    for label, place in zip(labels, places, strict=True):
        axes.annotate(
            label.text,
            xy=(right, place),
            xytext=(6, 0),
            textcoords="offset points",
            va="center",
            ha="left",
            fontsize=size,
            color=label.colour,
            annotation_clip=False,
        )
        axes.annotate(
            "",
            xy=(label.x, label.y),
            xytext=(right, place),
            textcoords=beside,
            annotation_clip=False,
            arrowprops={**LEADER, "shrinkB": 2},
        )


def label_above(axes: Axes, labels: Sequence[Label], *, y: float, width: float, size: float) -> None:
    """Write names side by side at the height `y`, above marks in the rows of axes `width` inches wide."""
    left, right = axes.get_xlim()
    inch = (right - left) / width
    wide = [(length + 0.06) * inch for length in widths_of([label.text for label in labels], size=size)]
    places = spread([label.x for label in labels], sizes=wide, low=left, high=right)
    for label, place in zip(labels, places, strict=True):
        axes.annotate(
            label.text,
            xy=(label.x, label.y),
            xytext=(place, y),
            ha="center",
            va="bottom",
            fontsize=size,
            color=label.colour,
            annotation_clip=False,
            arrowprops={**LEADER, "shrinkB": 3, "relpos": (0.5, 0)},
        )


def write_beside(axes: Axes, text: str, *, y: float, size: float, colour: str, points: float = 4) -> None:
    """Write so many points to the right of the axes, at the height of a row."""
    axes.annotate(
        text,
        xy=(1, y),
        xycoords=("axes fraction", "data"),
        xytext=(points, 0),
        textcoords="offset points",
        ha="left",
        va="center_baseline",
        fontsize=size,
        color=colour,
        annotation_clip=False,
    )


def _middle_cut(text: str, kept: int) -> str:
    if kept >= len(text):
        return text
    first = (kept + 1) // 2
    return f"{text[:first]}{CUT}{text[len(text) - (kept - first) :]}"
