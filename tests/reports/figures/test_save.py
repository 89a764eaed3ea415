"""A figure is saved four times over, whole, and always with the same bytes."""

import base64
import os
import re
import subprocess
import sys
from io import BytesIO
from math import nan
from pathlib import Path

import matplotlib
import pytest
from fontTools.ttLib import TTFont

from bidui.errors import InputError
from bidui.intervals import Estimate
from bidui.reports.figures import Drawing, Rows, accuracy_by_phenomenon, save_figure, style
from bidui.reports.figures.drawing import csv_bytes
from bidui.reports.figures.style import texts_of

KINDS = ("svg", "pdf", "png", "csv")


def drawing(group: str = "把字句") -> Drawing:
    accuracies = {"Zh-Pythia-14M": {group: Estimate(0.9, 0.88, 0.92)}, "5-gram": {group: Estimate(0.61)}}
    return accuracy_by_phenomenon(accuracies, language="zh")


def saved(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_all_four_files_are_written_and_named(tmp_path: Path) -> None:
    result = save_figure(*drawing(), folder=tmp_path / "new" / "folder", name="dots")
    assert [path.name for path in result.files] == [f"dots.{kind}" for kind in KINDS]
    assert sorted(saved(tmp_path / "new" / "folder")) == sorted(
        f"dots.{kind}" for kind in KINDS
    )  # and nothing half made
    assert result.problems == ()


@pytest.mark.slow
def test_the_same_figure_has_the_same_bytes(tmp_path: Path) -> None:
    """Saved twice, drawn twice, with another user's settings, in another process, on another day."""
    one = drawing()
    save_figure(*one, folder=tmp_path / "a", name="dots")
    save_figure(*one, folder=tmp_path / "b", name="dots")
    with matplotlib.rc_context(
        {"font.family": "serif", "lines.linewidth": 9, "savefig.dpi": 50, "svg.fonttype": "none"}
    ):
        save_figure(*drawing(), folder=tmp_path / "c", name="dots")
    code = (
        "from pathlib import Path\n"
        "from bidui.reports.figures import save_figure\n"
        "from tests.reports.figures.test_save import drawing\n"
        f"save_figure(*drawing(), folder=Path({str(tmp_path / 'd')!r}), name='dots')\n"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7", "SOURCE_DATE_EPOCH": "86400", "TZ": "Asia/Shanghai"}
    root = Path(__file__).parents[3]
    environment["PYTHONPATH"] = os.pathsep.join([str(root / "src"), str(root)])
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600, env=environment)
    first = saved(tmp_path / "a")
    assert all(saved(tmp_path / other) == first for other in "bcd")


def test_chinese_needs_no_font_where_the_figure_is_read(tmp_path: Path) -> None:
    """Text is text, to be searched and edited, and the characters that it uses are inside."""
    figure, rows = drawing()
    save_figure(figure, rows, folder=tmp_path, name="dots")
    svg = (tmp_path / "dots.svg").read_text(encoding="utf-8")
    texts = set(re.findall(r"<text[^>]*>([^<]+)</text>", svg))
    assert texts and texts <= set(texts_of(figure))
    face = re.search(r"font-family:'Bidui Sans SC';src:url\(data:font/woff;base64,([^)]+)\)", svg)
    assert face is not None
    font = TTFont(BytesIO(base64.b64decode(face[1])))
    assert {ord(character) for text in texts for character in text} <= font.getBestCmap().keys()
    assert len(face[1]) < 60_000  # of a font of 2 MB
    pdf = (tmp_path / "dots.pdf").read_bytes()
    assert b"BiduiSansSC" in pdf  # the font is inside
    assert b"/Type3" not in pdf.replace(b" ", b"")


def test_a_character_without_a_glyph_is_told_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Warnings are errors here, so matplotlib's own, which names no figure, is not given as well."""
    monkeypatch.setattr(style, "INSTALLED", ())
    (problem,) = save_figure(*drawing("𠀀字句"), folder=tmp_path, name="dots").problems
    assert problem.severity == "warning"
    assert problem.values == {"figure": "dots", "characters": ["𠀀"]}
    assert "𠀀" in problem.text("en")
    assert "𠀀" in problem.text("zh")
    assert len(saved(tmp_path)) == 4


def test_a_place_that_cannot_be_written_is_an_error_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match=r"dots\.svg"):
        save_figure(*drawing(), folder=tmp_path / "file", name="dots")


def test_csv_has_numbers_in_full_and_gaps_empty() -> None:
    rows = Rows(("group", "value", "count"), (("把字句, a", 1 / 3, 3), ('"b"', nan, 0)))
    assert csv_bytes(rows).decode() == 'group,value,count\n"把字句, a",0.3333333333333333,3\n"""b""",,0\n'
