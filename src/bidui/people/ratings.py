"""Graded ratings of sentences: read from a file, and z-scored per rater as in Liu et al., appendix A."""

import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import decode, read_bytes
from bidui.pairs import Side

COLUMNS = ("rater", "uid", "pair", "side", "rating")
NUMBER = re.compile(r"[0-9]{1,9}")  # of a pair
SHOWN = 20  # problems reported per file

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater gave to one sentence: a side of a pair. Any scale works; higher is better."""

    rater: str
    uid: str
    pair: int
    side: Side
    value: float


@dataclass(frozen=True, slots=True)
class Acceptability:
    """One row per sentence: the mean of its z-scored ratings and their number; and what could not be used."""

    uids: NDArray[np.object_]
    pairs: NDArray[np.int32]
    good: NDArray[np.bool_]  # whether it is the good side
    values: Floats
    counts: NDArray[np.int64]
    constant: tuple[str, ...]  # raters who gave every sentence the same rating, so there is nothing to scale by
    ratings_lost: int  # ratings of these raters
    sentences_lost: int  # sentences rated by nobody else


def read_ratings(path: Path) -> tuple[Rating, ...]:
    """Read a file with a header that names at least rater, uid, pair, side (good or bad) and rating.

    A file that ends in .csv is separated by commas, any other by tabs. Empty lines and further columns are ignored. A
    line that cannot be read is an error; all errors are reported together.
    """
    comma = path.suffix.lower() == ".csv"
    text = io.StringIO(decode(read_bytes(path), file=str(path)), newline="")
    reader = csv.DictReader(
        text, delimiter="," if comma else "\t", quoting=csv.QUOTE_MINIMAL if comma else csv.QUOTE_NONE
    )
    ratings: list[Rating] = []
    problems: list[Problem] = []
    try:
        names = reader.fieldnames or []
        if missing := [name for name in COLUMNS if name not in names]:
            raise fail("ratings-columns", Place(str(path), 1), {"missing": missing, "columns": list(names)})
        for row in reader:
            rating = _rating({name: (row[name] or "").strip() for name in COLUMNS}, Place(str(path), reader.line_num))
            if isinstance(rating, Problem):
                problems.append(rating)
            else:
                ratings.append(rating)
    except csv.Error as error:  # a cell of more than 131,072 characters, as after a quotation mark that is not closed
        raise fail("ratings-unreadable", Place(str(path), reader.line_num), {"reason": str(error)}) from error
    if problems:
        raise InputError(problems[:SHOWN])
    if not ratings:
        raise fail("ratings-none", Place(str(path)))
    return tuple(ratings)


def acceptability(ratings: Iterable[Rating]) -> Acceptability:
    """Scale the ratings of each rater by their mean and standard deviation (n − 1), and average them by sentence.

    This removes differences between lenient and strict raters, and between wide and narrow uses of the scale. Raters
    without any variance are left out and named.
    """
    rows = list(ratings)
    values = _finite_values(rows)
    raters, who = np.unique([row.rater for row in rows], return_inverse=True)
    z, varied = z_scores(values, who, len(raters))
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


def _rating(row: Mapping[str, str], place: Place) -> Rating | Problem:
    rater, uid, pair, side, rating = (row[name] for name in COLUMNS)
    for name in ("rater", "uid"):
        if not row[name]:
            return Problem("ratings-empty", place, {"column": name})
    if not NUMBER.fullmatch(pair):
        return Problem("ratings-pair", place, {"value": pair})
    if side not in ("good", "bad"):
        return Problem("ratings-side", place, {"value": side})
    try:
        value = float(rating)
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        return Problem("ratings-value", place, {"value": rating})
    return Rating(rater, uid, int(pair), "good" if side == "good" else "bad", value)


def _finite_values(rows: list[Rating]) -> Floats:
    """Return the values; refuse no ratings at all, and NaN or infinity, which code can pass though files cannot."""
    if not rows:
        raise fail("too-few-values", None, {"count": 0, "needed": 1})
    for number, row in enumerate(rows, 1):
        if not isfinite(row.value):
            raise fail("value-not-finite", None, {"number": number, "value": row.value})
    return np.array([row.value for row in rows], np.float64)


def z_scores(values: Floats, who: NDArray[np.intp], raters: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the z-score of each rating, and for each rater whether there is one."""
    z, varied = np.zeros(len(values)), np.zeros(raters, bool)
    for rater in range(raters):
        mine = values[who == rater]
        # compare the values themselves: the deviation of equal ones may be a rounding error above zero
        varied[rater] = mine.min() != mine.max()
        if varied[rater]:
            z[who == rater] = (mine - mine.mean()) / mine.std(ddof=1)
    return z, varied
