"""A synthetic catalogue of any size: photos as the collector leaves them, images, searches."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, insert, select, text

from catalog.party import Party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Image, Photo, Query, Search
from collect.results import FoundPhoto
from collect.windows import Window

NOW = datetime(2025, 1, 1, tzinfo=UTC)
WEEK = Window(NOW - timedelta(days=7), NOW)
QUERIES = 200
_COUNT_ON = "SELECT setval(pg_get_serial_sequence('image', 'id'), :last)"


def add_queries(party: Party) -> None:
    """Twenty classes of ten queries."""
    rows = [
        {"id": n + 1, "source": Source.FLICKR, "class_name": f"class{n % 20}", "keyword": f"k{n}"}
        for n in range(QUERIES)
    ]
    with party.catalogue.writing() as session:
        session.execute(insert(Query), rows)


def fill(party: Party, numbers: Sequence[int], owners: int, more: int) -> None:
    """Fetched photos of `more` owners after the first `owners`, their images and searches."""
    with party.catalogue.writing() as session:
        first = (session.scalar(select(func.max(Image.id))) or 0) + 1
        images = [_image(first + at, n) for at, n in enumerate(numbers)]
        session.execute(insert(Image), images)
        session.execute(
            insert(Photo),
            [
                _photo(n, owners + n * 7919 % more, image_id=first + at)
                for at, n in enumerate(numbers)
            ],
        )
        session.execute(insert(Search), [_search(n) for n in numbers[::10]])
        if session.get_bind().dialect.name == "postgresql":  # it does not look at given ids
            session.execute(text(_COUNT_ON), {"last": first + len(images) - 1})


def take_statistics(party: Party) -> None:
    """On PostgreSQL count what the tables hold, as its autovacuum does where rows come slowly."""
    with party.catalogue.writing() as session:
        if session.get_bind().dialect.name == "postgresql":
            session.execute(text("ANALYZE"))


def make_found(number: int, owner: int, rng: random.Random) -> FoundPhoto:
    """A photograph as a search shows it, uploaded at a random moment of 19 years."""
    return FoundPhoto(
        source_id=str(number),
        owner_id=f"owner {owner}",
        owner_name=f"owner {owner}",
        title="A photograph with a title of the usual length",
        tags="cat garden summer",
        licence_id="4",
        taken_at_text="2014-06-01 12:00:00",
        taken_at_unknown=False,
        uploaded_at=NOW - timedelta(minutes=rng.randrange(10**7)),
        image_url=f"https://live.staticflickr.com/65535/{number}_0123456789.jpg",
        promised_width=500,
        promised_height=375,
        is_photograph=True,
    )


def _image(image_id: int, number: int) -> dict[str, object]:
    return {
        "id": image_id,
        "sha256": digest_of(number),
        "width": 500,
        "height": 375,
        "bytes": 110_000,
        "stored_at": NOW,
        "state": ImageState.POOL,
        "state_at": NOW,
    }


def _photo(number: int, owner: int, *, image_id: int) -> dict[str, object]:
    """As `insert_found` and `record_kept` leave it."""
    return {
        "source": Source.FLICKR,
        "source_id": str(number),
        "state": PhotoState.FETCHED,
        "owner_id": f"owner {owner}",
        "owner_name": f"owner {owner}",
        "title": "A photograph with a title of the usual length",
        "tags": "cat garden summer",
        "licence_id": "4",
        "licence_name": "CC BY 2.0",
        "licence_url": "https://creativecommons.org/licenses/by/2.0/",
        "taken_at_text": "2014-06-01 12:00:00",
        "taken_at_unknown": False,
        "uploaded_at": NOW - timedelta(minutes=number * 7919 % 10**7),
        "page_url": f"https://www.flickr.com/photos/owner/{number}",
        "image_url": f"https://live.staticflickr.com/65535/{number}_0123456789.jpg",
        "promised_width": 500,
        "promised_height": 375,
        "query_id": 1 + number % QUERIES,
        "window_start_at": WEEK.start,
        "window_end_at": WEEK.end,
        "result_page": 1,
        "found_at": NOW,
        "fetched_at": NOW,
        "attempts": 1,
        "image_id": image_id,
    }


def _search(number: int) -> dict[str, object]:
    return {
        "query_id": 1 + number // 10 % QUERIES,
        "dates": "upload",
        "licence_ids": "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
        "window_start_at": WEEK.start,
        "window_end_at": WEEK.end,
        "page": 1,
        "matches": 3000,
        "returned": 500,
        "fresh": 40,
        "searched_at": NOW,
    }


def digest_of(number: int) -> str:
    """A SHA-256 that no other number has."""
    return hashlib.sha256(str(number).encode()).hexdigest()
