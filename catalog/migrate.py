"""Bring a catalogue to the tables of this program, by Alembic."""

from __future__ import annotations

import functools
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import SQLAlchemyError

from .errors import CatalogueError
from .session import Catalogue

_FOLDER = Path(__file__).parent / "migrations"


def upgrade_catalogue(catalogue: Catalogue, revision: str = "head") -> None:
    """Create or change the tables up to a revision, in one transaction.

    Raises CatalogueError where the database cannot be reached or refuses.
    """
    try:
        with catalogue.engine.begin() as connection:
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, revision)
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise CatalogueError(f"The catalogue cannot be set up: {reason}.") from error


def require_current(catalogue: Catalogue) -> None:
    """Raise CatalogueError unless the catalogue's tables are those of this program."""
    found, expected = current_revision(catalogue), newest_revision()
    if found != expected:
        raise CatalogueError(
            f"The catalogue is at version {found or 'none'}, this program expects {expected}; "
            "run `vocparty init DIR` on its folder to bring it up."
        )


def current_revision(catalogue: Catalogue) -> str | None:
    """The revision that the catalogue's tables are at, or None for an empty database."""
    try:
        with catalogue.engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise CatalogueError(f"The catalogue cannot be opened: {reason}.") from error


@functools.cache
def newest_revision() -> str | None:
    """The revision that this program's tables are at."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config
