"""Saving a figure: SVG, PDF and PNG, and the CSV it was drawn from; the same bytes every time."""

import csv
from dataclasses import dataclass
from io import BytesIO, StringIO
from math import isnan
from pathlib import Path

from matplotlib.figure import Figure

from bidui.errors import Place, Problem
from bidui.pairs.atomic import write_file
from bidui.report.figures.drawing import Rows
from bidui.report.figures.fonts import missing_characters, texts_of
from bidui.report.figures.style import house_style

# What each format would say of the day and of the program.
UNDATED: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


@dataclass(frozen=True, slots=True)
class Saved:
    """The files of a figure, and what a reader of it will miss."""

    files: tuple[Path, ...]
    problems: tuple[Problem, ...]


def save_figure(figure: Figure, rows: Rows, *, folder: Path, name: str) -> Saved:
    """Write `name.svg`, `name.pdf`, `name.png` and `name.csv`; all are made before the first is written."""
    made: dict[Path, bytes] = {}
    with house_style():
        for kind, metadata in UNDATED.items():
            data = BytesIO()
            figure.savefig(data, format=kind, metadata=metadata)
            made[folder / f"{name}.{kind}"] = data.getvalue()
    lacking = missing_characters(texts_of(figure))  # only now are all numbers on axes written
    made[folder / f"{name}.csv"] = csv_bytes(rows)
    for path, content in made.items():
        write_file(path, content)
    values = {"figure": name, "characters": list(lacking)}
    problems = (Problem("figure-no-glyph", Place(str(folder / name)), values, "warning"),) if lacking else ()
    return Saved(tuple(made), problems)


def csv_bytes(rows: Rows) -> bytes:
    """The rows as UTF-8, numbers in full; a gap is an empty cell."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.head)
    writer.writerows(["" if isinstance(cell, float) and isnan(cell) else cell for cell in line] for line in rows.lines)
    return text.getvalue().encode()
