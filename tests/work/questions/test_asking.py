"""What comes next: questions that a person left open, and what they have seen by that."""

from catalog.states import Said
from tests.annotate_ui.house import House
from tests.suggesting import XYXY, suggest

from .asking import BESIDE, add_verifier, list_confirmed

AGAIN = (302, 42, 421, 199)


def test_questions_without_an_answer_come_again_to_the_same_person(house: House) -> None:
    suggest(house.party, house.add_image(), [XYXY, BESIDE])
    ann = add_verifier(house, "ann")
    first = ann.take()
    ann.say(first[0].question.id, Said.RIGHT)
    again = ann.take()
    assert [asked.question.id for asked in again] == [first[1].question.id]


def test_who_was_asked_about_an_image_gets_no_blind_task_of_it(house: House) -> None:
    image_id = house.add_image()
    suggest(house.party, image_id)
    with add_verifier(house, "ann").visit() as visit:
        from work.questions.asking import take_questions

        take_questions(visit, "person")
        assert visit.shown == {image_id}


def test_of_two_models_that_suggest_one_object_one_box_is_confirmed(house: House) -> None:
    image_id = house.add_image()
    [first] = suggest(house.party, image_id, [BESIDE], confidence=0.9)
    suggest(house.party, image_id, [AGAIN], confidence=0.8)
    for name in ("ann", "ben"):
        assert len(add_verifier(house, name).say_all(Said.RIGHT)) == 2
    assert list_confirmed(house, image_id) == [first]
