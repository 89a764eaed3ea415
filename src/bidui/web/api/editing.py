"""Calls while somebody types: edits, previews, counts, problems and completion; only renaming changes files.

At a pause in typing a page sends its text once: `preview` answers with everything it shows of a paradigm, `diagnose`
with everything it shows of phrases. `edit` works out an edit by rows, and the page asks `complete` as keys are pressed.
"""

import codecs
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Annotated, Any, Literal, TypeVar, Union

from fastapi import APIRouter, Body, Request
from pydantic import BaseModel, Field, create_model
from starlette.concurrency import run_in_threadpool

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import encode
from bidui.grammar.names import check_file_name
from bidui.web.accounts import Access, Editor, Reader, Spoken
from bidui.web.editing import paradigm, phrases
from bidui.web.editing.completion import Completion, complete_line, complete_rule, complete_text
from bidui.web.editing.diagnostics import Diagnostic, located
from bidui.web.editing.edits import MAX_CHARACTERS
from bidui.web.editing.fitting import phrase_users
from bidui.web.editing.paradigm import ParadigmRows, read_rows
from bidui.web.editing.phrases import PhraseRow, read_phrases
from bidui.web.editing.preview import (
    MAX_PAIRS,
    Counts,
    PhraseDiagnostics,
    Preview,
    Tally,
    as_browsers_count,
    rows_alone,
)
from bidui.web.editing.preview import Request as Question
from bidui.web.editing.text import Change, Edit, Utf16, apply_edit
from bidui.web.jobs import ask, result_of
from bidui.web.problems import STATUS, fails
from bidui.web.store.disk import refresh
from bidui.web.store.files import Change as FileChange
from bidui.web.store.files import Conflict, commit
from bidui.web.store.overview import ParadigmName, file_problems, named_paradigms, placing_problem
from bidui.web.store.revisions import Version, latest, newest_number
from bidui.words import Language

router = APIRouter(prefix="/api/projects/{project}", tags=["editing"], responses=fails(400, 401, 404, 422))
FILE = "phrases.yaml"
TRIES = 4  # attempts to rename a phrase while others save files that use it
TextKind = Literal["paradigm", "phrases"]
Expected = TypeVar("Expected")
EditorName = Annotated[
    str, Field(max_length=64, description="Which page asks: its newer questions replace older ones.")
]


# Steps: the edits that a page can ask for. What a step takes is what its function takes.


def rename_phrase(text: str, *, name: str, to: str) -> Edit:
    """Rename a phrase in `phrases.yaml` alone."""
    return paradigm.rename_phrase(text, phrase=name, name=to, declared=True)


_PARADIGM_EDITS: tuple[Callable[..., Edit], ...] = (
    *(paradigm.set_field, paradigm.set_rule, paradigm.add_slot, paradigm.rename_slot, paradigm.move_slot),
    *(paradigm.delete_slot, paradigm.set_line, paradigm.move_row, paradigm.move_bad, paradigm.copy_bad),
    *(paradigm.delete_row, paradigm.drop_bad, paradigm.same_again, paradigm.add_variant, paradigm.delete_variant),
    *(paradigm.move_variant, paradigm.set_option, paradigm.set_group),
)
_PHRASE_EDITS: tuple[Callable[..., Edit], ...] = (
    *(phrases.add_phrase, phrases.delete_phrase, phrases.move_phrase, phrases.set_depth),
    *(phrases.add_alternative, phrases.delete_alternative, phrases.move_alternative, phrases.set_alternative),
    *(phrases.set_part, phrases.add_part, phrases.delete_part, phrases.move_part, phrases.rename_part, rename_phrase),
)
_EDITS = {edit.__name__: edit for edit in (*_PARADIGM_EDITS, *_PHRASE_EDITS)}


class Step(BaseModel):
    """An edit: the text, what it is, the name of the edit, and (in each kind of step) its arguments."""

    kind: TextKind
    text: str
    do: str


def step_of(edit: Callable[..., Edit], base: type[BaseModel], **names: str) -> type[BaseModel]:
    """Return the kind of step that has the parameters of an edit, after what it edits, as its fields."""
    parameters = list(signature(edit).parameters.values())[1:]
    fields: dict[str, Any] = {p.name: (p.annotation, ... if p.default is p.empty else p.default) for p in parameters}
    fields |= {key: (Literal[name], ...) for key, name in names.items()}
    return create_model(edit.__name__.title().replace("_", ""), __base__=base, __doc__=edit.__doc__, **fields)


def arguments_of(step: BaseModel, base: type[BaseModel]) -> dict[str, Any]:
    """Return what a step gives its edit."""
    return {name: getattr(step, name) for name in type(step).model_fields.keys() - base.model_fields.keys()}


_STEPS = (
    *(step_of(edit, Step, kind="paradigm", do=edit.__name__) for edit in _PARADIGM_EDITS),
    *(step_of(edit, Step, kind="phrases", do=edit.__name__) for edit in _PHRASE_EDITS),
)
AnyStep: Any = Union[_STEPS]  # noqa: UP007


class TextQuestion(BaseModel):
    """A paradigm's text, finished or not, and the file that it is for."""

    file: str
    text: str
    editor: EditorName = ""


class PreviewQuestion(TextQuestion):
    """The same, with the number of pairs to draw and the random seed."""

    n: Annotated[int, Field(ge=0, le=MAX_PAIRS)] = 10
    seed: Annotated[int, Field(ge=0, le=2**53)] = 0


class DiagnoseQuestion(TextQuestion):
    """A text of phrases, or of any other file."""

    kind: Literal["phrases", "text"]


class CompletionQuestion(BaseModel):
    """What is being typed and where; for a rule or line, the rules of all slots in scope and its own slot."""

    kind: Literal["rule", "line", "text", "phrases"]
    text: str
    cursor: int
    slots: Annotated[dict[str, str], Field(max_length=1_000)] = {}
    slot: str = ""


@dataclass(frozen=True, slots=True)
class EditAnswer:
    """The text after an edit, what changed in the text before, and its rows."""

    text: str
    changes: tuple[Change, ...]
    rows: ParadigmRows | tuple[PhraseRow, ...]


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """What is wrong with a text, by position."""

    diagnostics: tuple[Diagnostic, ...]


class PhraseRenaming(BaseModel):
    """The old and the new name of a phrase."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class PhraseRenamingAnswer:
    """The files that have changed, and the latest revision of `phrases.yaml`."""

    files: list[str]
    revision: int


@router.post("/edit")
def edit(access: Reader, step: Annotated[AnyStep, Body(discriminator="do")]) -> EditAnswer:
    """Work out an edit by rows on a text; saving the result is another call."""
    changes = _EDITS[step.do](step.text, **arguments_of(step, Step))
    text = apply_edit(step.text, changes)
    rows = read_phrases(text) if step.kind == "phrases" else read_rows(text)
    return EditAnswer(text, Utf16(step.text).edit(changes), as_browsers_count(rows, text))


@router.post("/preview", responses=fails(409, 503))
async def preview(access: Reader, language: Spoken, request: Request, question: PreviewQuestion) -> Preview:
    """Everything a page shows of a paradigm's text at a pause in typing: rows, pairs, words of each slot, problems.

    The text is parsed once for all of them. Where no pairs can be drawn, the rows are still returned. The exact number
    of pairs may take longer: see `count`.
    """
    text = question.text
    wanted = Question("pairs", text, question.file, question.n, question.seed, language)
    answer = await ask(access, wanted, request=request, editor=question.editor)
    if answer.problem and answer.problem.kind not in STATUS:
        rows, problems = rows_alone(read_rows, text, answer.problem, language)
        shown = Preview(question.seed, rows=rows, problems=problems)
    else:
        shown = _expect(Preview, result_of(answer))
    if shown.names:
        named = ParadigmName(question.file, *shown.names)
        placing = await run_in_threadpool(_placing, access, text, named, language)
        shown = replace(shown, diagnostics=placing + shown.diagnostics)
    return as_browsers_count(replace(shown, seconds=answer.seconds), text)


@router.post("/count", responses=fails(409, 503))
async def count(access: Reader, language: Spoken, request: Request, question: TextQuestion) -> Counts:
    """How many distinct pairs a paradigm's text has, and where there are few, why."""
    wanted = Question("count", question.text, question.file, language=language)
    answer = await ask(access, wanted, request=request, editor=question.editor)
    if answer.problem and answer.problem.kind == "preview-too-long":
        return Counts(None, exact=False)
    counts = _expect(Tally, result_of(answer)).counts
    return as_browsers_count(_expect(Counts, counts), question.text)


@router.post("/diagnose", responses=fails(409, 503))
async def diagnose(
    access: Reader, language: Spoken, request: Request, question: DiagnoseQuestion
) -> PhraseDiagnostics | Diagnostics:
    """What is wrong with the text of any file by itself; of phrases (`kind`) everything a page shows, with the rows."""
    if question.kind == "text":
        return await run_in_threadpool(_diagnosis, question, language)
    wanted = Question("phrases", question.text, question.file, language=language)
    answer = await ask(access, wanted, request=request, editor=question.editor)
    if answer.problem and answer.problem.kind not in STATUS:
        rows, problems = rows_alone(read_phrases, question.text, answer.problem, language)
        shown = PhraseDiagnostics(rows=rows, problems=problems)
    else:
        shown = _expect(PhraseDiagnostics, result_of(answer))
    return as_browsers_count(shown, question.text)


@router.post("/complete")
def complete(access: Reader, question: CompletionQuestion) -> Completion:
    """What may be typed at the cursor, best first."""
    _refuse_long(question.text)
    text, slots, places = question.text, question.slots, Utf16(question.text)
    cursor = places.character(question.cursor)
    with access.bench.opened.use(access.entry) as project:
        if question.kind == "rule":
            found = complete_rule(text, cursor=cursor, fitting=project.fitting, slots=slots, slot=question.slot)
        elif question.kind == "line":
            found = complete_line(text, cursor=cursor, fitting=project.fitting, slots=slots)
        else:
            found = complete_text(text, cursor=cursor, fitting=project.fitting, phrases=question.kind == "phrases")
    return replace(found, start=places.offset(found.start), end=places.offset(found.end))


def _diagnosis(question: DiagnoseQuestion, language: Language) -> Diagnostics:
    check_file_name(question.file)
    _refuse_long(question.text)
    problems = file_problems(question.file, question.text)
    diagnostics = located(question.text, problems, name=question.file, language=language)
    return as_browsers_count(Diagnostics(diagnostics), question.text)


def _placing(access: Access, text: str, named: ParadigmName, language: Language) -> tuple[Diagnostic, ...]:
    """Return what is wrong with a paradigm's names, given those of the project's other files."""
    entry = access.entry
    names = access.bench.names.get(entry.id, lambda: named_paradigms(entry), state=newest_number(entry))
    problem = placing_problem(named, names)
    return located(text, [problem], name=named.file, language=language) if problem else ()


def _expect(kind: type[Expected], result: object) -> Expected:
    assert isinstance(result, kind)
    return result


def _refuse_long(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise fail("text-too-long", None, {"length": len(text), "limit": MAX_CHARACTERS})


@router.post("/phrases/rename", responses=fails(403, 409, 503))
def rename_everywhere(access: Editor, names: PhraseRenaming) -> PhraseRenamingAnswer:
    """Rename a phrase in `phrases.yaml` and in every paradigm that uses it: in all of these files, or in none.

    In each file only the name itself changes. Text that others are typing stays theirs, and is merged when they save.
    """
    entry = access.entry
    last = FILE
    for _ in range(TRIES):
        refresh(entry)
        versions = latest(entry, {"paradigm", "phrases"})
        changes = [FileChange(file, data, versions[file].revision.id) for file, data in _renamed(versions, names)]
        if not changes:
            return PhraseRenamingAnswer([], versions[FILE].revision.id)
        try:
            saved = commit(entry, changes, who=access.user)
        except Conflict as conflict:
            last = conflict.file  # nothing was written, and what is there now can be renamed as well
            continue
        numbers = {outcome.revision.file: outcome.revision.id for outcome in saved}
        return PhraseRenamingAnswer(sorted(numbers), numbers[FILE])
    raise fail("rename-busy", Place(last), {"file": last})


def _renamed(versions: Mapping[str, Version], names: PhraseRenaming) -> list[tuple[str, bytes]]:
    """Return the new contents of the files that change, all of them worked out before any is written."""
    declared = [row.name for row in read_phrases(versions[FILE].text)] if FILE in versions else []
    if names.old not in declared:
        raise fail("phrase-gone", Place(FILE), {"name": names.old})
    if names.new == names.old:
        return []
    if names.new in declared:
        raise fail("phrase-taken", Place(FILE), {"name": names.new})
    texts = {file: version.data.decode("utf-8-sig", "replace") for file, version in versions.items()}
    using = {FILE, *phrase_users(texts, phrase=names.old)}
    return [(file, _rewritten(version, names)) for file, version in versions.items() if file in using]


def _rewritten(version: Version, names: PhraseRenaming) -> bytes:
    """Return a file with the new name; one that cannot be read is an error with its place."""
    file = version.revision.file
    try:
        text = version.text
        edit = paradigm.rename_phrase(text, phrase=names.old, name=names.new, declared=file == FILE)
    except InputError as error:
        placed = ((problem, Place(file, problem.place.line, problem.place.column)) for problem in error.problems)
        raise InputError(Problem(problem.kind, place, problem.values) for problem, place in placed) from None
    mark = codecs.BOM_UTF8 if version.data.startswith(codecs.BOM_UTF8) else b""
    return mark + encode(apply_edit(text, edit), place=Place(file))
