"""Giveaways: could the two sides of a paradigm be told apart without any grammar, by their characters and lengths?

A naive Bayes classifier learns from most pairs of a paradigm which characters and lengths the good side has, and is
tried on the others. It sees no order, so a pure reordering leaves it at chance. Where the contrast itself is a word or
a length it is right to succeed; elsewhere success means that the pairs ask for less than they should.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from bidui.pairs.pair import Pair

FOLDS = 10


def told_apart(pairs: Iterable[Pair]) -> float:
    """The part of sentences put on the right side, cross-validated; a tie counts one half, and chance is 0.5."""
    bags = [(_bag(pair.good), _bag(pair.bad)) for pair in pairs]
    if len(bags) < FOLDS:
        return 0.5
    right = 0.0
    for fold in range(FOLDS):
        held_out = bags[fold::FOLDS]
        rest = [bag for number, bag in enumerate(bags) if number % FOLDS != fold]
        weights = _learn(rest)
        for good, bad in held_out:
            right += _half(sum(weights.get(mark, 0.0) for mark in good))
            right += _half(-sum(weights.get(mark, 0.0) for mark in bad))
    return right / (2 * len(bags))


def _bag(sentence: str) -> frozenset[str]:
    counts = Counter(sentence)
    return frozenset(f"{char}{n}" for char, most in counts.items() for n in range(1, most + 1)) | {f"#{len(sentence)}"}


def _learn(bags: Sequence[tuple[frozenset[str], frozenset[str]]]) -> dict[str, float]:
    """For each mark the log odds of the good side; what both sides have alike weighs exactly nothing."""
    counts = [Counter(mark for bag in bags for mark in bag[side]) for side in (0, 1)]
    marks = counts[0].keys() | counts[1].keys()
    return {mark: log((counts[0][mark] + 1) / (counts[1][mark] + 1)) for mark in marks}


def _half(score: float) -> float:
    return 0.5 if abs(score) < 1e-9 else float(score > 0)
