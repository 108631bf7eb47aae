"""Searches of Flickr (flickr.photos.search): arguments, pages, and how narrow a window must be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from .results import SIZES, FoundPhoto
from .sampling import Window

PER_PAGE = 500
REACHABLE = 4000
"""Flickr gives at most this many results of one search, whatever it claims."""
_AIMED_AT = PER_PAGE / 2

_EXTRAS = ("content_type", "date_taken", "date_upload", "license", "media", "owner_name", "tags")

Dates = Literal["upload", "taken", "none"]


def search_arguments(
    keyword: str,
    licence_ids: Iterable[str],
    *,
    dates: Dates,
    window: Window | None,
    page: int,
) -> dict[str, str]:
    """What is sent for one page of one search; without a window it has no dates."""
    arguments = {
        "text": keyword,
        "media": "photos",
        "safe_search": "1",
        "sort": "date-posted-desc",
        "license": ",".join(licence_ids),
        "extras": ",".join([*_EXTRAS, *(f"url_{size}" for size in SIZES)]),
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


@dataclass(frozen=True)
class SearchedPage:
    """One page of a search: how many matches Flickr claims, and its photos that may be chosen.

    Fresh are those that are wanted, have no row and whose owner has room left.
    """

    window: Window | None
    page: int
    total: int
    returned: int
    fresh: tuple[FoundPhoto, ...]

    @property
    def is_whole(self) -> bool:
        """Whether it shows all that the search has: a full page hides more, whatever is claimed."""
        return self.total <= PER_PAGE and self.returned < PER_PAGE


def next_level(pages: Mapping[int, SearchedPage], start: int, deepest: int) -> int | None:
    """The level to search next, given the pages of those that were searched; None to stop.

    Stops at a page that is whole and has something fresh, or where no level is left between one
    that is not whole and one that has nothing.
    """
    if not pages:
        return min(start, deepest)
    if any(page.is_whole and page.fresh for page in pages.values()):
        return None
    full = max((level for level, page in pages.items() if not page.is_whole), default=None)
    empty = min((level for level, page in pages.items() if page.is_whole), default=None)
    if full is None:
        return max(0, empty - 2) if empty else None
    if empty is None:
        halvings = math.ceil(math.log2(max(PER_PAGE, pages[full].total) / _AIMED_AT))
        return min(deepest, full + halvings) if full < deepest else None
    return None if empty - full <= 1 else (full + empty) // 2


def best_level(pages: Mapping[int, SearchedPage]) -> int:
    """The deepest searched level with something fresh, else the widest."""
    return max((level for level, page in pages.items() if page.fresh), default=min(pages))
