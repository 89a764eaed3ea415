"""Several files of a project at once, as their latest revisions have them."""

from collections.abc import Collection

from sqlalchemy import select

from bidui.web.store.catalogue import Entry
from bidui.web.store.names import Kind, kind_of
from bidui.web.store.revisions import Version, version
from bidui.web.store.tables import files
from bidui.web.store.workspace import Store


def latest(store: Store, entry: Entry, kinds: Collection[Kind]) -> dict[str, Version]:
    """The files of some kinds by name, all at one moment; `refresh` first, to see what changed outside."""
    wanted = select(files.c.name, files.c.head).where(files.c.project == entry.id, files.c.sha256.is_not(None))
    with store.reading() as connection:
        rows = connection.execute(wanted.order_by(files.c.name)).all()
        return {name: version(connection, entry, head) for name, head in rows if head and kind_of(name) in kinds}


def heads(store: Store, entry: Entry, kinds: Collection[Kind]) -> dict[str, int]:
    """The numbers of the latest revisions of the files of some kinds."""
    wanted = select(files.c.name, files.c.head).where(files.c.project == entry.id, files.c.sha256.is_not(None))
    with store.reading() as connection:
        rows = connection.execute(wanted.order_by(files.c.name)).all()
    return {name: head for name, head in rows if head and kind_of(name) in kinds}


def latest_number(store: Store, entry: Entry, file: str) -> int | None:
    """The number of a file's latest revision, which may be its deletion; None where there never was such a file."""
    wanted = select(files.c.head).where(files.c.project == entry.id, files.c.name == file)
    with store.reading() as connection:
        return connection.scalar(wanted)
