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
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bidui.analysis.accuracy import Accuracy
from bidui.files import write_file
from bidui.intervals import Estimate

if TYPE_CHECKING:
    import polars

Unit = Literal["text", "count", "percent", "points", "number", "amount", "p", "r", "nats"]
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
    rival: bool = False  # one of several models or linking functions: the highest of a row is bold in print


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
    if abs(value) < 1e6:
        return f"{value:,.1f}".removesuffix(".0")
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
    format: Literal["csv", "json", "latex", "markdown"],
    *,
    name: str = "table",
    title: str = "",
) -> str:
    """Return a data frame, or rows that have the same columns, as CSV, a JSON list, or a table for LaTeX or Markdown.

    Numbers are rounded in LaTeX and Markdown only. `name` is the label of a LaTeX table, `title` its caption.
    """
    records = [dict(row) for row in (rows if isinstance(rows, Sequence) else rows.to_dicts())]
    if format == "json":
        return json.dumps(records, ensure_ascii=False, indent=1) + "\n"
    return {"csv": csv_text, "latex": latex, "markdown": markdown}[format](_table_of(records, name, title))


def write_table(rows: Sequence[Mapping[str, object]], folder: Path | str, *, name: str, title: str = "") -> list[Path]:
    """Write rows that have the same columns as CSV, Markdown and LaTeX; return the files."""
    table = _table_of([dict(row) for row in rows], name, title)
    files = {Path(folder) / f"{name}.{end}": text for end, text in table_files(table).items()}
    for file, text in files.items():
        write_file(file, text.encode())
    return list(files)


def table_files(table: Table) -> dict[str, str]:
    """Return a table as the text of each file that it is written to, by its ending."""
    return {"csv": csv_text(table), "md": markdown(table), "tex": latex(table)}


def _table_of(records: Sequence[Mapping[str, object]], name: str, title: str) -> Table:
    units: dict[type, Unit] = {int: "count", float: "number"}
    first = records[0].items() if records else ()
    columns = tuple(Column(key, key.replace("_", " "), units.get(type(value), "text")) for key, value in first)
    cells = tuple(tuple(_plain(value) for value in row.values()) for row in records)
    return Table(name, title or name, columns, cells)


def _plain(value: object) -> Value:
    return value if value is None or isinstance(value, str | int | float) else json.dumps(value, ensure_ascii=False)


# LaTeX, with the rules of booktabs and the columns of siunitx; characters that are special in LaTeX are escaped.
#
# All type is \footnotesize. A table that is wider than the text is divided into panels, side by side columns in several
# tables one below the other, each with the columns that name its rows; where that takes more than two, it is turned.

LONG = 45  # rows; a longer table is spread over several pages, as is one that is higher than a page
LINE, TURNED = 338.0, 535.0  # points: the width of the text of an article, and its height
ROW, CHINESE_ROW = 9.5, 12.5  # points: the height of a line; ctex sets lines further apart
RULES, CAPTION = 24.0, 40.0  # points: the height of the rules of a panel, and of a caption
GAP = 8.0  # points between two columns
NAME, HEAD, TEXT = 130.0, 62.0, 150.0  # points: wider names of rows, heads of columns and other texts are broken
PLACES: Mapping[Unit, int] = {"percent": 2, "points": 2, "r": 3, "nats": 2}  # decimals, at which numbers are aligned
WIDTHS = (("ijlt.,;:'|!()[] -fr1I", 3.4), ("mwMW%@—", 8.0), ("†", 4.0))  # points, rounded up, at this size
CTEX = ", and for Chinese ctex, with XeLaTeX or LuaLaTeX"
SIGNS = {"\\": "backslash", "^": "asciicircum", "~": "asciitilde", "<": "less", ">": "greater", "|": "bar"}
GREEK = {"α": "alpha", "β": "beta", "γ": "gamma", "ρ": "rho", "τ": "tau", "Δ": "Delta"}
MATHS = {"±": "pm", "×": "times", "·": "cdot", "≤": "leq", "≥": "geq", "∞": "infty", **GREEK}
SPECIAL = str.maketrans(
    {
        **{character: f"\\{character}" for character in "{}$&#%_"},
        **{character: f"\\text{name}{{}}" for character, name in SIGNS.items()},
        **{character: f"$\\{name}$" for character, name in MATHS.items()},
        **{"–": "--", "…": r"\ldots{}", "−": "$-$", "₀": "$_0$", "†": r"\dag{}"},
    }
)


@dataclass(frozen=True, slots=True)
class Print:
    """A column in print: its specification, its width in points, its head, its cells and how many lines each takes."""

    spec: str
    width: float
    head: str
    cells: tuple[str, ...]
    wrapped: tuple[int, ...] = ()  # where there are cells of several lines

    @property
    def lines(self) -> tuple[int, ...]:
        """How many lines each cell takes."""
        return self.wrapped or (1,) * len(self.cells)


def latex(table: Table) -> str:
    """Return a floating `tabular`, or a `longtable` if it is long; wide tables are divided into panels or turned.

    Intervals are printed where they fit without a further panel; otherwise only the CSV has them.
    """
    shares = any(isinstance(value, Estimate | Accuracy) for row in table.rows for value in row)
    panels, turned = _panels(_printed(table, intervals=shares), table)
    crowded = shares and (turned or len(panels) > 1)
    if crowded:
        panels, turned = _panels(_printed(table, intervals=False), table)
    texts = [table.title, table.note, *(column.head for column in table.columns)]
    texts += [value for row in table.rows for value in row if isinstance(value, str)]
    chinese = any("\u2e80" <= character <= "\uffef" for text in texts for character in text)
    decimal = any(column.spec.startswith("S") for panel in panels for column in panel)
    row = CHINESE_ROW if chinese else ROW
    high = _height(panels, table, row=row, turned=turned) > (LINE if turned else TURNED)
    long = high or len(panels) * (len(table.rows) + 2) > LONG
    packages = ["booktabs", *["siunitx"] * decimal, *["longtable"] * long, *["pdflscape"] * turned]
    comments = [f"% needs the packages {', '.join(packages)}{CTEX if chinese else ''}"]
    comments += ["% intervals: see the CSV"] if crowded else []
    body = _long_tables(panels, table) if long else _float(panels, table)
    body = [r"\begin{landscape}", *body, r"\end{landscape}"] if turned else body
    return "".join(f"{line}\n" for line in [*comments, *body])


def _height(panels: Sequence[Sequence[Print]], table: Table, *, row: float, turned: bool) -> float:
    """Return about how many points a table takes as a float, with its caption and its note."""
    height = CAPTION + row * ceil(_width(table.note) / (TURNED if turned else LINE))
    for panel in panels:
        heads = max(column.head.count(r"\\") + 1 for column in panel)
        height += RULES + row * (heads + sum(max(lines) for lines in zip(*(c.lines for c in panel), strict=True)))
    return height


def latex_text(text: str) -> str:
    """Return the text on one line; Chinese stays as it is, and what users type, between backticks, is typewriter."""
    plain = " ".join(text.split()).translate(SPECIAL)
    return re.sub("`([^`]+)`", lambda code: rf"\texttt{{{code[1].replace('--', '-{}-')}}}", plain)


def _float(panels: Sequence[Sequence[Print]], table: Table) -> list[str]:
    caption = rf"\caption{{{latex_text(table.title)}}}\label{{tab:{table.name}}}"
    lines = [r"\begin{table}", rf"\centering\footnotesize\setlength{{\tabcolsep}}{{{GAP / 2:g}pt}}", caption]
    for number, panel in enumerate(panels):
        lines += [r"\par\medskip"] if number else []
        spec = "".join(column.spec for column in panel)
        lines += [rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}", *_head(panel), *_body(panel, table)]
        lines += [r"\bottomrule", r"\end{tabular}"]
    return [*lines, *_note(table), r"\end{table}"]


def _long_tables(panels: Sequence[Sequence[Print]], table: Table) -> list[str]:
    """Return one longtable per panel; the caption is the first of its rows, the heads are repeated on every page."""
    lines = [rf"{{\footnotesize\setlength{{\tabcolsep}}{{{GAP / 2:g}pt}}"]
    for number, panel in enumerate(panels):
        spec = "".join(column.spec for column in panel)
        caption = rf"\caption{{{latex_text(table.title)}}}\label{{tab:{table.name}}} \\"
        if number:
            columns = sum(column.head.startswith(r"\multicolumn{2}") + 1 for column in panel)
            again = rf"\tablename~\thetable{{}} ({number + 1}/{len(panels)})"
            caption = rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{{again}}} \\"
            lines += [r"\addtocounter{table}{-1}"]  # a longtable counts, with a caption or without
        head = _head(panel)
        lines += [rf"\begin{{longtable}}{{@{{}}{spec}@{{}}}}", caption, *head, r"\endfirsthead", *head, r"\endhead"]
        lines += [r"\bottomrule", r"\endfoot", *_body(panel, table), r"\end{longtable}"]
    return [*lines, *_note(table), "}"]


def _head(panel: Sequence[Print]) -> list[str]:
    return [r"\toprule", _row([column.head for column in panel]), r"\midrule"]


def _body(panel: Sequence[Print], table: Table) -> list[str]:
    rows = [_row(list(cells)) for cells in zip(*(column.cells for column in panel), strict=True)]
    if table.whole and rows:
        rows.insert(-1, r"\midrule")
    return rows


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _note(table: Table) -> list[str]:
    if not table.note:
        return []
    return [rf"\par\smallskip\noindent\parbox{{\linewidth}}{{\footnotesize\raggedright {latex_text(table.note)}}}"]


def _panels(columns: Sequence[Print], table: Table) -> tuple[list[list[Print]], bool]:
    """Return the columns in as few panels as fit the text, and whether the page is turned for them."""
    upright = _divided(columns, table, room=LINE)
    turned = _divided(columns, table, room=TURNED) if len(upright) > 1 else upright
    # where columns are of different kinds, panels would separate what belongs together
    mixed = len({column.unit for column in table.columns[name_columns(table) :]}) > 1
    turn = len(turned) < len(upright) and (mixed or len(upright) > 2)
    return (turned, True) if turn else (upright, False)


def _divided(columns: Sequence[Print], table: Table, *, room: float) -> list[list[Print]]:
    names = list(columns[: name_columns(table)])
    taken = sum(column.width + GAP for column in names)
    panels, width = [[*names]], taken
    for column in columns[len(names) :]:
        if width + column.width > room and len(panels[-1]) > len(names):
            panels.append([*names])
            width = taken
        panels[-1].append(column)
        width += column.width + GAP
    return panels


def name_columns(table: Table) -> int:
    """Return how many columns name the rows: the texts at the beginning, at most three."""
    texts = [column.unit == "text" for column in table.columns]
    return min(3, texts.index(False) if False in texts else 1)


def _printed(table: Table, *, intervals: bool) -> list[Print]:
    """Return the columns as they are printed; a text at the end, such as a remark, takes the room that is left."""
    best = _best(table)
    columns = []
    for number, column in enumerate(table.columns):
        values = [row[number] for row in table.rows]
        bold = [number in highest for highest in best]
        if column.unit in PLACES:
            columns.append(_number_column(column, values, bold, intervals=intervals))
        elif column.unit == "text":
            columns.append(_text_column(column, values, most=NAME if number < name_columns(table) else TEXT))
        else:
            columns.append(_plain_column(column, values, intervals=intervals))
    return columns


def _best(table: Table) -> list[set[int]]:
    """Return, for every row, which of the columns that compete have the highest value as it is printed."""
    rivals = [number for number, column in enumerate(table.columns) if column.rival]
    best: list[set[int]] = []
    for row in table.rows:
        values = {number: row[number] for number in rivals}
        numbers = {
            number: round(100 * (value.value if isinstance(value, Estimate | Accuracy) else value), 2)
            for number, value in values.items()
            if isinstance(value, Estimate | Accuracy | float | int)
        }
        numbers = {number: value for number, value in numbers.items() if not isnan(value)}
        most = max(numbers.values(), default=0.0)
        best.append({number for number, value in numbers.items() if value == most} if len(numbers) > 1 else set())
    return best


def _number_column(column: Column, values: Sequence[Value], bold: Sequence[bool], *, intervals: bool) -> Print:
    """Return numbers aligned at the point, and intervals beside them; other texts are centred."""
    cells = [shown(value, column.unit) for value in values]
    numbers = [cell.text for cell in cells if re.fullmatch(r"[+-]?\d+\.\d+", cell.text)]
    sign = "+" if any(text[0] in "+-" for text in numbers) else ""
    before = max((len(text.lstrip("+-").partition(".")[0]) for text in numbers), default=1)
    spec = rf"S[table-format={sign}{before}.{PLACES[column.unit]},detect-weight,mode=text]"
    texts = [
        (r"\bfseries " if best else "") + cell.text if cell.text in numbers else f"{{{latex_text(cell.text)}}}"
        for cell, best in zip(cells, bold, strict=True)
    ]
    lines, width = _broken(column.head, HEAD)
    width = max(width, _width("0" * (before + PLACES[column.unit] + 1)) + (6 if sign else 0))
    if not intervals or not any(cell.interval for cell in cells):
        return Print(spec, width, f"{{{_stack(lines, 'c')}}}", tuple(texts))
    texts = [f"{text} & {latex_text(cell.interval)}" for text, cell in zip(texts, cells, strict=True)]
    beside = max(_width(cell.interval) for cell in cells)
    return Print(
        rf"{spec}@{{\,}}l", width + beside + 2, rf"\multicolumn{{2}}{{c}}{{{_stack(lines, 'c')}}}", tuple(texts)
    )


def _plain_column(column: Column, values: Sequence[Value], *, intervals: bool) -> Print:
    cells = [shown(value, column.unit) for value in values]
    texts = [f"{cell.text} {cell.interval}".strip() if intervals else cell.text for cell in cells]
    lines, width = _broken(column.head, HEAD)
    return Print("r", max(width, *map(_width, texts), 0.0), _stack(lines, "r"), tuple(map(latex_text, texts)))


def _text_column(column: Column, values: Sequence[Value], *, most: float) -> Print:
    """Return texts set to the left; broken, also after an underscore, where one is wider than `most` points."""
    texts = [shown(value, column.unit).text for value in values]
    widest = max(map(_width, texts), default=0.0)
    lines, width = _broken(column.head, max(HEAD, min(most, widest)))
    width = max(width, widest)
    # a bracket or star at the beginning of a row would be read as belonging to the end of the row before
    cells = [("{}" if text[:1] in ("[", "*") else "") + text for text in map(latex_text, texts)]
    if width <= most:
        return Print("l", width, _stack(lines, "l"), tuple(cells))
    breakable = [cell.replace(r"\_", r"\_\allowbreak{}").replace("/", r"/\allowbreak{}") for cell in cells]
    # \raggedright would redefine the end of the row, and in braces need a \par, after which comes an empty line
    wrapped = tuple(rf"\rightskip=0pt plus 1fil\relax {cell}" for cell in breakable)
    of_cells = tuple(ceil(_width(text) / most) or 1 for text in texts)
    return Print(rf"p{{{most:g}pt}}", most, _stack(lines, "l"), wrapped, of_cells)


def _width(text: str) -> float:
    """Return the width of a text in points, rather too large than too small."""
    total = 0.0
    for character in text:
        narrow = next((width for characters, width in WIDTHS if character in characters), None)
        if narrow is None:
            narrow = 9.0 if character > "\u2e80" else 6.8 if character.isupper() else 4.8
        total += narrow
    return total


def _broken(head: str, room: float) -> tuple[list[str], float]:
    """Return a head in lines of at most so many points, broken after blanks and hyphens, and the widest of them."""
    lines: list[str] = []
    for part in re.findall(r"[^\s\-_/·]+[\s\-_/·]*|[\s\-_/·]+", " ".join(head.split())) or [head]:
        if lines and _width(lines[-1] + part.rstrip()) <= room:
            lines[-1] += part
        else:
            lines.append(part)
    lines = [line.strip() for line in lines]
    return lines, max(map(_width, lines))


def _stack(lines: Sequence[str], side: str) -> str:
    texts = [latex_text(line) for line in lines]
    return texts[0] if len(texts) == 1 else rf"\shortstack[{side}]{{" + r"\\".join(texts) + "}"
