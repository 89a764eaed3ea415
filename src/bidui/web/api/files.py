"""Calls for one file: reading, saving, renaming, deleting, and merging with what somebody else has saved."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from bidui.errors import InputError
from bidui.web.accounts import Access, Bench, Spoken
from bidui.web.api.answers import SaveAnswer, save_answer, writing
from bidui.web.api.requests import Editor, File, Reader, Revision, Tab, TabQuery, Who
from bidui.web.api.requests import Revision as Number
from bidui.web.editing.merging import Choice, merge_paradigms, merge_tables
from bidui.web.problems import fails
from bidui.web.store.accounts import may, visible
from bidui.web.store.disk import current, refresh
from bidui.web.store.drafts import Draft, check_tab, drafts, drop_draft, keep_draft
from bidui.web.store.files import delete, rename, restore, save
from bidui.web.store.names import Kind, check_file_name
from bidui.web.store.overview import check_uid_free
from bidui.web.store.revisions import (
    PAGE,
    RowChange,
    deleted_files,
    history,
    latest_number,
    revision,
    row_changes,
    unified,
)
from bidui.web.store.revisions import Revision as Revision_history
from bidui.web.store.workspace import entries

# Calls for what is not saved yet: drafts, and who else has a file open.

draft_router = APIRouter(prefix="/api", tags=["drafts"], responses=fails(400, 401, 404, 422))


@dataclass(frozen=True, slots=True)
class Drafts:
    """All drafts of one person, the latest first."""

    drafts: list[Draft]


@dataclass(frozen=True, slots=True)
class DraftPlace:
    """A file that has a draft, and when the draft was last changed."""

    file: str
    time: datetime
    tab: str


@dataclass(frozen=True, slots=True)
class DraftPlaces:
    """The drafts of one person in a project, the latest first."""

    drafts: list[DraftPlace]


class WriteRequest(BaseModel):
    """A text, the revision that it was made from, and the page that it was typed into."""

    text: str
    base: Revision = None
    tab: Tab = ""


class PresenceRequest(BaseModel):
    """The page that is open, or is being left."""

    tab: Tab = ""
    leave: bool = False


@dataclass(frozen=True, slots=True)
class PresenceAnswer:
    """Who else has the file open, and its latest revision."""

    others: list[str]
    revision: int | None


@draft_router.put("/projects/{project}/drafts/{file:path}", status_code=204, responses=fails(403))
def put_draft(access: Editor, file: File, wanted: WriteRequest) -> None:
    """Keep what is being typed."""
    store, entry = access.bench.store, access.entry
    keep_draft(store, entry, file, wanted.text, base=wanted.base, who=access.user, tab=wanted.tab)


@draft_router.delete("/projects/{project}/drafts/{file:path}", status_code=204)
def delete_draft(access: Reader, file: File, tab: TabQuery = "") -> None:
    """Throw a draft away."""
    drop_draft(access.bench.store, access.entry, file, who=access.user, tab=tab)


@draft_router.get("/projects/{project}/drafts")
def project_drafts(access: Reader) -> DraftPlaces:
    """Where the reader has typed something in a project that is not saved."""
    mine = drafts(access.bench.store, who=access.user, entry=access.entry)
    return DraftPlaces([DraftPlace(draft.file, draft.time, draft.tab) for draft in mine])


@draft_router.get("/drafts")
def all_drafts(bench: Bench, who: Who) -> Drafts:
    """Everything that the reader has typed and that is not saved, in all projects that she may see."""
    projects = {entry.name for entry in visible(bench.store, who, entries(bench.store))}
    return Drafts([draft for draft in drafts(bench.store, who=who) if draft.project in projects])


@draft_router.post("/projects/{project}/presence/{file:path}")
def say_presence(access: Reader, file: File, page: PresenceRequest) -> PresenceAnswer:
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
    return PresenceAnswer(others, number)


router = APIRouter(prefix="/api", tags=["files"], responses=fails(400, 401, 404, 422))
EMPTY_PHRASES = "format: 1\nphrases: {}\n"


@dataclass(frozen=True, slots=True)
class FileAnswer:
    """A file as it is now; no revision where it is not there yet."""

    file: str
    kind: Kind
    text: str
    revision: int | None
    time: datetime | None
    author: str
    drafts: list[Draft]
    others: list[str]
    may_edit: bool


class RenameRequest(WriteRequest):
    """A text that is to have another name."""

    file: str
    to: str
    base: int


@dataclass(frozen=True, slots=True)
class Deletion:
    """The revision that says that a file is gone."""

    revision: int


class MergeRequest(BaseModel):
    """What somebody wrote on top of a revision, and which side is to be kept of rows that both changed."""

    base: Revision = None
    mine: str
    choose: Annotated[dict[str, Choice], Field(max_length=10_000)] = {}


@dataclass(frozen=True, slots=True)
class RowConflict:
    """A row that both sides changed: what it was, and what each made of it; None where it is not there."""

    row: str
    kind: Literal["merge-changed", "merge-deleted", "merge-added", "merge-order"]
    text: str
    base: str | None
    mine: str | None
    theirs: str | None


@dataclass(frozen=True, slots=True)
class MergeAnswer:
    """Both put together, on top of the latest revision; rows in conflict are as chosen, or else mine."""

    text: str
    revision: int
    conflicts: list[RowConflict]


@router.get("/projects/{project}/files/{file:path}")
def read_file(access: Reader, file: File, response: Response) -> FileAnswer:
    """Return a file, with what the reader has typed into it that is not saved."""
    answer = file_answer(access, file)
    response.headers["ETag"] = f'"{answer.revision or 0}"'
    response.headers["Cache-Control"] = "no-cache"
    return answer


def file_answer(access: Access, file: str) -> FileAnswer:
    """Return the same for a page."""
    kind = check_file_name(file)
    store = access.bench.store
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
        drafts=drafts(store, who=access.user, entry=access.entry, file=file),
        others=access.bench.presence.others((access.entry.id, file), user=access.user.id, tab=""),
        may_edit=may(access.role, "editor"),
    )


@router.put("/projects/{project}/files/{file:path}", responses=writing(413))
def write_file(access: Editor, language: Spoken, file: File, wanted: WriteRequest) -> SaveAnswer:
    """Save a text; one that does not parse becomes a draft, and the file stays as it is."""
    store, entry = access.bench.store, access.entry
    outcome = save(store, entry, file, wanted.text, base=wanted.base, who=access.user, tab=wanted.tab)
    return save_answer(outcome, language)


@router.delete("/projects/{project}/files/{file:path}", responses=writing())
def delete_file(access: Editor, file: File, base: Annotated[int, Query()]) -> Deletion:
    """Delete a file; it can be restored."""
    return Deletion(delete(access.bench.store, access.entry, file, base=base, who=access.user).revision.id)


@router.post("/projects/{project}/rename", responses=writing())
def rename_file(access: Editor, language: Spoken, wanted: RenameRequest) -> SaveAnswer:
    """Save a text under another name, in place of the file of the old name; a name that is taken is refused."""
    store, entry = access.bench.store, access.entry
    with access.bench.turns.take(("uids", entry.id)):
        if check_file_name(wanted.to) == "paradigm":
            refresh(store, entry)
            check_uid_free(store, entry, PurePosixPath(wanted.to).stem, but=wanted.file)
        names = (wanted.file, wanted.to)
        outcome = rename(store, entry, *names, wanted.text, base=wanted.base, who=access.user, tab=wanted.tab)
    return save_answer(outcome, language)


@router.post("/projects/{project}/merge/{file:path}")
def merge_file(access: Reader, language: Spoken, file: File, wanted: MergeRequest) -> MergeAnswer:
    """Merge a text, row by row, with what somebody else has saved meanwhile; nothing is saved."""
    theirs = current(access.bench.store, access.entry, file)
    base = "" if wanted.base is None else revision(access.bench.store, access.entry, wanted.base).text
    by_lines = file.endswith((".tsv", ".md"))
    merged = (merge_tables if by_lines else merge_paradigms)(base, wanted.mine, theirs.text, choose=wanted.choose)
    conflicts = [RowConflict(c.row, c.kind, c.text(language), c.base, c.mine, c.theirs) for c in merged.conflicts]
    return MergeAnswer(merged.text, theirs.revision.id, conflicts)


# Calls for the past of a project: revisions, what differs between two, restoring, and files that were deleted.

history_router = APIRouter(prefix="/api/projects/{project}", tags=["history"], responses=fails(400, 401, 404, 422))


@dataclass(frozen=True, slots=True)
class History:
    """The revisions of a file, the latest first; `more` where there are older ones."""

    revisions: list[Revision_history]
    more: bool


@dataclass(frozen=True, slots=True)
class RevisionText:
    """One revision with its text."""

    revision: Revision_history
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Two revisions compared, by lines as git does, and by rows."""

    old: int
    new: int
    unified: str
    rows: tuple[RowChange, ...]


class Restoration(BaseModel):
    """An old revision that is to be the latest one again."""

    revision: int
    base: Number = None
    tab: Tab = ""


@dataclass(frozen=True, slots=True)
class DeletedFile:
    """A file that is gone: the revision that says so, and the one before, which can be restored."""

    file: str
    revision: int
    last: int | None
    author: str
    time: datetime


@dataclass(frozen=True, slots=True)
class DeletedFiles:
    """The files of a project that are gone."""

    files: list[DeletedFile]


@history_router.get("/history/{file:path}")
def file_history(access: Reader, file: File, before: Annotated[int | None, Query()] = None) -> History:
    """List the revisions of a file, a page of them at a time."""
    refresh(access.bench.store, access.entry)
    revisions = history(access.bench.store, access.entry, file, before=before, most=PAGE + 1)
    return History(revisions[:PAGE], len(revisions) > PAGE)


@history_router.get("/revisions/{number}")
def one_revision(access: Reader, number: int) -> RevisionText:
    """Return a revision with its text."""
    version = revision(access.bench.store, access.entry, number)
    return RevisionText(version.revision, version.shown)


@history_router.get("/difference")
def difference(access: Reader, old: int, new: int) -> Difference:
    """Compare two revisions."""
    before, after = (revision(access.bench.store, access.entry, number) for number in (old, new))
    texts, name = (before.shown, after.shown), after.revision.file
    return Difference(old, new, unified(*texts, name=name), row_changes(*texts, name=name))


@history_router.post("/restore", responses=writing())
def restore_revision(access: Editor, language: Spoken, wanted: Restoration) -> SaveAnswer:
    """Make an old revision the latest one again; a deleted file comes back in this way."""
    store, entry = access.bench.store, access.entry
    outcome = restore(store, entry, wanted.revision, base=wanted.base, who=access.user, tab=wanted.tab)
    return save_answer(outcome, language)


@history_router.get("/deleted")
def deleted(access: Reader) -> DeletedFiles:
    """List the files that were deleted, here or outside."""
    refresh(access.bench.store, access.entry)
    gone = deleted_files(access.bench.store, access.entry)
    return DeletedFiles([DeletedFile(each.file, each.id, each.base, each.author, each.time) for each in gone])
