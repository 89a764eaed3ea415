"""The style of all figures: fonts, the widths of a two-column paper, thin axes, and colours, marks and dashes."""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Literal

from matplotlib import font_manager, rcParams, style
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

# Fonts: the shipped one for Latin and Chinese, DejaVu Sans for symbols, installed ones for rare characters.
#
# The shipped font comes first, although many machines have a larger one, so that a figure is the same on all of them.

FAMILY = "Bidui Sans SC"
FILE = Path(__file__).parent / "font" / "BiduiSansSC-Regular.ttf"
SYMBOLS = "DejaVu Sans"  # comes with matplotlib
INSTALLED = (
    *("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN"),
    *("PingFang SC", "Hiragino Sans GB", "Heiti SC", "STHeiti", "Microsoft YaHei", "SimHei"),
    *("WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Noto Sans CJK JP", "Noto Sans CJK TC", "Arial Unicode MS"),
)


def families() -> tuple[str, ...]:
    """Return the font families to search for a character, in this order; registers the shipped font with matplotlib."""
    installed = set(font_manager.get_font_names())
    if FAMILY not in installed:
        font_manager.fontManager.addfont(FILE)
    return (FAMILY, SYMBOLS, *(name for name in INSTALLED if name in installed))


def use_fonts() -> None:
    """Let matplotlib write Chinese in your own plots, in the font of bidui's figures; call it once, before you draw.

    Nothing but `font.family` is changed, and a later style or `rcParams` changes it again.
    """
    rcParams["font.family"] = list(families())


def missing_characters(texts: Iterable[str]) -> str:
    """Return the characters of these texts that no font has, each once, in their order."""
    wanted = dict.fromkeys(character for text in texts for character in text if not character.isspace())
    for family in families():
        wanted = {character: None for character in wanted if ord(character) not in _characters(family)}
    return "".join(wanted)


def texts_of(figure: Figure) -> tuple[str, ...]:
    """Return all texts in a figure."""
    return tuple(text.get_text() for text in figure.findobj(Text) if isinstance(text, Text) and text.get_visible())


@cache
def _shipped_font() -> bytes:
    return FILE.read_bytes()


def subset_font(text: str) -> bytes:
    """Return the shipped font with the characters of a text only, as WOFF; the same bytes every time."""
    from fontTools import subset  # comes with matplotlib

    options = subset.Options(
        flavor="woff", layout_features=[], hinting=False, recalc_timestamp=False, notdef_outline=True
    )
    font = subset.load_font(BytesIO(_shipped_font()), options, lazy=True)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text=text + " ")
    subsetter.subset(font)
    data = BytesIO()
    subset.save_font(font, data, options)
    return data.getvalue()


def _characters(family: str) -> set[int]:
    path = font_manager.findfont(font_manager.FontProperties(family=[family]), fallback_to_default=False)
    return set(font_manager.get_font(path).get_charmap())


Width = Literal["column", "page"]
WIDTHS: Mapping[Width, float] = {"column": 3.3, "page": 6.9}  # inches
TALLEST = 9.0  # inches: what fits on a page

TEXT, SMALL, TINY = 7.0, 6.0, 5.0  # points
INK, FAINT, PAPER = "#222222", "#8c8c8c", "#ffffff"
RULE = "#d9d9d9"  # of lines that only guide the eye

# Okabe and Ito 2008 without their yellow, which is too faint on white, then Tol's muted colours that differ from them.
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#7f7f7f"),
    *("#999933", "#332288", "#44AA99", "#661100"),
)
MOST = len(COLOURS)  # models in one figure; more are divided among several, so that no two look alike
MARKS = ("o", "s", "^", "v", "P", "X", "<", ">", "p", "h", "d", "*")
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
        """The colour for text, which must be darker to be legible."""
        return darker(self.colour)


def looks(names: Iterable[str]) -> Mapping[str, Look]:
    """Return a look for every name; twelve differ in colour and mark."""
    return {
        name: Look(COLOURS[n % len(COLOURS)], MARKS[n % len(MARKS)], DASHES[n % len(DASHES)])
        for n, name in enumerate(dict.fromkeys(names))
    }


def darker(colour: str) -> str:
    """Return the colour for small text on white: a contrast of at least 4.5, by the formula of WCAG 2."""
    parts = to_rgb(colour)
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    shade = min(1.0, (0.175 / max(light, 1e-9)) ** (1 / 2.2))
    red, green, blue = (part * shade for part in parts)
    return to_hex((red, green, blue))


@contextmanager
def house_style() -> Iterator[None]:
    """Draw and save inside this context: matplotlib's defaults, whatever the user has set, with our settings on top."""
    settings: dict[str, object] = {
        "font.family": list(families()),
        "font.size": TEXT,
        "text.parse_math": False,  # a dollar sign or a caret in a name is just that
        "text.color": INK,
        "text.hinting": "none",  # a text is as wide on screen as on paper
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
        "svg.fonttype": "none",  # text that can be searched and edited; `save_figure` adds the characters of our font
        "svg.hashsalt": "bidui",  # the same bytes every time
        "pdf.fonttype": 42,  # text that can be searched; many publishers refuse type 3
    }
    with style.context(["default", settings]), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")  # `save_figure` reports it, once per figure
        yield
