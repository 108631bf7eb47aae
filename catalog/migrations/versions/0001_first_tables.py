"""The first tables: those of catalog/tables, as long as no vocparty was released.

The first release replaces `create_all` by what Alembic's autogenerate writes, so that the tables
of that version stay known. From then on each change of the tables is a revision.
"""

from alembic import op

from catalog.tables import Base

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table with its constraints and indexes."""
    Base.metadata.create_all(op.get_bind())
