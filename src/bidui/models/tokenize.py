"""Sentences to token ids, with the characters that every token covers."""

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # importing transformers takes longer than a small model
    from transformers import PreTrainedTokenizerBase

DECLARED = "bidui"  # the key of the kind in a tokenizer's files
_LOADING = ("backend", "is_local", "local_files_only")  # settings that say how a tokenizer was loaded


@dataclass(frozen=True, slots=True)
class Encoding:
    """The tokens of one sentence, without special tokens."""

    ids: list[int]
    spans: NDArray[np.int32]  # start and end of each token, in characters
    words: list[int | None]  # the word of each token, as the tokenizer splits the sentence; empty without `words=True`


@dataclass(frozen=True, slots=True)
class TokenArrays:
    """The tokens of many sentences in shared arrays: those of the n-th are `bounds[n]` to `bounds[n + 1]`."""

    ids: NDArray[np.int32]
    spans: NDArray[np.int32]
    bounds: NDArray[np.int64]


def encode_flat(tokenizer: "PreTrainedTokenizerBase", sentences: Sequence[str]) -> TokenArrays:
    """Return the tokens of all sentences at once; arrays for each would take longer than a small model on a GPU."""
    if declared_kind(tokenizer) == "char":
        codes, lengths = encode_characters(character_table(tokenizer), sentences)
        bounds = _bounds(lengths.tolist())
        starts = np.arange(len(codes)) - np.repeat(bounds[:-1], lengths)
        return TokenArrays(codes.astype(np.int32), np.stack((starts, starts + 1), axis=1).astype(np.int32), bounds)
    if not tokenizer.is_fast:
        slow = [_slow(tokenizer, sentence) for sentence in sentences]
        ids = np.array([token for sentence in slow for token in sentence.ids], np.int32)
        spans = np.concatenate([sentence.spans for sentence in slow]) if slow else np.zeros((0, 2), np.int32)
        return TokenArrays(ids, spans, _bounds([len(sentence.ids) for sentence in slow]))
    encodings = _encodings(tokenizer, sentences)
    texts = [encoding.ids for encoding in encodings]
    offsets = chain.from_iterable(chain.from_iterable(encoding.offsets for encoding in encodings))
    bounds = _bounds([len(text) for text in texts])
    return TokenArrays(
        np.fromiter(chain.from_iterable(texts), np.int32, int(bounds[-1])),
        np.fromiter(offsets, np.int32, 2 * int(bounds[-1])).reshape(-1, 2),
        bounds,
    )


def _bounds(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.array(lengths, np.int64))))


def _encodings(tokenizer: "PreTrainedTokenizerBase", sentences: Sequence[str]) -> list[Any]:
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    encodings: list[Any] = backend.encode_batch(list(sentences), add_special_tokens=False)
    return encodings


def encode(tokenizer: "PreTrainedTokenizerBase", sentences: Sequence[str], *, words: bool = False) -> list[Encoding]:
    """Return the tokens of every sentence; nothing is added and nothing is truncated."""
    if not tokenizer.is_fast:
        return [_slow(tokenizer, sentence) for sentence in sentences]
    return [
        Encoding(tokens.ids, np.array(tokens.offsets, np.int32).reshape(-1, 2), tokens.word_ids if words else [])
        for tokens in _encodings(tokenizer, sentences)
    ]


def declared_kind(tokenizer: "PreTrainedTokenizerBase") -> str | None:
    """Return `char`, `word` or `jieba` for a tokenizer that bidui trained, as its files say."""
    kind = tokenizer.init_kwargs.get(DECLARED)
    return kind if isinstance(kind, str) else None


def character_table(tokenizer: "PreTrainedTokenizerBase") -> NDArray[np.uint32]:
    """Return the ids of all code points for a tokenizer of kind `char`: twenty times as fast as the tokenizer."""
    table = np.full(0x110000, tokenizer.unk_token_id, np.uint32)
    for token, number in tokenizer.get_vocab().items():
        if len(token) == 1:
            table[ord(token)] = number
    return table


def encode_characters(table: NDArray[np.uint32], texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the ids of all characters of all texts, and the length of each text."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), "<u4")
    return table[codes], np.fromiter(map(len, texts), np.int64, len(texts))


def tokenizer_files(tokenizer: "PreTrainedTokenizerBase") -> dict[str, bytes]:
    """Return the files of a tokenizer, by name, as both transformers 4.57 and 5 load them.

    Version 5 has new names for a class and a setting, which 4.57 does not know; it still knows the old ones. Where and
    how a tokenizer was loaded is left out, so that one that was just trained has the same files.
    """
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save_pretrained(folder)
        files = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir()) if path.is_file()}
    settings = json.loads(files["tokenizer_config.json"])
    if settings.get("tokenizer_class") == "TokenizersBackend":
        settings["tokenizer_class"] = "PreTrainedTokenizerFast"
    if isinstance(settings.get("extra_special_tokens"), list):
        settings["additional_special_tokens"] = settings.pop("extra_special_tokens")
    stable = {name: value for name, value in sorted(settings.items()) if name not in _LOADING}
    files["tokenizer_config.json"] = (json.dumps(stable, ensure_ascii=False, indent=2) + "\n").encode()
    return files


class HasTokenizer:
    """What all models with a tokenizer of transformers do in the same way."""

    __slots__ = ()
    name: str
    tokenizer: "PreTrainedTokenizerBase"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        """Return the tokens that ids stand for, as the tokenizer writes them."""
        wanted = list(ids)
        return dict(zip(wanted, map(str, self.tokenizer.convert_ids_to_tokens(wanted)), strict=True))

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which ids are the tokenizer's unknown token."""
        unknown = self.tokenizer.unk_token_id
        return np.equal(ids, -1 if unknown is None else unknown)


def _slow(tokenizer: "PreTrainedTokenizerBase", sentence: str) -> Encoding:
    """Encode by a tokenizer that is not one of `tokenizers`; sentencepiece says which bytes its pieces cover."""
    ids = list(tokenizer.encode(sentence, add_special_tokens=False))
    data = np.frombuffer(sentence.encode(), np.uint8).astype(np.int64)
    if len(ids) == len(data) and len(np.unique(ids - data)) == 1:  # one token per byte, as for ByT5
        at = np.repeat(np.arange(len(sentence)), [len(character.encode()) for character in sentence])
        return Encoding(ids, np.stack((at, at + 1), axis=1).astype(np.int32), list(range(len(ids))))
    if hasattr(tokenizer, "sp_model"):
        pieces = tokenizer.sp_model.encode(sentence, return_type="proto").pieces
        if [piece.id for piece in pieces] == ids:  # some tokenizers number them differently
            ends = np.cumsum([len(character.encode()) for character in sentence])
            starts, after = (
                np.searchsorted(ends, [getattr(piece, name) for piece in pieces], side="right")
                for name in ("begin", "end")  # in bytes
            )
            # a byte of a character covers all of it, and the blank that is added at the start covers nothing
            after = np.maximum(after, np.minimum(starts + 1, len(sentence)))
            return Encoding(ids, np.stack((starts, after), axis=1).astype(np.int32), list(range(len(ids))))
    return _aligned(tokenizer, sentence)


def _aligned(tokenizer: "PreTrainedTokenizerBase", sentence: str) -> Encoding:
    """Find offsets for a tokenizer that gives none, from the text that the first n tokens decode to.

    A character made of several byte tokens is covered by each of them.
    """
    ids = list(tokenizer.encode(sentence, add_special_tokens=False))
    spans = np.zeros((len(ids), 2), np.int32)
    begin = 0  # characters that are complete
    for n in range(len(ids)):
        text = str(tokenizer.decode(ids[: n + 1], clean_up_tokenization_spaces=False))
        at = _matched(sentence, text.rstrip("\ufffd"), begin)
        spans[n] = (begin, max(at, min(begin + 1, len(sentence))))
        begin = at
    return Encoding(ids, spans, list(range(len(ids))))


def _matched(sentence: str, decoded: str, least: int) -> int:
    """Return how many characters of the sentence a decoded beginning covers; blanks may have been added or lost."""
    wanted = sum(not char.isspace() for char in decoded)
    seen = 0
    for at, char in enumerate(sentence):
        if seen >= wanted:
            return max(at, least)
        seen += not char.isspace()
    return len(sentence)
