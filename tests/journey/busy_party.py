"""Thirty people who have worked for two hours, written straight into a party."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import func, insert, select, update

from benchmarks.qa_party import PEOPLE, START, fill_party
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Source, Verdict
from catalog.tables import Image, Person, Photo, Review

IMAGES, OBJECTS = 600, 1800
DISCARDED = 7
MENDED_EVERY = 7
TO_FETCH = 45
SEEN_MINUTES_AGO = 7

__all__ = ["DISCARDED", "IMAGES", "PEOPLE", "SEEN_MINUTES_AGO", "TO_FETCH", "make_busy"]


def make_busy(party: Party, *, at: datetime) -> None:
    """Thirty people's images and verdicts; some mended, some images discarded, photos to fetch."""
    fill_party(party, images=IMAGES, objects=OBJECTS)
    reason = party.preset.discard_reasons[0].key
    discarded = {"state": ImageState.DISCARDED, "reason": reason}
    with party.catalogue.writing() as session:
        session.execute(update(Image).where(Image.id <= DISCARDED).values(discarded))
        is_mended = Review.id % MENDED_EVERY == 0
        session.execute(update(Review).where(is_mended).values(verdict=Verdict.MENDED))
        session.execute(update(Photo).values(fetched_at=START + timedelta(hours=1)))
        session.execute(insert(Photo), [_wait_for_fetch(number) for number in range(TO_FETCH)])
        seen_at = at - timedelta(minutes=SEEN_MINUTES_AGO)
        session.execute(update(Person).values(seen_at=seen_at))
        assert session.scalar(select(func.count()).select_from(Person)) == PEOPLE


def _wait_for_fetch(number: int) -> dict[str, object]:
    return {
        "source": Source.FLICKR,
        "source_id": f"waiting-{number}",
        "state": PhotoState.FOUND,
        "found_at": START,
    }
