"""Calls for projects: listing, adding and deleting them, what one holds, counting its pairs, import and export."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import PurePosixPath
from typing import IO, Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from pydantic import BaseModel, Field

from bidui.benchmarks import entries as benchmark_entries
from bidui.errors import InputError, Place, fail
from bidui.files import encode
from bidui.grammar.archives import Bundle, read_files, read_zip
from bidui.grammar.names import paradigm_file
from bidui.grammar.yaml import written
from bidui.pairs.pair import writing_of
from bidui.web import jobs
from bidui.web.accounts import Bench, Editor, Maker, Owner, Reader, Spoken, Who
from bidui.web.editing.paradigm import set_field
from bidui.web.editing.text import apply_edit
from bidui.web.jobs import ParadigmCount
from bidui.web.problems import ProblemShape, fails, problem_shapes
from bidui.web.store import projects
from bidui.web.store.accounts import Role, User, may, role_of, visible
from bidui.web.store.disk import current, refresh
from bidui.web.store.drafts import Why
from bidui.web.store.files import Change, Conflict, commit
from bidui.web.store.overview import (
    DraftLine,
    FileLine,
    ParadigmLine,
    ProjectFacts,
    check_uid_free,
    coverage,
    draft_lines,
    file_problems,
)
from bidui.web.store.projects import BinnedProject
from bidui.web.store.workspace import Entry, Store, entries
from bidui.words import Language

router = APIRouter(prefix="/api", tags=["projects"], responses=fails(400, 401, 422))


@dataclass(frozen=True, slots=True)
class ProjectLine(ProjectFacts):
    """A project in a list."""

    role: Role
    paradigms: int
    phenomena: int
    drafts: int


@dataclass(frozen=True, slots=True)
class ProjectList:
    """The projects that the reader may see, the benchmarks that can be copied, and folders that cannot be served."""

    projects: list[ProjectLine]
    benchmarks: list[str]
    alone: bool
    may_add: bool
    skipped: list[ProblemShape]


class NewProject(BaseModel):
    """The name of a new project, and what it starts from: the starter of a language, or a shipped benchmark."""

    name: str
    lang: Literal["zh", "en"] | None = None
    benchmark: str | None = None


@dataclass(frozen=True, slots=True)
class ProjectName:
    """The name of a project that was just added."""

    name: str


@dataclass(frozen=True, slots=True)
class Bin:
    """The deleted projects that the reader may bring back."""

    projects: list[BinnedProject]


class BinRequest(BaseModel):
    """Another name, where the old one is taken."""

    name: str | None = None


@router.get("/projects")
def list_projects(bench: Bench, who: Who, language: Spoken) -> ProjectList:
    """List the projects that the reader may see."""
    store, role = bench.store, role_of(bench.store, who)
    skipped = refresh(store).skipped
    return ProjectList(
        projects=[_line(who, entry) for entry in visible(store, who, entries(store))],
        benchmarks=sorted(benchmark_entries()),
        alone=store.alone,
        may_add=not store.alone and may(role, "editor"),
        skipped=problem_shapes(skipped, language) if role else [],
    )


@router.post("/projects", status_code=201, responses=fails(403, 409))
def add_project(bench: Bench, who: Maker, body: NewProject) -> ProjectName:
    """Add a project, from the starter or as a copy of a shipped benchmark."""
    if body.lang is not None and body.benchmark is None:
        return ProjectName(projects.new_project(bench.store, body.name, lang=body.lang, who=who).name)
    if body.benchmark is not None and body.lang is None:
        return ProjectName(projects.copy_benchmark(bench.store, body.benchmark, name=body.name, who=who).entry.name)
    raise fail("project-start")


@router.delete("/projects/{project}", status_code=204, responses=fails(403, 404, 409))
def remove_project(access: Owner) -> None:
    """Put a project into the bin, unless models are being scored on it."""
    access.bench.runs.check_idle(access.entry.id)
    projects.delete_project(access.entry, who=access.user)


@router.get("/bin")
def look_into_bin(bench: Bench, who: Who) -> Bin:
    """List the deleted projects that the reader may bring back: those that she owns."""
    return Bin([project for project in projects.binned(bench.store) if may(_role(bench.store, who, project), "owner")])


@router.post("/bin/{number}", responses=fails(403, 404, 409))
def take_out_of_bin(bench: Bench, who: Who, number: int, body: BinRequest) -> ProjectName:
    """Bring a deleted project back."""
    project = next((each for each in projects.binned(bench.store) if each.id == number), None)
    role = _role(bench.store, who, project) if project else None
    if role is None:
        raise fail("bin-unknown", None, {"number": number})
    if not may(role, "owner"):
        raise fail("role-missing", None, {"needed": "owner"})
    return ProjectName(projects.bring_back(bench.store, number, who=who, name=body.name).name)


def _role(store: Store, who: User, project: BinnedProject) -> Role | None:
    return role_of(store, who, Entry(store, project.id, project.name))


def _line(who: User, entry: Entry) -> ProjectLine:
    overview = coverage(entry)
    counts = jobs.known_counts(entry, language="en")
    role = role_of(entry.store, who, entry)
    assert role is not None
    more = sum(jobs.count_errors(line, counts.get(line.file)) for line in overview.paradigms)
    return ProjectLine(
        **_fields(overview.facts, errors=overview.facts.errors + more),
        role=role,
        paradigms=len(overview.paradigms),
        phenomena=len(overview.phenomena),
        drafts=len(draft_lines(entry)),
    )


def _fields(value: Any, **others: object) -> dict[str, Any]:
    """Return the fields of a value, for one of a class that has more; some of them with other values."""
    return {each.name: getattr(value, each.name) for each in fields(value)} | others


# One project: its paradigms with their counts and problems, and new paradigms

MOST_PROBLEMS = 200  # of a project that a page lists
_STARTERS = {  # what a new paradigm contrasts until somebody writes something better; English words need quotes
    "zh": ("例子", "这 是 word 。", "这 word 是 。"),
    "en": ("examples", '\'"these" "are" word\'', '\'"these" word "are"\''),
}


@dataclass(frozen=True, slots=True)
class ParadigmLineShape(ParadigmLine):
    """A paradigm in a list; no count where it is not known yet. Its errors include those that its count found."""

    count: ParadigmCount | None


@dataclass(frozen=True, slots=True)
class DraftSummary:
    """A text that somebody has for a file, but that is not in it; of her own texts a reader also sees the problems."""

    file: str
    author: str
    mine: bool
    time: datetime
    why: Why
    base: int | None
    errors: int
    warnings: int
    problems: list[ProblemShape]


@dataclass(frozen=True, slots=True)
class ProjectAnswer(ProjectFacts):
    """What a project holds; `phenomena` counts the included paradigms, `skipped` are files that are not read.

    `problems` are the first errors and warnings in words, at most two hundred. What keeps a paradigm from having pairs
    is among them once its pairs were counted. `drafts` are in none of the numbers, nor in any pairs.
    """

    role: Role
    problems: list[ProblemShape]
    phenomena: Mapping[str, int]
    paradigms: list[ParadigmLineShape]
    files: tuple[FileLine, ...]
    drafts: list[DraftSummary]
    skipped: list[ProblemShape]


class CountRequest(BaseModel):
    """How many paradigms to count, at most, and the files of those to count first, such as those on the screen."""

    most: Annotated[int, Field(ge=1, le=200)] = 20
    first: Annotated[list[str], Field(max_length=1_000)] = []


@dataclass(frozen=True, slots=True)
class CountAnswer:
    """Counts that were made just now, by file, and how many are still missing."""

    counts: dict[str, ParadigmCount]
    left: int


class NewParadigm(BaseModel):
    """The names of a new paradigm, and the file that it is to be a copy of."""

    uid: str
    phenomenon: str
    copy_of: str | None = None


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that was just added."""

    file: str
    revision: int


@router.get("/projects/{project}", responses=fails(404))
def project(access: Reader, language: Spoken) -> ProjectAnswer:
    """Return what a project holds."""
    skipped = refresh(access.entry).skipped
    overview = coverage(access.entry)
    counts = jobs.known_counts(access.entry, language=language)
    problems = problem_shapes(overview.problems, language)
    paradigms = []
    for line in overview.paradigms:
        count = counts.get(line.file)
        errors = line.errors + jobs.count_errors(line, count)
        paradigms.append(ParadigmLineShape(**_fields(line, errors=errors), count=count))
        problems += jobs.count_problems(line, count)
    problems.sort(key=lambda each: (each.severity, each.place.file if each.place else ""))  # errors first
    return ProjectAnswer(
        **_fields(overview.facts, errors=sum(line.errors for line in (*overview.files, *paradigms))),
        role=access.role,
        problems=problems[:MOST_PROBLEMS],
        phenomena=overview.phenomena,
        paradigms=paradigms,
        files=overview.files,
        drafts=[_draft(line, access.user, language) for line in draft_lines(access.entry)],
        skipped=problem_shapes(skipped, language),
    )


def _draft(line: DraftLine, who: User, language: Language) -> DraftSummary:
    mine = line.author == who.name
    problems = problem_shapes(line.problems, language) if mine else []
    rest = (line.time, line.why, line.base, line.errors, line.warnings)
    return DraftSummary(line.file, line.author, mine, *rest, problems)


@router.post("/projects/{project}/counts", responses=fails(404))
async def counts(access: Reader, language: Spoken, request: Request, body: CountRequest) -> CountAnswer:
    """Count the pairs of some paradigms that were not counted yet; call again while some are left."""
    some = jobs.count_some(access, most=body.most, first=body.first, request=request, language=language)
    return CountAnswer(*await some)


@router.post("/projects/{project}/paradigms", status_code=201, responses=fails(403, 404, 409))
def new_paradigm(access: Editor, body: NewParadigm) -> NewFile:
    """Add a paradigm: the smallest there is, or a copy of another under a new name."""
    entry = access.entry
    file = paradigm_file(body.phenomenon, body.uid)
    names = {"uid": body.uid, "phenomenon": body.phenomenon}
    if body.copy_of is None:
        word, good, bad = _STARTERS["en" if writing_of(coverage(entry).facts.lang).spaced else "zh"]
        head = "".join(f"{name}: {written(value)}\n" for name, value in names.items())
        text = f"format: 1\n{head}slots:\n  word: {word}\ngood: {good}\nbad: {bad}\n"
    else:
        text = current(entry, body.copy_of).text
        for name, value in names.items():
            text = apply_edit(text, set_field(text, name=name, value=value))
    if errors := [problem for problem in file_problems(file, text) if problem.severity == "error"]:
        raise InputError(errors)
    with access.bench.turns.take(("uids", entry.id)):
        refresh(entry)
        check_uid_free(entry, body.uid)
        try:
            new = commit(entry, [Change(file, encode(text, place=Place(file)), None)], who=access.user)[0]
        except Conflict:
            raise fail("file-there", Place(file), {"other": file}) from None
    return NewFile(file, new.revision.id)


# Import and export

_ZIP: dict[int | str, dict[str, Any]] = {200: {"content": {"application/zip": {}}, "description": "A zip"}}


@dataclass(frozen=True, slots=True)
class ImportAnswer:
    """A project that has come in, how many files it has, what was left out, and what was changed on the way."""

    name: str
    files: int
    skipped: tuple[str, ...]
    problems: list[ProblemShape]


@router.post("/projects/import", status_code=201, responses=fails(403, 409, 413))
def import_files(
    bench: Bench,
    who: Maker,
    language: Spoken,
    name: Annotated[str, Form()],
    files: Annotated[list[UploadFile], File(description="A zip, or the files of a project, ours or classic.")],
) -> ImportAnswer:
    """Add a project from a zip, or from several files: ours, or templates in JSON with a vocabulary in TSV."""
    with bench.turns.take("import"):  # each may fill a hundred megabytes
        result = projects.import_project(bench.store, _unpacked(files), name=name, who=who)
    return ImportAnswer(result.entry.name, result.files, result.skipped, problem_shapes(result.problems, language))


@router.get("/projects/{project}/export", responses={**fails(404), **_ZIP}, response_class=Response)
def export_files(access: Reader) -> Response:
    """Return the files of a project as a zip that can be imported again."""
    data = projects.export_project(access.entry)
    return Response(data, headers=attached(f"{access.entry.name}.zip"), media_type="application/zip")


def _unpacked(files: list[UploadFile]) -> Bundle:
    named: list[tuple[str, IO[bytes]]] = [(each.filename or "", each.file) for each in files]
    if not named:
        raise fail("import-nothing")
    if not all(name for name, _ in named):
        raise fail("import-name-missing")
    if len(named) == 1 and PurePosixPath(named[0][0]).suffix.lower() == ".zip":
        return read_zip(named[0][1])
    return read_files(named)


def attached(name: str) -> dict[str, str]:
    """Return the headers of a file that is to be saved under a name."""
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}", "Cache-Control": "no-store"}
