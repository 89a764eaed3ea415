"""What was changed outside the workbench, in a text editor or by git, is noticed and becomes revisions."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, select, update

from bidui.errors import InputError, Place, Problem, fail
from bidui.web.store.catalogue import (
    Entry,
    add_entry,
    bin_folder,
    check_live,
    entries,
    folder_of,
    here,
    name_key,
    names_on_disk,
)
from bidui.web.store.disk import Found, Scan, look, read, scan
from bidui.web.store.revisions import Version, by_number, version
from bidui.web.store.settling import Head, catch_up, head_of, set_head, settle
from bidui.web.store.tables import files, projects, revisions
from bidui.web.store.workspace import Store


@dataclass(frozen=True, slots=True)
class Refreshed:
    """How many files were found changed, and what lies in the workspace but is not read."""

    changed: int
    skipped: tuple[Problem, ...]


def refresh(store: Store, entry: Entry | None = None) -> Refreshed:
    """Compare the files on disk with their latest revisions, of one project or of all; what differs is recorded.

    A file whose time, size and number on disk are as they were is not read.
    """
    if entry is not None:
        return _refresh(store, entry)
    skipped = list(_find_projects(store))
    changed = 0
    for each in entries(store):
        found = _refresh(store, each)
        changed += found.changed
        skipped += found.skipped
    return Refreshed(changed, tuple(skipped))


def current(store: Store, entry: Entry, file: str) -> Version:
    """A file as it is now, with its revision; a change made outside becomes one first."""
    with store.reading() as connection:
        head = head_of(connection, entry, file)
        found = look(entry.folder, file)
        if found and head.id is not None and head.pending is None and found.sha256 == head.sha256:
            return Version(by_number(connection, entry, head.id), found.data)
    with store.filing() as connection:
        check_live(connection, entry)
        head = catch_up(store, connection, entry, file)
        if head.id is None or head.sha256 is None:
            raise fail("file-unknown", Place(entry.name), {"file": file})
        return version(connection, entry, head.id)


def recover(store: Store) -> tuple[Problem, ...]:
    """Finish what a killed server left pending; a revision that cannot be written becomes a draft."""
    joined = files.join(projects, projects.c.id == files.c.project).join(revisions, revisions.c.id == files.c.pending)
    pending = select(files.c.project, files.c.name, projects.c.name.label("entry")).select_from(joined)
    pending = pending.where(*here(store)).order_by(revisions.c.sha256.is_(None))  # what comes before what goes
    problems: list[Problem] = []
    with store.filing() as connection:
        for number, file, name in connection.execute(pending).all():
            problems += settle(store, connection, Entry(number, name, folder_of(store, name)), file).problems
    return tuple(problems)


def _refresh(store: Store, entry: Entry) -> Refreshed:
    if not entry.folder.is_dir():  # removed; its files are looked after when its absence is found
        return Refreshed(0, ())
    with store.reading() as connection:
        heads = _heads(connection, entry)
    found = scan(entry.folder, known=[name for name, head in heads.items() if head.sha256])
    doubtful, young = _doubtful(entry, found, heads)
    changed = 0
    if doubtful:
        with store.filing() as connection:
            check_live(connection, entry)
            for name in doubtful:
                before = head_of(connection, entry, name)
                try:
                    after = catch_up(store, connection, entry, name)
                except InputError as error:
                    found = Scan(found.stamps, (*found.skipped, *error.problems))
                else:
                    changed += after.id != before.id
    if young:
        with store.filing() as connection:
            for name, seen in young.items():
                head = head_of(connection, entry, name)
                if head.pending is None and head.sha256 == seen.sha256:
                    set_head(connection, entry, name, Head(head.id, head.sha256, None, seen.stamp))
    return Refreshed(changed, found.skipped)


def _heads(connection: Connection, entry: Entry) -> dict[str, Head]:
    wanted = select(files.c.name, files.c.head, files.c.sha256, files.c.pending, files.c.stamp)
    return {name: Head(*rest) for name, *rest in connection.execute(wanted.where(files.c.project == entry.id))}


def _doubtful(entry: Entry, found: Scan, heads: Mapping[str, Head]) -> tuple[list[str], dict[str, Found]]:
    """The files that need a closer look, and those that are as they were but have not had a stamp to tell it by."""
    doubtful: list[str] = []
    young: dict[str, Found] = {}
    unread = {problem.place.file for problem in found.skipped}
    for name in sorted({*found.stamps, *(name for name, head in heads.items() if head.sha256 or head.pending)}):
        head, stamp = heads.get(name, Head()), found.stamps.get(name)
        if name in unread or (head.pending is None and stamp and stamp == head.stamp):
            continue
        seen = _seen(entry, name) if stamp is not None and head.pending is None else None
        if seen is None or seen.sha256 != head.sha256:
            doubtful.append(name)
        elif seen.stamp:
            young[name] = seen
    return doubtful, young


def _seen(entry: Entry, name: str) -> Found | None:
    try:
        return read(entry.folder, name)
    except InputError:
        return None  # whoever looks closer says why


def _find_projects(store: Store) -> tuple[Problem, ...]:
    """Give projects that are new on disk a number, and put those whose folders have gone into the bin."""
    names, problems = names_on_disk(store)
    known = {each.name: each for each in entries(store)}
    gone = [each for each in known.values() if not each.folder.is_dir() and each.name not in names]
    if {*names} <= known.keys() and not gone:
        return tuple(problems)
    with store.filing() as connection:
        for name in names:
            if name not in known:
                _find(store, connection, name)
        for each in gone:
            if not each.folder.is_dir():
                _lose(store, connection, each)
    return tuple(problems)


def _find(store: Store, connection: Connection, name: str) -> None:
    """A project that is there: new, under a new spelling of its name, or back from where it was."""
    same = projects.c.key == name_key(name)
    there = select(projects.c.id).where(*here(store))
    number = connection.scalar(there if store.alone else there.where(same))
    if number is None:
        away = select(projects.c.id).where(projects.c.binned.is_not(None), projects.c.binned_by.is_(None), same)
        away = away.where(projects.c.alone.is_(store.alone))
        number = connection.scalar(away.order_by(projects.c.id.desc()).limit(1))
        number = None if number is not None and bin_folder(store, number).is_dir() else number
    if number is None:
        add_entry(store, connection, name)
    else:
        values = {"name": name, "key": name_key(name), "binned": None, "binned_by": None}
        connection.execute(update(projects).where(projects.c.id == number).values(**values))


def _lose(store: Store, connection: Connection, entry: Entry) -> None:
    """A project whose folder was removed outside: its files are deleted, and it can be brought back.

    Where the folder lies in the bin, somebody deleted the project here and the server died before it was written down.
    """
    binned = store.now()
    for name, head in _heads(connection, entry).items():
        if (head.sha256 or head.pending) and not bin_folder(store, entry.id).is_dir():
            catch_up(store, connection, entry, name)
    connection.execute(update(projects).where(projects.c.id == entry.id).values(binned=binned))
