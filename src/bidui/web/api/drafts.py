"""Calls for what is not saved yet: drafts, and who else has a file open."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel

from bidui.errors import InputError
from bidui.web.api.parameters import Editor, File, Reader, Revision, Tab, TabQuery, Who
from bidui.web.identity import Bench
from bidui.web.problems import fails
from bidui.web.store import Draft, current, drafts, drop_draft, entries, keep_draft, visible
from bidui.web.store.drafting import Why, check_tab
from bidui.web.store.names import check_file_name
from bidui.web.store.texts import latest_number

router = APIRouter(prefix="/api", tags=["drafts"], responses=fails(400, 401, 404, 422))


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


@router.put("/projects/{project}/drafts/{file:path}", status_code=204, responses=fails(403))
def put_draft(access: Editor, file: File, wanted: Writing) -> None:
    """Keep what is being typed."""
    keep_draft(
        *(access.bench.store, access.entry, file, wanted.text), base=wanted.base, who=access.user, tab=wanted.tab
    )


@router.delete("/projects/{project}/drafts/{file:path}", status_code=204)
def delete_draft(access: Reader, file: File, tab: TabQuery = "") -> None:
    """Throw a draft away."""
    drop_draft(access.bench.store, access.entry, file, who=access.user, tab=tab)


@router.get("/projects/{project}/drafts")
def project_drafts(access: Reader) -> DraftPlaces:
    """Where the reader has typed something in a project that is not saved."""
    found = drafts(access.bench.store, who=access.user, entry=access.entry)
    return DraftPlaces(drafts=[DraftPlace(file=each.file, time=each.time, tab=each.tab) for each in found])


@router.get("/drafts")
def all_drafts(bench: Bench, who: Who) -> Drafts:
    """Everything that the reader has typed and that is not saved, in all projects that she may see."""
    seen = {entry.name for entry in visible(bench.store, who, entries(bench.store))}
    return Drafts(drafts=[draft_shape(each) for each in drafts(bench.store, who=who) if each.project in seen])


@router.post("/projects/{project}/presence/{file:path}")
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
