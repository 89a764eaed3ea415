"""The tables of the workbench's database; `migrations` makes them, and a test holds the two together."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    text,
)


class Moment(TypeDecorator[datetime]):
    """A time in UTC; SQLite forgets the zone, so it is put back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The time as it is stored."""
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """The time as it was given."""
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
