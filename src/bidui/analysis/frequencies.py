"""Word frequencies of a benchmark against the list of a corpus: are its words common ones (Xiang et al., Figure 1)?"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import decode, read_bytes
from bidui.pairs import Pair
from bidui.scores.links import Floats

EDGES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
SHOWN = 20  # problems reported per file


@dataclass(frozen=True, slots=True)
class WordFrequencies:
    """One row per word of the benchmark: its count there, its frequency in the list and its rank; frequent words first.

    Ranks count from 1, and equal frequencies share the best rank; 0 is a word that the list does not have.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    frequencies: Floats
    ranks: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Share:
    """How many words, and their share of all words and of all occurrences."""

    words: int
    of_words: float
    of_occurrences: float


def compare_frequencies(counts: Mapping[str, int], *, reference: Mapping[str, float]) -> WordFrequencies:
    """Look up the words of a benchmark in a list of frequencies."""
    if not counts or not reference:
        raise fail("frequencies-none", None, {"words": len(counts), "listed": len(reference)})
    listed = np.sort(np.fromiter(reference.values(), np.float64, len(reference)))
    words = sorted(counts, key=lambda word: (-reference.get(word, -1.0), word))  # ties are ordered by the word
    listed_words = np.array([word in reference for word in words])
    frequencies = np.array([reference.get(word, 0.0) for word in words])
    above = len(listed) - np.searchsorted(listed, frequencies, side="right")
    ranks = np.where(listed_words, above + 1, 0).astype(np.int64)
    return WordFrequencies(tuple(words), np.array([counts[word] for word in words], np.int64), frequencies, ranks)


def within_rank(words: WordFrequencies, rank: int) -> Share:
    """Return the share of words among the `rank` most frequent of the list; Xiang et al. report those within 5,000."""
    return _share(words, (words.ranks > 0) & (words.ranks <= rank))


def rank_bands(words: WordFrequencies, *, edges: Sequence[int] = EDGES) -> Mapping[str, Share]:
    """Return the words in each band of ranks, beyond the last band, and not in the list: what Figure 1 shows."""
    starts = [0, *edges[:-1]]
    bands = {
        f"{low + 1}-{high}": _share(words, (words.ranks > low) & (words.ranks <= high))
        for low, high in zip(starts, edges, strict=True)
    }
    beyond = _share(words, words.ranks > edges[-1])
    return {**bands, f">{edges[-1]}": beyond, "unlisted": _share(words, words.ranks == 0)}


def median_rank(words: WordFrequencies) -> float:
    """Return the rank that half of the words do not exceed; a word not in the list is beyond every rank."""
    ranks = np.sort(np.where(words.ranks > 0, words.ranks.astype(np.float64), np.inf))
    return float(ranks[(len(ranks) - 1) // 2])


def lexicon_counts(pairs: Iterable[Pair]) -> Mapping[str, int]:
    """Count in how many pairs each word of the lexicon was used; pairs not generated here have no such words."""
    return Counter(word for pair in pairs for word in pair.words)


def jieba_counts(pairs: Iterable[Pair]) -> Mapping[str, int]:
    """Count the words in the sentences of both sides, segmented by jieba; punctuation does not count."""
    import logging

    import jieba  # here, since its dictionary takes a second to load

    jieba.setLogLevel(logging.WARNING)  # it would report its loading on stderr
    sentences = Counter(sentence for pair in pairs for sentence in (pair.good, pair.bad))
    counts: Counter[str] = Counter()
    for sentence, times in sentences.items():
        for word in jieba.cut(sentence):
            if any(map(str.isalnum, word)):
                counts[word] += times
    return counts


def read_frequencies(path: Path, *, word: int = 1, count: int = 2, skip: int = 0) -> Mapping[str, float]:
    """Read a list in a text file, one word per line; columns, counted from 1, are separated by spaces or tabs.

    The Leeds list of the Chinese Internet corpus has the word in column 3. A word on several lines, as in lists with
    parts of speech, gets the sum of its counts. The first `skip` lines and empty lines are not read.
    """
    frequencies: dict[str, float] = {}
    problems: list[Problem] = []
    for number, line in enumerate(decode(read_bytes(path), file=str(path)).splitlines(), start=1):
        cells = line.split()
        if number <= skip or not cells:
            continue
        value = _number(cells[count - 1]) if len(cells) >= max(word, count) else None
        if value is None:
            values = {"line": line, "word": word, "count": count}
            problems.append(Problem("frequency-line", Place(str(path), number), values))
        else:
            frequencies[cells[word - 1]] = frequencies.get(cells[word - 1], 0.0) + value
    if problems:
        raise InputError(problems[:SHOWN])
    if not frequencies:
        raise fail("frequency-file-empty", Place(str(path)))
    return frequencies


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def _share(words: WordFrequencies, chosen: NDArray[np.bool_]) -> Share:
    count, occurrences = int(chosen.sum()), int(words.counts[chosen].sum())
    return Share(count, count / len(words.words), occurrences / int(words.counts.sum()))
