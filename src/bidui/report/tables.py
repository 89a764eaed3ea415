"""Tables: typed values in named columns, as Markdown, LaTeX and CSV.

A value is formatted in one place, so that the three and the page agree. Markdown and LaTeX have it rounded, with its
interval in the same cell; CSV has it in full, with the ends of the interval in columns of their own.
"""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from math import isnan
from typing import Literal

from bidui.report.latex import latex_text

Unit = Literal["text", "count", "percent", "points", "number", "p"]
LONG = 45  # rows, from which a table in LaTeX goes over several pages
CTEX = ", and for Chinese ctex, with XeLaTeX or LuaLaTeX"
NOTHING = "–"  # where there is no value


@dataclass(frozen=True, slots=True)
class Ranged:
    """A value with its interval of 95 per cent; `ties` of its pairs, where they are known."""

    value: float
    low: float
    high: float
    ties: int | None = None


Value = str | int | float | Ranged | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in CSV, its head for readers, and what its values are.

    Of `percent` the values are parts of one; of `points` differences of such, which are shown with their sign.
    """

    name: str
    head: str
    unit: Unit = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with the name of its files, a title, and a note on how to read it."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows), self.name


@dataclass(frozen=True, slots=True)
class Shown:
    """A value as readers see it, and its interval, which may be empty."""

    text: str
    interval: str = ""


def shown(value: Value, unit: Unit) -> Shown:
    """A value as text, rounded as its unit asks for."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return Shown(NOTHING)
    if isinstance(value, str):
        return Shown(value)
    one = _FORMATS[unit]
    if not isinstance(value, Ranged):
        return Shown(one(value))
    if isnan(value.value):
        return Shown(NOTHING)
    return Shown(one(value.value), f"[{one(value.low)}, {one(value.high)}]")


def _number(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.2e}"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


_FORMATS: dict[Unit, Callable[[float], str]] = {
    "text": str,
    "count": lambda value: f"{value:,.0f}",
    "percent": lambda value: f"{100 * value:.2f}",
    "points": lambda value: f"{100 * value:+.2f}",
    "number": _number,
    "p": _p,
}


def markdown(table: Table) -> str:
    """A pipe table under its title; cells cannot end a row or begin a tag."""
    heads = [_markdown_cell(column.head) for column in table.columns]
    lines = [f"**{_markdown_cell(table.title)}**", "", _piped(heads)]
    lines.append(_piped(["---" if column.unit == "text" else "---:" for column in table.columns]))
    for row in table.rows:
        cells = [shown(value, column.unit) for value, column in zip(row, table.columns, strict=True)]
        lines.append(_piped([_markdown_cell(f"{cell.text} {cell.interval}".strip()) for cell in cells]))
    if table.note:
        lines += ["", _markdown_cell(table.note)]
    return "".join(f"{line}\n" for line in lines)


def _piped(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown_cell(text: str) -> str:
    for special in "\\`*_{}[]<>|#":
        text = text.replace(special, f"\\{special}")
    return " ".join(text.split())


def latex(table: Table) -> str:
    """A floating `tabular` with the rules of booktabs, or, if it is long, a `longtable`."""
    spec = "".join("l" if column.unit == "text" else "r" for column in table.columns)
    heads = " & ".join(latex_text(column.head) for column in table.columns) + r" \\"
    rows = [" & ".join(_latex_cells(table, row)) + r" \\" for row in table.rows]
    label = [rf"\caption{{{latex_text(table.title)}}}", rf"\label{{tab:{table.name}}}"]
    long = len(rows) > LONG
    needs = "booktabs, longtable" if long else "booktabs"
    lines = [f"% needs the packages {needs}{CTEX if _has_chinese(table) else ''}"]
    size = r"\footnotesize" if len(table.columns) <= 6 else r"\scriptsize"
    if long:
        top = [*label, r"\\", r"\toprule", heads, r"\midrule", r"\endfirsthead"]
        again = [r"\toprule", heads, r"\midrule", r"\endhead", r"\bottomrule", r"\endfoot"]
        lines += ["{" + size, rf"\begin{{longtable}}{{@{{}}{spec}@{{}}}}", *_joined(top), *again]
        lines += [*rows, r"\end{longtable}", *_latex_note(table), "}"]
    else:
        lines += [r"\begin{table}", r"\centering" + size, *label, rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}"]
        lines += [r"\toprule", heads, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]
        lines += [*_latex_note(table), r"\end{table}"]
    return "".join(f"{line}\n" for line in lines)


def _joined(top: list[str]) -> list[str]:
    """The caption of a long table is one of its rows, and ends as one."""
    return ["".join(top[:3]), *top[3:]]


def _latex_cells(table: Table, row: tuple[Value, ...]) -> list[str]:
    found = []
    for value, column in zip(row, table.columns, strict=True):
        cell = shown(value, column.unit)
        interval = rf" {{\tiny {latex_text(cell.interval)}}}" if cell.interval else ""
        # a bracket or star at the beginning of a row would be read as belonging to the end of the row before
        guard = "{}" if cell.text[:1] in ("[", "*") else ""
        found.append(f"{guard}{latex_text(cell.text)}{interval}")
    return found


def _latex_note(table: Table) -> list[str]:
    return [rf"\par\smallskip\parbox{{\linewidth}}{{{latex_text(table.note)}}}"] if table.note else []


def _has_chinese(table: Table) -> bool:
    texts = [table.title, table.note, *(column.head for column in table.columns)]
    texts += [value for row in table.rows for value in row if isinstance(value, str)]
    return any("\u2e80" <= character <= "\uffef" for text in texts for character in text)


def csv_text(table: Table) -> str:
    """A header and a line a row: numbers unrounded, per cents as per cents, and nothing where there is no value."""
    wide = [_parts(table, number) for number in range(len(table.columns))]
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([f"{c.name}{end}" for c, ends in zip(table.columns, wide, strict=True) for end in ends])
    for row in table.rows:
        cells = zip(row, table.columns, wide, strict=True)
        writer.writerow([_csv_cell(value, column.unit, end) for value, column, ends in cells for end in ends])
    return text.getvalue()


def _parts(table: Table, number: int) -> tuple[str, ...]:
    """The endings of the names of the columns that a column becomes."""
    ranged = [row[number] for row in table.rows if isinstance(row[number], Ranged)]
    ties = any(isinstance(value, Ranged) and value.ties is not None for value in ranged)
    return ("", *(("_low", "_high") if ranged else ()), *(("_ties",) if ties else ()))


def _csv_cell(value: Value, unit: Unit, end: str) -> str:
    if isinstance(value, Ranged):
        if end == "_ties":
            return "" if value.ties is None else str(value.ties)
        value = {"": value.value, "_low": value.low, "_high": value.high}[end]
    elif end:
        return ""
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, str | int):
        return str(value)
    return f"{100 * value if unit in ('percent', 'points') else value:.10g}"
