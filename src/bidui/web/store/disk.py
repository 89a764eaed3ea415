"""Files on disk and their revisions, kept together whatever dies in between and whoever else changes the files.

A change is made in two transactions, and in neither of them does anybody else change files:

1. The latest revision is compared with the file and with what the writer started from; then the new one is added as
   pending. From here on it cannot be lost.
2. The file is written, and the revision is done.

Whoever finds a pending revision finishes it: the second transaction, the next writer of the file, a refresh, or the
next start. The file on disk decides how:

    it is the new text      the write had happened: mark the revision done
    it is the old text      it had not: write it now
    it is something else    somebody outside was quicker: that becomes a revision, and the pending one a draft

What an editor outside writes in the instant between our looking at a file and our replacing it is not seen; no file
system offers to replace a file only if it is still the same.
"""

import contextlib
import os
import shutil
import stat
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, select, update

from bidui.errors import InputError, Place, Problem, fail
from bidui.files import TEMPORARY, read_inside, reason, remove_file, sha256, write_file
from bidui.grammar.names import DEEPEST, FOLDERS, expected, file_path, kind_of, named_tables
from bidui.grammar.yaml import MAX_BYTES
from bidui.web.store import workspace
from bidui.web.store.database import files, migrate, projects, put, revisions
from bidui.web.store.drafts import Draft, Why, put_draft, recovered
from bidui.web.store.revisions import Version, by_number, content, record, version
from bidui.web.store.workspace import Entry, Store, entries, utc_now

_TICK = 2_000_000_000  # of the slowest clock of a file system; changes within it cannot be told apart
_HOUR = 3600


# Looking at files


@dataclass(frozen=True, slots=True)
class DiskFile:
    """A file's bytes, their hash, and its stamp."""

    data: bytes
    sha256: str
    stamp: str


def scan(folder: Path, *, known: Collection[str] = ()) -> tuple[dict[str, str], list[Problem]]:
    """Return the stamps of a project's files by name, without reading them, and problems with what is not read.

    `known` are files that were part of it before: they stay so while they are there, so that a mistake in
    `project.yaml` does not make a table that it names look deleted.
    """
    stamps: dict[str, str] = {}
    skipped: list[Problem] = []
    for name, status in _walk(folder, {*known, *_named(folder)}):
        place = Place(name.encode("utf-8", "backslashreplace").decode())
        if stat.S_ISLNK(status.st_mode):
            skipped.append(Problem("file-is-link", place))
        elif kind_of(name) is None:
            skipped.append(Problem("project-file-name", place, {"name": repr(name)}))
        elif not stat.S_ISREG(status.st_mode):
            skipped.append(Problem("file-not-regular", place))
        elif status.st_size > MAX_BYTES:
            skipped.append(Problem("file-too-large", place, {"bytes": status.st_size, "limit": MAX_BYTES}))
        else:
            stamps[name] = _stamp(status)
    return stamps, skipped


def look(folder: Path, name: str) -> DiskFile | None:
    """Return a file as it is, or None where there is none; one that cannot be read is an error."""
    path = file_path(folder, name)
    return read(folder, name) if path.name in _listing(path.parent) else None


def read(folder: Path, name: str) -> DiskFile:
    """Return a file that is known to be there under just this name."""
    path = file_path(folder, name)
    try:
        stamp = _stamp(path.lstat())  # before the reading: a change in between shows next time
    except OSError as error:
        raise fail("file-unreadable", Place(name), {"reason": reason(error)}) from None
    data = read_inside(folder, name, limit=MAX_BYTES)
    return DiskFile(data, sha256(data), stamp)


def copy_sources(folder: Path, target: Path, *, uid: str | None = None) -> dict[str, str]:
    """Copy the files that pairs are made from, the project's own, never through a link; return their hashes."""
    target.mkdir(parents=True)
    sources: dict[str, str] = {}
    for name in filter(partial(is_source, uid=uid), scan(folder)[0]):
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        file = read(folder, name)
        path.write_bytes(file.data)
        sources[name] = file.sha256
    return sources


def is_source(name: str, *, uid: str | None = None) -> bool:
    """Tell whether pairs are made from a file; of one paradigm, not from others, so that errors there do not matter."""
    kind = kind_of(name)
    return kind != "notes" and (kind != "paradigm" or uid in {None, PurePosixPath(name).stem})


def _stamp(status: os.stat_result) -> str:
    """Return what changes when a file does; empty while the file is so young that a change might not show."""
    if abs(time.time_ns() - status.st_mtime_ns) < _TICK:
        return ""
    return f"{status.st_mtime_ns}:{status.st_size}:{status.st_ino}"


def _named(folder: Path) -> tuple[str, ...]:
    try:
        settings = look(folder, "project.yaml")
        return named_tables(settings.data.decode("utf-8", "replace")) if settings else ()
    except InputError:
        return ()


def _walk(folder: Path, names: Collection[str]) -> Iterator[tuple[str, os.stat_result]]:
    """Walk the files that belong to the project by their place, and those that are wanted; hidden ones never do."""
    seen = set()
    for name, status in _entries(folder, "", deep=False):
        if expected(name) or name in names or (name in FOLDERS and stat.S_ISLNK(status.st_mode)):
            seen.add(name)
            yield name, status
    for first in FOLDERS:
        for name, status in _entries(folder / first, f"{first}/", deep=first == "paradigms"):
            endings = (".yaml", ".yml") if first == "paradigms" else (".tsv",)
            if name.endswith(endings) or stat.S_ISLNK(status.st_mode):
                seen.add(name)
                yield name, status
    for name in sorted({*names} - seen):
        path = folder / name
        if kind_of(name) and path.name in _listing(path.parent):
            yield name, path.lstat()


def _entries(folder: Path, prefix: str, *, deep: bool) -> Iterator[tuple[str, os.stat_result]]:
    """Walk the files in a folder, and with `deep` in the folders below it, except hidden ones."""
    if prefix and folder.is_symlink():
        return  # the listing of the folder above has the link
    for item in _listing(folder).values():
        name = prefix + item.name
        if item.name.startswith("."):
            continue
        if not item.is_dir(follow_symlinks=False):
            yield name, item.stat(follow_symlinks=False)
        elif deep and name.count("/") + 1 < DEEPEST:
            yield from _entries(folder / item.name, f"{name}/", deep=True)


def _listing(folder: Path) -> dict[str, os.DirEntry[str]]:
    """Return the names in a folder as they are written: Windows and macOS would also open A.yaml as a.yaml.

    A folder that may not be read is an error: its files must not look deleted.
    """
    try:
        with os.scandir(folder) as items:
            return {item.name: item for item in sorted(items, key=lambda item: item.name)}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise fail("read-failed", Place(folder.name), {"reason": reason(error)}) from None


# Bringing a file and its pending revision together


@dataclass(frozen=True, slots=True)
class Head:
    """The latest revision of a file, its hash (none where the file is not there), and what is pending."""

    id: int | None = None
    sha256: str | None = None
    pending: int | None = None
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class Settlement:
    """Whether a pending revision was carried out, and if the file could not be written, why."""

    done: bool
    problems: tuple[Problem, ...] = ()


def head_of(connection: Connection, entry: Entry, file: str) -> Head:
    """Return what the database knows of a file; of one that it has never seen, nothing."""
    return _heads(connection, entry, files.c.name == file).get(file, Head())


def set_head(connection: Connection, entry: Entry, file: str, head: Head) -> None:
    """Record what is known of a file."""
    values = {"head": head.id, "sha256": head.sha256, "pending": head.pending, "stamp": head.stamp}
    put(connection, files, {"project": entry.id, "name": file, **values})


def catch_up(connection: Connection, entry: Entry, file: str) -> Head:
    """Finish what is pending and record what was changed outside, so that the file is at its latest revision."""
    settle(connection, entry, file)
    head = head_of(connection, entry, file)
    return take_in(connection, entry, file, head=head, on_disk=look(entry.folder, file))


def take_in(connection: Connection, entry: Entry, file: str, *, head: Head, on_disk: DiskFile | None) -> Head:
    """Record a file as somebody outside left it, if that is not the latest revision."""
    data, there, stamp = (on_disk.data, on_disk.sha256, on_disk.stamp) if on_disk else (None, None, "")
    if there == head.sha256 and (head.id is not None or on_disk is None):
        if stamp != head.stamp and head.id is not None:
            set_head(connection, entry, file, Head(head.id, head.sha256, None, stamp))
        return head
    number, _ = record(connection, entry, file, data, author=None, reason="outside", base=head.id)
    new = Head(number, there, None, stamp)
    set_head(connection, entry, file, new)
    return new


def settle(connection: Connection, entry: Entry, file: str) -> Settlement:
    """Finish the pending revision of a file, if it has one; one that cannot be finished becomes its author's draft."""
    head = head_of(connection, entry, file)
    if head.pending is None:
        return Settlement(True)
    new = connection.execute(select(revisions).where(revisions.c.id == head.pending)).one()
    try:
        on_disk = look(entry.folder, file)
        there = on_disk.sha256 if on_disk else None
        if there == head.sha256 != new.sha256:
            _apply(connection, entry, file, new.sha256)
            there = new.sha256
    except InputError as error:
        give_up(connection, entry, file)
        return Settlement(False, error.problems)
    if there != new.sha256:
        _drop(connection, entry, new, why="conflict")
        take_in(connection, entry, file, head=Head(head.id, head.sha256), on_disk=on_disk)
        return Settlement(False)
    connection.execute(update(revisions).where(revisions.c.id == new.id).values(state="done"))
    set_head(connection, entry, file, Head(new.id, new.sha256))  # no stamp: the file is too young for one
    return Settlement(True)


def give_up(connection: Connection, entry: Entry, file: str) -> None:
    """Leave a file as it is; its pending revision becomes a draft."""
    head = head_of(connection, entry, file)
    if head.pending is not None:
        new = connection.execute(select(revisions).where(revisions.c.id == head.pending)).one()
        _drop(connection, entry, new, why="unwritten")
        set_head(connection, entry, file, Head(head.id, head.sha256))


def _apply(connection: Connection, entry: Entry, file: str, sha256: str | None) -> None:
    path = file_path(entry.folder, file)
    if not entry.folder.is_dir():  # writing would create the project again, with this file alone
        raise fail("project-unknown", Place(), {"name": entry.name})
    if sha256 is None:
        remove_file(path)
        if len(path.relative_to(entry.folder).parts) > 2:  # the folder of a phenomenon, where that was its last file
            with contextlib.suppress(OSError):
                path.parent.rmdir()
    else:
        write_file(path, content(connection, sha256))


def _drop(connection: Connection, entry: Entry, new: Row[Any], *, why: Why) -> None:
    """Make a revision that was not carried out a draft, under a name of its own, so that it replaces none."""
    connection.execute(update(revisions).where(revisions.c.id == new.id).values(state="dropped"))
    if new.sha256 is not None and new.author is not None:
        text = content(connection, new.sha256).decode("utf-8", "replace")
        draft = Draft(entry.name, new.file, text, new.base, entry.store.now(), why, recovered(new.id))
        put_draft(connection, entry, new.author, draft)


# What was changed outside the workbench, in a text editor or by git, is noticed and becomes revisions.


@dataclass(frozen=True, slots=True)
class RefreshResult:
    """How many files had changed, and what lies in the workspace but is not read."""

    changed: int
    skipped: tuple[Problem, ...]


def refresh(where: Store | Entry) -> RefreshResult:
    """Compare the files of one project, or of all, with their latest revisions, and record what differs.

    A file whose time, size and number on disk are as they were is not read.
    """
    if isinstance(where, Entry):
        try:
            return _refresh(where)
        except InputError as error:
            if error.problems[0].kind != "disk-full":
                raise
            return RefreshResult(0, error.problems)  # what was known can still be read
    skipped = list(_find_projects(where))
    changed = 0
    for entry in entries(where):
        try:
            result = _refresh(entry)
        except InputError as error:  # one folder that cannot be read does not keep the others from being listed
            skipped += (replace(each, place=replace(each.place, file=entry.name)) for each in error.problems)
            continue
        changed += result.changed
        skipped += result.skipped
    return RefreshResult(changed, tuple(skipped))


def current(entry: Entry, file: str) -> Version:
    """Return a file as it is now, with its revision; a change made outside becomes one first."""
    with entry.store.reading() as connection:
        head = head_of(connection, entry, file)
        on_disk = look(entry.folder, file)
        if on_disk and head.id is not None and head.pending is None and on_disk.sha256 == head.sha256:
            return Version(by_number(connection, entry, head.id), on_disk.data)
    with entry.store.filing() as connection:
        workspace.check_live(connection, entry)
        head = catch_up(connection, entry, file)
        if head.id is None or head.sha256 is None:
            raise fail("file-unknown", Place(entry.name), {"file": file})
        return version(connection, entry, head.id)


def recover(store: Store) -> tuple[Problem, ...]:
    """Finish what a killed server left pending; a revision that cannot be written becomes a draft."""
    joined = files.join(projects, projects.c.id == files.c.project).join(revisions, revisions.c.id == files.c.pending)
    pending = select(files.c.project, files.c.name, projects.c.name.label("entry")).select_from(joined)
    pending = pending.where(*workspace.here(store))
    pending = pending.order_by(revisions.c.sha256.is_(None))  # what comes before what goes
    problems: list[Problem] = []
    with store.filing() as connection:
        for number, file, name in connection.execute(pending).all():
            problems += settle(connection, Entry(store, number, name), file).problems
    return tuple(problems)


def _refresh(entry: Entry) -> RefreshResult:
    if not entry.folder.is_dir():  # removed; `_find_projects` records that
        return RefreshResult(0, ())
    with entry.store.reading() as connection:
        heads = _heads(connection, entry)
    stamps, skipped = scan(entry.folder, known=[name for name, head in heads.items() if head.sha256])
    doubtful, young = _doubtful(entry, stamps, skipped, heads)
    changed = 0
    if doubtful:
        with entry.store.filing() as connection:
            workspace.check_live(connection, entry)
            for name in doubtful:
                before = head_of(connection, entry, name)
                try:
                    changed += catch_up(connection, entry, name).id != before.id
                except InputError as error:
                    skipped += error.problems
    if young:
        with entry.store.filing() as connection:
            for name, seen in young.items():
                head = head_of(connection, entry, name)
                if head.pending is None and head.sha256 == seen.sha256:
                    set_head(connection, entry, name, Head(head.id, head.sha256, None, seen.stamp))
    return RefreshResult(changed, tuple(skipped))


def _heads(connection: Connection, entry: Entry, *conditions: ColumnElement[bool]) -> dict[str, Head]:
    query = select(files.c.name, files.c.head, files.c.sha256, files.c.pending, files.c.stamp)
    query = query.where(files.c.project == entry.id, *conditions)
    return {name: Head(*rest) for name, *rest in connection.execute(query)}


def _doubtful(
    entry: Entry, stamps: Mapping[str, str], skipped: Iterable[Problem], heads: Mapping[str, Head]
) -> tuple[list[str], dict[str, DiskFile]]:
    """Return the files that need a closer look, and those that are unchanged but have no stamp yet."""
    doubtful: list[str] = []
    young: dict[str, DiskFile] = {}
    unread = {problem.place.file for problem in skipped}
    for name in sorted({*stamps, *(name for name, head in heads.items() if head.sha256 or head.pending)}):
        head, stamp = heads.get(name, Head()), stamps.get(name)
        if name in unread or (head.pending is None and stamp and stamp == head.stamp):
            continue
        seen = _seen(entry, name) if stamp is not None and head.pending is None else None
        if seen is None or seen.sha256 != head.sha256:
            doubtful.append(name)
        elif seen.stamp:
            young[name] = seen
    return doubtful, young


def _seen(entry: Entry, name: str) -> DiskFile | None:
    try:
        return read(entry.folder, name)
    except InputError:
        return None  # a closer look says why


def _find_projects(store: Store) -> tuple[Problem, ...]:
    """Give projects that are new on disk a number, and put those whose folders are gone into the bin."""
    names, problems = workspace.names_on_disk(store)
    projects_here = {each.name: each for each in entries(store)}
    gone = [each for each in projects_here.values() if not each.folder.is_dir() and each.name not in names]
    if {*names} <= projects_here.keys() and not gone:
        return tuple(problems)
    with store.filing() as connection:
        for name in names:
            if name not in projects_here:
                _find(store, connection, name)
        for each in gone:
            if not each.folder.is_dir():
                _lose(connection, each)
    return tuple(problems)


def _find(store: Store, connection: Connection, name: str) -> None:
    """Record a project that was found: new, under a new spelling of its name, or back again."""
    same = projects.c.key == workspace.name_key(name)
    there = select(projects.c.id).where(*workspace.here(store))
    number = connection.scalar(there if store.alone else there.where(same))
    if number is None:
        away = select(projects.c.id).where(projects.c.binned.is_not(None), projects.c.binned_by.is_(None), same)
        away = away.where(projects.c.alone.is_(store.alone))
        number = connection.scalar(away.order_by(projects.c.id.desc()).limit(1))
        number = None if number is not None and workspace.bin_folder(store, number).is_dir() else number
    if number is None:
        workspace.add_entry(store, connection, name)
    else:
        values = {"name": name, "key": workspace.name_key(name), "binned": None, "binned_by": None}
        connection.execute(update(projects).where(projects.c.id == number).values(**values))


def _lose(connection: Connection, entry: Entry) -> None:
    """Record that a project's folder was removed outside: its files are deleted, and it can be brought back.

    Where the folder lies in the bin, somebody deleted the project here and the server died before it was recorded.
    """
    binned = entry.store.now()
    for name, head in _heads(connection, entry).items():
        if (head.sha256 or head.pending) and not workspace.bin_folder(entry.store, entry.id).is_dir():
            catch_up(connection, entry, name)
    connection.execute(update(projects).where(projects.c.id == entry.id).values(binned=binned))


# Opening a workspace: what a killed server left behind is put in order before anybody looks.


def open_store(
    root: str | Path, *, database: str | None = None, adopt: bool = False, now: Callable[[], datetime] = utc_now
) -> Store:
    """Open the store of a folder that is a project or holds several, after putting in order what a killed server left.

    `database` is a `postgresql://` address; without one, a file in the workspace's hidden folder. A database belongs
    to one workspace: `adopt` gives it to this one, where the workspace was moved without its hidden folder.
    """
    store = workspace.connect(root, database=database, now=now)
    try:
        migrate(store.engine)
        workspace.check_owner(store, adopt=adopt or database is None)
        recover(store)
        refresh(store)
        _sweep(store)
    except BaseException:
        store.close()
        raise
    return store


def _sweep(store: Store) -> None:
    """Remove what was half written when a server died; what is young may still be being written."""
    for path in (store.hidden / "incoming").glob("*"):
        if _old(path):
            shutil.rmtree(path, ignore_errors=True)
    for entry in entries(store):
        folders = [entry.folder, *(entry.folder / name for name in FOLDERS), *(entry.folder / "paradigms").glob("*/")]
        for path in (path for folder in folders for path in folder.glob(f".*{TEMPORARY}")):
            if _old(path):
                with contextlib.suppress(OSError):
                    path.unlink()


def _old(path: Path) -> bool:
    try:
        return path.lstat().st_mtime < time.time() - _HOUR
    except OSError:
        return False
