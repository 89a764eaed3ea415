"""Edits of the two lines as rows: what stands on both sides, and what the bad side does to it.

A row is counted as `read_rows` gives them. Until the bad side does something else, it is the same as the good one and
follows it; a bad line is written into the file with the first thing that it does.
"""

from dataclasses import dataclass

from bidui.errors import fail
from bidui.web.editing.changes import Edit, apply_edit, difference
from bidui.web.editing.line_items import ItemRow
from bidui.web.editing.paradigm_edits import set_line
from bidui.web.editing.paradigm_rows import read_rows


@dataclass(slots=True)
class _Lines:
    """The items of both lines, to be changed."""

    good: list[str]
    bad: list[str]
    rows: tuple[ItemRow, ...]

    def row(self, number: int) -> ItemRow:
        if not 0 <= number < len(self.rows):
            raise fail("row-missing", None, {"row": number + 1})
        return self.rows[number]

    def before(self, number: int) -> tuple[int, int]:
        """How many items of each side stand in the rows before one."""
        rows = self.rows[: max(0, number)]
        return sum(row.good is not None for row in rows), sum(row.bad is not None for row in rows)


def set_good(text: str, *, row: int, item: str, variant: int | None = None) -> Edit:
    """Another item on the good side; the bad side follows where it was the same, wherever it has it."""
    lines = _read(text, variant)
    at = lines.row(row)
    if at.good is None:
        raise fail("row-missing", None, {"row": row + 1})
    lines.good[at.good] = item
    place = at.bad if at.fate == "same" else lines.row(at.partner).bad if at.partner is not None else None
    if place is not None:
        lines.bad[place] = item
    return _written(text, lines, variant)


def set_bad(text: str, *, row: int, item: str, variant: int | None = None) -> Edit:
    """Another item on the bad side only; where it had none, there it is now."""
    lines = _read(text, variant)
    at = lines.row(row)
    if at.bad is None:
        lines.bad.insert(lines.before(row)[1], item)
    else:
        lines.bad[at.bad] = item
    return _written(text, lines, variant)


def add_row(text: str, *, at: int, item: str, side: str = "both", variant: int | None = None) -> Edit:
    """A new item before the row with number `at`, on both sides or on one."""
    lines = _read(text, variant)
    good, bad = lines.before(at)
    if side != "bad":
        lines.good.insert(good, item)
    if side != "good":
        lines.bad.insert(bad, item)
    return _written(text, lines, variant)


def delete_row(text: str, *, row: int, variant: int | None = None) -> Edit:
    """Without the items of a row; of one that is moved, without both its places."""
    lines = _read(text, variant)
    at = lines.row(row)
    other = lines.row(at.partner) if at.partner is not None else at
    for side, place in ((lines.good, (at.good, other.good)), (lines.bad, (at.bad, other.bad))):
        for number in {n for n in place if n is not None}:
            del side[number]
    return _written(text, lines, variant)


def move_row(text: str, *, row: int, to: int, variant: int | None = None) -> Edit:
    """The row, with both its sides, stands where the row `to` is."""
    lines = _read(text, variant)
    at = lines.row(row)
    good, bad = lines.before(to + (to > row))
    if at.good is not None:
        _moved(lines.good, at.good, good)
    if at.bad is not None:
        _moved(lines.bad, at.bad, bad)
    return _written(text, lines, variant)


def move_bad(text: str, *, row: int, to: int, variant: int | None = None) -> Edit:
    """The bad side moves its item to where the row `to` is; the good side keeps it."""
    lines = _read(text, variant)
    _moved(lines.bad, _bad_place(lines, row), lines.before(to + (to > row))[1])
    return _written(text, lines, variant)


def copy_bad(text: str, *, row: int, to: int, variant: int | None = None) -> Edit:
    """The bad side says an item once more, before the row `to`."""
    lines = _read(text, variant)
    at = lines.row(row)
    item = lines.bad[at.bad] if at.bad is not None else lines.good[at.good or 0]
    lines.bad.insert(lines.before(to)[1], item)
    return _written(text, lines, variant)


def drop_bad(text: str, *, row: int, variant: int | None = None) -> Edit:
    """The bad side goes without the item of a row."""
    lines = _read(text, variant)
    del lines.bad[_bad_place(lines, row)]
    return _written(text, lines, variant)


def same_again(text: str, *, row: int | None = None, variant: int | None = None) -> Edit:
    """The bad side of a row is the same as the good one again; of all rows, when the bad line is taken out."""
    if row is None:
        return set_line(text, side="bad", line="", variant=variant)
    lines = _read(text, variant)
    at = lines.row(row)
    if at.partner is not None and at.good is None:
        row, at = at.partner, lines.row(at.partner)
    place = lines.before(row)[1]
    if at.good is None and at.bad is not None:
        del lines.bad[at.bad]
    elif at.good is not None and at.bad is not None:
        lines.bad[at.bad] = lines.good[at.good]
    elif at.good is not None and at.partner is not None:
        _moved(lines.bad, _bad_place(lines, at.partner), place)
    elif at.good is not None:
        lines.bad.insert(place, lines.good[at.good])
    return _written(text, lines, variant)


def _bad_place(lines: _Lines, row: int) -> int:
    place = lines.row(row).bad
    if place is None:
        raise fail("row-missing", None, {"row": row + 1})
    return place


def _moved(items: list[str], start: int, end: int) -> None:
    item = items.pop(start)
    items.insert(end - (end > start), item)


def _read(text: str, variant: int | None) -> _Lines:
    rows = read_rows(text)
    if not 0 <= (variant or 0) < len(rows.wordings):
        raise fail("row-missing", None, {"row": f"variants › {variant}"})
    wording = rows.wording(variant)
    good = [item.text for item in wording.good.items] if wording.good else []
    bad = [item.text for item in wording.bad.items] if wording.bad else list(good)
    return _Lines(good, bad, wording.rows)


def _written(text: str, lines: _Lines, variant: int | None) -> Edit:
    """Lines that changed are written, the bad one only if it says something of its own."""
    before = read_rows(text).wording(variant)
    now = text
    for side, items, line in (("good", lines.good, before.good), ("bad", lines.bad, before.bad)):
        if line is None and side == "bad" and items == lines.good:
            continue
        if line is None or [item.text for item in line.items] != items:
            now = apply_edit(now, set_line(now, side=side, line=" ".join(items), variant=variant))
    return difference(text, now)
