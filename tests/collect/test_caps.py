"""Caps of owners and their days, also of two collectors at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from catalog.party import Party, open_party
from catalog.settings import CollectSettings
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.caps import Room, choose_within, load_room
from collect.results import LICENCES, FoundPhoto
from simulate.flickr.folder import read_library
from simulate.flickr.server import StandIn
from simulate.flickr.table import write_table

from .clocks import NOON
from .pictures import jpeg_bytes
from .rows import add_photos
from .test_kill import Start, make, start

__all__ = ["start"]


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


OWNERS, DAYS, EACH_DAY = 3, 6, 6
PER_OWNER, PER_DAY, PER_SEARCH = 4, 1, 2
THREADS, ROUNDS = 8, 6


@pytest.fixture
def query_id(any_party: Party) -> int:
    with any_party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_name="cat", keyword="cat")
        session.add(query)
        session.flush()
        return query.id


def make_bursts(folder: Path) -> Path:
    """Photographs of few owners who upload many a day."""
    folder.mkdir()
    rows = []
    for number in range(OWNERS * DAYS * EACH_DAY):
        name, day = f"{number:04}.jpg", number // OWNERS % DAYS
        (folder / name).write_bytes(jpeg_bytes(200, 150, tint=number * 9))
        at = NOON - timedelta(days=100 + 40 * day) + timedelta(minutes=number)
        rows.append(
            {
                "file": name,
                "title": "Our " + ("cat", "sheep", "sofa")[number % 7 % 3],
                "licence": "4",
                "owner": f"owner {number % OWNERS}",
                "uploaded": f"{at:%Y-%m-%d %H:%M}",
            }
        )
    write_table(folder, rows)
    return folder


def test_processes_that_draw_at_once_never_exceed_the_caps(
    tmp_path: Path, start: Start, any_catalogue: dict[str, Any]
) -> None:
    caps = {
        "photos_per_owner": PER_OWNER,
        "photos_per_owner_and_day": PER_DAY,
        "photos_per_search": PER_SEARCH,
        "workers": 3,
    }
    with StandIn(read_library(make_bursts(tmp_path / "bursts"))) as flickr:
        folder = make(tmp_path / "party", flickr, **any_catalogue)
        settings = (folder / "party.toml").read_text()
        for key, value in caps.items():
            settings = _set(settings, key, value)
        (folder / "party.toml").write_text(settings)
        running = [start(folder, "--target", str(OWNERS * PER_OWNER)) for _ in range(4)]
        for process in running:
            _out, err = process.communicate(timeout=240)
            assert process.returncode in (0, 1), err
            assert "Traceback" not in err
    with open_party(folder) as party, party.catalogue.reading() as session:
        photos = session.scalars(select(Photo)).all()
    owners = Counter(photo.owner_id for photo in photos)
    assert owners == dict.fromkeys(owners, PER_OWNER)  # reached, and not exceeded
    assert len(owners) == OWNERS
    days = Counter((photo.owner_id, f"{photo.uploaded_at:%Y-%m-%d}") for photo in photos)
    assert max(days.values()) == PER_DAY
    searches = Counter(
        (photo.query_id, photo.window_start_at, photo.result_page, photo.found_at)
        for photo in photos
    )
    assert max(searches.values()) <= PER_SEARCH


def _set(text: str, key: str, value: object) -> str:
    lines = [line for line in text.splitlines() if not line.startswith(f"{key} =")]
    lines.insert(lines.index("[collect]") + 1, f"{key} = {value}")
    return "\n".join(lines) + "\n"
