"""Personal links, sessions and their ends."""

import time
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import create_engine, select

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.settings import ServeSettings
from catalog.states import Role
from catalog.tables import Person
from vockit.errors import ServeError
from web.sessions import load_secret_key
from work.people import end_link, renew_link

from .house import API, House, find_csrf_token


def test_opening_a_link_changes_nothing_and_the_button_signs_in(house: House) -> None:
    token = house.add_person("ann")
    browser = house.stranger()
    page = browser.get(f"/enter/{token}")
    assert page.status_code == 200
    assert "<strong>ann</strong> (annotator)" in page.text
    assert browser.get(f"{API}/session").status_code == 401
    assert house.person("ann").seen_at is None
    answer = browser.http.post(f"/enter/{token}", data={"csrf_token": find_csrf_token(page.text)})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/training?new=yes")
    expected = {"id": house.person("ann").id, "name": "ann", "role": "annotator"}
    assert browser.get(f"{API}/session").get_json()["person"] == expected
    assert house.person("ann").seen_at == house.clock.at


def test_who_was_seen_by_a_clock_that_was_ahead_is_seen_again(house: House) -> None:
    now = house.clock.at
    house.clock.at = now + timedelta(days=365)
    ann = house.ann()
    ann.get(f"{API}/session")
    house.clock.at = now
    ann.take()
    assert house.person("ann").seen_at == now


def sign_in(house: House, token: str) -> str:
    """Sign in by a link; return the address that its button leads to."""
    browser = house.stranger()
    form = {"csrf_token": find_csrf_token(browser.get(f"/enter/{token}").text)}
    return browser.http.post(f"/enter/{token}", data=form).headers["Location"]


def test_an_annotator_first_gets_the_guidelines_and_later_work(house: House) -> None:
    token = house.add_person("ann")
    expected = ["/training?new=yes", "/annotate", "/annotate"]
    assert [sign_in(house, token) for _ in range(3)] == expected


def test_a_forged_button_and_an_unknown_link_do_not_sign_in(house: House) -> None:
    token = house.add_person("ann")
    browser = house.stranger()
    answer = browser.http.post(f"/enter/{token}", data={"csrf_token": "forged"})
    assert answer.status_code == 400
    assert browser.get(f"{API}/session").status_code == 401
    answer = browser.get("/enter/unknown")
    assert answer.status_code == 404
    assert "This link is unknown; perhaps it was not copied whole" in answer.text
    csrf = find_csrf_token(browser.get(f"/enter/{token}").text)
    assert browser.http.post("/enter/unknown", data={"csrf_token": csrf}).status_code == 404


def test_a_revoked_link_says_so(house: House) -> None:
    token = house.add_person("ann")
    with house.party.catalogue.writing() as session:
        end_link(session, "ann", at=house.clock.at)
    answer = house.stranger().get(f"/enter/{token}")
    assert (answer.status_code, "This link was revoked" in answer.text) == (404, True)


def test_only_the_digest_of_a_token_is_stored(house: House) -> None:
    token = house.add_person("ann")
    with house.party.catalogue.reading() as session:
        stored = session.scalars(select(Person.credential_sha256)).all()
    assert stored == [digest_of(token.encode())]


def test_the_cookie_is_http_only_same_site_and_holds_no_token(house: House) -> None:
    token = house.add_person("ann")
    browser = house.stranger()
    form = {"csrf_token": find_csrf_token(browser.get(f"/enter/{token}").text)}
    plain = browser.http.post(f"/enter/{token}", data=form).headers["Set-Cookie"]
    assert "HttpOnly" in plain
    assert "SameSite=Lax" in plain
    assert "Secure" not in plain
    assert "Expires=" in plain
    assert token not in plain
    secure = browser.http.post(f"/enter/{token}", data=form, base_url="https://localhost")
    assert secure.status_code == 400  # the cookie of http is not that of https in this client
    page = browser.get(f"/enter/{token}", base_url="https://localhost")
    form = {"csrf_token": find_csrf_token(page.text)}
    answer = browser.http.post(f"/enter/{token}", data=form, base_url="https://localhost")
    assert answer.headers["Set-Cookie"].startswith("__Host-vocparty=")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert "Domain" not in answer.headers["Set-Cookie"]
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in browser.get("/join").headers


def test_renewing_an_ended_link_does_not_revive_its_sessions(house: House) -> None:
    ann = house.ann()
    with house.party.catalogue.writing() as session:
        end_link(session, "ann", at=house.clock.at)
        renew_link(session, "ann", token="new")
    assert ann.get(f"{API}/session").status_code == 401
    assert house.enter("new").get(f"{API}/session").status_code == 200


def test_signing_out_ends_only_this_session(any_house: House) -> None:
    token = any_house.add_person("ann")
    ann = any_house.enter(token)
    elsewhere = any_house.enter(token)
    copied = any_house.window_of(ann)
    answer = ann.http.post("/sign-out", data={"csrf_token": ann.csrf_token})
    assert answer.status_code == 200
    assert "You are signed out" in answer.text
    assert ann.get(f"{API}/session").status_code == 401
    assert ann.http.post("/sign-out").status_code == 400
    assert copied.get(f"{API}/session").status_code == 401
    assert elsewhere.get(f"{API}/session").status_code == 200


def test_signing_out_while_another_process_writes_says_busy(party: Party) -> None:
    house = House(party, patience_secs=0.2)
    ann = house.ann()
    other = create_engine(house.party.catalogue.engine.url, isolation_level="AUTOCOMMIT")
    with other.connect() as lock:
        lock.exec_driver_sql("BEGIN IMMEDIATE")
        form = {"csrf_token": ann.csrf_token}
        answer = ann.http.post("/sign-out", data=form)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
        assert "The catalogue is busy." in answer.text
        assert ann.get(f"{API}/session").status_code == 200
        lock.exec_driver_sql("ROLLBACK")
    other.dispose()
    assert ann.http.post("/sign-out", data=form).status_code == 200
    assert ann.get(f"{API}/session").status_code == 401


@pytest.mark.parametrize(("minutes", "status"), [(1, 200), (-1, 200), (-1500, 200), (73 * 60, 401)])
def test_differing_or_jumping_clocks_sign_no_one_out(
    house: House, monkeypatch: pytest.MonkeyPatch, minutes: int, status: int
) -> None:
    ann = house.ann()
    at = time.time()
    monkeypatch.setattr(time, "time", lambda: at + 60 * minutes)
    house.clock.advance(60 * minutes)
    assert ann.get(f"{API}/session").status_code == status


def test_an_organiser_also_needs_the_password_if_one_is_set(house: House) -> None:
    serve = ServeSettings(organiser_password="a long one")
    house = House(replace(house.party, settings=replace(house.party.settings, serve=serve)))
    token = house.add_person("olga", Role.ORGANISER)
    olga = house.stranger()
    form = {"csrf_token": find_csrf_token(olga.get(f"/enter/{token}").text)}
    for password, status in (("", 403), ("a wrong one", 403), ("a long one", 303)):
        answer = olga.http.post(f"/enter/{token}", data=form | {"password": password})
        assert answer.status_code == status
        assert ('role="alert">Wrong password' in answer.text) is (status == 403)
    assert house.enter(house.add_person("ann"))


def test_a_cookie_signed_with_another_key_is_invalid(house: House) -> None:
    ann = house.ann()
    house.app.secret_key = "another"
    assert ann.get(f"{API}/session").status_code == 401


def test_a_variable_can_set_the_session_key(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOCPARTY_SESSION_KEY", "k" * 40)
    assert load_secret_key(house.party.folder) == "k" * 40
    monkeypatch.setenv("VOCPARTY_SESSION_KEY", "short")
    with pytest.raises(ServeError, match="too short"):
        load_secret_key(house.party.folder)


def test_a_page_tells_a_stranger_how_to_sign_in(house: House) -> None:
    answer = house.stranger().get("/")
    assert answer.status_code == 401
    assert "Open your personal link again" in answer.text


def test_attempts_to_open_links_are_limited(house: House) -> None:
    browser = house.stranger()
    answers = [browser.get(f"/enter/guess-{number}") for number in range(31)]
    assert [answer.status_code for answer in answers] == [404] * 30 + [429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 61
    assert "Too many requests" in answers[-1].text
    elsewhere = browser.get("/enter/guess", environ_base={"REMOTE_ADDR": "10.0.0.7"})
    assert elsewhere.status_code == 404


def test_attempts_to_sign_in_are_limited(house: House) -> None:
    token = house.add_person("ann")
    browser = house.stranger()
    form = {"csrf_token": find_csrf_token(browser.get(f"/enter/{token}").text)}
    answers = [browser.http.post("/enter/guess", data=form).status_code for _ in range(31)]
    assert answers == [404] * 30 + [429]
