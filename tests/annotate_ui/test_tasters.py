"""Images for one task alone: marked by the organiser, asked on the page, recorded with answers."""

from dataclasses import replace

import pytest

from catalog.preset import ClassSpec
from catalog.refusals import InvalidError
from catalog.states import ImageState, Source, Taster
from catalog.tables import Query
from qa.gold import choose_gold
from qa.load import load_checked_images
from tests.suggesting import suggest
from work.tasters import mark_images

from .house import Browser, House, Json, error_of, thing

HEAD = [{"part": "head", "box": [87, 240, 120, 280]}]
WALKER = thing(parts=[], point=[100, 300])
"""A person as the page asks for Action."""
STANDING = thing(actions=[], parts=HEAD)
"""A person as the page asks for Layout."""


def mark(house: House, taster: str, *filters: str) -> str:
    done = house.run("images", *filters, "--taster", taster)
    assert done.exit_code == 0, done.output
    return done.output


def take_marked(house: House) -> tuple[int, Browser, Json]:
    """The id of an image for Action alone, ann's browser, and her task."""
    image_id = house.add_image()
    mark(house, "action", "--id", str(image_id))
    ann = house.ann()
    return image_id, ann, ann.take()


def test_waiting_images_are_marked_and_others_stay(house: House) -> None:
    waiting = house.add_image()
    new = house.add_image(ImageState.HASHED)
    done = house.add_image(ImageState.CHECKED)
    held = house.add_image(ImageState.ANNOTATING)
    numbers = ",".join(map(str, (waiting, new, done, held)))
    said = mark(house, "action", "--id", numbers)
    assert "2 images will be annotated for Action alone. 2 images stayed as they are" in said
    marks = [house.image(image_id).taster for image_id in (waiting, new, done, held)]
    assert marks == [Taster.ACTION, Taster.ACTION, None, None]
    assert "2 images would be already." in mark(house, "action", "--id", numbers)
    assert "2 images will be annotated in full." in mark(house, "none", "--id", numbers)
    assert house.image(waiting).taster is None


def test_images_are_marked_by_the_query_that_found_them(house: House) -> None:
    with house.party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="person", keyword="woman running")
        session.add(query)
        session.flush()
        query_id = query.id
    woman = house.add_image(query_id=query_id)
    other = house.add_image()
    assert "1 image will be" in mark(house, "layout", "--query", "woman running")
    assert [house.image(key).taster for key in (woman, other)] == [Taster.LAYOUT, None]


def test_every_image_of_a_party_is_not_marked_by_mistake(house: House) -> None:
    done = house.run("images", "--taster", "action")
    assert done.exit_code == 2
    assert "add a filter" in done.output


def test_images_are_not_marked_and_asked_for_again_in_one(house: House) -> None:
    options = ("--id", str(house.add_image()), "--taster", "action")
    done = house.run("images", *options, "--annotate-again", "--name", "again")
    assert done.exit_code == 2
    assert "use it after --annotate-again" in done.output


def test_the_page_is_told_the_task_and_the_answer_records_it(house: House) -> None:
    image_id, ann, task = take_marked(house)
    assert task["taster"] == "action"
    assert ann.save(task, [WALKER], taster="action").status_code == 201
    assert [revision.taster for revision in house.revisions(image_id)] == [Taster.ACTION]
    chris = house.chris()
    check = chris.take("check")
    assert check["taster"] == "action"
    fixed = {"objects": [WALKER], "active_secs": 1.0}
    assert chris.review(check, "fixed", fixed=fixed).status_code == 201
    assert {revision.taster for revision in house.revisions(image_id)} == {Taster.ACTION}


def test_what_the_page_showed_counts_though_the_mark_changed(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    task = ann.take()
    with house.party.catalogue.writing() as session:
        session.merge(house.image(image_id)).taster = Taster.ACTION
    assert ann.save(task, [thing(**{"class": "dog"}, actions=[], parts=[])]).status_code == 201
    assert [revision.taster for revision in house.revisions(image_id)] == [None]


@pytest.mark.parametrize(
    ("taster", "objects", "field"),
    [
        ("action", [], "objects"),
        ("action", [thing(**{"class": "dog"}, actions=[], parts=[])], "objects.0.class"),
        ("action", [WALKER, WALKER | {"key": "b", "actions": []}], "objects.1.actions"),
        ("action", [WALKER | {"point": None}], "objects.0.point"),
        ("action", [WALKER | {"parts": HEAD}], "objects.0.parts"),
        ("layout", [STANDING | {"parts": []}], "objects.0.parts"),
        ("layout", [STANDING | {"actions": ["walking"]}], "objects.0.actions"),
        ("layout", [STANDING | {"point": [100, 300]}], "objects.0.actions"),
    ],
)
def test_only_people_with_what_the_task_needs_are_accepted(
    house: House, taster: str, objects: list[Json], field: str
) -> None:
    ann, task = house.begin()
    answer = ann.save(task, objects, taster=taster)
    assert (answer.status_code, error_of(answer)[2]) == (422, field)


def test_a_draft_may_lack_what_the_finished_work_needs(house: House) -> None:
    ann, task = house.begin()
    unfinished = [WALKER | {"actions": [], "point": None}]
    assert ann.save(task, unfinished, taster="action", finish=False).status_code == 201


def test_a_checkers_fix_keeps_to_the_task(house: House) -> None:
    ann, task = house.begin()
    assert ann.save(task, [STANDING], taster="layout").status_code == 201
    chris = house.chris()
    fixed = {"objects": [WALKER], "active_secs": 1.0}
    answer = chris.review(chris.take("check"), "fixed", fixed=fixed)
    assert (answer.status_code, error_of(answer)[2]) == (422, "fixed.objects.0.actions")


def test_such_an_image_is_no_reference_and_is_not_annotated_twice(house: House) -> None:
    image_id, ann, task = take_marked(house)
    house.set_qa(double_share=1.0)
    assert ann.save(task, [WALKER], taster="action").status_code == 201
    with (
        pytest.raises(InvalidError, match="annotated for Action alone"),
        house.party.catalogue.writing() as session,
    ):
        choose_gold(session, image_id, person_id=1, at=house.clock.at)
    bob = house.enter(house.add_person("bob"))
    assert bob.post("/api/v1/tasks/annotate", {}).get_json()["task"] is None


def test_a_party_without_actions_has_no_such_images(house: House) -> None:
    spec = ClassSpec(name="boat")
    preset = replace(house.party.preset, classes=(spec,), parts=(), actions=())
    with (
        pytest.raises(InvalidError, match="need a class person with actions"),
        house.party.catalogue.writing() as session,
    ):
        mark_images(session, preset, [], Taster.ACTION)


def test_no_check_asks_what_a_detector_saw_on_such_an_image(house: House) -> None:
    image_id, ann, task = take_marked(house)
    suggest(house.party, image_id, class_id="dog")
    assert ann.save(task, [WALKER], taster="action").status_code == 201
    house.set_state(image_id, ImageState.CHECKED)
    with house.party.catalogue.reading() as session:
        [image] = load_checked_images(session)
    assert image.suggested == ()
