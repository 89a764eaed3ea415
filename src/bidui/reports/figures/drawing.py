"""What figures are drawn from and what they return: lines, and a figure with its rows, which can be saved.

Accuracies are shares, as analyses return them, and are drawn in percent; NaN is a gap.
"""

import base64
import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from math import isfinite, isnan
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from matplotlib.figure import Figure

from bidui.errors import Place, Problem, fail
from bidui.files import write_file
from bidui.reports.figures.style import FAMILY, house_style, missing_characters, subset_font, texts_of
from bidui.scores.links import Floats

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a figure was drawn from, and the names of their columns."""

    head: tuple[str, ...]
    lines: tuple[tuple[str | int | float, ...], ...]


class Drawing(NamedTuple):
    """A figure, and the rows it was drawn from: `save_figure(*drawing, folder=…, name=…)`."""

    figure: Figure
    rows: Rows


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a panel: its name, its points in the order of x, and the band around it, if any."""

    name: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None


def groups_of(columns: Mapping[str, Mapping[str, Value]]) -> tuple[str, ...]:
    """Return the groups of all models, in the order of their first occurrence; refuse no groups at all."""
    groups = tuple(dict.fromkeys(group for values in columns.values() for group in values))
    if not groups:
        raise fail("figure-nothing", Place())
    return groups


def check_parts(values: Iterable[float], *, what: str) -> None:
    """Refuse an accuracy that is not a share; most often it is in percent."""
    for value in values:
        if isfinite(value) and not 0 <= value <= 1:
            raise fail("figure-not-part", Place(), {"what": what, "value": f"{value:g}"})


def check_lines(panels: Mapping[str, Sequence[Line]], *, parts: bool) -> None:
    """Refuse lines that cannot be drawn: points without a partner, bands without an end, or no lines at all."""
    if not any(panels.values()):
        raise fail("figure-nothing", Place())
    for panel, lines in panels.items():
        for line in lines:
            given = [values for values in (line.x, line.y, line.low, line.high) if values is not None]
            if len({len(values) for values in given}) != 1 or (line.low is None) != (line.high is None):
                lengths = [len(values) for values in given]
                raise fail("figure-lengths", Place(), {"panel": panel, "line": line.name, "lengths": lengths})
            if parts:
                check_parts(line.y.tolist(), what=f"{panel}, {line.name}")


# Saving a figure as SVG, PDF and PNG, and the CSV it was drawn from; the same bytes every time.

# What each format would record about the date and the program.
UNDATED: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
PACKED: dict[str, dict[str, Any]] = {"png": {"pil_kwargs": {"compress_level": 3}}}  # as small as 6, and faster


@dataclass(frozen=True, slots=True)
class Saved:
    """The files of a figure, and warnings about characters that no font has."""

    files: tuple[Path, ...]
    problems: tuple[Problem, ...]


def save_figure(figure: Figure, rows: Rows, *, folder: Path, name: str) -> Saved:
    """Write `name.svg`, `name.pdf`, `name.png` and `name.csv`; all are rendered before the first is written."""
    made: dict[Path, bytes] = {}
    with house_style():
        for kind, metadata in UNDATED.items():
            data = BytesIO()
            figure.savefig(data, format=kind, metadata=metadata, **PACKED.get(kind, {}))
            drawn = data.getvalue()
            made[folder / f"{name}.{kind}"] = with_font(drawn, texts_of(figure)) if kind == "svg" else drawn
    lacking = missing_characters(texts_of(figure))  # only now are all numbers on axes written
    made[folder / f"{name}.csv"] = csv_bytes(rows)
    for path, content in made.items():
        write_file(path, content)
    values = {"figure": name, "characters": list(lacking)}
    problems = (Problem("figure-no-glyph", Place(str(folder / name)), values, "warning"),) if lacking else ()
    return Saved(tuple(made), problems)


def with_font(svg: bytes, texts: Iterable[str]) -> bytes:
    """Return an SVG with the characters of our font that its texts use, so that it looks the same everywhere."""
    face = base64.b64encode(subset_font("".join(texts))).decode()
    rule = f"@font-face{{font-family:'{FAMILY}';src:url(data:font/woff;base64,{face}) format('woff')}}"
    return svg.replace(b"<defs>", f"<defs>\n  <style>{rule}</style>".encode(), 1)


def csv_bytes(rows: Rows) -> bytes:
    """Return the rows as UTF-8, numbers in full; a gap is an empty cell."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.head)
    writer.writerows(["" if isinstance(cell, float) and isnan(cell) else cell for cell in line] for line in rows.lines)
    return text.getvalue().encode()
