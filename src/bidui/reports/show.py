"""One pair with the surprisal of each of its tokens by each model of a folder of results, and what it prefers."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from html import escape
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import polars as pl

from bidui.errors import Place, Problem, fail
from bidui.files import natural
from bidui.notebooks import to_pandas
from bidui.pairs.pair import IDS
from bidui.reports.results import USUAL, ScoredModel, model_names, stored_unigrams
from bidui.reports.tables import Column, Table, csv_text, latex
from bidui.scale.storage import fetched
from bidui.scores.choices import COLUMNS, choose
from bidui.scores.links import AnyLink, Link, as_link, as_links
from bidui.scores.run import unigram_logprobs
from bidui.scores.table import SCHEMA, ScoreManifest, Scores, ScoreTable, read_manifest, score_folders, stored_table

if TYPE_CHECKING:
    import pandas

SurprisalUnit = Literal["bits", "nats"]
Preference = Literal["good", "bad", "tie"]
SAID = {"good": "good preferred by", "bad": "bad preferred by", "tie": "tie by"}
NATS = {"bits": log(2), "nats": 1.0}  # in one of them
NAMES = ["uid", "pair", "columns"]  # what pairs can be found by
_PAIR = re.compile(r"(?:(?P<uid>.+)[/:])?(?P<number>[0-9]+)(?: \((?P<again>[0-9]+)\))?")


@dataclass(frozen=True, slots=True, repr=False)
class PairTokens:
    """The tokens of one pair: `frame` has one row per model, side and token.

    `text` is what a token covers in its sentence, `token` how the tokenizer writes it. `columns` are the variant and
    the further columns of the pair. `prefers` says by model and linking function which sentence is preferred: `good`,
    `bad` or, if their scores are equal, `tie`. The notes name models that were not scored on the pair.
    """

    name: str  # uid/number
    phenomenon: str
    columns: tuple[tuple[str, str], ...]
    unit: SurprisalUnit
    frame: pl.DataFrame
    notes: tuple[Problem, ...] = ()
    prefers: Mapping[str, Mapping[str, Preference]] = field(default_factory=dict)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def write(self, format: Literal["csv", "json", "latex"]) -> str:
        """Return the tokens as text; JSON has them by model and side, with the notes."""
        if format == "json":
            models = [
                {"model": model, **sides, "prefers": dict(self.prefers.get(model, {}))}
                for model, sides in self.sides().items()
            ]
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
            by_side: dict[str, list[str]] = {}
            for link, side in self.prefers.get(model, {}).items():
                by_side.setdefault(side, []).append(link)
            lines += [f"  {SAID[side]}: {', '.join(links)}" for side, links in by_side.items()]
        return "\n".join([*lines, *map(str, self.notes)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.name)}, surprisals in {self.unit}</p>{self.frame._repr_html_()}"


def show(
    results: str | Path | Scores,
    pair: str | int,
    *,
    unit: SurprisalUnit = "bits",
    links: AnyLink | Sequence[AnyLink] = (),
) -> PairTokens:
    """Return one pair with the surprisals of its tokens by every model of a folder of results, or by one model.

    `pair` is `uid/number` or `uid:number`, as `accuracy(by="pair")` names it; an id of your own table; or
    `column=value`, if only one pair has that value. A number alone is enough if only one pair has it. Numbers are those
    of the column pairID, pair_id or id; without such a column, the rows of the file count from 0. `links` are the
    linking functions whose preferences are shown; those that need unigrams are refused.
    """
    if unit not in NATS:
        raise fail("surprisal-unit", Place(), {"unit": unit, "known": get_args(SurprisalUnit)})
    chosen = as_links(links or USUAL)
    if lacking := [link.name for link in chosen if link.needs_unigrams]:
        raise fail("show-link", Place(), {"link": lacking[0]})
    if isinstance(results, Scores):
        names = results.table.frame.select(NAMES)
        uid, number, again = _find(str(pair), results.manifest.shards, lambda: [names])
        tables = {results.model: results.table}
    else:
        here = fetched(results)
        folders = model_names(score_folders(here), inside=here)
        manifests = {folder: read_manifest(folder) for folder in folders}
        uid, number, again = _find(
            str(pair),
            [one for manifest in manifests.values() for one in manifest.shards],
            lambda: [stored_table(folder, own, NAMES).frame for folder, own in manifests.items()],
        )
        tables = {name: _paradigm(folder, manifests[folder], uid) for folder, name in folders.items()}
    pair = f"{uid}/{number}" + (f" ({again})" if again > 1 else "")
    frames, notes = [], []
    prefers: dict[str, dict[str, Preference]] = {}
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
        prefers[model] = {link.name: _preference(rows, link) for link in chosen}
    if first is None:
        numbers = sorted({n for table in tables.values() for n in table.frame.filter(uid=uid)["pair"].to_list()})
        asked = f"{number} ({again})" if again > 1 else number
        raise fail("show-no-number", Place(), {"uid": uid, "number": asked, "known": numbers})
    columns = tuple((own["name"], own["value"]) for own in first["columns"][0].to_list())
    return PairTokens(pair, first["phenomenon"][0], columns, unit, pl.concat(frames), tuple(notes), prefers)


def _preference(rows: pl.DataFrame, link: Link) -> Preference:
    """Return which of two sentences a linking function prefers."""
    return _preferred(choose(ScoreTable(rows), link).worth[0])


def _preferred(worth: float) -> Preference:
    return "tie" if worth == 0.5 else "good" if worth else "bad"


@dataclass(frozen=True, slots=True)
class PairChoice:
    """A pair of a paradigm, and which of its sentences each model prefers; `again` counts pairs of the same number."""

    number: int
    again: int
    good: str
    bad: str
    variant: str
    prefers: Mapping[str, Preference]


def paradigm_choices(models: Sequence[ScoredModel], uid: str, *, link: AnyLink) -> tuple[PairChoice, ...]:
    """Return the pairs of one paradigm with what each of some models chose; only its files are read.

    The models are those of one set of pairs: where one has other sentences under a number, they are pairs of their own.
    """
    function, prefers = as_link(link), dict[tuple[int, int, str, str, str], dict[str, Preference]]()
    for model in models:
        if uid not in model.manifest.shards:
            continue
        table = _paradigm(model.folder, model.manifest, uid, [*COLUMNS, "ids"])
        logprobs, file = None, stored_unigrams(model.folder)
        if function.needs_unigrams and file is not None:
            logprobs, _ = unigram_logprobs(file, model.manifest, table, smoothing=1.0, unseen=None)
        choices, sentences = choose(table, function, unigrams=logprobs), table.frame["sentence"].to_list()
        variants = choices.columns["variant"].tolist() if "variant" in choices.columns else [""] * len(choices.uids)
        count: Counter[int] = Counter()
        rows = zip(choices.pairs.tolist(), sentences[::2], sentences[1::2], variants, choices.worth, strict=True)
        for number, good, bad, variant, worth in rows:
            count[number] += 1
            prefers.setdefault((number, count[number], good, bad, variant), {})[model.name] = _preferred(worth)
    return tuple(PairChoice(*pair, own) for pair, own in prefers.items())


def _find(pair: str, uids: Iterable[str], names: Callable[[], Iterable[pl.DataFrame]]) -> tuple[str, int, int]:
    """Return the paradigm and number of a pair, and which of several with that number is meant.

    A paradigm and a number are enough; for anything else, all pairs must be read: `names` returns them.
    """
    known = sorted(set(uids), key=natural)
    match = _PAIR.fullmatch(pair)
    uid = (match["uid"] or (known[0] if len(known) == 1 else "")) if match else ""
    if match and uid in known:
        return uid, int(match["number"]), int(match["again"] or 1)
    places = {place: None for frame in names() for place in _places(frame, pair)}
    if len(places) == 1:
        return next(iter(places))
    if places:
        pairs = [f"{uid}/{number}" + (f" ({again})" if again > 1 else "") for uid, number, again in places]
        raise fail("show-several", Place(), {"pair": pair, "count": len(pairs), "pairs": pairs})
    if uid:
        near = get_close_matches(uid, known)
        raise fail(
            "show-no-paradigm", Place(), {"uid": uid, "known": [*near, *(one for one in known if one not in near)]}
        )
    raise fail("show-pair", Place(), {"pair": pair, "known": known})


def _places(frame: pl.DataFrame, pair: str) -> Iterator[tuple[str, int, int]]:
    """Yield the pairs that have this number, this id, or this value as `column=value`."""
    count: Counter[tuple[str, int]] = Counter()
    column, _, value = pair.partition("=")
    for uid, number, columns in frame.gather_every(2).rows():
        count[uid, number] += 1
        fields = {own["name"]: own["value"] for own in columns}
        ids = (fields.get(name) for name in IDS)
        if pair == str(number) or pair in ids or (value and fields.get(column) == value):
            yield uid, number, count[uid, number]


def _paradigm(folder: Path, manifest: ScoreManifest, uid: str, columns: Sequence[str] = tuple(SCHEMA)) -> ScoreTable:
    """Read the scores of one paradigm; the others need not be read."""
    shards = {one: shard for one, shard in manifest.shards.items() if one == uid}
    return stored_table(folder, replace(manifest, shards=shards), list(columns))


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
