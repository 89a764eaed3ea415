"""Scoring runs: one file of token scores a paradigm, and a manifest; killed and started again, they finish the rest."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from bidui.errors import Place, fail
from bidui.files import Manifest, claim_folder, remove_temporaries, sha256, write_file, write_json
from bidui.models.model import Model, TokenScores
from bidui.pairs import Pair, Pairs, uid_fits
from bidui.scores.choices import COLUMNS, PairTotals, pair_totals
from bidui.scores.table import SCHEMA, ScoreTable, read_table, score_table, table_bytes
from bidui.scores.unigrams import read_unigrams

TOGETHER = 20_000  # sentences that are handed to a model at a time, in whole paradigms
Declared = dict[str, str | int | bool | None]
Facts = tuple[int, int]  # unknown tokens, pairs whose sides are the same to the model


@dataclass(frozen=True, slots=True)
class Shard:
    """One paradigm's scores: the pairs they belong to and the file that holds them, both by hash."""

    pairs: str
    file: str
    count: int
    unknown: int = 0  # tokens the model does not know
    unseen: int = 0  # pairs whose two sides are the same to the model


@dataclass(frozen=True, slots=True)
class ScoreManifest:
    """What a folder of scores is of."""

    model: str
    declared: Declared
    shards: dict[str, Shard] = field(default_factory=dict)

    @property
    def manifest(self) -> Manifest:
        """What two runs are compared by; pairs are compared paradigm by paradigm."""
        return Manifest(self.declared, files={f"{uid}.parquet": shard.file for uid, shard in self.shards.items()})


@dataclass(frozen=True, slots=True)
class Scored:
    """What a run did: which paradigms it scored, which were there already, which files it had to make anew."""

    folder: Path
    manifest: ScoreManifest
    done: tuple[str, ...]
    kept: tuple[str, ...]
    repaired: tuple[str, ...]


def score_pairs(pairs: Pairs, model: Model) -> ScoreTable:
    """The token scores of pairs, in memory."""
    tables = [_table(group, model)[0] for group in _groups(list(pairs.by_uid().values()))]
    frames = [table.frame for several in tables for table in several.values()]
    return ScoreTable(pl.concat(frames)) if frames else ScoreTable(score_table((), (), {}).frame)


def run_scoring(
    pairs: Pairs,
    model: Model,
    *,
    out: Path,
    force: bool = False,
    on_paradigm: Callable[[str, int], None] = lambda uid, count: None,
) -> Scored:
    """Scores in `out`, a file a paradigm; what is there already and whole is kept."""
    before = _manifest_in(out)
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
    for uid, own in by_uid.items():
        fits = uid in shards and shards[uid].pairs == pairs_hash(own)
        if before and fits and before.manifest.state(out, f"{uid}.parquet") == "whole":
            kept.append(uid)
            on_paradigm(uid, len(own))
        else:
            waiting.append(own)
            repaired += [uid] if fits else []
    shards = {uid: shard for uid, shard in shards.items() if uid in kept}
    done = []
    for group in _groups(waiting):
        tables, facts = _table(group, model)
        for own in group:
            uid = own[0].uid
            data = table_bytes(tables[uid])
            write_file(out / f"{uid}.parquet", data)
            shards[uid] = Shard(pairs_hash(own), sha256(data), len(own), *facts[uid])
            done.append(uid)
            on_paradigm(uid, len(own))
        _write_manifest(out, ScoreManifest(model.name, dict(model.declared), shards))
    manifest = ScoreManifest(model.name, dict(model.declared), shards)
    _write_manifest(out, manifest)
    return Scored(out, manifest, tuple(done), tuple(kept), tuple(repaired))


def read_scores(folder: Path) -> tuple[ScoreManifest, ScoreTable]:
    """All scores of one model; a file that is not what the manifest says is an error."""
    manifest = read_manifest(folder)
    return manifest, _stored(folder, manifest, list(SCHEMA))


def read_totals(
    folder: Path, *, unigrams: Path | None = None, smoothing: float = 1.0
) -> tuple[ScoreManifest, PairTotals]:
    """The totals of one model's pairs, without the tokens: a fifth of the work; with U, where a file of unigrams is."""
    manifest = read_manifest(folder)
    if unigrams is None:
        return manifest, pair_totals(_stored(folder, manifest, list(COLUMNS)))
    known = read_unigrams(unigrams, tokenizer=str(manifest.declared.get("tokenizer", "")))
    table = _stored(folder, manifest, [*COLUMNS, "ids"])
    return manifest, pair_totals(table, unigrams=known.logprobs(smoothing=smoothing))


def read_manifest(folder: Path) -> ScoreManifest:
    """What the scores in a folder are of."""
    manifest = _manifest_in(folder)
    if manifest is None:
        raise fail("no-scores", Place(str(folder)), {})
    return manifest


def _stored(folder: Path, manifest: ScoreManifest, columns: list[str]) -> ScoreTable:
    """Some columns of all files. Every byte is checked, which takes far less time than the columns."""
    files = [folder / f"{uid}.parquet" for uid in manifest.shards]
    found = []
    for file, shard in zip(files, manifest.shards.values(), strict=True):
        data = file.read_bytes() if file.is_file() else b""
        if sha256(data) != shard.file:
            raise fail("scores-broken", Place(str(file)), {})
        found.append(data)
    if not found:
        return ScoreTable(score_table((), (), {}).frame.select(columns))
    try:
        return ScoreTable(pl.scan_parquet(found).select(columns).collect())  # all at once, in parallel
    except pl.exceptions.PolarsError:  # one at a time, so that the error names the file
        return ScoreTable(pl.concat([read_table(file).frame.select(columns) for file in files]))


def score_folders(results: Path) -> list[Path]:
    """The folders of scores in a folder of results: itself, or those below it."""
    found = sorted(path.parent for path in results.rglob("scores.json"))
    if not found:
        raise fail("no-scores", Place(str(results)), {})
    return found


def pairs_hash(pairs: Sequence[Pair]) -> str:
    """A hash of the sentences, sides and numbers of a paradigm's pairs."""
    lines = (f"{pair.uid}\t{pair.phenomenon}\t{pair.pair_id}\t{pair.good}\t{pair.bad}\n" for pair in pairs)
    return sha256("".join(lines).encode())


def _groups(paradigms: Sequence[tuple[Pair, ...]]) -> Iterator[list[tuple[Pair, ...]]]:
    group: list[tuple[Pair, ...]] = []
    for own in paradigms:
        group.append(own)
        if sum(2 * len(pairs) for pairs in group) >= TOGETHER:
            yield group
            group = []
    if group:
        yield group


def _table(group: Sequence[tuple[Pair, ...]], model: Model) -> tuple[dict[str, ScoreTable], dict[str, Facts]]:
    """The tables of some paradigms, and of each how many tokens are unknown, how many pairs look the same."""
    sentences = list(dict.fromkeys(side for own in group for pair in own for side in (pair.good, pair.bad)))
    scores = dict(zip(sentences, model.score(sentences), strict=True))
    for sentence, score in scores.items():
        if not len(score):
            raise fail("nothing-scored", Place(), {"sentence": sentence, "model": model.name})
    ids = np.unique(np.concatenate([score.ids for score in scores.values()])) if scores else np.zeros(0, np.int32)
    texts = model.token_texts(ids.tolist())
    tables, facts = {}, {}
    for own in group:
        both: list[TokenScores] = [scores[side] for pair in own for side in (pair.good, pair.bad)]
        unknown = sum(int(model.unknown(score.ids).sum()) for score in both)
        seen = [np.where(model.unknown(score.ids), -1, score.ids) for score in both]  # unknown words look the same
        unseen = sum(np.array_equal(good, bad) for good, bad in zip(seen[::2], seen[1::2], strict=True))
        tables[own[0].uid] = score_table(own, both, texts)
        facts[own[0].uid] = (unknown, unseen)
    return tables, facts


def _manifest_in(folder: Path) -> ScoreManifest | None:
    file = folder / "scores.json"
    if not file.is_file():
        return None
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
        shards = {uid: Shard(**shard) for uid, shard in found["shards"].items()}
        return ScoreManifest(found["model"], found["declared"], shards)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise fail("scores-manifest", Place(str(file)), {"reason": str(error)}) from error


def _write_manifest(folder: Path, manifest: ScoreManifest) -> None:
    names = Shard.__slots__
    shards = {uid: {name: getattr(shard, name) for name in names} for uid, shard in sorted(manifest.shards.items())}
    found = {"model": manifest.model, "declared": manifest.declared, "shards": shards}
    write_json(folder / "scores.json", found)
