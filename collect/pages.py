"""A page of a search's results, each result equally likely, whatever Flickr's total claims."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from .sampling import REACHABLE
from .searches import PER_PAGE

_LAST_PAGE = REACHABLE // PER_PAGE


class ShownPage(Protocol):
    """A page as it was shown."""

    @property
    def total(self) -> int:
        """How many results Flickr claims."""

    @property
    def returned(self) -> int:
        """How many records the page holds."""

    @property
    def ids(self) -> frozenset[str]:
        """Their ids."""

    @property
    def is_useful(self) -> bool:
        """Whether one of them may be chosen."""


P = TypeVar("P", bound=ShownPage)


class Pages(Generic[P]):
    """The pages of one search, asked for as they are needed.

    A place among the results is drawn below a bound that they are known not to pass, and again
    where there turns out to be none: so all places that exist are equally likely. A page that is
    empty, or that repeats one before it, lies beyond the end.
    """

    def __init__(self, first: P, ask: Callable[[int], P]) -> None:
        self._shown: dict[int, P] = {1: first}
        self._ask = ask

    def draw(self, rng: random.Random) -> P:
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

    def _get(self, number: int) -> P:
        if number not in self._shown:
            self._shown[number] = self._ask(number)
        return self._shown[number]


def _count_pages(places: int) -> range:
    return range(1, -(-places // PER_PAGE) + 1)
