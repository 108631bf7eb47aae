"""Teams and organisers come in by a personal link, and only as themselves."""

from __future__ import annotations

from challenge import organisers, teams
from tests.challenge.contests import OPEN

from .house import House


def test_a_link_changes_nothing_until_its_button_is_pressed(house: House) -> None:
    ann, *_ = house.team()
    assert "prior" in ann.get("/team").text
    page = house.stranger().get("/enter/token%20of%20ann")
    assert (page.status_code, "<strong>ann</strong>" in page.text) == (200, True)
    assert house.stranger().get("/team").status_code == 401


def test_a_wrong_link_opens_nothing_and_guesses_are_limited(house: House) -> None:
    browser = house.stranger()
    answers = [browser.get(f"/enter/guess-{number}").status_code for number in range(31)]
    assert answers == [404] * 30 + [429]


def test_a_renewed_link_and_an_erased_team_end_their_sessions(house: House) -> None:
    ann, team_id, _ = house.team()
    with house.challenge.catalogue.writing() as session:
        teams.renew_link(session, team_id, token="newer", now=OPEN)
    assert ann.get("/team").status_code == 401
    again = house.enter("newer")
    assert again.get("/team").status_code == 200
    with house.challenge.catalogue.writing() as session:
        teams.erase(session, team_id, OPEN)
    assert again.get("/team").status_code == 401


def test_a_copy_of_the_cookie_of_an_ended_session_opens_nothing(house: House) -> None:
    ann, *_ = house.team()
    cookie = ann.http.get_cookie("vocchallenge")
    assert cookie is not None
    assert "You are signed out" in ann.submit("/sign-out").text
    thief = house.stranger()
    thief.http.set_cookie("vocchallenge", cookie.value)
    assert thief.get("/team").status_code == 401


def test_the_link_of_an_organiser_that_was_ended_opens_nothing(house: House) -> None:
    olga = house.organiser()
    assert olga.get("/organise").status_code == 200
    with house.challenge.catalogue.writing() as session:
        organisers.end(session, "olga")
    assert olga.get("/organise").status_code == 401


def test_a_program_with_the_link_of_an_organiser_is_no_team(house: House) -> None:
    house.organiser()
    headers = {"Authorization": "Bearer token of olga"}
    answer = house.stranger().http.post("/api/v1/upload", data=b"x", headers=headers)
    assert answer.status_code == 403
