"""Projects added from the starter, copied, imported, exported, deleted into the bin and brought back."""

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from sqlalchemy import ColumnElement, Connection, and_, or_, select, update

from bidui.benchmarks import entries, project_folder
from bidui.errors import Place, Problem, fail
from bidui.files import reason, write_new_folder
from bidui.grammar.archives import Bundle, project_files, read_folder, write_zip
from bidui.grammar.names import check_project_name
from bidui.grammar.project import starter_texts
from bidui.web.store.accounts import User
from bidui.web.store.database import files, projects, revisions, storable, users
from bidui.web.store.disk import Head, look, refresh, scan, set_head, settle
from bidui.web.store.revisions import content, record
from bidui.web.store.workspace import Entry, Store, add_entry, bin_folder, check_live, check_name_free, name_key


@dataclass(frozen=True, slots=True)
class ImportResult:
    """A project that was imported, how many files it has, those left out, and what was changed, as warnings."""

    entry: Entry
    files: int
    skipped: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def new_project(store: Store, name: str, *, lang: Literal["zh", "en"], who: User) -> Entry:
    """Add a project from the starter of a language."""
    return _add(store, name, {file: text.encode() for file, text in starter_texts(lang).items()}, who=who)


def copy_benchmark(store: Store, benchmark: str, *, name: str, who: User) -> ImportResult:
    """Add a copy of a benchmark that has a name here, which may be changed; a path is none, since it leads anywhere."""
    if benchmark not in entries():
        raise fail("project-missing", Place(), {"path": benchmark, "known": sorted(entries())})
    with project_folder(benchmark) as (folder, _):
        return import_project(store, read_folder(folder), name=name, who=who)


def import_project(store: Store, bundle: Bundle, *, name: str, who: User) -> ImportResult:
    """Add a project from the files of a zip or folder, ours or classic; it is there whole or not at all."""
    check_project_name(name)
    project = project_files(bundle)
    entry = _add(store, name, project.files, who=who)
    return ImportResult(entry, len(project.files), project.skipped, project.problems)


def export_project(entry: Entry) -> bytes:
    """Return the files of a project as a zip that can be imported again."""
    refresh(entry)
    with entry.store.reading() as connection:
        names = list(connection.scalars(select(files.c.name).where(files.c.project == entry.id)))
    there = {name: look(entry.folder, name) for name in scan(entry.folder, known=names)[0]}
    return write_zip({name: file.data for name, file in there.items() if file}, top=entry.name)


def _add(store: Store, name: str, contents: Mapping[str, bytes], *, who: User) -> Entry:
    """Write the files beside the projects, then give them a number and their place, together.

    Dying in between leaves nothing, or a folder that the next refresh finds.
    """
    _check_several(store)
    check_project_name(name)
    with _staged(store, contents) as folder, store.filing() as connection:
        entry = add_entry(store, connection, name)
        _check_place(entry)
        for file, data in contents.items():
            number, sha256 = record(connection, entry, file, data, author=who.id, reason="import")
            set_head(connection, entry, file, Head(number, sha256))
        _move(folder, entry.folder)
    return entry


@contextmanager
def _staged(store: Store, contents: Mapping[str, bytes]) -> Iterator[Path]:
    """Make a hidden folder with these files in the workspace; what is still there in the end is removed."""
    folder = store.hidden / "incoming" / secrets.token_hex(8)
    try:
        write_new_folder(folder, contents.items())
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _move(source: Path, target: Path) -> None:
    """Move a project's folder; both places are in the workspace."""
    try:
        source.rename(target)
    except OSError as error:
        raise fail("write-failed", Place(target.name), {"reason": reason(error)}) from error


def _check_several(store: Store) -> None:
    """Refuse to add or remove projects where the workspace is one."""
    if store.alone:
        raise fail("workspace-alone", Place(store.root.name))


def _check_place(entry: Entry) -> None:
    """Refuse a name under which something else lies in the workspace."""
    if os.path.lexists(entry.folder):
        raise fail("project-taken", Place(), {"name": entry.name, "other": entry.name})


# The bin holds deleted projects until they are brought back; their revisions stay, even where their folders do not.


@dataclass(frozen=True, slots=True)
class BinnedProject:
    """A project in the bin: its number and name, since when, and who deleted it (nobody: its folder was removed)."""

    id: int
    name: str
    time: datetime
    by: str


def delete_project(entry: Entry, *, who: User) -> None:
    """Put a project into the bin: its folder moves, with everything in it."""
    _check_several(entry.store)
    refresh(entry)
    with entry.store.filing() as connection:
        check_live(connection, entry)
        pending = select(files.c.name).where(files.c.project == entry.id, files.c.pending.is_not(None))
        for name in connection.scalars(pending).all():
            settle(connection, entry, name)
        values = {"binned": entry.store.now(), "binned_by": who.id}
        connection.execute(update(projects).where(projects.c.id == entry.id).values(**values))
        target = bin_folder(entry.store, entry.id)
        target.parent.mkdir(exist_ok=True)
        _move(entry.folder, target)


def binned(store: Store) -> list[BinnedProject]:
    """Return the projects in the bin, the latest first."""
    query = select(projects.c.id, projects.c.name, projects.c.binned, users.c.name)
    query = query.outerjoin(users, users.c.id == projects.c.binned_by).where(projects.c.binned.is_not(None))
    with store.reading() as connection:
        rows = connection.execute(query.order_by(projects.c.binned.desc(), projects.c.id.desc()))
        return [BinnedProject(number, name, time, by or "") for number, name, time, by in rows]


def bring_back(store: Store, number: int, *, who: User, name: str | None = None) -> Entry:
    """Take a project out of the bin, under its old name or another; one whose folder is gone is written again."""
    _check_several(store)
    with store.reading() as connection:
        old = connection.scalar(select(projects.c.name).where(*_in_bin(number)))
        if old is None:
            raise fail("bin-unknown", Place(), {"number": number})
        entry = Entry(store, number, check_project_name(name or old))
        whole = bin_folder(store, number).is_dir()
        states = {} if whole else _last_states(connection, number)
        data = {file: content(connection, state.sha256) for file, state in states.items()}
    with _staged(store, data) as folder, store.filing() as connection:
        if connection.scalar(select(projects.c.id).where(*_in_bin(number))) is None:
            raise fail("bin-unknown", Place(), {"number": number})
        check_name_free(store, connection, entry.name)
        _check_place(entry)
        values = {"name": entry.name, "key": name_key(entry.name), "binned": None, "binned_by": None}
        connection.execute(update(projects).where(projects.c.id == number).values(**values))
        for file, state in states.items():
            head = state.head
            if state.deleted is not None:  # otherwise no revision says that the file went
                target = (connection, entry, file, data[file])
                head, _ = record(*target, author=who.id, reason="restore", base=state.deleted, origin=head)
            set_head(connection, entry, file, Head(head, state.sha256))
        _move(bin_folder(store, number) if whole else folder, entry.folder)
    return entry


def _in_bin(number: int) -> tuple[ColumnElement[bool], ...]:
    return (projects.c.id == storable(number), projects.c.binned.is_not(None))


@dataclass(frozen=True, slots=True)
class _State:
    """The last revision of a file before its project was removed, and the one that deleted it, if there is one."""

    head: int
    sha256: str
    deleted: int | None = None


def _last_states(connection: Connection, number: int) -> dict[str, _State]:
    since = connection.scalar(select(projects.c.binned).where(projects.c.id == number))
    head, base = revisions.alias("head"), revisions.alias("base")
    joined = files.join(head, head.c.id == files.c.head).outerjoin(base, base.c.id == head.c.base)
    went = and_(head.c.sha256.is_(None), head.c.reason == "outside", head.c.time >= since)
    query = select(files.c.name, head.c.id, head.c.sha256, base.c.id, base.c.sha256).select_from(joined)
    rows = connection.execute(query.where(files.c.project == number, or_(head.c.sha256.is_not(None), went)))
    states = {}
    for name, latest, sha256, before, before_sha256 in rows:
        states[name] = _State(latest, sha256) if sha256 else _State(before, before_sha256, latest)
    return states
