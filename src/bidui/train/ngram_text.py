"""Text as numbers: the units of every sentence, numbered in the order in which they first appear, in one column.

Numbers 0, 1 and 2 are `<unk>`, `<s>` and `</s>`; every sentence ends with `</s>`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bidui.errors import Place, fail
from bidui.train.columns import Column, new_column

Unit = Literal["char", "jieba", "blank"]
SPECIAL = ("<unk>", "<s>", "</s>")
UNK, BOS, EOS = range(3)
BATCH = 1 << 20  # characters that are numbered at a time
_FORBIDDEN = frozenset((*SPECIAL, "<UNK>"))  # KenLM reads <UNK> as <unk>
_BLANKS = ("\0", "\t", "\n", "\r")  # with the blank itself, what separates words for lmplz, and for KenLM in ARPA
_SPACES = [code for code in range(0x3001) if chr(code).isspace() or not code]  # no later character is a space
_UNSEEN, _SPACE = -1, -2

Numbered = Callable[[list[str]], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class NumberedText:
    """The numbers of all sentences, one after the other, and the word that each number stands for."""

    numbers: Column
    words: tuple[str, ...]
    sentences: int

    @property
    def tokens(self) -> int:
        """How many there are without the ends of sentences."""
        return len(self.numbers) - self.sentences


def number_text(sentences: Iterable[str], path: Path, *, unit: Unit = "char") -> NumberedText:
    """Divide sentences into units and write their numbers to `path`.

    `char` takes every character that is no space, `jieba` the words that jieba finds, and `blank` what stands between
    blanks, tabs and NULs, as lmplz does. A sentence without units is one that ends at once.
    """
    numbers = new_column(path, np.uint32)
    known = {word: number for number, word in enumerate(SPECIAL)}
    numbered = _characters(known) if unit == "char" else _words(known, _divider(unit))
    count = 0
    for batch in _batches(sentences):
        numbers.append(numbered(batch))
        count += len(batch)
    return NumberedText(numbers, tuple(known), count)


def _batches(sentences: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    length = 0
    for sentence in sentences:
        batch.append(sentence)
        length += len(sentence) + 1
        if length >= BATCH:
            yield batch
            batch, length = [], 0
    if batch:
        yield batch


def _characters(known: dict[str, int]) -> Numbered:
    """Numbers characters by a table of all there can be, a million of them at once."""
    table = np.full(0x110000, _UNSEEN, np.int32)
    table[_SPACES] = _SPACE
    table[ord("\n")] = EOS

    def numbered(batch: list[str]) -> NDArray[Any]:
        text = "".join(sentence.replace("\n", " ") + "\n" for sentence in batch)
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        unseen, first = np.unique(codes[table[codes] == _UNSEEN], return_index=True)
        for code in unseen[np.argsort(first)].tolist():
            table[code] = known.setdefault(chr(code), len(known))
        found = table[codes]
        kept: NDArray[np.int32] = found[found != _SPACE]
        return kept

    return numbered


def _words(known: dict[str, int], divide: Callable[[str], Iterable[str]]) -> Numbered:
    def numbered(batch: list[str]) -> NDArray[Any]:
        found: list[int] = []
        for sentence in batch:
            words = list(divide(sentence))
            if not _FORBIDDEN.isdisjoint(words):
                word = next(filter(_FORBIDDEN.__contains__, words))
                raise fail("ngram-special-word", Place(), {"word": word, "sentence": sentence[:40]})
            found += [known.setdefault(word, len(known)) for word in words]
            found.append(EOS)
        return np.array(found, np.int64)

    return numbered


def _divider(unit: Unit) -> Callable[[str], Iterable[str]]:
    """For jieba, the same words that `bidui.models.ngram` looks up."""
    if unit == "blank":
        return _between_blanks
    import logging

    import jieba

    jieba.setLogLevel(logging.WARNING)
    return lambda sentence: (word for word in jieba.cut(sentence) if not word.isspace())


def _between_blanks(sentence: str) -> Iterable[str]:
    for blank in _BLANKS:
        sentence = sentence.replace(blank, " ")
    return filter(None, sentence.split(" "))
