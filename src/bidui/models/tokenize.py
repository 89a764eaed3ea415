"""Sentences to token ids, with the characters that every token covers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from transformers import PreTrainedTokenizerBase

from bidui.models.conventions import Special

DECLARED = "bidui"  # the key in a tokenizer's files under which its kind stands


@dataclass(frozen=True, slots=True)
class Encoded:
    """The tokens of one sentence, without special tokens."""

    ids: list[int]
    spans: NDArray[np.int32]  # start and end of each token, in characters
    words: list[int | None]  # of each token, the word it belongs to, as the tokenizer divides; none unless asked for


@dataclass(frozen=True, slots=True)
class Flat:
    """The tokens of many sentences in one array each: those of the n-th are `bounds[n]` to `bounds[n + 1]`."""

    ids: NDArray[np.int32]
    spans: NDArray[np.int32]
    bounds: NDArray[np.int64]


def encode_flat(tokenizer: PreTrainedTokenizerBase, sentences: Sequence[str]) -> Flat:
    """The tokens of every sentence; on a GPU, making arrays for each would take longer than a small model."""
    if declared_kind(tokenizer) == "char":
        codes, lengths = encode_characters(character_table(tokenizer), sentences)
        bounds = _bounds(lengths.tolist())
        starts = np.arange(len(codes)) - np.repeat(bounds[:-1], lengths)
        return Flat(codes.astype(np.int32), np.stack((starts, starts + 1), axis=1).astype(np.int32), bounds)
    if not tokenizer.is_fast:
        slow = [_slow(tokenizer, sentence) for sentence in sentences]
        ids = np.array([token for found in slow for token in found.ids], np.int32)
        spans = np.concatenate([found.spans for found in slow]) if slow else np.zeros((0, 2), np.int32)
        return Flat(ids, spans, _bounds([len(found.ids) for found in slow]))
    found = _encodings(tokenizer, sentences)
    texts = [encoding.ids for encoding in found]
    offsets = chain.from_iterable(chain.from_iterable(encoding.offsets for encoding in found))
    bounds = _bounds([len(text) for text in texts])
    return Flat(
        np.fromiter(chain.from_iterable(texts), np.int32, int(bounds[-1])),
        np.fromiter(offsets, np.int32, 2 * int(bounds[-1])).reshape(-1, 2),
        bounds,
    )


def _bounds(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.array(lengths, np.int64))))


def _encodings(tokenizer: PreTrainedTokenizerBase, sentences: Sequence[str]) -> list[Any]:
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    found: list[Any] = backend.encode_batch(list(sentences), add_special_tokens=False)
    return found


def encode(tokenizer: PreTrainedTokenizerBase, sentences: Sequence[str], *, words: bool = False) -> list[Encoded]:
    """The tokens of every sentence; nothing is added and nothing is cut off."""
    if not tokenizer.is_fast:
        return [_slow(tokenizer, sentence) for sentence in sentences]
    return [
        Encoded(found.ids, np.array(found.offsets, np.int32).reshape(-1, 2), found.word_ids if words else [])
        for found in _encodings(tokenizer, sentences)
    ]


def declared_kind(tokenizer: PreTrainedTokenizerBase) -> str | None:
    """`char`, `word` or `jieba` for a tokenizer that bidui trained, as its files say."""
    found = tokenizer.init_kwargs.get(DECLARED)
    return found if isinstance(found, str) else None


def character_table(tokenizer: PreTrainedTokenizerBase) -> NDArray[np.uint32]:
    """The ids of all code points, for a tokenizer of kind `char`: twenty times as quick as asking it."""
    table = np.full(0x110000, tokenizer.unk_token_id, np.uint32)
    for token, number in tokenizer.get_vocab().items():
        if len(token) == 1:
            table[ord(token)] = number
    return table


def encode_characters(table: NDArray[np.uint32], texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The ids of all characters of all texts, and how many each has."""
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), "<u4")
    return table[codes], np.fromiter(map(len, texts), np.int64, len(texts))


def special_tokens(tokenizer: PreTrainedTokenizerBase) -> Special:
    """The special tokens that the tokenizer declares."""
    return Special(
        bos=tokenizer.bos_token_id,
        eos=tokenizer.eos_token_id,
        cls=tokenizer.cls_token_id,
        sep=tokenizer.sep_token_id,
        unk=tokenizer.unk_token_id,
    )


def texts_of(tokenizer: PreTrainedTokenizerBase, ids: Iterable[int]) -> dict[int, str]:
    """The tokens that ids stand for, as the tokenizer writes them."""
    wanted = list(ids)
    return dict(zip(wanted, map(str, tokenizer.convert_ids_to_tokens(wanted)), strict=True))


def unknown_of(tokenizer: PreTrainedTokenizerBase, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which ids are the tokenizer's unknown token."""
    unknown = tokenizer.unk_token_id
    return np.equal(ids, -1 if unknown is None else unknown)


def _slow(tokenizer: PreTrainedTokenizerBase, sentence: str) -> Encoded:
    """One sentence by a tokenizer that is not one of `tokenizers`: sentencepiece knows where its pieces stand."""
    ids = list(tokenizer.encode(sentence, add_special_tokens=False))
    if hasattr(tokenizer, "sp_model"):
        pieces = tokenizer.sp_model.encode(sentence, return_type="proto").pieces
        if [piece.id for piece in pieces] == ids:  # some tokenizers number them otherwise
            ends = np.cumsum([len(character.encode()) for character in sentence])
            starts, after = (
                np.searchsorted(ends, [getattr(piece, name) for piece in pieces], side="right")
                for name in ("begin", "end")  # in bytes
            )
            # a byte of a character covers the whole of it, and the blank that is added at the start covers nothing
            after = np.maximum(after, np.minimum(starts + 1, len(sentence)))
            return Encoded(ids, np.stack((starts, after), axis=1).astype(np.int32), list(range(len(ids))))
    return _aligned(tokenizer, sentence)


def _aligned(tokenizer: PreTrainedTokenizerBase, sentence: str) -> Encoded:
    """Offsets for a tokenizer that gives none: how much text the first n tokens decode to.

    A character that is spread over several byte tokens is covered by each of them.
    """
    ids = list(tokenizer.encode(sentence, add_special_tokens=False))
    spans = np.zeros((len(ids), 2), np.int32)
    done = 0  # characters that are complete
    begin = 0
    for n in range(len(ids)):
        text = str(tokenizer.decode(ids[: n + 1], clean_up_tokenization_spaces=False))
        whole = text.rstrip("\ufffd")
        at = _matched(sentence, whole, done)
        spans[n] = (begin, max(at, min(begin + 1, len(sentence))))
        done = at
        if at > begin:
            begin = at
    return Encoded(ids, spans, list(range(len(ids))))


def _matched(sentence: str, decoded: str, least: int) -> int:
    """How many characters of the sentence a decoded beginning covers; blanks may have been added or lost."""
    wanted = sum(not char.isspace() for char in decoded)
    seen = 0
    for at, char in enumerate(sentence):
        if seen >= wanted:
            return max(at, least)
        seen += not char.isspace()
    return len(sentence)
