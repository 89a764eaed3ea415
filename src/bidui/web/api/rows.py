"""Rows as they travel: those of a paradigm, and those of the phrases, with their places in the text."""

from collections.abc import Iterable

from pydantic import BaseModel

from bidui.web.api.spans import SpanShape, span_shape
from bidui.web.editing.line_items import Fate, ItemRow
from bidui.web.editing.paradigm_rows import Field, LineRow, ParadigmRows, SlotRow, Wording, read_rows
from bidui.web.editing.phrase_rows import AlternativeRow, PhraseRow, read_phrases
from bidui.web.editing.utf16 import Utf16

PathShape = list[str | int]


class FieldShape(BaseModel):
    """A value that is no slot and no line; without a span it is not in the text."""

    name: str
    value: str
    span: SpanShape | None


class SlotShape(BaseModel):
    """A slot, or a part of a phrase, with its rule."""

    name: str
    rule: str
    path: PathShape
    name_span: SpanShape
    rule_span: SpanShape


class ItemShape(BaseModel):
    """An item of a line; its place counts from the start of the line's own text."""

    text: str
    start: int
    end: int
    slot: str
    part: str
    column: str


class LineShape(BaseModel):
    """A good or bad line."""

    text: str
    path: PathShape
    span: SpanShape
    items: list[ItemShape]


class ItemRowShape(BaseModel):
    """One row of both lines: numbers of items, what the bad side does, and the row that a moved item has there."""

    good: int | None
    bad: int | None
    fate: Fate
    partner: int | None


class WordingShape(BaseModel):
    """A variant, or the paradigm itself where it has none."""

    name: str
    path: PathShape
    slots: list[SlotShape]
    good: LineShape | None
    bad: LineShape | None
    rows: list[ItemRowShape]
    options: dict[str, str]
    groups: dict[str, list[list[str]]]


class ParadigmRowsShape(BaseModel):
    """A whole paradigm; `slots` are those that several wordings share."""

    fields: list[FieldShape]
    slots: list[SlotShape]
    wordings: list[WordingShape]
    seams: list[str]


class AlternativeShape(BaseModel):
    """One way to build a phrase: a rule alone, or parts with what is said of them."""

    path: PathShape
    span: SpanShape
    rule: str | None
    parts: list[SlotShape]
    line: str
    head: str
    weight: str


class PhraseShape(BaseModel):
    """A phrase with its alternatives."""

    name: str
    path: PathShape
    span: SpanShape
    depth: str
    alternatives: list[AlternativeShape]


def paradigm_rows(text: str) -> ParadigmRowsShape:
    """The rows of a paradigm's text; raises `InputError` where it is not YAML, with the place."""
    return rows_shape(read_rows(text), text)


def rows_shape(rows: ParadigmRows, text: str) -> ParadigmRowsShape:
    """The rows of a text as they travel."""
    places = Utf16(text)
    return ParadigmRowsShape(
        fields=[_field(field, places) for field in rows.fields],
        slots=_slots(rows.slots, places),
        wordings=[_wording(wording, places) for wording in rows.wordings],
        seams=list(rows.seams),
    )


def phrase_rows(text: str) -> list[PhraseShape]:
    """The rows of a text of phrases."""
    places = Utf16(text)
    return [_phrase(row, places) for row in read_phrases(text)]


def _field(field: Field, places: Utf16) -> FieldShape:
    return FieldShape(name=field.name, value=field.value, span=span_shape(field.span, places) if field.span else None)


def _slots(rows: Iterable[SlotRow], places: Utf16) -> list[SlotShape]:
    return [
        SlotShape(
            name=row.name,
            rule=row.rule,
            path=list(row.path),
            name_span=span_shape(row.name_span, places),
            rule_span=span_shape(row.rule_span, places),
        )
        for row in rows
    ]


def _wording(wording: Wording, places: Utf16) -> WordingShape:
    return WordingShape(
        name=wording.name,
        path=list(wording.path),
        slots=_slots(wording.slots, places),
        good=_line(wording.good, places) if wording.good else None,
        bad=_line(wording.bad, places) if wording.bad else None,
        rows=[_item_row(row) for row in wording.rows],
        options=dict(wording.options),
        groups={key: [list(group) for group in groups] for key, groups in wording.groups.items()},
    )


def _line(line: LineRow, places: Utf16) -> LineShape:
    inner = Utf16(line.text)
    items = [
        ItemShape(
            text=item.text,
            start=inner.offset(item.start),
            end=inner.offset(item.end),
            slot=item.slot,
            part=item.part,
            column=item.column,
        )
        for item in line.items
    ]
    return LineShape(text=line.text, path=list(line.path), span=span_shape(line.span, places), items=items)


def _item_row(row: ItemRow) -> ItemRowShape:
    return ItemRowShape(good=row.good, bad=row.bad, fate=row.fate, partner=row.partner)


def _phrase(row: PhraseRow, places: Utf16) -> PhraseShape:
    return PhraseShape(
        name=row.name,
        path=list(row.path),
        span=span_shape(row.span, places),
        depth=row.depth,
        alternatives=[_alternative(each, places) for each in row.alternatives],
    )


def _alternative(row: AlternativeRow, places: Utf16) -> AlternativeShape:
    return AlternativeShape(
        path=list(row.path),
        span=span_shape(row.span, places),
        rule=row.rule,
        parts=_slots(row.parts, places),
        line=row.line,
        head=row.head,
        weight=row.weight,
    )
