"""Box plots of accuracies over models or paradigms (Song et al., Figures 6 and 7), and bars of word frequencies."""

import re
from collections.abc import Mapping
from math import isfinite, nan

from matplotlib.axes import Axes

from bidui.analysis.estimate import Box
from bidui.analysis.frequencies import Share
from bidui.errors import Place, fail
from bidui.reports.figures import layout
from bidui.reports.figures.drawing import Drawing, Rows, check_parts
from bidui.reports.figures.layout import Block, Label, word
from bidui.reports.figures.style import COLOURS, FAINT, INK, SMALL, TINY, Width, darker, house_style
from bidui.words import Language

HEAD = 0.2  # inches for the names of marks
THICK = 0.62  # height of a box, in rows
FILL, MEDIAN, MEAN = "#cfe3f1", COLOURS[1], COLOURS[2]


def box_plots(
    boxes: Mapping[str, Box],
    *,
    people: Mapping[str, float] | None = None,
    width: Width = "column",
    language: Language = "en",
) -> Drawing:
    """Draw quartiles, a line at the median, a triangle at the mean, whiskers, outliers; humans are a diamond."""
    if not boxes:
        raise fail("figure-nothing", Place())
    humans = {name: value for name, value in (people or {}).items() if name in boxes}
    reached = [value for box in boxes.values() for value in (box.summary.minimum, box.summary.maximum)]
    check_parts([*reached, *humans.values()], what=", ".join(boxes))
    row, size = (0.15, SMALL) if len(boxes) <= 40 else (0.12, TINY)
    with house_style():
        values = (*reached, *humans.values())
        figure, placed = layout.percent_rows(
            list(boxes), values, row=row, size=size, width=width, language=language, head=HEAD, right=0.06
        )
        for block, axes in placed:
            for name, number in block.groups.items():
                draw_box(axes, boxes[name], y=number + 0.5, people=humans.get(name, nan))
            label_first(axes, block, boxes, people=humans, language=language)
    head = ("name", "count", "minimum", "low_whisker", "first_quartile", "median", "third_quartile", "high_whisker")
    lines = []
    for name, box in boxes.items():
        summary, outliers = box.summary, " ".join(repr(value) for value in box.outliers)
        within = (box.low_whisker, summary.first_quartile, summary.median, summary.third_quartile, box.high_whisker)
        ends = (summary.maximum, summary.mean, outliers, humans.get(name, nan))
        lines.append((name, summary.count, summary.minimum, *within, *ends))
    return Drawing(figure, Rows((*head, "maximum", "mean", "outliers", "people"), tuple(lines)))


def draw_box(axes: Axes, box: Box, *, y: float, people: float) -> None:
    """Draw one box, in percent."""
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
    """Name the marks above the first box; humans may be missing there, and are named where they first occur."""
    summary = boxes[block.rows[0].name].summary
    labels = [
        Label(word("median", language), 100 * summary.median, 0.3, darker(MEDIAN)),
        Label(word("mean", language), 100 * summary.mean, 0.5, darker(MEAN)),
    ]
    marked = next((group for group in block.groups if isfinite(people.get(group, nan))), None)
    if marked is not None:
        labels.append(Label(word("people", language), 100 * people[marked], block.groups[marked] + 0.5, INK))
    layout.label_above(axes, labels, y=-0.15, width=block.width, size=TINY)


# Frequencies: the words of a benchmark by their rank in the word list of a corpus (Xiang et al., Figure 1).

ROW, BAND_HEAD = 0.18, 0.22  # inches: of a band, and above the first
BAR, RING = COLOURS[5], COLOURS[1]


def frequencies(name: str, bands: Mapping[str, Share], *, language: Language = "en") -> Drawing:
    """Draw one bar per band of ranks, of all words of this kind; a ring shows the share of all occurrences."""
    if not bands:
        raise fail("figure-nothing", Place())
    lines = [(name, band, share.words, share.of_words, share.of_occurrences) for band, share in bands.items()]
    parts = [part for line in lines for part in line[3:]]
    check_parts(parts, what=name)
    with house_style():
        shown, rank = [band_text(band, language) for band in bands], word("rank", language)
        made = layout.make_panels(
            (name,),
            width="column",
            left=max(layout.widest(shown, size=SMALL), layout.widest([rank], size=TINY)) + 0.12,
            right=0.08,
            height=len(bands) * ROW + BAND_HEAD,
            x_label=word("share", language),
        )
        axes = made.axes[name]
        axes.set_xlim(0, 118 * max((part for part in parts if isfinite(part)), default=1.0))
        layout.name_rows(axes, shown, size=SMALL, head=BAND_HEAD / ROW)
        axes.spines["left"].set_visible(True)  # bars stand on it
        for row, share in enumerate(bands.values()):
            draw_band(axes, share, y=row + 0.5)
        layout.write_near(axes, rank, (0, -0.15), (-3, 0), size=TINY, colour=FAINT, ha="right", va="bottom")
        first = next(iter(bands.values()))
        labels = [
            Label(word("of_words", language), 100 * first.of_words, 0.25, darker(BAR)),
            Label(word("of_occurrences", language), 100 * first.of_occurrences, 0.4, darker(RING)),
        ]
        layout.label_above(axes, labels, y=-0.1, width=made.width, size=TINY)
    return Drawing(made.figure, Rows(("benchmark", "band", "words", "of_words", "of_occurrences"), tuple(lines)))


def band_text(band: str, language: Language) -> str:
    """Write 1–1,000 for `1-1000`; the band of words that are not in the list has a text."""
    if band == "unlisted":
        return word("unlisted", language)
    return re.sub(r"\d+", lambda number: f"{int(number[0]):,}", band).replace("-", "–").replace(">", "> ")


def draw_band(axes: Axes, share: Share, *, y: float) -> None:
    """Draw the words of a band and their occurrences."""
    of_words, of_occurrences = 100 * share.of_words, 100 * share.of_occurrences
    axes.barh(y, of_words, height=0.62, color=BAR, linewidth=0, zorder=2)
    axes.plot([of_occurrences], [y], "o", markersize=3.6, markerfacecolor="none", markeredgecolor=RING, zorder=3)
    end = max(of_words, of_occurrences) if abs(of_words - of_occurrences) < 8 else of_words
    layout.write_near(axes, f"{share.words:,}", (end, y), (4, 0), size=TINY)
