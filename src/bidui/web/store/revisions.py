"""Revisions: every state that a file of a project was ever in, append-only, with who, when and why."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, Select, and_, insert, select

from bidui.errors import Place, fail
from bidui.grammar.documents import decode
from bidui.web.store.catalogue import Entry
from bidui.web.store.contents import content, keep
from bidui.web.store.database import storable
from bidui.web.store.names import check_file_name
from bidui.web.store.tables import files, revisions, users
from bidui.web.store.workspace import Store

Reason = Literal["edit", "outside", "restore", "import", "delete"]
PAGE = 100


@dataclass(frozen=True, slots=True)
class Revision:
    """One state of one file; no hash where the file is not there. `base` is the state before it.

    `origin` is what it was restored from, or, where the file was renamed, the last state under its old name.
    """

    id: int
    file: str
    sha256: str | None
    size: int
    author: str  # empty: somebody outside the workbench
    time: datetime
    reason: Reason
    base: int | None = None
    origin: int | None = None

    @property
    def deleted(self) -> bool:
        """Whether this is the file's absence."""
        return self.sha256 is None


@dataclass(frozen=True, slots=True)
class Version:
    """A revision with its bytes."""

    revision: Revision
    data: bytes

    @property
    def text(self) -> str:
        """The text; bytes that are none are an error with its place."""
        return decode(self.data, name=self.revision.file)


def history(store: Store, entry: Entry, file: str, *, before: int | None = None, most: int = PAGE) -> list[Revision]:
    """The revisions of a file, the latest first; `before` a revision for the next page."""
    check_file_name(file)
    wanted = _done(entry).where(revisions.c.file == file).order_by(revisions.c.id.desc()).limit(most)
    if before is not None:
        wanted = wanted.where(revisions.c.id < storable(before))
    with store.reading() as connection:
        return [_revision(row) for row in connection.execute(wanted)]


def changes(store: Store, entry: Entry, *, before: int | None = None, most: int = PAGE) -> list[Revision]:
    """The latest revisions of all files of a project."""
    wanted = _done(entry).order_by(revisions.c.id.desc()).limit(most)
    if before is not None:
        wanted = wanted.where(revisions.c.id < storable(before))
    with store.reading() as connection:
        return [_revision(row) for row in connection.execute(wanted)]


def revision(store: Store, entry: Entry, number: int) -> Version:
    """One revision of the project, with its bytes."""
    with store.reading() as connection:
        return version(connection, entry, number)


def deleted_files(store: Store, entry: Entry) -> list[Revision]:
    """The files that are gone: the revision that says so of each, whose `base` can be restored.

    A file that was renamed is not gone: its new name's history leads to what was before.
    """
    gone = and_(files.c.head == revisions.c.id, files.c.sha256.is_(None))
    newer = revisions.alias()
    renamed = select(newer.c.id).where(newer.c.origin == revisions.c.base, newer.c.file != revisions.c.file)
    wanted = _done(entry).join(files, gone).where(~renamed.where(newer.c.state == "done").exists())
    with store.reading() as connection:
        return [_revision(row) for row in connection.execute(wanted.order_by(revisions.c.file))]


def names_at(store: Store, entry: Entry, numbers: Collection[int]) -> dict[int, str]:
    """The names that files had at some revisions."""
    wanted = select(revisions.c.id, revisions.c.file).where(revisions.c.project == entry.id)
    with store.reading() as connection:
        return {number: file for number, file in connection.execute(wanted.where(revisions.c.id.in_(numbers)))}


def version(connection: Connection, entry: Entry, number: int) -> Version:
    """One revision with its bytes, within a transaction."""
    found = by_number(connection, entry, number)
    return Version(found, content(connection, found.sha256) if found.sha256 else b"")


def by_number(connection: Connection, entry: Entry, number: int) -> Revision:
    """One revision; a number of another project is as unknown as one that is nobody's."""
    row = connection.execute(_done(entry).where(revisions.c.id == storable(number))).one_or_none()
    if row is None:
        raise fail("revision-unknown", Place(entry.name), {"number": number})
    return _revision(row)


def check_base(connection: Connection, entry: Entry, file: str, number: int | None) -> None:
    """Refuse to start from a revision of another file."""
    if number is not None and by_number(connection, entry, number).file != file:
        raise fail("revision-unknown", Place(file), {"number": number})


def record(
    connection: Connection,
    entry: Entry,
    file: str,
    data: bytes | None,
    *,
    author: int | None,
    time: datetime,
    reason: Reason,
    state: Literal["pending", "done"] = "done",
    base: int | None = None,
    origin: int | None = None,
) -> tuple[int, str | None]:
    """Add a revision; its number and hash are given back."""
    near = connection.scalar(select(revisions.c.sha256).where(revisions.c.id == base)) if base else None
    sha256 = None if data is None else keep(connection, data, near=near)
    values = {"project": entry.id, "file": file, "sha256": sha256, "size": len(data or b""), "author": author}
    values |= {"time": time, "reason": reason, "state": state, "base": base, "origin": origin}
    key = connection.execute(insert(revisions).values(**values)).inserted_primary_key
    assert key is not None
    return int(key[0]), sha256


def _done(entry: Entry) -> Select[Any]:
    """The revisions of a project that came about, with their authors' names."""
    joined = revisions.outerjoin(users, revisions.c.author == users.c.id)
    wanted = select(revisions, users.c.name.label("name")).select_from(joined)
    return wanted.where(revisions.c.project == entry.id, revisions.c.state == "done")


def _revision(row: Row[Any]) -> Revision:
    return Revision(row.id, row.file, row.sha256, row.size, row.name or "", row.time, row.reason, row.base, row.origin)
