"""Scoring runs: one file of token scores per paradigm, and a manifest; an interrupted run resumes."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from bidui.benchmarks import find_pairs
from bidui.errors import InputError, Place, fail
from bidui.files import (
    Manifest,
    check_new_folder,
    claim_folder,
    remove_temporaries,
    sha256,
    write_file,
    write_new_folder,
)
from bidui.models.model import Model, TokenScores
from bidui.models.specs import DEFAULT, load_model, parse_spec
from bidui.pairs import Pair, Pairs, uid_fits
from bidui.scores.choices import COLUMNS, PairTotals, file_of, pair_totals, published_lines
from bidui.scores.links import Link, as_link
from bidui.scores.table import (
    LengthUnit,
    ScoreManifest,
    Scores,
    ScoreTable,
    Shard,
    empty_table,
    manifest_in,
    read_manifest,
    read_scores,
    score_folders,
    score_table,
    stored_table,
    table_bytes,
    write_manifest,
)
from bidui.scores.unigrams import read_unigrams, take_unigrams

TOGETHER = 20_000  # sentences that are handed to a model at a time, in whole paradigms


def score(
    pairs: str | Path | Pairs | Sequence[Pair],
    model: str | Model = DEFAULT,
    *,
    out: str | Path | None = None,
    n: int = 300,
    seed: int = 0,
    device: str = "cpu",
    dtype: str = "float32",
    batch_tokens: int | None = None,
    bos: str | None = None,
    eos: bool = False,
    force: bool = False,
    on_start: Callable[[Model, Pairs], None] = lambda model, pairs: None,
    on_paradigm: Callable[[str, int], None] = lambda uid, count: None,
) -> Scores:
    """Score every sentence of pairs with a language model.

    `pairs` is a shipped benchmark or a project, of which `n` pairs per paradigm are generated with `seed`; a file or
    folder of pairs; or the pairs themselves. `model` is a spec (`hf:FOLDER`, see `bidui score --list-models`) or a
    loaded model; `device`, `dtype`, `batch_tokens`, `bos` and `eos` are for a spec. With `out`, the scores are stored
    in the folder of the model's name in `out`: paradigms already scored are skipped, so an interrupted run resumes,
    and scores made with different settings are overwritten only with `force`.
    """
    source = find_pairs(pairs, n=n, seed=seed)
    cache = None if out is None else Path(out) / "api"
    if isinstance(model, str):
        options = {"device": device, "dtype": dtype, "batch_tokens": batch_tokens, "bos": bos, "eos": eos}
        loaded = load_model(model, cache=cache, **options)  # type: ignore[arg-type]
    else:
        loaded = model
    on_start(loaded, source)
    if out is None:
        return _score_in_memory(source, loaded, on_paradigm)
    folder = Path(out) / loaded.name
    scores = run_scoring(source, loaded, out=folder, force=force, on_paradigm=on_paradigm)
    if not isinstance(model, str):
        return scores
    try:
        copied = take_unigrams(
            Path(parse_spec(model).name), tokenizer=str(scores.declared.get("tokenizer", "")), scores=folder
        )
    except InputError as error:  # the scores are good without them
        return replace(scores, problems=error.problems)
    return replace(scores, unigrams=copied)


def _score_in_memory(pairs: Pairs, model: Model, on_paradigm: Callable[[str, int], None]) -> Scores:
    tables, shards = [], {}
    for group in _groups(pairs.by_uid().values()):
        for uid, table, shard in _score_group(group, model):
            tables.append(table.frame)
            shards[uid] = shard
            on_paradigm(uid, shard.count)
    table = ScoreTable(pl.concat(tables)) if tables else empty_table()
    return Scores(ScoreManifest(model.name, dict(model.declared), shards), done=tuple(shards), in_memory=table)


def run_scoring(
    pairs: Pairs,
    model: Model,
    *,
    out: Path,
    force: bool = False,
    on_paradigm: Callable[[str, int], None] = lambda uid, count: None,
) -> Scores:
    """Write scores to `out`, one file per paradigm; files that are there already and whole are kept."""
    before = manifest_in(out)
    new = Manifest(dict(model.declared))
    if before and not force:
        claim_folder(out, before.manifest, new, "scores-of-another")
    shards = dict(before.shards) if before and not before.manifest.differences(new) else {}
    by_uid = pairs.by_uid()
    unfit = next((uid for uid in by_uid if not uid_fits(uid)), None)
    if unfit is not None:
        raise fail("uid-unfit", Place(), {"uid": repr(unfit)})
    remove_temporaries(out)
    kept, repaired, waiting = [], [], []
    for uid, paradigm in by_uid.items():
        fits = uid in shards and shards[uid].pairs == pairs_hash(paradigm)
        if before and fits and before.manifest.state(out, f"{uid}.parquet") == "whole":
            kept.append(uid)
            on_paradigm(uid, len(paradigm))
        else:
            waiting.append(paradigm)
            repaired += [uid] if fits else []
    shards = {uid: shard for uid, shard in shards.items() if uid in kept}
    done = []
    for group in _groups(waiting):
        for uid, table, shard in _score_group(group, model):
            data = table_bytes(table)
            write_file(out / f"{uid}.parquet", data)
            shards[uid] = replace(shard, file=sha256(data))
            done.append(uid)
            on_paradigm(uid, shard.count)
        write_manifest(out, ScoreManifest(model.name, dict(model.declared), shards))
    manifest = ScoreManifest(model.name, dict(model.declared), shards)
    write_manifest(out, manifest)
    return Scores(manifest, out, tuple(done), tuple(kept), tuple(repaired))


def read_totals(
    folder: Path, *, unigrams: Path | None = None, smoothing: float = 1.0
) -> tuple[ScoreManifest, PairTotals]:
    """Read the totals of one model's pairs without the tokens, a fifth of the work; with U if unigrams are given."""
    manifest = read_manifest(folder)
    if unigrams is None:
        return manifest, pair_totals(stored_table(folder, manifest, list(COLUMNS)))
    counts = read_unigrams(unigrams, tokenizer=str(manifest.declared.get("tokenizer", "")))
    table = stored_table(folder, manifest, [*COLUMNS, "ids"])
    return manifest, pair_totals(table, unigrams=counts.logprobs(smoothing=smoothing))


def export_scores(
    results: str | Path,
    *,
    out: str | Path,
    link: str | Link = "lp",
    unit: LengthUnit = "tokens",
    unigrams: Path | None = None,
    smoothing: float = 1.0,
) -> int:
    """Write stored scores as others publish them, one JSONL file per model, to a new folder; return their number."""
    results, function = Path(results), as_link(link)
    check_new_folder(Path(out))

    def files() -> Iterator[tuple[str, bytes]]:
        for folder in score_folders(results):
            scores, counts = read_scores(folder), None
            if unigrams is not None:
                tokenizer = str(scores.declared.get("tokenizer", ""))
                counts = read_unigrams(unigrams, tokenizer=tokenizer).logprobs(smoothing=smoothing)
            yield file_of(folder, results=results), published_lines(scores.table, function, unit=unit, unigrams=counts)

    return write_new_folder(Path(out), files())


def pairs_hash(pairs: Sequence[Pair]) -> str:
    """Return a hash of the sentences, sides and numbers of a paradigm's pairs."""
    lines = (f"{pair.uid}\t{pair.phenomenon}\t{pair.pair_id}\t{pair.good}\t{pair.bad}\n" for pair in pairs)
    return sha256("".join(lines).encode())


def _groups(paradigms: Iterable[tuple[Pair, ...]]) -> Iterator[list[tuple[Pair, ...]]]:
    group: list[tuple[Pair, ...]] = []
    for paradigm in paradigms:
        group.append(paradigm)
        if sum(2 * len(pairs) for pairs in group) >= TOGETHER:
            yield group
            group = []
    if group:
        yield group


def _score_group(group: Sequence[tuple[Pair, ...]], model: Model) -> Iterator[tuple[str, ScoreTable, Shard]]:
    """Yield the uid of each of some paradigms, its table, and what the manifest says of it, but for its file."""
    sentences = list(dict.fromkeys(side for paradigm in group for pair in paradigm for side in (pair.good, pair.bad)))
    scores = dict(zip(sentences, model.score(sentences), strict=True))
    for sentence, tokens in scores.items():
        if not len(tokens):
            raise fail("nothing-scored", Place(), {"sentence": sentence, "model": model.name})
    ids = np.unique(np.concatenate([tokens.ids for tokens in scores.values()])) if scores else np.zeros(0, np.int32)
    texts = model.token_texts(ids.tolist())
    for paradigm in group:
        both: list[TokenScores] = [scores[side] for pair in paradigm for side in (pair.good, pair.bad)]
        unknown = sum(int(model.unknown(tokens.ids).sum()) for tokens in both)
        seen = [np.where(model.unknown(tokens.ids), -1, tokens.ids) for tokens in both]  # unknown words look the same
        unseen = sum(np.array_equal(good, bad) for good, bad in zip(seen[::2], seen[1::2], strict=True))
        shard = Shard(pairs_hash(paradigm), "", len(paradigm), unknown, unseen)
        yield paradigm[0].uid, score_table(paradigm, both, texts), shard
