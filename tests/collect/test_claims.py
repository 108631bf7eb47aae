"""Claims of photos, on both databases."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

import pytest

from catalog.party import Party
from catalog.states import PhotoState
from catalog.tables import Photo
from collect.claims import (
    Claim,
    find_next_due,
    free,
    give_back,
    give_up_unfinished,
    retry_broken,
)
from tests.rows import at_once

from .clocks import NOON
from .rows import add_photos, claim_photo, load_photo

LEASE = timedelta(minutes=3)


def claim(party: Party, claimant: str, *, now: datetime = NOON, attempts: int = 3) -> Claim | None:
    with party.catalogue.writing() as session:
        return claim_photo(session, claimant, now=now, lease=LEASE, attempts=attempts)


def must_claim(party: Party, claimant: str, *, now: datetime = NOON) -> Claim:
    claimed = claim(party, claimant, now=now)
    assert claimed is not None
    return claimed


def test_a_claim_that_ran_out_is_taken_by_another(any_party: Party) -> None:
    add_photos(any_party, 1)
    must_claim(any_party, "ann")
    assert claim(any_party, "chris", now=NOON + LEASE - timedelta(seconds=1)) is None
    assert must_claim(any_party, "chris", now=NOON + LEASE).attempt == 2


def test_a_photo_given_back_is_free_at_once_and_has_lost_no_attempt(any_party: Party) -> None:
    add_photos(any_party, 1)
    with any_party.catalogue.writing() as session:
        claimed = claim_photo(session, "ann", now=NOON, lease=LEASE, attempts=3)
        assert claimed is not None
        assert give_back(session, claimed)
    assert must_claim(any_party, "chris").attempt == 1


def test_a_resting_photo_waits_for_its_time_and_its_attempts_are_counted(any_party: Party) -> None:
    (photo_id,) = add_photos(any_party, 1)
    now = NOON
    for attempt in (1, 2, 3):
        claimed = must_claim(any_party, "ann", now=now)
        assert claimed.attempt == attempt
        with any_party.catalogue.writing() as session:
            assert free(session, claimed, claimed_until_at=now + timedelta(seconds=10))
        assert claim(any_party, "chris", now=now + timedelta(seconds=9)) is None
        now += timedelta(seconds=10)
    assert claim(any_party, "ann", now=now) is None
    assert load_photo(any_party, photo_id).claimed_by is None


def test_a_photo_whose_every_attempt_ended_without_a_word_is_given_up(any_party: Party) -> None:
    (photo_id,) = add_photos(any_party, 1)
    for number in range(3):
        must_claim(any_party, "ann", now=NOON + number * LEASE)
    with any_party.catalogue.writing() as session:
        assert give_up_unfinished(session, now=NOON + 2 * LEASE, attempts=3) == 0
        assert give_up_unfinished(session, now=NOON + 3 * LEASE, attempts=3) == 1
    photo = load_photo(any_party, photo_id)
    assert photo.state is PhotoState.BROKEN
    assert (photo.reason or "").startswith("never_finished")


def test_the_next_due_time_is_that_of_the_first_claim_to_run_out(any_party: Party) -> None:
    with any_party.catalogue.reading() as session:
        assert find_next_due(session, NOON) is None
    add_photos(any_party, 2)
    with any_party.catalogue.reading() as session:
        assert find_next_due(session, NOON) == NOON  # free by now, whoever has just looked
    must_claim(any_party, "ann", now=NOON + timedelta(seconds=5))
    must_claim(any_party, "ann", now=NOON)
    with any_party.catalogue.reading() as session:
        assert find_next_due(session, NOON) == NOON + LEASE


@pytest.mark.parametrize("workers", [2, 4])
def test_workers_at_once_share_the_photos_without_overlap(any_party: Party, workers: int) -> None:
    ids = add_photos(any_party, 40)
    claimed: list[tuple[str, int]] = []

    def work(name: str) -> None:
        misses = 0
        while misses < 3:
            found = claim(any_party, name)
            if found is None:
                misses += 1
            else:
                claimed.append((name, found.photo_id))

    at_once(*(partial(work, f"worker {number}") for number in range(workers)))
    assert sorted(photo_id for _name, photo_id in claimed) == ids
    for name, photo_id in claimed:
        assert load_photo(any_party, photo_id).claimed_by == name


def test_broken_photos_wait_once_more_where_that_is_asked(any_party: Party) -> None:
    (photo_id,) = add_photos(any_party, 1)
    with any_party.catalogue.writing() as session:
        photo = session.get_one(Photo, photo_id)
        photo.state, photo.reason, photo.attempts = PhotoState.BROKEN, "timeout", 3
    assert claim(any_party, "ann") is None
    with any_party.catalogue.writing() as session:
        assert retry_broken(session) == 1
    assert must_claim(any_party, "ann").attempt == 1
