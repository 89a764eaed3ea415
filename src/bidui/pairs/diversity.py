"""How varied pairs are, and whether their two sides can be told apart without any grammar.

`measure_diversity` gives the statistics of SLING's Table 6, the words of the lexicon and the groups by length;
`compare_diversity` compares several sets of pairs at the same size, as that table does.
`told_apart` is the accuracy of a naive Bayes classifier that sees only characters and lengths. It learns from most
pairs of a paradigm and is tested on the others. It sees no order, so a pure reordering leaves it at chance. Where the
contrast itself is a word or a length, it is right to succeed; elsewhere success means that the pairs test less than
they should.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Literal

from bidui.errors import fail
from bidui.notebooks import to_pandas
from bidui.pairs.folder import AnyPairs, as_pairs
from bidui.pairs.pair import Writing, count_words, guess_writing, is_tag, words, writing_of

if TYPE_CHECKING:
    import pandas
    import polars


Unit = Literal["characters", "words"]
_JIEBA = ("zh", "cmn")
SAMPLES = 10  # of one size


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
    pairs = as_pairs(pairs)
    sentences = [sentence for pair in pairs for sentence in (pair.good, pair.bad)]
    writing, segmenter, split = _segmentation(sentences, lang, segment)
    found = _types(sentences, writing, split)
    differences = [good - bad for good, bad in zip(found.lengths[::2], found.lengths[1::2], strict=True)]
    shorter, longer = sum(d < 0 for d in differences), sum(d > 0 for d in differences)
    return Diversity(
        sentences=len(sentences),
        distinct_sentences=found.distinct,
        ngrams=found.ngrams,
        word_types=found.words,
        lexicon_words=len({word for pair in pairs for word in pair.words}),
        mean_length=found.mean,
        median_length=found.median,
        equal=len(pairs) - shorter - longer,
        good_shorter=shorter,
        good_longer=longer,
        unit="words" if writing.spaced else "characters",
        segmenter=segmenter,
    )


Split = Callable[[str], Iterable[str]]


def _segmentation(
    sentences: Iterable[str], lang: str | None, segment: Split | None
) -> tuple[Writing, str, Split | None]:
    """Return how the sentences are written, what finds their words, and the function that does; None if nothing can."""
    if lang is not None and not is_tag(lang):
        raise fail("lang-tag", None, {"value": lang})
    writing = writing_of(lang) if lang is not None else guess_writing(dict.fromkeys(sentences))
    segmenter = "custom" if segment else "blanks" if writing.spaced else "jieba" if writing.language in _JIEBA else ""
    return writing, segmenter, segment or {"blanks": _plain_words, "jieba": _jieba_words}.get(segmenter)


@dataclass(frozen=True, slots=True)
class _Types:
    """What sentences are made of, and how long each of them is."""

    distinct: int
    ngrams: tuple[int, int, int, int]
    words: int | None
    lengths: tuple[int, ...]

    @property
    def mean(self) -> float:
        return sum(self.lengths) / len(self.lengths) if self.lengths else 0.0

    @property
    def median(self) -> float:
        from statistics import median  # here, so that `import bidui` stays quick

        return float(median(self.lengths)) if self.lengths else 0.0


def _types(sentences: Sequence[str], writing: Writing, split: Split | None) -> _Types:
    distinct = dict.fromkeys(sentences)  # types need each sentence once
    units = [_plain_words(sentence) if writing.spaced else sentence for sentence in distinct]
    return _Types(
        len(distinct),
        (_ngrams(units, 1), _ngrams(units, 2), _ngrams(units, 3), _ngrams(units, 4)),
        _word_types(map(split, distinct)) if split else None,
        tuple(count_words(sentence) if writing.spaced else len(sentence) for sentence in sentences),
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


# Several benchmarks compared at the same size (SLING, Table 6): more sentences have more types


@dataclass(frozen=True, slots=True)
class SentenceTypes:
    """The types in all sentences of a set of pairs, or in a sample of them."""

    name: str
    sentences: int
    of: int  # sentences of the set, as many where these are all
    ngrams: tuple[int, int, int, int]  # types of 1 to 4 characters or words; none crosses a sentence
    word_types: int | None  # None where words are not separated and there is no segmenter
    mean_length: float
    median_length: float
    unit: Unit  # of lengths and n-grams
    segmenter: str
    deviations: tuple[float, ...] = ()  # of a sample: of n-gram and word types, over ten samples of this size

    @property
    def head(self) -> str:
        """The name with the number of sentences."""
        return f"{self.name} ({self.sentences:,}{'' if self.sentences == self.of else f' of {self.of:,}'})"


@dataclass(frozen=True, slots=True)
class DiversityTable:
    """The types of several sets of pairs, each as a whole and, where it is larger than others, in a sample."""

    columns: tuple[SentenceTypes, ...]

    @property
    def rows(self) -> list[dict[str, str | int | None]]:
        """One row per measure and one column per set or sample, as in the table of the paper.

        Beside a sample is the standard deviation of its counts over ten samples.
        """
        measures: dict[str, Callable[[SentenceTypes], str | int | None]] = {
            "sentences": lambda one: one.sentences,
            **{f"{n + 1}-gram types": lambda one, n=n: one.ngrams[n] for n in range(4)},  # type: ignore[misc]
            "n-grams of": lambda one: one.unit,
            "word types": lambda one: one.word_types,
            "words by": lambda one: one.segmenter or "-",
            "mean length": lambda one: f"{one.mean_length:.1f}",
            "median length": lambda one: f"{one.median_length:g}",
        }
        varied = [name for name in measures if name.endswith("types")]
        return [
            {"measure": name, **{head: cell for one in self.columns for head, cell in _cells(one, name, of, varied)}}
            for name, of in measures.items()
        ]

    @property
    def frame(self) -> "polars.DataFrame":
        """A polars data frame with one row per set or sample."""
        import polars  # here, so that `import bidui` stays quick

        fields = [name for name in SentenceTypes.__slots__ if name not in ("ngrams", "deviations")]
        counts = [*(f"{n}-grams" for n in range(1, 5)), "word_types"]
        rows = []
        for one in self.columns:
            spread = dict(zip((f"{name}_sd" for name in counts), one.deviations or (None,) * 5, strict=False))
            ngrams = dict(zip(counts, one.ngrams, strict=False))
            rows.append({name: getattr(one, name) for name in fields} | ngrams | spread)
        return polars.DataFrame(rows, infer_schema_length=None)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return `frame` for pandas."""
        return to_pandas(self.frame)

    def _repr_html_(self) -> str:
        return self.frame._repr_html_()


def _cells(
    one: SentenceTypes, name: str, of: Callable[[SentenceTypes], str | int | None], varied: Sequence[str]
) -> Iterator[tuple[str, str | int | None]]:
    """Yield the cell of a measure, and beside that of a sample its standard deviation."""
    yield one.head, of(one)
    if one.deviations:
        spread = dict(zip(varied, one.deviations, strict=False))  # words are not counted in every language
        yield f"SD of {one.head}", f"{spread[name]:.1f}" if name in spread else None


def compare_diversity(
    sets: Mapping[str, AnyPairs],
    *,
    sentences: int | None = None,
    seed: int = 0,
    lang: str | None = None,
    segment: Callable[[str], Iterable[str]] | None = None,
) -> DiversityTable:
    """Count the types of several sets of pairs, by name, as wholes and at the same size (Song et al. 2022, Table 6).

    As in the paper, samples are of single sentences, drawn without replacement: as many as the smallest set has, or as
    `sentences` says. The sentences of a set are shuffled by `seed`, in the same way whatever the size of the sample.
    Nine more samples tell how far the counts of one vary.
    """
    from random import Random  # here, so that `import bidui` stays quick

    every = {name: [side for pair in as_pairs(own) for side in (pair.good, pair.bad)] for name, own in sets.items()}
    if sentences is not None and sentences < 1:
        raise fail("diversity-sentences", None, {"count": sentences})
    if empty := [name for name, own in every.items() if not own]:
        raise fail("diversity-empty", None, {"sets": empty})
    size = sentences or min(map(len, every.values()), default=0)
    columns: list[SentenceTypes] = []
    for name, own in every.items():
        writing, segmenter, split = _segmentation(own, lang, segment)
        words = {sentence: tuple(split(sentence)) for sentence in dict.fromkeys(own)} if split else None
        rng, of_words = Random(seed), words.__getitem__ if words is not None else None
        samples = [
            _types(rng.sample(own, len(own))[:size], writing, of_words)
            for _ in range(SAMPLES if size < len(own) else 0)
        ]
        whole = _types(own, writing, of_words)
        for found in (*samples[:1], whole):
            counts = (len(found.lengths), len(own), found.ngrams, found.words, found.mean, found.median)
            unit: Unit = "words" if writing.spaced else "characters"
            spread = () if found is whole else _deviations(samples)
            columns.append(SentenceTypes(name, *counts, unit, segmenter, spread))
    return DiversityTable(tuple(columns))


def _deviations(samples: Sequence[_Types]) -> tuple[float, ...]:
    """Return the standard deviations over samples of n-gram types and, where they are known, of word types."""
    from statistics import stdev  # here, so that `import bidui` stays quick

    counts = [(*one.ngrams, *(() if one.words is None else (one.words,))) for one in samples]
    return tuple(map(stdev, zip(*counts, strict=True)))


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
