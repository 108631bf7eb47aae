"""Whether an image shows another object of the class is asked once its boxes are answered."""

from catalog.states import QuestionKind, Said
from catalog.tables import Image
from tests.annotate_ui.house import House
from tests.suggesting import XYXY, suggest
from work.questions.asked import HELD
from work.questions.whole_images import IMAGES_AT_ONCE

from .asking import BESIDE, add_verifier, list_confirmed


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
