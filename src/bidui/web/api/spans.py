"""Shapes that most calls share: stretches of a text, changes of it, and problems at their characters."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel

from bidui.errors import Severity
from bidui.web.editing.changes import Change
from bidui.web.editing.diagnostics import Diagnostic
from bidui.web.editing.positions import Range, Span
from bidui.web.editing.ranges import Located, scalars_in
from bidui.web.editing.utf16 import Utf16
from bidui.words import Language


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
