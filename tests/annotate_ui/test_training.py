"""The training page and the statistics page."""

from __future__ import annotations

import pytest

from annotate_ui.people import renew_link
from catalog.states import BlindKind, ImageState
from catalog.tables import BlindTask, Image, LiveSetting, Person
from qa.gold import GoldScore, format_score
from qa.gold_rows import choose_gold

from .house import API, House, error_of

TRAINING = f"{API}/training"


def add_checked(house: House) -> int:
    """An image that ann drew and chris accepted; its digest is above any share."""
    image_id = house.add_image()
    with house.party.catalogue.writing() as session:
        session.get_one(Image, image_id).sha256 = "f" * 60 + f"{image_id:04}"
    ann = house.ann() if not _is_there(house, "ann") else house.enter(_renew(house, "ann"))
    chris = house.chris() if not _is_there(house, "chris") else house.enter(_renew(house, "chris"))
    ann.save(ann.take())
    chris.review(chris.take("check"))
    assert house.state(image_id) is ImageState.CHECKED
    return image_id


def _is_there(house: House, name: str) -> bool:
    with house.party.catalogue.reading() as session:
        return session.query(Person).filter_by(name=name).count() > 0


def _renew(house: House, name: str) -> str:
    token = house.make_token()
    with house.party.catalogue.writing() as session:
        renew_link(session, name, token=token)
    return token


def ask_for_training(house: House, images: int) -> None:
    with house.party.catalogue.writing() as session:
        value = {"training_images": images}
        session.add(
            LiveSetting(name="qa", number=1, value=value, person_id=1, set_at=house.clock.at)
        )


def test_accepted_work_shows_what_a_class_looks_like(any_house: House) -> None:
    add_checked(any_house)
    ben = any_house.enter(any_house.add_person("ben"))
    examples = ben.get(TRAINING).get_json()["examples"]
    [example] = examples["person"]
    assert example["objects"][0]["box"] == [48, 240, 195, 371]
    assert examples["sheep"] == []


def test_no_example_gives_the_answer_of_a_training_image_away(house: House) -> None:
    image_id = add_checked(house)
    with house.party.catalogue.writing() as session:
        choose_gold(session, image_id, person_id=1, at=house.clock.at, is_training=True)
    ben = house.enter(house.add_person("ben"))
    assert len(ben.get(TRAINING).get_json()["examples"]["person"]) == 1
    ask_for_training(house, 1)
    assert ben.get(TRAINING).get_json()["examples"]["person"] == []


def test_an_image_to_be_annotated_twice_is_no_example(house: House) -> None:
    image_id = add_checked(house)
    with house.party.catalogue.writing() as session:
        session.get_one(Image, image_id).sha256 = "0" * 64
    ben = house.enter(house.add_person("ben"))
    assert ben.get(TRAINING).get_json()["examples"]["person"] == []


def test_whoever_needs_no_training_images_begins_after_reading(house: House) -> None:
    ann = house.ann()
    assert ann.get(TRAINING).get_json()["trained_at"] is None
    assert ann.post(f"{TRAINING}/finish").get_json()["trained_at"] == "2026-01-31T12:00:00Z"


@pytest.mark.parametrize("is_passed", [False, True])
def test_training_images_are_to_be_passed_first_with_hints_that_give_nothing_away(
    house: House, is_passed: bool
) -> None:
    image_id = add_checked(house)
    with house.party.catalogue.writing() as session:
        choose_gold(session, image_id, person_id=1, at=house.clock.at, is_training=True)
    ask_for_training(house, 1)
    ben = house.enter(house.add_person("ben"))
    assert error_of(ben.post(f"{TRAINING}/finish"))[:2] == (422, "invalid")
    score = GoldScore(1, 2 - is_passed, 1, 0, 0, 0, 0.8)
    with house.party.catalogue.writing() as session:
        session.add(
            BlindTask(
                image_id=image_id,
                person_id=house.person("ben").id,
                kind=BlindKind.TRAINING,
                taken_at=house.clock.at,
                expires_at=house.clock.at,
                finished_at=house.clock.at,
                score=format_score(score),
                is_passed=is_passed,
            )
        )
    answer = ben.get(TRAINING).get_json()
    [trial] = answer["trials"]
    assert trial["is_passed"] is is_passed
    assert trial["says"] == (
        [] if is_passed else ["1 object is missing, or the box is too far off."]
    )
    assert answer["is_done"] is is_passed
    assert ben.post(f"{TRAINING}/finish").status_code == (200 if is_passed else 422)


def test_the_statistics_say_when_they_were_counted(house: House) -> None:
    olga = house.olga()
    add_checked(house)
    assert "over 1 image," in olga.get("/statistics").text
    add_checked(house)
    house.clock.advance(60)
    page = olga.get("/statistics").text
    assert "1 minute ago" in page
    assert "over 1 image," in page
    assert "over 2 images" in olga.get("/statistics?again=1").text
    house.clock.advance(601)
    assert "just now" in olga.get("/statistics").text


@pytest.mark.parametrize(
    ("form", "mimetype", "words"),
    [
        ("txt", "text/plain", "Objects by class"),
        ("csv", "text/csv", "person"),
        ("tex", "text/plain", "tabular"),
        ("json", "application/json", '"histogram"'),
    ],
)
def test_all_tables_in_each_form(house: House, form: str, mimetype: str, words: str) -> None:
    olga = house.olga()
    add_checked(house)
    answer = olga.get(f"/statistics/tables.{form}")
    assert answer.mimetype == mimetype
    assert words in answer.text


@pytest.mark.parametrize("name", ["histogram", "sizes", "together"])
def test_each_figure_is_a_picture(house: House, name: str) -> None:
    add_checked(house)
    answer = house.olga().get(f"/statistics/{name}.svg")
    assert answer.mimetype == "image/svg+xml"
    assert "<svg" in answer.text


def test_there_is_no_other_figure_or_form(house: House) -> None:
    olga = house.olga()
    for path in ("/statistics/secrets.svg", "/statistics/tables.exe"):
        assert olga.get(path).status_code == 404
