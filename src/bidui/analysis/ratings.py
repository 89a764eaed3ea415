"""Graded ratings of sentences, z-scored per rater, as in Liu et al., appendix A."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bidui.analysis.estimate import finite
from bidui.pairs import Side
from bidui.scores.links import Floats


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater gave to one sentence: a side of a pair. Any scale will do, the higher the better."""

    rater: str
    uid: str
    pair: int
    side: Side
    value: float


@dataclass(frozen=True, slots=True)
class Acceptability:
    """One row a sentence: the mean of its z-scored ratings and how many they are; and what could not be used."""

    uids: NDArray[np.object_]
    pairs: NDArray[np.int32]
    good: NDArray[np.bool_]  # whether it is the good side
    values: Floats
    counts: NDArray[np.int64]
    constant: tuple[str, ...]  # raters who gave the same to every sentence, so that there is nothing to scale by
    ratings_lost: int  # theirs
    sentences_lost: int  # rated by nobody else


def acceptability(ratings: Iterable[Rating]) -> Acceptability:
    """The ratings of each rater, less their mean and over their standard deviation (n - 1), averaged by sentence.

    That takes out who is kind and who keeps to the middle of the scale. Raters without any variance are left out and
    named.
    """
    rows = list(ratings)
    values = finite([row.value for row in rows])
    raters, who = np.unique([row.rater for row in rows], return_inverse=True)
    z, varied = _by_rater(values, who, len(raters))
    sentences = [(row.uid, row.pair, row.side) for row in rows]
    order = {sentence: code for code, sentence in enumerate(dict.fromkeys(sentences))}
    codes = np.fromiter((order[sentence] for sentence in sentences), np.intp, len(rows))
    used = varied[who]
    counts = np.bincount(codes[used], minlength=len(order))
    sums = np.bincount(codes[used], z[used], len(order))
    kept = np.flatnonzero(counts)
    uids, pairs, sides = zip(*order, strict=True)
    return Acceptability(
        np.array(uids, object)[kept],
        np.array(pairs, np.int32)[kept],
        np.array([side == "good" for side in sides])[kept],
        sums[kept] / counts[kept],
        counts[kept],
        tuple(raters[~varied].tolist()),
        int((~used).sum()),
        len(order) - len(kept),
    )


def _by_rater(values: Floats, who: NDArray[np.intp], raters: int) -> tuple[Floats, NDArray[np.bool_]]:
    """The z-score of each rating, and for each rater whether there is one."""
    z, varied = np.zeros(len(values)), np.zeros(raters, bool)
    for rater in range(raters):
        mine = values[who == rater]
        # asked of the values themselves: the deviation of equal ones may be a rounding error above zero
        varied[rater] = mine.min() != mine.max()
        if varied[rater]:
            z[who == rater] = (mine - mine.mean()) / mine.std(ddof=1)
    return z, varied
