"""What the editing calls send: stretches and changes of a text, problems, rows, pairs, words and counts."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from bidui.errors import Severity
from bidui.pairs import Pair
from bidui.web.editing.diagnostics import Diagnostic, Located, scalars_in
from bidui.web.editing.fitting import SlotWords
from bidui.web.editing.paradigm import Field, LineRow, ParadigmRows, SlotRow, Wording, read_rows
from bidui.web.editing.phrases import AlternativeRow, PhraseRow, read_phrases
from bidui.web.editing.pieces import Fate, ItemRow
from bidui.web.editing.preview import Counted, Preview, Result
from bidui.web.editing.text import Change, Range, Span, Utf16
from bidui.web.problems import ProblemShape, problem_shapes
from bidui.words import Language

# Shapes that most calls share: stretches of a text, changes of it, and problems at their characters.


class SpanShape(BaseModel):
    """The characters from `start` up to `end`, as a browser counts them."""

    start: int
    end: int


class ChangeShape(BaseModel):
    """The characters from `start` up to `end` give way to `text`."""

    start: int
    end: int
    text: str


class RangeShape(BaseModel):
    """A stretch, and where it begins and ends in lines and columns, which count characters from 1."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


class DiagnosticShape(BaseModel):
    """A problem of a text; `inner` counts from the start of the rule or line that it stands in, whose path is `row`."""

    kind: str
    severity: Severity
    text: str
    values: dict[str, Any]
    range: RangeShape | None
    file: str
    slot: str
    variant: int | None
    row: list[str | int]
    inner: SpanShape | None


def span_shape(span: Span, places: Utf16) -> SpanShape:
    """A stretch of the text of `places`."""
    return SpanShape(start=places.offset(span.start), end=places.offset(span.end))


def change_shapes(changes: Iterable[Change], places: Utf16) -> list[ChangeShape]:
    """Changes of the text of `places`."""
    return [ChangeShape(start=c.start, end=c.end, text=c.text) for c in places.edit(tuple(changes))]


def diagnostic_shapes(
    text: str, diagnostics: Iterable[Diagnostic], *, language: Language = "en"
) -> list[DiagnosticShape]:
    """The problems of a text, in the reader's language."""
    found = list(diagnostics)
    if not found:
        return []
    places = Utf16(text)
    values = {located.path: located for located in scalars_in(text) if not located.key}
    return [_diagnostic(each, places, values.get(each.row), language) for each in found]


def _diagnostic(found: Diagnostic, places: Utf16, located: Located | None, language: Language) -> DiagnosticShape:
    inner = located.inner(Span(found.range.start, found.range.end)) if located and found.range else None
    return DiagnosticShape(
        kind=found.kind,
        severity=found.severity,
        text=found.text(language),
        values=dict(found.values),
        range=_range(places.range(found.range)) if found.range else None,
        file=found.file,
        slot=found.slot,
        variant=found.variant,
        row=list(found.row),
        inner=span_shape(inner, Utf16(located.scalar.text)) if inner and located else None,
    )


def _range(found: Range) -> RangeShape:
    return RangeShape(
        start=found.start,
        end=found.end,
        line=found.line,
        column=found.column,
        end_line=found.end_line,
        end_column=found.end_column,
    )


# Rows as they travel: those of a paradigm, and those of the phrases, with their places in the text.

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


# What workers work out, as it travels: pairs, words and counts.


class RegionShape(BaseModel):
    """A stretch of a sentence that differs from the other one; empty where something was dropped."""

    start: int
    end: int
    slot: str
    edit: str


class PairShape(BaseModel):
    """A pair, with where its sentences differ and what filled each slot."""

    good: str
    bad: str
    good_regions: list[RegionShape]
    bad_regions: list[RegionShape]
    variant: str
    slots: list[tuple[str, str]]


class NarrowingShape(BaseModel):
    """A condition: how many words it allows by itself, and how many the rule would without it."""

    text: str
    alone: int
    without: int


class SlotWordsShape(BaseModel):
    """What may fill a slot in one wording; `joint` are those that go with some word of every linked slot."""

    slot: str
    wording: int
    alone: int
    joint: int | None
    examples: list[str]
    narrowings: list[NarrowingShape]


class PreviewShape(BaseModel):
    """Everything that a page shows of a paradigm's text at a pause in typing, but for the exact count.

    `complete` means that there are no more pairs than these. `diagnostics` are problems in the text, by position.
    `rows` is null where the text is not YAML, and `problems` say why. Where there are rows, `problems` say why there
    are no pairs (drawing them took too long, or the project's other files cannot be read); `words` is empty then.
    """

    seed: int
    pairs: list[PairShape]
    complete: bool
    diagnostics: list[DiagnosticShape]
    rows: ParadigmRowsShape | None
    words: list[SlotWordsShape]
    problems: list[ProblemShape]
    seconds: float


class Counts(BaseModel):
    """How many distinct pairs there are, exactly or at most (None: not known), and why not more where they are few."""

    value: int | None
    exact: bool
    reasons: list[DiagnosticShape]


def preview_shape(preview: Preview, text: str, *, language: Language, seconds: float) -> PreviewShape:
    """Pairs of a text."""
    return PreviewShape(
        seed=preview.seed,
        pairs=[_pair(pair) for pair in preview.pairs],
        complete=preview.complete,
        diagnostics=diagnostic_shapes(text, preview.diagnostics, language=language),
        rows=rows_shape(preview.rows, text) if preview.rows else None,
        words=[_words(each) for each in preview.words],
        problems=problem_shapes(preview.problems, language),
        seconds=seconds,
    )


def words_shape(result: Result) -> list[SlotWordsShape]:
    """The words of each slot."""
    return [_words(each) for each in result if isinstance(each, SlotWords)] if isinstance(result, tuple) else []


def counts_shape(counted: Counted, text: str, *, language: Language) -> Counts:
    """The count of a text."""
    reasons = diagnostic_shapes(text, counted.reasons, language=language)
    return Counts(value=counted.value, exact=counted.exact, reasons=reasons)


def _pair(pair: Pair) -> PairShape:
    sides: dict[str, list[RegionShape]] = {"good": [], "bad": []}
    places = {"good": Utf16(pair.good), "bad": Utf16(pair.bad)}
    for region in pair.regions:
        start, end = (places[region.side].offset(at) for at in (region.start, region.end))
        sides[region.side].append(RegionShape(start=start, end=end, slot=region.slot, edit=region.edit))
    return PairShape(
        good=pair.good,
        bad=pair.bad,
        good_regions=sides["good"],
        bad_regions=sides["bad"],
        variant=pair.variant,
        slots=list(pair.slots),
    )


def _words(words: SlotWords) -> SlotWordsShape:
    narrowings = [NarrowingShape(text=n.text, alone=n.alone, without=n.without) for n in words.narrowings]
    return SlotWordsShape(
        slot=words.slot,
        wording=words.wording,
        alone=words.alone,
        joint=words.joint,
        examples=list(words.examples),
        narrowings=narrowings,
    )
