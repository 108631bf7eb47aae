"""A clock that was a day ahead and is right again: what it wrote is told and set back."""

import logging
from datetime import timedelta

import pytest
from sqlalchemy import select, update

from catalog.party import Party
from catalog.tables import CallBudget as BudgetRow
from catalog.tables import HostPause, Photo
from collect.asking import CallBudget
from collect.errors import HostRefusesError, PhotoGoneError, Reason
from collect.future_times import set_times_back
from collect.pauses import Backoff, Pauses
from tests.rows import load_rows

from .rows import NOON, TestClock, add_photos, claim_photo, load_photo

DAY = timedelta(days=1)


@pytest.fixture
def ahead() -> TestClock:
    """The clock of an earlier run."""
    clock = TestClock()
    clock.moment += DAY
    return clock


def make_pauses(party: Party, time: TestClock) -> Pauses:
    return Pauses(time.clock, Backoff(1, 2, 60), catalogue=party.catalogue)


def test_a_quota_fills_up_at_once_and_not_after_a_day(
    any_party: Party, time: TestClock, ahead: TestClock
) -> None:
    calls = 40
    for _ in range(3):
        CallBudget(any_party.catalogue, "k3y", calls, ahead.clock).take()
    budget = CallBudget(any_party.catalogue, "k3y", calls, time.clock)
    for _ in range(3):
        budget.take()
    assert time.moment - NOON < timedelta(minutes=10)


def test_a_quota_that_another_machine_counted_a_minute_ahead_is_kept(
    party: Party, time: TestClock
) -> None:
    other = TestClock()
    other.moment += timedelta(minutes=1)
    CallBudget(party.catalogue, "k3y", 3600, other.clock).take()
    CallBudget(party.catalogue, "k3y", 3600, time.clock).take()
    (row,) = load_rows(party, select(BudgetRow))
    assert row.calls == 178


def test_a_pause_of_a_clock_that_was_ahead_ends(
    any_party: Party, time: TestClock, ahead: TestClock
) -> None:
    make_pauses(any_party, ahead).refuse("Flickr", "HTTP 429", 60)
    assert make_pauses(any_party, time).left_secs("Flickr") == 0


def test_a_pause_ends_in_a_run_whose_clock_is_set_right(party: Party, ahead: TestClock) -> None:
    pauses = make_pauses(party, ahead)
    pauses.refuse("Flickr", "HTTP 429", 60)
    ahead.moment -= DAY
    assert pauses.left_secs("Flickr") == 0
    pauses.refuse("Flickr", "HTTP 429", 60)
    assert pauses.left_secs("Flickr") == 60
    with pytest.raises(HostRefusesError):
        for _ in range(9):
            ahead.pass_secs(61)
            pauses.refuse("Flickr", "HTTP 429", 60)


def test_what_a_clock_wrote_that_was_ahead_is_told_and_set_back(
    any_party: Party, time: TestClock, ahead: TestClock, caplog: pytest.LogCaptureFixture
) -> None:
    CallBudget(any_party.catalogue, "k3y", 40, ahead.clock).take()
    make_pauses(any_party, ahead).refuse("Flickr", "HTTP 429", 60)
    claimed, doubted = add_photos(any_party, 2)
    lease = timedelta(minutes=7)
    with any_party.catalogue.writing() as session:
        claim_photo(session, "killed", now=ahead.moment, lease=lease, attempts=5)
    gone = PhotoGoneError(Reason.DELETED, "HTTP 404")
    with any_party.catalogue.writing() as session:
        doubt = {"reason": str(gone), "doubted_at": ahead.moment}
        session.execute(update(Photo).where(Photo.id == doubted).values(doubt))
    with caplog.at_level(logging.WARNING):
        set_times_back(any_party, time.moment)
        set_times_back(any_party, time.moment)
    (sentence,) = [
        record.getMessage() for record in caplog.records if record.name == "collect.future_times"
    ]
    assert "1 quota of calls, 1 pause of a host, 2 photographs had times in the future" in sentence
    assert load_rows(any_party, select(HostPause)) == []
    assert load_photo(any_party, claimed).claimed_until_at == NOON
    assert load_photo(any_party, doubted).doubted_at == NOON
    assert load_rows(any_party, select(BudgetRow.counted_at)) == [NOON]


def test_times_that_a_right_clock_writes_stay(party: Party, time: TestClock) -> None:
    CallBudget(party.catalogue, "k3y", 40, time.clock).take()
    make_pauses(party, time).refuse("Flickr", "HTTP 429", 900)
    add_photos(party, 1, claimed_by="import urls", claimed_until_at=NOON + timedelta(hours=1))
    set_times_back(party, NOON)
    assert make_pauses(party, time).left_secs("Flickr") == 900
    (photo,) = load_rows(party, select(Photo))
    assert photo.claimed_until_at == NOON + timedelta(hours=1)
