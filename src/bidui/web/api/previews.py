"""What workers work out, as it travels: pairs, words and counts."""

from pydantic import BaseModel

from bidui.pairs import Pair
from bidui.web.api.rows import ParadigmRowsShape, rows_shape
from bidui.web.api.spans import DiagnosticShape, diagnostic_shapes
from bidui.web.editing.preview import Counted, Preview
from bidui.web.editing.requests import Result
from bidui.web.editing.slot_words import SlotWords
from bidui.web.editing.utf16 import Utf16
from bidui.web.problems import ProblemShape, problem_shapes
from bidui.words import Language


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
