"""Boxes class by class: one person draws an object, another verifies it, until nobody sees one."""

from dataclasses import replace

import pytest
from werkzeug.test import TestResponse

from catalog.party import Party
from catalog.settings import QuestionSettings, SuggestionSettings
from catalog.states import Suggested
from catalog.tables import PresentClass
from qa.load import load_checked_images
from tests.suggesting import suggest
from work.suggest.listing import load_sets

from .house import API, Browser, House, Json, error_of, thing
from .test_questions import say, take
from .test_suggested_objects import read_objects

BOX = [48, 240, 195, 371]
BESIDE = [300, 40, 420, 200]


@pytest.fixture
def boxing(any_party: Party) -> House:
    """A party whose people draw class by class; the lottery of suggestions does not hold there."""
    settings = replace(
        any_party.settings,
        questions=QuestionSettings(boxes=True),
        suggestions=SuggestionSettings(withheld=1.0, gold_share=0.0),
    )
    return House(replace(any_party, settings=settings))


def show(house: House, class_id: str = "person") -> int:
    """The id of a new image of which the answers say that it shows the class."""
    image_id = house.add_image()
    with house.party.catalogue.writing() as session:
        row = {"image_id": image_id, "class_id": class_id, "settled_at": house.clock.at}
        session.add(PresentClass(**row))
    return image_id


def try_to_draw(browser: Browser, question: Json, box: list[int]) -> TestResponse:
    path = f"{API}/questions/{question['id']}/draw"
    return browser.post(path, {"version": question["version"], "box": box, "took_ms": 5000})


def draw(browser: Browser, question: Json, box: list[int]) -> int:
    answer = try_to_draw(browser, question, box)
    assert answer.status_code == 200, answer.text
    number: int = answer.get_json()["answer_id"]
    return number


def take_one(browser: Browser, class_id: str = "person") -> Json:
    [question] = take(browser, class_id)
    return question


def enter_two(house: House) -> list[Browser]:
    return [house.enter(house.add_person(name)) for name in ("ben", "eve")]


def test_one_draws_another_verifies_until_somebody_says_that_this_is_all(boxing: House) -> None:
    image_id = show(boxing)
    ben, eve = enter_two(boxing)
    drawing = take_one(ben)
    assert (drawing["kind"], drawing["others"]) == ("draw", [])
    assert (drawing["width"], drawing["height"]) == (500, 375)
    draw(ben, drawing, BOX)
    assert take(ben) == []  # nobody verifies their own box
    verifying = take_one(eve)
    assert verifying["kind"] == "box"
    say(eve, verifying)
    more = take_one(eve)
    assert (more["kind"], more["others"]) == ("more", [BOX])
    say(eve, more, "yes")
    again = take_one(eve)
    assert (again["kind"], again["others"]) == ("draw", [BOX])
    draw(eve, again, BESIDE)
    say(ben, take_one(ben))
    last = take_one(ben)
    assert (last["kind"], last["others"]) == ("more", [BOX, BESIDE])
    say(ben, last, "no")
    assert take(ben) == take(eve) == []
    task = boxing.ann().take()
    assert task["image_id"] == image_id
    assert [item["is_confirmed"] for item in task["suggestions"]] == [True, True]


def test_new_images_wait_for_their_boxes_before_they_are_annotated(boxing: House) -> None:
    image_id = show(boxing)
    ann = boxing.ann()
    assert ann.take() is None
    ben, _ = enter_two(boxing)
    say(ben, take_one(ben), "no")  # there is none after all
    assert ann.take()["image_id"] == image_id


def test_a_box_that_another_rejects_is_drawn_again(boxing: House) -> None:
    show(boxing)
    ben, eve = enter_two(boxing)
    draw(ben, take_one(ben), [1, 1, 60, 60])
    say(eve, take_one(eve), "part")
    again = take_one(ben)
    assert again["kind"] == "draw"
    draw(ben, again, BOX)
    say(eve, take_one(eve))
    assert take_one(ben)["kind"] == "more"


def test_a_box_that_is_taken_back_is_verified_by_nobody(boxing: House) -> None:
    show(boxing)
    ben, eve = enter_two(boxing)
    drawing = take_one(ben)
    number = draw(ben, drawing, [1, 1, 60, 60])
    assert ben.post(f"{API}/questions/undo", {"answer_ids": [number]}).get_json()["undone"] == 1
    reopened = take_one(ben)
    assert (reopened["id"], reopened["kind"]) == (drawing["id"], "draw")
    assert take(eve) == []  # ben has it in front of him
    again = draw(ben, reopened, BOX)
    assert draw(ben, reopened, BOX) == again  # sent again
    say(eve, take_one(eve))
    assert take_one(eve)["others"] == [BOX]


def test_what_one_window_answered_stays_until_it_is_taken_back_there(boxing: House) -> None:
    show(boxing)
    ben, eve = enter_two(boxing)
    drawing = take_one(ben)
    number = draw(ben, drawing, BOX)
    late = {"answer_id": None}
    assert try_to_draw(ben, drawing, BESIDE).get_json() == late
    assert say(ben, drawing, "no") is None
    assert take_one(eve)["kind"] == "box"
    ben.post(f"{API}/questions/undo", {"answer_ids": [number]})
    say(ben, drawing, "no")
    assert try_to_draw(ben, drawing, BOX).get_json() == late


def test_who_took_a_box_back_may_say_that_there_is_none(boxing: House) -> None:
    image_id = show(boxing)
    ben, eve = enter_two(boxing)
    number = draw(ben, take_one(ben), BOX)
    ben.post(f"{API}/questions/undo", {"answer_ids": [number]})
    say(ben, take_one(ben), "no")
    assert take(ben) == take(eve) == []
    task = boxing.ann().take()
    assert task["image_id"] == image_id
    assert not task.get("suggestions")


def test_two_people_do_not_draw_the_same_object(boxing: House) -> None:
    image_ids = [show(boxing) for _ in range(2)]
    ben, eve = enter_two(boxing)
    asked = [take_one(browser)["image_url"] for browser in (ben, eve)]
    urls = {f"/images/{boxing.image(image_id).sha256}.jpg" for image_id in image_ids}
    assert set(asked) == urls
    boxing.clock.advance(11 * 60)
    draw(eve, take_one(eve), BOX)
    assert {row["kind"] for row in take(ben)} == {"box"}


def test_boxes_of_a_model_are_asked_first_and_end_the_same_way(boxing: House) -> None:
    image_id = show(boxing)
    suggest(boxing.party, image_id)
    ben, eve = enter_two(boxing)
    for browser in (ben, eve):
        question = take_one(browser)
        assert question["kind"] == "box"
        say(browser, question)
    more = take_one(eve)
    say(eve, more, "yes")
    drawing = take_one(ben)
    assert (drawing["kind"], len(drawing["others"])) == ("draw", 1)
    draw(ben, drawing, BESIDE)
    say(eve, take_one(eve))
    more = take_one(ben)
    assert more["kind"] == "more"


def test_that_this_is_all_counts_for_the_boxes_that_were_shown(boxing: House) -> None:
    show(boxing)
    ben, eve = enter_two(boxing)
    draw(ben, take_one(ben), BOX)
    say(eve, take_one(eve))
    old = take_one(eve)
    boxing.clock.advance(700)  # the question is left to ben
    say(ben, take_one(ben), "yes")
    draw(ben, take_one(ben), BESIDE)
    body = {"version": old["version"], "said": "no", "took_ms": 900}
    refused = eve.post(f"{API}/questions/{old['id']}/answer", body)
    assert error_of(refused)[:2] == (409, "stale")
    assert refused.get_json()["head"]["others"] == [BOX, BESIDE]
    assert take_one(eve)["version"] == refused.get_json()["head"]["version"]


def test_who_draws_late_sees_the_box_that_another_drew(boxing: House) -> None:
    show(boxing)
    ben, eve = enter_two(boxing)
    old = take_one(ben)
    boxing.clock.advance(700)
    draw(eve, take_one(eve), BOX)
    refused = try_to_draw(ben, old, BOX)
    assert error_of(refused)[:2] == (409, "stale")
    assert refused.get_json()["head"]["others"] == [BOX]


def test_a_box_that_cannot_be_is_refused(boxing: House) -> None:
    show(boxing)
    ben, eve = enter_two(boxing)
    drawing = take_one(ben)
    for box in ([1, 1, 501, 60], [0, 1, 60, 60], [10, 10, 11, 60]):
        assert error_of(try_to_draw(ben, drawing, box)) == (422, "invalid", "box")
    assert error_of(try_to_draw(eve, drawing, BOX))[:2] == (404, "not_found")
    draw(ben, drawing, BOX)
    assert error_of(try_to_draw(eve, take_one(eve), BOX))[:2] == (422, "invalid")


def test_the_drawn_object_says_that_people_drew_it_class_by_class(boxing: House) -> None:
    image_id = show(boxing)
    ben, eve = enter_two(boxing)
    draw(ben, take_one(ben), BOX)
    say(eve, take_one(eve))
    say(eve, take_one(eve), "no")
    ann = boxing.ann()
    task = ann.take()
    [box] = task["suggestions"]
    assert box["box"] == BOX
    saved = ann.save(task, [thing(suggestion_id=box["id"])], suggestions_shown=1)
    assert saved.status_code == 201
    assert read_objects(boxing, image_id) == [("a", box["id"], Suggested.ACCEPTED)]


def test_the_set_of_what_people_drew_counts_the_boxes_that_stand(boxing: House) -> None:
    for _ in range(2):
        show(boxing)
    ben, _ = enter_two(boxing)
    for box in (BOX, BESIDE):
        number = draw(ben, take_one(ben), box)
    with boxing.party.catalogue.reading() as session:
        [row] = load_sets(session)
    assert (row["kind"], row["images"], row["suggestions"]) == ("drawn", 2, 2)
    ben.post(f"{API}/questions/undo", {"answer_ids": [number]})
    with boxing.party.catalogue.reading() as session:
        [row] = load_sets(session)
    assert (row["images"], row["suggestions"]) == (1, 1)


def test_nothing_is_drawn_where_that_is_off(house: House) -> None:
    show(house)
    assert take(house.ann()) == []


def test_a_box_that_is_taken_back_in_front_of_another_is_asked_no_more(boxing: House) -> None:
    show(boxing)
    ben, eve = enter_two(boxing)
    number = draw(ben, take_one(ben), [1, 1, 60, 60])
    verifying = take_one(eve)
    ben.post(f"{API}/questions/undo", {"answer_ids": [number]})
    assert take(eve) == []
    assert say(eve, verifying) is None
    assert take_one(ben)["kind"] == "draw"


def test_a_box_that_is_taken_back_after_it_was_verified_is_drawn_again(boxing: House) -> None:
    show(boxing)
    ben, eve = enter_two(boxing)
    number = draw(ben, take_one(ben), [1, 1, 60, 60])
    say(eve, take_one(eve))
    ben.post(f"{API}/questions/undo", {"answer_ids": [number]})
    assert take_one(ben)["kind"] == "draw"


def test_no_finding_says_that_a_detector_is_sure_of_what_a_person_drew(boxing: House) -> None:
    image_id = show(boxing)
    ben, eve = enter_two(boxing)
    draw(ben, take_one(ben), BESIDE)
    say(eve, take_one(eve), "part")
    say(ben, take_one(ben), "no")
    ann = boxing.ann()
    assert ann.save(ann.take()).status_code == 201
    chris = boxing.chris()
    assert chris.review(chris.take("check")).status_code == 201
    with boxing.party.catalogue.reading() as session:
        [checked] = load_checked_images(session, [image_id])
    assert checked.suggested == ()


def test_each_image_that_misses_a_box_is_counted_once_until_all_are_drawn(boxing: House) -> None:
    for class_id in ("person", "person", "dog"):
        show(boxing, class_id)
    suggest(boxing.party, show(boxing))  # the boxes of a model count one by one
    ben, eve = enter_two(boxing)
    assert count_waiting(ben) == {"person": 3, "dog": 1}
    draw(ben, take_one(ben, "dog"), BOX)
    assert count_waiting(eve) == {"person": 3, "dog": 1}  # its box
    say(eve, take_one(eve, "dog"))
    assert count_waiting(eve) == {"person": 3, "dog": 1}  # whether there is another
    say(eve, take_one(eve, "dog"), "no")
    assert count_waiting(eve) == {"person": 3}


def count_waiting(browser: Browser) -> dict[str, int]:
    rows = browser.get(f"{API}/questions/classes").get_json()["classes"]
    return {row["id"]: row["waiting"] for row in rows if row["waiting"]}
