"""An entry is private until its team publishes it: looked for wherever it could be."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.challenge.contests import AFTER, FIELDS, OPEN, enter, join, make_results, score_all

from .house import API, Browser, House

SECRET = "secret method"


@pytest.fixture(autouse=True)
def _score_here(score_here: None) -> None:
    """Score in this process."""


def enter_secretly(house: House) -> tuple[Browser, int]:
    """The browser of a team whose one entry is scored and private, and the entry's number."""
    entrant = join(house.challenge, "ann", replace(FIELDS, name=SECRET))
    number = enter(house.challenge, entrant)
    public = join(house.challenge, "ben")
    enter(house.challenge, public, make_results(1))
    score_all(house.challenge)
    house.at = AFTER
    ben = house.enter("token of ben")
    assert ben.submit("/submissions/2/publish").status_code == 303
    return house.enter("token of ann"), number


def list_everything(competition: str) -> list[str]:
    board = f"/board/{competition}"
    return [
        "/",
        "/board",
        board,
        f"{board}?edition=1",
        f"{board}?final=yes",
        f"{board}/history",
        *(f"{board}.{form}" for form in ("csv", "tex", "json")),
        *(f"{board}.{form}?edition=1&final=yes" for form in ("csv", "tex", "json")),
        "/submissions/1",
        f"{API}/submissions/1",
        "/methods/1",
        "/anonymous/1",
        "/anonymous/",
    ]


def test_a_private_entry_is_at_no_address_of_a_stranger_or_another_team(house: House) -> None:
    ann, _ = enter_secretly(house)
    assert SECRET in ann.get("/board/comp3").text
    for browser in (house.stranger(), house.enter("token of ben")):
        for path in list_everything("comp3"):
            text = browser.get(path).text
            assert SECRET not in text, path
            assert not re.search(r"\bann\b", text), path


def test_publishing_shows_it_and_withdrawing_and_hiding_take_it_back(house: House) -> None:
    ann, number = enter_secretly(house)
    stranger = house.stranger()
    ann.submit(f"/submissions/{number}/publish")
    assert SECRET in stranger.get("/board/comp3").text
    ann.submit(f"/submissions/{number}/withdraw")
    assert SECRET not in stranger.get("/board/comp3.json").text


def test_an_anonymous_address_has_no_name_and_can_be_ended(house: House) -> None:
    ann, number = enter_secretly(house)
    ann.submit(f"/submissions/{number}/anonymous")
    link = re.search(r"/anonymous/([\w-]{20,})", ann.get(f"/submissions/{number}").text)
    assert link
    stranger = house.stranger()
    page = stranger.get(link[0]).text
    assert "Detection, given data" in page
    assert SECRET not in page
    assert not re.search(r"\bann\b", page)
    ann.submit(f"/submissions/{number}/end-anonymous")
    assert stranger.get(link[0]).status_code == 404


def test_no_score_is_in_any_answer_before_its_phase(house: House) -> None:
    ann, number = enter_secretly(house)
    ann.submit(f"/submissions/{number}/publish")
    house.at = OPEN
    for browser in (ann, house.stranger()):
        assert "No entry is published yet" in browser.get("/board/comp3").text
        assert '"entries": []' in browser.get("/board/comp3.json").text
    page = ann.get(f"/submissions/{number}").text
    assert "The phase does not show scores yet" in page
    assert 'class="score"' not in page
    assert 'class="score"' not in ann.get("/team").text
