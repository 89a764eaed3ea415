"""The first tables: people, projects, revisions of their files, drafts."""

import sqlalchemy as sa
from alembic import op

revision = "1"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make all tables; keys and constraints are named by the rule that `env.py` gives."""
    op.create_table("workspaces", sa.Column("id", sa.String(64), primary_key=True))
    _people()
    _files()
    op.create_table(
        "facts",
        sa.Column("kind", sa.String(40), primary_key=True),
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )


def _people() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("key", sa.String(400), nullable=False, unique=True),
        sa.Column("password", sa.String(200)),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("closed", MOMENT),
    )
    op.create_table(
        "projects",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("key", sa.String(800), nullable=False),
        sa.Column("alone", sa.Boolean, nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("binned", MOMENT),
        sa.Column("binned_by", sa.Integer, sa.ForeignKey("users.id")),
    )
    _unique("uq_projects_alone_key", "projects", ["alone", "key"], where="binned IS NULL")
    op.create_table(
        "members",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user", sa.Integer, sa.ForeignKey("users.id"), nullable=False),
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.id")),
        sa.Column("role", sa.String(20), nullable=False),
        sa.CheckConstraint("role IN ('viewer', 'editor', 'owner')", name="role"),
    )
    _unique("uq_members_user", "members", ["user"], where="project IS NULL")
    _unique("uq_members_user_project", "members", ["user", "project"], where="project IS NOT NULL")
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("sha256", sa.String(64), nullable=False, unique=True),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("user", sa.Integer, sa.ForeignKey("users.id")),
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.id")),
        sa.Column("role", sa.String(20)),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("expires", MOMENT, nullable=False),
        sa.Column("used", MOMENT),
        sa.CheckConstraint("kind IN ('start', 'session', 'invitation', 'password')", name="kind"),
    )
    op.create_table(
        "attempts",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("until", MOMENT, nullable=False),
    )


def _files() -> None:
    op.create_table(
        "contents",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("near", sa.String(64), sa.ForeignKey("contents.sha256")),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("head", sa.BigInteger, nullable=False),
        sa.Column("tail", sa.BigInteger, nullable=False),
        sa.Column("packed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "revisions",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.id"), nullable=False),
        sa.Column("file", sa.String(800), nullable=False),
        sa.Column("sha256", sa.String(64), sa.ForeignKey("contents.sha256")),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("author", sa.Integer, sa.ForeignKey("users.id")),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("reason", sa.String(20), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("base", sa.Integer, sa.ForeignKey("revisions.id")),
        sa.Column("origin", sa.Integer, sa.ForeignKey("revisions.id")),
        sa.CheckConstraint("reason IN ('edit', 'outside', 'restore', 'import', 'delete')", name="reason"),
        sa.CheckConstraint("state IN ('pending', 'done', 'dropped')", name="state"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_revisions_project_file", "revisions", ["project", "file", "id"])
    op.create_index("ix_revisions_project_id", "revisions", ["project", "id"])
    op.create_table(
        "files",
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.id"), primary_key=True),
        sa.Column("name", sa.String(800), primary_key=True),
        sa.Column("head", sa.Integer, sa.ForeignKey("revisions.id")),
        sa.Column("sha256", sa.String(64)),
        sa.Column("pending", sa.Integer, sa.ForeignKey("revisions.id")),
        sa.Column("stamp", sa.String(100), nullable=False),
    )
    op.create_table(
        "drafts",
        sa.Column("user", sa.Integer, sa.ForeignKey("users.id"), primary_key=True),
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.id"), primary_key=True),
        sa.Column("file", sa.String(800), primary_key=True),
        sa.Column("tab", sa.String(64), primary_key=True),
        sa.Column("text", sa.LargeBinary, nullable=False),
        sa.Column("base", sa.Integer, sa.ForeignKey("revisions.id")),
        sa.Column("time", MOMENT, nullable=False),
        sa.Column("why", sa.String(20), nullable=False),
    )


def _unique(name: str, table: str, columns: list[str], *, where: str) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=True, sqlite_where=condition, postgresql_where=condition)
