"""How a corpus is built: text to a shuffled stream of token ids, in shards.

A corpus is built aside and renamed at the end, so there is a whole corpus or none. A lock next to it makes a second
build wait and then use the finished corpus. Memory holds one file of the shuffle and one batch of documents, whatever
the size of the text; the disk holds the text once more while the corpus is built.

Where BOS stands in the stream:

line      before every line; nothing at the end of a line
document  before every document; its lines are joined by a newline
row       nowhere; every document ends with a newline, and readers put BOS at the start of every row
none      as `row`, and readers put none
"""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from struct import Struct

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
    hold_lock,
    new_folder,
    remove_temporaries,
    tool_version,
    write_file,
)
from bidui.models.conventions import decide
from bidui.models.fingerprint import pipeline_hash, tokenizer_hash
from bidui.models.lstm import encode_words
from bidui.models.tokenize import character_table, declared_kind, encode_characters, tokenizer_files
from bidui.scores.unigrams import UNIGRAMS, Unigrams, write_unigrams
from bidui.training.corpus import (
    NAME,
    TOKENIZER,
    Bos,
    Corpus,
    Part,
    Shard,
    Tokens,
    check_counts,
    read_corpus,
    shard_header,
    to_json,
    token_type,
)
from bidui.training.documents import OnProgress, SourceCounts, read_documents, source_files
from bidui.training.tokenizers import load_tokenizer, vocabulary_size

Ids = NDArray[np.uint32]
Encode = Callable[[Sequence[str]], tuple[Ids, NDArray[np.int64]]]  # the ids of all texts, and how many each has

SHUFFLE = "shuffle"  # the folder of scattered documents, removed when the corpus is whole
BATCH = 1 << 22  # characters of text that are encoded together
MOST_TOKENS = 1 << 26  # per shard: 128 MiB of two bytes each
BUCKETS = 128  # a power of 2; 12 GB of text make files of about 100 MB, and systems allow at least 256 open files
RECORD = Struct("<16sQ")  # the key, and the number of bytes of the text after it
FEW = 3  # documents that are held out at least, whatever the fraction is
ENOUGH = 1_024  # characters of these: more than one row of any usual length


def build_corpus(
    source: str | Path,
    tokenizer: str | Path | PreTrainedTokenizerBase,
    *,
    out: str | Path,
    bos: Bos = "line",
    validation: float = 0.005,
    seed: int = 0,
    field: str = "text",
    shard_tokens: int = MOST_TOKENS,
    on_progress: OnProgress = lambda activity, done, total: None,
) -> Corpus:
    """Build a corpus in `out` from a file or folder of text; if it is there already, do nothing (`made` is False).

    Documents are deduplicated and shuffled by the seed. `validation` is the fraction that is held out; unless it is 0,
    at least a few documents are (`validation_bound`). `field` is the field of JSON lines that holds the text. If
    another process is building the corpus, wait for it (`on_progress` gets "waiting") and use what it built.
    """
    source, out = Path(source), Path(out)
    tokenizer = load_tokenizer(tokenizer) if isinstance(tokenizer, str | Path) else tokenizer
    vocabulary, hashed = vocabulary_size(tokenizer), tokenizer_hash(tokenizer)
    settings: dict[str, Json] = {"bos": bos, "validation": validation, "seed": seed, "field": field}
    settings |= {"shard_tokens": shard_tokens, "tokenizer": hashed, "pipeline": pipeline_hash(tokenizer)}
    if not 0 <= validation < 1:
        raise fail("validation-share", Place(), {"validation": validation})
    bos_id = bos_of(tokenizer, bos)
    wanted = Manifest(settings, {name: file_hash(path) for name, path in source_files(source)[0].items()})
    if there := _existing(out, wanted):
        return there
    target = out.resolve()
    with ExitStack() as stack:
        lock = target.with_name(f".{target.name[:80]}.lock")
        alone = stack.enter_context(hold_lock(lock, on_wait=lambda: on_progress("waiting", 0, 0)))
        if there := _existing(out, wanted):  # built by the process that held the lock
            return there
        if alone:  # or it could be the scratch of a build that is under way
            remove_temporaries(target.parent, name=target.name)  # left by a build that was killed
        folder = stack.enter_context(new_folder(out))
        seen = SourceCounts()
        documents = read_documents(source, field=field, seen=seen, on_progress=on_progress)
        bound = validation_bound(scatter(documents, folder / SHUFFLE, seed=seed), share=validation)
        seen.refuse_nothing(source)
        encode = document_encoder(tokenizer, bos=bos)
        train, held = (
            _PartWriter(folder, name, encode, np.zeros(vocabulary, np.int64), hashed, shard_tokens)
            for name in ("train", "validation")
        )
        done = 0
        for text, copies in gather(folder / SHUFFLE):
            (held if validation_place(text) < bound else train).add(text.decode())
            seen.duplicates += copies - 1
            done += copies
            on_progress("encoding", done, seen.documents)
        (folder / SHUFFLE).rmdir()
        corpus = Corpus(
            folder=folder,
            tokenizer=hashed,
            vocabulary=vocabulary,
            bos=bos,
            bos_id=bos_id,
            train=train.finish(tokenizer.unk_token_id),
            validation=held.finish(tokenizer.unk_token_id),
            asked=settings,
            sources=wanted.inputs,
            seen=seen,
        )
        check_counts(replace(corpus, folder=out))
        _write_beside(corpus, tokenizer, train.counts)
    return replace(corpus, folder=out, made=True)


def _existing(out: Path, wanted: Manifest) -> Corpus | None:
    """Return the corpus in `out` if it was made in the wanted way; anything else there is refused."""
    there = read_corpus(out) if (out / NAME).is_file() else None
    if there and "pipeline" not in there.asked:  # it was built when only the vocabulary was recorded
        settings = {name: value for name, value in wanted.settings.items() if name != "pipeline"}
        wanted = Manifest(settings, wanted.inputs)
    claim_folder(out, Manifest(there.asked, there.sources) if there else None, wanted, "corpus-of-another")
    return there


def _write_beside(corpus: Corpus, tokenizer: PreTrainedTokenizerBase, counts: NDArray[np.int64]) -> None:
    """Write the unigrams, the tokenizer, and `corpus.json`."""
    if corpus.bos_id is not None:
        counts[corpus.bos_id] = 0  # it is not a token of text; see `count_rows_unigrams`
    write_file(corpus.folder / UNIGRAMS, write_unigrams(Unigrams(counts, corpus.tokenizer)))
    for name, data in tokenizer_files(tokenizer).items():
        write_file(corpus.folder / TOKENIZER / name, data)
    versions = {"bidui": tool_version(), **{name: version(name) for name in ("tokenizers", "transformers")}}
    write_file(corpus.folder / NAME, to_json(corpus, versions=versions))


@dataclass(slots=True)
class _PartWriter:
    """Encodes and writes one part of the stream, `train` or `validation`, in at least one shard."""

    folder: Path
    name: str
    encode: "StreamEncode"
    counts: NDArray[np.int64]  # of each id of the vocabulary
    tokenizer: str  # the hash of its vocabulary
    most: int  # tokens per shard
    documents: int = 0
    characters: int = 0
    waiting: list[str] = field(default_factory=list)  # documents that are not encoded yet
    size: int = 0  # characters of these
    shards: list[Shard] = field(default_factory=list)
    tokens: int = 0  # in the shard that is not full yet

    def add(self, document: str) -> None:
        """Put a document at the end of the part."""
        self.waiting.append(document)
        self.size += len(document)
        self.documents += 1
        if self.size >= BATCH:
            self._flush()

    def finish(self, unknown: int | None) -> Part:
        """Write the rest, and return the part; `unknown` is the id of unknown tokens."""
        self._flush()
        if self.tokens or not self.shards:
            self._end_shard()
        tokens = sum(shard.tokens for shard in self.shards)
        unknowns = 0 if unknown is None else int(self.counts[unknown])
        return Part(self.documents, self.characters, tokens, unknowns, tuple(self.shards))

    def _flush(self) -> None:
        """Encode the documents that are waiting."""
        ids: Tokens
        ids, characters = self.encode(self.waiting)
        self.counts += np.bincount(ids, minlength=len(self.counts))
        self.characters += characters
        self.waiting, self.size = [], 0
        while len(ids):
            if self.tokens == self.most:
                self._end_shard()
            taken = ids[: self.most - self.tokens]
            with self._path().open("ab") as file:
                if not self.tokens:
                    file.write(self._header())  # written again at the end, when the number of tokens is known
                file.write(taken.astype(token_type(len(self.counts))).tobytes())
            self.tokens += len(taken)
            ids = ids[len(taken) :]

    def _end_shard(self) -> None:
        path = self._path()
        with path.open("r+b" if self.tokens else "xb") as file:
            file.write(self._header())
            file.flush()
            os.fsync(file.fileno())
        self.shards.append(Shard(path.name, self.tokens, file_hash(path)))
        self.tokens = 0

    def _path(self) -> Path:
        return self.folder / f"{self.name}-{len(self.shards):05}.bin"

    def _header(self) -> bytes:
        return shard_header(tokens=self.tokens, vocabulary=len(self.counts), tokenizer=self.tokenizer)


# Documents to token ids.


StreamEncode = Callable[[Sequence[str]], tuple[Ids, int]]  # from documents to ids and the number of characters


def bos_of(tokenizer: PreTrainedTokenizerBase, bos: Bos) -> int | None:
    """Return the id that the rule puts before rows, lines or documents: BOS, or EOS if there is none, as in scoring."""
    if bos == "none":
        return None
    token = decide(tokenizer).bos
    if token is None:
        raise fail("corpus-no-bos", Place(), {"bos": bos})
    return token


def document_encoder(tokenizer: PreTrainedTokenizerBase, *, bos: Bos) -> StreamEncode:
    """Return a function from documents to their part of the stream."""
    bos_id = bos_of(tokenizer, bos)
    encode = text_encoder(tokenizer)

    def stretch(documents: Sequence[str]) -> tuple[Ids, int]:
        if bos == "line":
            texts = [line for document in documents for line in document.split("\n")]
        else:
            texts = list(documents) if bos == "document" else [f"{document}\n" for document in documents]
        ids, lengths = encode(texts)
        if bos in ("line", "document") and bos_id is not None:
            ids = np.insert(ids, np.cumsum(lengths) - lengths, bos_id)
        return ids, sum(map(len, texts))

    return stretch


def text_encoder(tokenizer: PreTrainedTokenizerBase) -> Encode:
    """Return the fastest function that gives the tokenizer's ids; `<s>` in a text is text, not BOS."""
    if declared_kind(tokenizer) == "char":
        table = character_table(tokenizer)
        return lambda texts: encode_characters(table, texts)
    if declared_kind(tokenizer) == "jieba":
        return _word_encoder(tokenizer)
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
        encodings = inner.encode_batch_fast(list(texts), add_special_tokens=False)
        return _joined([encoding.ids for encoding in encodings])

    return encode


def _word_encoder(tokenizer: PreTrainedTokenizerBase) -> Encode:
    """Encode the words of every line, split as for scoring, and the newlines between lines."""
    newline = tokenizer.get_vocab()["\n"]

    def encode(texts: Sequence[str]) -> tuple[Ids, NDArray[np.int64]]:
        lines = [text.split("\n") for text in texts]
        words = iter(encode_words(tokenizer, [line for text in lines for line in text]))
        encoded = []
        for text in lines:
            ids = list(chain.from_iterable((newline, *next(words).ids) for _ in text))
            encoded.append(ids[1:])  # newlines stand between lines only
        return _joined(encoded)

    return encode


def _joined(texts: Sequence[Sequence[int]]) -> tuple[Ids, NDArray[np.int64]]:
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    return np.fromiter(chain.from_iterable(texts), np.uint32, int(lengths.sum())), lengths


# A shuffle that depends on nothing but the documents and the seed, in bounded memory. Every document gets a key, a hash
# of its text and the seed, and the order of keys is the order of documents. They are scattered over files by the
# beginnings of their keys; then one file at a time is sorted. Equal documents have equal keys, so duplicates meet in
# one file and are dropped there, without a table of all hashes.


def scatter(documents: Iterable[str], folder: Path, *, seed: int) -> dict[int, int]:
    """Write documents into the files of a new folder; return lengths by `validation_place`.

    Only the lowest places are returned: all of them up to `10 * ENOUGH`, and at least as many if there are more.
    """
    folder.mkdir()
    places: dict[int, int] = {}
    highest = 1 << 64
    with ExitStack() as stack:
        files = [stack.enter_context((folder / f"{n:03}").open("xb")) for n in range(BUCKETS)]
        for document in documents:
            text = document.encode()
            key = blake2b(text, digest_size=16, key=str(seed).encode()).digest()
            files[key[0] * BUCKETS // 256].write(RECORD.pack(key, len(text)) + text)
            place = validation_place(text)
            if place < highest:
                places[place] = len(document)
            if len(places) > 20 * ENOUGH:
                places = dict(sorted(places.items())[: 10 * ENOUGH])
                highest = max(places)
    return places


def gather(folder: Path) -> Iterator[tuple[bytes, int]]:
    """Yield the text of every distinct document in shuffled order, and its number of copies; the files are removed."""
    for bucket in sorted(folder.iterdir()):
        data = bucket.read_bytes()
        bucket.unlink()  # the disk need not hold both the text and all tokens
        places: dict[bytes, tuple[int, int, int]] = {}  # by key: start, end, copies
        at = 0
        while at < len(data):
            key, length = RECORD.unpack_from(data, at)
            at += RECORD.size
            places[key] = (at, at + length, places[key][2] + 1 if key in places else 1)
            at += length
        for _, (start, end, copies) in sorted(places.items()):
            yield data[start:end], copies


def validation_place(text: bytes) -> int:
    """Return a hash of a document, below 2**64: those with the lowest are held out, whatever the seed is."""
    return int.from_bytes(blake2b(text, digest_size=8, person=b"validation").digest(), "big")


def validation_bound(places: Mapping[int, int], *, share: float) -> int:
    """Return the number such that documents with a lower place are held out.

    It holds out about `share` of them, by their own hashes, so that documents stay held out when the corpus grows.
    Small corpora hold out more than that, or there would be no validation loss: the lowest places until they are `FEW`
    documents and have `ENOUGH` characters, but at most a tenth of all documents, rounded up, and never the only one.
    """
    bound = math.ceil(share * 2**64)
    if not share:
        return 0
    characters = 0
    most = min(len(places) - 1, math.ceil(len(places) / 10))
    for count, place in enumerate(sorted(places)[:most], start=1):
        bound = max(bound, place + 1)
        characters += places[place]
        if count >= FEW and characters >= ENOUGH:
            break
    return bound
