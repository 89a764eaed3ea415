"""Revisions say which study decided them."""

import sqlalchemy as sa
from alembic import op

revision = "3"
down_revision = "2"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.add_column("revisions", sa.Column("study", sa.Integer))
