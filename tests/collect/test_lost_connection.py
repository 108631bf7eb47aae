"""The catalogue's server goes away in the middle: nothing is lost, and nothing comes twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from catalog.party import Party, open_party
from catalog.states import PhotoState
from catalog.tables import Photo
from collect.job import load_progress
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.server import StandIn
from tests.postgres import Server, running_server
from tests.warm import Warm

from .test_job import check_that_totals_add_up
from .test_kill import Start, make, start, wait_for_images

__all__ = ["start"]

TARGET = 40
LOSSES = 2
IN_HAND = 9  # files of 3 workers


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server of the module's own, since it is stopped."""
    with running_server() as server:
        yield server


@pytest.fixture
def flickr(large_flickr: StandIn) -> StandIn:
    large_flickr.faults = Faults((parse_rule("latency@20=1"),))
    return large_flickr


def end(process: Warm) -> None:
    """The collector either goes on to its target or says in one sentence why it does not."""
    out, err = process.communicate(timeout=240)
    assert "Traceback" not in err
    assert out.startswith("Fetched ")
    assert process.returncode == 0 or (
        process.returncode == 1
        and "Error: Cannot use the catalogue: " in err
        and "run the same command again when this is fixed" in err
    )


def count_fetched(party: Party) -> int:
    with party.catalogue.reading() as session:
        is_fetched = Photo.state == PhotoState.FETCHED
        return session.scalar(select(func.count()).select_from(Photo).where(is_fetched)) or 0


def cut(server: Server, name: str) -> None:
    server.cut_connections(name)


def restart(server: Server, _name: str) -> None:
    server.stop()
    server.start()


@pytest.mark.postgres
@pytest.mark.parametrize("lose", [cut, restart])
def test_a_collector_that_loses_its_catalogue_goes_on_with_the_same_command(
    tmp_path: Path,
    server: Server,
    flickr: StandIn,
    start: Start,
    lose: Callable[[Server, str], None],
) -> None:
    name = server.make_database()
    folder = make(tmp_path / "party", flickr, catalogue=server.url(name))
    with open_party(folder) as party:
        for _ in range(LOSSES):
            before = load_progress(party)
            process = start(folder)
            wait_for_images(party, before + 4, process)  # which this one has fetched
            lose(server, name)
            party.catalogue.close()  # the test's own connections are cut too
            end(process)
        end(start(folder))
        assert load_progress(party) == TARGET
        check_that_totals_add_up(party)
        asked_in_vain = flickr.requests["image"] - count_fetched(party)
        assert asked_in_vain <= IN_HAND * LOSSES


@pytest.mark.postgres
def test_a_collector_without_its_catalogue_says_so_and_asks_for_nothing(
    tmp_path: Path, server: Server, flickr: StandIn, start: Start
) -> None:
    folder = make(tmp_path / "party", flickr, catalogue=server.url(server.make_database()))
    server.stop()
    try:
        process = start(folder)
        _out, err = process.communicate(timeout=240)
    finally:
        server.start()
    assert process.returncode == 1
    assert err.startswith("Error: ")
    assert "Traceback" not in err
    assert flickr.requests.total() == 0
    with open_party(folder) as party:
        assert load_progress(party) == 0
