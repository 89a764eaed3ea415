"""Chinese text shows on a machine that has no Chinese font, and what cannot be shown is told."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib import font_manager, rc_context
from matplotlib.figure import Figure

import bidui
from bidui.reports.figures import style
from bidui.reports.figures.style import FAMILY, FILE, families, missing_characters, texts_of

OURS_AND_MATPLOTLIBS = (FAMILY, "DejaVu Sans")


@pytest.fixture
def no_chinese_font(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine has, only what comes with bidui and matplotlib counts."""
    monkeypatch.setattr(style, "INSTALLED", ())


def test_the_shipped_font_has_every_character_of_gb2312_and_of_ascii() -> None:
    cells = [bytes([row, cell]) for row in range(0xB0, 0xF8) for cell in range(0xA1, 0xFF)]
    chinese = {text for pair in cells if (text := pair.decode("gb2312", errors="ignore"))}
    assert len(chinese) == 6763  # as the standard counts them
    known = set(font_manager.get_font(FILE).get_charmap())
    assert {text for text in chinese if ord(text) not in known} == set()
    assert set(range(0x20, 0x7F)) <= known


def test_the_shipped_font_is_small_and_carries_its_licence() -> None:
    assert FILE.stat().st_size < 3_000_000
    assert "SIL OPEN FONT LICENSE" in (FILE.parent / "OFL.txt").read_text(encoding="utf-8")


@pytest.mark.usefixtures("no_chinese_font")
def test_own_plots_show_chinese_after_one_call(tmp_path: Path) -> None:
    """matplotlib warns of each glyph that its font lacks, and draws a box; warnings are errors here."""
    with rc_context():
        bidui.use_fonts()
        figure = Figure()
        figure.text(0.1, 0.5, "他从来不喝酒。 α −1")
        figure.savefig(tmp_path / "own.png")
    assert (tmp_path / "own.png").is_file()


def test_the_shipped_font_comes_before_installed_ones() -> None:
    """Otherwise the same figure would differ from machine to machine."""
    assert families()[:2] == OURS_AND_MATPLOTLIBS
    assert families() == families()  # made known once, not once a call


@pytest.mark.usefixtures("no_chinese_font")
def test_only_characters_of_no_font_are_missing() -> None:
    assert missing_characters(["把字句（%）", "10¹⁷ α Δ − × ≥", "naïve\n"]) == ""
    assert missing_characters(["𠀀丂a", "b𠀀"]) == "𠀀丂"  # each once; neither is in GB 2312


def test_installed_fonts_come_last_and_only_those_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style, "INSTALLED", ("No Such Font", "DejaVu Sans Mono"))
    assert families() == (*OURS_AND_MATPLOTLIBS, "DejaVu Sans Mono")


def test_what_a_figure_says_is_found_in_all_its_parts() -> None:
    figure = Figure()
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_title("标题")
    axes.set_xlabel("横轴")
    figure.text(0, 0, "文字")
    assert {"标题", "横轴", "文字"} <= set(texts_of(figure))


@pytest.mark.slow
def test_neither_bidui_nor_the_figures_import_pyplot() -> None:
    """`import bidui` must stay quick, and pyplot would keep every figure alive."""
    code = (
        "import sys, bidui, bidui.reports.published\n"
        "assert 'matplotlib' not in sys.modules\n"
        "from bidui.reports.figures import accuracy_heatmap\n"
        "accuracy_heatmap({'model': {'BA': 0.5}})\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "src")}
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600, env=environment)
