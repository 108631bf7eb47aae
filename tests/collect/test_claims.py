"""Claims of photos, and the rows of finished claims, on both databases."""

import re
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select, update

from catalog.party import Party
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo
from collect.claims import (
    Claim,
    Outcome,
    find_next_due,
    free,
    give_back,
    give_up_unfinished,
    load_fetched_count,
    record_believed,
    record_doubted,
    record_kept,
    record_missed,
    release_doubted,
    retry_broken,
)
from collect.errors import PhotoBrokenError, PhotoGoneError, Reason
from collect.picture import StoredPicture
from tests.rows import at_once, load_rows, reading, writing

from .rows import NOON, add_photos, claim_photo, find_reason, load_photo

LEASE = timedelta(minutes=3)


def claim(party: Party, claimant: str, *, now: datetime = NOON, attempts: int = 3) -> Claim | None:
    return writing(party, claim_photo, claimant, now=now, lease=LEASE, attempts=attempts)


def must_claim(party: Party, claimant: str = "ann", *, now: datetime = NOON) -> Claim:
    claimed = claim(party, claimant, now=now)
    assert claimed is not None
    return claimed


def test_an_expired_claim_goes_to_another_worker(any_party: Party) -> None:
    add_photos(any_party, 1)
    must_claim(any_party, "ann")
    assert claim(any_party, "chris", now=NOON + LEASE - timedelta(seconds=1)) is None
    assert must_claim(any_party, "chris", now=NOON + LEASE).attempt == 2


def test_a_returned_claim_is_free_at_once_and_uses_no_attempt(any_party: Party) -> None:
    add_photos(any_party, 1)
    assert writing(any_party, give_back, must_claim(any_party))
    assert must_claim(any_party, "chris").attempt == 1


def test_a_photo_in_doubt_is_left_to_its_run_until_that_ends(any_party: Party) -> None:
    add_photos(any_party, 2)
    gone = PhotoGoneError(Reason.DELETED, "HTTP 404")
    doubted = [must_claim(any_party, "ann"), must_claim(any_party, "ann")]
    for claimed in doubted:
        outcome = writing(any_party, record_doubted, claimed, gone, NOON, NOON + LEASE)
        assert outcome is Outcome.DOUBTED
    assert claim(any_party, "chris") is None
    assert writing(any_party, record_believed, doubted[0], gone) is Outcome.LOST
    assert writing(any_party, release_doubted, "ann") == 1
    assert claim(any_party, "ann") is None
    assert must_claim(any_party, "chris").photo_id == doubted[1].photo_id


def test_a_photo_in_doubt_is_free_some_time_after_its_run_was_killed(any_party: Party) -> None:
    add_photos(any_party, 1)
    gone = PhotoGoneError(Reason.DELETED, "HTTP 404")
    writing(any_party, record_doubted, must_claim(any_party, "ann"), gone, NOON, NOON + LEASE)
    assert must_claim(any_party, "chris", now=NOON + LEASE).doubt == Reason.DELETED


def test_a_failed_photo_waits_for_its_retry_time_and_counts_attempts(any_party: Party) -> None:
    (photo_id,) = add_photos(any_party, 1)
    now = NOON
    for attempt in (1, 2, 3):
        claimed = must_claim(any_party, "ann", now=now)
        assert claimed.attempt == attempt
        with any_party.catalogue.writing() as session:
            assert free(session, claimed, claimed_until_at=now + timedelta(seconds=10))
        assert claim(any_party, "chris", now=now + timedelta(seconds=9)) is None
        now += timedelta(seconds=10)
    assert load_photo(any_party, photo_id).claimed_by is None


def test_a_photo_whose_claims_all_expired_twice_over_is_given_up(any_party: Party) -> None:
    (photo_id,) = add_photos(any_party, 1)
    for number in range(6):
        must_claim(any_party, "ann", now=NOON + number * LEASE)
        assert writing(any_party, give_up_unfinished, now=NOON + number * LEASE, attempts=3) == 0
        if number == 2:
            assert writing(any_party, give_up_unfinished, now=NOON + 3 * LEASE, attempts=3) == 0
            photo = load_photo(any_party, photo_id)
            assert (photo.state, photo.attempts) == (PhotoState.FOUND, 0)
            assert (photo.reason or "").startswith("never_finished")
    assert writing(any_party, give_up_unfinished, now=NOON + 6 * LEASE, attempts=3) == 1
    photo = load_photo(any_party, photo_id)
    assert photo.state is PhotoState.BROKEN
    assert (photo.reason or "").startswith("never_finished")


def test_photos_that_wait_for_a_retry_get_it_also_where_attempts_are_lowered(
    any_party: Party,
) -> None:
    (photo_id,) = add_photos(any_party, 1)
    with any_party.catalogue.writing() as session:
        session.execute(update(Photo).values(attempts=3, claimed_until_at=NOON))
    assert writing(any_party, give_up_unfinished, now=NOON, attempts=1) == 0
    claimed = claim(any_party, "ann", attempts=1)
    assert claimed is not None
    assert claimed.attempt == 4
    assert writing(any_party, give_up_unfinished, now=NOON, attempts=1) == 0
    assert load_photo(any_party, photo_id).state is PhotoState.FOUND


def test_the_next_due_time_is_when_the_first_claim_expires(any_party: Party) -> None:
    assert reading(any_party, find_next_due, NOON) is None
    add_photos(any_party, 2)
    assert reading(any_party, find_next_due, NOON) == NOON  # free by now
    must_claim(any_party, "ann", now=NOON + timedelta(seconds=5))
    must_claim(any_party, "ann", now=NOON)
    assert reading(any_party, find_next_due, NOON) == NOON + LEASE


@pytest.mark.parametrize("workers", [2, 4])
def test_concurrent_workers_never_claim_the_same_photo(any_party: Party, workers: int) -> None:
    ids = add_photos(any_party, 40)
    claimed: list[tuple[str, int]] = []

    def work(name: str) -> None:
        misses = 0
        while misses < 3:
            photo = claim(any_party, name)
            if photo is None:
                misses += 1
            else:
                claimed.append((name, photo.photo_id))

    at_once(*(partial(work, f"worker {number}") for number in range(workers)))
    assert sorted(photo_id for _name, photo_id in claimed) == ids
    for name, photo_id in claimed:
        assert load_photo(any_party, photo_id).claimed_by == name


def test_broken_photos_are_queued_again_on_request(any_party: Party) -> None:
    (photo_id,) = add_photos(any_party, 1)
    with any_party.catalogue.writing() as session:
        photo = session.get_one(Photo, photo_id)
        photo.state = PhotoState.BROKEN
        photo.reason = "timeout"
        photo.attempts = 3
    assert claim(any_party, "ann") is None
    assert writing(any_party, retry_broken) == 1
    assert must_claim(any_party, "ann").attempt == 1


def keep(
    party: Party, claimed: Claim, data: bytes = b"bytes", original_sha256: str | None = None
) -> Outcome:
    stored = StoredPicture(party.store.put(data), 500, 375, len(data), original_sha256)
    return writing(party, record_kept, claimed, stored, party.store, NOON)


def count(party: Party) -> int:
    return reading(party, load_fetched_count)


def test_a_fetched_photo_has_an_image_in_state_fetched(any_party: Party) -> None:
    (photo_id,) = add_photos(any_party, 1)
    assert keep(any_party, must_claim(any_party)) is Outcome.FETCHED
    photo = load_photo(any_party, photo_id)
    assert (photo.state, photo.fetched_at, photo.claimed_by) == (PhotoState.FETCHED, NOON, None)
    with any_party.catalogue.reading() as session:
        image = session.scalars(select(Image)).one()
        assert image.id == photo.image_id
        assert (image.width, image.height, image.bytes) == (500, 375, 5)
        assert image.state is ImageState.FETCHED
    assert count(any_party) == 1


def test_identical_bytes_recorded_concurrently_make_one_image(any_party: Party) -> None:
    add_photos(any_party, 4)
    claims = [must_claim(any_party, f"worker {number}") for number in range(4)]
    outcomes = at_once(*(partial(keep, any_party, claimed) for claimed in claims))
    assert sorted(outcome.name for outcome in outcomes) == ["FETCHED", *["SAME_BYTES"] * 3]
    assert count(any_party) == 1


@pytest.mark.parametrize(
    ("fault", "state"),
    [
        (PhotoGoneError(Reason.PLACEHOLDER, "redirected"), PhotoState.GONE),
        (PhotoBrokenError(Reason.TRUNCATED, "12 of 500 bytes"), PhotoState.BROKEN),
    ],
)
def test_a_photo_that_could_not_be_fetched_is_stored_with_the_reason(
    any_party: Party, fault: PhotoGoneError | PhotoBrokenError, state: PhotoState
) -> None:
    (photo_id,) = add_photos(any_party, 1)
    claimed = must_claim(any_party)
    assert writing(any_party, record_missed, claimed, fault) is Outcome.LOST
    photo = load_photo(any_party, photo_id)
    assert photo.state is state
    assert photo.reason == str(fault)
    assert find_reason(photo.reason) is fault.reason
    assert count(any_party) == 0


def test_a_worker_whose_claim_expired_changes_nothing(any_party: Party) -> None:
    (photo_id,) = add_photos(any_party, 1)
    late = must_claim(any_party)
    writing(any_party, claim_photo, "chris", now=NOON + LEASE, lease=LEASE, attempts=3)
    assert keep(any_party, late) is Outcome.LATE
    assert writing(any_party, record_missed, late, PhotoBrokenError(Reason.HTML)) is Outcome.LATE
    assert load_rows(any_party, select(Image)) == []
    assert load_photo(any_party, photo_id).state is PhotoState.FOUND


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (ImageState.POOL, 1),
        (ImageState.DUPLICATE, 1),
        (ImageState.DISCARDED, 1),
        (ImageState.BROKEN, 0),
        (ImageState.TAKEN_DOWN, 0),
    ],
)
def test_broken_and_taken_down_images_do_not_count_towards_the_target(
    any_party: Party, state: ImageState, expected: int
) -> None:
    add_photos(any_party, 1)
    keep(any_party, must_claim(any_party))
    with any_party.catalogue.writing() as session:
        session.execute(update(Image).values(state=state))
    assert count(any_party) == expected


def test_the_manual_lists_every_reason_for_a_lost_photo() -> None:
    manual = (Path(__file__).parents[2] / "docs/manual/collect.md").read_text("utf-8")
    rows = set(re.findall(r"^\| (?:gone|broken) \| `(\w+)`", manual, re.MULTILINE))
    assert rows == set(Reason) - {Reason.HOST_BUSY}  # the host's fault, never a photo's


def test_two_pictures_made_from_one_original_are_one_image(any_party: Party) -> None:
    first, second = add_photos(any_party, 2)
    for data, outcome in ((b"one", Outcome.FETCHED), (b"other", Outcome.SAME_BYTES)):
        assert keep(any_party, must_claim(any_party), data, "c" * 64) is outcome
    assert load_photo(any_party, first).image_id == load_photo(any_party, second).image_id
