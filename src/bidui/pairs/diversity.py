"""How varied a set of pairs is: the statistics of SLING's Table 6, and what our own lexicon and lengths add."""

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from bidui.pairs.pair import Pair


@dataclass(frozen=True, slots=True)
class Shares:
    """Parts of the pairs, each from 0 to 1."""

    equal: float
    good_shorter: float
    good_longer: float


@dataclass(frozen=True, slots=True)
class Diversity:
    """Counts over all sentences of both sides, and over the pairs by length in characters."""

    sentences: int
    distinct_sentences: int
    ngrams: tuple[int, int, int, int]  # types of 1 to 4 characters; none crosses a sentence
    jieba_words: int  # word types as jieba divides the sentences
    lexicon_words: int  # distinct expressions of the lexicon used
    mean_length: float  # characters
    median_length: float
    equal: int  # pairs of D=
    good_shorter: int  # D<
    good_longer: int  # D>

    @property
    def pairs(self) -> int:
        """How many pairs were measured."""
        return self.equal + self.good_shorter + self.good_longer

    @property
    def shares(self) -> Shares:
        """The length groups as parts of all pairs."""
        whole = self.pairs or 1
        return Shares(self.equal / whole, self.good_shorter / whole, self.good_longer / whole)


def measure_diversity(pairs: Iterable[Pair]) -> Diversity:
    """Count types of characters, n-grams and words, sentence lengths, and which side is longer (Song et al. 2022)."""
    from statistics import median  # here, so that `import bidui` stays quick

    pairs = tuple(pairs)
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

    jieba.setLogLevel(logging.WARNING)  # it reports its loading on the error stream, which is ours
    words: set[str] = set()
    for sentence in sentences:
        words.update(jieba.cut(sentence))
    return sum(not word.isspace() for word in words)
