"""Near its target a run looks often at what others fetched, so that little comes too much."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.party import Party
from catalog.states import ImageState
from collect.job import Order, load_progress, run_collect
from collect.snapshots import Snapshot
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.server import StandIn
from tests.rows import make_image

from .clocks import NOON
from .flickrs import CLASSES, at_flickr, make_library

TARGET = 30


@pytest.fixture
def flickr(tmp_path: Path) -> Iterator[StandIn]:
    with StandIn(make_library(tmp_path / "pictures", 40), cache_folder=tmp_path / "c") as running:
        running.faults = Faults((parse_rule("image:latency@600=1"),))
        yield running


def add_images(party: Party, count: int) -> None:
    with party.catalogue.writing() as session:
        for number in range(count):
            session.add(make_image(f"{number:064}", NOON, state=ImageState.FETCHED))


@pytest.mark.slow
def test_a_run_ends_soon_after_others_have_filled_its_target(party: Party, flickr: StandIn) -> None:
    seen: list[int] = []

    def watch(snapshot: Snapshot) -> None:
        if not seen:
            add_images(party, TARGET)
        seen.append(snapshot.fetched)

    at = at_flickr(party, flickr, workers=1)
    summary = run_collect(at, Order(TARGET, CLASSES), watch=watch)
    assert load_progress(party) == TARGET + summary.fetched
    assert summary.fetched <= 3  # two come in a second
    assert seen[-1] == load_progress(party)
