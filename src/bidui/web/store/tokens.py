"""Tokens: random words that let somebody in, kept only as hashes, for a time, and some for one use."""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, Row, delete, insert, select, update

from bidui.web.store.tables import tokens as table
from bidui.web.store.workspace import Store

Kind = Literal["start", "session", "invitation", "password"]
KINDS: tuple[Kind, ...] = ("start", "session", "invitation", "password")
BYTES = 32  # 256 bits


@dataclass(frozen=True, slots=True)
class Token:
    """What the database knows of a token: what it is for, whose it is, and until when."""

    id: int
    kind: Kind
    user: int | None
    project: int | None
    role: str | None
    created: datetime
    expires: datetime


def issue(
    store: Store,
    connection: Connection,
    kind: Kind,
    *,
    lasts: timedelta,
    user: int | None = None,
    project: int | None = None,
    role: str | None = None,
) -> str:
    """A new token; this is the only time that it can be read."""
    secret = secrets.token_urlsafe(BYTES)
    now = store.now()
    connection.execute(delete(table).where(table.c.expires < now - timedelta(days=30)))
    values = {"sha256": _hash(secret), "kind": kind, "user": user, "project": project, "role": role}
    connection.execute(insert(table).values(**values, created=now, expires=now + lasts))
    return secret


def find(store: Store, connection: Connection, kind: Kind, secret: str) -> Token | None:
    """The token, if it is one of that kind, not used up and not too old."""
    row = connection.execute(select(table).where(*_valid(store, kind), table.c.sha256 == _hash(secret))).one_or_none()
    return _token(row) if row else None


def use(store: Store, connection: Connection, kind: Kind, secret: str) -> Token | None:
    """The same, and use it up: of two who come at once, one gets it."""
    found = find(store, connection, kind, secret)
    mine = update(table).where(*_valid(store, kind), table.c.sha256 == _hash(secret)).values(used=store.now())
    return found if connection.execute(mine).rowcount == 1 else None


def valid(store: Store, connection: Connection, kind: Kind) -> list[Token]:
    """All tokens of a kind that would still be taken."""
    return [_token(row) for row in connection.execute(select(table).where(*_valid(store, kind)).order_by(table.c.id))]


def revoke(connection: Connection, kind: Kind, *, id: int | None = None, user: int | None = None) -> None:
    """Take back one token, or all of a user, of one kind."""
    wanted = delete(table).where(table.c.kind == kind)
    connection.execute(wanted.where(table.c.id == id) if user is None else wanted.where(table.c.user == user))


def _valid(store: Store, kind: Kind) -> tuple[Any, ...]:
    return (table.c.kind == kind, table.c.used.is_(None), table.c.expires > store.now())


def _hash(secret: str) -> str:
    """A plain hash will do: nobody can try out 256 random bits."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def _token(row: Row[Any]) -> Token:
    return Token(row.id, row.kind, row.user, row.project, row.role, row.created, row.expires)
