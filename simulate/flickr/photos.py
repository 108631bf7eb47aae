"""A photograph, Flickr's record of it, its sizes (flickr.com/services/api/misc.urls.html)."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path


class Availability(StrEnum):
    """What the photo page of a record would show; search lists all of them for a while."""

    PUBLIC = "public"
    DELETED = "deleted"
    PRIVATE = "private"


class ContentType(StrEnum):
    """What kind of picture the owner says it is, as in the argument `content_type`."""

    PHOTO = "1"
    SCREENSHOT = "2"
    OTHER = "3"


@dataclass(frozen=True)
class Owner:
    """A Flickr member."""

    nsid: str
    username: str


@dataclass(frozen=True)
class Taken:
    """When it was taken by the owner's clock."""

    at: str
    is_unknown: bool = False


@dataclass(frozen=True)
class PictureFile:
    """A file of the folder; width and height are those of the upright picture."""

    path: Path
    name: str
    sha256: str
    width_px: int
    height_px: int

    @property
    def longest_side_px(self) -> int:
        """The larger of width and height."""
        return max(self.width_px, self.height_px)


@dataclass(frozen=True)
class Photo:
    """One record of Flickr's. Times are seconds since 1970, UTC."""

    id: int
    file: PictureFile
    title: str
    description: str
    tags: tuple[str, ...]
    owner: Owner
    licence_id: int
    uploaded_secs: int
    taken: Taken
    place: tuple[float, float] | None = None  # degrees north and east
    content_type: ContentType = ContentType.PHOTO
    availability: Availability = Availability.PUBLIC

    @cached_property
    def secret(self) -> str:
        """The ten hexadecimal digits in the photo's addresses."""
        return hashlib.blake2b(f"{self.id} sizes".encode(), digest_size=5).hexdigest()

    @property
    def server(self) -> str:
        """The server in the addresses; 65535 since 2020, a number of four digits before."""
        return "65535" if self.uploaded_secs >= 1_577_836_800 else str(1000 + self.id % 7000)

    @cached_property
    def normalised_tags(self) -> tuple[str, ...]:
        """The tags as search returns them: without case, spaces and punctuation."""
        tags = (re.sub(r"[\W_]+", "", raw.casefold()) for raw in self.tags)
        return tuple(tag for tag in tags if tag)


@dataclass(frozen=True)
class Size:
    """A size: `extra` in url_*, `suffix` in addresses; `side_px` bounds the longest side."""

    extra: str
    suffix: str
    side_px: int
    is_always_there: bool = False


SIZES: tuple[Size, ...] = (
    Size("t", "t", 100, is_always_there=True),
    Size("s", "m", 240, is_always_there=True),
    Size("n", "n", 320),
    Size("w", "w", 400),
    Size("m", "", 500, is_always_there=True),
    Size("z", "z", 640),
    Size("c", "c", 800),
    Size("l", "b", 1024),
)
BY_SUFFIX = {size.suffix: size for size in SIZES}


def exists(photo: Photo, size: Size) -> bool:
    """Whether a photo has this size: none is enlarged."""
    return size.is_always_there or photo.file.longest_side_px >= size.side_px


def measure(file: PictureFile, size: Size) -> tuple[int, int]:
    """Width and height of a size in pixels."""
    scale = min(1.0, size.side_px / file.longest_side_px)
    return max(1, round(file.width_px * scale)), max(1, round(file.height_px * scale))


def format_url(base_url: str, photo: Photo, size: Size) -> str:
    """The address of a size."""
    suffix = f"_{size.suffix}" if size.suffix else ""
    return f"{base_url}/{photo.server}/{photo.id}_{photo.secret}{suffix}.jpg"
