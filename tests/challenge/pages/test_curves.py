"""The pages of curves and of people as a method."""

from __future__ import annotations

from pathlib import Path

import pytest

from challenge import publishing
from challenge.values import Interval, People, PeopleRow
from tests.challenge.contests import AFTER, LATER, enter, score_all
from tests.challenge.pages.conftest import make_board

from .house import House

NOTHING = Interval(None)


def test_curves_are_drawn_once_the_labels_are_published(
    house: House, score_here: None, tmp_path: Path
) -> None:
    ann, *entrant = house.team()
    number = enter(house.challenge, (entrant[0], entrant[1]))
    score_all(house.challenge)
    house.at = AFTER
    ann.submit(f"/submissions/{number}/publish")
    stranger = house.stranger()
    assert "/board/comp3/curves" in stranger.get("/board/comp3").text
    assert "/board/comp5/curves" not in stranger.get("/board/comp5").text
    for browser in (ann, stranger):
        page = browser.get("/board/comp3/curves").text
        assert "once the labels are published" in page
        assert "<polyline" not in page
    publishing.publish_end(house.challenge, tmp_path / "out", LATER)
    page = stranger.get("/board/comp3/curves?class=person").text
    assert page.count("<polyline") == 1
    assert "<strong>person</strong>" in page
    assert "prior" in page
    assert "<strong>cat</strong>" in stranger.get("/board/comp3/curves?class=nowhere").text
    assert "No published entry has a curve here" in stranger.get("/board/comp4/curves").text
    assert stranger.get("/board/comp99/curves").status_code == 404


def test_people_stand_below_the_board_with_what_was_compared(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = {"precision": Interval(81.5, 70.0, 90.0), "recall": Interval(77.1)}
    row = PeopleRow("", **measures, overlap=NOTHING, ap=Interval(60.3), iou=NOTHING)
    people = People(images=40, people=3, rows=[row])
    shown = make_board(people=people)
    monkeypatch.setattr("challenge.board.load_board", lambda *_args, **_more: shown)
    page = house.stranger().get("/board/comp3").text
    for words in ("People as a method", "40 of the test images", "3 people", "81.5", "70.0–90.0"):
        assert words in page, words
