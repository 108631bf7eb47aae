"""Flickr's sizes: their letters, their sides, and the addresses under which they are served.

Source: flickr.com/services/api/misc.urls.html.
"""

from __future__ import annotations

from dataclasses import dataclass

from .photos import Photo, PictureFile


@dataclass(frozen=True)
class Size:
    """A size: `extra` in url_*, `suffix` in addresses; `side_px` bounds the longest side."""

    extra: str
    suffix: str
    label: str
    side_px: int
    is_square: bool = False
    is_always_there: bool = False


SIZES: tuple[Size, ...] = (
    Size("sq", "s", "Square", 75, is_square=True, is_always_there=True),
    Size("q", "q", "Large Square", 150, is_square=True, is_always_there=True),
    Size("t", "t", "Thumbnail", 100, is_always_there=True),
    Size("s", "m", "Small", 240, is_always_there=True),
    Size("n", "n", "Small 320", 320),
    Size("w", "w", "Small 400", 400),
    Size("m", "", "Medium", 500, is_always_there=True),
    Size("z", "z", "Medium 640", 640),
    Size("c", "c", "Medium 800", 800),
    Size("l", "b", "Large", 1024),
)
ORIGINAL = Size("o", "o", "Original", 0)
BY_SUFFIX = {size.suffix: size for size in (*SIZES, ORIGINAL)}


def find_sizes(photo: Photo) -> list[Size]:
    """The sizes that there are of a photo: never enlarged, the original only where shown."""
    sizes = [size for size in SIZES if exists(photo, size)]
    return sizes if photo.is_original_hidden else [*sizes, ORIGINAL]


def exists(photo: Photo, size: Size) -> bool:
    """Whether there is such a size of a photo."""
    if size is ORIGINAL:
        return not photo.is_original_hidden
    return size.is_always_there or photo.file.longest_side_px >= size.side_px


def measure(file: PictureFile, size: Size) -> tuple[int, int]:
    """Width and height of a size in pixels."""
    if size is ORIGINAL:
        return file.width_px, file.height_px
    if size.is_square:
        side = min(size.side_px, file.width_px, file.height_px)
        return side, side
    scale = min(1.0, size.side_px / file.longest_side_px)
    return max(1, round(file.width_px * scale)), max(1, round(file.height_px * scale))


def format_url(base_url: str, photo: Photo, size: Size) -> str:
    """The address of a size; the original has a secret and an extension of its own."""
    if size is ORIGINAL:
        name = f"{photo.id}_{photo.original_secret}_o.{photo.file.extension}"
    else:
        suffix = f"_{size.suffix}" if size.suffix else ""
        name = f"{photo.id}_{photo.secret}{suffix}.jpg"
    return f"{base_url}/{photo.server}/{name}"
