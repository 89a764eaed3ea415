"""Shard files: token ids as little-endian whole numbers after a header that says what they are.

The header has 64 bytes: `BIDUITOK`, the version of the format (4 bytes), the bytes of a token (4; 2 or 4), how many
tokens there are (8), the size of the vocabulary (8), and the hash of the tokenizer's vocabulary (32).
"""

import hashlib
import json
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from struct import Struct
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import BertGenerationTokenizer, PreTrainedTokenizerBase

from bidui.errors import Place, fail
from bidui.files import (
    Json,
    Manifest,
    claim_folder,
    file_hash,
    new_folder,
    remove_temporaries,
    tool_version,
    write_file,
)
from bidui.models.conventions import decide
from bidui.models.huggingface import tokenizer_hash
from bidui.models.lstm import encode_words
from bidui.models.tokenize import character_table, declared_kind, encode_characters, special_tokens
from bidui.scores.unigrams import Unigrams, write_unigrams
from bidui.training.documents import Seen, read_documents, source_files
from bidui.training.tokenizers import tokenizer_files, vocabulary_size

Tokens: TypeAlias = NDArray[np.unsignedinteger[Any]]

MAGIC = b"BIDUITOK"
VERSION = 1
HEADER = struct.Struct("<8sIIQQ32s")
MOST_TOKENS = 1 << 26  # in a shard: 128 MiB of two bytes each


@dataclass(frozen=True, slots=True)
class Shard:
    """One file: its name, how many tokens it has, and the hash of its bytes."""

    file: str
    tokens: int
    sha256: str


def token_type(vocabulary: int) -> "np.dtype[np.unsignedinteger[Any]]":
    """Two bytes a token where all ids fit into them, else four."""
    return np.dtype("<u2") if vocabulary <= 1 << 16 else np.dtype("<u4")


@dataclass(slots=True)
class ShardWriter:
    """Writes one part of a stream, `train` or `validation`, into as many shards as it needs; at least one."""

    folder: Path
    part: str
    vocabulary: int
    tokenizer: str  # the hash of its vocabulary
    most: int = MOST_TOKENS
    shards: list[Shard] = field(default_factory=list)
    count: int = 0  # of tokens in the shard that is not full yet

    def write(self, ids: Tokens) -> None:
        """Put tokens at the end of the stream."""
        while len(ids):
            if self.count == self.most:
                self._end_shard()
            taken = ids[: self.most - self.count]
            with self._path().open("ab") as file:
                if not self.count:
                    file.write(self._header())  # again at the end, when the count is known
                file.write(taken.astype(token_type(self.vocabulary)).tobytes())
            self.count += len(taken)
            ids = ids[len(taken) :]

    def finish(self) -> tuple[Shard, ...]:
        """All shards, down on the disk."""
        if self.count or not self.shards:
            self._end_shard()
        return tuple(self.shards)

    def _end_shard(self) -> None:
        path = self._path()
        with path.open("r+b" if self.count else "xb") as file:
            file.write(self._header())
            file.flush()
            os.fsync(file.fileno())
        self.shards.append(Shard(path.name, self.count, file_hash(path)))
        self.count = 0

    def _path(self) -> Path:
        return self.folder / f"{self.part}-{len(self.shards):05}.bin"

    def _header(self) -> bytes:
        width = token_type(self.vocabulary).itemsize
        return HEADER.pack(MAGIC, VERSION, width, self.count, self.vocabulary, bytes.fromhex(self.tokenizer))


def open_shard(path: Path, *, tokens: int, vocabulary: int, tokenizer: str) -> Tokens:
    """The tokens of a shard, mapped into memory; a header that says anything else than expected is an error."""
    kind = token_type(vocabulary)
    try:
        with path.open("rb") as file:
            header = file.read(HEADER.size)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise fail("read-failed", Place(str(path)), {"reason": error.strerror or str(error)}) from error
    if len(header) < HEADER.size or header[: len(MAGIC)] != MAGIC:
        raise fail("shard-no-header", Place(str(path)), {})
    _, version, width, count, entries, found = HEADER.unpack(header)
    if version != VERSION:
        raise fail("shard-version", Place(str(path)), {"version": version, "known": VERSION})
    if found.hex() != tokenizer:
        raise fail("shard-tokenizer", Place(str(path)), {"own": found.hex()[:12], "wanted": tokenizer[:12]})
    if (width, count, entries) != (kind.itemsize, tokens, vocabulary) or size != HEADER.size + count * width:
        raise fail("shard-size", Place(str(path)), {"tokens": tokens, "size": size})
    if not count:
        return np.zeros(0, kind)
    mapped: Tokens = np.memmap(path, kind, "r", HEADER.size, (count,))
    return mapped


# A corpus made ready for training: shards of token ids, and what `corpus.json` beside them says.
#
# `bidui.training.corpus` makes it from text. The stream of tokens is fixed, so its first 10M tokens are those of any
# larger number taken from it.

Bos = Literal["row", "line", "document", "none"]
PartName = Literal["train", "validation"]
FORMAT = 1
NAME = "corpus.json"
UNIGRAMS = "unigrams.json"
TOKENIZER = "tokenizer"  # the folder of the tokenizer, so that training needs nothing else


@dataclass(frozen=True, slots=True)
class Part:
    """The training text or the validation text."""

    documents: int
    characters: int  # that the tokens spell: line ends count only where the rule for BOS keeps them
    tokens: int
    unknown: int  # tokens that stand for characters the tokenizer does not know
    shards: tuple[Shard, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of shards, and everything that is known of it without opening them."""

    folder: Path
    tokenizer: str  # the hash of its vocabulary
    vocabulary: int
    bos: Bos
    bos_id: int | None  # what stands at the start of rows, lines or documents; none with `none`
    train: Part
    validation: Part
    asked: Mapping[str, Any]  # the options it was built with
    sources: Mapping[str, str]  # the files it was built from, by hash
    seen: Seen
    made: bool = field(default=False, compare=False)  # by this call; else it was there

    @property
    def tokens(self) -> int:
        """Tokens of the training stream, before it is cut into rows."""
        return self.train.tokens

    @property
    def validation_tokens(self) -> int:
        return self.validation.tokens

    @property
    def characters(self) -> int:
        return self.train.characters

    @property
    def validation_characters(self) -> int:
        return self.validation.characters

    @property
    def hash(self) -> str:
        """A hash of all that training depends on: the tokens in their order, whose they are, and the rule for BOS."""
        shards = {name: [shard.sha256 for shard in part.shards] for name, part in self.parts.items()}
        matters = {"tokenizer": self.tokenizer, "bos": self.bos, "bos_id": self.bos_id, "shards": shards}
        return hashlib.sha256(json.dumps(matters, sort_keys=True).encode()).hexdigest()

    @property
    def parts(self) -> dict[PartName, Part]:
        return {"train": self.train, "validation": self.validation}


def read_corpus(folder: Path) -> Corpus:
    """The corpus in a folder; headers and sizes of all shards are checked, their contents by `verify_corpus`."""
    file = folder / NAME
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise fail("corpus-missing", Place(str(folder)), {}) from None
    except (OSError, ValueError) as error:
        raise fail("corpus-broken", Place(str(file)), {"reason": str(error)}) from error
    corpus = _from_json(text, folder=folder)
    for part in corpus.parts.values():
        for shard in part.shards:
            _opened(corpus, shard)
    return corpus


def verify_corpus(corpus: Corpus, *, tokens: int | None = None) -> None:
    """Read every shard and compare its hash; the first that was changed is named.

    With `tokens`, of the training text only the shards that hold the first so many.
    """
    for name, part in corpus.parts.items():
        before = 0
        for shard in part.shards:
            if name == "train" and tokens is not None and before >= tokens:
                break
            if file_hash(corpus.folder / shard.file) != shard.sha256:
                raise fail("shard-corrupt", Place(str(corpus.folder / shard.file)), {})
            before += shard.tokens


def rows(corpus: Corpus, *, tokens: int | None = None, context: int = 64, part: PartName = "train") -> Tokens:
    """The first `tokens` tokens of a part, all unless given, as rows of `context`; what fills no row is dropped.

    With the rule `row` each row is BOS and `context` - 1 tokens of the stream, and counts as `context` tokens. Where
    one shard has enough and rows are as they stand there, nothing is read before it is used.
    """
    count = _row_count(corpus, tokens, context, part)
    body = context - 1 if corpus.bos == "row" else context
    stream = _stream(corpus, count * body, part).reshape(count, body)
    if corpus.bos != "row" or corpus.bos_id is None:
        return stream
    found = np.empty((count, context), stream.dtype)
    found[:, 0] = corpus.bos_id
    found[:, 1:] = stream
    return found


def dropped_tokens(corpus: Corpus, *, tokens: int | None = None, context: int = 64, part: PartName = "train") -> int:
    """How many of the tokens asked for `rows` leaves out, since they fill no row."""
    count = _row_count(corpus, tokens, context, part)
    if tokens is not None:
        return tokens - count * context
    return corpus.parts[part].tokens - count * (context - 1 if corpus.bos == "row" else context)


def count_rows_unigrams(rows: Tokens, *, vocabulary: int, tokenizer_hash: str, leave_out: int | None) -> Unigrams:
    """How often each token occurs in rows, for the unigrams of exactly the text that a model was trained on.

    `leave_out` is the id of BOS: SLOR divides by the probability of a token among tokens of text, and BOS is never
    one that is scored.
    """
    counts = np.zeros(vocabulary, np.int64)
    for start in range(0, len(rows), 1 << 18):
        counts += np.bincount(rows[start : start + (1 << 18)].ravel(), minlength=vocabulary)
    if leave_out is not None:
        counts[leave_out] = 0
    return Unigrams(counts, tokenizer_hash)


def to_json(corpus: Corpus, *, versions: Mapping[str, str]) -> bytes:
    """What `corpus.json` says, without time, host or absolute path."""
    value = {
        "format": FORMAT,
        "tokenizer": corpus.tokenizer,
        "vocabulary": corpus.vocabulary,
        "bos": corpus.bos,
        "bos_id": corpus.bos_id,
        "train": asdict(corpus.train),
        "validation": asdict(corpus.validation),
        "hash": corpus.hash,
        "asked": dict(corpus.asked),
        "sources": dict(corpus.sources),
        "seen": asdict(corpus.seen),
        "versions": dict(versions),
    }
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _from_json(text: str, *, folder: Path) -> Corpus:
    place = Place(str(folder / NAME))
    try:
        value = json.loads(text)
        if value["format"] != FORMAT:
            raise fail("corpus-format", place, {"format": value["format"], "known": FORMAT})
        corpus = Corpus(
            folder=folder,
            tokenizer=value["tokenizer"],
            vocabulary=value["vocabulary"],
            bos=value["bos"],
            bos_id=value["bos_id"],
            train=_part(value["train"]),
            validation=_part(value["validation"]),
            asked=dict(value["asked"]),
            sources=dict(value["sources"]),
            seen=Seen(**value["seen"]),
        )
        if corpus.bos not in get_args(Bos) or value["hash"] != corpus.hash:
            raise ValueError("its fields do not fit together")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise fail("corpus-broken", place, {"reason": f"{type(error).__name__}: {error}"}) from error
    return corpus


def _part(value: dict[str, Any]) -> Part:
    shards = tuple(Shard(**shard) for shard in value["shards"])
    return Part(**{**value, "shards": shards})


def _opened(corpus: Corpus, shard: Shard) -> Tokens:
    path = corpus.folder / shard.file
    return open_shard(path, tokens=shard.tokens, vocabulary=corpus.vocabulary, tokenizer=corpus.tokenizer)


def _row_count(corpus: Corpus, tokens: int | None, context: int, part: PartName) -> int:
    body = context - 1 if corpus.bos == "row" else context
    if body < 1:
        raise fail("context-too-small", Place(str(corpus.folder)), {"context": context})
    there = corpus.parts[part].tokens // body
    wanted = there if tokens is None else tokens // context
    if tokens is not None and (wanted > there or (corpus.bos != "row" and tokens > corpus.parts[part].tokens)):
        most = there * context if corpus.bos == "row" else corpus.parts[part].tokens
        raise fail("corpus-too-small", Place(str(corpus.folder)), {"asked": tokens, "there": most, "part": part})
    return wanted


def _stream(corpus: Corpus, count: int, part: PartName) -> Tokens:
    """The first `count` tokens of a part; a view of the first shard if they are all in it."""
    pieces: list[Tokens] = []
    for shard in corpus.parts[part].shards:
        pieces.append(_opened(corpus, shard)[: count - sum(map(len, pieces))])
        if sum(map(len, pieces)) == count:
            break
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


# A shuffle of documents that depends on nothing but the documents and the seed, in bounded memory.
#
# Every document gets a key, a hash of its text and the seed, and the order of keys is the order of documents. They
# are scattered over files by the beginnings of their keys; then one file at a time is sorted. Equal documents have
# equal keys, so duplicates meet in one file and are dropped there, and no hash need be remembered.

BUCKETS = 128  # a power of 2; 12 GB of text make files of some 100 MB, and systems allow 256 open files at least
RECORD = Struct("<16sQ")  # the key, and the bytes of the text after it


def scatter(documents: Iterable[str], folder: Path, *, seed: int) -> None:
    """Write documents into the files of a new folder."""
    folder.mkdir()
    with ExitStack() as stack:
        files = [stack.enter_context((folder / f"{n:03}").open("xb")) for n in range(BUCKETS)]
        for document in documents:
            text = document.encode()
            key = blake2b(text, digest_size=16, key=str(seed).encode()).digest()
            files[key[0] * BUCKETS // 256].write(RECORD.pack(key, len(text)) + text)


def gather(folder: Path) -> Iterator[tuple[bytes, int]]:
    """The text of every distinct document in the shuffled order, and how often it was scattered."""
    for bucket in sorted(folder.iterdir()):
        data = bucket.read_bytes()
        bucket.unlink()  # the disk need not hold both the text and all tokens
        found: dict[bytes, tuple[int, int, int]] = {}  # by key: start, end, copies
        at = 0
        while at < len(data):
            key, length = RECORD.unpack_from(data, at)
            at += RECORD.size
            found[key] = (at, at + length, found[key][2] + 1 if key in found else 1)
            at += length
        for _, (start, end, copies) in sorted(found.items()):
            yield data[start:end], copies


def held_out(text: bytes, *, share: float) -> bool:
    """Whether a document is for validation: by its own hash, so that neither seed nor other documents change it."""
    place = int.from_bytes(blake2b(text, digest_size=8, person=b"validation").digest(), "big")
    return place < share * 2**64


# Documents to token ids, with BOS where the rule puts it.
#
# line every line alone, BOS before it, nothing at its end document BOS before every document, its lines joined by a
# newline row no BOS in the stream, every document ended by a newline; readers put BOS at the start of every row none
# as `row`, and readers put none

Ids = NDArray[np.uint32]
Encode = Callable[[Sequence[str]], tuple[Ids, NDArray[np.int64]]]  # the ids of all texts, and how many each has


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the stream, and how many characters of text it spells."""

    ids: Ids
    characters: int


def bos_of(tokenizer: PreTrainedTokenizerBase, bos: Bos) -> int | None:
    """The id that the rule puts before rows, lines or documents: BOS, or EOS where there is none, as in scoring."""
    if bos == "none":
        return None
    found = decide(special_tokens(tokenizer)).bos
    if found is None:
        raise fail("corpus-no-bos", Place(), {"bos": bos})
    return found


def document_encoder(tokenizer: PreTrainedTokenizerBase, *, bos: Bos) -> Callable[[Sequence[str]], Stretch]:
    """A function from documents to their stretch of the stream."""
    bos_id = bos_of(tokenizer, bos)
    encode = text_encoder(tokenizer)

    def stretch(documents: Sequence[str]) -> Stretch:
        if bos == "line":
            texts = [line for document in documents for line in document.split("\n")]
        else:
            texts = list(documents) if bos == "document" else [f"{document}\n" for document in documents]
        ids, lengths = encode(texts)
        if bos in ("line", "document") and bos_id is not None:
            ids = np.insert(ids, np.cumsum(lengths) - lengths, bos_id)
        return Stretch(ids, sum(map(len, texts)))

    return stretch


def text_encoder(tokenizer: PreTrainedTokenizerBase) -> Encode:
    """The quickest way to the tokenizer's own ids; `<s>` in a text is text, not BOS."""
    if declared_kind(tokenizer) == "char":
        table = character_table(tokenizer)
        return lambda texts: encode_characters(table, texts)
    if declared_kind(tokenizer) == "jieba":
        return _by_word(tokenizer)
    if isinstance(tokenizer, BertGenerationTokenizer):
        return lambda texts: _joined(tokenizer.sp_model.encode(list(texts)))
    if not tokenizer.is_fast:
        plain = {"add_special_tokens": False, "split_special_tokens": True}
        return lambda texts: _joined([tokenizer.encode(text, **plain) for text in texts])
    inner = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())  # a copy, since the settings change it
    inner.no_truncation()
    inner.no_padding()
    inner.encode_special_tokens = True

    def encode(texts: Sequence[str]) -> tuple[Ids, NDArray[np.int64]]:
        return _joined([found.ids for found in inner.encode_batch_fast(list(texts), add_special_tokens=False)])

    return encode


def _by_word(tokenizer: PreTrainedTokenizerBase) -> Encode:
    """The words of every line, divided as those who score divide a sentence, and newlines between lines."""
    newline = tokenizer.get_vocab()["\n"]

    def encode(texts: Sequence[str]) -> tuple[Ids, NDArray[np.int64]]:
        lines = [text.split("\n") for text in texts]
        words = iter(encode_words(tokenizer, [line for text in lines for line in text]))
        found = []
        for text in lines:
            ids = list(chain.from_iterable((newline, *next(words).ids) for _ in text))
            found.append(ids[1:])  # newlines stand between lines only
        return _joined(found)

    return encode


def _joined(texts: Sequence[Sequence[int]]) -> tuple[Ids, NDArray[np.int64]]:
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return np.fromiter(chain.from_iterable(texts), np.uint32, int(lengths.sum())), lengths


# Builds a corpus for training: text to a shuffled stream of token ids, in shards.
#
# It is built aside and renamed at the end, so there is a whole corpus or none. Memory holds one file of the shuffle
# and a batch of documents, whatever the size of the text; the disk holds the text once more while the corpus is
# built.

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
    remove_temporaries(out.resolve().parent, name=out.resolve().name)  # left by a build that was killed
    with new_folder(out) as folder:
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


def _there(out: Path, asked: Mapping[str, Json], sources: Mapping[str, str]) -> Corpus | None:
    """The corpus that is in `out` already, if it is the one that is asked for; anything else there is refused."""
    corpus = read_corpus(out) if (out / NAME).is_file() else None
    before = Manifest(corpus.asked, corpus.sources) if corpus else None
    claim_folder(out, before, Manifest(asked, sources), "corpus-of-another")
    return corpus


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
