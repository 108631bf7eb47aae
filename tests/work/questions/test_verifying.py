"""Gold crops among the questions, and people who call everything right."""

import random

import pytest

from catalog.party import Party
from catalog.states import Said
from catalog.tables import Question
from qa.gold import choose_gold
from qa.verifiers import (
    LEAST_WRONG,
    load_verification,
    load_verifiers,
    measure_verifier,
)
from tests.annotate_ui.house import House, thing
from tests.suggesting import suggest
from work.questions.asking import AT_ONCE

from .asking import Verifier, add_verifier
from .conftest import without_lottery

CAT = thing("cat", **{"class": "cat"}, box=[300, 40, 420, 200], actions=[], parts=[])


@pytest.fixture
def mixed(party: Party) -> House:
    """A party where half of the crops are gold: of images with a person and a cat."""
    house = House(without_lottery(party, gold_share=0.5))
    ann = house.ann()
    for _ in range(12):
        image_id = house.add_image()
        assert ann.save(ann.take(), [thing("person"), CAT]).status_code == 201
        with house.party.catalogue.writing() as session:
            person_id = house.person("ann").id
            choose_gold(session, image_id, person_id=person_id, at=house.clock.at)
    boxes = [(1 + place, 1, 60 + place, 90) for place in range(40)]
    suggest(house.party, house.add_image(), boxes)
    return house


def answer_all(person: Verifier, right_share: float, lots: random.Random) -> None:
    """Answer all boxes of people: the right word, or "right" for so many of the wrong ones."""
    while questions := [asked.question for asked in person.take() if asked.question.kind == "box"]:
        for question in questions:
            known = question.known or Said.RIGHT
            is_passed = known is not Said.RIGHT and lots.random() < right_share
            person.say(question.id, Said.RIGHT if is_passed else known)


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


def test_people_who_accept_everything_are_found_and_attentive_ones_are_not(mixed: House) -> None:
    lots = random.Random(2)
    eager, attentive = (add_verifier(mixed, name) for name in ("eager", "attentive"))
    answer_all(eager, 1.0, lots)
    answer_all(attentive, 0.05, lots)
    with mixed.party.catalogue.reading() as session:
        people = {person.person_id: person for person in load_verifiers(session)}
        verification = load_verification(session)
    assert people[eager.id].is_suspect
    assert people[eager.id].passed.value == 1.0
    assert people[eager.id].passed.count >= LEAST_WRONG
    assert people[eager.id].secs == pytest.approx(1.5)
    assert not people[attentive.id].is_suspect
    assert verification is not None
    assert verification.confirmed == 40


@pytest.mark.parametrize(
    ("passed", "wrong", "is_suspect"),
    [(4, 4, False), (5, 5, True), (2, 5, False), (3, 5, True), (5, 25, False), (9, 20, True)],
)
def test_nobody_is_accused_for_few_answers_or_for_what_chance_makes(
    passed: int, wrong: int, is_suspect: bool
) -> None:
    answers = {
        (Said.PART, Said.RIGHT): passed,
        (Said.WRONG, Said.WRONG): wrong - passed,
        (None, Said.RIGHT): 50,
        (Said.RIGHT, Said.WRONG): 1,
        (Said.RIGHT, Said.RIGHT): 3,
    }
    person = measure_verifier(1, answers, 1000)
    assert person.is_suspect is is_suspect
    assert (person.passed.count, person.refused.value) == (wrong, 0.25)


def test_simulated_people_who_err_rarely_are_hardly_ever_accused() -> None:
    lots = random.Random(3)
    accused = 0
    for _ in range(500):
        passed = sum(lots.random() < 0.1 for _ in range(20))
        answers: dict[tuple[Said | None, Said], int] = {
            (Said.WRONG, Said.RIGHT): passed,
            (Said.WRONG, Said.WRONG): 20 - passed,
        }
        accused += measure_verifier(1, answers, 1000).is_suspect
    assert accused <= 5
