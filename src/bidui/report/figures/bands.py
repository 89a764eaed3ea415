"""Frequencies: the words of a benchmark by their rank in the list of a corpus (Xiang et al., Figure 1)."""

from collections.abc import Mapping
from math import isfinite

from matplotlib.axes import Axes

from bidui.analysis.frequencies import Share
from bidui.report.figures.blocks import name_rows
from bidui.report.figures.drawing import Drawing, Rows, check_parts, groups_of
from bidui.report.figures.labels import Label, label_above, widest, word
from bidui.report.figures.panels import make_panels
from bidui.report.figures.style import COLOURS, FAINT, INK, SMALL, TINY, Width, darker, house_style
from bidui.words import Language

ROW, HEAD = 0.18, 0.22  # inches: of a band, and above the first
BAR, RING = COLOURS[5], COLOURS[1]

Shares = Mapping[str, Mapping[str, Share]]


def frequencies(shares: Shares, *, width: Width = "column", language: Language = "en") -> Drawing:
    """A panel a benchmark, a bar a band of ranks with the number of words; a ring is their part of all occurrences."""
    bands = groups_of(shares)
    parts = [part for by_band in shares.values() for share in by_band.values() for part in _parts(share)]
    check_parts(parts, what=", ".join(shares))
    with house_style():
        shown = [band_text(band, language) for band in bands]
        made = make_panels(
            tuple(shares),
            width=width,
            left=max(widest(shown, size=SMALL), widest([word("rank", language)], size=TINY)) + 0.12,
            right=0.08,
            height=len(bands) * ROW + HEAD,
            x_label=word("share", language),
        )
        most = 100 * max((part for part in parts if isfinite(part)), default=1.0)
        for number, (name, by_band) in enumerate(shares.items()):
            axes = made.axes[name]
            axes.set_xlim(0, most * 1.18)
            name_rows(axes, shown, size=SMALL, head=HEAD / ROW)
            axes.spines["left"].set_visible(True)  # bars stand on it
            for row, band in enumerate(bands):
                if band in by_band:
                    draw_band(axes, by_band[band], y=row + 0.5)
            if number == 0:
                head_ranks(axes, language)
            if number == 0 and bands[0] in by_band:
                label_marks(axes, by_band[bands[0]], width=made.width, language=language)
    return Drawing(made.figure, band_rows(shares))


def band_text(band: str, language: Language) -> str:
    """1–1,000 for `1-1000`; the band of words that the list does not have is put in words."""
    if band == "unlisted":
        return word("unlisted", language)
    start, dash, end = band.partition("-")
    numbers = [f"{int(part):,}" if part.isdigit() else part for part in (start, end) if part]
    if not dash and band.startswith(">") and band[1:].isdigit():
        return f"> {int(band[1:]):,}"
    return "–".join(numbers)


def draw_band(axes: Axes, share: Share, *, y: float) -> None:
    """The words of a band and their occurrences."""
    of_words, of_occurrences = (100 * part for part in _parts(share))
    axes.barh(y, of_words, height=0.62, color=BAR, linewidth=0, zorder=2)
    axes.plot([of_occurrences], [y], "o", markersize=3.6, markerfacecolor="none", markeredgecolor=RING, zorder=3)
    end = max(of_words, of_occurrences) if abs(of_words - of_occurrences) < 8 else of_words
    axes.annotate(
        f"{share.words:,}",
        (end, y),
        (4, 0),
        textcoords="offset points",
        va="center_baseline",
        fontsize=TINY,
        color=INK,
    )


def head_ranks(axes: Axes, language: Language) -> None:
    """What the bands count, above their names."""
    text = word("rank", language)
    axes.annotate(
        text, (0, -0.15), (-3, 0), textcoords="offset points", ha="right", va="bottom", fontsize=TINY, color=FAINT
    )


def label_marks(axes: Axes, share: Share, *, width: float, language: Language) -> None:
    """What bar and ring are, above the first band."""
    of_words, of_occurrences = (100 * part for part in _parts(share))
    labels = [
        Label(word("of_words", language), of_words, 0.25, darker(BAR)),
        Label(word("of_occurrences", language), of_occurrences, 0.4, darker(RING)),
    ]
    label_above(axes, labels, y=-0.1, width=width, size=TINY)


def band_rows(shares: Shares) -> Rows:
    """A row a band."""
    lines = [
        (name, band, share.words, share.of_words, share.of_occurrences)
        for name, by_band in shares.items()
        for band, share in by_band.items()
    ]
    return Rows(("benchmark", "band", "words", "of_words", "of_occurrences"), tuple(lines))


def _parts(share: Share) -> tuple[float, float]:
    return share.of_words, share.of_occurrences
