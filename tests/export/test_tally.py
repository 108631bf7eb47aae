"""Progress of work that a forked process shares is told as it goes, and never of too much."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from catalog.party import Party
from export.planning import plan_release
from export.release import write_release
from export.tally import Tally

from .rows import NOW


def count_elsewhere(tally: Tally, times: int) -> None:
    """Count in a forked process; it has ended when this returns."""
    process_id = os.fork()
    if process_id == 0:
        for _ in range(times):
            tally.count()
        os._exit(0)
    os.waitpid(process_id, 0)


def test_what_a_fork_did_is_told_with_the_next_that_is_done_here() -> None:
    told: list[int] = []
    tally = Tally(10, told.append)
    tally.count()
    count_elsewhere(tally, 4)
    assert told == [1]
    tally.count()
    count_elsewhere(tally, 2)
    tally.count()
    assert told == [1, 5, 3]
    tally.finish()
    assert told == [1, 5, 3, 1]


def test_what_is_done_again_is_told_once() -> None:
    told: list[int] = []
    tally = Tally(3, told.append)
    count_elsewhere(tally, 2)
    for _ in range(3):
        tally.count()
    tally.finish()
    assert told == [3, 0, 0, 0]


@pytest.mark.parametrize("forks", [True, False])
def test_the_second_half_of_a_releases_pictures_is_told_as_it_goes(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forks: bool
) -> None:
    monkeypatch.setattr("export.forked.can_fork", lambda: forks)
    monkeypatch.setattr("export.pictures.FEWEST_IMAGES", 1)
    plan = plan_release(stocked, year=2026)
    told: list[int] = []
    write_release(stocked, plan, tmp_path / "out", at=NOW, advance=told.append)
    assert sum(told) == len(plan.images) == 8
    written_here = 4 if forks else 8
    assert len(told) == written_here + 1
    assert forks or told == [1] * 8 + [0]
