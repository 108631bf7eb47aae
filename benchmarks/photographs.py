"""Photographs of a folder as JPEG files, and a party that holds such files as collecting does."""

from __future__ import annotations

import io
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from PIL import Image as Picture

from catalog.party import Party
from catalog.states import ImageState
from tests.rows import make_image

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff"}
NOW = datetime(2026, 1, 31, tzinfo=UTC)
LONGEST_SIDE_PX = 500  # Flickr's medium size, which the paper took
ORIGINAL_QUALITY = 92


def read_photographs(folders: Iterable[Path], limit: int) -> dict[str, bytes]:
    """Read `limit` photographs of the folders in a mixed order."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
    paths = [path for path in paths if path.suffix.lower() in SUFFIXES]
    Random(0).shuffle(paths)
    photographs: dict[str, bytes] = {}
    for path in paths[:limit]:
        with Picture.open(path) as file:
            picture = file.convert("RGB")
        picture.thumbnail((LONGEST_SIDE_PX, LONGEST_SIDE_PX), Picture.Resampling.LANCZOS)
        photographs[path.stem] = save(picture)
    if not photographs:
        raise SystemExit("The folders hold no photographs.")
    return photographs


def save(picture: Picture.Image, quality: int = ORIGINAL_QUALITY) -> bytes:
    """The picture as a JPEG file."""
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=quality)
    return file.getvalue()


def open_rgb(data: bytes) -> Picture.Image:
    """The pixels of a file."""
    with Picture.open(io.BytesIO(data)) as file:
        return file.convert("RGB")


def add_files(party: Party, files: Iterable[bytes]) -> list[int]:
    """The ids of fetched images with these bytes in the party's store, no two of them alike."""
    images = []
    for data in files:
        width, height = open_rgb(data).size
        size = {"width": width, "height": height, "state": ImageState.FETCHED}
        images.append(make_image(party.store.put(data), NOW, **size))
    with party.catalogue.writing() as session:
        session.add_all(images)
        session.flush()
        return [image.id for image in images]
