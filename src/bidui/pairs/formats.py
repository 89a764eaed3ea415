"""Files of pairs: JSONL, CSV and Parquet, ours or as BLiMP, CLiMP, SLING and JBLiMP were released.

A file holds records: the named fields of a pair, with BLiMP's names for the fields that BLiMP has. The same pairs give
the same bytes on every machine. All problems of a file are reported together, each with its line.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import decode, encode, json_text, parse_json, read_bytes
from bidui.pairs.pair import Pair, Pairs, Region, Side

Format = Literal["jsonl", "csv", "parquet"]
SUFFIXES = tuple(f".{name}" for name in get_args(Format))
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".xz", ".bz2", ".7z", ".rar", ".zst")
FIELDS = (
    *("sentence_good", "sentence_bad", "UID", "phenomenon", "pairID", "variant", "edit"),
    *("regions", "slots", "words"),
)
_NESTED = FIELDS[-3:]
_GOOD = ("sentence_good", "good_sentence")  # the second is JBLiMP's
_CLIMP = ["", "0", "1", "2", "3"]  # CLiMP's header: number, phenomenon, paradigm, sentence, 1 for good and 0 for bad
_MOST_PROBLEMS = 20  # a damaged file can have one on each line; nobody reads more than a screenful of them
Row = TypeVar("Row")
Cells = tuple[Place, list[str]]


def pairs_to_bytes(pairs: Iterable[Pair], *, format: Format) -> bytes:
    """Return the whole content of a pair file."""
    match format:
        case "jsonl":
            return to_jsonl(pairs)
        case "csv":
            return to_csv(pairs)
        case "parquet":
            return to_parquet(pairs)
        case _:
            raise fail("pairs-format", Place(), {"given": format, "formats": get_args(Format)})


def read_file(path: Path) -> tuple[Pair, ...]:
    """Read one file of pairs; where it names no paradigm, its name is the uid."""
    data = read_bytes(path)
    match path.suffix.lower():
        case ".jsonl":
            return from_jsonl(data, file=str(path), uid=path.stem)
        case ".csv":
            return from_csv(data, file=str(path), uid=path.stem)
        case ".parquet":
            return from_parquet(data, file=str(path), uid=path.stem)
        case suffix if suffix in ARCHIVES:
            raise fail("pairs-archive", Place(str(path)))
        case _:
            raise fail("pairs-suffix", Place(str(path)), {"suffixes": SUFFIXES})


# JSON lines, the form in which BLiMP and its kin are published


def to_jsonl(pairs: Iterable[Pair]) -> bytes:
    """Write one object per line, in UTF-8, with Chinese as it is."""
    return encode("".join([json_text(record_of(pair)) + "\n" for pair in pairs]))


def from_jsonl(data: bytes, *, file: str, uid: str) -> tuple[Pair, ...]:
    """Read JSON lines; `uid` is for records that name none."""
    # Not splitlines(): U+2028 and its like may stand inside a sentence.
    lines = enumerate(decode(data, file=file).split("\n"), start=1)

    def record(text: str, place: Place) -> dict[str, object]:
        value = parse_json(text, place=place)
        if not isinstance(value, dict):
            raise fail("pairs-not-object", place, {"value": text})
        return value

    return _pairs_of(((Place(file, line), text) for line, text in lines if text.strip()), record, uid=uid)


# CSV (RFC 4180), for spreadsheets; regions, slots and words are JSON inside a field


def to_csv(pairs: Iterable[Pair]) -> bytes:
    """Write a header and one record per pair; lines end with a line feed."""
    rows = [",".join(FIELDS)]
    for pair in pairs:
        record = record_of(pair)
        for field in _NESTED:
            record[field] = json_text(record[field])
        rows.append(",".join(map(_quoted, record.values())))
    return encode("\n".join(rows) + "\n")


def from_csv(data: bytes, *, file: str, uid: str) -> tuple[Pair, ...]:
    """Read CSV whose header names at least sentence_good and sentence_bad, or a file of CLiMP."""
    rows = _csv_rows(decode(data, file=file), file=file)
    place, header = next(rows, (Place(file, 1), []))
    if header == _CLIMP:
        return _pairs_of(_in_twos(rows, width=len(_CLIMP)), _climp_record, uid=uid)
    if len(header) == 1 and header[0] not in FIELDS:  # one of CLiMP's files has the sentences only, and no header
        return _pairs_of(_in_twos(chain([(place, header)], rows), width=1), _bare_record, uid=uid)
    if not set(_GOOD) & set(header):
        raise fail("pairs-field-missing", place, {"field": "sentence_good", "fields": tuple(header)})

    def record(row: list[str], place: Place) -> dict[str, object]:
        if len(row) != len(header):
            raise fail("pairs-row-width", place, {"count": len(row), "expected": len(header)})
        return {name: _csv_value(name, text, place) for name, text in zip(header, row, strict=True)}

    return _pairs_of(rows, record, uid=uid)


def _quoted(text: str) -> str:
    # Written here because the csv module's choice of what to quote changes with the version of Python.
    if any(mark in text for mark in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _csv_rows(text: str, *, file: str) -> Iterator[Cells]:
    """Yield the records with the lines they begin on; a sentence may span several lines."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield Place(file, line), row
            line = reader.line_num + 1
    except csv.Error as error:
        raise fail("pairs-bad-csv", Place(file, line), {"reason": str(error)}) from None


def _csv_value(name: str, text: str, place: Place) -> object:
    if name in _NESTED:
        return parse_json(text, place=Place(place.file, place.line, part=name)) if text else None
    # A foreign file leaves empty what it does not know.
    return None if name in ("pairID", "pair_ID", "ID") and not text else text


def _in_twos(rows: Iterable[Cells], *, width: int) -> Iterator[tuple[Place, tuple[list[str], list[str]]]]:
    """CLiMP has one sentence per row, good and bad in turn."""
    first: Cells | None = None
    for place, row in rows:
        if len(row) != width:
            raise fail("pairs-row-width", place, {"count": len(row), "expected": width})
        if first is None:
            first = place, row
        else:
            yield first[0], (first[1], row)
            first = None
    if first is not None:
        raise fail("pairs-odd", first[0], {"sentence": first[1][-2 if width > 1 else 0]})


def _climp_record(rows: tuple[list[str], list[str]], place: Place) -> dict[str, object]:
    (_, phenomenon, paradigm, good, right), (_, other, another, bad, wrong) = rows
    if (right, wrong) != ("1", "0") or (phenomenon, paradigm) != (other, another):
        raise fail("pairs-labels", place, {"first": ",".join(rows[0]), "second": ",".join(rows[1])})
    return {"sentence_good": good, "sentence_bad": bad, "UID": paradigm, "phenomenon": phenomenon}


def _bare_record(rows: tuple[list[str], list[str]], place: Place) -> dict[str, object]:
    """Two sentences must share half of their characters, so that a list of words is not taken for pairs."""
    [good], [bad] = rows
    if 2 * (Counter(good) & Counter(bad)).total() < max(len(good), len(bad), 1):
        raise fail("pairs-unlike", place, {"first": good, "second": bad})
    return {"sentence_good": good, "sentence_bad": bad}


# Parquet; slots and regions are lists of structs, since Parquet has no objects with open keys


def to_parquet(pairs: Iterable[Pair]) -> bytes:
    """Write one row per pair, with nested columns that data frames can explode."""
    from polars import String, col

    frame = Pairs(tuple(pairs)).frame
    names = {"sentence_good": "good", "sentence_bad": "bad", "UID": "uid"}
    columns = {field: col(names.get(field, field)) for field in FIELDS if field != "pairID"}
    columns["pairID"] = col("pair").cast(String)
    buffer = io.BytesIO()
    frame.select(columns[field].alias(field) for field in FIELDS).write_parquet(buffer)
    return buffer.getvalue()


def from_parquet(data: bytes, *, file: str, uid: str) -> tuple[Pair, ...]:
    """Read Parquet; the line of a problem is the row, from 1."""
    import polars

    try:
        frame = polars.read_parquet(io.BytesIO(data))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise fail("pairs-bad-parquet", Place(file), {"reason": str(error).splitlines()[0]}) from None
    if not set(_GOOD) & set(frame.columns):
        raise fail("pairs-field-missing", Place(file), {"field": "sentence_good", "fields": tuple(frame.columns)})
    rows = enumerate(frame.iter_rows(named=True), start=1)
    return _pairs_of(((Place(file, number), row) for number, row in rows), _parquet_record, uid=uid)


def _parquet_record(row: dict[str, Any], place: Place) -> dict[str, object]:
    """Return the row in the form that JSON has."""
    try:
        regions = {
            side: [[r["start"], r["end"], r["slot"], r["edit"]] for r in row.get("regions") or () if r["side"] == side]
            for side in ("good", "bad")
        }
        slots = {slot["slot"]: slot["form"] for slot in row.get("slots") or ()}
    except (TypeError, KeyError) as error:
        raise fail("pairs-bad-parquet", place, {"reason": f"regions or slots: {error!r}"}) from None
    return row | {"regions": regions, "slots": slots}


# Records


def record_of(pair: Pair) -> dict[str, Any]:
    """Return the fields of `pair`, in the order of `FIELDS`."""
    regions: dict[Side, list[list[object]]] = {"good": [], "bad": []}
    for region in pair.regions:
        regions[region.side].append([region.start, region.end, region.slot, region.edit])
    return {
        "sentence_good": pair.good,
        "sentence_bad": pair.bad,
        "UID": pair.uid,
        "phenomenon": pair.phenomenon,
        "pairID": str(pair.pair_id),
        "variant": pair.variant,
        "edit": pair.edit,
        "regions": regions,
        "slots": dict(pair.slots),
        "words": pair.words,
    }


def _pairs_of(
    rows: Iterable[tuple[Place, Row]], record: Callable[[Row, Place], Mapping[str, object]], *, uid: str
) -> tuple[Pair, ...]:
    """Make the rows of a file records and then pairs; the problems of all rows are raised together.

    A file of SLING is one paradigm and is named after it, but twelve of its files say that theirs is called Plural, and
    later ones share names too. So where SLING's fields name one paradigm only, `uid` is the better name.
    """
    pairs: list[Pair] = []
    problems: list[Problem] = []
    sling = True
    for place, row in rows:
        try:
            fields = record(row, place)
            pairs.append(_pair_of(fields, place=place, number=len(pairs), uid=uid))
            sling = sling and "pair_ID" in fields and "UID" not in fields
        except InputError as error:
            problems.extend(error.problems)
            if len(problems) >= _MOST_PROBLEMS:
                problems.append(Problem("pairs-too-many-problems", place, {"count": len(problems)}))
                break
    if problems:
        raise InputError(problems)
    if sling and len({pair.uid for pair in pairs}) == 1:
        return tuple(replace(pair, uid=uid) for pair in pairs)
    return tuple(pairs)


def _pair_of(record: Mapping[str, object], *, place: Place, number: int, uid: str) -> Pair:
    """Make a record a pair; `number` and `uid` are for records that have none.

    BLiMP says linguistics_term for phenomenon; SLING says paradigm for UID and pair_ID for pairID, with capitals in its
    later files; JBLiMP says paradigm, ID, good_sentence and bad_sentence.
    """
    good = _text(record, *_GOOD, place=place)
    bad = _text(record, "sentence_bad", "bad_sentence", place=place)
    return Pair(
        good=good,
        bad=bad,
        uid=_text(record, "UID", "paradigm", "Paradigm", place=place, default=uid),
        # One file of SLING has both Phenomenon, as its neighbours have it, and a phenomenon left from before.
        phenomenon=_text(record, "Phenomenon", "phenomenon", "linguistics_term", place=place, default=""),
        pair_id=_number(record, place=place, default=number),
        variant=_text(record, "variant", place=place, default=""),
        edit=_text(record, "edit", place=place, default=""),
        regions=_regions(record.get("regions"), good=good, bad=bad, place=place),
        slots=_slots(record.get("slots"), place=place),
        words=_words(record.get("words"), place=place),
    )


def _wrong(kind: str, place: Place, field: str, value: object) -> InputError:
    return fail(kind, place, {"field": field, "value": repr(value)})


def _text(record: Mapping[str, object], *names: str, place: Place, default: str | None = None) -> str:
    """Return the first of the named fields that the record has."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            raise _wrong("pairs-field-text", place, name, value)
    if default is None:
        raise fail("pairs-field-missing", place, {"field": names[0], "fields": tuple(record)})
    return default


def _number(record: Mapping[str, object], *, place: Place, default: int) -> int:
    # What is called ID is a number in JBLiMP and can be anything elsewhere.
    for name in ("pairID", "pair_ID", "ID") if _GOOD[1] in record else ("pairID", "pair_ID"):
        value = record.get(name)
        if value is None:
            continue
        # int() takes "1_0" and digits of other scripts too, and True is an int: none of them is a pair's number.
        if type(value) not in (str, int) or not re.fullmatch("[0-9]{1,18}", str(value)):
            raise _wrong("pairs-field-number", place, name, value)
        return int(str(value))
    return default


def _regions(value: object, *, good: str, bad: str, place: Place) -> tuple[Region, ...]:
    if value is None:
        return ()
    if not isinstance(value, dict) or not value.keys() <= {"good", "bad"}:
        raise _wrong("pairs-field-regions", place, "regions", value)
    regions: list[Region] = []
    sides: tuple[tuple[Side, str], ...] = (("good", good), ("bad", bad))
    for side, sentence in sides:
        stretches = value.get(side, [])
        if not isinstance(stretches, list):
            raise _wrong("pairs-field-regions", place, "regions", stretches)
        for stretch in stretches:
            match stretch:
                # The type and not int(): JSON's true would pass for 1.
                case [start, end, str(slot), str(edit)] if type(start) is type(end) is int:
                    if not 0 <= start <= end <= len(sentence):
                        raise _wrong("pairs-field-regions", place, "regions", stretch)
                    regions.append(Region(side, start, end, slot, edit))
                case _:
                    raise _wrong("pairs-field-regions", place, "regions", stretch)
    return tuple(regions)


def _slots(value: object, *, place: Place) -> tuple[tuple[str, str], ...]:
    if value is None:
        return ()
    if not isinstance(value, dict) or not all(isinstance(form, str) for form in value.values()):
        raise _wrong("pairs-field-slots", place, "slots", value)
    return tuple(value.items())


def _words(value: object, *, place: Place) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value):
        raise _wrong("pairs-field-words", place, "words", value)
    return tuple(value)
