"""What a search asks for and gives: photos of one shape, whatever the source, and their licences.

Source of the licences: flickr.photos.licenses.getInfo as recorded in June 2025.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from vockit.errors import SettingsError

from .errors import clean_text

if TYPE_CHECKING:
    from .strata import Window

_KIND = re.compile(r"creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)")


@dataclass(frozen=True)
class Licence:
    """What an owner allows; `url` is empty where there is no page that says it."""

    id: str
    name: str
    url: str

    @property
    def kind(self) -> str:
        """What all its versions share, such as "by-sa"; the URL itself where it is not CC's."""
        match = _KIND.search(self.url)
        return match[1] if match else self.url


def get_licences(ids: Iterable[str]) -> dict[str, Licence]:
    """The licences of these ids; raises SettingsError for an id that Flickr does not have."""
    wanted = tuple(ids)
    unknown = [licence_id for licence_id in wanted if licence_id not in LICENCES]
    if unknown or not wanted:
        known = ", ".join(f"{licence.id} ({licence.name})" for licence in LICENCES.values())
        raise SettingsError(
            f"collect.licences = {list(wanted)} is wrong: expected some of Flickr's ids: {known}."
        )
    return {licence_id: LICENCES[licence_id] for licence_id in wanted}


def is_kept(licence: Licence, kept: Mapping[str, Licence]) -> bool:
    """Whether the licence is one of those; one that Flickr does not have counts by its kind."""
    if licence.id in LICENCES:
        return licence.id in kept
    return licence.kind in {allowed.kind for allowed in kept.values()} - {""}


def _commons(licence_id: int, kind: str, version: str) -> Licence:
    url = f"https://creativecommons.org/licenses/{kind}/{version}/"
    return Licence(str(licence_id), f"CC {kind.upper()} {version}", url)


_CC = "https://creativecommons.org/publicdomain"
_OF_2_0 = ("by-nc-sa", "by-nc", "by-nc-nd", "by", "by-sa", "by-nd")
_OF_4_0 = ("by", "by-sa", "by-nd", "by-nc", "by-nc-sa", "by-nc-nd")
_ALL = (
    Licence("0", "All Rights Reserved", ""),
    *(_commons(number, kind, "2.0") for number, kind in enumerate(_OF_2_0, start=1)),
    Licence("7", "No known copyright restrictions", "https://www.flickr.com/commons/usage/"),
    Licence("8", "United States Government Work", "https://www.usa.gov/government-copyright"),
    Licence("9", "Public Domain Dedication (CC0)", f"{_CC}/zero/1.0/"),
    Licence("10", "Public Domain Mark", f"{_CC}/mark/1.0/"),
    *(_commons(number, kind, "4.0") for number, kind in enumerate(_OF_4_0, start=11)),
)
LICENCES: dict[str, Licence] = {licence.id: licence for licence in _ALL}


@dataclass(frozen=True)
class Question:
    """What one call of a search asks for: a page of what a keyword has in a window of dates."""

    keyword: str
    window: Window | None = None
    page: int = 1
    dates: Literal["upload", "taken", "none"] = "upload"
    licence_ids: tuple[str, ...] = ()
    longest_side_px: int = 500


@dataclass(frozen=True)
class FoundPhoto:
    """What a search says of one photograph."""

    source_id: str
    owner_id: str
    owner_name: str
    title: str
    tags: str
    licence: Licence | None
    taken_at_text: str | None
    taken_at_unknown: bool
    uploaded_at: datetime | None
    image_url: str | None
    promised_width: int | None
    promised_height: int | None
    page_url: str
    place: str | None = None  # "48.1 11.6", degrees north and east
    second_url: str | None = None  # of a copy of its picture
    unfit: str = ""  # why the source's own record says that it is no photograph to take

    def find_date(self, *, is_by_taken: bool) -> datetime | None:
        """The upload, or when it was taken as the camera says, written as if in UTC."""
        if not is_by_taken:
            return self.uploaded_at
        try:
            return datetime.fromisoformat(self.taken_at_text or "").replace(tzinfo=UTC)
        except ValueError:
            return None


@dataclass(frozen=True)
class Results:
    """One page of a search: how many matches the source claims, and the photos that can be read.

    `unreadable` records of those that were returned have no id, or no owner, as the source's are.
    """

    total: int
    photos: tuple[FoundPhoto, ...]
    returned: int
    unreadable: int = 0


def read_place(latitude: object, longitude: object) -> str | None:
    """Both degrees rounded to a tenth, about 11 km; None for no place (Flickr gives 0, 0)."""
    try:
        north, east = (float(str(degrees)[:30]) for degrees in (latitude, longitude))
    except ValueError:
        return None
    if (north, east) == (0, 0) or not (abs(north) <= 90 and abs(east) <= 180):
        return None
    return f"{north:.1f} {east:.1f}"


def parse_whole(value: object, most: int = 10**9) -> int | None:
    """The whole number from 0 to `most` that a number or its digits stand for, or None."""
    if type(value) is int:
        return value if 0 <= value <= most else None
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) and value.is_integer() else None
    text = clean_text(value, 30)
    if not text.isascii() or not text.isdigit() or int(text) > most:
        return None
    return int(text)
