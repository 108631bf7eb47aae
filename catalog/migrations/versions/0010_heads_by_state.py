"""An index that holds which revisions finished work consists of."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index."""
    op.create_index("ix_image_state_annotation_id", "image", ["state", "annotation_id"])


def downgrade() -> None:
    """Drop it."""
    op.drop_index("ix_image_state_annotation_id", "image")
