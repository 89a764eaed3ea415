"""Calls for one file: reading, saving, renaming, deleting, and merging with what somebody else has saved."""

from datetime import datetime
from pathlib import PurePosixPath
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from bidui.errors import InputError
from bidui.web.api.drafts import DraftShape, Writing, draft_shape
from bidui.web.api.parameters import Editor, File, Reader, Revision
from bidui.web.api.saving import Checking, SavedAnswer, saved_answer, writing
from bidui.web.editing.merging import Choice, merge_tables
from bidui.web.editing.paradigm_merging import merge_paradigms
from bidui.web.identity import Access, Spoken
from bidui.web.problems import fails
from bidui.web.store import check_uid_free, current, delete, drafts, may, refresh, rename, revision, save
from bidui.web.store.names import Kind, check_file_name
from bidui.web.store.texts import latest_number

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
