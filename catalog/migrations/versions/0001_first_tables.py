"""The first tables: those of catalog/tables, as long as no vocparty was released.

The first release replaces `create_all` by what Alembic's autogenerate writes, so that the tables
of that version stay known. From then on each change of the tables is a revision.
"""

from alembic import op
from sqlalchemy import Connection, String

from catalog.tables import Base

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create every table with its constraints and indexes."""
    connection = op.get_bind()
    Base.metadata.create_all(connection)
    if connection.dialect.name == "postgresql":
        _order_by_characters(connection)


def _order_by_characters(connection: Connection) -> None:
    """Let PostgreSQL sort text as SQLite does, whatever language the database was made for.

    Else releases and reports of one catalogue would differ between databases.
    """
    for table in Base.metadata.sorted_tables:
        changes = [
            f'ALTER "{column.name}" TYPE {column.type.compile(connection.dialect)} COLLATE "C"'
            for column in table.columns
            if isinstance(column.type, String)
        ]
        if changes:
            op.execute(f'ALTER TABLE "{table.name}" {", ".join(changes)}')
