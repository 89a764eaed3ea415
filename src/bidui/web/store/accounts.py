"""Users: names and passwords of a team, and the one user of a laptop, who has none."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update
from sqlalchemy.exc import IntegrityError

from bidui.errors import Place, fail
from bidui.web.store.database import storable
from bidui.web.store.passwords import check_password, hashed, matches
from bidui.web.store.tables import users as table
from bidui.web.store.tokens import revoke
from bidui.web.store.workspace import Store

LOCAL = ""  # the key of whoever sits at the machine itself; no name that somebody can choose has it
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who works here; `local` is whoever sits at the machine itself."""

    id: int
    name: str
    created: datetime
    closed: bool = False
    local: bool = False


def local_user(store: Store) -> User:
    """The one user of a laptop, who needs no password because the machine is theirs."""
    wanted = select(table).where(table.c.key == LOCAL)
    with store.reading() as connection:
        row = connection.execute(wanted).one_or_none()
    if row is None:
        with store.filing() as connection:  # alone, so that there is only one
            if connection.execute(wanted).one_or_none() is None:
                connection.execute(insert(table).values(name="local", key=LOCAL, created=store.now()))
            row = connection.execute(wanted).one()
    return _user(row)


def add_user(store: Store, name: str, password: str) -> User:
    """A new account; the name must be free, whatever the case of its letters."""
    check_password(password)
    secret = hashed(password)  # slow on purpose, so before the transaction
    with store.writing() as connection:
        return insert_user(store, connection, name, secret)


def insert_user(store: Store, connection: Connection, name: str, secret: str) -> User:
    """A new account within a transaction; `secret` is the hash of its password."""
    shown = check_user_name(name)
    if connection.scalar(select(table.c.id).where(table.c.key == user_key(shown))):
        raise fail("user-taken", Place(), {"name": shown})
    values = {"name": shown, "key": user_key(shown), "password": secret, "created": store.now()}
    try:
        connection.execute(insert(table).values(**values))
    except IntegrityError:  # somebody took it in this very moment
        raise fail("user-taken", Place(), {"name": shown}) from None
    return _user(connection.execute(select(table).where(table.c.key == user_key(shown))).one())


def users(store: Store) -> list[User]:
    """All accounts, closed ones too, by name."""
    with store.reading() as connection:
        return [
            _user(row) for row in connection.execute(select(table).where(table.c.key != LOCAL).order_by(table.c.key))
        ]


def user(store: Store, number: int) -> User:
    """The user with that number."""
    with store.reading() as connection:
        row = connection.execute(select(table).where(table.c.id == storable(number))).one_or_none()
    if row is None:
        raise fail("user-unknown", Place(), {"number": number})
    return _user(row)


def log_in(store: Store, name: str, password: str) -> User | None:
    """The user whose name and password these are, or None; a wrong name takes as long as a wrong password."""
    key = user_key(name) if name.isprintable() else "\ufffd"  # which is nobody's
    with store.reading() as connection:
        row = connection.execute(select(table).where(table.c.key == key)).one_or_none()
    known = row is not None and row.password is not None and row.closed is None
    right = matches(password, row.password if known and row else None)
    return _user(row) if known and right and row else None


def set_password(store: Store, who: User, password: str) -> None:
    """Give a user another password; all sessions of hers end."""
    check_password(password)
    secret = hashed(password)
    with store.writing() as connection:
        put_password(connection, who.id, secret)


def put_password(connection: Connection, user: int, secret: str) -> None:
    """The same within a transaction; `secret` is the hash."""
    connection.execute(update(table).where(table.c.id == user).values(password=secret))
    for kind in ("session", "password"):
        revoke(connection, kind, user=user)


def check_user_name(name: str) -> str:
    """The name as it is shown, or an error."""
    shown = unicodedata.normalize("NFC", name).strip()
    key = user_key(shown)
    if not shown.isprintable() or not 0 < len(shown) <= _LONGEST or not 0 < len(key) <= 2 * _LONGEST or key == "local":
        raise fail("user-name", Place(), {"name": repr(name), "most": _LONGEST})
    return shown


def user_key(name: str) -> str:
    """The name as it is compared: full-width letters and capitals are no other name."""
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _user(row: Row[Any]) -> User:
    return User(row.id, row.name, row.created, row.closed is not None, row.key == LOCAL)
