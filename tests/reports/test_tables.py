"""Tables as Markdown, LaTeX and CSV: what readers and programs find in them is what was put in."""

import csv
import json
import re
import shutil
import subprocess
from io import StringIO
from itertools import pairwise
from math import inf, nan
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bidui.analysis.accuracy import Accuracy
from bidui.intervals import Estimate
from bidui.reports.tables import (
    Column,
    Table,
    Unit,
    Value,
    csv_text,
    latex,
    latex_text,
    markdown,
    short_count,
    shown,
    table_text,
    without_blank,
)

SMALL = Table(
    "small",
    "A & B",
    (Column("name", "na_me"), Column("accuracy", "acc. %", "percent"), Column("pairs", "pairs", "count")),
    (("BA_x", Accuracy(Estimate(0.75, 0.5, 0.9), 20, 2), 1234), ("量词", None, 5)),
    "100% of 2.",
    whole=True,
)
PARTS = st.characters(exclude_categories=["C", "Z"]) | st.sampled_from([" ", "&lt;", "~~", "**", "[x](y)"])
TEXTS = st.lists(PARTS, max_size=8).map("".join)


def test_markdown_is_the_table_that_was_meant() -> None:
    """Written out by hand: an underscore or a star would else begin italics, and a bracket a link."""
    assert markdown(SMALL) == (
        "**A & B**\n\n"
        "| na\\_me | acc. % | pairs |\n"
        "| --- | ---: | ---: |\n"
        "| BA\\_x | 75.00 \\[50.00, 90.00\\] | 1,234 |\n"
        "| 量词 | – | 5 |\n\n"
        "100% of 2.\n"
    )


def test_latex_is_the_table_that_was_meant() -> None:
    """Written out by hand; the last row is of the whole, and a rule stands before it."""
    assert latex(SMALL) == "\n".join(
        [
            "% needs the packages booktabs, siunitx, and for Chinese ctex, with XeLaTeX or LuaLaTeX",
            r"\begin{table}",
            r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
            r"\caption{A \& B}\label{tab:small}",
            r"\begin{tabular}{@{}lS[table-format=2.2,detect-weight,mode=text]@{\,}lr@{}}",
            r"\toprule",
            r"na\_me & \multicolumn{2}{c}{acc. \%} & pairs \\",
            r"\midrule",
            r"BA\_x & 75.00 & [50.00, 90.00] & 1,234 \\",
            r"\midrule",
            r"量词 & {--} &  & 5 \\",
            r"\bottomrule",
            r"\end{tabular}",
            r"\par\smallskip\noindent\parbox{\linewidth}{\footnotesize\raggedright 100\% of 2.}",
            r"\end{table}",
            "",
        ]
    )


def test_csv_has_numbers_in_full_and_intervals_in_columns_of_their_own() -> None:
    """Two thirds is 66.66666667 per cent, whatever the page shows; nothing is an empty cell."""
    table = Table(
        "t",
        "t",
        (Column("x", "X", "percent"), Column("y", "Y", "number"), Column("n", "N", "count")),
        ((Estimate(2 / 3, 0.5, 0.8), nan, 1234), (None, 1e-9, 7)),
    )
    assert csv_text(table) == "x,x_low,x_high,y,n\n66.66666667,50,80,,1234\n,,,1e-09,7\n"
    assert csv_text(SMALL).splitlines()[:2] == [
        "name,accuracy,accuracy_low,accuracy_high,accuracy_ties,pairs",
        "BA_x,75,50,90,2,1234",
    ]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.12345, "percent", "12.35"),
        (-0.05, "points", "-5.00"),
        (0.05, "points", "+5.00"),
        (1234567, "count", "1,234,567"),
        (78_970_880, "amount", "79M"),
        (0.0004, "p", "<0.001"),
        (0.05, "p", "0.050"),
        (0.123456, "number", "0.123"),
        (3180, "number", "3,180"),  # the statistic of a test
        (3180.5, "number", "3,180.5"),
        (15_600_000, "number", "1.56e7"),
        (inf, "number", "∞"),
        (nan, "percent", "–"),
        (None, "count", "–"),
    ],
)
def test_a_value_is_rounded_as_its_unit_asks(value: Value, unit: Unit, text: str) -> None:
    """All formats and the page take their text from here."""
    assert shown(value, unit).text == text


@pytest.mark.parametrize(
    ("number", "text"), [(999, "999"), (9_994_240, "9.99M"), (10_000_000, "10M"), (1.4e9, "1.4B"), (999_999, "1M")]
)
def test_sizes_are_called_as_the_papers_call_them(number: float, text: str) -> None:
    """Series of runs are named so."""
    assert short_count(number) == text


def test_latex_means_every_special_character_as_itself() -> None:
    """One that is missed breaks the user's whole paper."""
    assert latex_text(r"a_b & 5% #1 {x} $y$ ~ ^ \z <|>") == (
        r"a\_b \& 5\% \#1 \{x\} \$y\$ \textasciitilde{} \textasciicircum{} \textbackslash{}z "
        r"\textless{}\textbar{}\textgreater{}"
    )
    assert latex_text("α ≥ 0.5 × 比对") == r"$\alpha$ $\geq$ 0.5 $\times$ 比对"
    assert latex_text("see `--link mean_lp`") == r"see \texttt{-{}-link mean\_lp}"  # -- alone would become a dash


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), TEXTS)
def test_any_text_keeps_the_rows_of_latex_whole(rows: list[tuple[str, str]], title: str) -> None:
    """What TeX itself would count: columns in a row, braces that close, environments that end."""
    table = Table("t", title, (Column("a", "a"), Column("b", "b")), tuple(rows), title)
    text = latex(table)
    # what is left when escaped characters are taken away: every & parts two columns, every brace is a group
    bare = re.sub(r"\\[\\&%#_{}$]", lambda found: r"\\" if found[0] == r"\\" else "", text)
    body = [line for line in bare.splitlines() if line.endswith(r"\\") and "caption" not in line]
    assert all(line.count("&") == 1 for line in body)
    assert len(body) == len(rows) + 1
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    assert re.findall(r"\\begin\{(\w+)\}", text) == re.findall(r"\\end\{(\w+)\}", text)[::-1]
    assert not any(line.startswith("[") for line in text.splitlines()), (
        "TeX reads a bracket after a row as its distance"
    )


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_any_text_comes_out_of_markdown_as_it_went_in(rows: list[tuple[str, str]]) -> None:
    """Read by a Markdown parser: no cell ends a row, begins a tag, or is set in italics."""
    table = Table("t", "t", (Column("a", "a"), Column("b", "b")), tuple(rows))
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown(table))
    inline = [t for before, t in pairwise(tokens) if before.type == "td_open"]
    cells = ["".join(child.content for child in token.children or []) for token in inline]
    assert cells == [" ".join(text.split()) for row in rows for text in row]
    assert {child.type for token in inline for child in token.children or []} <= {"text", "text_special"}


@given(st.lists(st.tuples(TEXTS, st.floats(0, 1)), min_size=1, max_size=5))
def test_csv_comes_back_as_it_went_in(rows: list[tuple[str, float]]) -> None:
    """Model names may hold commas and quotes."""
    table = Table("t", "t", (Column("a", "a"), Column("b", "b", "percent")), tuple(rows))
    read = list(csv.reader(StringIO(csv_text(table))))[1:]
    assert [row[0] for row in read] == [name for name, _ in rows]
    assert [float(row[1]) for row in read] == pytest.approx([100 * value for _, value in rows])


def test_a_long_table_goes_over_several_pages() -> None:
    """118 paradigms do not fit on one, and `table` does not break."""
    table = Table("t", "t", (Column("a", "a"),), tuple((str(n),) for n in range(118)))
    text = latex(table)
    assert r"\begin{longtable}{@{}l@{}}" in text and r"\endhead" in text and r"\begin{table}" not in text


def test_a_column_of_nothing_is_left_out() -> None:
    """A head over empty cells makes readers look for what is not there."""
    table = Table("t", "t", (Column("a", "a"), Column("remark", "remark")), (("x", ""), ("y", "")))
    assert [column.name for column in without_blank(table).columns] == ["a"]
    assert without_blank(table).rows == (("x",), ("y",))


# Every table of a report is typeset by LaTeX, where it is installed.


PACKAGES = ("booktabs.sty", "longtable.sty", "siunitx.sty", "pdflscape.sty", "ctex.sty")


def has_latex() -> bool:
    """XeLaTeX with all packages and the fonts that ctex takes on its own."""
    found = shutil.which("xelatex"), shutil.which("kpsewhich")
    if not all(found):
        return False
    asked = [*PACKAGES, "FandolSong-Regular.otf"]
    return all(subprocess.run(["kpsewhich", name], capture_output=True, check=False).stdout for name in asked)


def made(rows: int, *, models: int) -> Table:
    """A table with Chinese and every character that means something to LaTeX."""
    rivals = (Column(f"m{n}", f"m_{n} α…τ", "percent", rival=True) for n in range(models))
    columns = (Column("g", "现象 \\ {}$&#%_^~<>|"), *rivals)
    values = tuple((f"量词_{n} [x] *", *[Estimate(0.5, 0.25, 0.75)] * models) for n in range(rows))
    return Table(f"t{rows}-{models}", "题目 50% & {more} ∞ ≤ −1", columns, values, "说明：a_b | c ± d", whole=True)


@pytest.mark.skipif(not has_latex(), reason="XeLaTeX with ctex, booktabs and siunitx is not installed")
def test_tables_compile_without_error_missing_character_or_overflow(tmp_path: Path) -> None:
    """Long and short ones, with few models and with many."""
    for number, (rows, models) in enumerate([(3, 2), (3, 20), (60, 2), (60, 20)]):
        (tmp_path / f"{number}.tex").write_text(latex(made(rows, models=models)), encoding="utf-8")
    inputs = "".join(rf"\input{{{number}.tex}}\clearpage" for number in range(4))
    head = r"\documentclass[fontset=fandol]{ctexart}\usepackage{booktabs,longtable,siunitx,pdflscape}\begin{document}"
    (tmp_path / "all.tex").write_text(rf"{head}{inputs}\end{{document}}", encoding="utf-8")
    for _ in range(2):  # longtable knows its widths the second time
        command = ["xelatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=600, check=False)
        assert ended.returncode == 0, ended.stdout.decode(errors="replace")[-2000:]
    log = (tmp_path / "all.log").read_text(encoding="utf-8", errors="replace")
    assert "Missing character" not in log and "Overfull" not in log


def panels(text: str) -> list[str]:
    """The rows of heads, one for each panel."""
    lines = text.splitlines()
    heads = [lines[number + 1] for number, line in enumerate(lines) if line == r"\toprule"]
    return list(dict.fromkeys(heads))


def test_intervals_of_many_models_are_left_to_the_csv() -> None:
    """In type that can be read, two columns with intervals fit on a line; the file says where the others are."""
    assert "[25.00, 75.00]" in latex(made(3, models=2)) and "see the CSV" not in latex(made(3, models=2))
    crowded = latex(made(3, models=12))
    assert "[25.00, 75.00]" not in crowded and "% intervals: see the CSV" in crowded


def test_a_table_of_many_models_is_divided_and_never_shrunk() -> None:
    """Twenty models: every one stands in one panel, and every panel begins with the names of the rows."""
    text = latex(made(3, models=20))
    heads = panels(text)
    assert len(heads) > 1 and all("现象" in head.partition(" & ")[0] for head in heads)
    assert [head.count(" & ") for head in heads] == [row.count(" & ") for row in text.splitlines() if "量词\\_0" in row]
    assert sum(head.count(" & ") for head in heads) == 20
    assert not {r"\tiny", r"\scriptsize", "adjustbox"} & set(re.findall(r"\\?\w+", text))


def test_the_best_of_a_row_is_bold_and_humans_do_not_compete() -> None:
    """0.8 twice: both are; a missing value is none; a single model has no rival."""
    columns = (Column("g", "g"), *(Column(n, n, "percent", rival=n != "humans") for n in ("a", "b", "c", "humans")))
    text = latex(Table("t", "t", columns, (("x", 0.8, 0.5, 0.8, 0.99), ("y", None, 0.25, None, 0.5))))
    assert r"x & \bfseries 80.00 & 50.00 & \bfseries 80.00 & 99.00 \\" in text
    assert r"y & {--} & 25.00 & {--} & 50.00 \\" in text


def test_a_wide_table_of_different_columns_is_turned() -> None:
    """Eleven numbers with long heads: on its side the page holds them."""
    columns = (Column("a", "a"), *(Column(f"c{n}", "median 1", "percent" if n % 2 else "p") for n in range(11)))
    text = latex(Table("t", "t", columns, (("x", *[0.5] * 11),)))
    assert r"\begin{landscape}" in text and "pdflscape" in text and len(panels(text)) == 1


def test_a_table_whose_note_makes_it_higher_than_a_page_is_no_float() -> None:
    """30 rows and their rules take 358 of 535 points; 100 words below them are 8 lines of 9.5, and 400 words 29."""
    columns, rows = (Column("a", "a"), Column("x", "x", "percent")), tuple((f"r{n}", 0.5) for n in range(30))
    assert r"\begin{longtable}" not in latex(Table("t", "t", columns, rows, "word " * 100))
    assert r"\begin{longtable}" in latex(Table("t", "t", columns, rows, "word " * 400))


def test_rows_and_data_frames_are_written_for_machines() -> None:
    rows = [{"name": "a_b", "n": 1200, "share": 1 / 3, "none": None}, {"name": "c", "n": 0, "share": 0.5, "none": [1]}]
    assert table_text(rows, "csv") == "name,n,share,none\na_b,1200,0.3333333333,\nc,0,0.5,[1]\n"
    assert json.loads(table_text(pl.DataFrame({"x": [1, 2]}), "json")) == [{"x": 1}, {"x": 2}]
    assert r"a\_b & 1,200 & 0.333 & -- \\" in table_text(rows, "latex", name="t", title="T")
    assert table_text([], "csv") == "\n"
