"""Builds a corpus for training: text to a shuffled stream of token ids, in shards.

It is built aside and renamed at the end, so there is a whole corpus or none. Memory holds one file of the shuffle and a
batch of documents, whatever the size of the text; the disk holds the text once more while the corpus is built.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerBase

from bidui.errors import OutputRefused, Place, Problem, fail
from bidui.models.huggingface import tokenizer_hash
from bidui.pairs import Json, check_new_folder, write_file
from bidui.pairs.atomic import TEMPORARY
from bidui.pairs.manifest import tool_version
from bidui.scores.unigrams import Unigrams, write_unigrams
from bidui.train.documents import Seen, read_documents, source_files
from bidui.train.encoding import Stretch, bos_of, document_encoder
from bidui.train.shard_files import MOST_TOKENS, ShardWriter, file_hash
from bidui.train.shards import NAME, TOKENIZER, UNIGRAMS, Bos, Corpus, Part, PartName, read_corpus, to_json
from bidui.train.shuffling import gather, held_out, scatter
from bidui.train.tokenizers import tokenizer_files, vocabulary_size

SHUFFLE = "shuffle"  # the folder of scattered documents, gone when the corpus is whole
BATCH = 1 << 22  # characters of text that are encoded together
OnProgress = Callable[[str, int, int], None]  # what is being done, how much of it is done, and of how much


def build_corpus(
    source: Path,
    tokenizer: PreTrainedTokenizerBase,
    *,
    out: Path,
    bos: Bos = "line",
    validation: float = 0.005,
    seed: int = 0,
    field: str = "text",
    shard_tokens: int = MOST_TOKENS,
    on_progress: OnProgress = lambda what, done, of: None,
) -> Corpus:
    """The corpus of a file or folder of text, in `out`; if it is there already, nothing is done (`made` is false).

    Documents are deduplicated and shuffled by the seed; `validation` is the share of them that is held out.
    """
    asked: dict[str, Json] = {"bos": bos, "validation": validation, "seed": seed, "field": field}
    asked |= {"shard_tokens": shard_tokens, "tokenizer": tokenizer_hash(tokenizer)}
    if not 0 <= validation < 1:
        raise fail("validation-share", Place(), {"validation": validation})
    bos_id = bos_of(tokenizer, bos)
    sources = {name: file_hash(path) for name, path in source_files(source)[0].items()}
    there = _there(out, asked, sources)
    if there:
        return there
    vocabulary = vocabulary_size(tokenizer)
    with _aside(out) as folder:
        seen = _shuffle(source, folder / SHUFFLE, field=field, seed=seed, on_progress=on_progress)
        writers = [
            ShardWriter(folder, part, vocabulary, tokenizer_hash(tokenizer), shard_tokens)
            for part in get_args(PartName)
        ]
        encode = document_encoder(tokenizer, bos=bos)
        parts = [_Part(encode, writer, np.zeros(vocabulary, np.int64)) for writer in writers]
        _encode(folder / SHUFFLE, parts, share=validation, seen=seen, on_progress=on_progress)
        corpus = Corpus(
            folder=folder,
            tokenizer=tokenizer_hash(tokenizer),
            vocabulary=vocabulary,
            bos=bos,
            bos_id=bos_id,
            train=parts[0].finished(tokenizer.unk_token_id),
            validation=parts[1].finished(tokenizer.unk_token_id),
            asked=asked,
            sources=sources,
            seen=seen,
        )
        _write_beside(corpus, tokenizer, parts[0].counts)
    return replace(corpus, folder=out, made=True)


@contextmanager
def _aside(out: Path) -> Iterator[Path]:
    """A folder beside `out` that takes its place when all went well."""
    whole = out.resolve()
    folder = whole.with_name(f".{whole.name}{TEMPORARY}")
    try:
        shutil.rmtree(folder, ignore_errors=True)  # left by a build that was killed
        folder.mkdir(parents=True)
        yield folder
        if whole.is_dir():
            whole.rmdir()  # empty, or it would have been refused
        folder.rename(whole)
    except OSError as error:
        raise fail("write-failed", Place(str(out)), {"reason": error.strerror or str(error)}) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _there(out: Path, asked: Mapping[str, Json], sources: Mapping[str, str]) -> Corpus | None:
    """The corpus that is in `out` already, if it is the one that is asked for; anything else there is refused."""
    if not (out / NAME).is_file():
        check_new_folder(out)
        return None
    found = read_corpus(out)
    before = found.asked
    differing = [f"{name} ({before.get(name)}, now {asked[name]})" for name in asked if before.get(name) != asked[name]]
    differing += [name for name in sorted({*sources, *found.sources}) if sources.get(name) != found.sources.get(name)]
    if differing:
        raise OutputRefused(str(Problem("corpus-of-another", Place(str(out)), {"fields": differing})))
    return found


def _shuffle(source: Path, folder: Path, *, field: str, seed: int, on_progress: OnProgress) -> Seen:
    """All documents scattered over the files of a folder; what was seen of them."""
    seen = Seen()
    size = sum(path.stat().st_size for path in source_files(source)[0].values())
    documents = read_documents(
        source, field=field, seen=seen, on_bytes=lambda count: on_progress("reading", count, size)
    )
    scatter(documents, folder, seed=seed)
    if not seen.documents:
        values = {"broken": seen.broken_encodings + seen.broken_records, "empty": seen.empty}
        raise fail("source-no-text", Place(str(source)), values)
    return seen


@dataclass(slots=True)
class _Part:
    """One part of the corpus while it is written."""

    encode: Callable[[Sequence[str]], Stretch]
    writer: ShardWriter
    counts: NDArray[np.int64]
    documents: int = 0
    characters: int = 0
    waiting: list[str] = field(default_factory=list)
    size: int = 0  # of what is waiting

    def add(self, document: str) -> None:
        self.waiting.append(document)
        self.size += len(document)
        self.documents += 1
        if self.size >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Encode what is waiting."""
        found = self.encode(self.waiting)
        self.writer.write(found.ids)
        self.counts += np.bincount(found.ids, minlength=len(self.counts))
        self.characters += found.characters
        self.waiting, self.size = [], 0

    def finished(self, unknown: int | None) -> Part:
        shards = self.writer.finish()
        tokens = sum(shard.tokens for shard in shards)
        return Part(
            self.documents, self.characters, tokens, 0 if unknown is None else int(self.counts[unknown]), shards
        )


def _encode(shuffled: Path, parts: Sequence[_Part], *, share: float, seen: Seen, on_progress: OnProgress) -> None:
    """Every distinct document, in the shuffled order, to the end of its part; the scattered files are used up."""
    train, validation = parts
    done = 0
    for text, copies in gather(shuffled):
        (validation if held_out(text, share=share) else train).add(text.decode())
        seen.duplicates += copies - 1
        done += copies
        on_progress("encoding", done, seen.documents)
    for part in parts:
        part.flush()
    shuffled.rmdir()


def _write_beside(corpus: Corpus, tokenizer: PreTrainedTokenizerBase, counts: NDArray[np.int64]) -> None:
    """Unigrams, the tokenizer, and `corpus.json`."""
    if corpus.bos_id is not None:
        counts[corpus.bos_id] = 0  # it is no token of text; see `count_rows_unigrams`
    write_file(corpus.folder / UNIGRAMS, write_unigrams(Unigrams(counts, corpus.tokenizer)))
    for name, data in tokenizer_files(tokenizer).items():
        write_file(corpus.folder / TOKENIZER / name, data)
    versions = {"bidui": tool_version(), **{name: version(name) for name in ("tokenizers", "transformers")}}
    write_file(corpus.folder / NAME, to_json(corpus, versions=versions))
