"""The training page and the statistics page."""

import itertools
import re
from dataclasses import replace

import pytest

from catalog.states import ImageState
from catalog.tables import Image
from qa.gold import choose_gold
from web.service import SERVICE
from work.shared import SharedCounts

from .house import API, Browser, House, error_of, thing

TRAINING = f"{API}/training"


def add_checked(house: House, *pair: Browser) -> int:
    """An image that ann drew and chris accepted; its digest is above any share."""
    image_id = house.add_image()
    with house.party.catalogue.writing() as session:
        session.get_one(Image, image_id).sha256 = "f" * 60 + f"{image_id:04}"
    ann, chris = pair or (house.ann(), house.chris())
    ann.save(ann.take())
    chris.review(chris.take("check"))
    assert house.state(image_id) is ImageState.CHECKED
    return image_id


def test_the_training_page_shows_accepted_examples_of_a_class(any_house: House) -> None:
    add_checked(any_house)
    ben = any_house.enter(any_house.add_person("ben"))
    examples = ben.get(TRAINING).get_json()["examples"]
    [example] = examples["person"]
    assert example["objects"][0]["box"] == [48, 240, 195, 371]
    assert examples["sheep"] == []


def test_no_example_reveals_the_answer_of_a_training_image(house: House) -> None:
    image_id = add_checked(house)
    with house.party.catalogue.writing() as session:
        choose_gold(session, image_id, person_id=1, at=house.clock.at, is_training=True)
    ben = house.enter(house.add_person("ben"))
    assert len(ben.get(TRAINING).get_json()["examples"]["person"]) == 1
    house.set_qa(training_images=1)
    assert ben.get(TRAINING).get_json()["examples"]["person"] == []


def test_examples_that_are_kept_for_all_are_shown_only_while_they_may_be(house: House) -> None:
    chris = house.chris()
    gold = add_checked(house, house.ann(), chris)
    undone = add_checked(house, house.enter(house.add_person("cleo")), chris)
    service = house.app.extensions[SERVICE]
    shared = SharedCounts(is_kept=True, clock=itertools.count().__next__)  # all are kept for long
    house.app.extensions[SERVICE] = replace(service, shared=shared)
    ben = house.enter(house.add_person("ben"))
    olga = house.olga()
    assert len(ben.get(TRAINING).get_json()["examples"]["person"]) == 2
    assert olga.undo(house.person("cleo").id).status_code == 200
    assert house.image(undone).annotation_id is None
    assert len(ben.get(TRAINING).get_json()["examples"]["person"]) == 1
    with house.party.catalogue.writing() as session:
        choose_gold(session, gold, person_id=1, at=house.clock.at)
    assert ben.get(TRAINING).get_json()["examples"]["person"] == []
    assert olga.get(f"{API}/board").get_json()["stuck"] == []


def test_an_image_to_be_doubly_annotated_is_no_example(house: House) -> None:
    image_id = add_checked(house)
    with house.party.catalogue.writing() as session:
        session.get_one(Image, image_id).sha256 = "0" * 64
    ben = house.enter(house.add_person("ben"))
    assert ben.get(TRAINING).get_json()["examples"]["person"] == []


def test_without_training_images_a_person_begins_after_reading(house: House) -> None:
    ann = house.ann()
    assert ann.get(TRAINING).get_json()["trained_at"] is None
    assert ann.post(f"{TRAINING}/finish").get_json()["trained_at"] == "2026-01-31T12:00:00Z"


@pytest.mark.parametrize("is_passed", [False, True])
def test_training_images_come_first_without_telling_answers(house: House, is_passed: bool) -> None:
    image_id = add_checked(house)
    with house.party.catalogue.writing() as session:
        choose_gold(session, image_id, person_id=1, at=house.clock.at, is_training=True)
    house.set_qa(training_images=1)
    ben = house.enter(house.add_person("ben"))
    assert error_of(ben.post(f"{TRAINING}/finish"))[:2] == (422, "invalid")
    assert ben.save(ben.take(), [thing()] if is_passed else []).status_code == 201
    answer = ben.get(TRAINING).get_json()
    [trial] = answer["trials"]
    assert trial["is_passed"] is is_passed
    missing = ["1 object is missing, or the box is too far off."]
    assert trial["says"] == ([] if is_passed else missing)
    assert answer["is_done"] is is_passed
    assert ben.post(f"{TRAINING}/finish").status_code == (200 if is_passed else 422)


def test_statistics_are_offered_in_each_format_and_no_other(house: House) -> None:
    olga = house.olga()
    add_checked(house)
    for path, mimetype, words in (
        ("tables.txt", "text/plain", "Objects by class"),
        ("tables.csv", "text/csv", "person"),
        ("tables.tex", "text/plain", "tabular"),
        ("tables.json", "application/json", '"histogram"'),
        *(
            (f"{chart}.svg", "image/svg+xml", "<svg")
            for chart in ("histogram", "sizes", "together")
        ),
    ):
        answer = olga.get(f"/statistics/{path}")
        assert answer.mimetype == mimetype
        assert words in answer.text
    for path in ("secrets.svg", "tables.exe"):
        assert olga.get(f"/statistics/{path}").status_code == 404
    page = olga.get("/statistics").text
    assert "finished images (1)" in page
    assert page.count('<img src="data:image/svg+xml;base64,') == 8


def test_every_figure_of_the_statistics_says_what_it_shows(house: House) -> None:
    add_checked(house)
    page = house.olga().get("/statistics").text
    captions = re.findall(
        r'<figure.*? alt="(.*?)".*?<figcaption>(.*?)</figcaption>', page, re.DOTALL
    )
    assert len({caption for _, caption in captions}) == page.count("<figure")
    assert all(alt == caption != "" for alt, caption in captions)
