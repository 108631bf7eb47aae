"""Indexes that hold all that counting photos by owner and by query asks for."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

OWNERS = ["owner_id", "state", "source", "uploaded_at", "taken_at_text", "taken_at_unknown"]
QUERIES = ["query_id", "state", "image_id"]


def upgrade() -> None:
    """Put the wider indexes in the place of the narrow ones."""
    op.create_index("ix_photo_owner_room", "photo", OWNERS)
    op.create_index("ix_photo_query_counts", "photo", QUERIES)
    op.drop_index("ix_photo_owner_id", "photo")
    op.drop_index("ix_photo_query_id", "photo")


def downgrade() -> None:
    """Put the narrow ones back."""
    op.create_index("ix_photo_owner_id", "photo", ["owner_id"])
    op.create_index("ix_photo_query_id", "photo", ["query_id"])
    op.drop_index("ix_photo_query_counts", "photo")
    op.drop_index("ix_photo_owner_room", "photo")
