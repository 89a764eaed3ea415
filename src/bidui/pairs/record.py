"""A pair as the named fields of a file, with BLiMP's names for the fields that BLiMP has."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from bidui.errors import InputError, Place, Problem
from bidui.pairs.pair import Pair, Region, Side

FIELDS = (
    "sentence_good",
    "sentence_bad",
    "UID",
    "phenomenon",
    "pairID",
    "variant",
    "edit",
    "regions",
    "slots",
    "words",
)
GOOD = ("sentence_good", "good_sentence")  # the second is JBLiMP's
Row = TypeVar("Row")

# A damaged file can have a problem on each of its lines; nobody reads more than a screenful of them.
MOST_PROBLEMS = 20


def record_of(pair: Pair) -> dict[str, Any]:
    """The fields of `pair`, in the order of `FIELDS`."""
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


def pair_of(record: Mapping[str, object], *, place: Place, number: int, uid: str) -> Pair:
    """The pair that `record` holds; `number` and `uid` stand in where a foreign file has none.

    BLiMP says linguistics_term for phenomenon; SLING says paradigm for UID and pair_ID for pairID, with capitals in its
    later files; JBLiMP says paradigm, ID, good_sentence and bad_sentence.
    """
    good = _text(record, *GOOD, place=place)
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


def pairs_of(
    rows: Iterable[tuple[Place, Row]], read: Callable[[Row, Place], Mapping[str, object]], *, uid: str
) -> tuple[Pair, ...]:
    """The pairs of a file's rows, each made a record by `read`; the problems of all rows are raised together.

    A file of SLING is one paradigm and is named after it, but twelve of its files say that theirs is called Plural, and
    later ones share names too. So where SLING's fields name one paradigm only, `uid` is the better name.
    """
    pairs: list[Pair] = []
    problems: list[Problem] = []
    sling = True
    for place, row in rows:
        try:
            record = read(row, place)
            pairs.append(pair_of(record, place=place, number=len(pairs), uid=uid))
            sling = sling and "pair_ID" in record and "UID" not in record
        except InputError as error:
            problems.extend(error.problems)
            if len(problems) >= MOST_PROBLEMS:
                problems.append(Problem("pairs-too-many-problems", place, {"count": len(problems)}))
                break
    if problems:
        raise InputError(problems)
    if sling and len({pair.uid for pair in pairs}) == 1:
        return tuple(replace(pair, uid=uid) for pair in pairs)
    return tuple(pairs)


def _wrong(kind: str, place: Place, field: str, value: object) -> InputError:
    return InputError([Problem(kind, place, {"field": field, "value": repr(value)})])


def _text(record: Mapping[str, object], *names: str, place: Place, default: str | None = None) -> str:
    """The first of `names` that the record has, as text."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str):
            return value
        if value is not None:
            raise _wrong("pairs-field-text", place, name, value)
    if default is None:
        raise InputError([Problem("pairs-field-missing", place, {"field": names[0], "fields": tuple(record)})])
    return default


def _number(record: Mapping[str, object], *, place: Place, default: int) -> int:
    # What is called ID is a number in JBLiMP and can be anything elsewhere.
    for name in ("pairID", "pair_ID", "ID") if GOOD[1] in record else ("pairID", "pair_ID"):
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
    found: list[Region] = []
    sides: tuple[tuple[Side, str], ...] = (("good", good), ("bad", bad))
    for side, sentence in sides:
        stretches = value.get(side, [])
        if not isinstance(stretches, list):
            raise _wrong("pairs-field-regions", place, "regions", stretches)
        for stretch in stretches:
            match stretch:
                # The type and not int(): JSON's true would pass for 1.
                case [start, end, str(slot), str(edit)] if type(start) is type(end) is int and 0 <= start <= end <= len(
                    sentence
                ):
                    found.append(Region(side, start, end, slot, edit))
                case _:
                    raise _wrong("pairs-field-regions", place, "regions", stretch)
    return tuple(found)


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
