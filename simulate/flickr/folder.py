"""Reading a folder of photographs: which files are pictures, how large, with which digest."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from pathlib import Path

from PIL import Image
from PIL.ExifTags import Base

from catalog.errors import SettingsError

from .invent import NO_ROW, make_photo
from .photos import PictureFile
from .search import Library
from .table import FILE_NAME, read_table

log = logging.getLogger(__name__)

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff"})
TURNED = frozenset({5, 6, 7, 8})


def read_library(folder: Path, *, seed: int = 0) -> Library:
    """The photographs of a folder and its sub-folders, as records.

    Raises SettingsError where the folder or its table is not as it should be. A file that is no
    picture is left out and logged.
    """
    if not folder.is_dir():
        raise SettingsError(f"There is no folder {folder}; name a folder of photographs.")
    rows = read_table(folder)
    files = list(_read_files(folder))
    if not files:
        raise SettingsError(f"{folder} holds no photograph that can be read (JPEG, PNG, GIF ...).")
    _check_all_listed_exist(folder, rows, files)
    photos = [make_photo(file, rows.get(file.name, NO_ROW), seed) for file in files]
    return Library(photos)


def _read_files(folder: Path) -> list[PictureFile]:
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    files = (_read_file(path, path.relative_to(folder).as_posix()) for path in paths)
    return [file for file in files if file is not None]


def _read_file(path: Path, name: str) -> PictureFile | None:
    try:
        content = path.read_bytes()
        with Image.open(path) as image:
            width_px, height_px = image.size
            is_turned = image.getexif().get(Base.Orientation) in TURNED
    except (OSError, Image.DecompressionBombError, ValueError) as error:
        log.warning("%s is left out: it cannot be read as a picture (%s)", path, error)
        return None
    if is_turned:
        width_px, height_px = height_px, width_px
    digest = hashlib.sha256(content).hexdigest()
    return PictureFile(path, name, digest, width_px, height_px)


def _check_all_listed_exist(folder: Path, rows: Iterable[str], files: list[PictureFile]) -> None:
    missing = sorted(set(rows) - {file.name for file in files})
    if missing:
        raise SettingsError(
            f"{folder / FILE_NAME} lists {missing[0]!r}, which is not a photograph in the folder."
        )
