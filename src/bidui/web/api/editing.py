"""Calls while somebody types: rows, edits, previews, words, counts, problems and completion; none changes a file."""

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from bidui.errors import InputError, fail
from bidui.web.api.paradigm_steps import ParadigmStep, paradigm_edit
from bidui.web.api.parameters import Reader
from bidui.web.api.phrase_steps import PhraseStep, phrase_edit
from bidui.web.api.previews import (
    Counts,
    PreviewShape,
    SlotWordsShape,
    counts_shape,
    preview_shape,
    words_shape,
)
from bidui.web.api.rows import ParadigmRowsShape, PhraseShape, paradigm_rows, phrase_rows
from bidui.web.api.spans import ChangeShape, DiagnosticShape, change_shapes, diagnostic_shapes
from bidui.web.api.waiting import ask, result_of
from bidui.web.editing.changes import apply_edit
from bidui.web.editing.completion import Completion, complete_line, complete_rule
from bidui.web.editing.diagnostics import Diagnostic, located
from bidui.web.editing.layout import MAX_CHARACTERS
from bidui.web.editing.preview import MAX_PAIRS, Counted, Preview, with_rows
from bidui.web.editing.requests import Request as Question
from bidui.web.editing.requests import Result
from bidui.web.editing.text_completion import complete_text
from bidui.web.editing.utf16 import Utf16
from bidui.web.identity import Access, Spoken
from bidui.web.problems import STATUS, ProblemShape, fails, problem_shapes
from bidui.web.store import Named, file_problems, named_paradigms, placing_problem
from bidui.web.store.names import check_file_name
from bidui.words import Language

router = APIRouter(prefix="/api/projects/{project}", tags=["editing"], responses=fails(400, 401, 404, 422))
Seed = Annotated[int, Field(ge=0, le=2**53)]
EditorName = Annotated[
    str, Field(max_length=64, description="Which page asks: its newer questions replace older ones.")
]


class RowsQuestion(BaseModel):
    """A text to be seen as rows."""

    kind: Literal["paradigm", "phrases"]
    text: str


class Rows(BaseModel):
    """The rows of a paradigm, or of phrases."""

    rows: ParadigmRowsShape | list[PhraseShape]


class Edited(Rows):
    """The text after an edit, what changed in the text before, and its rows."""

    text: str
    changes: list[ChangeShape]


class TextQuestion(BaseModel):
    """A paradigm's text, finished or not, and the file that it is for."""

    file: str
    text: str
    editor: EditorName = ""


class PreviewQuestion(TextQuestion):
    """The same, with how many pairs are wanted, and from which seed."""

    n: Annotated[int, Field(ge=0, le=MAX_PAIRS)] = 10
    seed: Seed = 0


class WordsAnswer(BaseModel):
    """The words that may fill each slot of each wording."""

    slots: list[SlotWordsShape]


class DiagnoseQuestion(TextQuestion):
    """A text of phrases, or of any other file."""

    kind: Literal["phrases", "text"]


class Diagnostics(BaseModel):
    """What is wrong with a text, by position."""

    diagnostics: list[DiagnosticShape]


class PhraseDiagnostics(Diagnostics):
    """What is wrong with a text of phrases, and its rows; without rows, `problems` say why."""

    rows: list[PhraseShape] | None
    problems: list[ProblemShape]


class CompletionQuestion(BaseModel):
    """What is being typed and where; of a rule or line, the rules of all slots in scope and its own slot."""

    kind: Literal["rule", "line", "text", "phrases"]
    text: str
    cursor: int
    slots: Annotated[dict[str, str], Field(max_length=1_000)] = {}
    slot: str = ""


class OptionShape(BaseModel):
    """Something to type; `count` is how many words would be left, where that can be said."""

    text: str
    kind: str
    count: int | None
    detail: str


class CompletionAnswer(BaseModel):
    """What may stand from `start` up to `end`; `more` options were left out."""

    start: int
    end: int
    options: list[OptionShape]
    more: int


@router.post("/rows")
def rows(access: Reader, question: RowsQuestion) -> Rows:
    """The rows of a text."""
    return Rows(rows=_rows(question.kind, question.text))


@router.post("/edit")
def edit(access: Reader, step: Annotated[ParadigmStep | PhraseStep, Body(discriminator="do")]) -> Edited:
    """An edit by rows, worked out on a text; to save what comes of it is another call."""
    changes = phrase_edit(step) if step.kind == "phrases" else paradigm_edit(step)
    text = apply_edit(step.text, changes)
    return Edited(text=text, changes=change_shapes(changes, Utf16(step.text)), rows=_rows(step.kind, text))


@router.post("/preview", responses=fails(409, 503))
async def preview(access: Reader, language: Spoken, request: Request, question: PreviewQuestion) -> PreviewShape:
    """Everything a page shows of a paradigm's text at a pause in typing: rows, pairs, words of each slot, problems.

    The text is parsed once for all of them. Where no pairs can be drawn, the rows come all the same. The exact number
    of pairs may take longer: see `count`.
    """
    wanted = Question("pairs", question.text, question.file, question.n, question.seed)
    answer = await ask(access, wanted, request=request, editor=question.editor)
    if answer.problem and answer.problem.kind not in STATUS:
        failure = Preview(question.seed, problems=(answer.problem,))
        result: Result = await run_in_threadpool(with_rows, failure, question.text)
    else:
        result = result_of(answer)
    assert isinstance(result, Preview)
    if result.named:
        placing = await run_in_threadpool(_placing, access, question, Named(question.file, *result.named))
        result = replace(result, diagnostics=placing + result.diagnostics)
    return preview_shape(result, question.text, language=language, seconds=answer.seconds)


@router.post("/words", responses=fails(409, 503))
async def words(access: Reader, request: Request, question: TextQuestion) -> WordsAnswer:
    """How many words fit each slot of a paradigm's text, and some of them."""
    wanted = Question("words", question.text, question.file)
    result = result_of(await ask(access, wanted, request=request, editor=question.editor))
    assert isinstance(result, tuple)
    return WordsAnswer(slots=words_shape(result))


@router.post("/count", responses=fails(409, 503))
async def count(access: Reader, language: Spoken, request: Request, question: TextQuestion) -> Counts:
    """How many distinct pairs a paradigm's text has, and where there are few, why."""
    wanted = Question("count", question.text, question.file)
    result = result_of(await ask(access, wanted, request=request, editor=question.editor))
    assert isinstance(result, Counted)
    return counts_shape(result, question.text, language=language)


@router.post("/diagnose", responses=fails(409, 503))
async def diagnose(
    access: Reader, language: Spoken, request: Request, question: DiagnoseQuestion
) -> PhraseDiagnostics | Diagnostics:
    """What is wrong with the text of any file by itself; of phrases (`kind`) everything a page shows, with the rows."""
    if question.kind == "phrases":
        wanted = Question("phrases", question.text, question.file)
        result = result_of(await ask(access, wanted, request=request, editor=question.editor))
        found = [each for each in result if isinstance(each, Diagnostic)] if isinstance(result, tuple) else []
        diagnostics = diagnostic_shapes(question.text, found, language=language)
        try:
            rows = await run_in_threadpool(phrase_rows, question.text)
            return PhraseDiagnostics(diagnostics=diagnostics, rows=rows, problems=[])
        except InputError as error:
            problems = problem_shapes(error.problems, language)
            return PhraseDiagnostics(diagnostics=diagnostics, rows=None, problems=problems)
    return await run_in_threadpool(_diagnosed, question, language)


@router.post("/complete")
def complete(access: Reader, question: CompletionQuestion) -> CompletionAnswer:
    """What may be typed at the cursor, best first."""
    _refuse_long(question.text)
    places = Utf16(question.text)
    found = _completion(access, question, places.character(question.cursor))
    options = [OptionShape(text=o.text, kind=o.kind, count=o.count, detail=o.detail) for o in found.options]
    start, end = places.offset(found.start), places.offset(found.end)
    return CompletionAnswer(start=start, end=end, options=options, more=found.more)


def _completion(access: Access, question: CompletionQuestion, cursor: int) -> Completion:
    with access.bench.opened.use(access.entry) as opened:
        fitting, text, slots = opened.fitting, question.text, question.slots
        if question.kind == "rule":
            return complete_rule(text, cursor=cursor, fitting=fitting, slots=slots, slot=question.slot)
        if question.kind == "line":
            return complete_line(text, cursor=cursor, fitting=fitting, slots=slots)
        return complete_text(text, cursor=cursor, fitting=fitting, phrases=question.kind == "phrases")


def _diagnosed(question: DiagnoseQuestion, language: Language) -> Diagnostics:
    check_file_name(question.file)
    _refuse_long(question.text)
    found = located(question.text, file_problems(question.file, question.text), name=question.file)
    return Diagnostics(diagnostics=diagnostic_shapes(question.text, found, language=language))


def _placing(access: Access, question: TextQuestion, named: Named) -> tuple[Diagnostic, ...]:
    """What the names of a project's other files have against a paradigm's own."""
    problem = placing_problem(named, named_paradigms(access.bench.store, access.entry))
    return located(question.text, [problem], name=question.file) if problem else ()


def _rows(kind: Literal["paradigm", "phrases"], text: str) -> ParadigmRowsShape | list[PhraseShape]:
    return phrase_rows(text) if kind == "phrases" else paradigm_rows(text)


def _refuse_long(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise fail("text-too-long", None, {"length": len(text), "limit": MAX_CHARACTERS})
