"""What searches showed, what queries were judged by, and what all machines share of the API."""

import sqlalchemy as sa
from alembic import op

from catalog.columns import UtcDateTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column of judged images and three tables."""
    op.add_column("query", sa.Column("judged", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "search",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.Integer(), nullable=False),
        sa.Column("dates", sa.String(length=10), nullable=False),
        sa.Column("licence_ids", sa.String(length=200), nullable=False),
        sa.Column("window_start_at", UtcDateTime(), nullable=True),
        sa.Column("window_end_at", UtcDateTime(), nullable=True),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("matches", sa.BigInteger(), nullable=False),
        sa.Column("returned", sa.Integer(), nullable=False),
        sa.Column("fresh", sa.Integer(), nullable=False),
        sa.Column("searched_at", UtcDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["query_id"], ["query.id"], name=op.f("fk_search_query_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_search")),
    )
    op.create_index(
        op.f("ix_search_query_id_window_start_at"), "search", ["query_id", "window_start_at"]
    )
    op.create_table(
        "call_budget",
        sa.Column("key_sha256", sa.String(length=64), nullable=False),
        sa.Column("calls", sa.Float(), nullable=False),
        sa.Column("counted_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("key_sha256", name=op.f("pk_call_budget")),
    )
    op.create_table(
        "host_pause",
        sa.Column("host", sa.String(length=200), nullable=False),
        sa.Column("until_at", UtcDateTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_host_pause")),
    )


def downgrade() -> None:
    """Drop them again."""
    op.drop_table("host_pause")
    op.drop_table("call_budget")
    op.drop_table("search")
    op.drop_column("query", "judged")
