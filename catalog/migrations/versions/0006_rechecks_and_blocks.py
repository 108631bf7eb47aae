"""When a photo was last asked for, owners who are left out, files that were erased."""

import sqlalchemy as sa
from alembic import op

from catalog.columns import UtcDateTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a table and two columns; no photo counts as asked for."""
    op.create_table(
        "blocked_owner",
        sa.Column("owner_id", sa.String(length=200), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("blocked_at", UtcDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("owner_id", name=op.f("pk_blocked_owner")),
    )
    op.add_column("photo", sa.Column("checked_at", UtcDateTime(), nullable=True))
    op.create_index(op.f("ix_photo_state_checked_at_id"), "photo", ["state", "checked_at", "id"])
    op.add_column("image", sa.Column("erased_at", UtcDateTime(), nullable=True))


def downgrade() -> None:
    """Drop them again."""
    op.drop_column("image", "erased_at")
    op.drop_index(op.f("ix_photo_state_checked_at_id"), "photo")
    op.drop_column("photo", "checked_at")
    op.drop_table("blocked_owner")
