"""Counters against guessing: how often something was tried in a stretch of time, by name and by address."""

import hashlib
from datetime import timedelta

from sqlalchemy import delete, select, update

from bidui.web.store.database import put
from bidui.web.store.tables import attempts as table
from bidui.web.store.workspace import Store


def allow(store: Store, what: str, key: str, *, most: int, within: timedelta) -> bool:
    """Count one more try of `what` by `key` (a name, an address); False where it is one too many.

    The first try opens a stretch of time, and when that is over its row is removed: no address is kept.
    """
    name = hashlib.sha256(f"{what}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()
    now = store.now()
    with store.writing() as connection:
        connection.execute(delete(table).where(table.c.until <= now))
        put(connection, table, {"key": name, "count": 0, "until": now + within}, replace=False)
        connection.execute(update(table).where(table.c.key == name).values(count=table.c.count + 1))
        count = connection.scalar(select(table.c.count).where(table.c.key == name)) or 0
    return count <= most


def forget(store: Store, what: str, key: str) -> None:
    """Start counting anew, after a try that succeeded."""
    name = hashlib.sha256(f"{what}\n{key}".encode("utf-8", "surrogatepass")).hexdigest()
    with store.writing() as connection:
        connection.execute(delete(table).where(table.c.key == name))
