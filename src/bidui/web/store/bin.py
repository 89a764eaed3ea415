"""The bin: deleted projects, whole, until they are brought back or the bin is emptied; revisions stay for ever."""

import shutil
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, and_, or_, select, update

from bidui.errors import Place, fail
from bidui.web.store.accounts import User
from bidui.web.store.catalogue import Entry, bin_folder, check_live, check_name_free, folder_of, name_key
from bidui.web.store.contents import content
from bidui.web.store.database import storable
from bidui.web.store.names import check_project_name
from bidui.web.store.outside import refresh
from bidui.web.store.projects import check_place, check_several, move, staged
from bidui.web.store.revisions import record
from bidui.web.store.settling import Head, set_head, settle
from bidui.web.store.tables import files, projects, revisions, users
from bidui.web.store.workspace import Store


@dataclass(frozen=True, slots=True)
class Binned:
    """A project in the bin: its number and name, since when, and by whom (empty: its folder was removed outside)."""

    id: int
    name: str
    time: datetime
    by: str


def delete_project(store: Store, entry: Entry, *, who: User) -> None:
    """Put a project into the bin: its folder moves, with everything in it."""
    check_several(store)
    refresh(store, entry)
    with store.filing() as connection:
        check_live(connection, entry)
        pending = select(files.c.name).where(files.c.project == entry.id, files.c.pending.is_not(None))
        for name in connection.scalars(pending).all():
            settle(store, connection, entry, name)
        values = {"binned": store.now(), "binned_by": who.id}
        connection.execute(update(projects).where(projects.c.id == entry.id).values(**values))
        target = bin_folder(store, entry.id)
        target.parent.mkdir(exist_ok=True)
        move(entry.folder, target)


def binned(store: Store) -> list[Binned]:
    """What is in the bin, the latest first."""
    wanted = select(projects.c.id, projects.c.name, projects.c.binned, users.c.name)
    wanted = wanted.outerjoin(users, users.c.id == projects.c.binned_by).where(projects.c.binned.is_not(None))
    with store.reading() as connection:
        rows = connection.execute(wanted.order_by(projects.c.binned.desc(), projects.c.id.desc()))
        return [Binned(number, name, time, by or "") for number, name, time, by in rows]


def bring_back(store: Store, number: int, *, who: User, name: str | None = None) -> Entry:
    """Take a project out of the bin, under its old name or another; one whose folder is gone is written anew."""
    check_several(store)
    with store.reading() as connection:
        old = connection.scalar(select(projects.c.name).where(*_in_bin(number)))
        if old is None:
            raise fail("bin-unknown", Place(), {"number": number})
        entry = Entry(number, check_project_name(name or old), folder_of(store, name or old))
        whole = bin_folder(store, number).is_dir()
        states = {} if whole else _last_states(connection, number)
        data = {file: content(connection, state.sha256) for file, state in states.items()}
    with staged(store, data) as folder, store.filing() as connection:
        if connection.scalar(select(projects.c.id).where(*_in_bin(number))) is None:
            raise fail("bin-unknown", Place(), {"number": number})
        check_name_free(store, connection, entry.name)
        check_place(store, entry.name)
        values = {"name": entry.name, "key": name_key(entry.name), "binned": None, "binned_by": None}
        connection.execute(update(projects).where(projects.c.id == number).values(**values))
        for file, state in states.items():
            _restore(store, connection, entry, file, state, data[file], who=who)
        move(bin_folder(store, number) if whole else folder, entry.folder)
    return entry


def empty_bin(store: Store, *, before: datetime) -> int:
    """Remove the folders that have been in the bin since before then; how many there were is given back."""
    wanted = select(projects.c.id).where(projects.c.binned < before)
    with store.filing() as connection:
        folders = [bin_folder(store, number) for number in connection.scalars(wanted)]
        found = [folder for folder in folders if folder.is_dir()]
        for folder in found:
            shutil.rmtree(folder, ignore_errors=True)
    return sum(not folder.is_dir() for folder in found)


def _in_bin(number: int) -> tuple[ColumnElement[bool], ...]:
    return (projects.c.id == storable(number), projects.c.binned.is_not(None))


@dataclass(frozen=True, slots=True)
class _State:
    """The last state of a file that a project had when it went; `deleted` is the number of it, where it was noticed."""

    head: int
    sha256: str
    deleted: int | None = None


def _last_states(connection: Connection, number: int) -> dict[str, _State]:
    since = connection.scalar(select(projects.c.binned).where(projects.c.id == number))
    head, base = revisions.alias("head"), revisions.alias("base")
    joined = files.join(head, head.c.id == files.c.head).outerjoin(base, base.c.id == head.c.base)
    went = and_(head.c.sha256.is_(None), head.c.reason == "outside", head.c.time >= since)
    wanted = select(files.c.name, head.c.id, head.c.sha256, base.c.id, base.c.sha256).select_from(joined)
    rows = connection.execute(wanted.where(files.c.project == number, or_(head.c.sha256.is_not(None), went)))
    states = {}
    for name, latest, sha256, before, before_sha256 in rows:
        states[name] = _State(latest, sha256) if sha256 else _State(before, before_sha256, latest)
    return states


def _restore(
    store: Store, connection: Connection, entry: Entry, file: str, state: _State, data: bytes, *, who: User
) -> None:
    """Write down that a file is there again; one that was never found deleted needs no new revision."""
    number = state.head
    if state.deleted is not None:
        number, _ = record(
            *(connection, entry, file, data),
            author=who.id,
            time=store.now(),
            reason="restore",
            base=state.deleted,
            origin=state.head,
        )
    set_head(connection, entry, file, Head(number, state.sha256))
