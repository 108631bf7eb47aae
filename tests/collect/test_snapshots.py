"""How far a run has come, in a line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.party import Party
from catalog.states import Source
from catalog.tables import Query
from collect.call_budget import CallBudget
from collect.outcomes import Outcome
from collect.snapshots import (
    CallNeed,
    ClassProgress,
    Observer,
    Snapshot,
    as_document,
    fit_line,
    format_line,
)
from collect.tally import Tally

from .clocks import TestClock

SNAPSHOT = Snapshot(
    fetched=1200,
    target=5000,
    images_per_sec=31.234,
    secs_to_go=3725.4,
    calls_left=87,
    calls_per_hour=3600,
    gone={"deleted": 3},
    broken={"html": 2, "too_small": 1},
    classes={"aeroplane": ClassProgress(0, 250.0), "cat": ClassProgress(300, 250.0),
             "dog": ClassProgress(0, 0)},
)  # fmt: skip


def test_the_line_says_all_that_an_organiser_wants_to_know() -> None:
    assert format_line(SNAPSHOT) == (
        "1200 of 5000 images, 31.2/s, 1:02:05 to go; calls left 87 (of 3600 an hour); "
        "gone 3, broken 3 (html 2, too small 1)  aer▁ cat█ dog█"
    )


@pytest.mark.parametrize("columns", range(40, 130, 7))
def test_a_narrow_terminal_loses_names_first_and_then_reasons(columns: int) -> None:
    line = fit_line(SNAPSHOT, columns)
    assert len(line) <= columns
    assert "▁██" in line or line == format_line(SNAPSHOT)
    if columns >= 79:
        assert "31.2/s" in line
        assert "(html" in line


def test_the_bars_of_twenty_classes_fit_eighty_columns(party: Party) -> None:
    classes = {name: ClassProgress(100, 250.0) for name in party.preset.class_names}
    line = fit_line(replace(SNAPSHOT, classes=classes), 79)
    assert line.startswith(f"1200/5000 {'▄' * 20} 31.2/s 1:02:05 left, 87 calls, 3 gone, 3 broken")


@pytest.mark.parametrize(
    ("need", "missing", "calls_left", "expected_secs"),
    [
        (CallNeed(10, 100, 0), 0, 0, 0),
        (CallNeed(10, 100, 5), 5, 0, 0),  # those that are missing wait already
        (CallNeed(60, 55, 5), 5, 0, 0),
        (CallNeed(60, 60, 0), 5, 0, 300),  # five calls, at one a minute
        (CallNeed(60, 60, 0), 5, 3, 120),
        (CallNeed(60, 60, 0), 5, 9, 0),
        (CallNeed(10, 100, 0), 3, 0, 60),  # less than a call is a call
        (CallNeed(10, 80, 20), 1020, 40, 3600),
        (CallNeed(7, 0, 0), 2, 0, 14 * 60),
    ],
)
def test_the_time_to_go_includes_the_wait_for_calls(
    need: CallNeed, missing: int, calls_left: int, expected_secs: float
) -> None:
    secs = need.find_secs(missing, calls_left, 60)
    assert secs == pytest.approx(expected_secs, rel=0.06)  # a budget fills a little slower


def test_the_last_images_of_a_run_without_calls_are_not_promised_at_once(party: Party) -> None:
    ahead = CallBudget(party.catalogue, "k3y", 1, TestClock().clock)
    ahead.take()
    tally = Tally()
    for _ in range(55):
        tally.count(Outcome.FETCHED)
    with party.catalogue.writing() as session:
        session.add(Query(source=Source.FLICKR, class_name="cat", keyword="tabby", searches=55))
    settings = replace(party.settings, flickr=replace(party.settings.flickr, calls_per_hour=1))
    seen = Observer(replace(party, settings=settings), 60, tally, ahead).look(55)
    assert seen.calls_left == 0
    assert seen.secs_to_go is not None
    assert seen.secs_to_go > 4 * 3600


def test_a_target_that_was_reached_before_takes_no_time(party: Party) -> None:
    budget = CallBudget(party.catalogue, "k3y", 3600, TestClock().clock)
    observer = Observer(party, 5, Tally(), budget)
    assert observer.look(5).secs_to_go == 0
    assert observer.look(4).secs_to_go is None  # nobody knows yet
    assert format_line(observer.look(6)).startswith("6 of 5 images, 0.0/s, 0:00:00 to go;")


def test_the_document_holds_the_same() -> None:
    document = as_document(SNAPSHOT)
    assert document["images_per_sec"] == 31.23
    assert document["secs_to_go"] == 3725
    assert document["broken"] == {"html": 2, "too_small": 1}
    assert document["classes"]["cat"] == {"images": 300, "target": 250.0}
