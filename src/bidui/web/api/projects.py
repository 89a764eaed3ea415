"""Calls for all projects of a workspace: the list, new ones, deleting, and the bin."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends
from pydantic import BaseModel

from bidui.benchmarks import shipped
from bidui.errors import fail
from bidui.web.api.parameters import Owner, Who
from bidui.web.counting import count_errors, known_counts
from bidui.web.identity import Bench, Spoken, make_editor
from bidui.web.problems import ProblemShape, fails, problem_shapes
from bidui.web.store import (
    Binned,
    Coverage,
    Entry,
    Role,
    Store,
    User,
    binned,
    bring_back,
    check_role,
    copy_benchmark,
    coverage,
    delete_project,
    entries,
    may,
    new_project,
    refresh,
    role_of,
    visible,
)
from bidui.web.workbench import Workbench
from bidui.words import Language

router = APIRouter(prefix="/api", tags=["projects"], responses=fails(400, 401, 422))
Maker = Annotated[User, Depends(make_editor)]


class ProjectLine(BaseModel):
    """A project in a list."""

    name: str
    title: str
    lang: str
    role: Role
    paradigms: int
    phenomena: int
    words: int
    errors: int
    warnings: int
    changed: datetime | None
    author: str


class ProjectList(BaseModel):
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


class Named(BaseModel):
    """A project's name."""

    name: str


class BinnedProject(BaseModel):
    """A project in the bin; nobody deleted it where its folder was removed outside."""

    id: int
    name: str
    time: datetime
    by: str


class Bin(BaseModel):
    """What the reader may bring back."""

    projects: list[BinnedProject]


class BringingBack(BaseModel):
    """Another name, where the old one is taken."""

    name: str | None = None


@router.get("/projects")
def list_projects(bench: Bench, who: Who, language: Spoken) -> ProjectList:
    """All projects that the reader may see."""
    return project_list(bench, who, language)


def project_list(bench: Workbench, who: User, language: Language) -> ProjectList:
    """The same for a page."""
    store = bench.store
    skipped = refresh(store).skipped
    lines = [_line(store, who, entry) for entry in visible(store, who, entries(store))]
    may_add = not store.alone and may(role_of(store, who), "editor")
    return ProjectList(
        projects=lines,
        benchmarks=sorted(shipped()),
        alone=store.alone,
        may_add=may_add,
        skipped=problem_shapes(skipped, language) if role_of(store, who) else [],
    )


@router.post("/projects", status_code=201, responses=fails(403, 409))
def add_project(bench: Bench, who: Maker, wanted: NewProject) -> Named:
    """A new project, from the starter or as a copy of a shipped benchmark."""
    if wanted.lang is not None and wanted.benchmark is None:
        return Named(name=new_project(bench.store, wanted.name, lang=wanted.lang, who=who).name)
    if wanted.benchmark is not None and wanted.lang is None:
        return Named(name=copy_benchmark(bench.store, wanted.benchmark, name=wanted.name, who=who).entry.name)
    raise fail("project-start")


@router.delete("/projects/{project}", status_code=204, responses=fails(403, 404))
def remove_project(access: Owner) -> None:
    """Put a project into the bin."""
    delete_project(access.bench.store, access.entry, who=access.user)


@router.get("/bin")
def look_into_bin(bench: Bench, who: Who) -> Bin:
    """The deleted projects that the reader may bring back: those that she owns."""
    return bin_answer(bench, who)


def bin_answer(bench: Workbench, who: User) -> Bin:
    """The same for a page."""
    mine = [each for each in binned(bench.store) if may(role_of(bench.store, who, _entry(bench.store, each)), "owner")]
    projects = [BinnedProject(id=each.id, name=each.name, time=each.time, by=each.by) for each in mine]
    return Bin(projects=projects)


@router.post("/bin/{number}", responses=fails(403, 404, 409))
def take_out_of_bin(bench: Bench, who: Who, number: int, wanted: BringingBack) -> Named:
    """Bring a deleted project back."""
    found = next((each for each in binned(bench.store) if each.id == number), None)
    if found is None or role_of(bench.store, who, _entry(bench.store, found)) is None:
        raise fail("bin-unknown", None, {"number": number})
    check_role(bench.store, who, "owner", _entry(bench.store, found))
    return Named(name=bring_back(bench.store, number, who=who, name=wanted.name).name)


def _entry(store: Store, found: Binned) -> Entry:
    """A deleted project, as far as roles go; its folder lies elsewhere."""
    return Entry(found.id, found.name, store.root)


def _line(store: Store, who: User, entry: Entry) -> ProjectLine:
    found: Coverage = coverage(store, entry)
    counts = known_counts(store, entry, language="en")
    role = role_of(store, who, entry)
    assert role is not None
    return ProjectLine(
        name=found.name,
        title=found.title,
        lang=found.lang,
        role=role,
        paradigms=len(found.paradigms),
        phenomena=len(found.phenomena),
        words=found.words,
        errors=found.errors + sum(count_errors(line, counts.get(line.file)) for line in found.paradigms),
        warnings=found.warnings,
        changed=found.changed,
        author=found.author,
    )
