"""Calls while somebody types: rows, edits, previews, words, counts, problems and completion; none changes a file."""

import codecs
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Request
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import encode
from bidui.web.accounts import Access, Spoken
from bidui.web.api.answers import (
    ChangeShape,
    Counts,
    DiagnosticShape,
    ParadigmRowsShape,
    PhraseShape,
    PreviewShape,
    SlotWordsShape,
    change_shapes,
    counts_shape,
    diagnostic_shapes,
    paradigm_rows,
    phrase_rows,
    preview_shape,
    words_shape,
)
from bidui.web.api.requests import Editor, Reader, ask, result_of
from bidui.web.editing import paradigm, phrases
from bidui.web.editing.completion import Completion, complete_line, complete_rule, complete_text
from bidui.web.editing.diagnostics import Diagnostic, located
from bidui.web.editing.fitting import phrase_users
from bidui.web.editing.paradigm import rename_phrase
from bidui.web.editing.phrases import read_phrases
from bidui.web.editing.preview import MAX_PAIRS, Counted, Preview, Result, with_rows
from bidui.web.editing.preview import Request as Question
from bidui.web.editing.text import Edit, Utf16, apply_edit
from bidui.web.editing.yaml import MAX_CHARACTERS
from bidui.web.problems import STATUS, ProblemShape, fails, problem_shapes
from bidui.web.store.disk import refresh
from bidui.web.store.files import Change, Conflict, commit
from bidui.web.store.names import check_file_name
from bidui.web.store.overview import ParadigmName, file_problems, named_paradigms, placing_problem
from bidui.web.store.revisions import Version, latest
from bidui.words import Language

# Steps: the edits of a paradigm's text that a page can ask for, each by its name and what it needs.

Number = Annotated[int, Field(ge=0, le=1_000_000)]  # of a row, from 0
Variant = Annotated[int | None, Field(ge=0, le=1_000_000, description="None is the paradigm itself.")]


class Step(BaseModel):
    """The text that is edited, and which edit it is."""

    kind: Literal["paradigm"]
    text: str

    def arguments(self) -> dict[str, Any]:
        """What the edit needs besides the text."""
        return self.model_dump(exclude={"kind", "text", "do"})


class SetField(Step):
    do: Literal["set_field"]
    name: str
    value: str


class SetRule(Step):
    do: Literal["set_rule"]
    slot: str
    rule: str
    variant: Variant = None


class AddSlot(Step):
    do: Literal["add_slot"]
    slot: str
    rule: str
    variant: Variant = None
    at: Number | None = None


class RenameSlot(Step):
    do: Literal["rename_slot"]
    slot: str
    name: str
    variant: Variant = None


class MoveSlot(Step):
    do: Literal["move_slot"]
    slot: str
    to: Number
    variant: Variant = None


class DeleteSlot(Step):
    do: Literal["delete_slot"]
    slot: str
    variant: Variant = None


class SetLine(Step):
    do: Literal["set_line"]
    side: Literal["good", "bad"]
    line: str
    variant: Variant = None


class SetItem(Step):
    do: Literal["set_good", "set_bad"]
    row: Number
    item: str
    variant: Variant = None


class AddRow(Step):
    do: Literal["add_row"]
    at: Number
    item: str
    side: Literal["both", "good", "bad"] = "both"
    variant: Variant = None


class RowTo(Step):
    do: Literal["move_row", "move_bad", "copy_bad"]
    row: Number
    to: Number
    variant: Variant = None


class OneRow(Step):
    do: Literal["delete_row", "drop_bad"]
    row: Number
    variant: Variant = None


class SameAgain(Step):
    do: Literal["same_again"]
    row: Number | None = None
    variant: Variant = None


class AddVariant(Step):
    do: Literal["add_variant"]
    name: str
    copy_of: Number | None = None
    at: Number | None = None


class DeleteVariant(Step):
    do: Literal["delete_variant"]
    variant: Number


class MoveVariant(Step):
    do: Literal["move_variant"]
    variant: Number
    to: Number


class SetOption(Step):
    do: Literal["set_option"]
    key: Literal["name", "weight", "crossed"]
    value: str
    variant: Variant = None


class SetGroup(Step):
    do: Literal["set_group"]
    key: Literal["link", "repeat"]
    groups: Annotated[list[list[str]], Field(max_length=200)]
    variant: Variant = None


ParadigmStep = (
    SetField
    | SetRule
    | AddSlot
    | RenameSlot
    | MoveSlot
    | DeleteSlot
    | SetLine
    | SetItem
    | AddRow
    | RowTo
    | OneRow
    | SameAgain
    | AddVariant
    | DeleteVariant
    | MoveVariant
    | SetOption
    | SetGroup
)
_EDITS: Mapping[str, Callable[..., Edit]] = {
    "set_field": paradigm.set_field,
    "set_rule": paradigm.set_rule,
    "add_slot": paradigm.add_slot,
    "rename_slot": paradigm.rename_slot,
    "move_slot": paradigm.move_slot,
    "delete_slot": paradigm.delete_slot,
    "set_line": paradigm.set_line,
    "set_good": paradigm.set_good,
    "set_bad": paradigm.set_bad,
    "add_row": paradigm.add_row,
    "move_row": paradigm.move_row,
    "move_bad": paradigm.move_bad,
    "copy_bad": paradigm.copy_bad,
    "delete_row": paradigm.delete_row,
    "drop_bad": paradigm.drop_bad,
    "same_again": paradigm.same_again,
    "add_variant": paradigm.add_variant,
    "delete_variant": paradigm.delete_variant,
    "move_variant": paradigm.move_variant,
    "set_option": paradigm.set_option,
    "set_group": paradigm.set_group,
}


def paradigm_edit(step: ParadigmStep) -> Edit:
    """The changes of the text that do what was asked; raises `InputError` where that cannot be done."""
    return _EDITS[step.do](step.text, **step.arguments())


# Steps of the phrases: the edits of `phrases.yaml` that a page can ask for.


class Parts(BaseModel):
    """An alternative with parts, as the file writes it."""

    parts: Annotated[dict[str, str], Field(min_length=1, max_length=60)]
    line: str = ""
    head: str = ""
    weight: str = ""


class PhraseStepBase(BaseModel):
    """The text that is edited, and which edit it is."""

    kind: Literal["phrases"]
    text: str

    def arguments(self) -> dict[str, Any]:
        """What the edit needs besides the text."""
        return self.model_dump(exclude={"kind", "text", "do"})


class AddPhrase(PhraseStepBase):
    do: Literal["add_phrase"]
    name: str
    rule: str
    at: Number | None = None


class RenamePhrase(PhraseStepBase):
    do: Literal["rename_phrase"]
    name: str
    to: str


class DeletePhrase(PhraseStepBase):
    do: Literal["delete_phrase"]
    name: str


class MovePhrase(PhraseStepBase):
    do: Literal["move_phrase"]
    name: str
    to: Number


class SetDepth(PhraseStepBase):
    do: Literal["set_depth"]
    name: str
    depth: str


class AddAlternative(PhraseStepBase):
    do: Literal["add_alternative"]
    phrase: str
    value: str | Parts
    at: Number | None = None

    def arguments(self) -> dict[str, Any]:
        """The same, without the fields of the alternative that are blank."""
        value = self.value
        if isinstance(value, Parts):
            return {**super().arguments(), "value": {key: item for key, item in value.model_dump().items() if item}}
        return super().arguments()


class DeleteAlternative(PhraseStepBase):
    do: Literal["delete_alternative"]
    phrase: str
    number: Number


class MoveAlternative(PhraseStepBase):
    do: Literal["move_alternative"]
    phrase: str
    number: Number
    to: Number


class SetAlternative(PhraseStepBase):
    do: Literal["set_alternative"]
    phrase: str
    number: Number
    key: Literal["rule", "line", "head", "weight"]
    value: str


class SetPart(PhraseStepBase):
    do: Literal["set_part"]
    phrase: str
    number: Number
    part: str
    rule: str


class AddPart(PhraseStepBase):
    do: Literal["add_part"]
    phrase: str
    number: Number
    part: str
    rule: str
    at: Number | None = None


class DeletePart(PhraseStepBase):
    do: Literal["delete_part"]
    phrase: str
    number: Number
    part: str


class MovePart(PhraseStepBase):
    do: Literal["move_part"]
    phrase: str
    number: Number
    part: str
    to: Number


class RenamePart(PhraseStepBase):
    do: Literal["rename_part"]
    phrase: str
    number: Number
    part: str
    name: str


PhraseStep = (
    AddPhrase
    | RenamePhrase
    | DeletePhrase
    | MovePhrase
    | SetDepth
    | AddAlternative
    | DeleteAlternative
    | MoveAlternative
    | SetAlternative
    | SetPart
    | AddPart
    | DeletePart
    | MovePart
    | RenamePart
)


def _renamed(text: str, *, name: str, to: str) -> Edit:
    return paradigm.rename_phrase(text, phrase=name, name=to, declared=True)


_PHRASE_EDITS: Mapping[str, Callable[..., Edit]] = {
    "add_phrase": phrases.add_phrase,
    "rename_phrase": _renamed,
    "delete_phrase": phrases.delete_phrase,
    "move_phrase": phrases.move_phrase,
    "set_depth": phrases.set_depth,
    "add_alternative": phrases.add_alternative,
    "delete_alternative": phrases.delete_alternative,
    "move_alternative": phrases.move_alternative,
    "set_alternative": phrases.set_alternative,
    "set_part": phrases.set_part,
    "add_part": phrases.add_part,
    "delete_part": phrases.delete_part,
    "move_part": phrases.move_part,
    "rename_part": phrases.rename_part,
}


def phrase_edit(step: PhraseStep) -> Edit:
    """The changes of the text that do what was asked; raises `InputError` where that cannot be done."""
    return _PHRASE_EDITS[step.do](step.text, **step.arguments())


# The call that renames a phrase in a whole project: where it is declared, and wherever a rule names it.

phrase_router = APIRouter(prefix="/api/projects/{project}", tags=["editing"], responses=fails(400, 401, 404, 422))
FILE = "phrases.yaml"
TRIES = 4  # as often as others may be quicker


class PhraseRenaming(BaseModel):
    """What a phrase is called, and what it is to be called."""

    old: str
    new: str


class PhraseRenamed(BaseModel):
    """The files that have changed, and the latest revision of `phrases.yaml`."""

    files: list[str]
    revision: int


@phrase_router.post("/phrases/rename", responses=fails(403, 409, 503))
def rename_everywhere(access: Editor, wanted: PhraseRenaming) -> PhraseRenamed:
    """Rename a phrase, in `phrases.yaml` and in every paradigm that names it: in all of these files, or in none.

    In each file only the name itself changes. What others are typing stays theirs, and is merged when they save it.
    """
    store, entry = access.bench.store, access.entry
    last = FILE
    for _ in range(TRIES):
        refresh(store, entry)
        found = latest(store, entry, {"paradigm", "phrases"})
        changes = [
            Change(file, data, found[file].revision.id) for file, data in _renamed_everywhere(found, wanted).items()
        ]
        if not changes:
            return PhraseRenamed(files=[], revision=found[FILE].revision.id)
        try:
            done = commit(store, entry, changes, who=access.user)
        except Conflict as conflict:
            last = conflict.file  # nothing was written, and what is there now can be renamed as well
            continue
        numbers = {one.revision.file: one.revision.id for one in done}
        return PhraseRenamed(files=sorted(numbers), revision=numbers[FILE])
    raise fail("rename-busy", Place(last), {"file": last})


def _renamed_everywhere(found: Mapping[str, Version], wanted: PhraseRenaming) -> dict[str, bytes]:
    """The new contents of the files that change, all of them worked out before any is written."""
    phrases = [row.name for row in read_phrases(found[FILE].text)] if FILE in found else []
    if wanted.old not in phrases:
        raise fail("phrase-gone", Place(FILE), {"name": wanted.old})
    if wanted.new == wanted.old:
        return {}
    if wanted.new in phrases:
        raise fail("phrase-taken", Place(FILE), {"name": wanted.new})
    texts = {file: version.data.decode("utf-8-sig", "replace") for file, version in found.items()}
    using = {FILE, *phrase_users(texts, phrase=wanted.old)}
    return {file: _rewritten(version, wanted) for file, version in found.items() if file in using}


def _rewritten(version: Version, wanted: PhraseRenaming) -> bytes:
    """A file with the new name; one that cannot be read is an error with its place, since it would be left behind."""
    file = version.revision.file
    try:
        text = version.text
        edit = rename_phrase(text, phrase=wanted.old, name=wanted.new, declared=file == FILE)
    except InputError as error:
        at = [(problem, problem.place) for problem in error.problems]
        raise InputError(
            Problem(problem.kind, Place(file, place.line, place.column), problem.values) for problem, place in at
        ) from None
    mark = codecs.BOM_UTF8 if version.data.startswith(codecs.BOM_UTF8) else b""
    return mark + encode(apply_edit(text, edit), place=Place(file))


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
        placing = await run_in_threadpool(_placing, access, question, ParadigmName(question.file, *result.named))
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


def _placing(access: Access, question: TextQuestion, named: ParadigmName) -> tuple[Diagnostic, ...]:
    """What the names of a project's other files have against a paradigm's own."""
    problem = placing_problem(named, named_paradigms(access.bench.store, access.entry))
    return located(question.text, [problem], name=question.file) if problem else ()


def _rows(kind: Literal["paradigm", "phrases"], text: str) -> ParadigmRowsShape | list[PhraseShape]:
    return phrase_rows(text) if kind == "phrases" else paradigm_rows(text)


def _refuse_long(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise fail("text-too-long", None, {"length": len(text), "limit": MAX_CHARACTERS})
