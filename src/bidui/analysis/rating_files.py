"""Files of graded ratings: one rating a line, with who gave it and to which sentence."""

import csv
import io
import re
from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from bidui.analysis.ratings import Rating
from bidui.errors import InputError, Place, Problem, fail
from bidui.files import decode, read_bytes

COLUMNS = ("rater", "uid", "pair", "side", "rating")
NUMBER = re.compile(r"[0-9]{1,9}")  # of a pair
SHOWN = 20  # problems of one file; more say no more


def read_ratings(path: Path) -> tuple[Rating, ...]:
    """The ratings in a file with a header that names at least rater, uid, pair, side (good or bad) and rating.

    A file that ends in .csv has commas between its columns, any other has tabs. Empty lines are passed over, and so
    are further columns. A line that cannot be read is an error, and all are named together.
    """
    comma = path.suffix.lower() == ".csv"
    text = io.StringIO(decode(read_bytes(path), file=str(path)), newline="")
    reader = csv.DictReader(
        text, delimiter="," if comma else "\t", quoting=csv.QUOTE_MINIMAL if comma else csv.QUOTE_NONE
    )
    found: list[Rating] = []
    problems: list[Problem] = []
    try:
        names = reader.fieldnames or []
        if missing := [name for name in COLUMNS if name not in names]:
            raise fail("ratings-columns", Place(str(path), 1), {"missing": missing, "columns": list(names)})
        for row in reader:
            read = _rating({name: (row[name] or "").strip() for name in COLUMNS}, Place(str(path), reader.line_num))
            if isinstance(read, Problem):
                problems.append(read)
            else:
                found.append(read)
    except csv.Error as error:  # a cell of more than 131,072 characters, as after a quotation mark that is not closed
        raise fail("ratings-unreadable", Place(str(path), reader.line_num), {"reason": str(error)}) from error
    if problems:
        raise InputError(problems[:SHOWN])
    if not found:
        raise fail("ratings-none", Place(str(path)))
    return tuple(found)


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
