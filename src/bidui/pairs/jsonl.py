"""Pairs as JSON lines, the form in which BLiMP and its kin are published."""

from collections.abc import Iterable

from bidui.errors import Place, fail
from bidui.pairs.pair import Pair
from bidui.pairs.record import pairs_of, record_of
from bidui.pairs.text import decoded, encoded, json_text, parsed


def to_jsonl(pairs: Iterable[Pair]) -> bytes:
    """One object a line, UTF-8, Chinese as it is; the same bytes on every machine."""
    return encoded("".join([json_text(record_of(pair)) + "\n" for pair in pairs]))


def from_jsonl(data: bytes, *, file: str, uid: str) -> tuple[Pair, ...]:
    """The pairs of a JSONL file, ours or in BLiMP's layout; `uid` is for those that name none."""
    # Not splitlines(): U+2028 and its like may stand inside a sentence.
    lines = enumerate(decoded(data, file=file).split("\n"), start=1)
    return pairs_of(((Place(file, line), text) for line, text in lines if text.strip()), _object, uid=uid)


def _object(text: str, place: Place) -> dict[str, object]:
    value = parsed(text, place=place)
    if not isinstance(value, dict):
        raise fail("pairs-not-object", place, {"value": text})
    return value
