"""Writes of several threads in common transactions, on both databases."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from sqlalchemy import event, select, text
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.tables import Photo
from collect.claims import Claim, claim_photos
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
    assert asked == [4]
    assert not shelf.is_low
    shelf.clear()
    with any_party.catalogue.reading() as session:
        held = session.scalars(select(Photo.id).where(Photo.claimed_by.is_not(None))).all()
        attempts = session.scalars(select(Photo.attempts).order_by(Photo.id)).all()
    assert list(held) == ids[:3]
    assert list(attempts) == [1, 1, 1, 0, 0]
    assert [one.photo_id for one in (shelf.take(), shelf.take()) if one] == ids[3:]
    assert shelf.is_low
    assert shelf.take() is None
