"""At most so many photographs of one owner and of one owner's day."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.party import Party
from catalog.states import PhotoState, Source
from catalog.tables import Photo
from collect.caps import Caps, Room, choose_within, load_room
from collect.results import FoundPhoto

from .clocks import NOON


def photo(number: int, owner: str = "ann", day: int = 1, *, taken: str | None = None) -> FoundPhoto:
    return FoundPhoto(
        source_id=str(number),
        owner_id=owner,
        owner_name=owner,
        title="",
        tags="",
        licence_id="4",
        taken_at_text=taken,
        taken_at_unknown=False,
        uploaded_at=datetime(2015, 3, day, 12, tzinfo=UTC),
        image_url=None,
        promised_width=None,
        promised_height=None,
        is_photograph=True,
    )


def test_an_owner_and_each_of_an_owners_days_have_their_caps() -> None:
    photos = [photo(1), photo(2), photo(3, day=2), photo(4, day=3), photo(5, "bo"), photo(6, "bo")]
    chosen = choose_within(photos, Room(Caps(2, 1)), 10)
    assert [one.source_id for one in chosen] == ["1", "3", "5"]


def test_no_more_are_chosen_than_asked_for() -> None:
    photos = [photo(number, f"owner {number}") for number in range(5)]
    assert choose_within(photos, Room(Caps(9, 9)), 2) == photos[:2]


def test_with_taken_dates_the_day_is_the_cameras_unless_it_is_unknown() -> None:
    burst = [photo(number, day=number, taken="2014-08-01 10:00:00") for number in (1, 2)]
    unsure = [replace(one, source_id=f"u{one.source_id}", taken_at_unknown=True) for one in burst]
    room = Room(Caps(9, 1, is_by_taken=True))
    chosen = choose_within([*burst, *unsure], room, 9)
    assert [one.source_id for one in chosen] == ["1", "u1", "u2"]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 5)), max_size=60),
    st.integers(1, 6),
    st.integers(1, 3),
)
def test_the_caps_hold_for_every_choice(
    owners_and_days: list[tuple[str, int]], per_owner: int, per_day: int
) -> None:
    photos = [photo(n, owner, day) for n, (owner, day) in enumerate(owners_and_days)]
    chosen = choose_within(photos, Room(Caps(per_owner, per_day)), 100)
    assert max(Counter(one.owner_id for one in chosen).values(), default=0) <= per_owner
    days = Counter((one.owner_id, one.uploaded_at) for one in chosen)
    assert max(days.values(), default=0) <= per_day


@pytest.mark.parametrize(
    ("state", "has_room"),
    [(PhotoState.FOUND, False), (PhotoState.FETCHED, False), (PhotoState.BROKEN, True),
     (PhotoState.GONE, True)],
)  # fmt: skip
def test_photos_of_earlier_runs_take_room_unless_they_were_lost(
    any_party: Party, state: PhotoState, has_room: bool
) -> None:
    with any_party.catalogue.writing() as session:
        session.add(
            Photo(
                source=Source.FLICKR,
                source_id="77",
                owner_id="ann",
                uploaded_at=photo(1).uploaded_at,
                found_at=NOON,
                state=state,
            )
        )
        session.flush()
        room = load_room(session, ["ann", "bo"], Caps(1, 1))
    assert room.admits(photo(1)) is has_room
    assert room.admits(photo(1, "bo"))
