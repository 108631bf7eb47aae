"""People as organisers manage them: links, roles, party codes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from catalog.party import Party
from catalog.refusals import InvalidError
from catalog.settings import ServeSettings
from catalog.states import ImageState, Role
from export.importing.dataset_image import DatasetOrder
from export.importing.dataset_job import import_dataset
from tests.vockit.foreign.datasets.cocos import make_coco
from web.service import SERVICE, make_link
from work import people

from .house import API, Clock, House, error_of, find_csrf_token

NOW = Clock().at


@pytest.mark.parametrize(
    "name", ["", "  ", "x" * 101, "a\x00b", "a\u202eb", "\ud800", "\u3164\ufe0f"]
)
def test_an_invalid_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidError, match="expected a name"):
        people.clean_name(name)


def test_ending_a_link_twice_keeps_the_first_time(party: Party) -> None:
    with party.catalogue.writing() as session:
        people.add_person(session, "ann", Role.ANNOTATOR, token="one", at=NOW)
        people.end_link(session, "ann", at=NOW)
        later = Clock()
        later.advance(60)
        assert people.end_link(session, "ann", at=later.at).ended_at == NOW


def walk_in(house: House, code: str, name: str) -> TestResponse:
    http = house.app.test_client()
    token = find_csrf_token(http.get("/join").text)
    form = {"csrf_token": token, "code": code, "name": name}
    return http.post("/join", data=form, follow_redirects=True)


def open_code(house: House, **more: float) -> str:
    body = {"hours": 2, "most_people": 30, **more}
    code: str = house.olga().post(f"{API}/party-codes", body).get_json()["code"]["code"]
    return code


def test_an_invited_person_signs_in_with_the_shown_link(any_house: House) -> None:
    olga = any_house.olga()
    answer = olga.post(f"{API}/people", {"name": "ben", "role": "checker"})
    assert answer.status_code == 201
    link = answer.get_json()["link"]
    assert link["qr"].startswith("data:image/svg+xml")
    ben = any_house.enter(link["url"].rpartition("/")[2])
    assert ben.get(f"{API}/session").get_json()["person"]["role"] == "checker"
    again = olga.post(f"{API}/people", {"name": "ben", "role": "checker"})
    assert error_of(again) == (422, "invalid", "name")


def test_links_use_the_url_of_the_party_not_the_host_of_the_request(house: House) -> None:
    serve = ServeSettings(url="https://zoo.example/voc/")
    party = replace(house.party, settings=replace(house.party.settings, serve=serve))
    olga = House(party).olga()
    answer = olga.post(f"{API}/people", {"name": "ann", "role": "annotator"})
    assert answer.get_json()["link"]["url"].startswith("https://zoo.example/voc/enter/")


@pytest.mark.parametrize(
    ("host", "base"),
    [
        ("localhost:8080", "http://192.0.2.7:8080"),
        ("127.0.0.1:8080", "http://192.0.2.7:8080"),
        ("[::1]:8080", "http://192.0.2.7:8080"),
        ("0.0.0.0:8080", "http://192.0.2.7:8080"),
        ("[::]:8080", "http://192.0.2.7:8080"),
        ("192.0.2.9:8080", "http://192.0.2.9:8080"),
        ("party.example:8080", "http://party.example:8080"),
    ],
)
def test_no_link_of_a_server_for_others_leads_them_to_their_own_computer(
    house: House, host: str, base: str
) -> None:
    service = house.app.extensions[SERVICE]
    house.app.extensions[SERVICE] = replace(service, reach="http://192.0.2.7:8080")
    with house.app.test_request_context(base_url=f"http://{host}"):
        assert make_link("signin.show_link", token="one") == f"{base}/enter/one"


def test_renewing_a_link_ends_the_old_one(house: House) -> None:
    olga = house.olga()
    ann = house.ann()
    path = f"{API}/people/{house.person('ann').id}/link"
    url = olga.post(path).get_json()["link"]["url"]
    assert ann.get(f"{API}/session").status_code == 401
    assert house.enter(url.rpartition("/")[2]).get(f"{API}/session").status_code == 200


def test_nobody_signs_in_for_an_import(house: House, tmp_path: Path) -> None:
    import_dataset(house.party, DatasetOrder(make_coco(tmp_path / "labels")))
    olga = house.olga()
    listed = olga.get(f"{API}/people").get_json()
    assert listed["imports"] == [house.person("import labels").id]
    refused = olga.post(f"{API}/people/{listed['imports'][0]}/link")
    assert (refused.status_code, house.run("people", "link", "import labels").exit_code) == (422, 2)
    assert "stands for an import" in refused.get_json()["error"]["message"]
    assert house.person("import labels").ended_at is not None


def test_ending_a_link_signs_out_and_frees_leases(any_house: House) -> None:
    image_id = any_house.add_image()
    olga = any_house.olga()
    ann = any_house.ann()
    ann.take()
    answer = olga.post(f"{API}/people/{any_house.person('ann').id}/end")
    assert answer.get_json()["person"]["ended_at"] is not None
    assert error_of(ann.get(f"{API}/session")) == (401, "signed_out", None)
    assert error_of(ann.post(f"{API}/tasks/annotate")) == (401, "signed_out", None)
    assert any_house.leases() == []
    assert any_house.state(image_id) is ImageState.POOL


def test_a_new_role_ends_the_sessions_of_the_old_one(house: House) -> None:
    token = house.add_person("ann")
    olga = house.olga()
    ann = house.enter(token)
    assert ann.get("/check").status_code == 403
    path = f"{API}/people/{house.person('ann').id}/role"
    assert olga.post(path, {"role": "checker"}).get_json()["person"]["role"] == "checker"
    answer = ann.get(f"{API}/session")
    assert error_of(answer) == (401, "signed_out", None)
    assert "Your role was changed" in answer.text
    assert house.enter(token).get("/check").status_code == 200
    assert error_of(olga.post(path, {"role": "queen"}))[2] == "role"


def test_who_becomes_an_organiser_gives_the_password(house: House) -> None:
    serve = ServeSettings(organiser_password="a long one")
    token = house.add_person("ann")
    olga = house.olga()
    house = House(replace(house.party, settings=replace(house.party.settings, serve=serve)))
    ann, olga = house.enter(token), house.window_of(olga)
    path = f"{API}/people/{house.person('ann').id}/role"
    assert olga.post(path, {"role": "organiser"}).status_code == 200
    assert ann.get(f"{API}/board").status_code == 401
    form = {"csrf_token": find_csrf_token(ann.get(f"/enter/{token}").text)}
    assert ann.http.post(f"/enter/{token}", data=form).status_code == 403
    form["password"] = "a long one"
    assert ann.http.post(f"/enter/{token}", data=form).status_code == 303
    assert ann.get(f"{API}/board").status_code == 200


def test_organisers_cannot_lock_themselves_out(house: House) -> None:
    olga = house.olga()
    own_id = house.person("olga").id
    for act, body in (("end", {}), ("link", {}), ("role", {"role": "checker"})):
        own_answer, none = (
            olga.post(f"{API}/people/{person_id}/{act}", body) for person_id in (own_id, 99)
        )
        assert (error_of(own_answer)[:2], error_of(none)[:2]) == (
            (422, "invalid"),
            (404, "not_found"),
        )


def test_without_an_open_code_sign_up_is_refused(house: House) -> None:
    assert "Sign-up is closed" in house.stranger().get("/join").text
    http = house.app.test_client()
    token = find_csrf_token(http.get(f"/enter/{house.add_person('sam')}").text)
    answer = http.post("/join", data={"csrf_token": token, "code": "", "name": "eve"})
    assert answer.status_code == 422


def test_sign_up_by_code_signs_in_and_shows_a_personal_link(any_house: House) -> None:
    code = open_code(any_house)
    answer = walk_in(any_house, code.lower(), "Wanda")
    assert answer.status_code == 200
    wanda = any_house.person("Wanda")
    assert (wanda.role, wanda.invitation_id) == (Role.ANNOTATOR, 1)
    token = answer.text.partition("/enter/")[2].partition("<")[0]
    assert any_house.enter(token).get(f"{API}/session").get_json()["person"]["name"] == "Wanda"


def find_link(page: str) -> str:
    """The token of the personal link that a page shows."""
    return page.partition("/enter/")[2].partition("<")[0]


def test_the_welcome_page_can_be_reloaded_and_its_link_renewed(any_house: House) -> None:
    http = any_house.app.test_client()
    code = open_code(any_house)
    form = {"csrf_token": find_csrf_token(http.get("/join").text), "name": "Wanda", "code": code}
    http.post("/join", data=form)
    first = find_link(http.get("/welcome").text)
    assert first == find_link(http.get("/welcome").text) != ""
    elsewhere = any_house.enter(first)
    page = elsewhere.get("/welcome").text
    assert find_link(page) == ""
    wanda_id = any_house.person("Wanda").id
    wrong = json.dumps(elsewhere.opened_for | {"person_id": wanda_id + 1})
    form = {"csrf_token": find_csrf_token(page)}
    assert elsewhere.http.post("/welcome/link", data=form).status_code == 422
    form["opened_for"] = wrong
    assert elsewhere.http.post("/welcome/link", data=form).status_code == 409
    form["csrf_token"] = find_csrf_token(http.get("/welcome").text)
    form["opened_for"] = json.dumps(elsewhere.opened_for)
    second = find_link(http.post("/welcome/link", data=form, follow_redirects=True).text)
    assert second not in ("", first)
    assert elsewhere.get(f"{API}/session").status_code == 401
    assert any_house.enter(second).get(f"{API}/session").status_code == 200
    stranger = any_house.stranger()
    assert "was renewed" in stranger.get(f"/enter/{first}").text
    assert "not copied whole" in stranger.get(f"/enter/{second[:-1]}").text


def test_who_is_signed_in_does_not_sign_up_as_a_second_person(house: House) -> None:
    code = open_code(house)
    wanda = house.enter(house.add_person("Wanda"))
    page = wanda.get("/join").text
    assert "You are signed in as Wanda" in page
    form = {"csrf_token": find_csrf_token(page), "code": code, "name": "Wim"}
    answer = wanda.http.post("/join", data=form)
    assert (answer.status_code, "You are signed in as Wanda" in answer.text) == (409, True)


def test_who_lost_a_link_is_told_to_ask_for_a_new_one(house: House) -> None:
    code = open_code(house)
    assert walk_in(house, code, "wanda").status_code == 200
    assert (
        "If you are Wanda, ask the organiser for a new link" in walk_in(house, code, "Wanda").text
    )


def test_sign_up_with_an_invalid_name_is_refused_and_not_counted(house: House) -> None:
    code = open_code(house, most_people=1)
    for name in ("olga", "", "  ", "a\x00b", "x" * 101):
        assert walk_in(house, code, name).status_code == 422, name
    assert walk_in(house, code, "Wanda").status_code == 200


def test_a_code_admits_the_set_number_of_people_for_the_set_time(house: House) -> None:
    code = open_code(house, most_people=2, hours=1)
    assert walk_in(house, "WRONG", "Eve").status_code == 422
    assert walk_in(house, code, "Wanda").status_code == 200
    assert walk_in(house, code, "Wim").status_code == 200
    assert "Sign-up is closed" in house.stranger().get("/join").text


def test_a_code_expires_after_its_hours(house: House) -> None:
    open_code(house, hours=1)
    house.clock.advance(3601)
    assert "Sign-up is closed" in house.stranger().get("/join").text


def test_an_ended_code_is_refused(house: House) -> None:
    olga = house.olga()
    code = olga.post(f"{API}/party-codes", {"hours": 1, "most_people": 5}).get_json()["code"]
    assert len(olga.get(f"{API}/people").get_json()["codes"]) == 1
    assert olga.post(f"{API}/party-codes/{code['id']}/end").status_code == 200
    assert olga.get(f"{API}/people").get_json()["codes"] == []
    assert error_of(olga.post(f"{API}/party-codes/99/end"))[0] == 404


def test_guessing_codes_is_limited_like_guessing_links(house: House) -> None:
    limit = house.party.settings.annotate.signins_per_minute
    open_code(house)
    statuses = [walk_in(house, "WRONG", "Eve").status_code for _ in range(limit + 1)]
    assert statuses == [422] * limit + [429]


def test_a_whole_room_walks_in_at_once_by_one_router(house: House) -> None:
    most = house.party.settings.annotate.signins_per_minute + 20
    code = open_code(house, most_people=most)
    statuses = [walk_in(house, code, f"Wanda {number}").status_code for number in range(most)]
    assert statuses == [200] * most


LOOK_ALIKE = ["Wanda", "wanda", "WANDA", "Wаnda", "Ꮃanda", "ᴡanda", "ＷAnda"]
WITH_UNSEEN_SIGNS = ["wanda\ufe0f", "wa\u034fnda", "\u2800wanda", "wan\u3164da"]


@pytest.mark.parametrize("name", LOOK_ALIKE + WITH_UNSEEN_SIGNS)
def test_a_name_that_looks_like_another_is_refused(house: House, name: str) -> None:
    code = open_code(house)
    assert walk_in(house, code, "wanda").status_code == 200
    answer = walk_in(house, code, name)
    assert (answer.status_code, "too similar to another" in answer.text) == (422, True)


@pytest.mark.parametrize("name", ["ada\u2800vega", "Ada \u034f Vega"])
def test_a_name_with_what_looks_like_a_space_is_taken_for_the_one_with_a_space(
    house: House, name: str
) -> None:
    code = open_code(house)
    assert walk_in(house, code, "Ada Vega").status_code == 200
    answer = walk_in(house, code, name)
    assert (answer.status_code, "too similar to another" in answer.text) == (422, True)


@pytest.mark.parametrize(
    "name",
    [
        "Organiser",
        "ORGANİSER",
        "Organisator",
        "admin",
        "Ada (simulated)",
        "Ada (simuliert)",
        "checker",
    ],
)
def test_a_name_by_which_the_pages_call_somebody_is_refused(house: House, name: str) -> None:
    code = open_code(house)
    assert walk_in(house, code, name).status_code == 422
    with house.party.catalogue.writing() as session, pytest.raises(InvalidError, match="reserved"):
        people.add_person(session, name, Role.ANNOTATOR, token="one", at=NOW)


def test_a_code_can_be_read_aloud_and_typed_in_any_case() -> None:
    code = people.make_code("token")
    assert len(code) == 8
    assert set(code) <= set(people.ALPHABET)
    assert code != people.make_code("another token")
    assert people.clean_code(f" {code[:4].lower()}-{code[4:]} ") == code


def test_a_person_is_found_by_their_token(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        people.add_person(session, " ann  lee ", Role.ANNOTATOR, token="one", at=NOW)
    with any_party.catalogue.reading() as session:
        person = people.find_link_owner(session, "one")
        assert person is not None
        assert (person.name, person.role, person.created_at) == ("ann lee", "annotator", NOW)
        assert people.find_link_owner(session, "two") is None
