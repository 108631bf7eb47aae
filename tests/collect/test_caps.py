"""Caps of owners and their days, also of two collectors at once."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.settings import CollectSettings
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.caps import Room, choose_within, load_room, lock_caps
from collect.results import LICENCES, FoundPhoto
from collect.rows import Finding, insert_found

from .clocks import NOON
from .rows import add_photos


def caps(per_owner: int, per_day: int) -> CollectSettings:
    return CollectSettings(photos_per_owner=per_owner, photos_per_owner_and_day=per_day)


def photo(number: int, owner: str = "ann", day: int = 1, *, taken: str | None = None) -> FoundPhoto:
    return FoundPhoto(
        source_id=str(number),
        owner_id=owner,
        owner_name=owner,
        title="",
        tags="",
        licence=LICENCES["4"],
        taken_at_text=taken,
        taken_at_unknown=False,
        uploaded_at=datetime(2015, 3, day, 12, tzinfo=UTC),
        image_url=None,
        promised_width=None,
        promised_height=None,
        page_url="",
    )


def test_an_owner_and_each_of_an_owners_days_have_their_caps() -> None:
    photos = [photo(1), photo(2), photo(3, day=2), photo(4, day=3), photo(5, "bo"), photo(6, "bo")]
    chosen = choose_within(photos, Room(caps(2, 1)), 10)
    assert [one.source_id for one in chosen] == ["1", "3", "5"]


def test_no_more_are_chosen_than_asked_for() -> None:
    photos = [photo(number, f"owner {number}") for number in range(5)]
    assert choose_within(photos, Room(caps(9, 9)), 2) == photos[:2]


def test_with_taken_dates_the_day_is_the_cameras_unless_it_is_unknown() -> None:
    burst = [photo(number, day=number, taken="2014-08-01 10:00:00") for number in (1, 2)]
    unsure = [replace(one, source_id=f"u{one.source_id}", taken_at_unknown=True) for one in burst]
    room = Room(replace(caps(9, 1), dates="taken"))
    chosen = choose_within([*burst, *unsure], room, 9)
    assert [one.source_id for one in chosen] == ["1", "u1", "u2"]


@pytest.mark.parametrize(
    ("state", "has_room"),
    [(PhotoState.FOUND, False), (PhotoState.FETCHED, False), (PhotoState.BROKEN, True),
     (PhotoState.GONE, True)],
)  # fmt: skip
def test_photos_of_earlier_runs_take_room_unless_they_were_lost(
    any_party: Party, state: PhotoState, has_room: bool
) -> None:
    add_photos(any_party, 1, owner_id="ann", uploaded_at=photo(1).uploaded_at, state=state)
    with any_party.catalogue.reading() as session:
        room = load_room(session, ["ann", "bo"], caps(1, 1))
    assert room.admits(photo(1)) is has_room
    assert room.admits(photo(1, "bo"))


PER_OWNER, PER_DAY, PER_SEARCH = 4, 1, 2
THREADS, ROUNDS = 8, 6


@pytest.fixture
def query_id(any_party: Party) -> int:
    with any_party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_name="cat", keyword="cat")
        session.add(query)
        session.flush()
        return query.id


def test_threads_that_choose_at_once_never_exceed_the_caps(any_party: Party, query_id: int) -> None:
    gate = threading.Barrier(THREADS)

    def choose(session: Session, thread: int, number: int) -> int:
        lock_caps(session)
        room = load_room(session, ["ann"], caps(PER_OWNER, PER_DAY))
        own = [photo(number * 1000 + thread * 10 + day, day=day) for day in (1, 2, 3)]
        chosen = choose_within([replace(it, image_url="x") for it in own], room, PER_SEARCH)
        return insert_found(session, chosen, Finding(query_id, None, 1, NOON))

    def draw(thread: int) -> int:
        found = 0
        for number in range(ROUNDS):
            gate.wait(30)
            with any_party.catalogue.writing() as session:
                found += choose(session, thread, number)
        return found

    with ThreadPoolExecutor(THREADS) as threads:
        found = sum(threads.map(draw, range(THREADS)))
    with any_party.catalogue.reading() as session:
        days = Counter(session.scalars(select(Photo.uploaded_at).where(Photo.owner_id == "ann")))
    assert found == days.total() == 3  # one for each day; the owner has room for four
    assert max(days.values()) == PER_DAY
