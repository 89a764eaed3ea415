"""Scoring runs: one file of token scores per paradigm, and a manifest; an interrupted run resumes.

A model is given many sentences at a time, and what it gives is on disk before it is given more. Small paradigms go
together. A paradigm that is larger goes in parts, which are files of their own until the last of them is scored.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from bidui.benchmarks import find_pairs
from bidui.errors import InputError, OutputRefused, Place, Problem, fail
from bidui.files import (
    check_new_folder,
    claim_folder,
    json_text,
    remove_file,
    remove_temporaries,
    sha256,
    write_file,
    write_new_folder,
)
from bidui.models.model import Alias, Declared, Model, TokenScores
from bidui.models.specs import DEFAULT, load_model, parse_spec, path_labels
from bidui.pairs import AnyPairs, Pair, Pairs, uid_fits
from bidui.scores.choices import COLUMNS, PairTotals, file_of, pair_totals, published_lines
from bidui.scores.links import AnyLink, Floats, as_link
from bidui.scores.table import (
    LengthUnit,
    ScoreManifest,
    Scores,
    ScoreTable,
    Shard,
    columns_of,
    columns_series,
    empty_table,
    manifest_in,
    read_manifest,
    read_scores,
    read_table,
    refuse_large,
    score_folders,
    score_table,
    stored_table,
    table_bytes,
    write_manifest,
)
from bidui.scores.unigrams import read_published, read_unigrams, take_unigrams

# Sentences that are given to a model at a time: what a kill can lose, and a step of the progress bar. With 2,000,
# prefix trees have 3% more positions than with 20,000, and a run takes as much longer.
TOGETHER = 2_000
SLOWLY = {"masked": 500, "seq2seq": 500, "api": 500}  # kinds that run a sentence once per token, or wait for a server
PARTS = "parts"  # the folder of parts of paradigms under way
CACHE = "api"  # the folder of answers of servers, among the folders of models


def score(
    pairs: AnyPairs,
    model: str | Path | Model = DEFAULT,
    *,
    out: str | Path | None = None,
    n: int = 300,
    seed: int = 0,
    device: str = "cpu",
    dtype: str = "float32",
    batch_tokens: int | None = None,
    bos: str | None = None,
    eos: bool = False,
    trust_remote_code: bool = False,
    label: str | None = None,
    force: bool = False,
    on_start: Callable[[Model, Pairs], None] = lambda model, pairs: None,
    on_paradigm: Callable[[str, int], None] = lambda uid, count: None,
) -> Scores:
    """Score every sentence of pairs with a language model.

    `pairs` is a benchmark or a project, of which `n` pairs per paradigm are generated with `seed`; a file or
    folder of pairs; or the pairs themselves, as `find_pairs` takes them. `model` is a spec (`hf:FOLDER`, see `bidui
    score --list-models`) or a loaded model; `device`, `dtype`, `batch_tokens`, `bos`, `eos` and `trust_remote_code` are
    for a spec. With `out`, the scores are stored in a folder in `out`, called `label` or else by the model's name; if
    another model has that name there, more of the path is added (`b--final`), and a note says so. Paradigms already
    scored are skipped, so an interrupted run resumes, and scores made with different settings are overwritten only with
    `force`; scores of another model never are. `on_paradigm` is called with the uid and the number of pairs when they
    are scored; a large paradigm is scored in parts.
    """
    if label is not None and (not uid_fits(label) or label.casefold() == CACHE):
        raise fail("label-unfit", Place(), {"label": repr(label)})
    source = find_pairs(pairs, n=n, seed=seed)
    cache = None if out is None else Path(out) / CACHE
    model = str(model) if isinstance(model, Path) else model
    if isinstance(model, str):
        options = {"device": device, "dtype": dtype, "batch_tokens": batch_tokens, "bos": bos, "eos": eos}
        loaded = load_model(model, cache=cache, trust_remote_code=trust_remote_code, **options)  # type: ignore[arg-type]
    elif callable(getattr(model, "score", None)) and hasattr(model, "declared"):
        loaded = model
    else:
        raise fail("not-a-model", None, {"type": type(model).__name__})
    spec = model if isinstance(model, str) else ""
    if out is None:
        loaded = loaded if label is None else Alias(label, loaded)
        on_start(loaded, source)
        return _score_in_memory(source, loaded, on_paradigm)
    place = _source(spec, Path(out))
    names = [label] if label is not None else path_labels(spec, loaded.name) if spec else [loaded.name]
    chosen = _free_label(names, loaded, place, Path(out))
    notes = [Problem("label-longer", Place(str(out)), {"label": chosen, "taken": names[0]}, "warning")]
    if chosen != loaded.name:
        loaded = Alias(chosen, loaded)
    on_start(loaded, source)
    folder = Path(out) / chosen
    scores = run_scoring(source, loaded, out=folder, origin=place, force=force, on_paradigm=on_paradigm)
    scores = replace(scores, notes=tuple(notes) if chosen != names[0] else ())
    if not isinstance(model, str):
        return scores
    try:
        copied = take_unigrams(
            Path(parse_spec(model).name), tokenizer=str(scores.declared.get("tokenizer", "")), scores=folder
        )
    except InputError as error:  # the scores are good without them
        return replace(scores, problems=error.problems)
    return replace(scores, unigrams=copied)


def _source(spec: str, out: Path) -> str:
    """Return where the model of a spec is: its path as seen from the results, or its name on a hub or server."""
    if not spec:
        return ""
    parsed = parse_spec(spec)
    if not Path(parsed.name).exists():
        return f"{parsed.kind}:{parsed.name}"
    try:
        return Path(os.path.relpath(Path(parsed.name).resolve(), out.resolve())).as_posix()
    except ValueError:  # on another drive
        return ""


def _free_label(names: Sequence[str], model: Model, source: str, out: Path) -> str:
    """Return the first label whose folder has scores of this model, or else the first that no model has yet."""
    manifests = {name: manifest_in(out / name) for name in names if uid_fits(name)}
    for name, before in manifests.items():
        same = before and (not _is_another(before.declared, model.declared) or (source and before.source == source))
        if same:
            return name
    free = next((name for name, before in manifests.items() if before is None), None)
    if free is None:
        raise OutputRefused(str(Problem("scores-of-another-model", Place(str(out / names[0])), {"label": names[0]})))
    return free


def _is_another(before: Declared, new: Declared) -> bool:
    """Return whether two models are different ones, and not one with different settings."""
    named = ("weights", "config", "tokenizer", "url") if "weights" in before or "weights" in new else ("model", "url")
    kinds = [declared.get("kind") for declared in (before, new)]
    apart = any(kind in ("given", "ngram", "api", "lstm") for kind in kinds) and kinds[0] != kinds[1]
    return apart or any(name in before and name in new and before[name] != new[name] for name in named)


def _score_in_memory(pairs: Pairs, model: Model, on_paradigm: Callable[[str, int], None]) -> Scores:
    refuse_large(pairs)
    by_uid = pairs.by_uid()
    tables: list[pl.DataFrame] = []
    shards: dict[str, list[Shard]] = {uid: [] for uid in by_uid}
    for group in _together(by_uid, model):
        for part, table, shard in _score_parts(group, model):
            tables.append(table.frame)
            shards[part.uid].append(shard)
            on_paradigm(part.uid, shard.count)
    whole = {uid: _whole(own, by_uid[uid]) for uid, own in shards.items()}
    manifest = ScoreManifest(model.name, dict(model.declared), whole, benchmarks=pairs.benchmarks)
    table = ScoreTable(pl.concat(tables)) if tables else empty_table()
    return Scores(manifest, done=tuple(shards), in_memory=table)


def run_scoring(
    pairs: Pairs,
    model: Model,
    *,
    out: Path,
    origin: str = "",
    force: bool = False,
    on_paradigm: Callable[[str, int], None] = lambda uid, count: None,
) -> Scores:
    """Write scores to `out`, one file per paradigm; files that are there already and whole are kept."""
    before = manifest_in(out)
    empty = ScoreManifest(model.name, dict(model.declared), source=origin, benchmarks=pairs.benchmarks)
    if before and not force:
        claim_folder(out, before.manifest, empty.manifest, "scores-of-another")
    if before is None or before.manifest.differences(empty.manifest):
        before = empty
    by_uid = pairs.by_uid()
    unfit = next((uid for uid in by_uid if not uid_fits(uid)), None)
    if unfit is not None:
        raise fail("uid-unfit", Place(), {"uid": repr(unfit)})
    refuse_large(pairs)
    remove_temporaries(out)
    repaired = []
    shards: dict[str, Shard] = {}
    for uid, paradigm in by_uid.items():
        fits = uid in before.shards and before.shards[uid].pairs == pairs_hash(paradigm)
        if fits and before.manifest.state(out, f"{uid}.parquet") == "whole":
            shards[uid] = _with_columns(before.shards[uid], paradigm, out)
            on_paradigm(uid, len(paradigm))
        elif fits:
            repaired.append(uid)
    kept = tuple(shards)
    if any(shards[uid] != before.shards[uid] for uid in kept):  # at once, since their files have changed
        left = len(pairs) - sum(shard.count for shard in shards.values())
        write_manifest(out, replace(empty, shards=shards, parts=before.parts, left=left))
    parts: dict[str, Shard] = {}
    for group in _together(by_uid, model):
        waiting = [part for part in group if part.uid not in shards]
        stored = {part.file: before.parts[part.file] for part in waiting if _is_stored(part, before, out)}
        for part, table, shard in _score_parts([part for part in waiting if part.file not in stored], model):
            data = table_bytes(table)
            write_file(out / part.file, data)
            stored[part.file] = replace(shard, file=sha256(data))
        for part in waiting:
            if part.whole:
                shards[part.uid] = stored[part.file]
            else:
                parts[part.file] = stored[part.file]
                if part.last:
                    shards[part.uid] = _joined(part, parts, by_uid[part.uid], out)
            on_paradigm(part.uid, stored[part.file].count)
        if waiting:
            left = len(pairs) - sum(shard.count for shard in shards.values())
            write_manifest(out, replace(empty, shards=shards, parts=parts, left=left))
    manifest = replace(empty, shards=shards)
    write_manifest(out, manifest)
    _remove_parts(out)
    return Scores(manifest, out, tuple(shards)[len(kept) :], kept, tuple(repaired))


def _with_columns(shard: Shard, pairs: Sequence[Pair], out: Path) -> Shard:
    """Return the shard of a paradigm that is scored; if the columns of its pairs have changed, write its file again."""
    if shard.columns == columns_hash(pairs):
        return shard
    file = out / f"{pairs[0].uid}.parquet"
    both = columns_series([pair for pair in pairs for _ in range(2)])
    data = table_bytes(ScoreTable(read_table(file).frame.with_columns(both)))
    write_file(file, data)
    return replace(shard, file=sha256(data), columns=columns_hash(pairs))


def _is_stored(part: "Part", before: ScoreManifest, out: Path) -> bool:
    """Return whether an interrupted run left this part of a paradigm."""
    shard = before.parts.get(part.file)
    fits = shard and shard.pairs == pairs_hash(part.pairs) and shard.columns == columns_hash(part.pairs)
    return bool(fits) and before.manifest.state(out, part.file) == "whole"


def _joined(part: "Part", parts: dict[str, Shard], pairs: Sequence[Pair], out: Path) -> Shard:
    """Write the file of a paradigm whose last part was scored.

    All parts are read back, so that the bytes are the same whether the run was interrupted or not.
    """
    data = table_bytes(ScoreTable(pl.concat([read_table(out / file).frame for file in part.files], rechunk=True)))
    write_file(out / f"{part.uid}.parquet", data)
    return replace(_whole([parts.pop(file) for file in part.files], pairs), file=sha256(data))


def _whole(shards: Sequence[Shard], pairs: Sequence[Pair]) -> Shard:
    """Return what the manifest says of a paradigm from what it says of its parts, but for its file."""
    unknown, unseen = sum(shard.unknown for shard in shards), sum(shard.unseen for shard in shards)
    return Shard(pairs_hash(pairs), "", len(pairs), unknown, unseen, columns_hash(pairs))


def _remove_parts(out: Path) -> None:
    """Remove the parts of paradigms, which are whole by now."""
    for file in (out / PARTS).glob("*.parquet"):
        remove_file(file)
    with contextlib.suppress(OSError):  # it is not there, or holds something that is not ours
        (out / PARTS).rmdir()


def read_totals(
    folder: Path, *, unigrams: Path | None = None, smoothing: float = 1.0, unseen: float | None = None
) -> tuple[ScoreManifest, PairTotals]:
    """Read the totals of one model's pairs without the tokens, a fifth of the work; with U if unigrams are given."""
    manifest = read_manifest(folder)
    if unigrams is None:
        return manifest, pair_totals(stored_table(folder, manifest, list(COLUMNS)))
    table = stored_table(folder, manifest, [*COLUMNS, "ids"])
    logprobs, notes = unigram_logprobs(unigrams, manifest, table, smoothing=smoothing, unseen=unseen)
    return manifest, replace(pair_totals(table, unigrams=logprobs), notes=notes)


def unigram_logprobs(
    file: Path, manifest: ScoreManifest, table: ScoreTable, *, smoothing: float, unseen: float | None
) -> tuple[Floats, tuple[Problem, ...]]:
    """Return the unigram log-probabilities by id that a file gives the tokens of scores, and notes on them."""
    published = read_published(file)
    if published is None:
        counts = read_unigrams(file, tokenizer=str(manifest.declared.get("tokenizer", "")))
        return counts.logprobs(smoothing=smoothing), ()
    if "tokenizer" not in manifest.declared:  # n-gram models and servers have no ids of a vocabulary
        raise fail("unigrams-no-ids", Place(str(file)), {"model": manifest.model})
    ids = table.frame["ids"].explode().drop_nulls().to_numpy().astype(np.int64)
    return published.logprobs(ids, smoothing=smoothing, unseen=unseen)


def export_scores(
    results: str | Path,
    *,
    out: str | Path,
    link: AnyLink = "lp",
    unit: LengthUnit = "tokens",
    unigrams: str | Path | None = None,
    smoothing: float = 1.0,
    unseen: float | None = None,
) -> int:
    """Write stored scores as others publish them, one JSONL file per model, to a new folder; return their number."""
    results, function = Path(results), as_link(link)
    check_new_folder(Path(out))

    def files() -> Iterator[tuple[str, bytes]]:
        for folder in score_folders(results):
            scores, logprobs = read_scores(folder), None
            if unigrams is not None:
                logprobs, _ = unigram_logprobs(
                    Path(unigrams), scores.manifest, scores.table, smoothing=smoothing, unseen=unseen
                )
            lines = published_lines(scores.table, function, unit=unit, unigrams=logprobs)
            yield file_of(folder, results=results), lines

    return write_new_folder(Path(out), files())


def pairs_hash(pairs: Sequence[Pair]) -> str:
    """Return a hash of the sentences, sides and numbers of a paradigm's pairs."""
    lines = (f"{pair.uid}\t{pair.phenomenon}\t{pair.pair_id}\t{pair.good}\t{pair.bad}\n" for pair in pairs)
    return sha256("".join(lines).encode())


def columns_hash(pairs: Sequence[Pair]) -> str:
    """Return a hash of the variants and further columns of a paradigm's pairs; empty where they have none."""
    columns = [columns_of(pair) for pair in pairs]
    return sha256(json_text(columns).encode()) if any(columns) else ""


@dataclass(frozen=True, slots=True)
class Part:
    """Pairs of one paradigm that are scored at once: all of them, or those of part `number` of `parts`."""

    uid: str
    pairs: Sequence[Pair]
    number: int = 0
    parts: int = 1

    @property
    def whole(self) -> bool:
        """Whether this is the whole paradigm."""
        return self.parts == 1

    @property
    def last(self) -> bool:
        """Whether the paradigm is complete with this part."""
        return self.number == self.parts - 1

    @property
    def files(self) -> list[str]:
        """The files of all parts of the paradigm, in order."""
        return [f"{PARTS}/{self.uid}.{number}.parquet" for number in range(self.parts)]

    @property
    def file(self) -> str:
        """The path of its file in the folder of scores."""
        return f"{self.uid}.parquet" if self.whole else self.files[self.number]


def _together(by_uid: Mapping[str, Sequence[Pair]], model: Model) -> Iterator[list[Part]]:
    """Yield what is given to a model at a time.

    This does not depend on what is scored already, so that a run that resumes gives the same bytes.
    """
    together = min(TOGETHER, SLOWLY.get(str(model.declared.get("kind")), TOGETHER))
    parts: list[Part] = []
    for uid, pairs in by_uid.items():
        if 2 * len(pairs) > together:
            most = max(1, together // 2)
            starts = range(0, len(pairs), most)
            for number, start in enumerate(starts):
                yield [Part(uid, pairs[start : start + most], number, len(starts))]
            continue
        parts.append(Part(uid, pairs))
        if sum(2 * len(part.pairs) for part in parts) >= together:
            yield parts
            parts = []
    if parts:
        yield parts


def _score_parts(parts: Sequence[Part], model: Model) -> Iterator[tuple[Part, ScoreTable, Shard]]:
    """Yield each of some parts with its table and what the manifest says of it, but for its file."""
    if not parts:
        return
    pairs = [pair for part in parts for pair in part.pairs]
    sentences = list(dict.fromkeys(side for pair in pairs for side in (pair.good, pair.bad)))
    scores = dict(zip(sentences, model.score(sentences), strict=True))
    for sentence, tokens in scores.items():
        if not len(tokens):
            raise fail("nothing-scored", Place(), {"sentence": sentence, "model": model.name})
    ids = np.unique(np.concatenate([tokens.ids for tokens in scores.values()]))
    texts = model.token_texts(ids.tolist())
    both: list[TokenScores] = [scores[side] for pair in pairs for side in (pair.good, pair.bad)]
    frame = score_table(pairs, both, texts).frame  # of all parts at once, which takes a third of the time
    tokens_of_all = np.concatenate([tokens.ids for tokens in both])
    seen = np.where(model.unknown(tokens_of_all), -1, tokens_of_all)  # unknown words look the same
    bounds = np.cumsum([0, *map(len, both)]).tolist()
    row = 0
    for part in parts:
        rows = 2 * len(part.pairs)
        cuts = bounds[row : row + rows + 1]
        looks = [seen[low:high].tobytes() for low, high in pairwise(cuts)]
        unseen = sum(good == bad for good, bad in zip(looks[::2], looks[1::2], strict=True))
        unknown = int((seen[cuts[0] : cuts[-1]] == -1).sum())
        shard = Shard(pairs_hash(part.pairs), "", len(part.pairs), unknown, unseen, columns_hash(part.pairs))
        yield part, ScoreTable(frame.slice(row, rows)), shard
        row += rows
