"""Questions of a hierarchy: pages of images, what answers settle, and what is taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.preset import UNWANTED_REASON
from catalog.states import ImageState, Role
from catalog.tables import PresenceState, PresentClass

from .house import API, Browser, House

TAKE = f"{API}/presence/questions/take"
ANSWER = f"{API}/presence/questions/answer"


def ask(party: Party, **questions: Any) -> House:
    changed = replace(party.settings.questions, on=True, **questions)
    return House(replace(party, settings=replace(party.settings, questions=changed)))


@pytest.fixture
def asking(party: Party) -> House:
    """A party that asks two people, with three images."""
    house = ask(party)
    house.add_images(3)
    return house


def take(browser: Browser) -> dict[str, Any]:
    answer = browser.post(TAKE, {})
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.get_json()
    return page


def say(browser: Browser, page: dict[str, Any], *yes: int) -> dict[str, Any]:
    sent = {
        "plan": page["plan"],
        "node": page["node"],
        "took_ms": 2400,
        "answers": [
            {"image_id": image["image_id"], "is_yes": image["image_id"] in yes}
            for image in page["images"]
        ],
    }
    answer = browser.post(ANSWER, sent)
    assert answer.status_code == 200, answer.text
    kept: dict[str, Any] = answer.get_json()
    return kept


def answer_all(browser: Browser, shows: dict[int, set[str]]) -> list[dict[str, Any]]:
    """Answer every page by what the images show: nodes, with the groups above."""
    said = list[dict[str, Any]]()
    for _ in range(200):
        page = take(browser)
        if page["node"] is None:
            return said
        yes = [key for key, nodes in shows.items() if page["node"] in nodes]
        said.append(page | say(browser, page, *yes))
    raise AssertionError("the questions do not end")


def load_shown(house: House) -> set[tuple[int, str]]:
    with house.party.catalogue.reading() as session:
        rows = session.execute(select(PresentClass.image_id, PresentClass.class_id))
        return {(image_id, class_id) for image_id, class_id in rows}


CAT = {"class:cat", "group:Domestic", "group:Animals"}


def test_two_people_settle_what_images_show_and_empty_ones_are_discarded(asking: House) -> None:
    ann = asking.ann()
    ben = asking.enter(asking.add_person("ben"))
    first, second, third = sorted(image["image_id"] for image in take(ann)["images"])
    shows = {first: CAT, second: {"class:person"}, third: set[str]()}
    answer_all(ann, shows)
    assert load_shown(asking) == set()
    for browser in (ben, ann, ben):  # each goes on where the other one agreed
        answer_all(browser, shows)
    assert load_shown(asking) == {(first, "cat"), (second, "person")}
    image = asking.image(third)
    assert (image.state, image.reason) == (ImageState.DISCARDED, UNWANTED_REASON)
    assert asking.image(first).state is ImageState.POOL


def test_a_no_of_one_person_settles_a_group_where_one_has_to_agree(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    pages = answer_all(house.ann(), {image_id: CAT})
    asked = [page["node"] for page in pages]
    assert len(asked) == len(set(asked)) < 20
    assert not {"class:dog", "class:cat"} - set(asked)
    assert not {"class:car", "class:bus", "class:chair"} & set(asked)
    with house.party.catalogue.reading() as session:
        row = session.get_one(PresenceState, image_id)
    assert row.next_kind is None
    assert {"group:Vehicles", "group:Household", "class:dog"} <= set(row.settled["no"])


def test_the_question_comes_in_the_words_of_the_preset(asking: House) -> None:
    page = take(asking.ann())
    assert page["node"].startswith(("group:", "class:"))
    assert page["words"].startswith(("a ", "an ", "something "))
    assert page["waiting"] == 3
    assert len(page["images"]) == 3


def test_an_answer_taken_back_lets_a_discarded_image_wait_again(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    ann = house.ann()
    pages = answer_all(ann, {})
    assert house.image(image_id).state is ImageState.DISCARDED
    taken = ann.post(f"{API}/presence/questions/undo", {"answer_ids": pages[0]["answer_ids"]})
    assert taken.get_json() == {"undone": 1, "images": [image_id], "drawn": []}
    assert house.image(image_id).state is ImageState.POOL
    assert take(ann)["node"] == pages[0]["node"]


def test_an_organiser_takes_back_all_answers_of_a_person(party: Party) -> None:
    house = ask(party, agree=1)
    image_id = house.add_image()
    answer_all(house.ann(), {})
    olga = house.enter(house.add_person("olga", Role.ORGANISER))
    person_id = house.person("ann").id
    path = f"{API}/presence/people/{person_id}/take-back"
    stale = olga.post(path, {"version": "0-0"})
    assert stale.status_code == 409
    [person] = olga.get(f"{API}/presence/questions/status").get_json()["people"]
    assert (person["name"], person["is_suspect"]) == ("ann", False)
    taken = olga.post(path, {"version": person["version"]})
    assert taken.status_code == 200, taken.text
    assert taken.get_json()["images"] == [image_id]
    assert house.image(image_id).state is ImageState.POOL


def test_a_repeated_answer_is_kept_once(asking: House) -> None:
    ann = asking.ann()
    page = take(ann)
    first = say(ann, page)
    again = say(ann, page)
    assert sorted(again["answer_ids"]) == sorted(first["answer_ids"])
    corrected = say(ann, page, page["images"][0]["image_id"])
    assert len(set(corrected["answer_ids"]) - set(first["answer_ids"])) == 1


def test_a_party_without_questions_has_no_page(house: House) -> None:
    assert house.ann().post(TAKE, {}).status_code == 404


def test_a_question_that_was_never_asked_is_refused(asking: House) -> None:
    ann = asking.ann()
    page = take(ann)
    for changed in ({"node": "group:Unicorns"}, {"node": "nonsense"}, {"plan": 999}):
        sent = page | changed
        body = {key: sent[key] for key in ("plan", "node")} | {
            "took_ms": 0,
            "answers": [{"image_id": page["images"][0]["image_id"], "is_yes": True}],
        }
        assert ann.post(ANSWER, body).status_code == 422
