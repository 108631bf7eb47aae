"""What the pages show: phases and rules before anything is sent, methods, hostile text as text."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

import pytest

from challenge import board, methods, teams
from challenge.pages.board_files import format_csv, format_json, format_latex
from challenge.values import Board, BoardRow, Interval, MethodFields, Training
from tests.challenge.contests import FIELDS, OPEN, TRAINING

from .conftest import make_board
from .house import House

HOSTILE = """<script>alert(1)</script>"><img src=x onerror=alert(1)>'{{70007*7}}"""
ROW = BoardRow(
    submission_id=1,
    team="ann",
    method="prior",
    method_id=1,
    confirmed_at=OPEN,
    mean=Interval(41.2, 38.0, 44.5),
    classes={"cat": Interval(50.1, 44.0, 55.9), "person": Interval(32.3)},
    ranks=(1, 2),
    is_near_best=True,
    moved=-0.4,
    training=Training.OTHER,
    training_data="COCO",
    mask_source=None,
    notes=("2 own images look like test images",),
)


def test_everything_is_shown_before_the_first_submission(house: House) -> None:
    house.at = TRAINING
    page = house.stranger().get("/").text
    for words in (
        "Training data open",
        "2026-09-01 00:00 UTC",
        "2026-10-12 00:00 UTC",
        "VOC2012: average precision",
        "comp6",
        "1 for each method in the challenge; afterwards 2 for each team and ISO week",
        "10 a day (UTC)",
        "vockit check-results",
        "http://localhost/api/v1/upload?method=NAME",
    ):
        assert words in page, words


def test_every_page_says_so_where_it_has_nothing_yet(house: House) -> None:
    ann, *_ = house.team()
    olga = house.organiser()
    assert "Nothing was sent yet" in ann.get("/team").text
    assert "No entry is published yet" in ann.get("/board").text
    assert "No entry is published yet" in ann.get("/board/comp3/history").text
    assert "No submission was confirmed yet" in olga.get("/organise").text
    assert "has no such competition" in ann.get("/board/comp13").text
    assert ann.get("/board/comp3.xlsx").status_code == 404


def test_a_method_is_added_and_edited_and_what_is_wrong_keeps_what_was_typed(house: House) -> None:
    ann, _, method_id = house.team()
    fields = {"name": "second", "training": "other", "description": "a long text"}
    wrong = ann.submit("/methods/new", **fields)
    assert wrong.status_code == 422
    assert "expected which other data" in wrong.text
    assert "a long text</textarea>" in wrong.text
    assert ann.submit("/methods/new", **fields, training_data="COCO").status_code == 303
    assert "second" in ann.get("/team").text
    taken = ann.submit(f"/methods/{method_id}", name="second", training="given")
    assert (taken.status_code, "You have a method second already" in taken.text) == (422, True)
    assert ann.submit(f"/methods/{method_id}", name="first", training="none").status_code == 422
    changed = ann.submit(f"/methods/{method_id}", name="first", training="given")
    assert changed.status_code == 303
    assert 'value="first"' in ann.get(f"/methods/{method_id}").text


def test_text_of_teams_is_text_on_every_page(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("description", "contributors", "training_data")
    fields: dict[str, Any] = dict.fromkeys(names, HOSTILE)
    with house.challenge.catalogue.writing() as session:
        team = teams.invite(session, HOSTILE, HOSTILE, token="hostile", now=TRAINING)
        method = methods.add(session, team.id, MethodFields(name=HOSTILE, **fields), TRAINING)
        method_id = method.id
    ann = house.enter("hostile")
    row = replace(ROW, team=HOSTILE, method=HOSTILE, training_data=HOSTILE, notes=(HOSTILE,))
    row = replace(row, disqualified_for="")
    shown = make_board(row, replace(row, disqualified_for=HOSTILE), ranks=[HOSTILE])
    monkeypatch.setattr(board, "load_board", lambda *_args, **_more: shown)
    monkeypatch.setattr(board, "load_history", lambda *_args, **_more: [row])
    monkeypatch.setattr(board, "find_anonymous", lambda *_args, **_more: {"comp3": row})
    olga = house.organiser()
    for browser, path in (
        *((ann, path) for path in ("/team", f"/methods/{method_id}", "/board")),
        (ann, "/board/comp3/history"),
        (ann, "/anonymous/code"),
        (olga, "/organise"),
        (house.stranger(), "/enter/hostile"),
    ):
        answer = browser.get(path)
        assert "<script>alert" not in answer.text, path
        assert "<img src=x" not in answer.text, path
        assert "490049" not in answer.text, path


def test_the_board_has_intervals_ranks_and_marks_next_to_each_entry(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = replace(ROW, method="mine", is_private=True, is_near_best=False)
    shown = make_board(ROW, mine, replace(ROW, disqualified_for="copied labels"), ranks=["Tested."])
    monkeypatch.setattr(board, "load_board", lambda *_args, **_more: shown)
    page = house.stranger().get("/board/comp3").text
    for words in (
        "41.2",
        "38.0–44.5",
        "-0.4",
        "1–2",
        "not separated from the best",
        "2 own images look like test images",
        "COCO",
        "private: only you see it",
        "Disqualified by the organisers: copied labels",
        "Tested.",
    ):
        assert words in page.replace("</small>", "").replace("\n", " "), words


def test_a_formula_is_text_in_the_table_that_a_spreadsheet_opens() -> None:
    row = replace(ROW, team="=HYPERLINK(1)", method="@cmd", training_data="+1\n-2")
    lines = list(csv.reader(io.StringIO(format_csv(make_board(row)))))
    assert lines[1][:2] == ["'=HYPERLINK(1)", "'@cmd"]
    assert all(not cell.startswith(("=", "@", "+", "-")) for cell in lines[1])
    assert dict(zip(lines[0], lines[1], strict=True))["mean low"] == "38.0"


def test_the_files_have_what_the_board_has() -> None:
    shown = make_board(replace(ROW, method="50 % & {more}_\\input"))
    assert r"50 \% \& \{more\}\_" in format_latex(shown)
    assert r"\input" not in format_latex(shown)
    entry = json.loads(format_json(shown))["entries"][0]
    assert entry["mean"] == {"score": 41.2, "low": 38.0, "high": 44.5}
    assert entry["classes"]["person"] == {"score": 32.3, "low": None, "high": None}


def test_a_private_entry_is_in_no_file_and_nobody_elses_board(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[int | None]()

    def load(*_args: object, team_id: int | None = None, **_more: object) -> Board:
        asked.append(team_id)
        return make_board()

    monkeypatch.setattr(board, "load_board", load)
    ann, team_id, _ = house.team(fields=FIELDS)
    ann.get("/board/comp3")
    ann.get("/board/comp3.json")
    house.organiser().get("/board/comp3")
    house.stranger().get("/board/comp3")
    assert asked == [team_id, None, None, None]
