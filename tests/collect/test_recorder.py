"""Writes of several threads in common transactions, on both databases."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import event, select, text
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import PhotoState
from catalog.tables import Photo
from collect.claims import Claim, claim_photos, give_back
from collect.outcomes import Kept, Outcome
from collect.picture import StoredPicture
from collect.recorder import Recorder
from collect.shelf import Shelf

from .clocks import NOON
from .rows import add_photos, load_photo
from .test_claims import LEASE


def rename(photo_id: int, title: str) -> Callable[[Session], str]:
    def work(session: Session) -> str:
        session.get_one(Photo, photo_id).title = title
        session.flush()
        if title == "bad":
            raise ValueError(title)
        return title

    return work


def test_what_raises_is_undone_alone(any_party: Party) -> None:
    ids = add_photos(any_party, 3)
    recorder = Recorder(any_party.catalogue)
    titles = ("good", "bad", "fine")
    outcomes: dict[int, object] = {}

    def record(photo_id: int, title: str) -> None:
        try:
            outcomes[photo_id] = recorder.run(rename(photo_id, title))
        except ValueError as error:
            outcomes[photo_id] = str(error)

    # While the first write holds the turn, the others gather and go together.
    with recorder._turn:
        threads = [
            threading.Thread(target=record, args=pair) for pair in zip(ids, titles, strict=True)
        ]
        for thread in threads:
            thread.start()
        while len(recorder._waiting) < 3:
            pass
    commits: list[int] = []
    event.listen(any_party.catalogue.engine, "commit", lambda _connection: commits.append(1))
    for thread in threads:
        thread.join()
    assert set(outcomes.values()) == {"good", "bad", "fine"}
    assert [load_photo(any_party, one).title for one in ids] == ["good", None, "fine"]
    assert len(commits) <= 1


def test_where_the_transaction_fails_everybody_hears_of_it(any_party: Party) -> None:
    recorder = Recorder(any_party.catalogue)
    with pytest.raises(Exception, match="nothing_there"):
        recorder.run(lambda session: session.execute(text("SELECT * FROM nothing_there")))
    (photo_id,) = add_photos(any_party, 1)
    recorder.run(rename(photo_id, "after"))
    assert load_photo(any_party, photo_id).title == "after"


def claim_all(party: Party, count: int) -> list[Claim]:
    add_photos(party, count)
    with party.catalogue.writing() as session:
        return claim_photos(session, "ann", count, now=NOON, lease=LEASE, attempts=3)


def kept_of(claim: Claim, number: int) -> Kept:
    return Kept(claim, StoredPicture(f"{number:064x}", 500, 375, 9), NOON)


def test_pictures_that_come_together_are_recorded_together(any_party: Party) -> None:
    recorder = Recorder(any_party.catalogue, 3)
    outcomes: list[Outcome | None] = []
    kept = [kept_of(claim, n // 2) for n, claim in enumerate(claim_all(any_party, 3))]
    commits: list[int] = []
    event.listen(any_party.catalogue.engine, "commit", lambda _connection: commits.append(1))
    with recorder._turn:  # a commit that takes its time
        threads = [
            threading.Thread(target=recorder.keep, args=(one, outcomes.append, 3)) for one in kept
        ]
        for thread in threads:
            thread.start()
        while len(recorder._waiting) < 3:
            pass
    for thread in threads:
        thread.join()
    assert sorted(one.name for one in outcomes if one) == ["FETCHED", "FETCHED", "SAME_BYTES"]
    assert len(commits) == 1
    with any_party.catalogue.reading() as session:
        states = session.scalars(select(Photo.state)).all()
    assert set(states) == {PhotoState.FETCHED}


def test_the_last_picture_waits_for_no_other(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collect.recorder.GATHER_SECS", 60)
    (claim,) = claim_all(party, 1)
    outcomes: list[Outcome | None] = []
    Recorder(party.catalogue, 16).keep(kept_of(claim, 1), outcomes.append, 1)
    assert outcomes == [Outcome.FETCHED]


def test_a_picture_that_could_not_be_recorded_is_told_of_once_others_may_write(
    any_party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    (claim,) = claim_all(any_party, 1)
    recorder = Recorder(any_party.catalogue)
    told: list[Outcome | None] = []

    def give_up(outcome: Outcome | None) -> None:
        told.append(outcome)
        recorder.run(lambda session: give_back(session, claim))

    def fail(*_args: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr("collect.recorder.record_kept", fail)
    with pytest.raises(OSError, match="disk is gone"):
        recorder.keep(kept_of(claim, 1), give_up, 1)
    assert told == [None]
    assert load_photo(any_party, claim.photo_id).claimed_by is None


def test_a_shelf_gives_each_photo_once_and_back_what_nobody_took(any_party: Party) -> None:
    ids = add_photos(any_party, 5)
    asked: list[int] = []

    def claim_more(session: Session, count: int) -> list[Claim]:
        asked.append(count)
        return claim_photos(session, "ann", count, now=NOON, lease=LEASE, attempts=3)

    shelf = Shelf(Recorder(any_party.catalogue), claim_more, 4)
    assert shelf.is_low
    taken = [shelf.take() for _ in range(3)]
    assert [one.photo_id for one in taken if one] == ids[:3]
    assert asked == [4, 2]  # more is claimed while half of the shelf is left
    assert shelf.is_low
    shelf.clear()
    with any_party.catalogue.reading() as session:
        held = session.scalars(select(Photo.id).where(Photo.claimed_by.is_not(None))).all()
        attempts = session.scalars(select(Photo.attempts).order_by(Photo.id)).all()
    assert list(held) == ids[:3]
    assert list(attempts) == [1, 1, 1, 0, 0]
    assert [one.photo_id for one in (shelf.take(), shelf.take()) if one] == ids[3:]
    assert shelf.take() is None
    shelf.add_found(7)
    assert shelf.is_low
    shelf.add_found(1)
    assert not shelf.is_low


def test_a_photo_whose_taker_could_not_claim_more_is_given_back(any_party: Party) -> None:
    ids = add_photos(any_party, 4)

    def claim_once(session: Session, count: int) -> list[Claim]:
        if count < 4:
            raise OSError("the catalogue is gone")
        return claim_photos(session, "ann", count, now=NOON, lease=LEASE, attempts=3)

    shelf = Shelf(Recorder(any_party.catalogue), claim_once, 4)
    taken = shelf.take()
    with pytest.raises(OSError, match="catalogue is gone"):
        shelf.take()
    shelf.clear()
    with any_party.catalogue.reading() as session:
        held = session.scalars(select(Photo.id).where(Photo.claimed_by.is_not(None))).all()
    assert taken is not None
    assert [taken.photo_id] == ids[:1] == list(held)


def test_where_nothing_waits_one_asks_and_the_others_do_not_ask_at_once_too(party: Party) -> None:
    asked, now_secs = list[int](), [100.0]

    def claim_none(_session: Session, count: int) -> list[Claim]:
        asked.append(count)
        return []

    shelf = Shelf(Recorder(party.catalogue), claim_none, 4, read_secs=lambda: now_secs[0])
    assert [shelf.take(), shelf.take()] == [None, None]
    assert asked == [4]
    now_secs[0] += 1
    assert shelf.take() is None
    assert asked == [4, 4]
    shelf.add_found(0)
    assert shelf.take() is None
    assert asked == [4, 4]
    shelf.add_found(1)
    assert shelf.take() is None
    assert asked == [4, 4, 4]
