"""Caps hold whoever draws at the same time: threads, processes, on both databases."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party, open_party
from catalog.states import Source
from catalog.tables import Photo, Query
from collect.caps import Caps, choose_within, load_room, lock_caps
from collect.found import Finding, insert_found
from collect.licences import get_licences
from simulate.flickr.folder import read_library
from simulate.flickr.server import StandIn
from simulate.flickr.table import write_table

from .clocks import NOON
from .pictures import jpeg_bytes
from .test_caps import photo
from .test_kill import Start, make, start

__all__ = ["start"]

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


def test_threads_that_choose_at_once_never_exceed_the_caps(any_party: Party, query_id: int) -> None:
    licences, gate = get_licences(["4"]), threading.Barrier(THREADS)

    def choose(session: Session, thread: int, number: int) -> int:
        lock_caps(session)
        room = load_room(session, ["ann"], Caps(PER_OWNER, PER_DAY))
        own = [photo(number * 1000 + thread * 10 + day, day=day) for day in (1, 2, 3)]
        chosen = choose_within([replace(it, image_url="x") for it in own], room, PER_SEARCH)
        return insert_found(session, chosen, Finding(query_id, None, 1, NOON), licences)

    def draw(thread: int) -> int:
        found = 0
        for number in range(ROUNDS):
            gate.wait(30)
            with any_party.catalogue.writing() as session:
                found += choose(session, thread, number)
        return found

    with ThreadPoolExecutor(THREADS) as threads:
        found = sum(threads.map(draw, range(THREADS)))
    with any_party.catalogue.reading() as session:
        days = Counter(session.scalars(select(Photo.uploaded_at).where(Photo.owner_id == "ann")))
    assert found == days.total() == 3  # one for each day; the owner has room for four
    assert max(days.values()) == PER_DAY


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


@pytest.mark.slow
@pytest.mark.parametrize(
    "database", ["sqlite", pytest.param("postgres", marks=[pytest.mark.postgres])]
)
def test_processes_that_draw_at_once_never_exceed_the_caps(
    tmp_path: Path, start: Start, request: pytest.FixtureRequest, database: str
) -> None:
    values = {}
    if database == "postgres":
        values["catalogue"] = request.getfixturevalue("postgres_url")
    caps = {
        "photos_per_owner": PER_OWNER,
        "photos_per_owner_and_day": PER_DAY,
        "photos_per_search": PER_SEARCH,
        "window_days": 5000,
        "workers": 3,
    }
    with StandIn(read_library(make_bursts(tmp_path / "bursts"))) as flickr:
        folder = make(tmp_path / "party", flickr, **values)
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
