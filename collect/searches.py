"""The arguments of flickr.photos.search (https://www.flickr.com/services/api/)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import cache
from typing import Literal

from .windows import Window

PER_PAGE = 500
_LONGEST_SIDE_PX = {
    "s": 240,
    "n": 320,
    "m": 500,
    "z": 640,
    "c": 800,
    "l": 1024,
    "h": 1600,
    "k": 2048,
}
SIZES = tuple(_LONGEST_SIDE_PX)
"""Suffixes of the url_* extras; in them `m` is 500, the size of VOC. The original is left out: it
may be a PNG and its owner may withhold it."""
_REACHING = 3
"""Flickr added some sizes later, and a record may lack one or the other."""

_EXTRAS = ("content_type", "date_taken", "date_upload", "license", "media", "owner_name", "tags")

Dates = Literal["upload", "taken", "none"]


@cache
def list_sizes(longest_side_px: int) -> tuple[str, ...]:
    """All sizes: those that reach it from the smallest up, then the others."""
    reaching = [name for name in SIZES if _LONGEST_SIDE_PX[name] >= longest_side_px]
    return (*reaching, *(name for name in reversed(SIZES) if name not in reaching))


@cache
def choose_sizes(longest_side_px: int) -> tuple[str, ...]:
    """The sizes that may be the one to download: all smaller ones, and the first that reach it.

    Each takes a tenth of a reply.
    """
    reaching = [name for name, side_px in _LONGEST_SIDE_PX.items() if side_px >= longest_side_px]
    return tuple(name for name in SIZES if name not in reaching[_REACHING:])


def search_arguments(
    keyword: str,
    licence_ids: Iterable[str],
    *,
    dates: Dates,
    window: Window | None,
    page: int,
    sizes: Sequence[str] = SIZES,
) -> dict[str, str]:
    """What is sent for one page of one search; without a window it has no dates."""
    arguments = {
        "text": keyword,
        "media": "photos",
        "safe_search": "1",
        "sort": "date-posted-desc",
        "license": ",".join(licence_ids),
        "extras": ",".join([*_EXTRAS, *(f"url_{size}" for size in sizes)]),
        "per_page": str(PER_PAGE),
        "page": str(page),
    }
    return arguments if window is None else arguments | _date_arguments(dates, window)


def _date_arguments(dates: Dates, window: Window) -> dict[str, str]:
    """Flickr's dates include both ends; taken dates are the owner's local time, as they stand."""
    first, last = window.start, window.end - timedelta(seconds=1)
    if dates == "taken":
        return {
            "min_taken_date": f"{first:%Y-%m-%d %H:%M:%S}",
            "max_taken_date": f"{last:%Y-%m-%d %H:%M:%S}",
        }
    return {
        "min_upload_date": str(int(first.timestamp())),
        "max_upload_date": str(int(last.timestamp())),
    }
