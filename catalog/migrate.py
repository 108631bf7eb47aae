"""Bring a catalogue to the tables of this program, by Alembic.

Every command asks whether the tables are right, few change them: Alembic, which takes a tenth of a
second to load, is loaded for the latter only.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text
from sqlalchemy.exc import SQLAlchemyError

from .errors import CatalogueError
from .session import Catalogue

if TYPE_CHECKING:
    from alembic.config import Config

_FOLDER = Path(__file__).parent / "migrations"
_TABLE = "alembic_version"  # Alembic's name for it


def upgrade_catalogue(catalogue: Catalogue, revision: str = "head") -> None:
    """Create or change the tables up to a revision, in one transaction.

    Raises CatalogueError where the database cannot be reached or refuses.
    """
    from alembic import command

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
            if not inspect(connection).has_table(_TABLE):
                return None
            found: str | None = connection.scalar(text(f"SELECT version_num FROM {_TABLE}"))  # noqa: S608
            return found
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise CatalogueError(f"The catalogue cannot be opened: {reason}.") from error


@functools.cache
def newest_revision() -> str | None:
    """The revision that this program's tables are at; files of revisions begin with its number."""
    return max((path.name[:4] for path in _FOLDER.glob("versions/[0-9]*.py")), default=None)


def _config() -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config
