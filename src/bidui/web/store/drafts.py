"""Drafts: texts that are not revisions yet, because they are being typed, do not parse, or met a conflict."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, select, update

from bidui.errors import Place, fail
from bidui.grammar.names import check_file_name
from bidui.grammar.yaml import MAX_BYTES
from bidui.web.store.accounts import User
from bidui.web.store.database import drafts as table
from bidui.web.store.database import projects, put, users
from bidui.web.store.revisions import check_base
from bidui.web.store.workspace import Entry, Store

Why = Literal["typing", "unparsed", "conflict", "unwritten"]


@dataclass(frozen=True, slots=True)
class Draft:
    """The latest text that somebody has for a file, and the revision that it was made from.

    `tab` tells the pages of one user apart, so that none takes over what was typed into another. `why` says why it is
    not a revision: it is being typed, does not parse, met a conflict, or could not be written. One that was just kept
    has no `author`.
    """

    project: str
    file: str
    text: str
    base: int | None
    time: datetime
    why: Why
    tab: str = ""
    author: str = ""


def keep_draft(
    entry: Entry, file: str, text: str, *, base: int | None, who: User, why: Why = "typing", tab: str = ""
) -> Draft:
    """Keep a text in place of the draft that this tab had before."""
    check_file_name(file)
    check_tab(tab)
    data = draft_bytes(text)
    if len(data) > MAX_BYTES:
        raise fail("file-too-large", Place(file), {"bytes": len(data), "limit": MAX_BYTES})
    draft = Draft(entry.name, file, text, base, entry.store.now(), why, tab)
    with entry.store.writing() as connection:
        check_base(connection, entry, file, base)
        put_draft(connection, entry, who.id, draft)
    return draft


def put_draft(connection: Connection, entry: Entry, user: int, draft: Draft) -> None:
    """Keep a draft within a transaction."""
    key = {"user": user, "project": entry.id, "file": draft.file, "tab": draft.tab}
    rest = {"text": draft_bytes(draft.text), "base": draft.base, "time": draft.time, "why": draft.why}
    put(connection, table, {**key, **rest})


def drafts(
    store: Store, *, who: User | None = None, entry: Entry | None = None, file: str | None = None
) -> list[Draft]:
    """Return the drafts of a user, or everybody's, in all projects, one project, or one file, the latest first."""
    query = select(table, projects.c.name.label("name"), users.c.name.label("author"))
    query = query.join(projects, projects.c.id == table.c.project).join(users, users.c.id == table.c.user)
    query = query.where(projects.c.binned.is_(None))
    if who is not None:
        query = query.where(table.c.user == who.id)
    if entry is not None:
        query = query.where(table.c.project == entry.id)
    if file is not None:
        check_file_name(file)
        query = query.where(table.c.file == file)
    with store.reading() as connection:
        return [_draft(row) for row in connection.execute(query.order_by(table.c.time.desc(), table.c.file))]


def drop_draft(entry: Entry, file: str, *, who: User, tab: str = "") -> None:
    """Throw a draft away."""
    check_file_name(file)
    check_tab(tab)
    with entry.store.writing() as connection:
        remove_draft(connection, entry, file, user=who.id, tab=tab)


def remove_draft(connection: Connection, entry: Entry, file: str, *, user: int, tab: str) -> None:
    """Remove a draft that has become a revision."""
    where: ColumnElement[bool] = and_(table.c.user == user, table.c.project == entry.id)
    connection.execute(delete(table).where(where, table.c.file == file, table.c.tab == tab))


def check_tab(tab: str) -> None:
    """Refuse what is no name of a tab."""
    if len(tab) > 64 or not tab.isascii() or not tab.isprintable():
        raise fail("tab-name", Place(), {"tab": repr(tab)})


def recovered(number: int) -> str:
    """Return the tab of the draft that a failed revision becomes; it replaces no other draft."""
    return f"revision-{number}"


def claim_drafts(connection: Connection, entry: Entry, numbers: list[int], *, user: int, tab: str) -> None:
    """Give the drafts of failed revisions to the tab that they were typed in."""
    for number in numbers:
        where = and_(table.c.user == user, table.c.project == entry.id, table.c.tab == recovered(number))
        for file in connection.scalars(select(table.c.file).where(where)).all():
            remove_draft(connection, entry, file, user=user, tab=tab)  # older than this one
        connection.execute(update(table).where(where).values(tab=tab))


def draft_bytes(text: str) -> bytes:
    """Return the text as bytes; half a surrogate pair, which a browser sends in the middle of a character, is kept."""
    return text.encode("utf-8", "surrogatepass")


def _draft(row: Row[Any]) -> Draft:
    text = row.text.decode("utf-8", "surrogatepass")
    return Draft(row.name, row.file, text, row.base, row.time, row.why, row.tab, row.author)
