"""The folder of a challenge: challenge.toml, the sealed truth, the public lists, the uploads."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass as plain_dataclass
from dataclasses import field
from pathlib import Path
from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from sqlalchemy import make_url

from catalog.errors import CatalogueError
from catalog.session import Catalogue, open_catalogue
from catalog.validation import Line, describe_first_error, parse_toml, read_text
from vockit.errors import SettingsError

from .database import require_current

FILE_NAME = "challenge.toml"
DATABASE_FILE = "challenge.db"
UPLOADS = "uploads"
EVIDENCE = "evidence"
LISTS = "lists"
TRUTHS = "truths"
OWN_IMAGES = "own-images"
TEMPORARY = "tmp"
_strict = ConfigDict(extra="forbid")
_Count = Annotated[int, Field(gt=0, strict=True)]


@dataclass(frozen=True, config=_strict)
class LimitSettings:
    """What one upload and one scoring may use."""

    upload_bytes: _Count = 1_000_000_000
    unpacked_bytes: _Count = 4_000_000_000
    members: _Count = 100_000
    check_secs: _Count = 60
    scoring_secs: _Count = 900
    memory_bytes: _Count = 4 * 1024**3
    least_free_bytes: _Count = 2_000_000_000
    upload_hours: _Count = 24


@dataclass(frozen=True, config=_strict)
class ChallengeSettings:
    """All of challenge.toml. `database` may be relative to the challenge's folder."""

    name: Line
    database: str = f"sqlite:///{DATABASE_FILE}"
    contact: str = ""
    url: str = ""
    limits: LimitSettings = field(default_factory=LimitSettings)


@plain_dataclass(frozen=True)
class Challenge:
    """An open challenge: its folder, its settings, its database."""

    folder: Path
    settings: ChallengeSettings
    catalogue: Catalogue

    def truth_folder(self, number: str) -> Path:
        """The sealed labels of an edition, by the number of its truth."""
        return self.folder / TRUTHS / number

    def list_folder(self, number: str) -> Path:
        """What participants have of the same release: its lists, and no label of the test set."""
        return self.folder / LISTS / number

    @property
    def temporary(self) -> Path:
        """What child processes unpack, each into a folder that is gone with it."""
        return self.folder / TEMPORARY

    def upload_path(self, submission_id: int) -> Path:
        """Where the file of a submission is; while it is uploaded its name ends in .part."""
        return self.folder / UPLOADS / str(submission_id)

    def evidence_path(self, submission_id: int, edition_id: int) -> Path:
        """Where the replicates of a scoring are, from which methods are compared."""
        return self.folder / EVIDENCE / f"{submission_id}-{edition_id}.npz"


def find_challenge_folder(start: Path) -> Path:
    """The folder of the challenge in `start` or above it; raises SettingsError without one."""
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise SettingsError(
        f"{start} is in no challenge: there is no {FILE_NAME}. Name one with --challenge, or make "
        "one with `vocparty challenge init DIR --truth RELEASE`."
    )


def read_settings(folder: Path) -> ChallengeSettings:
    """The settings in the folder's file; raises SettingsError for the first mistake."""
    path = folder / FILE_NAME
    try:
        return TypeAdapter(ChallengeSettings).validate_python(
            parse_toml(read_text(path), str(path))
        )
    except ValidationError as error:
        raise SettingsError(f"{path}: {describe_first_error(error, ChallengeSettings)}") from error


@contextmanager
def open_challenge(folder: Path, *, is_new: bool = False) -> Iterator[Challenge]:
    """The challenge in the folder; raises SettingsError and CatalogueError.

    Unless it `is_new`, its database has to have the tables of this program.
    """
    settings = read_settings(folder)
    catalogue = open_catalogue(_find_url(folder, settings))
    try:
        if not is_new:
            require_current(catalogue)
        yield Challenge(folder, settings, catalogue)
    finally:
        catalogue.close()


def _find_url(folder: Path, settings: ChallengeSettings) -> str:
    """The URL of the database; a file of SQLite is made private before anything is in it."""
    url = make_url(settings.database)
    if url.get_backend_name() != "sqlite":
        return settings.database
    file = folder / (url.database or DATABASE_FILE)
    if not file.parent.is_dir():
        raise CatalogueError(f"{file.parent}, the folder of the challenge's database, is not here.")
    if not file.exists():
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
    return f"sqlite:///{file.absolute()}"
