"""The database beside the project files: its tables, and how SQLite or PostgreSQL is opened, read and written.

`migrations` makes the tables; a test checks that they agree with those here.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from bidui.errors import Place, fail, import_failed

# Tables


class Moment(sa.TypeDecorator[datetime]):
    """A time in UTC; SQLite forgets the zone, so it is added again."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Return the time as it is stored."""
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Return the time as it was given."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


metadata = sa.MetaData(
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
STUDY_STATES = ("draft", "open", "paused", "closed")


def _one_of(column: str, values: tuple[str, ...]) -> sa.CheckConstraint:
    listed = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=column)


def _unique(name: str, *columns: sa.Column[Any], where: str) -> None:
    sa.Index(name, *columns, unique=True, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


# Which workspace this database belongs to: one row.
workspaces = Table("workspaces", metadata, sa.Column("id", sa.String(64), primary_key=True))

users = Table(
    "users",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("key", sa.String(400), nullable=False, unique=True),  # the name as it is compared
    sa.Column("password", sa.String(200)),  # an argon2 hash; none for whoever sits at the machine itself
    sa.Column("created", Moment, nullable=False),
    sa.Column("closed", Moment),
)

projects = Table(
    "projects",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.String(200), nullable=False),
    sa.Column("key", sa.String(800), nullable=False),  # the name as case-blind file systems compare it
    sa.Column("alone", sa.Boolean, nullable=False),  # whether it is the workspace's own folder
    sa.Column("created", Moment, nullable=False),
    sa.Column("binned", Moment),  # since when it is in the bin
    sa.Column("binned_by", sa.ForeignKey("users.id")),  # none: its folder was removed outside
)
_unique("uq_projects_alone_key", projects.c.alone, projects.c.key, where="binned IS NULL")

# Bytes by their hash: whole, or as a piece between the beginning and the end of another content.
contents = Table(
    "contents",
    metadata,
    sa.Column("sha256", sa.String(64), primary_key=True),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("near", sa.ForeignKey("contents.sha256")),
    sa.Column("depth", sa.Integer, nullable=False),
    sa.Column("head", sa.BigInteger, nullable=False),  # bytes shared with the beginning of `near`
    sa.Column("tail", sa.BigInteger, nullable=False),  # and with its end
    sa.Column("packed", sa.LargeBinary, nullable=False),
)

revisions = Table(
    "revisions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project", sa.ForeignKey("projects.id"), nullable=False),
    sa.Column("file", sa.String(800), nullable=False),
    sa.Column("sha256", sa.ForeignKey("contents.sha256")),  # none: the file is not there
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("author", sa.ForeignKey("users.id")),  # none: somebody outside
    sa.Column("time", Moment, nullable=False),
    sa.Column("reason", sa.String(20), nullable=False),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("base", sa.ForeignKey("revisions.id")),
    sa.Column("origin", sa.ForeignKey("revisions.id")),  # what was restored, or the file that had another name
    sa.Column("study", sa.Integer),  # whose results decided this; no key, since a draft of a study can be deleted
    _one_of("reason", REASONS),
    _one_of("state", STATES),
    sa.Index("ix_revisions_project_file", "project", "file", "id"),
    sa.Index("ix_revisions_project_id", "project", "id"),
    sqlite_autoincrement=True,  # a number is never given twice
)

# The latest revision of each file, and what the file on disk looked like when it was last compared.
files = Table(
    "files",
    metadata,
    sa.Column("project", sa.ForeignKey("projects.id"), primary_key=True),
    sa.Column("name", sa.String(800), primary_key=True),
    sa.Column("head", sa.ForeignKey("revisions.id")),
    sa.Column("sha256", sa.String(64)),  # of the head, none where the file is not there
    sa.Column("pending", sa.ForeignKey("revisions.id")),  # accepted, and perhaps not yet on disk
    sa.Column("stamp", sa.String(100), nullable=False),
)

drafts = Table(
    "drafts",
    metadata,
    sa.Column("user", sa.ForeignKey("users.id"), primary_key=True),
    sa.Column("project", sa.ForeignKey("projects.id"), primary_key=True),
    sa.Column("file", sa.String(800), primary_key=True),
    sa.Column("tab", sa.String(64), primary_key=True),
    sa.Column("text", sa.LargeBinary, nullable=False),
    sa.Column("base", sa.ForeignKey("revisions.id")),
    sa.Column("time", Moment, nullable=False),
    sa.Column("why", sa.String(20), nullable=False),
)

# A role in one project, or, where the project is none, in the whole workspace.
members = Table(
    "members",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("user", sa.ForeignKey("users.id"), nullable=False),
    sa.Column("project", sa.ForeignKey("projects.id")),
    sa.Column("role", sa.String(20), nullable=False),
    _one_of("role", ROLES),
)
_unique("uq_members_user", members.c.user, where="project IS NULL")
_unique("uq_members_user_project", members.c.user, members.c.project, where="project IS NOT NULL")

# Start addresses, sessions, invitations and links to a new password: only the hash of what the user holds.
tokens = Table(
    "tokens",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("sha256", sa.String(64), nullable=False, unique=True),
    sa.Column("kind", sa.String(20), nullable=False),
    sa.Column("user", sa.ForeignKey("users.id")),  # whose session or password; who invited
    sa.Column("project", sa.ForeignKey("projects.id")),
    sa.Column("role", sa.String(20)),
    sa.Column("created", Moment, nullable=False),
    sa.Column("expires", Moment, nullable=False),
    sa.Column("used", Moment),
    _one_of("kind", TOKENS),
)

# Counters against guessing; a key is a hash and its row goes when its time is over.
attempts = Table(
    "attempts",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("count", sa.Integer, nullable=False),
    sa.Column("until", Moment, nullable=False),
)

# What follows from contents and takes time to find: JSON by kind and by the hash of what it follows from.
facts = Table(
    "facts",
    metadata,
    sa.Column("kind", sa.String(40), primary_key=True),
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)

# Studies: what is pinned in their files never follows from the project again.
studies = Table(
    "studies",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("project", sa.ForeignKey("projects.id"), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("state", sa.String(20), nullable=False),
    sa.Column("token", sa.String(43), nullable=False, unique=True),  # of the link that is sent to participants
    sa.Column("code", sa.String(20), nullable=False),  # shown to whoever has finished
    sa.Column("sha256", sa.String(64), nullable=False),  # of its study.json, which holds the hashes of the others
    sa.Column("revision", sa.Integer, nullable=False),  # the newest of the project when it was pinned
    sa.Column("earlier", sa.ForeignKey("studies.id")),
    sa.Column("created", Moment, nullable=False),
    sa.Column("opened", Moment),
    sa.Column("closed", Moment),
    _one_of("state", STUDY_STATES),
    sqlite_autoincrement=True,
)

study_files = Table(
    "study_files",
    metadata,
    sa.Column("study", sa.ForeignKey("studies.id"), primary_key=True),
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("packed", sa.LargeBinary, nullable=False),
)

# People who take part: a code instead of a name, no address, and only the hash of the token that each holds.
participants = Table(
    "participants",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("study", sa.ForeignKey("studies.id"), nullable=False),
    sa.Column("sha256", sa.String(64), nullable=False, unique=True),
    sa.Column("pseudonym", sa.String(20), nullable=False),
    sa.Column("list", sa.Integer, nullable=False),
    sa.Column("slot", sa.Integer, nullable=False),
    sa.Column("task", sa.String(20), nullable=False),
    sa.Column("trials", sa.Integer, nullable=False),  # how many she has
    sa.Column("version", sa.String(12), nullable=False),  # of the texts that she consented to
    sa.Column("language", sa.String(2), nullable=False),  # in which she read them
    sa.Column("background", sa.Text, nullable=False),  # JSON: the questions that she answered
    sa.Column("external", sa.String(100)),  # her number in a panel
    sa.Column("started", Moment, nullable=False),
    sa.Column("seen", Moment, nullable=False),
    sa.Column("finished", Moment),
    sa.Column("withdrawn", Moment),
    sa.Column("excluded", sa.Boolean),  # by the rules, once she has finished; none: not yet looked at
    sa.UniqueConstraint("study", "pseudonym"),
)

answers = Table(
    "answers",
    metadata,
    sa.Column("participant", sa.ForeignKey("participants.id"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("answer", sa.Integer, nullable=False),
    sa.Column("rt_ms", sa.BigInteger),
    sa.Column("layout", sa.String(20), nullable=False),
    sa.Column("language", sa.String(2), nullable=False),
    sa.Column("at", Moment, nullable=False),
)

PATIENCE = 30  # seconds that a writer waits for another
SYNCHRONOUS = "FULL"  # waits for the disk at every commit
_LEAST_SPACE = 1 << 20  # bytes; with less, an I/O error means a full disk
_WRITES = "bidui_writes"
_LOCK = 0x6269647569  # "bidui"


def open_database(address: str | Path) -> Engine:
    """Return the database in a file, or at a `postgresql://` address; it is not contacted yet."""
    url = URL.create("sqlite", database=str(address)) if isinstance(address, Path) else _url(address)
    if url.drivername == "sqlite":
        engine = sa.create_engine(url, pool_size=10, max_overflow=20)
        sa.event.listen(engine, "connect", _set_up_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        return sa.create_engine(
            url,
            isolation_level="READ COMMITTED",  # whoever waited for a lock must see what the other has done
            connect_args={"options": f"-c lock_timeout={PATIENCE}s"},
            pool_pre_ping=True,
            pool_size=10,
            max_overflow=20,
        )
    except ImportError as error:
        raise import_failed(error, extra="postgres") from error


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
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        except OperationalError as error:
            _check_space(error, engine)
            raise fail("database-busy", Place(), {"seconds": PATIENCE, "reason": _reason(error)}) from None
        try:
            with transaction:
                yield connection
        except OperationalError as error:
            _check_space(error, engine)
            raise


def _check_space(error: DBAPIError, engine: Engine) -> None:
    """Say it plainly where there is no more space for the database; SQLite may speak of an I/O error."""
    text = str(error.orig).lower()
    full = "disk is full" in text or "no space left" in text
    if not full and "disk i/o error" in text and engine.url.database:
        with suppress(OSError):
            full = shutil.disk_usage(Path(engine.url.database).parent).free < _LEAST_SPACE
    if full:
        raise fail("disk-full", Place()) from None


@contextmanager
def _connected(engine: Engine) -> Iterator[Connection]:
    try:
        connection = engine.connect()
    except DBAPIError as error:
        _check_space(error, engine)
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
