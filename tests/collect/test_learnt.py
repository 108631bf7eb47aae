"""What searches taught: where a later run begins to look."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.party import Party
from collect.learnt import REMEMBERED, Known, Learnt, count_matches, informed_level
from collect.looks import Look
from collect.queries import load_keywords, seed_queries
from collect.search_rows import insert_searches
from collect.windows import SPLIT_ABOVE, Window

START = datetime(2005, 1, 1, tzinfo=UTC)
SPAN = Window(START, START + timedelta(days=1024))


def days(first: int, last: int) -> Window:
    return Window(START + timedelta(days=first), START + timedelta(days=last))


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ([], 5),
        ([Known(days(0, 32), 100)], 5),
        ([Known(days(0, 32), 4 * SPLIT_ABOVE)], 7),
        ([Known(days(512, 544), 4 * SPLIT_ABOVE)], 7),  # elsewhere, but nothing nearer is known
        ([Known(days(512, 544), 4 * SPLIT_ABOVE), Known(days(32, 64), 9)], 5),
        ([Known(days(0, 32), 4 * SPLIT_ABOVE), Known(days(8, 16), 1)], 5),  # the narrower one holds
        ([Known(days(0, 1024), 2)], 1),  # two in all: one expected in a half
        ([Known(days(0, 64), 0)], 3),  # empty: twice as wide
        ([Known(days(0, 1024), 0)], 0),
        ([Known(days(512, 1024), 0)], 5),
        ([Known(days(0, 1), 10**9)], 12),
    ],
)
def test_the_first_window_is_neither_known_to_be_too_full_nor_empty(
    known: list[Known], expected: int
) -> None:
    moment = START + timedelta(days=10)
    assert informed_level(known, moment, SPAN, first=5, deepest=12) == expected


def test_the_newest_windows_are_remembered(party: Party) -> None:
    learnt = Learnt(party.catalogue, "upload", "1")
    windows = [Known(days(number, number + 1), number) for number in range(REMEMBERED + 7)]
    learnt.add(1, windows[:REMEMBERED])
    learnt.add(1, windows[REMEMBERED:])
    assert learnt.load(1) == tuple(windows[7:])


@given(
    st.lists(
        st.builds(
            lambda start, length, matches: Known(days(start, start + length), matches),
            st.integers(0, 1000),
            st.integers(1, 24),
            st.integers(0, 10**9),
        ),
        max_size=20,
    ),
    st.integers(0, 1023),
)
def test_whatever_is_known_the_level_is_one_there_is(known: list[Known], day: int) -> None:
    moment = START + timedelta(days=day)
    assert 0 <= informed_level(known, moment, SPAN, first=5, deepest=12) <= 12


@pytest.mark.parametrize(
    ("page", "total", "fresh", "expected"),
    [(1, 20, 0, 0), (1, 20, 3, 20), (1, 501, 0, 501), (2, 20, 0, 20)],
)
def test_a_page_that_shows_all_and_nothing_new_counts_as_empty(
    page: int, total: int, fresh: int, expected: int
) -> None:
    assert count_matches(page, total, fresh) == expected


def test_a_second_run_knows_the_windows_of_the_first(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        seed_queries(session, {"cat": ["tabby", "mew"]})
        queries = load_keywords(session, {"cat": ["tabby", "mew"]})["cat"]
        looks = [
            Look(days(0, 32), ("4", "5"), 1, 7000, 500, ()),
            Look(days(0, 32), ("4", "5"), 3, 7000, 500, ()),
            Look(days(0, 32), ("4",), 1, 3500, 500, ()),
            Look(days(32, 64), ("4", "5"), 1, 12, 12, ()),
            Look(None, ("4", "5"), 1, 12, 12, ()),
        ]
        insert_searches(session, queries[0].query_id, "upload", looks, START)
    catalogue = any_party.catalogue
    learnt = Learnt(catalogue, "upload", "4,5")
    assert learnt.load(queries[0].query_id) == (Known(days(0, 32), 7000), Known(days(32, 64), 0))
    assert learnt.load(queries[1].query_id) == ()
    assert Learnt(catalogue, "taken", "4,5").load(queries[0].query_id) == ()
    learnt.add(queries[1].query_id, [Known(days(0, 2), 5)])
    assert learnt.load(queries[1].query_id) == (Known(days(0, 2), 5),)
