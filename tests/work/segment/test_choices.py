import json

import pytest
from sqlalchemy import update

from catalog.states import BlindKind, ImageState, SegmentState
from catalog.tables import BlindTask
from operate.words import rename_word
from work.blind import FINAL_AFTER
from work.segment.choices import drop_images

from .conftest import SegmentHouse, review, run, save


def test_images_are_chosen_by_seed_and_balanced_over_classes(any_house: SegmentHouse) -> None:
    house = any_house
    for classes in ["dog dog"] * 6 + ["cat cat"] * 3 + ["cow cow"]:
        house.add_checked(classes=classes)
    house.add_checked(ImageState.RETURNED)
    done = run(house, "choose", "--images", "6", "--seed", "7")
    assert done.exit_code == 0, done.output
    counts = dict(line.split() for line in done.stdout.splitlines()[1:])
    assert counts == {"cat": "3", "cow": "1", "dog": "2"}
    listed = json.loads(run(house, "list", "--json").stdout)
    assert (len(listed["images"]), listed["states"]["todo"]) == (6, 6)
    assert run(house, "drop").stdout == "Dropped 6 images.\n"
    run(house, "choose", "--images", "6", "--seed", "7")
    assert json.loads(run(house, "list", "--json").stdout) == listed
    done = run(house, "choose", "--images", "9", "--class", "cat", "--class", "dog")
    assert done.stdout.startswith("Chose 4 images. No more than that are checked or released; 5")


def test_images_are_chosen_by_a_former_name_of_a_class(house: SegmentHouse) -> None:
    house.add_checked(classes="cat")
    with house.party.catalogue.writing() as session:
        rename_word(session, house.party, "cat", "kitten", made_by="olga", at=house.clock.at)
    done = run(house, "choose", "--images", "1", "--class", "cat")
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[1].split() == ["kitten", "1"]


def test_a_segment_command_that_finds_nothing_says_what_to_do(house: SegmentHouse) -> None:
    for words, status, sentence in (
        ("choose --images 1", 1, "it must be checked or released and have an object"),
        ("choose --images 1 --class yak", 2, "The party has no class 'yak'; it has"),
        ("drop 99", 1, "Image 99 is not chosen. `vocparty segment list` shows"),
        ("list", 0, "No image is chosen; `vocparty segment choose --images N` chooses some."),
    ):
        done = run(house, *words.split())
        assert (done.exit_code, sentence in done.output) == (status, True), done.output


def test_a_dropped_image_has_its_drawing_back_when_chosen_again(house: SegmentHouse) -> None:
    image_id, ann, chris = house.add_drawn()
    task = chris.take("check-segment")
    with pytest.raises(Exception, match="is open on a page"):
        drop(house, image_id)
    house.clock.advance(700)
    drop(house, image_id)
    assert review(chris, task).status_code == 409
    assert save(ann, task).status_code == 409
    assert [drawing.is_stale for drawing in house.drawings(image_id)] == [False, True]
    house.choose(twice_share=1.0)
    choice = house.choice(image_id)
    assert (choice.state, choice.blind) == (SegmentState.DRAWN, False)
    assert chris.take("check-segment")["segmentation"]["id"] == task["segmentation"]["id"]


def test_an_image_that_people_have_blind_is_not_drawn_twice_until_their_answers_are_final(
    house: SegmentHouse,
) -> None:
    image_id = house.add_checked()
    house.add_person("zoe")
    with house.party.catalogue.writing() as session:
        person_id = house.person("zoe").id
        blind = {"kind": BlindKind.DOUBLE, "taken_at": house.clock.at}
        session.add(BlindTask(image_id=image_id, person_id=person_id, **blind))
    house.choose(twice_share=1.0)
    assert house.choice(image_id).blind is False
    drop(house, image_id)
    with house.party.catalogue.writing() as session:
        session.execute(update(BlindTask).values(finished_at=house.clock.at))
    house.clock.advance(FINAL_AFTER.total_seconds() + 1)
    house.choose(twice_share=1.0)
    assert house.choice(image_id).blind is True


def drop(house: SegmentHouse, *image_ids: int) -> None:
    with house.party.catalogue.writing() as session:
        drop_images(session, image_ids, at=house.clock.at)
