"""Every table of a report is typeset by LaTeX, where it is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bidui.analysis.estimate import Estimate
from bidui.reports.tables import CROWDED, Column, Table, latex

PACKAGES = ("adjustbox.sty", "booktabs.sty", "longtable.sty", "ctex.sty")


def has_latex() -> bool:
    """XeLaTeX with all packages and the fonts that ctex takes on its own."""
    found = shutil.which("xelatex"), shutil.which("kpsewhich")
    if not all(found):
        return False
    asked = [*PACKAGES, "FandolSong-Regular.otf"]
    return all(subprocess.run(["kpsewhich", name], capture_output=True, check=False).stdout for name in asked)


def made(rows: int, *, models: int) -> Table:
    """A table with Chinese and every character that means something to LaTeX."""
    columns = (Column("g", "现象 \\ {}$&#%_^~<>|"), *(Column(f"m{n}", f"m_{n} α…τ", "percent") for n in range(models)))
    values = tuple((f"量词_{n} [x] *", *[Estimate(0.5, 0.25, 0.75)] * models) for n in range(rows))
    return Table(f"t{rows}-{models}", "题目 50% & {more} ∞ ≤ −1", columns, values, "说明：a_b | c ± d", whole=True)


@pytest.mark.skipif(not has_latex(), reason="XeLaTeX with ctex, booktabs and adjustbox is not installed")
def test_tables_compile_without_error_missing_character_or_overflow(tmp_path: Path) -> None:
    """Long and short ones, with few models and with many."""
    for number, (rows, models) in enumerate([(3, 2), (3, 12), (60, 2), (60, 5)]):
        (tmp_path / f"{number}.tex").write_text(latex(made(rows, models=models)), encoding="utf-8")
    inputs = "".join(rf"\input{{{number}.tex}}\clearpage" for number in range(4))
    head = r"\documentclass[fontset=fandol]{ctexart}\usepackage{booktabs,longtable,adjustbox}\begin{document}"
    (tmp_path / "all.tex").write_text(rf"{head}{inputs}\end{{document}}", encoding="utf-8")
    for _ in range(2):  # longtable knows its widths the second time
        command = ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=600, check=False)
        assert ended.returncode == 0, ended.stdout.decode(errors="replace")[-2000:]
    log = (tmp_path / "all.log").read_text(encoding="utf-8", errors="replace")
    assert "Missing character" not in log and "Overfull" not in log


def test_intervals_of_many_models_are_left_to_the_csv() -> None:
    """Twelve columns with intervals would shrink until nobody can read them; the file says where they are."""
    assert r"\tiny" in latex(made(3, models=CROWDED)) and "see the CSV" not in latex(made(3, models=CROWDED))
    crowded = latex(made(3, models=CROWDED + 1))
    assert r"\tiny" not in crowded and "% intervals: see the CSV" in crowded
