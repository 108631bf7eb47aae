"""A photograph on the disk and the record that Flickr keeps of it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
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
    real_name: str = ""
    path_alias: str | None = None


@dataclass(frozen=True)
class Place:
    """Where a photograph was taken, in degrees."""

    latitude: float
    longitude: float


@dataclass(frozen=True)
class Taken:
    """When it was taken by the owner's clock; granularity 0 second, 4 month, 6 year, 8 circa."""

    at: str
    granularity: int = 0
    is_unknown: bool = False


@dataclass(frozen=True)
class PictureFile:
    """A file of the folder; width and height are those of the upright picture."""

    path: Path
    name: str
    sha256: str
    width_px: int
    height_px: int
    extension: str

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
    updated_secs: int
    views: int
    place: Place | None = None
    content_type: ContentType = ContentType.PHOTO
    safety_level: int = 1
    is_original_hidden: bool = False
    availability: Availability = Availability.PUBLIC
    is_copy: bool = False

    @cached_property
    def secret(self) -> str:
        """The secret in the addresses of all sizes but the original."""
        return make_secret(self.id, "sizes")

    @cached_property
    def original_secret(self) -> str:
        """The secret in the address of the original alone."""
        return make_secret(self.id, "original")

    @property
    def server(self) -> str:
        """The server in the addresses; 65535 since 2020, a number of four digits before."""
        return "65535" if self.uploaded_secs >= 1_577_836_800 else str(1000 + self.id % 7000)

    @property
    def farm(self) -> int:
        """The farm, which newer addresses no longer show."""
        return 66 if self.server == "65535" else 1 + self.id % 9

    @property
    def normalised_tags(self) -> tuple[str, ...]:
        """The tags as search returns them."""
        return tuple(tag for tag in map(normalise_tag, self.tags) if tag)


def make_secret(photo_id: int, purpose: str) -> str:
    """Ten hexadecimal digits that belong to a photo."""
    return hashlib.blake2b(f"{photo_id} {purpose}".encode(), digest_size=5).hexdigest()


@lru_cache(maxsize=4096)
def normalise_tag(raw: str) -> str:
    """A tag without case, spaces and punctuation, as Flickr stores it beside the raw one."""
    return re.sub(r"[\W_]+", "", raw.casefold())
