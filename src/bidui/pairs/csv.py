"""Pairs as comma-separated values (RFC 4180), for spreadsheets; regions, slots and words are JSON inside a field."""

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain

from bidui.errors import Place, fail
from bidui.pairs.climp import LABELLED, from_labelled, from_sentences
from bidui.pairs.pair import Pair
from bidui.pairs.record import FIELDS, GOOD, pairs_of, record_of
from bidui.pairs.text import decoded, encoded, json_text, parsed

_JSON_FIELDS = ("regions", "slots", "words")


def to_csv(pairs: Iterable[Pair]) -> bytes:
    """A header and one record a pair, lines ended by a line feed; the same bytes on every machine."""
    rows = [",".join(FIELDS)]
    for pair in pairs:
        record = record_of(pair)
        for field in _JSON_FIELDS:
            record[field] = json_text(record[field])
        rows.append(",".join(map(_quoted, record.values())))
    return encoded("\n".join(rows) + "\n")


def from_csv(data: bytes, *, file: str, uid: str) -> tuple[Pair, ...]:
    """The pairs of a CSV file whose header names at least sentence_good and sentence_bad, or of one of CLiMP's."""
    rows = _rows(decoded(data, file=file), file=file)
    place, header = next(rows, (Place(file, 1), []))
    if header == LABELLED:
        return from_labelled(rows, uid=uid)
    if len(header) == 1 and header[0] not in FIELDS:
        return from_sentences(chain([(place, header)], rows), uid=uid)
    if not set(GOOD) & set(header):
        raise fail("pairs-field-missing", place, {"field": "sentence_good", "fields": tuple(header)})

    def record(row: list[str], place: Place) -> dict[str, object]:
        if len(row) != len(header):
            raise fail("pairs-row-width", place, {"count": len(row), "expected": len(header)})
        return {name: _value(name, text, place) for name, text in zip(header, row, strict=True)}

    return pairs_of(rows, record, uid=uid)


def _quoted(text: str) -> str:
    # Written here because the csv module's choice of what to quote changes with the version of Python.
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _rows(text: str, *, file: str) -> Iterator[tuple[Place, list[str]]]:
    """The records with the lines they begin on; a sentence may go over several lines."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield Place(file, line), row
            line = reader.line_num + 1
    except csv.Error as error:
        raise fail("pairs-bad-csv", Place(file, line), {"reason": str(error)}) from None


def _value(name: str, text: str, place: Place) -> object:
    if name in _JSON_FIELDS:
        return parsed(text, place=Place(place.file, place.line, part=name)) if text else None
    # A foreign file leaves empty what it does not know.
    return None if name in ("pairID", "pair_ID", "ID") and not text else text
