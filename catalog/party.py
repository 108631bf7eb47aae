"""A party: a folder with party.toml, its catalogue and its image store."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from .errors import PartyNotFoundError, SettingsError
from .image_store import ImageStore, open_image_store
from .migrate import require_current
from .preset import Preset, load_preset
from .session import Catalogue, open_catalogue
from .settings import FILE_NAME, Settings, read_settings


@dataclass(frozen=True)
class Party:
    """Everything a stage needs, opened."""

    folder: Path
    settings: Settings
    preset: Preset
    catalogue: Catalogue
    store: ImageStore


def find_party_folder(start: Path) -> Path:
    """The nearest folder with a party.toml, from `start` upwards.

    Raises PartyNotFoundError where there is none.
    """
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise PartyNotFoundError(
        f"No {FILE_NAME} in {start} or above it; make a party with `vocparty init DIR`, "
        "or name one with --party DIR."
    )


@contextmanager
def open_party(folder: Path, *, is_new: bool = False) -> Iterator[Party]:
    """The party of a folder, its catalogue at this program's version; closed with the block.

    `is_new` leaves the version unchecked, for the one who is about to set the tables up.
    """
    folder = folder.resolve()
    if not (folder / FILE_NAME).is_file():
        raise PartyNotFoundError(f"{folder} holds no {FILE_NAME}; make one with `vocparty init`.")
    settings = read_settings(folder / FILE_NAME)
    catalogue = open_catalogue(catalogue_url(settings, folder))
    try:
        if not is_new:
            require_current(catalogue)
        yield Party(
            folder,
            settings,
            load_preset(settings.preset, folder),
            catalogue,
            open_image_store(settings.images, folder),
        )
    finally:
        catalogue.close()


def catalogue_url(settings: Settings, folder: Path) -> str:
    """The catalogue's URL, a relative SQLite file taken from the party's folder.

    Raises SettingsError where the setting is not a URL of SQLite or PostgreSQL.
    """
    allowed = "sqlite:///FILE or postgresql+psycopg://USER:PASSWORD@HOST/NAME"
    try:
        url = make_url(settings.catalogue)
        backend = url.get_backend_name()
    except (ArgumentError, NoSuchModuleError) as error:
        raise _wrong_catalogue(settings.catalogue, allowed) from error
    if backend == "postgresql":
        return settings.catalogue.replace(url.drivername, "postgresql+psycopg", 1)
    if backend != "sqlite" or not url.database or url.database == ":memory:":
        raise _wrong_catalogue(settings.catalogue, allowed)
    return f"sqlite:///{folder / url.database}"


def _wrong_catalogue(url: str, allowed: str) -> SettingsError:
    """The error that shows the setting, but no password."""
    shown = re.sub(r":[^:@/]*@", ":***@", url)
    return SettingsError(f"{FILE_NAME}: catalogue = {shown!r} is wrong: expected {allowed}.")
