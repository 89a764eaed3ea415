"""Documents to token ids, with BOS where the rule puts it.

line      every line alone, BOS before it, nothing at its end
document  BOS before every document, its lines joined by a newline
row       no BOS in the stream, every document ended by a newline; readers put BOS at the start of every row
none      as `row`, and readers put none
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer
from transformers import BertGenerationTokenizer, PreTrainedTokenizerBase

from bidui.errors import Place, fail
from bidui.models.conventions import decide
from bidui.models.lstm import encode_words
from bidui.models.tokenizing import character_table, declared_kind, encode_characters, special_tokens
from bidui.train.shards import Bos

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
