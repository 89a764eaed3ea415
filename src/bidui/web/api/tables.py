"""The call that changes cells: of the lexicon, of relations, of features; merged by rows where others were quicker."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from bidui.errors import Place, Problem, fail
from bidui.pairs.text import encoded
from bidui.web.api.conflicts import text_of
from bidui.web.api.parameters import Editor, File, Revision, Tab
from bidui.web.api.saving import Checking, writing
from bidui.web.api.spans import ChangeShape, change_shapes
from bidui.web.api.table_problems import TableProblem, table_problems
from bidui.web.api.table_steps import Operation, applied
from bidui.web.editing.changes import inverse, line_difference
from bidui.web.editing.merging import merge_tables
from bidui.web.editing.tables import read_table
from bidui.web.editing.utf16 import Utf16
from bidui.web.identity import Access, Spoken
from bidui.web.problems import fails
from bidui.web.store import Conflict, Kept, Saved, Version, revision, save
from bidui.web.store.names import check_file_name
from bidui.web.words import EMPTY, KINDS, NEW, Trying, keep_words, with_file, words_of

router = APIRouter(prefix="/api/projects/{project}", tags=["lexicon"], responses=fails(400, 401, 404, 422))
Check = Checking | Trying
_TRIES = 5  # of a merge, while others go on saving


class TableEdit(BaseModel):
    """Operations, each on what the one before left; the first on the text of the revision `base`."""

    base: Revision = None
    tab: Tab = ""
    ops: Annotated[list[Operation], Field(min_length=1, max_length=5_000)]


class TableAnswer(BaseModel):
    """What became of a table. `moved`: rows have other lines now, and `rows_changed` are all of them.

    `changes` lead from the text of `base` to the new one; `inverse` takes back what was done here. Where the text has
    errors it is not saved, `revision` is the base, and rows and changes are those that would have been.
    """

    saved: bool
    draft: bool
    changed: bool
    merged: bool
    moved: bool
    revision: int | None
    columns: list[str]
    rows_changed: list[list[int | str]]
    changes: list[ChangeShape]
    inverse: list[ChangeShape]
    problems: list[TableProblem]


@dataclass(frozen=True, slots=True)
class _Done:
    """What was saved or kept, the text before it, and whether somebody else's rows are in it."""

    outcome: Saved | Kept
    text: str
    before: str  # what it was put on top of: the base, or what another had saved
    merged: bool


@router.post("/tables/{file:path}", responses=writing())
def edit_table(access: Editor, language: Spoken, file: File, wanted: TableEdit) -> TableAnswer:
    """Change cells, rows and columns of a table, and save it."""
    if check_file_name(file) not in {"lexicon", "features", "relation"}:
        raise fail("not-a-table", Place(), {"file": file})
    base = _base(access, file, wanted.base)
    mine = applied(base, wanted.ops)
    with access.bench.turns.take((access.entry.id, file)):
        check = _check(access, file)
        done = _saved(access, file, base, mine, wanted, check)
        problems = _problems(access, done, check)
    return _answer(done, base, problems=table_problems(problems, language))


def _base(access: Access, file: str, number: int | None) -> str:
    if number is None:
        return EMPTY if file == NEW else ""
    found = revision(access.bench.store, access.entry, number)
    if found.revision.file != file:
        raise fail("revision-unknown", Place(file), {"number": number})
    return EMPTY if found.revision.deleted and file == NEW else found.text


def _saved(access: Access, file: str, base: str, mine: str, wanted: TableEdit, check: Check) -> _Done:
    """Save a text; where others have saved meanwhile, what both made of it, if no row is in conflict."""
    text, before, number = mine, base, wanted.base
    for left in reversed(range(_TRIES)):
        try:
            done = save(
                *(access.bench.store, access.entry, file, text),
                base=number,
                who=access.user,
                check=check,
                tab=wanted.tab,
            )
            return _Done(done, text, before, number != wanted.base)
        except Conflict as conflict:
            theirs = conflict.theirs
            merged = merge_tables(before, text, text_of(theirs))
            if merged.conflicts or theirs.revision.deleted or not left:
                raise
            text, before, number = merged.text, text_of(theirs), theirs.revision.id
    raise AssertionError


def _check(access: Access, file: str) -> Check:
    """What looks at the new text: of a file of the lexicon, together with all other words."""
    if check_file_name(file) not in KINDS:
        return Checking(file)
    return Trying(words_of(access.bench.store, access.entry, recent=access.bench.words), file)


def _problems(access: Access, done: _Done, check: Check) -> Sequence[Problem]:
    """Those of all words after a change of the lexicon, which are kept for the next call; of another table, its own."""
    kept = done.outcome.problems if isinstance(done.outcome, Kept) else ()
    if isinstance(check, Checking):
        return kept or check.problems
    if check.vocabulary is None:  # what was sent is no text
        return kept
    if isinstance(done.outcome, Saved):
        version = Version(done.outcome.revision, encoded(done.text, place=Place(check.file)))
        keep_words(with_file(check.words, version, check.vocabulary), access.entry, recent=access.bench.words)
    return check.vocabulary.problems


def _answer(done: _Done, base: str, *, problems: list[TableProblem]) -> TableAnswer:
    old, new = read_table(base), read_table(done.text)
    moved = done.merged or base.count("\n") != done.text.count("\n")
    rows = (
        new.rows
        if moved
        else [row for row in new.rows if row.line not in old.by_line or old.by_line[row.line].cells != row.cells]
    )
    kept = isinstance(done.outcome, Kept)
    edit = line_difference(base, done.text)
    back = inverse(done.before, line_difference(done.before, done.text))
    return TableAnswer.model_construct(
        saved=not kept,
        draft=kept,
        changed=isinstance(done.outcome, Saved) and done.outcome.changed,
        merged=done.merged,
        moved=moved,
        revision=done.outcome.revision.id if isinstance(done.outcome, Saved) else done.outcome.draft.base,
        columns=list(new.header),
        rows_changed=[[row.line, *row.cells] for row in rows],
        changes=change_shapes(edit, Utf16(base)),
        inverse=change_shapes(back, Utf16(done.text)),
        problems=problems,
    )
