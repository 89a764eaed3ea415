"""Calls for the tables of a project: relations, the hierarchy of features, and tables of the lexicon taken from trees.

A table is changed as the lexicon is, row by row (`bidui.web.api.lexicon`); here they are listed, opened and created.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Annotated, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import encode
from bidui.grammar.lexicon import Lexicon
from bidui.grammar.names import Kind, check_file_name, name_fits
from bidui.grammar.rules import Condition
from bidui.web.accounts import Access, Editor, Reader, Spoken
from bidui.web.api.files import File
from bidui.web.api.lexicon import (
    WORDS,
    FeatureShape,
    LexiconAnswer,
    as_json,
    feature_shape,
    misfits,
    places_of,
    table_problems,
    table_shape,
    words_of,
)
from bidui.web.api.projects import NewFile
from bidui.web.editing import tables
from bidui.web.problems import ProblemShape, fails, problem_shapes
from bidui.web.store.accounts import may
from bidui.web.store.disk import current, refresh
from bidui.web.store.files import Change, Conflict, commit
from bidui.web.store.overview import FileLine, coverage, draft_lines, file_problems
from bidui.web.store.revisions import Version, heads, revision
from bidui.web.workbench import Places, TableFacts

router = APIRouter(prefix="/api/projects/{project}", tags=["tables"], responses=fails(400, 401, 404, 422))
Source = Literal["relation", "features", "trees", "lexicon"]  # the last is a table that people wrote
KINDS: frozenset[Kind] = frozenset({"lexicon", "features", "relation"})
_SHOWN = 3  # problems of a table in the list
_SEPARATORS = re.compile(r"[\s,，、;；]+")


@dataclass(frozen=True, slots=True)
class TableUse:
    """A paradigm that uses a table."""

    uid: str
    file: str


@dataclass(frozen=True, slots=True)
class TableLine(FileLine):
    """A table in a list: by which name rules know it, what it is, its columns and rows, and who uses it.

    Its errors and warnings include values that no word of the lexicon has; `problems` are the first of them.
    """

    name: str
    source: Source
    columns: tuple[str, ...]
    rows: int
    paradigms: tuple[TableUse, ...]
    problems: list[ProblemShape]
    draft: bool


@dataclass(frozen=True, slots=True)
class TableList:
    """The tables of a project; those of its lexicon that people wrote are on the page of the lexicon."""

    tables: list[TableLine]
    may_edit: bool


@dataclass(frozen=True, slots=True)
class OpenTable(LexiconAnswer):
    """One table, in the shape in which the grid reads the lexicon, and what it is for."""

    name: str
    source: Source
    paradigms: tuple[TableUse, ...]


class NewTable(BaseModel):
    """The name of a new relation, and its columns, separated by blanks or commas."""

    name: Annotated[str, Field(max_length=100)]
    columns: Annotated[str, Field(max_length=1_000)]


@router.get("/tables")
def list_tables(access: Reader, language: Spoken) -> TableList:
    """List the tables of a project."""
    refresh(access.entry)
    places = places_of(access)
    drafts = {line.file for line in draft_lines(access.entry)}
    lines = []
    for line in coverage(access.entry).files:
        if line.kind not in KINDS or (source := _source(places, line.file)) == "lexicon":
            continue
        facts = _facts(access, line)
        warnings = sum(problem.severity == "warning" for problem in facts.problems)
        errors = len(facts.problems) - warnings
        lines.append(
            TableLine(
                *(line.file, line.kind, errors, warnings, line.revision, line.time, line.author),
                name=_name(places, line.file, source),
                source=source,
                columns=facts.columns,
                rows=facts.rows,
                paradigms=_uses(access, places, line.file, source),
                problems=problem_shapes(facts.problems[:_SHOWN], language),
                draft=line.file in drafts,
            )
        )
    return TableList(lines, may(access.role, "editor"))


def _facts(access: Access, line: FileLine) -> TableFacts:
    """Return what a table holds, read once for each state of it and of the words."""

    def make() -> TableFacts:
        version = revision(access.entry, line.revision)
        table = tables.read_table(version.shown)
        return TableFacts(table.header, len(table.lines), tuple(_problems(access, line.file, version)))

    state = (line.revision, *sorted(heads(access.entry, WORDS).items()))
    return access.bench.tables.get((access.entry.id, line.file), make, state=state)


@router.get("/tables/{file:path}", response_model=OpenTable)
def open_table(access: Reader, language: Spoken, file: File) -> Response:
    """Return one table with its rows, its problems, and the paradigms that use it."""
    if check_file_name(file) not in KINDS:
        raise fail("not-a-table", Place(), {"file": file})
    version = current(access.entry, file)
    refresh(access.entry)
    places = places_of(access)
    source = _source(places, file)
    table = tables.read_table(version.shown)
    answer = OpenTable(
        files=[table_shape(file, version.revision.id, table)],
        features=_features(words_of(access).vocabulary.lexicon, table.header) if source == "relation" else [],
        problems=table_problems(_problems(access, file, version), language),
        words=len(table.lines),
        may_edit=may(access.role, "editor"),
        name=_name(places, file, source),
        source=source,
        paradigms=_uses(access, places, file, source),
    )
    return as_json(answer)


@router.post("/tables", status_code=201, responses=fails(403, 409))
def new_table(access: Editor, body: NewTable) -> NewFile:
    """Add a relation that has columns and no rows yet."""
    if not name_fits(body.name):
        raise fail("table-new-name", None, {"name": repr(body.name)})
    file = f"relations/{body.name}.tsv"
    text = "\t".join(filter(None, _SEPARATORS.split(body.columns))) + "\n"
    if problems := file_problems(file, text):
        raise InputError(problems)
    try:
        new = commit(access.entry, [Change(file, encode(text, place=Place(file)), None)], who=access.user)[0]
    except Conflict:
        raise fail("file-there", Place(file), {"other": file}) from None
    return NewFile(file, new.revision.id)


def _source(places: Places, file: str) -> Source:
    """Return what kind of table a file is."""
    match check_file_name(file):
        case "relation":
            return "relation"
        case "features":
            return "features"
        case _:
            return "trees" if file in places.settings.tables.values() else "lexicon"


def _name(places: Places, file: str, source: Source) -> str:
    """Return the name by which rules or settings know a table; the hierarchy of features has none."""
    names: Mapping[str, str] = places.settings.tables if source == "trees" else places.settings.relations
    known = next((name for name, other in names.items() if other == file), "")
    return known or ("" if source == "features" else PurePosixPath(file).stem)


def _problems(access: Access, file: str, version: Version) -> list[Problem]:
    """Return the problems of one table: those of its text, and words that the lexicon lacks."""
    if check_file_name(file) == "relation":
        return [*file_problems(file, version.shown), *misfits(access, file, version.shown)]
    return [problem for problem in words_of(access).vocabulary.problems if problem.place.file == file]


def _uses(access: Access, places: Places, file: str, source: Source) -> tuple[TableUse, ...]:
    """Return the paradigms whose rules name a relation, or have slots that a word of the table fits."""
    uids: Iterable[str] = ()
    if source == "relation":
        uids = places.relations.get(_name(places, file, source), ())
    elif source != "features":
        lexicon = words_of(access).vocabulary.lexicon
        mine = sum(1 << number for number, word in enumerate(lexicon.words) if word.file == file)
        rules = {place.conditions for place in places.places if place.conditions}
        fits = {rule for rule in rules if _known(lexicon, rule) and lexicon.bits(rule) & mine}
        uids = sorted({place.uid for place in places.places if place.conditions in fits})
    return tuple(TableUse(uid, places.files[uid]) for uid in uids)


def _known(lexicon: Lexicon, conditions: Iterable[Condition]) -> bool:
    return all(lexicon.has_feature(condition.feature) for condition in conditions)


def _features(lexicon: Lexicon, columns: Iterable[str]) -> list[FeatureShape]:
    """Return values to suggest in the columns of a relation that stand for a feature; words are too many to list."""
    parts = {column: column.partition("@")[2] for column in columns}
    named = {column: name for column, name in parts.items() if name != "expression" and lexicon.has_feature(name)}
    return [feature_shape(lexicon, name, name=column) for column, name in named.items()]
