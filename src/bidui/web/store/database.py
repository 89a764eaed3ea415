"""The database beside the project files: SQLite in a file, or PostgreSQL by its address, used in the same way."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from bidui.errors import Place, fail

PATIENCE = 30  # seconds that a writer waits for another
SYNCHRONOUS = "FULL"  # waits for the disk at every commit
_WRITES = "bidui_writes"
_LOCK = 0x6269647569  # "bidui"


def open_database(address: str | Path) -> Engine:
    """The database in a file, or at a `postgresql://` address; nothing is asked of it yet."""
    url = URL.create("sqlite", database=str(address)) if isinstance(address, Path) else _url(address)
    if url.drivername == "sqlite":
        engine = create_engine(url, pool_size=10, max_overflow=20)
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        return create_engine(
            url,
            isolation_level="READ COMMITTED",  # whoever waited for a lock must see what the other has done
            connect_args={"options": f"-c lock_timeout={PATIENCE}s"},
            pool_pre_ping=True,
            pool_size=10,
            max_overflow=20,
        )
    except ImportError:
        raise fail("needs-extra", Place(), {"package": "psycopg", "extra": "postgres"}) from None


def _url(address: str) -> URL:
    """The address with the driver that bidui uses."""
    try:
        url = make_url(address)
        if url.get_backend_name() == "postgresql":
            return url.set(drivername="postgresql+psycopg")
        if url.drivername == "sqlite" and url.database not in {None, "", ":memory:"}:
            return url
    except (ArgumentError, NoSuchModuleError, ValueError):
        pass
    raise fail("database-address", Place(), {"address": address.partition(":")[0]})  # no password in a message


def _set_up_sqlite(connection: Any, _: object) -> None:
    """Readers never wait (WAL), and what is committed survives a power cut."""
    connection.isolation_level = None  # the driver begins no transaction by itself; see `_begin_sqlite`
    connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000}")
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":  # network drives
        raise fail("database-no-wal", Place(), {"mode": mode})
    connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    """A writer takes the lock at once: taking it halfway would fail where somebody else has written since."""
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A transaction that only looks."""
    with _connected(engine) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine, *, alone: bool = False) -> Iterator[Connection]:
    """A transaction that changes something: all of it, or, where an error comes out, nothing.

    With `alone` nobody else is in such a transaction: what it does to files on disk needs that. SQLite has only one
    writer at a time as it is.
    """
    with _connected(engine) as connection:
        try:
            transaction = connection.execution_options(**{_WRITES: True}).begin()
            if alone and connection.dialect.name == "postgresql":
                connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        except OperationalError as error:
            raise fail("database-busy", Place(), {"seconds": PATIENCE, "reason": _reason(error)}) from None
        with transaction:
            yield connection


@contextmanager
def _connected(engine: Engine) -> Iterator[Connection]:
    try:
        connection = engine.connect()
    except DBAPIError as error:
        raise fail("database-unreachable", Place(), {"reason": _reason(error)}) from None
    with connection:
        yield connection


def _reason(error: DBAPIError) -> str:
    """The first line of what the driver says; it names no password."""
    return str(error.orig).strip().splitlines()[0] if str(error.orig).strip() else type(error.orig).__name__


def put(connection: Connection, table: Table, values: Mapping[str, object], *, replace: bool = True) -> None:
    """Insert a row; where one with its key is there, replace it, or leave it."""
    keys = [column.name for column in table.primary_key]
    make = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement = make(table).values(**values)
    rest = {name: value for name, value in values.items() if name not in keys}
    if replace and rest:
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=rest))
    else:
        connection.execute(statement.on_conflict_do_nothing(index_elements=keys))


def storable(number: int) -> int:
    """A number from outside as one that may be asked for; what no database has becomes 0, which no row has."""
    return number if 0 < number < 2**31 else 0
