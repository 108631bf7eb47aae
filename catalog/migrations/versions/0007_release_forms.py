"""How the files of a released image were written, where its release's settings do not say it."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add one column to the images of releases."""
    op.add_column("release_image", sa.Column("form", sa.JSON(), nullable=True))


def downgrade() -> None:
    """Take it away again."""
    op.drop_column("release_image", "form")
