"""Studies: their pinned files, the people who take part, and what they answer."""

import sqlalchemy as sa
from alembic import op

revision = "2"
down_revision = "1"
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "studies",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("project", sa.Integer, sa.ForeignKey("projects.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("token", sa.String(43), nullable=False, unique=True),
        sa.Column("code", sa.String(20), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("earlier", sa.Integer, sa.ForeignKey("studies.id")),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("opened", MOMENT),
        sa.Column("closed", MOMENT),
        sa.CheckConstraint("state IN ('draft', 'open', 'paused', 'closed')", name="state"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_studies_project", "studies", ["project"])
    op.create_table(
        "study_files",
        sa.Column("study", sa.Integer, sa.ForeignKey("studies.id"), primary_key=True),
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("packed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "participants",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("study", sa.Integer, sa.ForeignKey("studies.id"), nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False, unique=True),
        sa.Column("pseudonym", sa.String(20), nullable=False),
        sa.Column("list", sa.Integer, nullable=False),
        sa.Column("slot", sa.Integer, nullable=False),
        sa.Column("task", sa.String(20), nullable=False),
        sa.Column("trials", sa.Integer, nullable=False),
        sa.Column("version", sa.String(12), nullable=False),
        sa.Column("language", sa.String(2), nullable=False),
        sa.Column("background", sa.Text, nullable=False),
        sa.Column("external", sa.String(100)),
        sa.Column("started", MOMENT, nullable=False),
        sa.Column("seen", MOMENT, nullable=False),
        sa.Column("finished", MOMENT),
        sa.Column("withdrawn", MOMENT),
        sa.Column("excluded", sa.Boolean),
        sa.UniqueConstraint("study", "pseudonym"),
    )
    op.create_table(
        "answers",
        sa.Column("participant", sa.Integer, sa.ForeignKey("participants.id"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("answer", sa.Integer, nullable=False),
        sa.Column("rt_ms", sa.BigInteger),
        sa.Column("layout", sa.String(20), nullable=False),
        sa.Column("language", sa.String(2), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
    )
