"""Calls for the files of a project: reading, saving, renaming, deleting and merging them, drafts of them, their past.

A call that writes answers with a `SaveAnswer`; where somebody else was quicker, with status 409 and a `ConflictAnswer`.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from bidui.errors import InputError
from bidui.grammar.names import Kind, check_file_name
from bidui.web.accounts import Access, Bench, Editor, Reader, Spoken, Who
from bidui.web.editing.merging import Choice, merge_paradigms, merge_tables
from bidui.web.heavy import compare, is_light
from bidui.web.problems import Problems, ProblemShape, fails, problem_shapes
from bidui.web.store import revisions as past
from bidui.web.store.accounts import may, visible
from bidui.web.store.disk import current, refresh
from bidui.web.store.drafts import Draft, check_tab, drafts, drop_draft, keep_draft
from bidui.web.store.files import Conflict, NewDraft, Outcome, delete, rename, restore, save
from bidui.web.store.overview import check_uid_free
from bidui.web.store.revisions import Revision, RowChange, Version
from bidui.web.store.workspace import entries
from bidui.words import Language

router = APIRouter(prefix="/api", tags=["files"], responses=fails(400, 401, 404, 422))
File = Annotated[str, Path(description="The file's name in the project, such as `paradigms/BA/BA_inversion.yaml`.")]
Tab = Annotated[str, Field(description="A name for the page, at most 64 ASCII characters.")]
TabQuery = Annotated[str, Query(description="A name for the page, at most 64 ASCII characters.")]
Base = Annotated[int | None, Field(description="The revision that the writer began with; none for a new file.")]
EMPTY_PHRASES = "format: 1\nphrases: {}\n"


@dataclass(frozen=True, slots=True)
class BaseShape:
    """The revision that a writer began with."""

    revision: int
    text: str


@dataclass(frozen=True, slots=True)
class TheirsShape:
    """The latest revision; it has no author where it was made outside the workbench."""

    revision: int
    text: str
    author: str
    time: datetime
    deleted: bool


@dataclass(frozen=True, slots=True)
class ConflictShape:
    """The three versions; no base where the writer took the file for new, no `yours` where she wanted it deleted."""

    file: str
    base: BaseShape | None
    theirs: TheirsShape
    yours: str | None


@dataclass(frozen=True, slots=True)
class ConflictAnswer(Problems):
    """The answer to a call that would have overwritten what somebody else wrote."""

    conflict: ConflictShape


@dataclass(frozen=True, slots=True)
class SaveAnswer:
    """Whether the file was saved; if not, its text is kept as a draft and the problems say why.

    `revision` is the file's latest one, or for a draft the one that it was made from.
    """

    saved: bool
    draft: bool
    changed: bool
    file: str
    revision: int | None
    time: datetime
    problems: list[ProblemShape]


def conflict_answer(conflict: Conflict, language: Language) -> ConflictAnswer:
    """Return the answer to a writer who was not the first."""
    base, theirs, latest = conflict.base, conflict.theirs, conflict.theirs.revision
    shape = ConflictShape(
        conflict.file,
        BaseShape(base.revision.id, base.shown) if base else None,
        TheirsShape(latest.id, theirs.shown, latest.author, latest.time, latest.deleted),
        None if conflict.yours is None else conflict.yours.decode("utf-8-sig", "replace"),
    )
    return ConflictAnswer(problem_shapes([conflict.problem], language), shape)


def save_answer(outcome: Outcome, language: Language) -> SaveAnswer:
    """Return the answer to a writer."""
    problems = problem_shapes(outcome.problems, language)
    if isinstance(outcome, NewDraft):
        draft = outcome.draft
        return SaveAnswer(False, True, False, draft.file, draft.base, draft.time, problems)
    latest = outcome.revision
    return SaveAnswer(True, False, outcome.changed, latest.file, latest.id, latest.time, problems)


def writing(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the `responses` of a route that writes a file."""
    conflict = {"model": ConflictAnswer, "description": "Somebody else has changed the file meanwhile"}
    return {**fails(403, 503, *statuses), 409: conflict}


# Files


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


class WriteRequest(BaseModel):
    """A text, the revision that it was made from, and the page that it was typed into."""

    text: str
    base: Base = None
    tab: Tab = ""


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
    """A text written on top of a revision, and which side to keep of each row that both sides changed."""

    base: Base = None
    mine: str
    choose: Annotated[dict[str, Choice], Field(max_length=10_000)] = {}


@dataclass(frozen=True, slots=True)
class RowConflict:
    """A row that both sides changed: what it was, and what each made of it; null where it is not there."""

    row: str
    kind: Literal["merge-changed", "merge-deleted", "merge-added", "merge-order"]
    text: str
    base: str | None
    mine: str | None
    theirs: str | None


@dataclass(frozen=True, slots=True)
class MergeAnswer:
    """Both texts merged, on top of the latest revision; rows in conflict are as chosen, or else mine."""

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
    try:
        version = current(access.entry, file)
    except InputError as error:
        if kind != "phrases" or error.problems[0].kind != "file-unknown":
            raise
        version = None  # the page can start it
    return FileAnswer(
        file=file,
        kind=kind,
        text=version.text if version else EMPTY_PHRASES,
        revision=version.revision.id if version else past.latest_number(access.entry, file),
        time=version.revision.time if version else None,
        author=version.revision.author if version else "",
        drafts=drafts(access.bench.store, who=access.user, entry=access.entry, file=file),
        others=access.bench.presence.others((access.entry.id, file), user=access.user.id, tab=""),
        may_edit=may(access.role, "editor"),
    )


@router.put("/projects/{project}/files/{file:path}", responses=writing(413))
def write_file(access: Editor, language: Spoken, file: File, body: WriteRequest) -> SaveAnswer:
    """Save a text; one that does not parse becomes a draft, and the file stays as it is."""
    outcome = save(access.entry, file, body.text, base=body.base, who=access.user, tab=body.tab)
    return save_answer(outcome, language)


@router.delete("/projects/{project}/files/{file:path}", responses=writing())
def delete_file(access: Editor, file: File, base: Annotated[int, Query()]) -> Deletion:
    """Delete a file; it can be restored."""
    return Deletion(delete(access.entry, file, base=base, who=access.user).revision.id)


@router.post("/projects/{project}/rename", responses=writing())
def rename_file(access: Editor, language: Spoken, body: RenameRequest) -> SaveAnswer:
    """Save a text under another name, in place of the file of the old name; a name that is taken is refused."""
    entry = access.entry
    with access.bench.turns.take(("uids", entry.id)):
        if check_file_name(body.to) == "paradigm":
            refresh(entry)
            check_uid_free(entry, PurePosixPath(body.to).stem, but=body.file)
        outcome = rename(entry, body.file, body.to, body.text, base=body.base, who=access.user, tab=body.tab)
    return save_answer(outcome, language)


@router.post("/projects/{project}/merge/{file:path}", responses=fails(503))
async def merge_file(access: Reader, language: Spoken, file: File, body: MergeRequest) -> MergeAnswer:
    """Merge a text, row by row, with what somebody else has saved meanwhile; nothing is saved."""
    theirs, base = await run_in_threadpool(_sides, access, file, body.base)
    texts, light = (base, body.mine, theirs.text), is_light(base, body.mine, theirs.text)
    merge = partial(merge_tables if file.endswith((".tsv", ".md")) else merge_paradigms, choose=body.choose)
    merged = await access.bench.heavy.run(merge, *texts, who=access.user.id, light=light)
    conflicts = [RowConflict(c.row, c.kind, c.text(language), c.base, c.mine, c.theirs) for c in merged.conflicts]
    return MergeAnswer(merged.text, theirs.revision.id, conflicts)


def _sides(access: Access, file: str, base: int | None) -> tuple[Version, str]:
    return current(access.entry, file), "" if base is None else past.revision(access.entry, base).text


# Drafts, and who else has a file open


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


class PresenceRequest(BaseModel):
    """The page that is open, or is being left."""

    tab: Tab = ""
    leave: bool = False


@dataclass(frozen=True, slots=True)
class PresenceAnswer:
    """Who else has the file open, and its latest revision."""

    others: list[str]
    revision: int | None


@router.put("/projects/{project}/drafts/{file:path}", status_code=204, responses=fails(403))
def put_draft(access: Editor, file: File, body: WriteRequest) -> None:
    """Keep what is being typed."""
    keep_draft(access.entry, file, body.text, base=body.base, who=access.user, tab=body.tab)


@router.delete("/projects/{project}/drafts/{file:path}", status_code=204)
def delete_draft(access: Reader, file: File, tab: TabQuery = "") -> None:
    """Throw a draft away."""
    drop_draft(access.entry, file, who=access.user, tab=tab)


@router.get("/projects/{project}/drafts")
def project_drafts(access: Reader) -> DraftPlaces:
    """List the files of a project that the reader has drafts of."""
    mine = drafts(access.bench.store, who=access.user, entry=access.entry)
    return DraftPlaces([DraftPlace(draft.file, draft.time, draft.tab) for draft in mine])


@router.get("/drafts")
def all_drafts(bench: Bench, who: Who) -> Drafts:
    """List the reader's drafts in all projects that she may see."""
    projects = {entry.name for entry in visible(bench.store, who, entries(bench.store))}
    return Drafts([draft for draft in drafts(bench.store, who=who) if draft.project in projects])


@router.post("/projects/{project}/presence/{file:path}")
def say_presence(access: Reader, file: File, page: PresenceRequest) -> PresenceAnswer:
    """Say that a page has the file open, or leaves it; learn who else has, and whether the file has changed."""
    check_file_name(file)
    check_tab(page.tab)
    where, presence = (access.entry.id, file), access.bench.presence
    if page.leave:
        presence.leave(user=access.user.id, tab=page.tab)
    else:
        presence.arrive(where, user=access.user.id, name=access.user.name, tab=page.tab)
    others = presence.others(where, user=access.user.id, tab=page.tab)
    try:
        return PresenceAnswer(others, current(access.entry, file).revision.id)
    except InputError:
        return PresenceAnswer(others, past.latest_number(access.entry, file))


# The past: revisions, the differences between two, restoring, and files that were deleted


@dataclass(frozen=True, slots=True)
class History:
    """The revisions of a file, or of all files, the latest first; `more` where there are older ones."""

    revisions: list[Revision]
    more: bool


@dataclass(frozen=True, slots=True)
class RevisionText:
    """One revision with its text."""

    revision: Revision
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
    base: Base = None
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


@router.get("/projects/{project}/history")
def project_history(access: Reader, before: Annotated[int | None, Query()] = None) -> History:
    """List the latest changes of all files, a page of them at a time."""
    refresh(access.entry)
    return _history(access, None, before)


@router.get("/projects/{project}/history/{file:path}")
def file_history(access: Reader, file: File, before: Annotated[int | None, Query()] = None) -> History:
    """List the revisions of a file, a page of them at a time."""
    refresh(access.entry)
    return _history(access, file, before)


def _history(access: Access, file: str | None, before: int | None) -> History:
    revisions = past.history(access.entry, file, before=before, most=past.PAGE + 1)
    return History(revisions[: past.PAGE], len(revisions) > past.PAGE)


@router.get("/projects/{project}/revisions/{number}")
def one_revision(access: Reader, number: int) -> RevisionText:
    """Return a revision with its text."""
    version = past.revision(access.entry, number)
    return RevisionText(version.revision, version.shown)


@router.get("/projects/{project}/difference", responses=fails(503))
async def difference(access: Reader, old: int, new: int) -> Difference:
    """Compare two revisions."""
    before, after = await run_in_threadpool(_versions, access, old, new)
    texts, name = (before.shown, after.shown), after.revision.file
    light = is_light(*texts)
    lines, rows = await access.bench.heavy.run(compare, *texts, name, who=access.user.id, light=light)
    return Difference(old, new, lines, rows)


def _versions(access: Access, old: int, new: int) -> tuple[Version, Version]:
    return past.revision(access.entry, old), past.revision(access.entry, new)


@router.post("/projects/{project}/restore", responses=writing())
def restore_revision(access: Editor, language: Spoken, body: Restoration) -> SaveAnswer:
    """Make an old revision the latest one again; a deleted file comes back in this way."""
    outcome = restore(access.entry, body.revision, base=body.base, who=access.user, tab=body.tab)
    return save_answer(outcome, language)


@router.get("/projects/{project}/deleted")
def deleted(access: Reader) -> DeletedFiles:
    """List the files that were deleted, here or outside."""
    refresh(access.entry)
    gone = past.deleted_files(access.entry)
    return DeletedFiles([DeletedFile(each.file, each.id, each.base, each.author, each.time) for each in gone])
