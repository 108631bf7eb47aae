"""Reading a folder of photographs: which files are pictures, how large, with which digest."""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

from PIL import Image
from PIL.ExifTags import Base

from catalog.errors import SettingsError

from .invent import make_photo
from .photos import PictureFile
from .search import Library
from .table import FILE_NAME, read_table

log = logging.getLogger(__name__)

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff"})


def read_library(folder: Path, *, seed: int = 0) -> Library:
    """The photographs of a folder and its sub-folders, as records.

    Raises SettingsError where the folder or its table is not as it should be. A file that is no
    picture is left out and logged.
    """
    if not folder.is_dir():
        raise SettingsError(f"There is no folder {folder}; name a folder of photographs.")
    rows = read_table(folder)
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    read = (_read_file(path, path.relative_to(folder).as_posix()) for path in paths)
    files = [file for file in read if file is not None]
    if not files:
        raise SettingsError(f"{folder} holds no photograph that can be read (JPEG, PNG, GIF ...).")
    missing = sorted(set(rows) - {file.name for file in files})
    if missing:
        raise SettingsError(
            f"{folder / FILE_NAME} lists {missing[0]!r}, which is not a photograph in the folder."
        )
    return Library(make_photo(file, rows.get(file.name, {}), seed) for file in files)


def _read_file(path: Path, name: str) -> PictureFile | None:
    try:
        content = path.read_bytes()
        with Image.open(path) as image:
            width_px, height_px = image.size
            is_turned = image.getexif().get(Base.Orientation) in (5, 6, 7, 8)
    except (OSError, Image.DecompressionBombError, ValueError) as error:
        log.warning("%s is left out: it cannot be read as a picture (%s)", path, error)
        return None
    if is_turned:
        width_px, height_px = height_px, width_px
    return PictureFile(path, name, hashlib.sha256(content).hexdigest(), width_px, height_px)
