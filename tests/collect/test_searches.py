"""Searches of Flickr: what is sent, and how narrow a window must be."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect.flickr import PER_PAGE, search_arguments
from collect.results import Question
from collect.searches import SearchedPage, best_level, next_level
from collect.strata import Window

from .test_caps import photo

MARCH = Window(datetime(2007, 3, 1, tzinfo=UTC), datetime(2007, 4, 1, tzinfo=UTC))


def test_upload_dates_go_as_unix_times_with_both_ends_inside() -> None:
    arguments = search_arguments(Question("cat", MARCH, 3, licence_ids=("4", "11")))
    assert arguments["min_upload_date"] == "1172707200"
    assert arguments["max_upload_date"] == "1175385599"
    assert arguments["text"] == "cat"
    assert arguments["license"] == "4,11"
    assert (arguments["page"], arguments["per_page"]) == ("3", "500")


def test_taken_dates_go_as_local_times_and_are_not_converted() -> None:
    arguments = search_arguments(Question("cat", MARCH, dates="taken"))
    assert arguments["min_taken_date"] == "2007-03-01 00:00:00"
    assert arguments["max_taken_date"] == "2007-03-31 23:59:59"
    assert "min_upload_date" not in arguments


def test_without_a_window_a_search_names_no_date() -> None:
    arguments = search_arguments(Question("cat", dates="none"))
    assert not [name for name in arguments if name.endswith("_date")]


def test_the_extras_bring_everything_so_that_no_photo_needs_a_call_of_its_own() -> None:
    extras = search_arguments(Question("cat"))["extras"].split(",")
    expected = {"license", "owner_name", "date_taken", "date_upload", "tags", "url_m", "url_l"}
    assert expected <= set(extras)
    assert "url_o" not in extras


def page(total: int, fresh: int = 0, returned: int | None = None) -> SearchedPage:
    photos = tuple(photo(number) for number in range(fresh))
    return SearchedPage(MARCH, 1, total, min(total, PER_PAGE) if returned is None else returned,
                        photos, PER_PAGE)  # fmt: skip


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ({}, 5),
        ({5: page(1, 1)}, None),
        ({5: page(499, 1)}, None),
        ({5: page(500, 1)}, 6),  # a full page may hide more
        ({5: page(300, 1, returned=500)}, 6),  # whatever is claimed
        ({5: page(4000, 1)}, 9),
        ({5: page(10**9, 1)}, 12),
        ({12: page(4000, 1)}, None),
        ({5: page(0)}, 3),
        ({5: page(0), 3: page(9), 1: page(9)}, 0),  # all that is there is known already
        ({0: page(0)}, None),
        ({5: page(9000), 9: page(0)}, 7),
        ({5: page(9000), 6: page(0)}, None),
        ({5: page(9000), 7: page(12, 1)}, None),
    ],
)
def test_the_next_level_follows_from_what_the_searched_ones_had(
    pages: dict[int, SearchedPage], expected: int | None
) -> None:
    assert next_level(pages, start=5, deepest=12) == expected


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=24), st.integers(0, 23))
def test_the_search_for_a_level_ends_soon_and_at_one_that_hides_nothing(
    counts: list[int], start: int
) -> None:
    nested = sorted(counts, reverse=True)
    deepest, pages = len(nested) - 1, dict[int, SearchedPage]()
    while (level := next_level(pages, start, deepest)) is not None:
        assert level not in pages
        pages[level] = page(nested[level], min(nested[level], 1))
    best = best_level(pages)
    assert len(pages) <= 14
    if nested[0]:
        assert pages[best].is_whole or best == deepest or nested[best + 1] == 0
