"""Calls for a project at a glance: its paradigms with their counts and problems, and new paradigms."""

from collections.abc import Mapping
from datetime import datetime
from itertools import chain
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from bidui.errors import InputError, Place, fail
from bidui.pairs.text import encoded
from bidui.web.api.parameters import Editor, Reader
from bidui.web.counting import ParadigmCount, count_errors, count_problems, count_some, known_counts
from bidui.web.editing.changes import apply_edit
from bidui.web.editing.paradigm_edits import set_field
from bidui.web.editing.scalars import written
from bidui.web.identity import Access, Spoken
from bidui.web.problems import ProblemShape, fails, problem_shapes
from bidui.web.store import (
    Change,
    Conflict,
    Coverage,
    FileLine,
    ParadigmLine,
    Role,
    check_uid_free,
    commit,
    coverage,
    current,
    file_problems,
    paradigm_file,
    refresh,
)
from bidui.web.store.names import Kind
from bidui.words import Language

router = APIRouter(prefix="/api/projects/{project}", tags=["projects"], responses=fails(400, 401, 404, 422))
MOST_TOLD = 200  # problems of a project that a page lists
_STARTERS = {  # what a new paradigm contrasts until somebody says something better; in English only a slot goes bare
    "zh": ("例子", "这 是 word 。", "这 word 是 。"),
    "en": ("examples", '\'"these" "are" word\'', '\'"these" word "are"\''),
}


class FileLineShape(BaseModel):
    """A file in a list, with its problems and its last change."""

    file: str
    kind: Kind
    errors: int
    warnings: int
    revision: int
    time: datetime
    author: str


class ParadigmLineShape(FileLineShape):
    """A paradigm in a list; no count where it is not known yet. Errors that a count found are among its errors."""

    parsed: bool
    uid: str
    phenomenon: str
    status: str
    count: ParadigmCount | None


class ProjectAnswer(BaseModel):
    """What a project holds; `phenomena` are the numbers of paradigms that are included, `skipped` what is not read.

    Of the errors and warnings, `problems` are the first in words, at most two hundred. What keeps a paradigm from
    having pairs is among them once its pairs were counted.
    """

    name: str
    title: str
    lang: str
    role: Role
    words: int
    errors: int
    warnings: int
    problems: list[ProblemShape]
    changed: datetime | None
    author: str
    phenomena: dict[str, int]
    paradigms: list[ParadigmLineShape]
    files: list[FileLineShape]
    skipped: list[ProblemShape]


class Counting(BaseModel):
    """How many paradigms to count, at most."""

    most: Annotated[int, Field(ge=1, le=200)] = 20


class Counted(BaseModel):
    """Counts that were worked out just now, by file, and how many are still missing."""

    counts: dict[str, ParadigmCount]
    left: int


class NewParadigm(BaseModel):
    """What a new paradigm is called, and which one it is to be a copy of."""

    uid: str
    phenomenon: str
    copy_of: str | None = None


class NewFile(BaseModel):
    """A file that is there now."""

    file: str
    revision: int


@router.get("")
def project(access: Reader, language: Spoken) -> ProjectAnswer:
    """A project at a glance."""
    return project_answer(access, language)


def project_answer(access: Access, language: Language) -> ProjectAnswer:
    """The same for a page."""
    store = access.bench.store
    skipped = refresh(store, access.entry).skipped
    found = coverage(store, access.entry)
    counts = known_counts(store, access.entry, language=language)
    paradigms = [_paradigm(line, counts.get(line.file)) for line in found.paradigms]
    files = [_file(line) for line in found.files]
    return ProjectAnswer(
        name=found.name,
        title=found.title,
        lang=found.lang,
        role=access.role,
        words=found.words,
        errors=sum(line.errors for line in (*files, *paradigms)),
        warnings=sum(line.warnings for line in (*files, *paradigms)),
        problems=_problems(found, counts, language),
        changed=found.changed,
        author=found.author,
        phenomena=dict(found.phenomena),
        paradigms=paradigms,
        files=files,
        skipped=problem_shapes(skipped, language),
    )


def _problems(found: Coverage, counts: Mapping[str, ParadigmCount], language: Language) -> list[ProblemShape]:
    """What is wrong in the files, errors first."""
    own = [*(line.problems for line in found.files), *(line.problems for line in found.paradigms)]
    told = problem_shapes(chain.from_iterable(own), language)
    for line in found.paradigms:
        told += count_problems(line, counts.get(line.file))
    return sorted(told, key=lambda each: (each.severity, each.place.file if each.place else ""))[:MOST_TOLD]


@router.post("/counts")
async def counts(access: Reader, language: Spoken, request: Request, wanted: Counting) -> Counted:
    """Count the pairs of some paradigms whose numbers are not known yet; to be asked again while some are left."""
    done, left = await count_some(
        *(access.bench, access.entry),
        most=wanted.most,
        request=request,
        language=language,
        who=str(access.user.id),
    )
    return Counted(counts=done, left=left)


@router.post("/paradigms", status_code=201, responses=fails(403, 409))
def new_paradigm(access: Editor, wanted: NewParadigm) -> NewFile:
    """Add a paradigm: the smallest there is, or a copy of another under a new name."""
    store, entry = access.bench.store, access.entry
    file = paradigm_file(wanted.phenomenon, wanted.uid)
    if wanted.copy_of is None:
        text = _starter(wanted, coverage(store, entry).lang)
    else:
        text = _named(current(store, entry, wanted.copy_of).text, wanted)
    if errors := [problem for problem in file_problems(file, text) if problem.severity == "error"]:
        raise InputError(errors)
    with access.bench.turns.take(("uids", entry.id)):
        refresh(store, entry)
        check_uid_free(store, entry, wanted.uid)
        try:
            done = commit(store, entry, [Change(file, encoded(text, place=Place(file)), None)], who=access.user)[0]
        except Conflict:
            raise fail("file-there", Place(file), {"other": file}) from None
    return NewFile(file=file, revision=done.revision.id)


def _starter(wanted: NewParadigm, lang: str) -> str:
    word, good, bad = _STARTERS["en" if lang == "en" else "zh"]
    names = f"uid: {written(wanted.uid)}\nphenomenon: {written(wanted.phenomenon)}\n"
    return f"format: 1\n{names}slots:\n  word: {word}\ngood: {good}\nbad: {bad}\n"


def _named(text: str, wanted: NewParadigm) -> str:
    for name, value in (("uid", wanted.uid), ("phenomenon", wanted.phenomenon)):
        text = apply_edit(text, set_field(text, name=name, value=value))
    return text


def _file(line: FileLine) -> FileLineShape:
    return FileLineShape(
        file=line.file,
        kind=line.kind,
        errors=line.errors,
        warnings=line.warnings,
        revision=line.revision,
        time=line.time,
        author=line.author,
    )


def _paradigm(line: ParadigmLine, count: ParadigmCount | None) -> ParadigmLineShape:
    return ParadigmLineShape(
        file=line.file,
        kind="paradigm",
        errors=line.errors + count_errors(line, count),
        warnings=line.warnings,
        revision=line.revision,
        time=line.time,
        author=line.author,
        parsed=line.parsed,
        uid=line.uid,
        phenomenon=line.phenomenon,
        status=line.status,
        count=count,
    )
