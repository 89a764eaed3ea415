"""Fonts: the one shipped here for Latin and Chinese, DejaVu Sans for symbols, installed ones for rare characters.

The shipped font comes first, although many machines have a larger one, so that a figure is the same on all of them.
"""

from collections.abc import Iterable
from pathlib import Path

from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.text import Text

FAMILY = "Bidui Sans SC"
FILE = Path(__file__).parent / "font" / "BiduiSansSC-Regular.ttf"
SYMBOLS = "DejaVu Sans"  # comes with matplotlib
INSTALLED = (
    *("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "Source Han Sans CN"),
    *("PingFang SC", "Hiragino Sans GB", "Heiti SC", "STHeiti", "Microsoft YaHei", "SimHei"),
    *("WenQuanYi Zen Hei", "WenQuanYi Micro Hei", "Noto Sans CJK JP", "Noto Sans CJK TC", "Arial Unicode MS"),
)


def families() -> tuple[str, ...]:
    """The families in which a character is looked for, in this order; the shipped font is made known to matplotlib."""
    known = set(font_manager.get_font_names())
    if FAMILY not in known:
        font_manager.fontManager.addfont(FILE)
    return (FAMILY, SYMBOLS, *(name for name in INSTALLED if name in known))


def missing_characters(texts: Iterable[str]) -> str:
    """The characters of these texts that no font has, each once, in their order."""
    wanted = dict.fromkeys(character for text in texts for character in text if not character.isspace())
    for family in families():
        wanted = {character: None for character in wanted if ord(character) not in _characters(family)}
    return "".join(wanted)


def texts_of(figure: Figure) -> tuple[str, ...]:
    """Everything that is written in a figure."""
    return tuple(text.get_text() for text in figure.findobj(Text) if isinstance(text, Text) and text.get_visible())


def _characters(family: str) -> set[int]:
    path = font_manager.findfont(font_manager.FontProperties(family=[family]), fallback_to_default=False)
    return set(font_manager.get_font(path).get_charmap())
