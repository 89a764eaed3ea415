"""Token scores: every token of every sentence of the pairs, as one model scored it, in memory or in a folder.

A row of the table is a sentence and its tokens are lists. That takes a third of the space of one row per token, and is
as quick to sum. A folder of scores has one Parquet file per paradigm and `scores.json`, which says what they are.
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from bidui.errors import Place, Problem, fail
from bidui.files import Manifest, natural, sha256, tool_version, write_json
from bidui.models.model import Declared, TokenScores
from bidui.notebooks import counted, to_pandas
from bidui.pairs import Origin, Pair
from bidui.scale.storage import fetched
from bidui.scores.links import Floats, Totals

if TYPE_CHECKING:
    import pandas

LengthUnit = Literal["tokens", "characters", "bytes"]
MANIFEST = "scores.json"
SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "uid": pl.String,
    "phenomenon": pl.String,
    "pair": pl.Int32,
    "side": pl.Enum(["good", "bad"]),
    "sentence": pl.String,
    "tokens": pl.List(pl.String),
    "ids": pl.List(pl.Int32),
    "starts": pl.List(pl.Int32),
    "ends": pl.List(pl.Int32),
    "logprobs": pl.List(pl.Float32),
    "columns": pl.List(
        pl.Struct({"name": pl.String, "value": pl.String})
    ),  # the variant, and further ones of the pairs
}


@dataclass(frozen=True, slots=True)
class ScoreTable:
    """Token scores of pairs by one model: two rows per pair, the good sentence first."""

    frame: pl.DataFrame

    def __repr__(self) -> str:
        paradigms = self.frame["uid"].n_unique()
        return f"ScoreTable of {counted(len(self.frame) // 2, 'pair')} of {counted(paradigms, 'paradigm')}"

    def _repr_html_(self) -> str:
        return self.frame._repr_html_()

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def totals(self, *, unit: LengthUnit = "tokens", unigrams: Floats | None = None) -> Totals:
        """Return LP, length and, given unigram log-probabilities by id, U of every sentence."""
        lp = self.frame["logprobs"].list.eval(pl.element().cast(pl.Float64)).list.sum().to_numpy()
        return Totals(lp, self.lengths(unit), None if unigrams is None else self._unigrams(unigrams))

    def lengths(self, unit: LengthUnit = "tokens") -> Floats:
        """Return the length of every sentence."""
        if unit == "tokens":
            lengths = self.frame["logprobs"].list.len()
        else:
            sentences = self.frame["sentence"].str
            lengths = sentences.len_chars() if unit == "characters" else sentences.len_bytes()
        return lengths.cast(pl.Float64).to_numpy()

    def columns(self) -> dict[str, NDArray[np.object_]]:
        """Return the variant and the further columns of the pairs by name: one text per pair, which may be empty."""
        lists = self.frame["columns"].gather_every(2)
        rows = np.repeat(np.arange(len(lists)), lists.list.len().to_numpy())
        flat = lists.explode().struct.unnest().filter(pl.col("name").is_not_null()).with_columns(row=rows)
        columns = {name: np.full(len(lists), "", object) for name in flat["name"].unique(maintain_order=True)}
        for name, column in columns.items():
            own = flat.filter(pl.col("name") == name)
            column[own["row"].to_numpy()] = own["value"].to_list()
        return columns

    def _unigrams(self, unigrams: Floats) -> Floats:
        """Sum row by row, so that sentences with the same tokens get the same sum wherever they stand."""
        counts = self.frame["ids"].list.len().to_numpy()
        ids = self.frame["ids"].explode().drop_nulls().to_numpy()  # a sentence without tokens gives a null
        if len(ids) and (ids.min() < 0 or ids.max() >= len(unigrams)):
            raise fail("unigrams-too-few", Place(), {"known": len(unigrams), "token": int(ids.max())})
        rows = np.repeat(np.arange(len(counts)), counts)
        return np.bincount(rows, weights=unigrams[ids], minlength=len(counts)).astype(np.float64)

    def sides(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows of the good sentences and of the bad ones, pair by pair."""
        return np.arange(0, len(self.frame), 2), np.arange(1, len(self.frame), 2)


@dataclass(frozen=True, slots=True)
class Shard:
    """The scores of one paradigm in a folder: the hashes of its pairs and of its file, and what the model lacked."""

    pairs: str
    file: str
    count: int
    unknown: int = 0  # tokens that the model does not know
    unseen: int = 0  # pairs whose two sides are the same to the model
    columns: str = ""  # the hash of the variants and further columns of its pairs; empty where they have none


@dataclass(frozen=True, slots=True)
class ScoreManifest:
    """What a folder of scores holds: the model, the settings its scores depend on, and one shard per paradigm.

    While a run is under way, `parts` has the shards of large paradigms by their files, and `left` is the number of
    pairs in paradigms that are not complete; `scores.json` has neither when it is finished.
    """

    model: str
    declared: Declared
    shards: dict[str, Shard] = field(default_factory=dict)
    parts: dict[str, Shard] = field(default_factory=dict)
    left: int = 0
    version: str = field(default_factory=tool_version)  # of bidui; "" where an early one did not store it
    source: str = ""  # where the model came from: its path as seen from the folder of results, or its name on a hub
    benchmarks: tuple[Origin, ...] = ()  # that the pairs were generated from, as far as this is known
    parameters: int = 0  # of the model's network; 0 where it has none, and where an early version did not store it

    @property
    def manifest(self) -> Manifest:
        """What two runs are compared by; pairs are compared paradigm by paradigm."""
        files = {f"{uid}.parquet": shard.file for uid, shard in self.shards.items()}
        files |= {file: shard.file for file, shard in self.parts.items()}
        return Manifest(self.declared | ({"bidui": self.version} if self.version else {}), files=files)


@dataclass(frozen=True)
class Scores:
    """The token scores of one model; after a scoring run, files are read when the table is first used.

    After a scoring run, `done`, `kept` and `repaired` name the paradigms that it scored, that were there already, and
    whose files were broken and had to be made again; `problems` are the warnings of the run.
    """

    manifest: ScoreManifest
    folder: Path | None = None
    done: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()
    unigrams: bool = False  # whether the model's unigram counts were copied beside the scores
    notes: tuple[Problem, ...] = ()  # on the label of the scores
    problems: tuple[Problem, ...] = ()
    in_memory: ScoreTable | None = field(default=None, repr=False, compare=False)

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.manifest.model

    @property
    def declared(self) -> Declared:
        """The settings that the scores depend on."""
        return self.manifest.declared

    @cached_property
    def table(self) -> ScoreTable:
        """The scores of all paradigms; a file that is not what the manifest says is an error."""
        if self.in_memory is not None or self.folder is None:
            return self.in_memory or empty_table()
        return stored_table(self.folder, self.manifest, list(SCHEMA))

    @property
    def frame(self) -> pl.DataFrame:
        """The scores as a data frame, one row per sentence; variants and further columns of the pairs come last."""
        columns = {name: np.repeat(values, 2).tolist() for name, values in self.table.columns().items()}
        return self.table.frame.drop("columns").with_columns(pl.Series(name, own) for name, own in columns.items())

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def __repr__(self) -> str:
        shards = self.manifest.shards
        pairs = sum(shard.count for shard in shards.values())
        place = f", in {self.folder}" if self.folder else ""
        return f"Scores of {self.model}: {counted(pairs, 'pair')} of {counted(len(shards), 'paradigm')}{place}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self.table._repr_html_()}"


def read_scores(folder: str | Path) -> Scores:
    """Read the scores of one model from its folder, or from a folder of results if that has only one model.

    A file that is not what `scores.json` says is an error.
    """
    folder = fetched(folder)
    folders = [folder] if (folder / MANIFEST).is_file() else score_folders(folder)
    if len(folders) > 1:
        raise fail("scores-several", Place(str(folder)), {"folders": [str(path) for path in folders]})
    manifest = read_manifest(folders[0])
    return Scores(manifest, folders[0], in_memory=stored_table(folders[0], manifest, list(SCHEMA)))


def score_folders(results: Path) -> list[Path]:
    """Return the folders of scores in a folder of results: the folder itself, or those below it, in natural order."""
    folders = sorted((path.parent for path in results.rglob(MANIFEST)), key=natural)
    if not folders:
        raise fail("no-scores", Place(str(results)), {})
    return folders


def read_manifest(folder: Path) -> ScoreManifest:
    """Return what the scores in a folder are; a folder without scores is an error."""
    manifest = manifest_in(folder)
    if manifest is None:
        raise fail("no-scores", Place(str(folder)), {})
    return manifest


def manifest_in(folder: Path) -> ScoreManifest | None:
    """Return what the scores in a folder are; None if it has none."""
    file = folder / MANIFEST
    if not file.is_file():
        return None
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
        shards = {uid: Shard(**shard) for uid, shard in value["shards"].items()}
        parts = {file: Shard(**shard) for file, shard in value.get("parts", {}).items()}
        left, version, source = int(value.get("left", 0)), str(value.get("version", "")), str(value.get("source", ""))
        benchmarks = tuple(Origin(**origin) for origin in value.get("benchmarks", ()))
        facts = (left, version, source, benchmarks, int(value.get("parameters", 0)))
        return ScoreManifest(value["model"], value["declared"], shards, parts, *facts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise fail("scores-manifest", Place(str(file)), {"reason": str(error)}) from error


def write_manifest(folder: Path, manifest: ScoreManifest) -> None:
    """Write `scores.json`."""
    value = asdict(manifest) | {"shards": {uid: asdict(shard) for uid, shard in sorted(manifest.shards.items())}}
    if not manifest.left:
        del value["parts"], value["left"]
    if not manifest.parameters:
        del value["parameters"]
    write_json(folder / MANIFEST, value)


def stored_table(folder: Path, manifest: ScoreManifest, columns: list[str]) -> ScoreTable:
    """Read some columns of all files. Every byte is checked, which takes far less time than reading the columns."""
    files = [folder / f"{uid}.parquet" for uid in manifest.shards]
    contents = []
    for file, shard in zip(files, manifest.shards.values(), strict=True):
        data = file.read_bytes() if file.is_file() else b""
        if sha256(data) != shard.file:
            raise fail("scores-broken", Place(str(file)), {})
        contents.append(data)
    if not contents:
        return ScoreTable(empty_table().frame.select(columns))
    try:
        return ScoreTable(pl.scan_parquet(contents).select(columns).collect())  # all at once, in parallel
    except pl.exceptions.PolarsError:  # one at a time: an early version stored no columns, or the error names the file
        return ScoreTable(pl.concat([read_table(file).frame.select(columns) for file in files]))


def empty_table() -> ScoreTable:
    """Return a table without rows."""
    return score_table((), (), {})


def refuse_large(pairs: Iterable[Pair]) -> None:
    """Refuse pairs whose numbers do not fit into the column for them, before anything is scored."""
    for pair in pairs:
        if pair.pair_id >= 2**31:
            raise fail("pair-number-large", Place(), {"number": pair.pair_id, "uid": pair.uid})


def score_table(pairs: Sequence[Pair], scores: Iterable[TokenScores], texts: Mapping[int, str]) -> ScoreTable:
    """Return the table of pairs from the scores of their sentences, good and bad in turn."""
    rows = list(scores)
    both = [pair for pair in pairs for _ in range(2)]
    plain = ("uid", "phenomenon", "pair", "side", "sentence")
    frame = pl.DataFrame(
        {
            "uid": [pair.uid for pair in both],
            "phenomenon": [pair.phenomenon for pair in both],
            "pair": [pair.pair_id for pair in both],
            "side": ["good", "bad"] * len(pairs),
            "sentence": [row.sentence for row in rows],
            "row": np.arange(len(rows)),
        },
        schema={**{name: SCHEMA[name] for name in plain}, "row": pl.Int64},
    ).with_columns(columns_series(both))
    joined = frame.join(_lists(rows, texts), on="row", how="left", maintain_order="left")
    empty = [pl.col(name).fill_null([]) for name in ("tokens", "ids", "starts", "ends", "logprobs")]
    return ScoreTable(joined.with_columns(empty).select(list(SCHEMA)).cast(SCHEMA))  # type: ignore[arg-type]


def columns_of(pair: Pair) -> tuple[tuple[str, str], ...]:
    """Return the variant and the further columns of a pair; empty ones are left out."""
    return tuple((name, value) for name, value in (("variant", pair.variant), *pair.columns) if value)


def columns_series(pairs: Sequence[Pair]) -> pl.Series:
    """Return the column of variants and further columns; most pairs share theirs with others, so each is made once."""
    numbers: dict[tuple[tuple[str, str], ...], int] = {}
    codes = [numbers.setdefault(columns_of(pair), len(numbers)) for pair in pairs]
    lists = [[{"name": name, "value": value} for name, value in columns] for columns in numbers]
    return pl.Series("columns", lists, SCHEMA["columns"]).gather(codes)


def _lists(rows: Sequence[TokenScores], texts: Mapping[int, str]) -> pl.DataFrame:
    """Return every sentence's tokens as lists; grouping all tokens at once is quicker than making list after list."""
    lengths = [len(row) for row in rows]
    ids = np.concatenate([row.ids for row in rows]) if rows else np.zeros(0, np.int32)
    known = np.array(sorted(texts), np.int64)
    tokens = pl.Series("tokens", [texts[number] for number in known.tolist()], pl.String)
    flat = pl.DataFrame(
        {
            "row": np.repeat(np.arange(len(rows)), lengths),
            "tokens": tokens.gather(np.searchsorted(known, ids)),
            "ids": ids,
            "starts": np.concatenate([row.starts for row in rows]) if rows else ids,
            "ends": np.concatenate([row.ends for row in rows]) if rows else ids,
            "logprobs": np.concatenate([row.logprobs for row in rows]) if rows else ids.astype(np.float32),
        },
        schema_overrides={"row": pl.Int64},
    )
    return flat.group_by("row", maintain_order=True).agg(pl.exclude("row"))


def table_bytes(table: ScoreTable) -> bytes:
    """Return the table as the bytes of a Parquet file."""
    out = io.BytesIO()
    table.frame.write_parquet(out, compression="zstd", statistics=False)
    return out.getvalue()


def read_table(path: Path) -> ScoreTable:
    """Read the table in a Parquet file."""
    try:
        frame = pl.read_parquet(path, glob=False)  # brackets in a name are no pattern
    except (OSError, pl.exceptions.PolarsError) as error:
        raise fail("scores-unreadable", Place(str(path)), {"reason": str(error).split("\n")[0]}) from error
    if "columns" not in frame.columns:  # an early version stored none
        frame = frame.with_columns(pl.lit([]).cast(SCHEMA["columns"]).alias("columns"))
    missing = sorted(SCHEMA.keys() - set(frame.columns))
    if missing:
        raise fail("scores-columns", Place(str(path)), {"missing": missing})
    return ScoreTable(frame.select(list(SCHEMA)))
