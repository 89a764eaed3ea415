"""How varied pairs are, and whether their two sides can be told apart without any grammar.

`measure_diversity` gives the statistics of SLING's Table 6, the words of the lexicon and the groups by length.
`told_apart` is the accuracy of a naive Bayes classifier that sees only characters and lengths. It learns from most
pairs of a paradigm and is tested on the others. It sees no order, so a pure reordering leaves it at chance. Where the
contrast itself is a word or a length, it is right to succeed; elsewhere success means that the pairs test less than
they should.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Literal

from bidui.errors import fail
from bidui.notebooks import to_pandas
from bidui.pairs.folder import AnyPairs, as_pairs
from bidui.pairs.pair import count_words, guess_writing, is_tag, words, writing_of

if TYPE_CHECKING:
    import pandas
    import polars


Unit = Literal["characters", "words"]
_JIEBA = ("zh", "cmn")


@dataclass(frozen=True, slots=True)
class Shares:
    """The length groups as fractions of all pairs, from 0 to 1."""

    equal: float
    good_shorter: float
    good_longer: float


@dataclass(frozen=True, slots=True)
class Diversity:
    """Counts over all sentences of both sides, and over the pairs by length, in characters or words (`unit`)."""

    sentences: int
    distinct_sentences: int
    ngrams: tuple[int, int, int, int]  # types of 1 to 4 characters or words; none crosses a sentence
    word_types: int | None  # None where words are not separated and there is no segmenter
    lexicon_words: int  # distinct expressions of the lexicon used
    mean_length: float
    median_length: float
    equal: int  # pairs of D=
    good_shorter: int  # D<
    good_longer: int  # D>
    unit: Unit = "characters"  # of lengths and n-grams
    segmenter: str = "jieba"  # what found the words: jieba, blanks, custom; empty where nothing did

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


def measure_diversity(
    pairs: AnyPairs, *, lang: str | None = None, segment: Callable[[str], Iterable[str]] | None = None
) -> Diversity:
    """Count types of n-grams and words, sentence lengths, and which side is longer (Song et al. 2022).

    Where blanks separate words, lengths and n-grams are counted in words, as `equal_length` does, and otherwise in
    characters. `lang` is a tag of BCP 47; without it, the sentences decide. Words are those between blanks, those of
    jieba in Chinese, or what `segment` returns for a sentence.
    """
    from statistics import median  # here, so that `import bidui` stays quick

    pairs = as_pairs(pairs)
    sentences = [sentence for pair in pairs for sentence in (pair.good, pair.bad)]
    distinct = dict.fromkeys(sentences)  # types need each sentence once
    if lang is not None and not is_tag(lang):
        raise fail("lang-tag", None, {"value": lang})
    writing = writing_of(lang) if lang is not None else guess_writing(distinct)
    lengths = [count_words(sentence) if writing.spaced else len(sentence) for sentence in sentences]
    differences = [good - bad for good, bad in zip(lengths[::2], lengths[1::2], strict=True)]
    shorter, longer = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    segmenter = "custom" if segment else "blanks" if writing.spaced else "jieba" if writing.language in _JIEBA else ""
    split = segment or {"blanks": _plain_words, "jieba": _jieba_words}.get(segmenter)
    units = [_plain_words(sentence) if writing.spaced else sentence for sentence in distinct]
    return Diversity(
        sentences=len(sentences),
        distinct_sentences=len(distinct),
        ngrams=(_ngrams(units, 1), _ngrams(units, 2), _ngrams(units, 3), _ngrams(units, 4)),
        word_types=_word_types(map(split, distinct)) if split else None,
        lexicon_words=len({word for pair in pairs for word in pair.words}),
        mean_length=sum(lengths) / len(lengths) if lengths else 0.0,
        median_length=float(median(lengths)) if lengths else 0.0,
        equal=len(pairs) - shorter - longer,
        good_shorter=shorter,
        good_longer=longer,
        unit="words" if writing.spaced else "characters",
        segmenter=segmenter,
    )


def _ngrams(sentences: Iterable[str | tuple[str, ...]], n: int) -> int:
    types: set[str | tuple[str, ...]] = set()
    for sentence in sentences:
        types.update([sentence[start : start + n] for start in range(len(sentence) - n + 1)])
    return len(types)


def _plain_words(sentence: str) -> tuple[str, ...]:
    """Return the words between blanks, without punctuation, which is no word for lengths either."""
    return tuple(word for word, _, _ in words(sentence) if any(map(str.isalnum, word)))


def _jieba_words(sentence: str) -> Iterable[str]:
    import jieba  # here, since its dictionary takes a second to load

    jieba.setLogLevel(logging.WARNING)  # it reports its loading on stderr
    return jieba.cut(sentence)  # type: ignore[no-any-return]


def _word_types(sentences: Iterable[Iterable[str]]) -> int:
    types: set[str] = set()
    for sentence in sentences:
        types.update(sentence)
    return sum(not word.isspace() for word in types)


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
