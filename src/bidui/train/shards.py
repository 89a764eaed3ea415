"""A corpus made ready for training: shards of token ids, and what `corpus.json` beside them says.

`bidui.train.building` makes it from text. The stream of tokens is fixed, so its first 10M tokens are those of any
larger number taken from it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from bidui.errors import Place, fail
from bidui.scores.unigrams import Unigrams
from bidui.train.documents import Seen
from bidui.train.shard_files import Shard, Tokens, file_hash, open_shard

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
