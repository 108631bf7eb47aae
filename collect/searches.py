"""Searches of Flickr (flickr.photos.search): their arguments, and a page of a random result."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from .results import SIZES, FoundPhoto
from .sampling import REACHABLE, Window

PER_PAGE = 500
_REACHING = 3
"""Flickr added some sizes later, and a record may lack one or the other."""

_EXTRAS = ("content_type", "date_taken", "date_upload", "license", "media", "owner_name", "tags")

Dates = Literal["upload", "taken", "none"]


def choose_sizes(longest_side_px: int) -> tuple[str, ...]:
    """The sizes that may be the one to download: all smaller ones, and the first that reach it.

    Each takes a tenth of a reply.
    """
    reaching = [name for name, side_px in SIZES.items() if side_px >= longest_side_px]
    return tuple(name for name in SIZES if name not in reaching[_REACHING:])


def search_arguments(
    keyword: str,
    licence_ids: Iterable[str],
    *,
    dates: Dates,
    window: Window | None,
    page: int,
    sizes: Iterable[str] = tuple(SIZES),
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


_LAST_PAGE = REACHABLE // PER_PAGE


@dataclass(frozen=True)
class SearchedPage:
    """One page of a search: how many matches Flickr claims, and its photos that may be chosen.

    Fresh are those that are wanted, have no row and whose owner has room left.
    """

    window: Window | None
    licence_ids: tuple[str, ...]
    page: int
    total: int
    returned: int
    fresh: tuple[FoundPhoto, ...]
    ids: frozenset[str] = frozenset()

    @property
    def is_useful(self) -> bool:
        """Whether a photo may be chosen."""
        return bool(self.fresh)

    @property
    def matches(self) -> int:
        """The claimed matches; 0 where this page shows them all and none of them is fresh."""
        return count_matches(self.page, self.total, len(self.fresh))


def count_matches(page: int, total: int, fresh: int) -> int:
    """The claimed matches; 0 where this page shows them all and none of them is fresh."""
    shows_all = page == 1 and total < PER_PAGE  # a full page may have more behind it
    return 0 if shows_all and not fresh else total


class Pages:
    """The pages of one search, asked for as they are needed.

    A place among the results is drawn below a bound that they are known not to pass, and again
    where there turns out to be none: so all places that exist are equally likely. A page that is
    empty, or that repeats one before it, lies beyond the end.
    """

    def __init__(self, first: SearchedPage, ask: Callable[[int], SearchedPage]) -> None:
        self._shown: dict[int, SearchedPage] = {1: first}
        self._ask = ask

    def draw(self, rng: random.Random) -> SearchedPage:
        """The page of a result at random; the first where no page is useful."""
        first = self._shown[1]
        end = self._find_bound() if first.returned else 0
        useless: set[int] = set()
        while any(number not in useless for number in _count_pages(end)):
            place = rng.randrange(end)
            number = place // PER_PAGE + 1
            if number in useless:
                continue
            held = self._count_held(number)
            if place % PER_PAGE < held:
                held = self._confirm(number)
            if not held:
                end = (number - 1) * PER_PAGE
            elif not self._get(number).is_useful:
                useless.add(number)
            elif place % PER_PAGE < held:
                return self._get(number)
        return first

    def are_full(self) -> bool:
        """Whether all pages within reach are full, so that more may be hidden beyond them."""
        if self._shown[1].returned < PER_PAGE or self._find_bound() < REACHABLE:
            return False
        return self._count_held(_LAST_PAGE) == PER_PAGE

    def _find_bound(self) -> int:
        """A number that the results do not pass: asked beyond the claim while pages are full."""
        claimed = min(self._shown[1].total, REACHABLE)
        number, step = max(1, -(-claimed // PER_PAGE)), 1
        while number < _LAST_PAGE:
            held = self._count_held(number)
            if not held:
                return (number - 1) * PER_PAGE
            if held < PER_PAGE:
                return number * PER_PAGE
            number, step = min(_LAST_PAGE, number + step), 2 * step
        return REACHABLE

    def _confirm(self, number: int) -> int:
        """How many records the page shows once it cannot be the last page shown again.

        Flickr may show that for every page beyond it; so a short page is held against the one
        before it.
        """
        if self._get(number).returned < PER_PAGE and number > 1:
            self._get(number - 1)
        return self._count_held(number)

    def _count_held(self, number: int) -> int:
        """How many records the page shows; 0 where it is empty or repeats one before it."""
        page = self._get(number)
        before = [shown for one, shown in self._shown.items() if one < number]
        is_repeat = bool(page.ids) and any(page.ids <= shown.ids for shown in before)
        return 0 if is_repeat else page.returned

    def _get(self, number: int) -> SearchedPage:
        if number not in self._shown:
            self._shown[number] = self._ask(number)
        return self._shown[number]


def _count_pages(places: int) -> range:
    return range(1, -(-places // PER_PAGE) + 1)
