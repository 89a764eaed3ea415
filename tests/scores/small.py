"""A model whose scores can be worked out in the head, and the pairs it is asked about."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bidui.models.model import TokenScores
from bidui.pairs import Pair, Pairs
from bidui.scores.table import ScoreTable, score_table

LETTERS = "甲乙丙丁戊"


@dataclass
class Counting:
    """A token a character: 甲 has the log-probability -1, 乙 -2, and so on; anything else is unknown, at -9.

    It counts what it is asked, and breaks at the sentence it is told to break at.
    """

    name: str = "counting"
    declared: dict[str, str | int | bool | None] = field(default_factory=lambda: {"kind": "counting", "dtype": "f4"})
    breaks_at: str = ""
    asked: list[list[str]] = field(default_factory=list)

    def score(self, sentences: Sequence[str]) -> Iterator[TokenScores]:
        self.asked.append(list(sentences))
        for sentence in sentences:
            if sentence == self.breaks_at:
                raise RuntimeError(f"the machine broke at {sentence}")
            yield scores(sentence)

    def token_texts(self, ids: Iterable[int]) -> dict[int, str]:
        return {number: ("<unk>", *LETTERS)[number] for number in ids}

    def unknown(self, ids: NDArray[np.int32]) -> NDArray[np.bool_]:
        return ids == 0


def scores(sentence: str) -> TokenScores:
    ids = np.array([LETTERS.find(char) + 1 for char in sentence], np.int32)
    at = np.arange(len(sentence), dtype=np.int32)
    return TokenScores(sentence, ids, at, at + 1, np.where(ids == 0, -9, -ids).astype(np.float32))


def pair(uid: str, number: int, good: str, bad: str, *, phenomenon: str = "p") -> Pair:
    return Pair(good, bad, uid, phenomenon, number)


def paradigms(count: int = 4, *, size: int = 3) -> Pairs:
    """Paradigms a, b, …, of sentences that are all different: 甲b乙, 甲b乙乙, … against the same with 丙 after it."""
    return Pairs(
        tuple(
            pair(uid, number, f"甲{uid}{'乙' * number}", f"甲{uid}{'乙' * number}丙")
            for uid in "abcdefghijklmnopqrstuvwxyz"[:count]
            for number in range(1, size + 1)
        )
    )


def table_of(*sides: tuple[str, str]) -> ScoreTable:
    """The table of pairs (good, bad) by `Counting`."""
    pairs = [pair("u", number, good, bad) for number, (good, bad) in enumerate(sides)]
    both = [scores(side) for one in sides for side in one]
    return score_table(pairs, both, Counting().token_texts(range(len(LETTERS) + 1)))
