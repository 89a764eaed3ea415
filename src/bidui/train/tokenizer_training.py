"""Trains tokenizers: a token a character, characters merged into words by BPE, or the words that jieba finds.

All give the same tokenizer for the same texts in any order, and the first two have the same characters, the frequent
ones first and equals by code point. The newline is always a token, since documents are joined by it.
"""

import heapq
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from threading import Thread

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from tokenizers.trainers import BpeTrainer
from transformers import PreTrainedTokenizerFast

from bidui.errors import Place, fail
from bidui.models.lstm import divided
from bidui.models.tokenizing import DECLARED

SPECIAL = ("<unk>", "<s>", "</s>", "<pad>")
CHARACTERS = r"[\s\S]"
# Runs of Chinese characters, runs of other letters, and everything else alone: no word goes beyond one of these.
BLANKS = r"\s+"
RUNS = r"\p{Han}+|[^\P{L}\p{Han}]+|[\s\S]"
LONGEST_WORD = 8  # characters; longer ones are phrases that some source repeats


def train_char(texts: Iterable[str], *, least: int = 8) -> PreTrainedTokenizerFast:
    """A token for every character that occurs at least `least` times."""
    counts = np.zeros(0x110000, np.int64)
    for text in _counted(texts, counts):
        del text  # only the counts matter
    vocabulary = _numbered(_alphabet(counts, least=least))
    return _tokenizer(models.WordLevel(vocabulary, unk_token=SPECIAL[0]), CHARACTERS, "char")


def train_word(
    texts: Iterable[str], *, size: int = 20_000, least: int = 8, most: int = 20_000_000
) -> PreTrainedTokenizerFast:
    """A vocabulary of `size`: the characters that occur at least `least` times, and words that BPE merges from them.

    Words are found in at most `most` characters of text, since BPE takes some 120 bytes of memory for each: whole
    texts, chosen by their hashes. A text without enough repetitions gives fewer words than asked for.
    """
    counts = np.zeros(0x110000, np.int64)
    sample = _sample(_counted(texts, counts), most=most)
    alphabet = _alphabet(counts, least=least)
    words = size - len(SPECIAL) - len(alphabet)
    if words < 0:
        raise fail("tokenizer-size", Place(), {"size": size, "least": size - words})
    merges = _merges(sample, words=words, least=least)
    vocabulary = _numbered(dict.fromkeys([*alphabet, *(left + right for left, right in merges)]))
    return _tokenizer(models.BPE(vocabulary, merges, unk_token=SPECIAL[0]), RUNS, "word")


def train_jieba(texts: Iterable[str], *, size: int = 50_000, least: int = 8) -> PreTrainedTokenizerFast:
    """A vocabulary of at most `size`: the most frequent words, as jieba divides the texts, of `least` times or more.

    No file of a tokenizer can hold jieba, so transformers alone divides at blanks only. It is for LSTM models over
    words, and those who encode for them divide first, here and in scoring alike.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(word for word, _, _ in divided(text))
    frequent = sorted((word for word in counts if counts[word] >= least), key=lambda word: (-counts[word], word))
    chosen = ["\n", *frequent][: max(size - len(SPECIAL), 1)]
    return _tokenizer(models.WordLevel(_numbered(chosen), unk_token=SPECIAL[0]), BLANKS, "jieba")


def _counted(texts: Iterable[str], counts: NDArray[np.int64]) -> Iterator[str]:
    """The texts themselves; how often each code point occurs in them is added to `counts`."""
    for text in texts:
        codes, found = np.unique(np.frombuffer(text.encode("utf-32-le"), "<u4"), return_counts=True)
        counts[codes] += found
        yield text


def _alphabet(counts: NDArray[np.int64], *, least: int) -> list[str]:
    found = np.union1d(np.flatnonzero(counts >= max(least, 1)), [ord("\n")])
    return [chr(code) for code in found[np.argsort(-counts[found], kind="stable")]]


def _sample(texts: Iterable[str], *, most: int) -> list[str]:
    """The texts with the smallest hashes, as many as have at most `most` characters together."""
    chosen: list[tuple[int, str]] = []  # a heap with the greatest hash on top
    size, limit = 0, 1 << 64
    for text in texts:
        place = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
        if place >= limit:  # beyond one that had no room; taking it would make the order of texts matter
            continue
        heapq.heappush(chosen, (-place, text))
        size += len(text)
        while size > most:
            greatest, dropped = heapq.heappop(chosen)
            size, limit = size - len(dropped), -greatest
    return [text for _, text in chosen]


def _merges(texts: list[str], *, words: int, least: int) -> list[tuple[str, str]]:
    """The pairs that BPE merges, in their order, until there are so many words."""
    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(RUNS), "isolated")
    # Its alphabet is all characters. Those rarer than `least` are in no pair that occurs so often, so in no word.
    size = words + len(set().union(*texts))
    longest = LONGEST_WORD + 1  # the trainer takes only what is shorter
    trainer = BpeTrainer(vocab_size=size, min_frequency=max(least, 2), max_token_length=longest, show_progress=False)
    _interruptibly(lambda: inner.train_from_iterator(texts, trainer))
    found = json.loads(inner.to_str())["model"]["merges"]
    return [(left, right) for left, right in found]


def _interruptibly(work: Callable[[], None]) -> None:
    """Do work that takes minutes without looking whether the user wants to stop it."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)

    thread = Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if failed:
        raise failed[0]


def _numbered(tokens: Iterable[str]) -> dict[str, int]:
    return {token: number for number, token in enumerate((*SPECIAL, *tokens))}


def _tokenizer(model: models.Model, runs: str, kind: str) -> PreTrainedTokenizerFast:
    inner = Tokenizer(model)
    inner.pre_tokenizer = pre_tokenizers.Split(Regex(runs), "removed" if runs == BLANKS else "isolated")
    inner.decoder = decoders.Fuse()
    unknown, bos, eos, pad = SPECIAL
    return PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=inner,
        unk_token=unknown,
        bos_token=bos,
        eos_token=eos,
        pad_token=pad,
        clean_up_tokenization_spaces=False,
        **{DECLARED: kind},
    )
