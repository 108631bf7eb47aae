"""A change says for whom and in which party its page was opened; one place compares it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.party import Party, make_party, open_party
from catalog.states import Role

from .house import API, Browser, House, error_of, revision, thing
from .test_roles import list_calls

NOT_COMPARED = {
    "signin.enter": "signing in begins the session; no page of a person was open",
    "signin.join": "signing in with a party code begins the session, too",
    "signin.sign_out": "ends the session of this browser, whoever is in it; writes no work",
}
FORMS = {"signin.renew_own_link"}
"""Their answers are pages, and a field of the form says for whom its page was opened."""


@pytest.fixture
def other_party(tmp_path: Path) -> Iterator[Party]:
    make_party(tmp_path / "other", name="Other party", preset="voc2012")
    with open_party(tmp_path / "other") as party:
        yield party


def sign_in_there(house: House, page: Browser, name: str, role: Role) -> None:
    """Another person signs in in a second tab: the page has their cookie and their token."""
    other = house.enter(house.add_person(name, role))
    cookie = other.http.get_cookie("vocparty")
    assert cookie is not None
    page.http.set_cookie("vocparty", cookie.value)
    page.csrf_token = other.csrf_token


def require_compared_form(house: House, page: Browser, path: str) -> None:
    def send(opened_for: object) -> int:
        form = {"csrf_token": page.csrf_token, "opened_for": json.dumps(opened_for)}
        return page.http.post(path, data=form).status_code

    away = {"person_id": house.person("zoe").id, "party_id": "another party"}
    assert send(page.opened_for) == 409
    assert send(away) == 409
    for unsaid in (None, {}, {"person_id": 1}, {"person_id": "1", "party_id": "x"}):
        assert send(unsaid) == 422, unsaid


@pytest.mark.parametrize("role", list(Role))
def test_no_changing_route_acts_for_another_person_or_party(house: House, role: Role) -> None:
    page = house.olga()
    sign_in_there(house, page, "zoe", role)
    compared = set()
    for endpoint, method, path in list_calls(house.app):
        if method == "GET" or endpoint in NOT_COMPARED:
            continue
        compared.add(endpoint)
        if endpoint in FORMS:
            require_compared_form(house, page, path)
            continue
        send = page.post if method == "POST" else page.put
        assert error_of(send(path, {}))[:2] == (409, "other_person"), endpoint
        here = page.opened_for
        away = {"person_id": house.person("zoe").id, "party_id": "another party"}
        assert error_of(send(path, {"opened_for": away}))[:2] == (409, "other_party"), endpoint
        for unsaid in (None, {}, {"person_id": 1}, {"person_id": "1", "party_id": "x"}):
            refused = error_of(send(path, {"opened_for": unsaid}))
            assert refused == (422, "invalid", "opened_for"), (endpoint, unsaid)
        assert page.opened_for == here
    changing = {endpoint for endpoint, method, _ in list_calls(house.app) if method != "GET"}
    assert changing == compared | set(NOT_COMPARED)


def test_a_form_that_does_not_say_for_whom_its_page_was_opened_changes_nothing(
    house: House,
) -> None:
    ann = house.ann()
    link = house.person("ann").credential_sha256
    for field in ("", "?", '"\\ud800"', "9" * 5_000, "[" * 100_000):
        form = {"csrf_token": ann.csrf_token, "opened_for": field}
        assert ann.http.post("/welcome/link", data=form).status_code == 422, field[:9]
    for body in (b"?", b"[]", json.dumps({"opened_for": ann.opened_for}).encode()):
        more = {"content_type": "application/json", "headers": {"X-CSRFToken": ann.csrf_token}}
        assert ann.http.post("/welcome/link", data=body, **more).status_code == 422, body
    assert house.person("ann").credential_sha256 == link


def test_a_page_of_one_person_saves_nothing_in_the_name_of_another(any_house: House) -> None:
    ann, task = any_house.begin()
    sign_in_there(any_house, ann, "bob", Role.ANNOTATOR)
    refused = ann.save(task, finish=False)
    assert error_of(refused)[:2] == (409, "other_person")
    said = refused.get_json()["error"]["message"]
    assert said.startswith("bob signed in in this browser")
    assert "Reload the page" in said
    assert any_house.revisions(task["image_id"]) == []
    assert [lease.person_id for lease in any_house.leases()] == [any_house.person("ann").id]


def test_a_restored_or_copied_party_is_the_same_and_another_one_is_not(
    house: House, other_party: Party
) -> None:
    ann, task = house.begin()
    again = House(house.party)
    other = House(other_party)
    assert again.window_of(ann).save(task, finish=False).status_code == 201
    other.add_image()
    page = other.ann()
    page.opened_for = ann.opened_for  # of the same number, at the same address
    assert error_of(page.post(f"{API}/tasks/annotate"))[:2] == (409, "other_party")
    assert other.leases() == []


def test_two_parties_with_one_session_key_are_not_mistaken(
    house: House, other_party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOCPARTY_SESSION_KEY", "k" * 40)
    ours = House(house.party)
    theirs = House(other_party)
    first = ours.ann().opened_for
    second = theirs.ann().opened_for
    assert first["person_id"] == second["person_id"]
    assert first["party_id"] != second["party_id"]


def test_pages_carry_the_person_and_party_that_they_were_opened_for(house: House) -> None:
    olga = house.olga()
    said = f'"person_id": {olga.opened_for["person_id"]}'
    for path in ("/", "/annotate", "/check", "/board", "/history", "/guidelines", "/training"):
        page = olga.get(path).text.replace("&#34;", '"')
        assert 'name="opened-for"' in page, path
        assert said in page, path
        assert olga.opened_for["party_id"] in page, path


def test_a_body_that_is_no_object_is_refused_for_what_it_is(house: House) -> None:
    ann, task = house.begin()
    path = f"{API}/images/{task['image_id']}/revisions"
    assert error_of(ann.post(path, [revision(None, [thing()])])) == (422, "invalid", None)
