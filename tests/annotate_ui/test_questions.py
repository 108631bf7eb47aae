"""The interface of the verification page: questions, answers, undo, and the drawer's page after."""

from dataclasses import replace
from pathlib import Path

import pytest

from catalog.party import Party, make_party, open_party
from catalog.settings import SuggestionSettings
from catalog.states import ImageState, Suggested
from catalog.tables import Question
from tests.many_classes import write_preset
from tests.suggesting import XYXY, suggest

from .house import API, Browser, House, Json, error_of, thing
from .test_suggested_objects import read_objects

BESIDE = (300, 40, 420, 200)


@pytest.fixture
def verifying(party: Party) -> House:
    """A party whose lottery withholds nothing, without gold crops."""
    settings = SuggestionSettings(withheld=0.0, gold_share=0.0)
    return House(replace(party, settings=replace(party.settings, suggestions=settings)))


def take(browser: Browser, class_id: str = "person") -> list[Json]:
    answer = browser.post(f"{API}/questions/classes/{class_id}/take")
    assert answer.status_code == 200, answer.text
    questions: list[Json] = answer.get_json()["questions"]
    return questions


def say(browser: Browser, question: Json, said: str = "right") -> int | None:
    path = f"{API}/questions/{question['id']}/answer"
    shown = {"version": question["version"]}
    answer = browser.post(path, shown | {"said": said, "took_ms": 1200})
    assert answer.status_code == 200, answer.text
    number: int | None = answer.get_json()["answer_id"]
    return number


def test_the_list_of_classes_has_the_words_by_which_people_find_them(tmp_path: Path) -> None:
    text = write_preset(2).replace('display = "the bababa"', 'display = "x"\nsynonyms = ["bobo"]')
    make_party(tmp_path / "p", name="Two", preset="two.toml", preset_text=text)
    with open_party(tmp_path / "p") as party:
        classes = House(party).ann().get(f"{API}/questions/classes").get_json()["classes"]
    words = [(item["name"], item["display"], item["synonyms"]) for item in classes]
    assert words == [("bababa", "x", ["bobo"]), ("babade", "the babade", [])]


def confirm(house: House) -> tuple[Browser, Browser]:
    """Ben and eve, who called all boxes of people right."""
    ben, eve = (house.enter(house.add_person(name)) for name in ("ben", "eve"))
    for browser in (ben, eve):
        for question in take(browser):
            say(browser, question)
    return ben, eve


def test_a_screen_has_crops_of_one_class_and_the_classes_count_what_waits(
    verifying: House,
) -> None:
    suggest(verifying.party, verifying.add_image(), [XYXY, BESIDE])
    ann = verifying.ann()
    classes = ann.get(f"{API}/questions/classes").get_json()["classes"]
    assert {item["id"]: item["waiting"] for item in classes if item["waiting"]} == {"person": 2}
    first, second = take(ann)
    assert first == {
        "id": first["id"],
        "kind": "box",
        "version": first["version"],
        "image_url": f"/crops/questions/{first['id']}/{first['version']}.jpg",
        "width": 148,
        "height": 132,
        "others": [],
    }
    assert second["id"] != first["id"]
    assert take(ann, "cat") == []
    assert ann.post(f"{API}/questions/classes/unicorn/take").status_code == 404


def test_the_crop_is_shown_to_who_was_asked_alone(verifying: House) -> None:
    image_id, _ = verifying.add_file()
    suggest(verifying.party, image_id)
    ann = verifying.ann()
    ben = verifying.enter(verifying.add_person("ben"))
    [question] = take(ann)
    crop = ann.get(question["image_url"])
    assert (crop.status_code, crop.content_type) == (200, "image/jpeg")
    assert ben.get(question["image_url"]).status_code == 404
    verifying.set_state(image_id, ImageState.TAKEN_DOWN)
    assert ann.get(question["image_url"]).status_code == 404


def test_a_box_that_two_call_right_is_an_object_of_who_draws_the_image(verifying: House) -> None:
    image_id = verifying.add_image()
    confirmed, _ = suggest(verifying.party, image_id, [XYXY, BESIDE])
    ben, eve = (verifying.enter(verifying.add_person(name)) for name in ("ben", "eve"))
    for browser in (ben, eve):
        first, *others = take(browser)
        say(browser, first)
        for question in others:
            say(browser, question, "part")
    ann = verifying.ann()
    task = ann.take()
    flags = [item.get("is_confirmed") for item in task["suggestions"]]
    assert flags == [True, None]
    assert ann.save(task, [thing(suggestion_id=confirmed)], finish=False).status_code == 201
    assert read_objects(verifying, image_id) == [("a", confirmed, Suggested.ACCEPTED)]
    assert "is_confirmed" not in str(ann.take()["suggestions"])


def test_who_draws_is_told_of_which_class_another_one_was_seen(verifying: House) -> None:
    suggest(verifying.party, verifying.add_image())
    ben, _ = confirm(verifying)
    [question] = take(ben)
    assert question["kind"] == "more"
    number = say(ben, question, "yes")
    ann = verifying.ann()
    task = ann.take()
    assert task["seen_more"] == ["person"]
    assert ann.post(f"{API}/leases/{task['lease']['id']}/give-back").status_code == 200
    assert ben.post(f"{API}/questions/undo", {"answer_ids": [number]}).status_code == 200
    assert "seen_more" not in ann.take()


def test_an_answer_can_be_corrected_and_taken_back_by_its_person(verifying: House) -> None:
    suggest(verifying.party, verifying.add_image())
    ann = verifying.ann()
    ben = verifying.enter(verifying.add_person("ben"))
    [question] = take(ann)
    first = say(ann, question)
    assert say(verifying.window_of(ann), question) == first  # another window said the same
    second = say(ann, question, "wrong")
    undo = {"answer_ids": [first, second]}
    assert ben.post(f"{API}/questions/undo", undo).get_json() == {"undone": 0, "images": []}
    assert ann.post(f"{API}/questions/undo", undo).get_json() == {"undone": 1, "images": []}
    assert [item["id"] for item in take(ann)] == [question["id"]]
    body = {"version": question["version"], "said": "right", "took_ms": 1}
    refused = ben.post(f"{API}/questions/{question['id']}/answer", body)
    assert error_of(refused)[:2] == (404, "not_found")


def test_an_answer_to_a_photograph_that_is_gone_is_told(verifying: House) -> None:
    image_id = verifying.add_image()
    suggest(verifying.party, image_id)
    ann = verifying.ann()
    [question] = take(ann)
    verifying.set_state(image_id, ImageState.TAKEN_DOWN)
    assert say(ann, question) is None


def test_an_answer_counts_for_the_crop_that_was_shown(verifying: House) -> None:
    image_id, _ = verifying.add_file()
    suggest(verifying.party, image_id)
    ann = verifying.ann()
    [old] = take(ann)
    give_number_again(verifying, old["id"])
    body = {"version": old["version"], "said": "right", "took_ms": 1}
    refused = ann.post(f"{API}/questions/{old['id']}/answer", body)
    assert error_of(refused)[:2] == (409, "stale")
    head = refused.get_json()["head"]
    assert (head["id"], head["width"]) == (old["id"], old["width"] - 40)
    assert ann.get(old["image_url"]).status_code == 404
    assert ann.get(head["image_url"]).status_code == 200
    assert [item["version"] for item in take(ann)] == [head["version"]]
    assert say(ann, head) is not None


def give_number_again(house: House, question_id: int) -> None:
    """The question of this number is about another box, as where a copy of the file came back."""
    with house.party.catalogue.writing() as session:
        session.get_one(Question, question_id).xmax -= 40


@pytest.mark.parametrize(
    "body",
    [
        {"said": "maybe", "took_ms": 1},
        {"said": "right", "took_ms": -1},
        {"said": "right"},
        {"said": "yes", "took_ms": 1},
        {"said": "right", "took_ms": 1, "version": ""},
    ],
)
def test_a_wrong_answer_is_refused(verifying: House, body: Json) -> None:
    suggest(verifying.party, verifying.add_image())
    ann = verifying.ann()
    [question] = take(ann)
    path = f"{API}/questions/{question['id']}/answer"
    assert ann.post(path, {"version": question["version"]} | body).status_code == 422
    assert ann.post(path, "no").status_code == 422
    assert ann.post(path, {"said": "right", "took_ms": 1}).status_code == 422


def test_an_organiser_takes_all_answers_of_a_person_back_as_the_board_shows_them(
    verifying: House,
) -> None:
    suggest(verifying.party, verifying.add_image())
    ben, _ = confirm(verifying)
    olga = verifying.olga()
    board = olga.get(f"{API}/board/agreement").get_json()["verification"]
    assert (board["confirmed"], board["refused"]) == (1, 0)
    line = next(item for item in board["people"] if item["name"] == "ben")
    assert (line["answers"], line["secs"], line["is_suspect"]) == (1, 1.2, False)
    path = f"{API}/questions/people/{line['id']}/take-back"
    assert olga.post(path, {"version": "0-0"}).status_code == 409
    answer = olga.post(path, {"version": line["version"]})
    assert answer.get_json() == {"undone": 1, "images": []}
    assert len(take(ben)) == 1
    board = olga.get(f"{API}/board/agreement").get_json()["verification"]
    assert (board["confirmed"], [item["name"] for item in board["people"]]) == (0, ["eve"])
