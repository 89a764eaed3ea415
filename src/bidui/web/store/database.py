"""The database beside the project files: its tables, and how SQLite or PostgreSQL is opened, read and written.

`migrations` makes the tables; a test checks that they agree with those here.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Connection,
    DateTime,
    Dialect,
    Engine,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    create_engine,
    event,
    func,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from bidui.errors import Place, fail

# Tables


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite forgets the zone, so it is added again."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the time as it is stored."""
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Return the time as it was given."""
        if value is None:
            return None
        moment: datetime = value
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


metadata = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_N_label)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

REASONS = ("edit", "outside", "restore", "import", "delete")
STATES = ("pending", "done", "dropped")
ROLES = ("viewer", "editor", "owner")  # each may do what those before it may
TOKENS = ("start", "session", "invitation", "password")


def _one_of(column: str, values: tuple[str, ...]) -> CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


# Which workspace this database belongs to: one row.
workspaces = Table("workspaces", metadata, Column("id", String(64), primary_key=True))

users = Table(
    "users",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(100), nullable=False),
    Column("key", String(400), nullable=False, unique=True),  # the name as it is compared
    Column("password", String(200)),  # an argon2 hash; none for whoever sits at the machine itself
    Column("created", Moment, nullable=False),
    Column("closed", Moment),
)

projects = Table(
    "projects",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False),
    Column("key", String(800), nullable=False),  # the name as case-blind file systems compare it
    Column("alone", Boolean, nullable=False),  # whether it is the workspace's own folder
    Column("created", Moment, nullable=False),
    Column("binned", Moment),  # since when it is in the bin
    Column("binned_by", ForeignKey("users.id")),  # none: its folder was removed outside
)
_here = text("binned IS NULL")
Index(
    "uq_projects_alone_key", projects.c.alone, projects.c.key, unique=True, sqlite_where=_here, postgresql_where=_here
)

# Bytes by their hash: whole, or as a piece between the beginning and the end of another content.
contents = Table(
    "contents",
    metadata,
    Column("sha256", String(64), primary_key=True),
    Column("size", BigInteger, nullable=False),
    Column("near", ForeignKey("contents.sha256")),
    Column("depth", Integer, nullable=False),
    Column("head", BigInteger, nullable=False),  # bytes shared with the beginning of `near`
    Column("tail", BigInteger, nullable=False),  # and with its end
    Column("packed", LargeBinary, nullable=False),
)

revisions = Table(
    "revisions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project", ForeignKey("projects.id"), nullable=False),
    Column("file", String(800), nullable=False),
    Column("sha256", ForeignKey("contents.sha256")),  # none: the file is not there
    Column("size", BigInteger, nullable=False),
    Column("author", ForeignKey("users.id")),  # none: somebody outside
    Column("time", Moment, nullable=False),
    Column("reason", String(20), nullable=False),
    Column("state", String(20), nullable=False),
    Column("base", ForeignKey("revisions.id")),
    Column("origin", ForeignKey("revisions.id")),  # what was restored, or the file that had another name
    _one_of("reason", REASONS),
    _one_of("state", STATES),
    Index("ix_revisions_project_file", "project", "file", "id"),
    Index("ix_revisions_project_id", "project", "id"),
    sqlite_autoincrement=True,  # a number is never given twice
)

# The latest revision of each file, and what the file on disk looked like when it was last compared.
files = Table(
    "files",
    metadata,
    Column("project", ForeignKey("projects.id"), primary_key=True),
    Column("name", String(800), primary_key=True),
    Column("head", ForeignKey("revisions.id")),
    Column("sha256", String(64)),  # of the head, none where the file is not there
    Column("pending", ForeignKey("revisions.id")),  # accepted, and perhaps not yet on disk
    Column("stamp", String(100), nullable=False),
)

drafts = Table(
    "drafts",
    metadata,
    Column("user", ForeignKey("users.id"), primary_key=True),
    Column("project", ForeignKey("projects.id"), primary_key=True),
    Column("file", String(800), primary_key=True),
    Column("tab", String(64), primary_key=True),
    Column("text", LargeBinary, nullable=False),
    Column("base", ForeignKey("revisions.id")),
    Column("time", Moment, nullable=False),
    Column("why", String(20), nullable=False),
)

# A role in one project, or, where the project is none, in the whole workspace.
members = Table(
    "members",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("user", ForeignKey("users.id"), nullable=False),
    Column("project", ForeignKey("projects.id")),
    Column("role", String(20), nullable=False),
    _one_of("role", ROLES),
)
_everywhere, _somewhere = text("project IS NULL"), text("project IS NOT NULL")
Index("uq_members_user", members.c.user, unique=True, sqlite_where=_everywhere, postgresql_where=_everywhere)
Index(
    "uq_members_user_project",
    members.c.user,
    members.c.project,
    unique=True,
    sqlite_where=_somewhere,
    postgresql_where=_somewhere,
)

# Start addresses, sessions, invitations and links to a new password: only the hash of what the user holds.
tokens = Table(
    "tokens",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("sha256", String(64), nullable=False, unique=True),
    Column("kind", String(20), nullable=False),
    Column("user", ForeignKey("users.id")),  # whose session or password; who invited
    Column("project", ForeignKey("projects.id")),
    Column("role", String(20)),
    Column("created", Moment, nullable=False),
    Column("expires", Moment, nullable=False),
    Column("used", Moment),
    _one_of("kind", TOKENS),
)

# Counters against guessing; a key is a hash and its row goes when its time is over.
attempts = Table(
    "attempts",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("count", Integer, nullable=False),
    Column("until", Moment, nullable=False),
)

# What follows from contents and takes time to find: JSON by kind and by the hash of what it follows from.
facts = Table(
    "facts",
    metadata,
    Column("kind", String(40), primary_key=True),
    Column("key", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

PATIENCE = 30  # seconds that a writer waits for another
SYNCHRONOUS = "FULL"  # waits for the disk at every commit
_WRITES = "bidui_writes"
_LOCK = 0x6269647569  # "bidui"


def open_database(address: str | Path) -> Engine:
    """Return the database in a file, or at a `postgresql://` address; it is not contacted yet."""
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
    """Return the address with the driver that bidui uses."""
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
    """Let readers never wait (WAL), and commits survive a power cut."""
    connection.isolation_level = None  # the driver begins no transaction by itself; see `_begin_sqlite`
    connection.execute(f"PRAGMA busy_timeout = {PATIENCE * 1000}")
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":  # network drives
        raise fail("database-no-wal", Place(), {"mode": mode})
    connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    """Let a writer take the lock at once: taking it halfway would fail where somebody else has written since."""
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Open a transaction that only reads."""
    with _connected(engine) as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine, *, alone: bool = False) -> Iterator[Connection]:
    """Open a transaction that writes: all of it or, where an error comes out, nothing.

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
    """Return the first line of the driver's message; it names no password."""
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
    """Return a number from outside as one that may be asked for; what no database has becomes 0, which no row has."""
    return number if 0 < number < 2**31 else 0


# Migrations


def migrate(engine: Engine) -> None:
    """Bring the schema up to date; a database that a newer bidui has changed is refused and left alone."""
    with writing(engine, alone=True) as connection:  # two servers that start at once must not both migrate
        config = _config(connection)
        script = ScriptDirectory.from_config(config)
        versions = {revision.revision for revision in script.walk_revisions()}
        version = MigrationContext.configure(connection).get_current_revision()
        if version is not None and version not in versions:
            raise fail("database-newer", Place(), {"found": version, "known": script.get_current_head()})
        if version != script.get_current_head():
            command.upgrade(config, "head")


def _config(connection: Connection) -> Config:
    config = Config()
    # a percent sign in the path would be taken for a variable
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config
