"""Measurements that one stage makes and another tells, such as people's agreement."""

import sqlalchemy as sa
from alembic import op

import catalog.columns

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "measurement",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("measured_at", catalog.columns.UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_measurement")),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("measurement")
