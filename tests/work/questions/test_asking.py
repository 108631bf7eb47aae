"""Which questions people get: two for each box, none of images in other hands, held for a while."""

from dataclasses import replace
from typing import Any

import pytest

from catalog.party import Party
from catalog.states import ImageState, QuestionKind, Said
from catalog.tables import Image
from tests.annotate_ui.house import House
from tests.suggesting import NOON, XYXY, suggest
from work.questions.asked import HELD, Asked
from work.questions.asking import AT_ONCE, count_waiting
from work.questions.whole_images import IMAGES_AT_ONCE
from work.suggestions import load_for_image

from .asking import Verifier, add_verifier

BESIDE = (300, 40, 420, 200)
AGAIN = (302, 42, 421, 199)


def list_asked(questions: list[Asked]) -> list[int | None]:
    return [asked.question.suggestion_id for asked in questions]


def list_confirmed(house: House, image_id: int) -> list[int]:
    classes = house.party.preset.class_ids.values()
    with house.party.catalogue.reading() as session:
        shown = load_for_image(session, image_id, classes)
        return [item.id for item in shown if item.is_confirmed]


def count(verifier: Verifier) -> dict[str, int]:
    with verifier.visit() as visit:
        return count_waiting(visit)


def test_two_people_are_asked_about_each_box_and_both_confirm_it(any_house: House) -> None:
    image_id = any_house.add_image()
    [number] = suggest(any_house.party, image_id)
    ann, ben, eve = (add_verifier(any_house, name) for name in ("ann", "ben", "eve"))
    assert count(ann) == {"person": 1}
    assert list_asked(ann.say_all(Said.RIGHT)) == [number]
    assert ann.take() == []
    assert list_confirmed(any_house, image_id) == []
    assert list_asked(ben.say_all(Said.RIGHT)) == [number]
    assert list_confirmed(any_house, image_id) == [number]
    assert count(eve) == {"person": 1}  # whether there is another one
    assert [asked.question.kind for asked in eve.say_all(Said.NO)] == [QuestionKind.MORE]
    assert count(ann) == {}


@pytest.mark.parametrize("said", [Said.PART, Said.LARGE, Said.SEVERAL, Said.WRONG])
def test_a_box_that_one_does_not_call_right_is_left_to_who_draws(house: House, said: Said) -> None:
    image_id = house.add_image()
    suggest(house.party, image_id)
    ann, ben = (add_verifier(house, name) for name in ("ann", "ben"))
    ann.say_all(said)
    assert count(ben) == {"person": 1}
    assert [asked.question.kind for asked in ben.take()] == [QuestionKind.MORE]
    assert list_confirmed(house, image_id) == []


def test_a_box_in_front_of_two_people_is_not_put_to_a_third_until_they_leave_it(
    house: House,
) -> None:
    [number] = suggest(house.party, house.add_image())
    ann, ben, eve = (add_verifier(house, name) for name in ("ann", "ben", "eve"))
    assert list_asked(ann.take()) == list_asked(ben.take()) == [number]
    assert eve.take() == []
    house.clock.advance(HELD.total_seconds() + 1)
    assert list_asked(eve.take()) == [number]


def test_questions_without_an_answer_come_again_to_the_same_person(house: House) -> None:
    suggest(house.party, house.add_image(), [XYXY, BESIDE])
    ann = add_verifier(house, "ann")
    first = ann.take()
    ann.say(first[0].question.id, Said.RIGHT)
    again = ann.take()
    assert [asked.question.id for asked in again] == [first[1].question.id]


def test_boxes_that_another_called_right_come_first(house: House) -> None:
    boxes = [(1 + place, 1, 60 + place, 90) for place in range(AT_ONCE)]
    suggest(house.party, house.add_image(), boxes)
    ann, ben = (add_verifier(house, name) for name in ("ann", "ben"))
    last = ann.take()[-1].question
    ann.say(last.id, Said.RIGHT)
    questions = list_asked(ben.take())
    assert questions[0] == last.suggestion_id
    assert len(questions) == AT_ONCE


@pytest.mark.parametrize(
    "state", [ImageState.ANNOTATING, ImageState.ANNOTATED, ImageState.TAKEN_DOWN]
)
def test_nothing_is_asked_of_an_image_that_somebody_draws(house: House, state: ImageState) -> None:
    image_id = house.add_image()
    suggest(house.party, image_id)
    ann = add_verifier(house, "ann")
    assert len(ann.take()) == 1
    house.set_state(image_id, state)
    assert ann.take() == []
    assert count(ann) == {}


@pytest.mark.parametrize("field", ["switched_off_at", "withdrawn_at"])
def test_nothing_is_asked_of_a_set_that_is_off(house: House, field: str) -> None:
    of_set: dict[str, Any] = {field: NOON}
    suggest(house.party, house.add_image(), **of_set)
    ann = add_verifier(house, "ann")
    assert ann.take() == []
    assert count(ann) == {}


def test_the_lottery_withholds_its_images_here_too(party: Party) -> None:
    suggestions = replace(party.settings.suggestions, withheld=1.0)
    house = House(replace(party, settings=replace(party.settings, suggestions=suggestions)))
    suggest(house.party, house.add_image())
    ann = add_verifier(house, "ann")
    assert ann.take() == []
    assert count(ann) == {}


def test_who_was_asked_about_an_image_gets_no_blind_task_of_it(house: House) -> None:
    image_id = house.add_image()
    suggest(house.party, image_id)
    with add_verifier(house, "ann").visit() as visit:
        from work.questions.asking import take_questions

        take_questions(visit, "person")
        assert visit.shown == {image_id}


def test_then_one_person_is_asked_whether_there_is_another_one(house: House) -> None:
    image_id = house.add_image()
    right, wrong = suggest(house.party, image_id, [XYXY, BESIDE])
    suggest(house.party, image_id, class_id="cat")
    ann, ben, eve = (add_verifier(house, name) for name in ("ann", "ben", "eve"))
    for person in (ann, ben):
        for asked in person.take():
            is_right = asked.question.suggestion_id == right
            person.say(asked.question.id, Said.RIGHT if is_right else Said.WRONG)
    [more] = ann.take()
    assert more.question.kind is QuestionKind.MORE
    assert [box.xyxy for box in more.others] == [XYXY]
    with house.party.catalogue.reading() as session:
        image = session.get_one(Image, image_id)
        assert more.question.box.xyxy == (1, 1, image.width, image.height)
    assert eve.take() == []
    ann.say(more.question.id, Said.NO)
    house.clock.advance(HELD.total_seconds() + 1)
    assert eve.take() == []
    assert wrong not in list_confirmed(house, image_id)


def test_a_screen_of_questions_for_another_one_comes_before_further_boxes(house: House) -> None:
    ann = add_verifier(house, "ann")
    for _ in range(IMAGES_AT_ONCE):
        suggest(house.party, house.add_image())
    ann.say_all(Said.WRONG)
    suggest(house.party, house.add_image())
    assert {asked.question.kind for asked in ann.take()} == {QuestionKind.MORE}


def test_of_two_models_that_suggest_one_object_one_box_is_confirmed(house: House) -> None:
    image_id = house.add_image()
    [first] = suggest(house.party, image_id, [BESIDE], confidence=0.9)
    suggest(house.party, image_id, [AGAIN], confidence=0.8)
    for name in ("ann", "ben"):
        assert len(add_verifier(house, name).say_all(Said.RIGHT)) == 2
    assert list_confirmed(house, image_id) == [first]
