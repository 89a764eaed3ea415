"""The style of all figures: sizes of a two-column paper, thin axes, and looks that differ in colour, mark and dash."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from matplotlib import style
from matplotlib.colors import to_hex, to_rgb

from bidui.report.figures.fonts import families

Width = Literal["column", "page"]
WIDTHS: Mapping[Width, float] = {"column": 3.3, "page": 6.9}  # inches
TALLEST = 9.0  # inches: what a page has room for

TEXT, SMALL, TINY = 7.0, 6.0, 5.0  # points
INK, FAINT, PAPER = "#222222", "#8c8c8c", "#ffffff"
RULE = "#d9d9d9"  # of lines that only guide the eye

# Okabe and Ito 2008 without their yellow, which white paper swallows; two greys at the end.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7f7f7f")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p")
DASHES = ("-", (0, (4, 1.2)), (0, (1.2, 1)), (0, (5, 1, 1, 1)), (0, (2.5, 1)))
TICKS = {"major.width": 0.5, "major.size": 2.0, "major.pad": 2.0, "minor.width": 0.4, "minor.size": 1.2}
Dash = str | tuple[int, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Look:
    """How one model, size or region is drawn, in every panel."""

    colour: str
    mark: str
    dash: Dash

    @property
    def ink(self) -> str:
        """The colour for text, which must be darker to be read."""
        return darker(self.colour)


def looks(names: Iterable[str]) -> Mapping[str, Look]:
    """A look for every name; ten differ in print without colour, and forty in colour."""
    return {
        name: Look(COLOURS[n % len(COLOURS)], MARKS[n % len(MARKS)], DASHES[n % len(DASHES)])
        for n, name in enumerate(dict.fromkeys(names))
    }


def darker(colour: str) -> str:
    """The colour for small text on white: a contrast of 4.5 or more, by the formula of WCAG 2."""
    parts = to_rgb(colour)
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    shade = min(1.0, (0.175 / max(light, 1e-9)) ** (1 / 2.2))
    red, green, blue = (part * shade for part in parts)
    return to_hex((red, green, blue))


@contextmanager
def house_style() -> Iterator[None]:
    """Draw and save in here: matplotlib's defaults, whatever the user has changed, and ours on top of them."""
    with style.context(["default", _settings()]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # `save_figure` tells it, once a figure
        yield


def _settings() -> dict[str, object]:
    return {
        "font.family": list(families()),
        "font.size": TEXT,
        "text.parse_math": False,  # a dollar sign or a caret in a name is only that
        "text.color": INK,
        "text.hinting": "none",  # a text is as wide in a picture as it is on paper
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.labelsize": TEXT,
        "axes.labelpad": 3.0,
        "axes.linewidth": 0.5,
        "axes.titlesize": TEXT,
        "axes.titlelocation": "left",
        "axes.titlepad": 3.0,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "xtick.color": INK,
        "ytick.color": INK,
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SMALL,
        **{f"{axis}tick.{part}": size for axis in "xy" for part, size in TICKS.items()},
        "lines.linewidth": 1.0,
        "lines.markersize": 3.0,
        "lines.markeredgewidth": 0.6,
        "savefig.dpi": 300,
        "svg.fonttype": "path",  # shows where there is no such font
        "svg.hashsalt": "bidui",  # the same bytes every time
        "pdf.fonttype": 42,  # text that can be searched; many publishers refuse type 3
    }
