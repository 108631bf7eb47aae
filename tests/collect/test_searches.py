"""Searches of Flickr: what is sent, and pages on which each result is equally likely."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect.sampling import REACHABLE, Window
from collect.searches import PER_PAGE, Pages, choose_sizes, search_arguments

MARCH = Window(datetime(2007, 3, 1, tzinfo=UTC), datetime(2007, 4, 1, tzinfo=UTC))


def test_upload_dates_go_as_unix_times_with_both_ends_inside() -> None:
    arguments = search_arguments("cat", ["4", "11"], dates="upload", window=MARCH, page=3)
    assert arguments["min_upload_date"] == "1172707200"
    assert arguments["max_upload_date"] == "1175385599"
    assert arguments["text"] == "cat"
    assert arguments["license"] == "4,11"
    assert (arguments["page"], arguments["per_page"]) == ("3", "500")


def test_taken_dates_go_as_local_times_and_are_not_converted() -> None:
    arguments = search_arguments("cat", ["4"], dates="taken", window=MARCH, page=1)
    assert arguments["min_taken_date"] == "2007-03-01 00:00:00"
    assert arguments["max_taken_date"] == "2007-03-31 23:59:59"
    assert "min_upload_date" not in arguments


def test_without_a_window_a_search_names_no_date() -> None:
    arguments = search_arguments("cat", ["4"], dates="none", window=None, page=1)
    assert not [name for name in arguments if name.endswith("_date")]


def test_the_extras_bring_everything_so_that_no_photo_needs_a_call_of_its_own() -> None:
    extras = search_arguments("cat", ["4"], dates="none", window=None, page=1)["extras"].split(",")
    expected = {"license", "owner_name", "date_taken", "date_upload", "tags", "url_m", "url_l"}
    assert expected <= set(extras)
    assert "url_o" not in extras


@pytest.mark.parametrize(
    ("longest_side_px", "expected"),
    [(200, "snm"), (500, "snmzc"), (501, "snmzcl"), (1024, "snmzclhk"), (9999, "snmzclhk")],
)
def test_sizes_that_are_never_the_one_to_download_are_not_asked_for(
    longest_side_px: int, expected: str
) -> None:
    sizes = choose_sizes(longest_side_px)
    assert "".join(sizes) == expected
    asked = search_arguments("cat", ["4"], dates="none", window=None, page=1, sizes=sizes)
    assert [one for one in asked["extras"].split(",") if one.startswith("url_")] == [
        f"url_{size}" for size in sizes
    ]


@dataclass(frozen=True)
class Shown:
    """A page of a search that has `ids`, and a total that it claims."""

    number: int
    total: int
    ids: frozenset[str]
    is_useful: bool = True

    @property
    def returned(self) -> int:
        return len(self.ids)


@cache
def list_ids(first: int, end: int) -> frozenset[str]:
    return frozenset(map(str, range(first, end)))


class Search:
    """So many results, a claim, and beyond the end nothing, the last page or the first."""

    def __init__(
        self,
        results: int,
        claimed: int,
        beyond: str = "empty",
        useless: frozenset[int] = frozenset(),
    ) -> None:
        self.results, self.claimed = results, claimed
        self.beyond, self.useless = beyond, useless
        self.asked: list[int] = []

    def ask(self, number: int) -> Shown:
        self.asked.append(number)
        last = max(1, math.ceil(self.results / PER_PAGE))
        shown = number
        if number > last and self.beyond == "the last page":
            shown = last
        elif number > last and self.beyond == "the first page":
            shown = 1
        ids = list_ids((shown - 1) * PER_PAGE, min(shown * PER_PAGE, self.results))
        return Shown(number, max(self.claimed, len(ids)), ids, number not in self.useless)

    def draw(self, rng: random.Random) -> Shown:
        page: Shown = cast(Any, Pages)(self.ask(1), self.ask).draw(rng)
        return page


BEYOND = ("empty", "the last page", "the first page")


@pytest.mark.parametrize("beyond", BEYOND)
@pytest.mark.parametrize(
    ("results", "claimed"),
    [
        *((1100, claimed) for claimed in (1100, 990, 501, 1, 1600, 2990, 10**6)),
        *((1000, 900), (2600, 990), (550, 495), (550, 1100), (3999, 100), (20_000, 2900)),
    ],
)
def test_every_result_is_equally_likely_whatever_the_total_claims(
    results: int, claimed: int, beyond: str
) -> None:
    rng = random.Random(f"{results} {claimed} {beyond}")
    draws, there = 2000, min(results, REACHABLE)
    pages = range(1, math.ceil(there / PER_PAGE) + 1)
    place_of = {Search(results, 0).ask(number).ids: number for number in pages}
    drawn: Counter[int] = Counter()
    for _ in range(draws):
        page = Search(results, claimed, beyond).draw(rng)
        drawn[place_of[page.ids]] += 1
    for number in pages:
        share = min(PER_PAGE, there - (number - 1) * PER_PAGE) / there
        spread = math.sqrt(draws * share * (1 - share))
        assert drawn[number] == pytest.approx(draws * share, abs=4 * spread)


@given(
    results=st.integers(0, 5000),
    claimed=st.integers(0, 10**6),
    beyond=st.sampled_from(BEYOND),
    useless=st.frozensets(st.integers(1, 8)),
    rng=st.randoms(use_true_random=False),
)
def test_a_drawn_page_is_asked_for_once_and_holds_results_within_reach(
    results: int, claimed: int, beyond: str, useless: frozenset[int], rng: random.Random
) -> None:
    search = Search(results, claimed, beyond, useless)
    page = search.draw(rng)
    assert len(set(search.asked)) == len(search.asked)
    assert max(search.asked) <= REACHABLE // PER_PAGE
    assert page.number <= max(1, math.ceil(results / PER_PAGE))
    has_useful = any(n not in useless for n in range(1, min(8, math.ceil(results / PER_PAGE)) + 1))
    assert page.is_useful is has_useful or not results


def test_a_page_of_which_nothing_may_be_chosen_gives_its_turn_to_every_other() -> None:
    rng = random.Random(1)
    drawn = Counter(
        Search(2000, 2000, useless=frozenset({4})).draw(rng).number for _ in range(1500)
    )
    assert set(drawn) == {1, 2, 3}
    assert min(drawn.values()) > 400


@pytest.mark.parametrize(
    ("results", "claimed", "most"), [(0, 0, 1), (499, 499, 1), (900, 900, 2), (2600, 2600, 3)]
)
def test_a_total_that_is_right_costs_few_calls(results: int, claimed: int, most: int) -> None:
    rng = random.Random(1)
    counts = []
    for _ in range(200):
        search = Search(results, claimed)
        search.draw(rng)
        counts.append(len(search.asked))
    assert max(counts) <= most + 1
    assert sum(counts) / len(counts) <= most
