"""The organisers' page: each action does what it says, with a reason, and stands in the log."""

from __future__ import annotations

import re

import pytest

from challenge import editions
from challenge.pages.organising import PUBLISHED
from challenge.worker import score_next
from tests.challenge.contests import AFTER, LATER, enter, join, score_all

from .house import House


@pytest.fixture(autouse=True)
def _score_here(score_here: None) -> None:
    """Score in this process."""


def test_a_team_that_is_invited_gets_a_link_that_is_shown_once(house: House) -> None:
    olga = house.organiser()
    page = olga.submit("/organise/teams", name="Example Lab", contact="ann@example.org").text
    link = re.search(r"/enter/([\w-]{20,})", page)
    assert link
    assert "Nothing was sent yet" in house.enter(link[1]).get("/team").text
    assert link[1] not in olga.get("/organise").text
    renewed = re.search(r"/enter/([\w-]{20,})", olga.submit("/organise/teams/1/link").text)
    assert renewed
    assert house.stranger().get(f"/enter/{link[1]}").status_code == 404
    assert house.enter(renewed[1]).get("/team").status_code == 200
    taken = olga.submit("/organise/teams", name="example lab", contact="")
    assert (taken.status_code, "or one like it" in taken.text) == (422, True)


def test_an_entry_is_hidden_disqualified_with_a_public_reason_and_shown_again(
    house: House,
) -> None:
    entrant = join(house.challenge)
    number = enter(house.challenge, entrant)
    score_all(house.challenge)
    house.at = AFTER
    house.enter("token of ann").submit(f"/submissions/{number}/publish")
    olga = house.organiser()
    stranger = house.stranger()
    path = f"/organise/entries/{number}"
    assert "prior" in stranger.get("/board/comp3").text
    assert olga.submit(f"{path}/hide", reason="").status_code == 422
    assert olga.submit(f"{path}/hide", reason="asked for").status_code == 303
    assert "prior" not in stranger.get("/board/comp3").text
    olga.submit(f"{path}/show", reason="a mistake")
    olga.submit(f"{path}/disqualify", reason="trained on the test set")
    board = stranger.get("/board/comp3").text
    assert "Disqualified by the organisers: trained on the test set" in board
    assert 'class="score"' not in board
    log = olga.get("/organise").text
    for words in ("hide", "asked for", "show", "a mistake", "disqualify"):
        assert f">{words}<" in log or words in log, words


def test_pages_say_that_all_is_scored_again(house: House) -> None:
    challenge = house.challenge
    enter(challenge, join(challenge), now=LATER)
    score_all(challenge, LATER)
    editions.rescore(challenge, "another evaluator", LATER)
    number = enter(challenge, join(challenge, "ben"), now=LATER)
    assert score_next(challenge, lambda: LATER)  # new ones come first
    house.at = LATER
    ben = house.enter("token of ben")
    page = ben.get(f"/submissions/{number}").text
    assert "All entries are being scored again just now" in page
    assert "does not show scores yet" not in page
    ben.submit(f"/submissions/{number}/anonymous")
    link = re.search(r"/anonymous/([\w-]{20,})", ben.get(f"/submissions/{number}").text)
    assert link
    assert "All entries are being scored again just now" in house.stranger().get(link[0]).text
    assert 'data-testid="rescoring"' in house.stranger().get("/board/comp3").text
    score_all(challenge, LATER)
    page = ben.get(f"/submissions/{number}").text
    assert 'data-testid="mean"' in page
    assert "scored again" not in page
    assert 'data-testid="rescoring"' not in house.stranger().get("/board/comp3").text


def test_a_phase_is_extended_and_quota_added(house: House) -> None:
    team_id, method_id = join(house.challenge)
    olga = house.organiser()
    moved = olga.submit("/organise/phases", phase="closed", begins="2026-10-07")
    assert moved.status_code == 303
    assert "2026-10-07 00:00 UTC" in house.stranger().get("/").text
    for begins in ("soon", "2026-10-20"):
        assert olga.submit("/organise/phases", phase="closed", begins=begins).status_code == 422
    path = f"/organise/teams/{team_id}/quota"
    fields = {"period": f"method-{method_id}", "more": "2", "reason": "the server was down"}
    assert olga.submit(path, **fields).status_code == 303
    assert "<td>3 of 3</td>" in house.enter("token of ann").get("/team").text
    for wrong in ({"more": "0"}, {"more": "x"}, {"reason": ""}, {"period": "next week"}):
        assert olga.submit(path, **(fields | wrong)).status_code == 422, wrong


def test_a_new_edition_says_what_moved_once_all_is_scored_and_keeps_the_old_one(
    house: House,
) -> None:
    enter(house.challenge, join(house.challenge))
    score_all(house.challenge)
    olga = house.organiser()
    assert olga.submit("/organise/rescore", reason="an image was withdrawn").status_code == 303
    assert "being scored" in olga.get("/organise").text
    score_all(house.challenge)
    house.at = AFTER
    stranger = house.stranger()
    assert "Edition 2" in stranger.get("/board/comp3").text
    assert "This is edition 1 of the board" in stranger.get("/board/comp3?edition=1").text
    assert "an image was withdrawn" in stranger.get("/board/comp3/history").text
    assert stranger.get("/board/comp3?edition=3").status_code == 404


def test_the_end_needs_the_name_of_the_release_and_a_closed_challenge(house: House) -> None:
    olga = house.organiser()
    release = re.search(r"Type (\S+) to publish", olga.get("/organise").text)
    assert release
    assert olga.submit("/organise/end", sure="yes").status_code == 422
    assert olga.submit("/organise/end", sure=release[1]).status_code == 403
    house.at = AFTER
    assert olga.submit("/organise/end", sure=release[1]).status_code == 303
    assert (house.challenge.folder / PUBLISHED).is_dir()
    assert "The labels were published on" in house.stranger().get("/").text
