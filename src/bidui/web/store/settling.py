"""How an accepted revision and the file on disk come together, whatever dies in between.

A change goes in two transactions, and in neither of them is anybody else changing files:

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
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select, update

from bidui.errors import InputError, Place, Problem, fail
from bidui.pairs import write_file
from bidui.pairs.atomic import remove_file
from bidui.web.store.catalogue import Entry
from bidui.web.store.contents import content
from bidui.web.store.database import put
from bidui.web.store.disk import Found, look
from bidui.web.store.drafting import Draft, Why, put_draft, recovered
from bidui.web.store.names import file_path
from bidui.web.store.revisions import record
from bidui.web.store.tables import files, revisions
from bidui.web.store.workspace import Store


@dataclass(frozen=True, slots=True)
class Head:
    """The latest revision of a file, its hash (none where the file is not there), and what is pending."""

    id: int | None = None
    sha256: str | None = None
    pending: int | None = None
    stamp: str = ""


@dataclass(frozen=True, slots=True)
class Settled:
    """Whether a pending revision came about, and if the file could not be written, why."""

    done: bool
    problems: tuple[Problem, ...] = ()


def head_of(connection: Connection, entry: Entry, file: str) -> Head:
    """What the database knows of a file; of one that it has never seen, nothing."""
    wanted = select(files.c.head, files.c.sha256, files.c.pending, files.c.stamp)
    row = connection.execute(wanted.where(files.c.project == entry.id, files.c.name == file)).one_or_none()
    return Head(*row) if row else Head()


def set_head(connection: Connection, entry: Entry, file: str, head: Head) -> None:
    """Write down what is known of a file."""
    values = {"head": head.id, "sha256": head.sha256, "pending": head.pending, "stamp": head.stamp}
    put(connection, files, {"project": entry.id, "name": file, **values})


def catch_up(store: Store, connection: Connection, entry: Entry, file: str) -> Head:
    """Finish what is pending and take in what was changed outside, so that the file on disk is the latest revision."""
    head = head_of(connection, entry, file)
    if head.pending is not None:
        settle(store, connection, entry, file)
        head = head_of(connection, entry, file)
    found = look(entry.folder, file)
    return take_in(store, connection, entry, file, head=head, found=found)


def take_in(store: Store, connection: Connection, entry: Entry, file: str, *, head: Head, found: Found | None) -> Head:
    """Record the file as somebody outside left it, if that is not the latest revision."""
    there = found.sha256 if found else None
    stamp = found.stamp if found else ""
    if there == head.sha256 and (head.id is not None or found is None):
        if stamp != head.stamp and head.id is not None:
            set_head(connection, entry, file, Head(head.id, head.sha256, None, stamp))
        return head
    data = found.data if found else None
    number, _ = record(connection, entry, file, data, author=None, time=store.now(), reason="outside", base=head.id)
    new = Head(number, there, None, stamp)
    set_head(connection, entry, file, new)
    return new


def settle(store: Store, connection: Connection, entry: Entry, file: str) -> Settled:
    """Finish the pending revision of a file, if it has one; where it cannot be, it becomes its author's draft."""
    head = head_of(connection, entry, file)
    if head.pending is None:
        return Settled(True)
    new = connection.execute(select(revisions).where(revisions.c.id == head.pending)).one()
    try:
        found = look(entry.folder, file)
        there = found.sha256 if found else None
        if there == head.sha256 != new.sha256:
            _apply(connection, entry, file, new.sha256)
            there = new.sha256
    except InputError as error:
        give_up(store, connection, entry, file)
        return Settled(False, error.problems)
    if there != new.sha256:
        _drop(store, connection, entry, new, why="conflict")
        take_in(store, connection, entry, file, head=Head(head.id, head.sha256), found=found)
        return Settled(False)
    connection.execute(update(revisions).where(revisions.c.id == new.id).values(state="done"))
    set_head(connection, entry, file, Head(new.id, new.sha256))  # no stamp: the file is too young for one
    return Settled(True)


def give_up(store: Store, connection: Connection, entry: Entry, file: str) -> None:
    """Leave a file as it is; what was pending for it becomes a draft."""
    head = head_of(connection, entry, file)
    if head.pending is not None:
        new = connection.execute(select(revisions).where(revisions.c.id == head.pending)).one()
        _drop(store, connection, entry, new, why="unwritten")
        set_head(connection, entry, file, Head(head.id, head.sha256))


def _apply(connection: Connection, entry: Entry, file: str, sha256: str | None) -> None:
    path = file_path(entry.folder, file)
    if not entry.folder.is_dir():  # to write would make it anew, with this file alone
        raise fail("project-unknown", Place(), {"name": entry.name})
    if sha256 is None:
        remove_file(path)
        if len(path.relative_to(entry.folder).parts) > 2:  # the folder of a phenomenon, where that was its last file
            with contextlib.suppress(OSError):
                path.parent.rmdir()
    else:
        write_file(path, content(connection, sha256))


def _drop(store: Store, connection: Connection, entry: Entry, new: Row[Any], *, why: Why) -> None:
    """Make a revision that did not come about a draft; under a name of its own, so that it replaces none."""
    connection.execute(update(revisions).where(revisions.c.id == new.id).values(state="dropped"))
    if new.sha256 is not None and new.author is not None:
        text = content(connection, new.sha256).decode("utf-8", "replace")
        draft = Draft(entry.name, new.file, text, new.base, store.now(), why, recovered(new.id))
        put_draft(connection, entry, new.author, draft)
