"""Tables: typed values in named columns, as Markdown, CSV and LaTeX.

A value is formatted in one place, so that all formats and the page agree. Markdown and LaTeX have it rounded, with its
interval in the same cell; CSV has it in full, with the ends of the interval in columns of their own.
"""

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from math import ceil, floor, isinf, isnan, log10
from typing import TYPE_CHECKING, Literal

from bidui.analysis.accuracy import Accuracy
from bidui.intervals import Estimate

if TYPE_CHECKING:
    import polars

Unit = Literal["text", "count", "percent", "points", "number", "amount", "p", "r", "nats"]
SENTENCE = 40  # characters; a longer text is wrapped
NOTHING = "–"  # where there is no value


@dataclass(frozen=True, slots=True)
class Below:
    """A p that is only known to be at most this: the smallest that so many resamples can give."""

    value: float


Value = str | int | float | Estimate | Accuracy | Below | None  # an accuracy has its ties in CSV


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in CSV, its head for readers, and what its values are.

    Values in `percent` are shares; in `points` differences between shares, which are shown with their sign. An
    `amount` is a large number, such as of tokens, that readers see as 79M. `r` is a correlation, and `nats` are
    differences of log-probabilities, shown with their sign.
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
    whole: bool = False  # the last row is a total
    linked: bool = False  # the page does not show the table but links to it

    def __post_init__(self) -> None:
        assert all(len(row) == len(self.columns) for row in self.rows), self.name


@dataclass(frozen=True, slots=True)
class Cell:
    """A value as readers see it, and its interval, which may be empty."""

    text: str
    interval: str = ""


def shown(value: Value, unit: Unit) -> Cell:
    """Return a value as text, rounded according to its unit."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return Cell(NOTHING)
    if isinstance(value, str):
        return Cell(value)
    if isinstance(value, Below):
        return Cell(below_text(value))
    text = _FORMATS[unit]
    if not isinstance(value, Estimate | Accuracy):
        return Cell(text(value))
    if isnan(value.value):
        return Cell(NOTHING)
    if isnan(value.low):
        return Cell(text(value.value))
    return Cell(text(value.value), f"[{text(value.low)}, {text(value.high)}]")


def at_floor(p: float, *, floor: float, times: float = 1.0) -> float | Below:
    """Return a p, or that it is below the smallest one that could be found; a correction multiplies both."""
    return Below(min(1.0, floor * times)) if p <= floor * times * (1 + 1e-9) else p


def below_text(value: Below) -> str:
    """Return "<0.0005", rounded up to two digits."""
    digits = 1 - floor(log10(value.value)) if value.value > 0 else 2
    return f"<{ceil(value.value * 10**digits - 1e-9) / 10**digits:.{digits}g}"


def short_count(number: float) -> str:
    """Return a number as sizes and corpora are named: 10M, 79M, 1.4B."""
    for unit, size in (("B", 1e9), ("M", 1e6), ("k", 1e3)):
        if size * 0.9995 <= number < 1e12:
            return f"{number / size:.3g}{unit}"
    return _number(number)


def _number(value: float) -> str:
    if isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) < 1000:
        return f"{value:.3g}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


_FORMATS: dict[Unit, Callable[[float], str]] = {
    "text": str,
    "count": lambda value: f"{value:,.0f}",
    "percent": lambda value: f"{100 * value:.2f}",
    "points": lambda value: f"{100 * value:+.2f}",
    "number": _number,
    "amount": short_count,
    "p": lambda value: "<0.001" if value < 0.001 else f"{value:.3f}",
    "r": lambda value: f"{value:.3f}",
    "nats": lambda value: f"{round(value, 2) + 0.0:+.2f}",  # never a negative zero
}


def without_blank(table: Table) -> Table:
    """Return the table without columns that are empty in every row, such as remarks."""
    kept = [number for number in range(len(table.columns)) if any(row[number] != "" for row in table.rows)]
    rows = tuple(tuple(row[number] for number in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[number] for number in kept), rows=rows)


def markdown(table: Table) -> str:
    """Return a pipe table under its title; cells cannot end a row or begin a tag."""
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
    text = re.sub(r"[\\`*_{}\[\]<>|#~]|&(?=#?\w+;)", r"\\\g<0>", text)
    return " ".join(text.split())


def csv_text(table: Table) -> str:
    """Return a header and one line per row: numbers unrounded, shares in percent, empty cells for missing values."""
    wide = [_parts(table, number) for number in range(len(table.columns))]
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([f"{c.name}{end}" for c, ends in zip(table.columns, wide, strict=True) for end in ends])
    for row in table.rows:
        cells = zip(row, table.columns, wide, strict=True)
        writer.writerow([_csv_cell(value, column.unit, end) for value, column, ends in cells for end in ends])
    return text.getvalue()


def _parts(table: Table, number: int) -> tuple[str, ...]:
    """Return the suffixes of the CSV columns that a column becomes."""
    values = [row[number] for row in table.rows]
    intervals = any(isinstance(value, Estimate | Accuracy) for value in values)
    ties = any(isinstance(value, Accuracy) for value in values)
    return ("", *(("_low", "_high") if intervals else ()), *(("_ties",) if ties else ()))


def _csv_cell(value: Value, unit: Unit, end: str) -> str:
    if isinstance(value, Estimate | Accuracy):
        if end == "_ties":
            return str(value.ties) if isinstance(value, Accuracy) else ""
        value = {"": value.value, "_low": value.low, "_high": value.high}[end]
    elif end:
        return ""
    if value is None or (isinstance(value, float) and isnan(value)):
        return ""
    if isinstance(value, Below):
        return below_text(value)
    if isinstance(value, str | int):
        return str(value)
    return f"{100 * value if unit in ('percent', 'points') else value:.10g}"


def table_text(
    rows: "polars.DataFrame | Sequence[Mapping[str, object]]",
    format: Literal["csv", "json", "latex"],
    *,
    name: str = "table",
    title: str = "",
) -> str:
    """Return a data frame, or rows that have the same columns, as CSV, as a JSON list, or as a table for LaTeX.

    Numbers are rounded in LaTeX only. `name` is the label of a LaTeX table, `title` its caption.
    """
    records = [dict(row) for row in (rows if isinstance(rows, Sequence) else rows.to_dicts())]
    if format == "json":
        return json.dumps(records, ensure_ascii=False, indent=1) + "\n"
    units: dict[type, Unit] = {int: "count", float: "number"}
    first = records[0].items() if records else ()
    columns = tuple(Column(key, key.replace("_", " "), units.get(type(value), "text")) for key, value in first)
    cells = tuple(tuple(_plain(value) for value in row.values()) for row in records)
    table = Table(name, title or name, columns, cells)
    return csv_text(table) if format == "csv" else latex(table)


def _plain(value: object) -> Value:
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False)


# LaTeX, with the rules of booktabs; characters that are special in LaTeX are escaped.

LONG = 45  # rows; a longer table is spread over several pages
WIDE = 6  # columns; a wider table is set in smaller type
CROWDED, CROWDED_LONG = 4, 2  # the most columns with intervals that fit; a long table cannot shrink
CTEX = ", and for Chinese ctex, with XeLaTeX or LuaLaTeX"
SIGNS = {"\\": "backslash", "^": "asciicircum", "~": "asciitilde", "<": "less", ">": "greater", "|": "bar"}
GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "ρ": "rho", "τ": "tau", "Δ": "Delta"}
MATHS = {"±": "pm", "×": "times", "·": "cdot", "≤": "leq", "≥": "geq", "∞": "infty", **GREEK}
SPECIAL = str.maketrans(
    {
        **{character: f"\\{character}" for character in "{}$&#%_"},
        **{character: f"\\text{name}{{}}" for character, name in SIGNS.items()},
        **{character: f"$\\{name}$" for character, name in MATHS.items()},
        **{"–": "--", "…": r"\ldots{}", "−": "$-$", "₀": "$_0$"},
    }
)


def latex(table: Table) -> str:
    """Return a floating `tabular` that shrinks to the width of the text, or a `longtable` if it is long.

    Where more columns have intervals than can be read in print, only the CSV has them.
    """
    by_column = [[row[number] for row in table.rows] for number in range(len(table.columns))]
    spec = "".join(map(_alignment, table.columns, by_column))
    heads = _row([latex_text(column.head) for column in table.columns])
    long, wide = len(table.rows) > LONG, len(table.columns) > WIDE
    with_intervals = [any(isinstance(value, Estimate | Accuracy) for value in values) for values in by_column]
    crowded = sum(with_intervals) > (CROWDED_LONG if long else CROWDED)
    rows = [_row(_cells(table, row, intervals=not crowded)) for row in table.rows]
    if table.whole and rows:
        rows.insert(-1, r"\midrule")
    texts = [table.title, table.note, *(column.head for column in table.columns)]
    texts += [value for row in table.rows for value in row if isinstance(value, str)]
    chinese = any("\u2e80" <= character <= "\uffef" for text in texts for character in text)
    needs = f"booktabs, {'longtable' if long else 'adjustbox'}{CTEX if chinese else ''}"
    size = r"\scriptsize" if wide else r"\footnotesize"
    head = [r"\toprule", heads, r"\midrule"]
    caption = rf"\caption{{{latex_text(table.title)}}}\label{{tab:{table.name}}}"
    note = [rf"\par\smallskip\noindent\parbox{{\linewidth}}{{{latex_text(table.note)}}}"] if table.note else []
    if long:  # the caption is the first of its rows; the heads are repeated on every page
        top = [rf"{{{size}\setlength{{\tabcolsep}}{{3pt}}", rf"\begin{{longtable}}{{@{{}}{spec}@{{}}}}"]
        pages = [rf"{caption} \\", *head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot"]
        lines = [*top, *pages, *rows, r"\end{longtable}", *note, "}"]
    else:
        top = [r"\begin{table}", rf"\centering{size}", caption, r"\begin{adjustbox}{max width=\linewidth}"]
        body = [rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}", *head, *rows, r"\bottomrule", r"\end{tabular}"]
        lines = [*top, *body, r"\end{adjustbox}", *note, r"\end{table}"]
    comments = [f"% needs the packages {needs}", *(["% intervals: see the CSV"] if crowded else [])]
    return "".join(f"{line}\n" for line in [*comments, *lines])


def latex_text(text: str) -> str:
    """Return the text on one line; Chinese stays as it is."""
    return " ".join(text.split()).translate(SPECIAL)


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cells(table: Table, row: tuple[Value, ...], *, intervals: bool) -> list[str]:
    cells = []
    for value, column in zip(row, table.columns, strict=True):
        cell = shown(value, column.unit)
        text = latex_text(cell.text)
        interval = rf" {{\tiny {latex_text(cell.interval)}}}" if cell.interval and intervals else ""
        # a bracket or star at the beginning of a row would be read as belonging to the end of the row before
        cells.append(f"{'{}' if text[:1] in ('[', '*') else ''}{text}{interval}")
    return cells


def _alignment(column: Column, values: Sequence[Value]) -> str:
    """Return the alignment of a column: numbers right; sentences are wrapped."""
    if column.unit != "text":
        return "r"
    return r"p{0.3\linewidth}" if any(isinstance(text, str) and len(text) > SENTENCE for text in values) else "l"
