"""Pairs as Parquet, with regions, slots and words as nested columns that data frames can explode."""

import io
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from bidui.errors import Place, fail
from bidui.pairs.pair import Pair
from bidui.pairs.record import FIELDS, GOOD, pairs_of, record_of

if TYPE_CHECKING:
    import polars


def to_parquet(pairs: Iterable[Pair]) -> bytes:
    """One row a pair; slots and regions are lists of structs, since Parquet has no objects with open keys."""
    import polars  # here, so that `import bidui` stays quick

    rows = [_row(pair) for pair in pairs]
    buffer = io.BytesIO()
    polars.DataFrame(rows, schema=_schema(), orient="row").write_parquet(buffer)
    return buffer.getvalue()


def from_parquet(data: bytes, *, file: str, uid: str) -> tuple[Pair, ...]:
    """The pairs of a Parquet file; a problem's line is the row, from 1."""
    import polars

    try:
        frame = polars.read_parquet(io.BytesIO(data))
    except (polars.exceptions.PolarsError, OSError) as error:
        raise fail("pairs-bad-parquet", Place(file), {"reason": str(error).splitlines()[0]}) from None
    if not set(GOOD) & set(frame.columns):
        raise fail("pairs-field-missing", Place(file), {"field": "sentence_good", "fields": tuple(frame.columns)})
    return pairs_of(_rows(frame, file=file), _record, uid=uid)


def _schema() -> dict[str, Any]:
    import polars

    text = polars.String
    region = polars.Struct({"side": text, "start": polars.Int32, "end": polars.Int32, "slot": text, "edit": text})
    slot = polars.Struct({"slot": text, "form": text})
    nested = {"regions": polars.List(region), "slots": polars.List(slot), "words": polars.List(text)}
    return {field: nested.get(field, text) for field in FIELDS}


def _row(pair: Pair) -> tuple[object, ...]:
    record = record_of(pair)
    record["regions"] = [
        {"side": r.side, "start": r.start, "end": r.end, "slot": r.slot, "edit": r.edit} for r in pair.regions
    ]
    record["slots"] = [{"slot": slot, "form": form} for slot, form in pair.slots]
    record["words"] = list(pair.words)
    return tuple(record.values())


def _rows(frame: "polars.DataFrame", *, file: str) -> Iterator[tuple[Place, dict[str, Any]]]:
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        yield Place(file, number), row


def _record(row: dict[str, Any], place: Place) -> dict[str, object]:
    """The row in the form that JSON has."""
    try:
        regions = {
            side: [[r["start"], r["end"], r["slot"], r["edit"]] for r in row.get("regions") or () if r["side"] == side]
            for side in ("good", "bad")
        }
        slots = {slot["slot"]: slot["form"] for slot in row.get("slots") or ()}
    except (TypeError, KeyError) as error:
        raise fail("pairs-bad-parquet", place, {"reason": f"regions or slots: {error!r}"}) from None
    return row | {"regions": regions, "slots": slots}
