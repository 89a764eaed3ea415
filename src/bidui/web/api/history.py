"""Calls for the past of a project: revisions, what differs between two, restoring, and files that were deleted."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from bidui.web.api.conflicts import text_of
from bidui.web.api.parameters import Editor, File, Reader, Revision, Tab
from bidui.web.api.saving import Checking, SavedAnswer, saved_answer, writing
from bidui.web.identity import Spoken
from bidui.web.problems import fails
from bidui.web.store import Revision as StoredRevision
from bidui.web.store import deleted_files, history, refresh, restore, revision, row_changes, unified
from bidui.web.store.revisions import PAGE, Reason, names_at

router = APIRouter(prefix="/api/projects/{project}", tags=["history"], responses=fails(400, 401, 404, 422))


class RevisionShape(BaseModel):
    """One state of a file; no author where it was made outside the workbench.

    In a file's history, `renamed_from` is the name that it had at the revision `origin`.
    """

    id: int
    file: str
    author: str
    time: datetime
    reason: Reason
    base: int | None
    origin: int | None
    renamed_from: str | None
    deleted: bool
    size: int


class History(BaseModel):
    """The revisions of a file, the latest first; `more` where there are older ones."""

    revisions: list[RevisionShape]
    more: bool


class RevisionText(BaseModel):
    """One revision with its text."""

    revision: RevisionShape
    text: str


class RowChangeShape(BaseModel):
    """One row that is not as it was: its number (from 1, 0 where it is not there) and cells before and after."""

    kind: Literal["added", "removed", "changed"]
    before: int
    after: int
    old: list[str]
    new: list[str]


class Difference(BaseModel):
    """Two revisions compared, by lines as git does, and by rows."""

    old: int
    new: int
    unified: str
    rows: list[RowChangeShape]


class Restoring(BaseModel):
    """An old revision that is to be the latest one again."""

    revision: int
    base: Revision = None
    tab: Tab = ""


class DeletedFile(BaseModel):
    """A file that is gone: the revision that says so, and the one before, which can be restored."""

    file: str
    revision: int
    last: int | None
    author: str
    time: datetime


class DeletedFiles(BaseModel):
    """The files of a project that are gone."""

    files: list[DeletedFile]


@router.get("/history/{file:path}")
def file_history(access: Reader, file: File, before: Annotated[int | None, Query()] = None) -> History:
    """The revisions of a file, a page of them at a time."""
    refresh(access.bench.store, access.entry)
    found = history(access.bench.store, access.entry, file, before=before, most=PAGE + 1)
    origins = {each.id: each.origin for each in found if each.reason == "edit" and each.origin is not None}
    names = names_at(access.bench.store, access.entry, set(origins.values())) if origins else {}
    shown = [_revision(each, renamed_from=names.get(origins.get(each.id, 0))) for each in found[:PAGE]]
    return History(revisions=shown, more=len(found) > PAGE)


@router.get("/revisions/{number}")
def one_revision(access: Reader, number: int) -> RevisionText:
    """A revision with its text."""
    found = revision(access.bench.store, access.entry, number)
    return RevisionText(revision=_revision(found.revision), text=text_of(found))


@router.get("/difference")
def difference(access: Reader, old: int, new: int) -> Difference:
    """What differs between two revisions."""
    one, other = (revision(access.bench.store, access.entry, number) for number in (old, new))
    name, before, after = other.revision.file, text_of(one), text_of(other)
    rows = [
        RowChangeShape(kind=c.kind, before=c.before, after=c.after, old=list(c.old), new=list(c.new))
        for c in row_changes(before, after, name=name)
    ]
    return Difference(old=old, new=new, unified=unified(before, after, name=name), rows=rows)


@router.post("/restore", responses=writing())
def restore_revision(access: Editor, language: Spoken, wanted: Restoring) -> SavedAnswer:
    """Make an old revision the latest one again; a deleted file comes back in this way."""
    store, entry = access.bench.store, access.entry
    check = Checking(revision(store, entry, wanted.revision).revision.file)
    done = restore(store, entry, wanted.revision, base=wanted.base, who=access.user, check=check, tab=wanted.tab)
    return saved_answer(done, warnings=check.problems, language=language)


@router.get("/deleted")
def deleted(access: Reader) -> DeletedFiles:
    """The files that were deleted, here or outside."""
    refresh(access.bench.store, access.entry)
    found = deleted_files(access.bench.store, access.entry)
    files = [
        DeletedFile(file=each.file, revision=each.id, last=each.base, author=each.author, time=each.time)
        for each in found
    ]
    return DeletedFiles(files=files)


def _revision(found: StoredRevision, *, renamed_from: str | None = None) -> RevisionShape:
    return RevisionShape(
        id=found.id,
        file=found.file,
        author=found.author,
        time=found.time,
        reason=found.reason,
        base=found.base,
        origin=found.origin,
        renamed_from=renamed_from,
        deleted=found.deleted,
        size=found.size,
    )
