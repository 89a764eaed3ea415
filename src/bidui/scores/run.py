"""Scoring runs: one file of token scores per paradigm, and a manifest; an interrupted run resumes.

A model is given many sentences at a time, and what it gives is soon on disk. Small paradigms go together. A paradigm
that is larger goes in parts, which are files of their own until the last of them is scored. What is given at a time
depends on the pairs alone, so that any number of workers, on any machines, gives the same bytes.
"""

import contextlib
import hashlib
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np
import polars as pl

from bidui.benchmarks import open_pairs
from bidui.errors import InputError, OutputRefused, Place, Problem, fail
from bidui.files import (
    check_new_folder,
    claim_folder,
    file_hash,
    json_text,
    new_file,
    remove_file,
    remove_temporaries,
    sha256,
    write_file,
    write_new_folder,
)
from bidui.models.model import Declared, Model, TokenScores, parameter_count
from bidui.models.specs import DEFAULT, load_model, parse_spec, path_labels
from bidui.pairs import AnyPairs, Lines, Pair, Pairs, StoredPairs, StoredParadigm, uid_fits
from bidui.scale.storage import Folder, fetched, open_folder
from bidui.scale.workers import LOCAL, AnyOn, Local, Needs, Workers, gpu_memory, gpu_share, here, open_workers, parse_on
from bidui.scores.choices import COLUMNS, PairTotals, file_of, pair_totals, published_lines
from bidui.scores.links import AnyLink, Floats, as_link
from bidui.scores.table import (
    MANIFEST,
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
ROWS = 64_000  # sentences in a row group of the file of a large paradigm
PAUSE = 2.0  # seconds between two manifests of a run under way: what a kill can lose besides
ROOM = 6 << 30  # bytes of a GPU that batches take besides the weights
WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.arpa*", "*.binary", "*.jsonl")


class Described(Protocol):
    """What is known of a model wherever it is loaded."""

    @property
    def name(self) -> str:
        """The name in tables and files."""

    @property
    def declared(self) -> Declared:
        """What the scores depend on besides the sentences."""


@dataclass(frozen=True, slots=True)
class Description:
    """A model that workers have loaded."""

    name: str
    declared: Declared
    parameters: int = 0  # of its network, if it has one


CACHE = "api"  # the folder of answers of servers, among the folders of models
Plan = TypeVar("Plan")


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
    on: AnyOn = LOCAL,
    share: float = 1.0,
    on_start: Callable[[Described, "Pairs | StoredPairs"], None] = lambda model, pairs: None,
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

    `on` says where: `local`, `processes:N`, or `ray[:ADDRESS]`, of which this call takes a `share`; the scores have the
    same bytes. `out` may also be a URL such as `s3://bucket/results`.
    """
    if label is not None and (not uid_fits(label) or label.casefold() == CACHE):
        raise fail("label-unfit", Place(), {"label": repr(label)})
    place = parse_on(on)  # first: pairs may take a while
    source = open_pairs(pairs, n=n, seed=seed)
    home = open_folder(out) if out is not None else None
    model = str(model) if isinstance(model, Path) else model
    if isinstance(model, str):
        settings = {"device": device, "dtype": dtype, "batch_tokens": batch_tokens, "bos": bos, "eos": eos}
        cache = None if home is None else home.path / CACHE
        start = partial(load_model, model, cache=cache, trust_remote_code=trust_remote_code, **settings)  # type: ignore[arg-type]
        if place.kind != "local" and parse_spec(model).kind == "api":
            raise fail("on-api", Place(part="--on"), {"on": str(place)})
        needs = model_needs(model, device=device, memory=gpu_memory(place) if _takes_gpu(place, device) else None)
    elif callable(getattr(model, "score", None)) and hasattr(model, "declared"):
        if place.kind != "local":
            raise fail("on-loaded-model", Place(part="on"), {"on": str(place)})
        start, needs = partial(_itself, model), Needs()
    else:
        raise fail("not-a-model", None, {"type": type(model).__name__})
    spec = model if isinstance(model, str) else ""
    least = min(TOGETHER, *SLOWLY.values())  # sentences at a time of any kind of model; which it is, workers find out
    most = max(1, -(-2 * len(source) // least))
    with open_workers(start, on=place, needs=needs, most=most, share=share) as crew:
        about = next(crew.map(_describe, [None]))
        if home is None:
            about = replace(about, name=label or about.name)
            on_start(about, source)
            return _score_in_memory(source, about, crew, on_paradigm)
        scores = _score_in(home, source, about, crew, spec, label=label, force=force, calls=(on_start, on_paradigm))
        if crew.lost:
            note = Problem("workers-lost", Place(part="--on"), {"count": crew.lost}, "warning")
            scores = replace(scores, notes=(*scores.notes, note))
    return scores


def _score_in(
    home: Folder,
    pairs: "Pairs | StoredPairs",
    about: Description,
    workers: Workers[Model],
    spec: str,
    *,
    label: str | None,
    force: bool,
    calls: "tuple[Callable[[Described, Pairs | StoredPairs], None], Callable[[str, int], None]]",
) -> Scores:
    """Score into a folder of results, with a label that no other model has there."""
    on_start, on_paradigm = calls
    home.pull(lambda name: name.endswith(MANIFEST))
    origin = _source(spec, home)
    names = [label] if label is not None else path_labels(spec, about.name) if spec else [about.name]
    chosen = _free_label(names, about, origin, home.path)
    about = replace(about, name=chosen)
    on_start(about, pairs)
    own = home.inner(chosen)
    own.pull()
    scores = run_scoring(
        pairs,
        about,
        out=own.path,
        origin=origin,
        parameters=about.parameters,
        force=force,
        on_paradigm=on_paradigm,
        workers=workers,
        on_files=own.push,
    )
    longer = Problem("label-longer", Place(home.url or str(home.path)), {"label": chosen, "taken": names[0]}, "warning")
    scores = replace(scores, notes=(longer,) if chosen != names[0] else ())
    if not spec:
        return scores
    try:
        model = fetched(parse_spec(spec).name)
        copied = take_unigrams(model, tokenizer=str(scores.declared.get("tokenizer", "")), scores=own.path)
    except InputError as error:  # the scores are good without them
        return replace(scores, problems=error.problems)
    own.push()
    return replace(scores, unigrams=copied)


def _itself(model: Model) -> Model:
    return model


def _describe(model: Model, _: None) -> Description:
    return Description(model.name, dict(model.declared), parameter_count(model))


def _takes_gpu(on: AnyOn, device: str) -> bool:
    return parse_on(on).kind == "ray" and device.startswith("cuda")


def model_needs(spec: str, *, device: str = "cpu", memory: int | None = None) -> Needs:
    """Return what a worker needs that holds the model of a spec; `memory` is that of a GPU.

    On a CPU, workers of one machine share the weights, which are mapped from their file. The size of a model that is
    not here yet is not known: it gets a GPU of its own.
    """
    path = Path(parse_spec(spec).name)
    files = (
        [path] if path.is_file() else [file for form in WEIGHTS for file in path.glob(form)] if path.is_dir() else []
    )
    size = sum(file.stat().st_size for file in files)
    if not device.startswith("cuda"):
        return Needs(memory=size + (256 << 20))
    return Needs(gpus=gpu_share(size + ROOM, of=memory) if size and memory else 1.0, memory=size + (256 << 20))


def _source(spec: str, out: Folder) -> str:
    """Return where the model of a spec is: its path as seen from the results, or its name on a hub or server."""
    if not spec:
        return ""
    parsed = parse_spec(spec)
    if not Path(parsed.name).exists():
        return f"{parsed.kind}:{parsed.name}"
    try:
        return "" if out.url else Path(os.path.relpath(Path(parsed.name).resolve(), out.path.resolve())).as_posix()
    except ValueError:  # on another drive
        return ""


def _free_label(names: Sequence[str], model: Described, source: str, out: Path) -> str:
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


def _score_in_memory(
    pairs: "Pairs | StoredPairs", model: Description, workers: Workers[Model], on_paradigm: Callable[[str, int], None]
) -> Scores:
    refuse_large(pairs)
    by_uid = pairs.by_uid()
    tables: list[pl.DataFrame] = []
    shards: dict[str, list[Shard]] = {uid: [] for uid in by_uid}
    groups = ((group, group) for group in _together(by_uid, model))
    for group, scored in _in_order(groups, workers):
        for part, (data, shard) in zip(group, scored, strict=True):
            tables.append(pl.read_parquet(data) if isinstance(data, bytes) else data.frame)
            shards[part.uid].append(shard)
            on_paradigm(part.uid, shard.count)
    whole = {uid: replace(_sum(own), pairs=pairs_hash(by_uid[uid])) for uid, own in shards.items()}
    whole = {uid: replace(shard, columns=columns_hash(by_uid[uid])) for uid, shard in whole.items()}
    manifest = ScoreManifest(
        model.name, dict(model.declared), whole, benchmarks=pairs.benchmarks, parameters=model.parameters
    )
    table = ScoreTable(pl.concat(tables)) if tables else empty_table()
    return Scores(manifest, done=tuple(shards), in_memory=table)


@dataclass(slots=True)
class _Run:
    """The state of a scoring run: what is scored by now, and when this was last written down."""

    out: Path
    empty: ScoreManifest  # as it is before anything is scored
    pairs: int
    on_files: Callable[[Sequence[str]], None]
    shards: dict[str, Shard] = field(default_factory=dict)
    parts: dict[str, Shard] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)  # that were written or removed since the last manifest
    joined: list[str] = field(default_factory=list)  # parts of paradigms that are whole since the last manifest
    saved: float = field(default_factory=time.monotonic)

    def save(self, *, before: Mapping[str, Shard] | None = None) -> None:
        """Write the manifest of a run under way."""
        left = self.pairs - sum(shard.count for shard in self.shards.values())
        parts = dict(before) if before is not None else self.parts
        write_manifest(self.out, replace(self.empty, shards=self.shards, parts=parts, left=left))
        self.on_files([*self.files, MANIFEST])
        for name in self.joined:  # which nothing needs from here on
            remove_file(self.out / name)
        self.files[:], self.joined[:] = self.joined, []
        self.saved = time.monotonic()


def run_scoring(
    pairs: "Pairs | StoredPairs",
    model: Described,
    *,
    out: Path,
    origin: str = "",
    parameters: int = 0,
    force: bool = False,
    on_paradigm: Callable[[str, int], None] = lambda uid, count: None,
    workers: Workers[Model] | None = None,
    on_files: Callable[[Sequence[str]], None] = lambda names: None,
) -> Scores:
    """Write scores to `out`, one file per paradigm; files that are there already and whole are kept.

    Without `workers`, the model is one that is loaded. `on_files` is called with the names of files that were written,
    when the manifest has them.
    """
    workers = workers or here(model)  # type: ignore[arg-type]
    before = manifest_in(out)
    empty = ScoreManifest(
        model.name, dict(model.declared), source=origin, benchmarks=pairs.benchmarks, parameters=parameters
    )
    if before and not force:
        claim_folder(out, before.manifest, empty.manifest, "scores-of-another")
    if before is None or before.manifest.differences(empty.manifest):
        before = empty
    by_uid = pairs.by_uid()
    unfit = next((uid for uid in by_uid if not uid_fits(uid)), None)
    if unfit is not None:
        raise fail("uid-unfit", Place(), {"uid": repr(unfit)})
    remove_temporaries(out)
    repaired = []
    run = _Run(out, empty, len(pairs), on_files)
    hashes: dict[str, tuple[str, str]] = {}
    for uid, paradigm in by_uid.items():
        hashes[uid] = _hashes(paradigm)  # for which all pairs are read, so that a bad one is found before any is scored
    for uid, paradigm in by_uid.items():
        fits = uid in before.shards and before.shards[uid].pairs == hashes[uid][0]
        if fits and before.manifest.state(out, f"{uid}.parquet") == "whole":
            run.shards[uid] = _with_columns(before.shards[uid], paradigm, hashes[uid][1], out)
            on_paradigm(uid, len(paradigm))
        elif fits:
            repaired.append(uid)
    kept = tuple(run.shards)
    changed = [uid for uid in kept if run.shards[uid] != before.shards[uid]]
    if changed:  # at once, since their files have changed
        run.files += [f"{uid}.parquet" for uid in changed]
        run.save(before=before.parts)
    try:
        _score_rest(run, before, by_uid, hashes, workers, on_paradigm)
    except BaseException:
        with contextlib.suppress(InputError):  # the first error is the one to tell, such as a full disk
            if run.files:
                run.save()
        raise
    manifest = replace(empty, shards=run.shards)
    write_manifest(out, manifest)
    on_files([*run.files, MANIFEST])
    on_files(_remove_parts(out))
    return Scores(manifest, out, tuple(run.shards)[len(kept) :], kept, tuple(repaired))


def _score_rest(
    run: _Run,
    before: ScoreManifest,
    by_uid: Mapping[str, Sequence[Pair]],
    hashes: Mapping[str, tuple[str, str]],
    workers: Workers[Model],
    on_paradigm: Callable[[str, int], None],
) -> None:
    """Score what is not there, and write it in order, with a manifest every few seconds."""
    done = frozenset(run.shards)

    def plans() -> Iterator[tuple[tuple[list[Part], dict[str, Shard]], list[Part]]]:
        for group in _together(by_uid, run.empty):
            waiting = [part for part in group if part.uid not in done]
            stored = {part.file: before.parts[part.file] for part in waiting if _is_stored(part, before, run.out)}
            yield (waiting, stored), [part for part in waiting if part.file not in stored]

    for (waiting, stored), scored in _in_order(plans(), workers):
        missing = [part for part in waiting if part.file not in stored]
        for part, (table, shard) in zip(missing, scored, strict=True):
            data = table if isinstance(table, bytes) else table_bytes(table)
            write_file(run.out / part.file, data)
            run.files.append(part.file)
            stored[part.file] = replace(shard, file=sha256(data))
        for part in waiting:
            if part.whole:
                run.shards[part.uid] = stored[part.file]
            else:
                run.parts[part.file] = stored[part.file]
                if part.last:
                    run.shards[part.uid] = _joined(part, run, hashes[part.uid])
            on_paradigm(part.uid, stored[part.file].count)
        if waiting and time.monotonic() - run.saved > PAUSE:
            run.save()


def _with_columns(shard: Shard, pairs: Sequence[Pair], columns: str, out: Path) -> Shard:
    """Return the shard of a paradigm that is scored; if the columns of its pairs have changed, write its file again."""
    if shard.columns == columns:
        return shard
    file = out / f"{pairs[0].uid}.parquet"
    both = columns_series([pair for pair in pairs for _ in range(2)])
    data = table_bytes(ScoreTable(read_table(file).frame.with_columns(both)))
    write_file(file, data)
    return replace(shard, file=sha256(data), columns=columns)


def _is_stored(part: "Part", before: ScoreManifest, out: Path) -> bool:
    """Return whether an interrupted run left this part of a paradigm."""
    shard = before.parts.get(part.file)
    fits = shard is not None and (shard.pairs, shard.columns) == _hashes(part.pairs)
    return fits and before.manifest.state(out, part.file) == "whole"


def _joined(part: "Part", run: _Run, hashes: tuple[str, str]) -> Shard:
    """Write the file of a paradigm whose last part was scored.

    All parts are read back, so that the bytes are the same whether the run was interrupted or not; they go from file to
    file without being in memory together.
    """
    target = run.out / f"{part.uid}.parquet"
    try:
        with new_file(target) as file:
            frame = pl.scan_parquet([run.out / name for name in part.files], glob=False)  # brackets are no pattern
            frame.sink_parquet(file.name, compression="zstd", statistics=False, row_group_size=ROWS)
    except pl.exceptions.PolarsError as error:
        raise fail("write-failed", Place(str(target)), {"reason": str(error).split("\n")[0]}) from error
    shard = _sum([run.parts.pop(name) for name in part.files])
    run.files.append(target.name)
    run.joined += part.files
    return replace(shard, pairs=hashes[0], columns=hashes[1], file=file_hash(target))


def _sum(shards: Sequence[Shard]) -> Shard:
    """Return what the parts of a paradigm have in sum, without hashes."""
    count, unknown = sum(shard.count for shard in shards), sum(shard.unknown for shard in shards)
    return Shard("", "", count, unknown, sum(shard.unseen for shard in shards))


def _remove_parts(out: Path) -> list[str]:
    """Remove the parts of paradigms, which are whole by now; return their names."""
    files = sorted((out / PARTS).glob("*.parquet"))
    for file in files:
        remove_file(file)
    with contextlib.suppress(OSError):  # it is not there, or holds something that is not ours
        (out / PARTS).rmdir()
    return [f"{PARTS}/{file.name}" for file in files]


def read_totals(
    folder: Path, *, unigrams: Path | None = None, smoothing: float = 1.0, unseen: float | None = None
) -> tuple[ScoreManifest, PairTotals]:
    """Read the totals of one model's pairs without the tokens, a fifth of the work; with U if unigrams are given."""
    manifest = read_manifest(folder)
    if unigrams is None:
        return manifest, pair_totals(stored_table(folder, manifest, list(COLUMNS)), place=Place(str(folder)))
    table = stored_table(folder, manifest, [*COLUMNS, "ids"])
    logprobs, notes = unigram_logprobs(unigrams, manifest, table, smoothing=smoothing, unseen=unseen)
    return manifest, replace(pair_totals(table, unigrams=logprobs, place=Place(str(folder))), notes=notes)


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
    results, function = fetched(results), as_link(link)
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


def pairs_hash(pairs: Iterable[Pair]) -> str:
    """Return a hash of the sentences, sides and numbers of a paradigm's pairs."""
    return _hashes(pairs)[0]


def columns_hash(pairs: Iterable[Pair]) -> str:
    """Return a hash of the variants and further columns of a paradigm's pairs; empty where they have none."""
    return _hashes(pairs)[1]


def _hashes(pairs: Iterable[Pair]) -> tuple[str, str]:
    """Return both hashes of pairs that need not be in memory together; refuse numbers that do not fit the table."""
    own, columns, some, comma = hashlib.sha256(), hashlib.sha256(b"["), False, ""
    for pair in pairs:
        refuse_large((pair,))
        own.update(f"{pair.uid}\t{pair.phenomenon}\t{pair.pair_id}\t{pair.good}\t{pair.bad}\n".encode())
        further = columns_of(pair)
        columns.update((comma + json_text(further)).encode())
        some, comma = some or bool(further), ", "
    columns.update(b"]")
    return own.hexdigest(), columns.hexdigest() if some else ""


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


def _together(by_uid: Mapping[str, Sequence[Pair]], model: "Described | ScoreManifest") -> Iterator[list[Part]]:
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


# What goes to a worker and comes back. Pairs go as plain tuples of what scores need, which is quick to send; those on
# disk go as they are there, and the worker reads them.

Row = tuple[str, str, str, str, int, str, tuple[tuple[str, str], ...]]
Sent = list[Row] | Lines
Scored = tuple["bytes | ScoreTable", Shard]


def _in_order(
    groups: Iterable[tuple[Plan, Sequence[Part]]], workers: Workers[Model]
) -> Iterator[tuple[Plan, list[Scored]]]:
    """Yield what came with each group of parts, and the scores of its parts, in order."""
    plans: deque[Plan] = deque()
    away = not isinstance(workers, Local)

    def items() -> Iterator[list[Part] | list[Sent]]:
        for plan, parts in groups:
            plans.append(plan)
            # read once here, if they are on disk
            yield [_sent(part.pairs) for part in parts] if away else [replace(p, pairs=tuple(p.pairs)) for p in parts]

    work = _score_rows if away else _score_here
    for scored in workers.map(work, items()):  # type: ignore[arg-type]
        yield plans.popleft(), scored


def _sent(pairs: Sequence[Pair]) -> Sent:
    if isinstance(pairs, StoredParadigm):
        return pairs.lines()
    return [(p.good, p.bad, p.uid, p.phenomenon, p.pair_id, p.variant, p.columns) for p in pairs]


def _received(rows: Sent) -> Sequence[Pair]:
    return rows.pairs() if isinstance(rows, Lines) else [Pair(*row[:6], columns=row[6]) for row in rows]


def _score_rows(model: Model, parts: list[Sent]) -> list[Scored]:
    """Score parts in a worker, and return their files."""
    pairs = [_received(rows) for rows in parts]
    scored = _score_here(model, [Part(own[0].uid, own) for own in pairs])
    return [(table_bytes(table), shard) for table, shard in scored if isinstance(table, ScoreTable)]


def _score_here(model: Model, parts: list[Part]) -> list[Scored]:
    return [(table, shard) for _, table, shard in _score_parts(parts, model)]


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
    _refuse_broken(pairs, both, model=model.name)
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
        own, columns = _hashes(part.pairs)
        shard = Shard(own, "", len(part.pairs), unknown, unseen, columns)
        yield part, ScoreTable(frame.slice(row, rows)), shard
        row += rows


def _refuse_broken(pairs: Sequence[Pair], both: Sequence[TokenScores], *, model: str) -> None:
    """Refuse NaN and infinite log-probabilities, with the pair; only a user's own model can get this far with them."""
    if np.isfinite(np.concatenate([tokens.logprobs for tokens in both])).all():
        return
    row = next(row for row, tokens in enumerate(both) if not np.isfinite(tokens.logprobs).all())
    pair, side, values = pairs[row // 2], ("good", "bad")[row % 2], both[row].logprobs
    at = int(np.argmin(np.isfinite(values)))
    where = {"uid": pair.uid, "pair": pair.pair_id, "side": side, "sentence": both[row].sentence}
    raise fail("pair-not-finite", Place(), {"model": model, "value": f"{values[at]:g}", "number": at + 1, **where})
