"""Published results as data: the accuracy tables of the papers, cell by cell, to compare with models of your own.

Values are as printed. A cell that cannot be right, or that differs from another place in the papers, says so in its
remarks and is not corrected. Groups have their printed name and ours: the uid of a paradigm, the name of a phenomenon,
or `all`. The two papers on ZhoBLiMP differ (mean LP in the first, SLLN-LP in the journal version); both are here. The
counts behind their column of humans are in the folder of the benchmark (`bidui.people.agreement`).
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bidui.benchmarks import judged_benchmarks, shipped
from bidui.errors import Place, fail
from bidui.notebooks import counted, to_pandas

if TYPE_CHECKING:
    import pandas
    import polars as pl

SOURCES = "sources.tsv"
Level = Literal["paradigm", "phenomenon", "overall", "length", "status", "ratings", "models", "paradigms"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One printed number; `link` is empty for humans and for counts."""

    model: str
    group: str  # as printed
    level: str
    name: str  # ours; empty where we have none
    link: str  # as `parse_link` reads it; plain `morcela` where it was fitted or its parameters are not stated
    measure: str  # accuracy, bias, delta_acc, gap, pearson, p_two_sided …
    value: float
    unit: str  # %, count, 100 r, p
    remarks: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Published:
    """One printed table with its source."""

    name: str
    paper: str
    table: str
    benchmark: str
    about: str
    link: str
    whole: str  # what its last row averages over: pairs, paradigms or phenomena; empty where it has none
    remarks: str
    cells: tuple[Cell, ...]
    phenomena: Mapping[str, str] = field(default_factory=dict)  # by uid, where they are not those of our benchmark

    @property
    def frame(self) -> "pl.DataFrame":
        """A polars data frame with one row per printed number: the fields of `Cell`."""
        import polars as pl

        return pl.DataFrame([asdict(cell) for cell in self.cells], infer_schema_length=None)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def __repr__(self) -> str:
        return f"<Published {self.name}: {self.paper}, {self.table}; {counted(len(self.cells), 'number')}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.frame._repr_html_()}"

    @property
    def short_paper(self) -> str:
        """The paper as titles name it: the authors, and which version."""
        authors, *rest = self.paper.split(", ")
        version = next((part for part in rest if "version" in part), "")
        return f"{authors}, {version}" if version else authors


def published_names() -> tuple[str, ...]:
    """Return the tables that `read_published` knows: `zhoblimp-6` is Table 6 of the paper on ZhoBLiMP."""
    return tuple(_sources())


def read_published(name: str) -> Published:
    """Read a printed table by name."""
    sources = _sources()
    if name not in sources:
        raise fail("published-unknown", None, {"name": name, "known": tuple(sources)})
    folder, source = sources[name]
    phenomena = folder / "phenomena.tsv"
    groups = [row for row in _rows(phenomena) if name in row["tables"].split()] if phenomena.is_file() else []
    return Published(
        **source,
        cells=tuple(Cell(value=float(row.pop("value")), **row) for row in _rows(folder / f"{name}.tsv")),
        phenomena={row["uid"]: row["phenomenon"] for row in groups},
    )


def all_published() -> tuple[Published, ...]:
    """Read every printed table: those of the shipped benchmarks first, then the others."""
    return tuple(map(read_published, published_names()))


def _sources() -> dict[str, tuple[Path, dict[str, str]]]:
    """Return the folder and the source of every table by its name.

    The tables of a shipped benchmark are in the folder `published` beside its project; those of benchmarks that are not
    shipped are in a folder here.
    """
    folders = [folder / "published" for folder in shipped().values()]
    folders = [folder for folder in folders if (folder / SOURCES).is_file()]
    return {
        row["name"]: (folder, row)
        for folder in (*folders, Path(__file__).parent / "published")
        for row in _rows(folder / SOURCES)
    }


def benchmark_of_paradigms() -> dict[str, str]:
    """Return the benchmark of every paradigm that has a published accuracy or published human judgements."""
    known = {uid: benchmark.name for benchmark in judged_benchmarks() for uid in benchmark.people}
    for table in all_published():
        known |= {cell.name: table.benchmark for cell in table.cells if cell.level == "paradigm" and cell.name}
    return known


def published_uid(uid: str) -> str:
    """Return the name of a paradigm in tables; CLiMP's files are named ba_construction_1000, without a uid inside."""
    return uid.removesuffix("_1000")


def columns(
    table: Published, *, link: str, level: Level = "phenomenon", measure: str = "accuracy"
) -> Mapping[str, Mapping[str, float]]:
    """Return one column per model, and humans where they are printed: the value of every group by our name for it.

    Values are in the unit printed, so accuracies are in percent.
    """
    chosen: dict[str, dict[str, float]] = {}
    cells = [cell for cell in table.cells if (cell.level, cell.measure) == (level, measure)]
    for cell in cells:
        if cell.link in ("", link):
            chosen.setdefault(cell.model, {})[cell.name or cell.group] = cell.value
    if not any(cell.link == link for cell in cells):  # humans alone do not answer for a missing linking function
        there = sorted({f"{cell.level} {cell.measure} {cell.link}".rstrip() for cell in table.cells})
        raise fail("published-no-cells", Place(table.name), {"asked": f"{level} {measure} {link}", "there": there})
    return chosen


def _rows(file: Path) -> list[dict[str, str]]:
    """Return the rows of a file by the names in its first line."""
    heads, *lines = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    return [dict(zip(heads, cells, strict=True)) for cells in lines]
