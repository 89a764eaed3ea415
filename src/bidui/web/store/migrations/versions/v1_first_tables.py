"""The first tables: people, projects, revisions of their files, drafts."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make all tables."""
    op.create_table("workspaces", sa.Column("id", sa.String(64)), sa.PrimaryKeyConstraint("id", name="pk_workspaces"))
    _people()
    _files()
    op.create_table(
        "facts",
        sa.Column("kind", sa.String(40)),
        sa.Column("key", sa.String(64)),
        sa.Column("value", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("kind", "key", name="pk_facts"),
    )


def _people() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Integer),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("key", sa.String(400), nullable=False),
        sa.Column("password", sa.String(200)),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("closed", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
        sa.UniqueConstraint("key", name="uq_users_key"),
    )
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("key", sa.String(800), nullable=False),
        sa.Column("alone", sa.Boolean, nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("binned", MOMENT),
        sa.Column("binned_by", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_projects"),
        _foreign("projects", "binned_by", "users.id"),
    )
    _unique("uq_projects_alone_key", "projects", ["alone", "key"], where="binned IS NULL")
    op.create_table(
        "members",
        sa.Column("id", sa.Integer),
        sa.Column("user", sa.Integer, nullable=False),
        sa.Column("project", sa.Integer),
        sa.Column("role", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_members"),
        _foreign("members", "user", "users.id"),
        _foreign("members", "project", "projects.id"),
        sa.CheckConstraint("role IN ('viewer', 'editor', 'owner')", name="ck_members_role"),
    )
    _unique("uq_members_user", "members", ["user"], where="project IS NULL")
    _unique("uq_members_user_project", "members", ["user", "project"], where="project IS NOT NULL")
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("user", sa.Integer),
        sa.Column("project", sa.Integer),
        sa.Column("role", sa.String(20)),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("expires", MOMENT, nullable=False),
        sa.Column("used", MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sa.UniqueConstraint("sha256", name="uq_tokens_sha256"),
        _foreign("tokens", "user", "users.id"),
        _foreign("tokens", "project", "projects.id"),
        sa.CheckConstraint("kind IN ('start', 'session', 'invitation', 'password')", name="ck_tokens_kind"),
    )
    op.create_table(
        "attempts",
        sa.Column("key", sa.String(64)),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("until", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_attempts"),
    )


def _files() -> None:
    op.create_table(
        "contents",
        sa.Column("sha256", sa.String(64)),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("near", sa.String(64)),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("head", sa.BigInteger, nullable=False),
        sa.Column("tail", sa.BigInteger, nullable=False),
        sa.Column("packed", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_contents"),
        _foreign("contents", "near", "contents.sha256"),
    )
    op.create_table(
        "revisions",
        sa.Column("id", sa.Integer),
        sa.Column("project", sa.Integer, nullable=False),
        sa.Column("file", sa.String(800), nullable=False),
        sa.Column("sha256", sa.String(64)),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("author", sa.Integer),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("reason", sa.String(20), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("base", sa.Integer),
        sa.Column("origin", sa.Integer),
        sa.PrimaryKeyConstraint("id", name="pk_revisions"),
        _foreign("revisions", "project", "projects.id"),
        _foreign("revisions", "sha256", "contents.sha256"),
        _foreign("revisions", "author", "users.id"),
        _foreign("revisions", "base", "revisions.id"),
        _foreign("revisions", "origin", "revisions.id"),
        sa.CheckConstraint("reason IN ('edit', 'outside', 'restore', 'import', 'delete')", name="ck_revisions_reason"),
        sa.CheckConstraint("state IN ('pending', 'done', 'dropped')", name="ck_revisions_state"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_revisions_project_file", "revisions", ["project", "file", "id"])
    op.create_index("ix_revisions_project_id", "revisions", ["project", "id"])
    op.create_table(
        "files",
        sa.Column("project", sa.Integer),
        sa.Column("name", sa.String(800)),
        sa.Column("head", sa.Integer),
        sa.Column("sha256", sa.String(64)),
        sa.Column("pending", sa.Integer),
        sa.Column("stamp", sa.String(100), nullable=False),
        sa.PrimaryKeyConstraint("project", "name", name="pk_files"),
        _foreign("files", "project", "projects.id"),
        _foreign("files", "head", "revisions.id"),
        _foreign("files", "pending", "revisions.id"),
    )
    op.create_table(
        "drafts",
        sa.Column("user", sa.Integer),
        sa.Column("project", sa.Integer),
        sa.Column("file", sa.String(800)),
        sa.Column("tab", sa.String(64)),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.Column("base", sa.Integer),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("why", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("user", "project", "file", "tab", name="pk_drafts"),
        _foreign("drafts", "user", "users.id"),
        _foreign("drafts", "project", "projects.id"),
        _foreign("drafts", "base", "revisions.id"),
    )


def _foreign(table: str, column: str, target: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [target], name=f"fk_{table}_{column}")


def _unique(name: str, table: str, columns: list[str], *, where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=True, sqlite_where=condition, postgresql_where=condition)
