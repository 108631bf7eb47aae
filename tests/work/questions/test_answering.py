"""Answers: kept with who, when and how long; corrected, taken back, and what they led to."""

import pytest
from sqlalchemy import select

from catalog.refusals import InvalidError, NotFoundError
from catalog.states import ImageState, Role, Said
from catalog.tables import QuestionAnswer, Suggestion, SuggestionSet
from tests.annotate_ui.house import House, thing
from tests.suggesting import NOON, XYXY, suggest
from work.questions.answering import (
    count_answers,
    take_back,
    take_back_all,
    version_of_answers,
)
from work.undo import plan_undo, undo_person
from work.undo_words import describe_undo

from .asking import Verifier, add_verifier, list_confirmed


def read_answers(house: House) -> list[QuestionAnswer]:
    with house.party.catalogue.reading() as session:
        return list(session.scalars(select(QuestionAnswer).order_by(QuestionAnswer.id)))


def confirm(house: House, image_id: int) -> tuple[Verifier, Verifier]:
    """Ann and ben, who called all boxes of the image right."""
    ann, ben = (add_verifier(house, name) for name in ("ann", "ben"))
    for person in (ann, ben):
        person.say_all(Said.RIGHT)
    return ann, ben


def test_an_answer_is_kept_with_its_moment_and_how_long_it_took(any_house: House) -> None:
    suggest(any_house.party, any_house.add_image())
    ann = add_verifier(any_house, "ann")
    [asked] = ann.take()
    any_house.clock.advance(3)
    ann.say(asked.question.id, Said.PART)
    [answer] = read_answers(any_house)
    assert (answer.question_id, answer.said) == (asked.question.id, Said.PART)
    assert (answer.answered_at, answer.took_ms) == (any_house.clock.at, 1500)


def test_the_same_answer_again_changes_nothing_and_another_one_corrects_it(house: House) -> None:
    suggest(house.party, house.add_image())
    ann = add_verifier(house, "ann")
    [asked] = ann.take()
    first = ann.say(asked.question.id, Said.RIGHT)
    assert ann.say(asked.question.id, Said.RIGHT) == first
    second = ann.say(asked.question.id, Said.WRONG)
    assert second != first
    before, after = read_answers(house)
    assert (before.id, before.set_aside_at) == (first, house.clock.at)
    assert (after.id, after.set_aside_at) == (second, None)


def test_only_who_was_asked_answers_and_with_words_of_the_question(house: House) -> None:
    suggest(house.party, house.add_image())
    ann, ben = (add_verifier(house, name) for name in ("ann", "ben"))
    [asked] = ann.take()
    with pytest.raises(NotFoundError):
        ben.say(asked.question.id, Said.RIGHT)
    with pytest.raises(InvalidError):
        ann.say(asked.question.id, Said.YES)
    assert read_answers(house) == []


def test_an_answer_about_a_withdrawn_set_or_photograph_is_not_kept(house: House) -> None:
    image_id = house.add_image()
    [number] = suggest(house.party, image_id)
    suggest(house.party, house.add_image())
    ann = add_verifier(house, "ann")
    first, second = ann.take()
    with house.party.catalogue.writing() as session:
        set_id = session.get_one(Suggestion, number).set_id
        session.get_one(SuggestionSet, set_id).withdrawn_at = NOON
    house.set_state(second.image.id, ImageState.TAKEN_DOWN)
    assert ann.say(first.question.id, Said.RIGHT) is None
    assert ann.say(second.question.id, Said.RIGHT) is None


def test_an_answer_while_somebody_draws_changes_nothing_of_the_drawing(any_house: House) -> None:
    image_id = any_house.add_image()
    suggest(any_house.party, image_id)
    ben, eve = (add_verifier(any_house, name) for name in ("ben", "eve"))
    questions = [person.take()[0].question.id for person in (ben, eve)]
    ann = any_house.ann()
    task = ann.take()
    ben.say(questions[0], Said.RIGHT)
    assert ann.save(task, [thing()], finish=False).status_code == 201
    eve.say(questions[1], Said.RIGHT)
    [draft] = any_house.revisions(image_id)
    assert any_house.image(image_id).annotation_id == draft.id
    assert any_house.state(image_id) is ImageState.ANNOTATING


def test_an_answer_that_is_taken_back_confirms_no_more_and_is_asked_again(house: House) -> None:
    image_id = house.add_image()
    [number] = suggest(house.party, image_id)
    ann, ben = confirm(house, image_id)
    assert list_confirmed(house, image_id) == [number]
    last = read_answers(house)[-1]
    with ann.visit() as visit:
        assert take_back(visit, [last.id]).answers == 0  # it is ben's
    with ben.visit() as visit:
        assert take_back(visit, [last.id]).answers == 1
    assert list_confirmed(house, image_id) == []
    [asked] = ben.take()
    assert asked.question.suggestion_id == number
    ben.say(asked.question.id, Said.RIGHT)
    assert list_confirmed(house, image_id) == [number]


def test_images_drawn_with_a_box_are_named_when_its_answer_is_taken_back(house: House) -> None:
    image_id = house.add_image()
    [number] = suggest(house.party, image_id)
    ann, ben = confirm(house, image_id)
    eve = house.enter(house.add_person("eve"))
    assert eve.save(eve.take(), [thing(suggestion_id=number)]).status_code == 201
    olga = add_verifier(house, "olga", Role.ORGANISER)
    with olga.visit() as visit:
        before = version_of_answers(visit.session, ben.id)
        assert count_answers(visit.session, ben.id).drawn == (image_id,)
        assert take_back_all(visit, ben.id).drawn == (image_id,)
        assert take_back_all(visit, ben.id).answers == 0
        assert version_of_answers(visit.session, ben.id) != before
    aside = [answer for answer in read_answers(house) if answer.set_aside_at is not None]
    assert [answer.set_aside_by_id for answer in aside] == [olga.id]
    assert len(read_answers(house)) == 2
    with house.party.catalogue.reading() as session:
        assert count_answers(session, ann.id).answers == 1


def test_an_undo_of_a_person_takes_their_answers_back_and_names_the_images(house: House) -> None:
    image_id = house.add_image()
    [number] = suggest(house.party, image_id, [XYXY])
    _, ben = confirm(house, image_id)
    eve = house.enter(house.add_person("eve"))
    assert eve.save(eve.take(), [thing(suggestion_id=number)]).status_code == 201
    with ben.visit() as visit:
        plan = plan_undo(visit.session, visit.person, None)
        sentences = " ".join(describe_undo(plan, is_done=False))
        assert "1 answer about a box" in sentences
        assert f"images {image_id}" in sentences
        undo_person(visit.session, visit.person, None, at=visit.at)
    assert list_confirmed(house, image_id) == []
    assert house.state(image_id) is ImageState.ANNOTATED
