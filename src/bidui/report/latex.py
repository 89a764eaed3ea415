"""Tables as LaTeX, with the rules of booktabs; every character that means something to LaTeX means itself."""

from bidui.report.tables import SENTENCE, Ranged, Table, Value, shown

LONG = 45  # rows, from which a table goes over several pages
WIDE = 6  # columns, beyond which it is set in smaller type
CROWDED, CROWDED_LONG = 4, 2  # columns with intervals, the most that fit; a long table cannot shrink
CTEX = ", and for Chinese ctex, with XeLaTeX or LuaLaTeX"
SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "–": "--",
    "…": r"\ldots{}",
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "∞": r"$\infty$",
    "α": r"$\alpha$",
    "β": r"$\beta$",
    "γ": r"$\gamma$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
    "Δ": r"$\Delta$",
    "₀": "$_0$",
}


def latex(table: Table) -> str:
    """A floating `tabular` that shrinks to the width of the text; or, if it is long, a `longtable`.

    Where more columns have intervals than can be read in print, they are left to the CSV.
    """
    spec = "".join(_alignment(table, number) for number in range(len(table.columns)))
    heads = _row([latex_text(column.head) for column in table.columns])
    long, wide = len(table.rows) > LONG, len(table.columns) > WIDE
    crowded = _with_intervals(table) > (CROWDED_LONG if long else CROWDED)
    rows = [_row(_cells(table, row, intervals=not crowded)) for row in table.rows]
    if table.whole and rows:
        rows.insert(-1, r"\midrule")
    needs = f"booktabs, {'longtable' if long else 'adjustbox'}{CTEX if _has_chinese(table) else ''}"
    size = r"\scriptsize" if wide else r"\footnotesize"
    lines = _long(table, spec, heads, rows, size) if long else _floating(table, spec, heads, rows, size)
    comments = [f"% needs the packages {needs}", *(["% intervals: see the CSV"] if crowded else [])]
    return "".join(f"{line}\n" for line in [*comments, *lines])


def latex_text(text: str) -> str:
    """The text on one line; Chinese stays as it is."""
    return "".join(SPECIAL.get(character, character) for character in " ".join(text.split()))


def _floating(table: Table, spec: str, heads: str, rows: list[str], size: str) -> list[str]:
    top = [
        r"\begin{table}",
        rf"\centering{size}",
        _caption(table),
        r"\begin{adjustbox}{max width=\linewidth}",
        rf"\begin{{tabular}}{{@{{}}{spec}@{{}}}}",
        r"\toprule",
    ]
    end = [r"\bottomrule", r"\end{tabular}", r"\end{adjustbox}", *_note(table), r"\end{table}"]
    return [*top, heads, r"\midrule", *rows, *end]


def _long(table: Table, spec: str, heads: str, rows: list[str], size: str) -> list[str]:
    """The caption is the first of its rows; the heads come again on every page."""
    head = [r"\toprule", heads, r"\midrule"]
    top = [
        rf"{{{size}\setlength{{\tabcolsep}}{{3pt}}",
        rf"\begin{{longtable}}{{@{{}}{spec}@{{}}}}",
        rf"{_caption(table)} \\",
    ]
    pages = [*head, r"\endfirsthead", *head, r"\endhead", r"\bottomrule", r"\endfoot"]
    return [*top, *pages, *rows, r"\end{longtable}", *_note(table), "}"]


def _caption(table: Table) -> str:
    return rf"\caption{{{latex_text(table.title)}}}\label{{tab:{table.name}}}"


def _row(cells: list[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cells(table: Table, row: tuple[Value, ...], *, intervals: bool) -> list[str]:
    found = []
    for value, column in zip(row, table.columns, strict=True):
        cell = shown(value, column.unit)
        text = latex_text(cell.text)
        interval = rf" {{\tiny {latex_text(cell.interval)}}}" if cell.interval and intervals else ""
        # a bracket or star at the beginning of a row would be read as belonging to the end of the row before
        found.append(f"{'{}' if text[:1] in ('[', '*') else ''}{text}{interval}")
    return found


def _with_intervals(table: Table) -> int:
    """How many columns have some."""
    return sum(any(isinstance(value, Ranged) for value in column) for column in zip(*table.rows, strict=True))


def _alignment(table: Table, number: int) -> str:
    """Numbers to the right; a column of sentences wraps them."""
    if table.columns[number].unit != "text":
        return "r"
    texts = [value for value in (row[number] for row in table.rows) if isinstance(value, str)]
    return "l" if all(len(text) <= SENTENCE for text in texts) else r"p{0.3\linewidth}"


def _note(table: Table) -> list[str]:
    return [rf"\par\smallskip\noindent\parbox{{\linewidth}}{{{latex_text(table.note)}}}"] if table.note else []


def _has_chinese(table: Table) -> bool:
    texts = [table.title, table.note, *(column.head for column in table.columns)]
    texts += [value for row in table.rows for value in row if isinstance(value, str)]
    return any("\u2e80" <= character <= "\uffef" for text in texts for character in text)
