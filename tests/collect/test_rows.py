"""Rows of queries and of found photos, and the caps of owners, on both databases."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.licences import LICENCES, Licence, get_licences
from catalog.party import Party
from catalog.settings import CollectSettings
from catalog.states import PhotoState, Source
from catalog.tables import Photo
from collect import rows
from collect.results import FoundPhoto
from collect.strata import Window
from tests.rows import at_once, load_rows, reading, writing

from .rows import NOON, add_photos, load_query


def test_keywords_are_loaded_in_a_fixed_order_with_their_query_ids(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        words = {"dog": ["hound"], "cat": ["tabby", "feline"]}
        keywords = rows.load_keywords(session, words, any_party.preset.class_ids)
    assert list(keywords) == ["cat", "dog"]
    assert [keyword.text for keyword in keywords["cat"]] == ["feline", "tabby"]
    assert keywords["dog"][0].query_id == load_query(any_party, "dog", "hound").id


def seed_tabby(session: Session) -> int:
    """The id of the query for cats by the word tabby."""
    return rows.load_keywords(session, {"cat": ["tabby"]}, {"cat": "cat"})["cat"][0].query_id


def test_concurrent_draws_are_all_counted(any_party: Party) -> None:
    query_id = writing(any_party, seed_tabby)

    def count() -> None:
        for _ in range(10):
            writing(any_party, rows.count_draw, query_id, searches=2, matches=10**10)

    at_once(*[count] * 4)
    query = load_query(any_party, "cat", "tabby")
    assert (query.draws, query.searches, query.matches) == (40, 80, 40 * 10**10)
    assert reading(any_party, rows.load_draw_count) == 40


KEPT = get_licences(["4", "11"])
CC = "https://creativecommons.org/licenses"
WINDOW = Window(NOON - timedelta(days=30), NOON)
FOUND = FoundPhoto(
    source_id="49514824541",
    owner_id="71925535@N03",
    owner_name="Ann 'n' <b>",
    title="Čat 🐈 “quoted” \u202e",
    tags="cat tabby",
    licence=LICENCES["4"],
    taken_at_text="0000-00-00 00:00:00",
    taken_at_unknown=True,
    uploaded_at=NOON,
    image_url="https://live.staticflickr.com/1.jpg",
    promised_width=500,
    promised_height=375,
    page_url="https://www.flickr.com/photos/71925535@N03/49514824541",
)


def find(party: Party, photos: list[FoundPhoto], *, window: Window | None = WINDOW) -> int:
    with party.catalogue.writing() as session:
        finding = rows.Finding(seed_tabby(session), window, page=2, found_at=NOON)
        return rows.insert_found(session, photos, finding)


def test_a_found_photo_is_kept_with_all_its_provenance(any_party: Party) -> None:
    assert find(any_party, [FOUND]) == 1
    with any_party.catalogue.reading() as session:
        photo = session.scalars(select(Photo)).one()
        assert photo.state is PhotoState.FOUND
        assert photo.title == FOUND.title
        assert (photo.licence_id, photo.licence_name) == ("4", "CC BY 2.0")
        assert photo.licence_url == "https://creativecommons.org/licenses/by/2.0/"
        assert photo.page_url == "https://www.flickr.com/photos/71925535@N03/49514824541"
        assert (photo.window_start_at, photo.window_end_at) == (WINDOW.start, WINDOW.end)
        assert (photo.uploaded_at, photo.taken_at_text) == (NOON, "0000-00-00 00:00:00")
        assert photo.taken_at_unknown
        assert photo.result_page == 2
        assert photo.query is not None
        assert photo.query.keyword == "tabby"


def test_a_photo_is_stored_once_whichever_query_finds_it_again(any_party: Party) -> None:
    other = replace(FOUND, source_id="7")
    assert find(any_party, [FOUND]) == 1
    assert find(any_party, [FOUND, other], window=None) == 1
    assert find(any_party, []) == 0
    ids = ["7", "8", FOUND.source_id]
    known = reading(any_party, rows.load_known_ids, Source.FLICKR, ids)
    assert known == {"7", FOUND.source_id}


def test_photos_found_concurrently_are_stored_once_each(any_party: Party) -> None:
    photos = [replace(FOUND, source_id=str(number)) for number in range(60)]
    orders = [photos, photos[::-1], photos[30:] + photos[:30], photos]
    new = at_once(*(partial(find, any_party, order) for order in orders))
    assert sum(new) == 60


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"licence": LICENCES["11"]}, True),
        ({"licence": LICENCES["0"]}, False),
        ({"licence": LICENCES["3"]}, False),
        ({"licence": None}, False),
        ({"licence": Licence("cc-by-3.0-de", "CC BY 3.0 de", f"{CC}/by/3.0/de/")}, True),
        ({"licence": Licence("cc-by-sa-3.0", "CC BY-SA 3.0", f"{CC}/by-sa/3.0/")}, False),
        ({"licence": Licence("gfdl", "GFDL", "https://www.gnu.org/copyleft/fdl.html")}, False),
        ({"licence": Licence("own", "see below", "")}, False),
        ({"image_url": None}, False),
        ({"unfit": "a video"}, False),
        ({"promised_height": 99}, False),
        ({"promised_height": 100}, True),
        ({"promised_width": None}, False),
    ],
)
def test_licence_and_size_decide_on_fetching(changes: dict[str, object], expected: bool) -> None:
    photo = replace(FOUND, **changes)  # type: ignore[arg-type]
    assert (rows.find_unfit(photo, KEPT, min_side_px=100) == "") is expected


def caps(per_owner: int, per_day: int) -> CollectSettings:
    return CollectSettings(photos_per_owner=per_owner, photos_per_owner_and_day=per_day)


def photo(number: int, owner: str = "ann", day: int = 1, *, taken: str | None = None) -> FoundPhoto:
    at = {"uploaded_at": datetime(2015, 3, day, 12, tzinfo=UTC), "taken_at_text": taken}
    known: dict[str, Any] = {"source_id": str(number), "owner_id": owner, "image_url": None, **at}
    return replace(FOUND, **known, taken_at_unknown=False)


def test_the_caps_limit_photos_of_an_owner_and_of_an_owners_day() -> None:
    photos = [photo(1), photo(2), photo(3, day=2), photo(4, day=3), photo(5, "bo"), photo(6, "bo")]
    chosen = rows.choose_within(photos, rows.Room(caps(2, 1)), 10)
    assert [row.source_id for row in chosen] == ["1", "3", "5"]


def test_no_more_photos_are_chosen_than_wanted() -> None:
    photos = [photo(number, f"owner {number}") for number in range(5)]
    assert rows.choose_within(photos, rows.Room(caps(9, 9)), 2) == photos[:2]


def test_the_day_cap_uses_the_date_taken_where_it_is_known() -> None:
    burst = [photo(number, day=number, taken="2014-08-01 10:00:00") for number in (1, 2)]
    unsure = [replace(row, source_id=f"u{row.source_id}", taken_at_unknown=True) for row in burst]
    room = rows.Room(replace(caps(9, 1), dates="taken"))
    chosen = rows.choose_within([*burst, *unsure], room, 9)
    assert [row.source_id for row in chosen] == ["1", "u1", "u2"]


@pytest.mark.parametrize(
    ("state", "has_room"),
    [
        (PhotoState.FOUND, False),
        (PhotoState.FETCHED, False),
        (PhotoState.BROKEN, True),
        (PhotoState.GONE, True),
    ],
)
def test_lost_photos_use_up_no_cap(any_party: Party, state: PhotoState, has_room: bool) -> None:
    add_photos(any_party, 1, owner_id="ann", uploaded_at=photo(1).uploaded_at, state=state)
    room = reading(any_party, rows.load_room, ["ann", "bo"], caps(1, 1))
    assert room.admits(photo(1)) is has_room
    assert room.admits(photo(1, "bo"))


PER_OWNER = 4
PER_DAY = 1
PER_SEARCH = 2
THREADS = 8
ROUNDS = 6


@pytest.mark.slow
def test_concurrent_threads_never_exceed_the_caps(any_party: Party) -> None:
    gate = threading.Barrier(THREADS)
    query_id = writing(any_party, seed_tabby)

    def choose(session: Session, thread: int, number: int) -> int:
        rows.lock_caps(session)
        room = rows.load_room(session, ["ann"], caps(PER_OWNER, PER_DAY))
        photos = [photo(number * 1000 + thread * 10 + day, day=day) for day in (1, 2, 3)]
        chosen = rows.choose_within(
            [replace(row, image_url="x") for row in photos], room, PER_SEARCH
        )
        return rows.insert_found(session, chosen, rows.Finding(query_id, None, 1, NOON))

    def draw(thread: int) -> int:
        inserted = 0
        for number in range(ROUNDS):
            gate.wait()
            inserted += writing(any_party, choose, thread, number)
        return inserted

    with ThreadPoolExecutor(THREADS) as threads:
        inserted = sum(threads.map(draw, range(THREADS)))
    days = Counter(load_rows(any_party, select(Photo.uploaded_at).where(Photo.owner_id == "ann")))
    assert inserted == days.total() == 3  # one for each day; the owner has room for four
    assert max(days.values()) == PER_DAY
