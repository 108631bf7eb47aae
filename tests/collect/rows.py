"""Rows for the collector's tests, and a clock that they move."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import Source
from catalog.tables import Photo, Query
from collect.claims import Claim, claim_photos
from collect.errors import Reason
from collect.pauses import Clock

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)
HOST = "https://live.staticflickr.com"


def add_photos(
    party: Party, count: int, urls: Sequence[str] | None = None, **values: Any
) -> list[int]:
    """The ids of new photos in state found."""
    with party.catalogue.writing() as session:
        photos = []
        for number in range(1, count + 1):
            url = urls[number - 1] if urls else f"{HOST}/{number}.jpg"
            known = {"source": Source.FLICKR, "source_id": str(number), "found_at": NOON}
            photos.append(Photo(image_url=url, **known, **values))
        session.add_all(photos)
    return [photo.id for photo in photos]


def load_photo(party: Party, photo_id: int) -> Photo:
    with party.catalogue.reading() as session:
        photo = session.get_one(Photo, photo_id)
        session.expunge(photo)
        return photo


def load_query(party: Party, class_name: str, keyword: str) -> Query:
    with party.catalogue.reading() as session:
        query = session.scalars(
            select(Query).where(Query.class_name == class_name, Query.keyword == keyword)
        ).one()
        session.expunge(query)
        return query


def claim_photo(
    session: Session, claimant: str, *, now: datetime, lease: timedelta, attempts: int
) -> Claim | None:
    claims = claim_photos(session, claimant, 1, now=now, lease=lease, attempts=attempts)
    return claims[0] if claims else None


def find_reason(text: str | None) -> Reason | None:
    """The code at the start of a row's reason, or None."""
    code = (text or "").partition(":")[0]
    return Reason(code) if code in set(Reason) else None


class TestClock:
    """Starts at noon; a wait moves it forward at once."""

    __test__ = False

    def __init__(self) -> None:
        self.moment = NOON
        self.waits_secs: list[float] = []
        self._lock = threading.Lock()

    @property
    def clock(self) -> Clock:
        return Clock(lambda: self.moment, self.pass_secs)

    def pass_secs(self, secs: float) -> None:
        with self._lock:
            self.waits_secs.append(secs)
            self.moment += timedelta(seconds=secs)
