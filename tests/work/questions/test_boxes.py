"""Who is asked about a box: two people, and no third while it is in front of them."""

import random

import pytest

from catalog.states import QuestionKind, Said
from catalog.tables import Question
from tests.annotate_ui.house import House
from tests.suggesting import suggest
from work.questions.asked import HELD
from work.questions.asking import AT_ONCE

from .asking import add_verifier, answer_all, count_of, list_asked, list_confirmed


def test_two_people_are_asked_about_each_box_and_both_confirm_it(any_house: House) -> None:
    image_id = any_house.add_image()
    [number] = suggest(any_house.party, image_id)
    ann, ben, eve = (add_verifier(any_house, name) for name in ("ann", "ben", "eve"))
    assert count_of(ann) == {"person": 1}
    assert list_asked(ann.say_all(Said.RIGHT)) == [number]
    assert ann.take() == []
    assert list_confirmed(any_house, image_id) == []
    assert list_asked(ben.say_all(Said.RIGHT)) == [number]
    assert list_confirmed(any_house, image_id) == [number]
    assert count_of(eve) == {"person": 1}  # whether there is another one
    assert [asked.question.kind for asked in eve.say_all(Said.NO)] == [QuestionKind.MORE]
    assert count_of(ann) == {}


@pytest.mark.parametrize("said", [Said.PART, Said.LARGE, Said.SEVERAL, Said.WRONG])
def test_a_box_that_one_does_not_call_right_is_left_to_who_draws(house: House, said: Said) -> None:
    image_id = house.add_image()
    suggest(house.party, image_id)
    ann, ben = (add_verifier(house, name) for name in ("ann", "ben"))
    ann.say_all(said)
    assert count_of(ben) == {"person": 1}
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


def test_boxes_that_another_called_right_come_first(house: House) -> None:
    boxes = [(1 + place, 1, 60 + place, 90) for place in range(AT_ONCE)]
    suggest(house.party, house.add_image(), boxes)
    ann, ben = (add_verifier(house, name) for name in ("ann", "ben"))
    last = ann.take()[-1].question
    ann.say(last.id, Said.RIGHT)
    questions = list_asked(ben.take())
    assert questions[0] == last.suggestion_id
    assert len(questions) == AT_ONCE


def test_a_screen_is_never_larger_than_what_waits_for_the_person(mixed: House) -> None:
    ben = add_verifier(mixed, "ben")
    left = 40
    gold = 0
    while left:
        questions = [asked.question for asked in ben.take()]
        assert len(questions) == min(left, AT_ONCE)
        assert len(ben.take()) == len(questions)  # a reload adds none in place of gold ones
        for question in questions:
            ben.say(question.id, Said.RIGHT)
            gold += question.known is not None
            left -= question.known is None
    assert gold > 0


def test_gold_crops_are_mixed_in_and_each_is_shown_once(mixed: House) -> None:
    ben = add_verifier(mixed, "ben")
    answer_all(ben, 0, random.Random(1))
    with mixed.party.catalogue.reading() as session:
        gold = [
            (question.image_id, question.object_key)
            for question in session.query(Question).filter(Question.known.is_not(None))
        ]
    assert len(gold) > 10
    assert len(set(gold)) == len(gold)
