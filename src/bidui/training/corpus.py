"""A corpus that is ready for training: shards of token ids, and `corpus.json` beside them; `build` makes it from text.

The stream of tokens is fixed, so its first 10M tokens are the beginning of any larger number taken from it. A shard is
a header of 64 bytes and then the ids as little-endian whole numbers. The header has `BIDUITOK`, the version of the
format (4 bytes), the bytes per token (4; 2 or 4), the number of tokens (8), the size of the vocabulary (8), and the
hash of the tokenizer's vocabulary (32).
"""

import json
import os
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.files import encode, file_hash, reason, sha256
from bidui.scores.unigrams import UNIGRAMS, Unigrams, read_unigrams
from bidui.training.documents import SourceCounts

Bos = Literal["row", "line", "document", "none"]
PartName = Literal["train", "validation"]
Tokens: TypeAlias = NDArray[np.unsignedinteger[Any]]

FORMAT = 1
NAME = "corpus.json"
TOKENIZER = "tokenizer"  # the folder of the tokenizer, so that training needs nothing else
MAGIC = b"BIDUITOK"
VERSION = 1
HEADER = struct.Struct("<8sIIQQ32s")


@dataclass(frozen=True, slots=True)
class Shard:
    """One file: its name, its number of tokens, and the hash of its bytes."""

    file: str
    tokens: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Part:
    """The training text or the validation text."""

    documents: int
    characters: int  # that the tokens spell: line ends count only if the rule for BOS keeps them
    tokens: int
    unknown: int  # tokens for characters that the tokenizer does not know
    shards: tuple[Shard, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of shards, and everything that is known about it without opening them."""

    folder: Path
    tokenizer: str  # the hash of its vocabulary
    vocabulary: int
    bos: Bos
    bos_id: int | None  # the token at the start of rows, lines or documents; None for the rule `none`
    train: Part
    validation: Part
    asked: Mapping[str, Any]  # the settings it was built with
    sources: Mapping[str, str]  # the files it was built from, by hash
    seen: SourceCounts
    made: bool = field(default=False, compare=False)  # by this call; False if it was there

    @property
    def tokens(self) -> int:
        """The tokens of the training stream, before it is cut into rows."""
        return self.train.tokens

    @property
    def parts(self) -> dict[PartName, Part]:
        """Both parts, by name."""
        return {"train": self.train, "validation": self.validation}

    @property
    def hash(self) -> str:
        """A hash of all that training depends on: the tokens in their order, the tokenizer, and the rule for BOS."""
        shards = {name: [shard.sha256 for shard in part.shards] for name, part in self.parts.items()}
        matters = {"tokenizer": self.tokenizer, "bos": self.bos, "bos_id": self.bos_id, "shards": shards}
        return sha256(json.dumps(matters, sort_keys=True).encode())


def read_corpus(folder: str | Path, *, verify: bool = False) -> Corpus:
    """Read the corpus in a folder; all counts, headers and sizes are checked, and with `verify` the contents of shards.

    With `verify`, tokens are counted too: they must be those of `unigrams.json`, and there must be a BOS per document.
    """
    file = Path(folder) / NAME
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise fail("corpus-missing", Place(str(folder)), {}) from None
    except (OSError, ValueError) as error:
        raise fail("corpus-broken", Place(str(file)), {"reason": str(error)}) from error
    corpus = _from_json(text, folder=Path(folder))
    for part in corpus.parts.values():
        for shard in part.shards:
            _open(corpus, shard)
    check_counts(corpus)
    if verify:
        verify_corpus(corpus)
        _recount(corpus)
    return corpus


def check_counts(corpus: Corpus) -> None:
    """Refuse a corpus whose parts do not hold every document that was read, once."""
    distinct = corpus.seen.documents - corpus.seen.duplicates
    kept = corpus.train.documents + corpus.validation.documents
    if kept != distinct:
        raise fail("corpus-incomplete", Place(str(corpus.folder)), {"kept": kept, "documents": distinct})


def _recount(corpus: Corpus) -> None:
    """Count the tokens of all shards, and compare them with the counts that were stored when they were written."""
    counts = {
        name: sum(
            (np.bincount(_open(corpus, shard), minlength=corpus.vocabulary) for shard in part.shards),
            np.zeros(corpus.vocabulary, np.int64),
        )
        for name, part in corpus.parts.items()
    }
    for name, part in corpus.parts.items():
        marks = 0 if corpus.bos_id is None else int(counts[name][corpus.bos_id])
        wrong = marks != part.documents if corpus.bos == "document" else marks < part.documents
        if corpus.bos in ("line", "document") and wrong:
            documents = {"part": name, "found": marks, "stored": part.documents}
            raise fail("corpus-recount", Place(str(corpus.folder)), documents)
    if corpus.bos_id is not None:
        counts["train"][corpus.bos_id] = 0
    stored = read_unigrams(corpus.folder / UNIGRAMS, tokenizer=corpus.tokenizer).counts
    if not np.array_equal(stored, counts["train"]):
        tokens = {"part": UNIGRAMS, "found": int(counts["train"].sum()), "stored": int(stored.sum())}
        raise fail("corpus-recount", Place(str(corpus.folder)), tokens)


def verify_corpus(corpus: Corpus, *, tokens: int | None = None) -> None:
    """Read every shard and compare its hash; the first that was changed is named.

    With `tokens`, only the shards of the training text that hold the first so many tokens are read.
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
    """Return the first `tokens` tokens of a part, or all, as rows of `context`; an incomplete row is dropped.

    With the rule `row`, each row is BOS and `context` - 1 tokens of the stream, and counts as `context` tokens. If one
    shard has enough and its tokens need no BOS, nothing is read before it is used.
    """
    count = row_count(corpus, tokens=tokens, context=context, part=part)
    body = context - 1 if corpus.bos == "row" else context
    stream = _stream(corpus, count * body, part).reshape(count, body)
    if corpus.bos != "row" or corpus.bos_id is None:
        return stream
    table = np.empty((count, context), stream.dtype)
    table[:, 0] = corpus.bos_id
    table[:, 1:] = stream
    return table


def dropped_tokens(corpus: Corpus, *, tokens: int | None = None, context: int = 64, part: PartName = "train") -> int:
    """Return how many tokens `rows` leaves out because they do not fill a row."""
    count = row_count(corpus, tokens=tokens, context=context, part=part)
    if tokens is not None:
        return tokens - count * context
    return corpus.parts[part].tokens - count * (context - 1 if corpus.bos == "row" else context)


def count_rows_unigrams(rows: Tokens, *, vocabulary: int, tokenizer_hash: str, leave_out: int | None) -> Unigrams:
    """Count the tokens in rows, for the unigrams of exactly the text that a model was trained on.

    `leave_out` is the id of BOS: SLOR divides by the probability of a token among tokens of text, and BOS is never
    scored.
    """
    counts = np.zeros(vocabulary, np.int64)
    for start in range(0, len(rows), 1 << 18):
        counts += np.bincount(rows[start : start + (1 << 18)].ravel(), minlength=vocabulary)
    if leave_out is not None:
        counts[leave_out] = 0
    return Unigrams(counts, tokenizer_hash)


def to_json(corpus: Corpus, *, versions: Mapping[str, str]) -> bytes:
    """Return the content of `corpus.json`, without time, host or absolute path."""
    values = asdict(corpus)
    first, last = ("tokenizer", "vocabulary", "bos", "bos_id", "train", "validation"), ("asked", "sources", "seen")
    value = {
        "format": FORMAT,
        **{name: values[name] for name in first},
        "hash": corpus.hash,
        **{name: values[name] for name in last},
        "versions": dict(versions),
    }
    return encode(json.dumps(value, ensure_ascii=False, indent=1) + "\n")


def _from_json(text: str, *, folder: Path) -> Corpus:
    place = Place(str(folder / NAME))
    try:
        value = json.loads(text)
        if value["format"] != FORMAT:
            raise fail("corpus-format", place, {"format": value["format"], "known": FORMAT})
        train, validation = (
            Part(**{**value[part], "shards": tuple(Shard(**shard) for shard in value[part]["shards"])})
            for part in ("train", "validation")
        )
        corpus = Corpus(
            folder=folder,
            **{name: value[name] for name in ("tokenizer", "vocabulary", "bos", "bos_id")},
            train=train,
            validation=validation,
            asked=dict(value["asked"]),
            sources=dict(value["sources"]),
            seen=SourceCounts(**value["seen"]),
        )
        sums = all(part.tokens == sum(shard.tokens for shard in part.shards) for part in corpus.parts.values())
        if corpus.bos not in get_args(Bos) or value["hash"] != corpus.hash or not sums:
            raise ValueError("its fields do not fit together")
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise fail("corpus-broken", place, {"reason": f"{type(error).__name__}: {error}"}) from error
    return corpus


def row_count(corpus: Corpus, *, tokens: int | None = None, context: int = 64, part: PartName = "train") -> int:
    """Return how many rows `rows` gives; more than there are is an error."""
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
    """Return the first `count` tokens of a part; a view of the first shard if they are all in it."""
    pieces: list[Tokens] = []
    for shard in corpus.parts[part].shards:
        pieces.append(_open(corpus, shard)[:count])
        count -= len(pieces[-1])
        if not count:
            break
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def _open(corpus: Corpus, shard: Shard) -> Tokens:
    """Map the tokens of a shard into memory; a header that says anything unexpected is an error."""
    path, kind = corpus.folder / shard.file, token_type(corpus.vocabulary)
    try:
        with path.open("rb") as file:
            header = file.read(HEADER.size)
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise fail("read-failed", Place(str(path)), {"reason": reason(error)}) from error
    if len(header) < HEADER.size or header[: len(MAGIC)] != MAGIC:
        raise fail("shard-no-header", Place(str(path)), {})
    _, version, width, count, entries, tokenizer = HEADER.unpack(header)
    if version != VERSION:
        raise fail("shard-version", Place(str(path)), {"version": version, "known": VERSION})
    if tokenizer.hex() != corpus.tokenizer:
        values = {"own": tokenizer.hex()[:12], "wanted": corpus.tokenizer[:12]}
        raise fail("shard-tokenizer", Place(str(path)), values)
    expected = (kind.itemsize, shard.tokens, corpus.vocabulary)
    if (width, count, entries) != expected or size != HEADER.size + count * width:
        raise fail("shard-size", Place(str(path)), {"tokens": shard.tokens, "size": size})
    if not count:
        return np.zeros(0, kind)
    mapped: Tokens = np.memmap(path, kind, "r", HEADER.size, (count,))
    return mapped


def token_type(vocabulary: int) -> "np.dtype[np.unsignedinteger[Any]]":
    """Return two bytes per token if all ids fit into them, otherwise four."""
    return np.dtype("<u2") if vocabulary <= 1 << 16 else np.dtype("<u4")


def shard_header(*, tokens: int, vocabulary: int, tokenizer: str) -> bytes:
    """Return the header of a shard."""
    width = token_type(vocabulary).itemsize
    return HEADER.pack(MAGIC, VERSION, width, tokens, vocabulary, bytes.fromhex(tokenizer))
