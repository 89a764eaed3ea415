"""Calls for one file: reading, saving, renaming, deleting, and merging with what somebody else has saved."""

from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from bidui.errors import InputError
from bidui.web.accounts import Access, Bench, Spoken
from bidui.web.api.answers import Checking, SavedAnswer, saved_answer, text_of, writing
from bidui.web.api.requests import Editor, File, Reader, Revision, Tab, TabQuery, Who
from bidui.web.editing.merging import Choice, merge_paradigms, merge_tables
from bidui.web.problems import fails
from bidui.web.store import (
    Draft,
    check_uid_free,
    current,
    delete,
    deleted_files,
    drafts,
    drop_draft,
    entries,
    history,
    keep_draft,
    may,
    refresh,
    rename,
    restore,
    revision,
    row_changes,
    save,
    unified,
    visible,
)
from bidui.web.store import Revision as StoredRevision
from bidui.web.store.drafts import Why, check_tab
from bidui.web.store.names import Kind, check_file_name
from bidui.web.store.revisions import PAGE, Reason, latest_number, names_at

# Calls for what is not saved yet: drafts, and who else has a file open.

draft_router = APIRouter(prefix="/api", tags=["drafts"], responses=fails(400, 401, 404, 422))


class DraftShape(BaseModel):
    """What somebody has typed that is no revision yet."""

    project: str
    file: str
    text: str
    base: int | None
    time: datetime
    why: Why
    tab: str


class Drafts(BaseModel):
    """Everything of one person that is no revision yet, the latest first."""

    drafts: list[DraftShape]


class DraftPlace(BaseModel):
    """Where there is a draft, and since when."""

    file: str
    time: datetime
    tab: str


class DraftPlaces(BaseModel):
    """The drafts of one person in a project, the latest first."""

    drafts: list[DraftPlace]


class Writing(BaseModel):
    """A text, the revision that it was made from, and the page that it was typed into."""

    text: str
    base: Revision = None
    tab: Tab = ""


class Presence(BaseModel):
    """The page that is open, or is being left."""

    tab: Tab = ""
    leave: bool = False


class Present(BaseModel):
    """Who else has the file open, and its latest revision."""

    others: list[str]
    revision: int | None


@draft_router.put("/projects/{project}/drafts/{file:path}", status_code=204, responses=fails(403))
def put_draft(access: Editor, file: File, wanted: Writing) -> None:
    """Keep what is being typed."""
    keep_draft(
        *(access.bench.store, access.entry, file, wanted.text), base=wanted.base, who=access.user, tab=wanted.tab
    )


@draft_router.delete("/projects/{project}/drafts/{file:path}", status_code=204)
def delete_draft(access: Reader, file: File, tab: TabQuery = "") -> None:
    """Throw a draft away."""
    drop_draft(access.bench.store, access.entry, file, who=access.user, tab=tab)


@draft_router.get("/projects/{project}/drafts")
def project_drafts(access: Reader) -> DraftPlaces:
    """Where the reader has typed something in a project that is not saved."""
    found = drafts(access.bench.store, who=access.user, entry=access.entry)
    return DraftPlaces(drafts=[DraftPlace(file=each.file, time=each.time, tab=each.tab) for each in found])


@draft_router.get("/drafts")
def all_drafts(bench: Bench, who: Who) -> Drafts:
    """Everything that the reader has typed and that is not saved, in all projects that she may see."""
    seen = {entry.name for entry in visible(bench.store, who, entries(bench.store))}
    return Drafts(drafts=[draft_shape(each) for each in drafts(bench.store, who=who) if each.project in seen])


@draft_router.post("/projects/{project}/presence/{file:path}")
def say_presence(access: Reader, file: File, page: Presence) -> Present:
    """Say that a page has the file open, or leaves it; who else does, and whether the file has changed."""
    check_file_name(file)
    check_tab(page.tab)
    where, presence = (access.entry.id, file), access.bench.presence
    if page.leave:
        presence.leave(user=access.user.id, tab=page.tab)
    else:
        presence.arrive(where, user=access.user.id, name=access.user.name, tab=page.tab)
    others = presence.others(where, user=access.user.id, tab=page.tab)
    try:
        number: int | None = current(access.bench.store, access.entry, file).revision.id
    except InputError:
        number = latest_number(access.bench.store, access.entry, file)
    return Present(others=others, revision=number)


def draft_shape(draft: Draft) -> DraftShape:
    """A draft as it travels."""
    return DraftShape(
        project=draft.project,
        file=draft.file,
        text=draft.text,
        base=draft.base,
        time=draft.time,
        why=draft.why,
        tab=draft.tab,
    )


router = APIRouter(prefix="/api", tags=["files"], responses=fails(400, 401, 404, 422))
EMPTY_PHRASES = "format: 1\nphrases: {}\n"


class FileAnswer(BaseModel):
    """A file as it is now; no revision where it is not there yet."""

    file: str
    kind: Kind
    text: str
    revision: int | None
    time: datetime | None
    author: str
    drafts: list[DraftShape]
    others: list[str]
    may_edit: bool


class Renaming(Writing):
    """A text that is to have another name."""

    file: str
    to: str
    base: int


class Deleted(BaseModel):
    """The revision that says that a file is gone."""

    revision: int


class Merging(BaseModel):
    """What somebody wrote on top of a revision, and which side is to be kept of rows that both changed."""

    base: Revision = None
    mine: str
    choose: Annotated[dict[str, Choice], Field(max_length=10_000)] = {}


class RowConflict(BaseModel):
    """A row that both sides changed: what it was, and what each made of it; None where it is not there."""

    row: str
    kind: Literal["merge-changed", "merge-deleted", "merge-added", "merge-order"]
    text: str
    base: str | None
    mine: str | None
    theirs: str | None


class MergedAnswer(BaseModel):
    """Both put together, on top of the latest revision; rows in conflict are as chosen, or else mine."""

    text: str
    revision: int
    conflicts: list[RowConflict]


@router.get("/projects/{project}/files/{file:path}")
def read_file(access: Reader, file: File, response: Response) -> FileAnswer:
    """A file, with what the reader has typed into it that is not saved."""
    found = file_answer(access, file)
    response.headers["ETag"] = f'"{found.revision or 0}"'
    response.headers["Cache-Control"] = "no-cache"
    return found


def file_answer(access: Access, file: str) -> FileAnswer:
    """The same for a page."""
    kind = check_file_name(file)
    store = access.bench.store
    mine = [draft_shape(each) for each in drafts(store, who=access.user, entry=access.entry, file=file)]
    others = access.bench.presence.others((access.entry.id, file), user=access.user.id, tab="")
    try:
        version = current(store, access.entry, file)
    except InputError as error:
        if kind != "phrases" or error.problems[0].kind != "file-unknown":
            raise
        version = None  # the page can start it
    return FileAnswer(
        file=file,
        kind=kind,
        text=version.text if version else EMPTY_PHRASES,
        revision=version.revision.id if version else latest_number(store, access.entry, file),
        time=version.revision.time if version else None,
        author=version.revision.author if version else "",
        drafts=mine,
        others=others,
        may_edit=may(access.role, "editor"),
    )


@router.put("/projects/{project}/files/{file:path}", responses=writing(413))
def write_file(access: Editor, language: Spoken, file: File, wanted: Writing) -> SavedAnswer:
    """Save a text; one that does not parse becomes a draft, and the file stays as it is."""
    check = Checking(file)
    done = save(
        *(access.bench.store, access.entry, file, wanted.text),
        base=wanted.base,
        who=access.user,
        check=check,
        tab=wanted.tab,
    )
    return saved_answer(done, warnings=check.problems, language=language)


@router.delete("/projects/{project}/files/{file:path}", responses=writing())
def delete_file(access: Editor, file: File, base: Annotated[int, Query()]) -> Deleted:
    """Delete a file; it can be restored."""
    done = delete(access.bench.store, access.entry, file, base=base, who=access.user)
    return Deleted(revision=done.revision.id)


@router.post("/projects/{project}/rename", responses=writing())
def rename_file(access: Editor, language: Spoken, wanted: Renaming) -> SavedAnswer:
    """Save a text under another name, in place of the file of the old name; a name that is taken is refused."""
    check = Checking(wanted.to)
    store, entry = access.bench.store, access.entry
    with access.bench.turns.take(("uids", entry.id)):
        if check_file_name(wanted.to) == "paradigm":
            refresh(store, entry)
            check_uid_free(store, entry, PurePosixPath(wanted.to).stem, but=wanted.file)
        done = rename(
            *(store, entry, wanted.file, wanted.to, wanted.text),
            base=wanted.base,
            who=access.user,
            check=check,
            tab=wanted.tab,
        )
    return saved_answer(done, warnings=check.problems, language=language)


@router.post("/projects/{project}/merge/{file:path}")
def merge_file(access: Reader, language: Spoken, file: File, wanted: Merging) -> MergedAnswer:
    """Put a text together, row by row, with what somebody else has saved meanwhile; nothing is saved."""
    theirs = current(access.bench.store, access.entry, file)
    base = "" if wanted.base is None else revision(access.bench.store, access.entry, wanted.base).text
    by_lines = file.endswith((".tsv", ".md"))
    merged = (merge_tables if by_lines else merge_paradigms)(base, wanted.mine, theirs.text, choose=wanted.choose)
    conflicts = [
        RowConflict(row=c.row, kind=c.kind, text=c.text(language), base=c.base, mine=c.mine, theirs=c.theirs)
        for c in merged.conflicts
    ]
    return MergedAnswer(text=merged.text, revision=theirs.revision.id, conflicts=conflicts)


# Calls for the past of a project: revisions, what differs between two, restoring, and files that were deleted.

history_router = APIRouter(prefix="/api/projects/{project}", tags=["history"], responses=fails(400, 401, 404, 422))


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


@history_router.get("/history/{file:path}")
def file_history(access: Reader, file: File, before: Annotated[int | None, Query()] = None) -> History:
    """The revisions of a file, a page of them at a time."""
    refresh(access.bench.store, access.entry)
    found = history(access.bench.store, access.entry, file, before=before, most=PAGE + 1)
    origins = {each.id: each.origin for each in found if each.reason == "edit" and each.origin is not None}
    names = names_at(access.bench.store, access.entry, set(origins.values())) if origins else {}
    shown = [_revision(each, renamed_from=names.get(origins.get(each.id, 0))) for each in found[:PAGE]]
    return History(revisions=shown, more=len(found) > PAGE)


@history_router.get("/revisions/{number}")
def one_revision(access: Reader, number: int) -> RevisionText:
    """A revision with its text."""
    found = revision(access.bench.store, access.entry, number)
    return RevisionText(revision=_revision(found.revision), text=text_of(found))


@history_router.get("/difference")
def difference(access: Reader, old: int, new: int) -> Difference:
    """What differs between two revisions."""
    one, other = (revision(access.bench.store, access.entry, number) for number in (old, new))
    name, before, after = other.revision.file, text_of(one), text_of(other)
    rows = [
        RowChangeShape(kind=c.kind, before=c.before, after=c.after, old=list(c.old), new=list(c.new))
        for c in row_changes(before, after, name=name)
    ]
    return Difference(old=old, new=new, unified=unified(before, after, name=name), rows=rows)


@history_router.post("/restore", responses=writing())
def restore_revision(access: Editor, language: Spoken, wanted: Restoring) -> SavedAnswer:
    """Make an old revision the latest one again; a deleted file comes back in this way."""
    store, entry = access.bench.store, access.entry
    check = Checking(revision(store, entry, wanted.revision).revision.file)
    done = restore(store, entry, wanted.revision, base=wanted.base, who=access.user, check=check, tab=wanted.tab)
    return saved_answer(done, warnings=check.problems, language=language)


@history_router.get("/deleted")
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
