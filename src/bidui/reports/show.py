"""One pair with the surprisal of each of its tokens, as each model of a folder of results gives it."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from html import escape
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import polars as pl

from bidui.errors import Place, Problem, fail
from bidui.files import natural
from bidui.frames import to_pandas
from bidui.reports.results import model_names
from bidui.reports.tables import Column, Table, csv_text, latex
from bidui.scale.storage import fetched
from bidui.scores.table import SCHEMA, ScoreManifest, Scores, ScoreTable, read_manifest, score_folders, stored_table

if TYPE_CHECKING:
    import pandas

SurprisalUnit = Literal["bits", "nats"]
NATS = {"bits": log(2), "nats": 1.0}  # in one of them
_PAIR = re.compile(r"(?:(?P<uid>.+)/)?(?P<number>[0-9]+)(?: \((?P<again>[0-9]+)\))?")


@dataclass(frozen=True, slots=True, repr=False)
class PairTokens:
    """The tokens of one pair: `frame` has one row per model, side and token.

    `text` is what a token covers in its sentence, `token` how the tokenizer writes it. `columns` are the variant and
    the further columns of the pair. The notes name models that were not scored on it.
    """

    name: str  # uid/number
    phenomenon: str
    columns: tuple[tuple[str, str], ...]
    unit: SurprisalUnit
    frame: pl.DataFrame
    notes: tuple[Problem, ...] = ()

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def write(self, format: Literal["csv", "json", "latex"]) -> str:
        """Return the tokens as text; JSON has them by model and side, with the notes."""
        if format == "json":
            models = [{"model": model, **sides} for model, sides in self.sides().items()]
            columns = dict(self.columns)
            value = {"pair": self.name, "phenomenon": self.phenomenon, "columns": columns, "unit": self.unit}
            notes = [str(note) for note in self.notes]
            return json.dumps({**value, "models": models, "notes": notes}, ensure_ascii=False, indent=1) + "\n"
        texts = ("model", "side", "sentence", "text", "token")
        columns_of = [Column(name, name, "text" if name in texts else "number") for name in self.frame.columns]
        title = f"Surprisals of {self.name} in {self.unit}"
        table = Table("surprisals", title, tuple(columns_of), tuple(self.frame.rows()))
        return csv_text(table) if format == "csv" else latex(table)

    def sides(self) -> dict[str, dict[str, dict[str, object]]]:
        """Return the sentence, tokens and surprisals by model and side, with their sum."""
        models: dict[str, dict[str, dict[str, object]]] = {}
        for (model, side), rows in self.frame.group_by("model", "side", maintain_order=True):
            models.setdefault(str(model), {})[str(side)] = {
                "sentence": rows["sentence"][0],
                "tokens": rows["text"].to_list(),
                "surprisals": rows["surprisal"].to_list(),
                "sum": rows["surprisal"].sum(),
            }
        return models

    def __repr__(self) -> str:
        lines = [", ".join([self.name, *filter(None, [self.phenomenon]), *(f"{n}: {v}" for n, v in self.columns)])]
        for model, sides in self.sides().items():
            lines.append(model)
            for side, own in sides.items():
                shown = (f"{text} {value:.2f}" for text, value in zip(own["tokens"], own["surprisals"], strict=True))  # type: ignore[call-overload]
                lines.append(f"  {side:4}  {' | '.join(shown)}  = {own['sum']:.2f} {self.unit}")
        return "\n".join([*lines, *map(str, self.notes)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.name)}, surprisals in {self.unit}</p>{self.frame._repr_html_()}"


def show(results: str | Path | Scores, pair: str, *, unit: SurprisalUnit = "bits") -> PairTokens:
    """Return one pair with the surprisals of its tokens by every model of a folder of results, or by one model.

    `pair` is `uid/number`, as `accuracy(by="pair")` names it; where only one paradigm was scored, the number is enough.
    """
    if unit not in NATS:
        raise fail("surprisal-unit", Place(), {"unit": unit, "known": get_args(SurprisalUnit)})
    if isinstance(results, Scores):
        uid, number, again = _parse(pair, results.manifest.shards)
        tables = {results.model: results.table}
    else:
        here = fetched(results)
        folders = model_names(score_folders(here), inside=here)
        manifests = {folder: read_manifest(folder) for folder in folders}
        uid, number, again = _parse(pair, [one for manifest in manifests.values() for one in manifest.shards])
        tables = {name: _paradigm(folder, manifests[folder], uid) for folder, name in folders.items()}
    frames, notes = [], []
    first: pl.DataFrame | None = None
    for model, table in tables.items():
        rows = table.frame.filter((pl.col("uid") == uid) & (pl.col("pair") == number)).slice(2 * again - 2, 2)
        if not len(rows):
            notes.append(Problem("show-not-scored", values={"model": model, "pair": pair}, severity="warning"))
            continue
        first = rows if first is None else first
        if rows["sentence"].to_list() != first["sentence"].to_list():
            notes.append(Problem("show-other-pair", values={"model": model, "pair": pair}, severity="warning"))
        frames.append(_tokens(rows, model, NATS[unit]))
    if first is None:
        numbers = sorted({n for table in tables.values() for n in table.frame.filter(uid=uid)["pair"].to_list()})
        asked = f"{number} ({again})" if again > 1 else number
        raise fail("show-no-number", Place(), {"uid": uid, "number": asked, "known": numbers})
    columns = tuple((own["name"], own["value"]) for own in first["columns"][0].to_list())
    return PairTokens(pair, first["phenomenon"][0], columns, unit, pl.concat(frames), tuple(notes))


def _parse(pair: str, uids: Iterable[str]) -> tuple[str, int, int]:
    """Return the paradigm and number of a pair, and which of several with that number is meant."""
    known = sorted(set(uids), key=natural)
    found = _PAIR.fullmatch(pair)
    if found is None or (not found["uid"] and len(known) != 1):
        raise fail("show-pair", Place(), {"pair": pair, "known": known})
    uid = found["uid"] or known[0]
    if uid not in known:
        near = get_close_matches(uid, known)
        raise fail(
            "show-no-paradigm", Place(), {"uid": uid, "known": [*near, *(one for one in known if one not in near)]}
        )
    return uid, int(found["number"]), int(found["again"] or 1)


def _paradigm(folder: Path, manifest: ScoreManifest, uid: str) -> ScoreTable:
    """Read the scores of one paradigm; the others need not be read."""
    shards = {one: shard for one, shard in manifest.shards.items() if one == uid}
    return stored_table(folder, replace(manifest, shards=shards), list(SCHEMA))


def _tokens(rows: pl.DataFrame, model: str, nats: float) -> pl.DataFrame:
    """Return one row per token of two sentences; a token without characters, such as EOS, is shown as it is written."""
    lists = ("tokens", "starts", "ends", "logprobs")
    flat = rows.select("side", "sentence", *lists).with_columns(
        pl.int_ranges(pl.col("tokens").list.len()).alias("number")
    )
    flat = flat.explode(*lists, "number")
    texts = [sentence[start:end] or token for _, sentence, token, start, end, _, _ in flat.rows()]
    return flat.select(
        pl.lit(model).alias("model"),
        pl.col("side").cast(pl.String),
        "sentence",
        pl.col("number").cast(pl.Int64) + 1,
        pl.Series("text", texts, pl.String),
        pl.col("tokens").alias("token"),
        pl.col("starts").alias("start"),
        pl.col("ends").alias("end"),
        pl.col("logprobs").cast(pl.Float64).alias("logprob"),
        (-pl.col("logprobs").cast(pl.Float64) / nats + 0.0).alias("surprisal"),
    )
