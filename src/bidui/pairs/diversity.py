"""How varied pairs are, and whether their two sides can be told apart without any grammar.

`measure_diversity` gives the statistics of SLING's Table 6, the words of the lexicon and the groups by length.
`told_apart` is the accuracy of a naive Bayes classifier that sees only characters and lengths. It learns from most
pairs of a paradigm and is tested on the others. It sees no order, so a pure reordering leaves it at chance. Where the
contrast itself is a word or a length, it is right to succeed; elsewhere success means that the pairs test less than
they should.
"""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

from bidui.frames import to_pandas
from bidui.pairs.folder import AnyPairs, as_pairs

if TYPE_CHECKING:
    import pandas
    import polars


@dataclass(frozen=True, slots=True)
class Shares:
    """The length groups as fractions of all pairs, from 0 to 1."""

    equal: float
    good_shorter: float
    good_longer: float


@dataclass(frozen=True, slots=True)
class Diversity:
    """Counts over all sentences of both sides, and over the pairs by length in characters."""

    sentences: int
    distinct_sentences: int
    ngrams: tuple[int, int, int, int]  # types of 1 to 4 characters; none crosses a sentence
    jieba_words: int  # word types by jieba's segmentation
    lexicon_words: int  # distinct expressions of the lexicon used
    mean_length: float  # characters
    median_length: float
    equal: int  # pairs of D=
    good_shorter: int  # D<
    good_longer: int  # D>

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return self.equal + self.good_shorter + self.good_longer

    @property
    def frame(self) -> "polars.DataFrame":
        """A polars data frame with one row, to be put below those of other pairs."""
        import polars  # here, so that `import bidui` stays quick

        ngrams = {f"{n}-grams": count for n, count in enumerate(self.ngrams, start=1)}
        fields = {name: getattr(self, name) for name in Diversity.__slots__ if name != "ngrams"}
        return polars.DataFrame([{"pairs": self.pairs, **fields, **ngrams}])

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def _repr_html_(self) -> str:
        return self.frame._repr_html_()

    @property
    def shares(self) -> Shares:
        """The length groups as fractions of all pairs."""
        whole = self.pairs or 1
        return Shares(self.equal / whole, self.good_shorter / whole, self.good_longer / whole)


def measure_diversity(pairs: AnyPairs) -> Diversity:
    """Count types of characters, n-grams and words, sentence lengths, and which side is longer (Song et al. 2022)."""
    from statistics import median  # here, so that `import bidui` stays quick

    pairs = as_pairs(pairs)
    sentences = [sentence for pair in pairs for sentence in (pair.good, pair.bad)]
    distinct = dict.fromkeys(sentences)  # types need each sentence once
    lengths = [len(sentence) for sentence in sentences]
    shorter = sum(len(pair.good) < len(pair.bad) for pair in pairs)
    longer = sum(len(pair.good) > len(pair.bad) for pair in pairs)
    return Diversity(
        sentences=len(sentences),
        distinct_sentences=len(distinct),
        ngrams=(_ngrams(distinct, 1), _ngrams(distinct, 2), _ngrams(distinct, 3), _ngrams(distinct, 4)),
        jieba_words=_jieba_words(distinct),
        lexicon_words=len({word for pair in pairs for word in pair.words}),
        mean_length=sum(lengths) / len(lengths) if lengths else 0.0,
        median_length=float(median(lengths)) if lengths else 0.0,
        equal=len(pairs) - shorter - longer,
        good_shorter=shorter,
        good_longer=longer,
    )


def _ngrams(sentences: Iterable[str], n: int) -> int:
    types: set[str] = set()
    for sentence in sentences:
        types.update([sentence[start : start + n] for start in range(len(sentence) - n + 1)])
    return len(types)


def _jieba_words(sentences: Iterable[str]) -> int:
    import jieba  # here, since its dictionary takes a second to load

    jieba.setLogLevel(logging.WARNING)  # it reports its loading on stderr
    words: set[str] = set()
    for sentence in sentences:
        words.update(jieba.cut(sentence))
    return sum(not word.isspace() for word in words)


# The classifier

FOLDS = 10


def told_apart(pairs: AnyPairs) -> float:
    """Return the cross-validated accuracy of the classifier; a tie counts one half, and chance is 0.5."""
    bags = [(_bag(pair.good), _bag(pair.bad)) for pair in as_pairs(pairs)]
    if len(bags) < FOLDS:
        return 0.5
    correct = 0.0
    for fold in range(FOLDS):
        held_out = bags[fold::FOLDS]
        rest = [bag for number, bag in enumerate(bags) if number % FOLDS != fold]
        weights = _learn(rest)
        for good, bad in held_out:
            correct += _half(sum(weights.get(mark, 0.0) for mark in good))
            correct += _half(-sum(weights.get(mark, 0.0) for mark in bad))
    return correct / (2 * len(bags))


def _bag(sentence: str) -> frozenset[str]:
    counts = Counter(sentence)
    return frozenset(f"{char}{n}" for char, most in counts.items() for n in range(1, most + 1)) | {f"#{len(sentence)}"}


def _learn(bags: Sequence[tuple[frozenset[str], frozenset[str]]]) -> dict[str, float]:
    """Return the log odds of the good side for each mark; a mark that both sides have equally often weighs nothing."""
    counts = [Counter(mark for bag in bags for mark in bag[side]) for side in (0, 1)]
    marks = counts[0].keys() | counts[1].keys()
    return {mark: log((counts[0][mark] + 1) / (counts[1][mark] + 1)) for mark in marks}


def _half(score: float) -> float:
    return 0.5 if abs(score) < 1e-9 else float(score > 0)
