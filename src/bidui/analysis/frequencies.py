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
SHOWN = 20  # problems of one file; more say no more


@dataclass(frozen=True, slots=True)
class WordFrequencies:
    """One row a word of the benchmark: its count there, its frequency in the list and its rank; commonest words first.

    Ranks count from 1, and equal frequencies share the best of theirs; 0 is a word that the list does not have.
    """

    words: tuple[str, ...]
    counts: NDArray[np.int64]
    frequencies: Floats
    ranks: NDArray[np.int64]

    @property
    def unlisted(self) -> int:
        """How many words the list does not have."""
        return int((self.ranks == 0).sum())


@dataclass(frozen=True, slots=True)
class Share:
    """How many words, and which parts of the words and of their occurrences."""

    words: int
    of_words: float
    of_occurrences: float


def compare_frequencies(counts: Mapping[str, int], *, reference: Mapping[str, float]) -> WordFrequencies:
    """The words of a benchmark with their places in a list of frequencies."""
    if not counts or not reference:
        raise fail("frequencies-none", Place(), {"words": len(counts), "listed": len(reference)})
    listed = np.sort(np.fromiter(reference.values(), np.float64, len(reference)))
    words = sorted(counts, key=lambda word: (-reference.get(word, -1.0), word))  # a tie is settled by the word
    known = np.array([word in reference for word in words])
    frequencies = np.array([reference.get(word, 0.0) for word in words])
    above = len(listed) - np.searchsorted(listed, frequencies, side="right")
    ranks = np.where(known, above + 1, 0).astype(np.int64)
    return WordFrequencies(tuple(words), np.array([counts[word] for word in words], np.int64), frequencies, ranks)


def within_rank(found: WordFrequencies, rank: int) -> Share:
    """The words among the `rank` commonest of the list; Xiang et al. report those within 5,000."""
    return _share(found, (found.ranks > 0) & (found.ranks <= rank))


def rank_bands(found: WordFrequencies, *, edges: Sequence[int] = EDGES) -> Mapping[str, Share]:
    """The words in each band of ranks, those beyond the last, and those not in the list: what Figure 1 draws."""
    if list(edges) != sorted(set(edges)) or not edges or edges[0] < 1:
        raise fail("bands-bad", Place(), {"edges": list(edges)})
    starts = [0, *edges[:-1]]
    bands = {
        f"{low + 1}-{high}": _share(found, (found.ranks > low) & (found.ranks <= high))
        for low, high in zip(starts, edges, strict=True)
    }
    beyond = _share(found, found.ranks > edges[-1])
    return {**bands, f">{edges[-1]}": beyond, "unlisted": _share(found, found.ranks == 0)}


def rank_quantiles(found: WordFrequencies, *, at: Sequence[float] = (0.25, 0.5, 0.75)) -> Mapping[float, float]:
    """Ranks that such parts of the words do not exceed; a word that is not in the list is beyond every rank."""
    ranks = np.sort(np.where(found.ranks > 0, found.ranks.astype(np.float64), np.inf))
    if any(not 0 < part <= 1 for part in at):
        raise fail("quantile-bad", Place(), {"parts": list(at)})
    return {part: float(ranks[int(np.ceil(part * len(ranks))) - 1]) for part in at}


def lexicon_counts(pairs: Iterable[Pair]) -> Mapping[str, int]:
    """In how many pairs each word of the lexicon was used; pairs that were not generated here have none."""
    return Counter(word for pair in pairs for word in pair.words)


def jieba_counts(pairs: Iterable[Pair]) -> Mapping[str, int]:
    """How often each word occurs in the sentences of both sides, as jieba divides them; punctuation is no word."""
    import logging

    import jieba  # here, since its dictionary takes a second to load

    jieba.setLogLevel(logging.WARNING)  # it reports its loading on the error stream, which is ours
    sentences = Counter(sentence for pair in pairs for sentence in (pair.good, pair.bad))
    counts: Counter[str] = Counter()
    for sentence, times in sentences.items():
        for word in jieba.cut(sentence):
            if any(map(str.isalnum, word)):
                counts[word] += times
    return counts


def read_frequencies(path: Path, *, word: int = 1, count: int = 2, skip: int = 0) -> Mapping[str, float]:
    """The list in a text file, one word a line; columns, counted from 1, are parted by blanks or tabs.

    The Leeds list of the Chinese Internet corpus has the word in column 3. A word on several lines, as in lists with
    parts of speech, has the sum of its counts. `skip` lines at the top are not read; neither are empty ones.
    """
    found: dict[str, float] = {}
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
            found[cells[word - 1]] = found.get(cells[word - 1], 0.0) + value
    if problems:
        raise InputError(problems[:SHOWN])
    if not found:
        raise fail("frequency-file-empty", Place(str(path)))
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def _share(found: WordFrequencies, chosen: NDArray[np.bool_]) -> Share:
    words, occurrences = int(chosen.sum()), int(found.counts[chosen].sum())
    return Share(words, words / len(found.words), occurrences / int(found.counts.sum()))
