"""Near its target a run looks often at what others fetched, so that little comes too much."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.party import Party
from catalog.states import ImageState
from collect.job import Order, load_progress, run_collect
from collect.snapshots import Snapshot
from simulate.flickr.server import StandIn
from tests.rows import make_image

from .clocks import NOON
from .flickrs import CLASSES, at_flickr, make_library
from .holding import Holding

TARGET = 30


@pytest.fixture
def flickr(tmp_path: Path) -> Iterator[StandIn]:
    with StandIn(make_library(tmp_path / "pictures", 40), cache_folder=tmp_path / "c") as running:
        yield running


def add_images(party: Party, count: int) -> None:
    with party.catalogue.writing() as session:
        for number in range(count):
            session.add(make_image(f"{number:064}", NOON, state=ImageState.FETCHED))


@pytest.mark.slow
def test_a_run_ends_soon_after_others_have_filled_its_target(
    party: Party, flickr: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No image comes before the run has looked twice, which far from its target it never would."""
    monkeypatch.setattr("collect.worker_threads.RECOUNT_EVERY_SECS", 1000.0)
    flickr.faults = holding = Holding()
    seen: list[int] = []

    def watch(snapshot: Snapshot) -> None:
        if seen:
            holding.release.set()
        else:
            add_images(party, TARGET)
        seen.append(snapshot.fetched)

    at = at_flickr(party, flickr, workers=1)
    summary = run_collect(at, Order(TARGET, CLASSES), watch=watch)
    assert load_progress(party) == TARGET + summary.fetched
    assert summary.fetched <= 1  # what it had in hand
    assert seen[-1] == load_progress(party)
