"""The version of a catalogue's tables, and setting them up by Alembic.

Every command asks for the version; Alembic, which loads slowly, is imported for changes only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from .errors import CatalogueError
from .session import DAMAGED, Catalogue, describe_fault, find_disk_fault, is_damaged
from .tables import Base

_FOLDER = Path(__file__).parent / "migrations"
COLUMNS = {
    "sqlite": (
        'SELECT kept.name, group_concat("column".name) FROM sqlite_master AS kept, '
        """pragma_table_info(kept.name) AS "column" WHERE kept.type = 'table' GROUP BY kept.name"""
    ),
    "postgresql": (
        "SELECT table_name, string_agg(column_name::text, ',') FROM information_schema.columns "
        "WHERE table_schema = current_schema() GROUP BY table_name"
    ),
}
"""Each table with its columns: one query, where an inspector asks three for each table."""


def upgrade_catalogue(catalogue: Catalogue) -> None:
    """Create or change the tables to those of this program at once; raises CatalogueError."""
    from alembic import command
    from alembic.config import Config

    current_revision(catalogue)  # raises where it is unknown; Alembic would not in one sentence
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    with _naming_errors("cannot be set up"), catalogue.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    require_current(catalogue)


def _make_private_file(catalogue: Catalogue) -> None:
    """Make SQLite's file where there is none; one that is there keeps its permissions."""
    engine = catalogue.engine
    if engine.dialect.name == "sqlite" and engine.url.database:
        with suppress(OSError):  # what stands in the way is told by SQLite
            os.close(os.open(engine.url.database, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def require_current(catalogue: Catalogue, revision: str | None = None) -> None:
    """Raise CatalogueError unless the catalogue's tables are those of this program.

    `revision` is that of the tables, where it was read just now.
    """
    current = revision or current_revision(catalogue)
    if current is None and _load_columns(catalogue).keys() & Base.metadata.tables.keys():
        raise CatalogueError(
            "The catalogue has tables, but not the row that says of which version: another program "
            "changed it. Bring it back with `vocparty restore`."
        )
    if current != list_revisions()[-1]:
        state = "is older than this program" if current else "has no tables yet"
        step = "Update it" if current else "Create them"
        raise CatalogueError(f"The catalogue {state}. {step} with `vocparty init DIR`.")
    has = _load_columns(catalogue)
    # Until the first release all tables are of one revision, which says nothing about them.
    missing = sorted(
        name
        for name, table in Base.metadata.tables.items()
        if not has.get(name, set()) >= {column.name for column in table.columns}
    )
    if missing:
        raise CatalogueError(
            f"An earlier vocparty made this catalogue, which lacks {', '.join(missing)}. Nothing "
            "is lost: export a release with that vocparty, make a new party with `vocparty init`, "
            "and bring the release there with `vocparty import dataset`."
        )


def _load_columns(catalogue: Catalogue) -> dict[str, set[str]]:
    """The names of the columns that each table has, by its name."""
    query = COLUMNS[catalogue.engine.dialect.name]
    with _naming_errors("cannot be opened"), catalogue.engine.connect() as connection:
        rows = connection.execute(text(query)).all()
    return {table: set(columns.split(",")) for table, columns in rows}


def current_revision(catalogue: Catalogue) -> str | None:
    """The revision of the tables, None for an empty database.

    Raises CatalogueError if it is unknown, or if the database cannot hold all text. A new file of
    SQLite is readable by its owner only, as are those that SQLite puts beside it.
    """
    _make_private_file(catalogue)
    with _naming_errors("cannot be opened"), catalogue.engine.connect() as connection:
        _require_unicode(connection)
        if not inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    known = list_revisions()
    if revision not in (None, *known):
        raise CatalogueError(
            f"A newer vocparty made this catalogue (version {revision}; this program knows "
            f"versions up to {known[-1]}). Use that vocparty, or make a new party."
        )
    return revision


def _require_unicode(connection: Connection) -> None:
    """Raise CatalogueError for a database of PostgreSQL that cannot hold each name and comment."""
    if connection.dialect.name != "postgresql":
        return
    driver: Any = connection.connection.dbapi_connection
    encoding = driver.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise CatalogueError(
            f"The database has the encoding {encoding}, which cannot hold each name and comment. "
            "Make one with `createdb --template template0 --encoding UTF8 NAME`."
        )


def list_revisions() -> list[str]:
    """Every revision that this program knows, its own last; their files begin with the number."""
    return sorted(path.name[:4] for path in _FOLDER.glob("versions/[0-9]*.py"))


@contextmanager
def _naming_errors(fault: str) -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        if (disk := find_disk_fault(error)) is not None:
            raise CatalogueError(describe_fault(disk)) from error
        if is_damaged(error):
            raise CatalogueError(DAMAGED.format(reason=reason)) from error
        raise CatalogueError(f"The catalogue {fault}: {reason}.") from error
