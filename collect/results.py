"""What a search asks for and gives: photos of one shape, whatever the source."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from .errors import clean_text

if TYPE_CHECKING:
    from catalog.licences import Licence

    from .strata import Window


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
