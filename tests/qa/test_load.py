from typing import Any

from sqlalchemy import select

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.box import Box
from catalog.hierarchy import Node
from catalog.party import Party
from catalog.states import ImageState, NodeKind, PhotoState, Source, Suggested, Verdict, View
from catalog.tables import (
    Annotation,
    Object,
    Photo,
    Query,
    Review,
    SuggestionRejection,
)
from qa.findings import CheckedImage
from qa.load import load_checked_images
from tests.answered import answer
from tests.rows import reading
from tests.suggesting import NOON, XYXY, suggest

from .rows import CAR, add_image, add_person, add_revision

RIDER: dict[str, Any] = {
    "class_id": "person",
    "xmin": 10,
    "ymin": 20,
    "xmax": 110,
    "ymax": 220,
    "view": "Frontal",
    "truncated": True,
    "occluded": True,
    "difficult": True,
    "actions": ["ridingbike", "phoning"],
    "point_x": 60,
    "point_y": 100,
    "parts": [("head", (40, 20, 70, 60)), ("hand", (10, 90, 30, 110))],
}


def load(party: Party) -> list[CheckedImage]:
    return reading(party, load_checked_images)


def test_all_drawn_fields_are_loaded(any_party: Party) -> None:
    person_id = add_person(any_party)
    image_id = add_image(any_party)
    add_revision(any_party, image_id, person_id, RIDER, CAR)
    [image] = load(any_party)
    assert (image.image_id, image.width_px, image.height_px) == (image_id, 500, 375)
    assert image.objects == (
        AnnotatedObject(
            number=1,
            key="o1",
            class_name="person",
            class_id="person",
            box=Box(10, 20, 110, 220),
            view=View.FRONTAL,
            truncated=True,
            occluded=True,
            difficult=True,
            actions=("ridingbike", "phoning"),
            point_xy=(60, 100),
            parts=(
                AnnotatedPart("head", Box(40, 20, 70, 60)),
                AnnotatedPart("hand", Box(10, 90, 30, 110)),
            ),
        ),
        AnnotatedObject(
            number=2,
            key="o2",
            class_name="car",
            class_id="car",
            box=Box(100, 100, 300, 200),
            view=View.LEFT,
        ),
    )


def test_only_the_newest_revision_is_loaded_with_the_time_of_all(any_party: Party) -> None:
    ann = add_person(any_party)
    chris = add_person(any_party, "chris")
    image_id = add_image(any_party, ImageState.CHECKED)
    add_revision(any_party, image_id, ann, CAR, CAR, active_secs=20.0)
    add_revision(any_party, image_id, chris, CAR, active_secs=1.5)
    add_revision(any_party, image_id, ann, is_head=False, beside="blind", active_secs=100.0)
    [image] = load(any_party)
    assert len(image.objects) == 1
    assert image.active_secs == 21.5


def test_the_time_of_an_imported_annotation_is_unknown(any_party: Party) -> None:
    add_revision(any_party, add_image(any_party), add_person(any_party), CAR, active_secs=0.0)
    [image] = load(any_party)
    assert image.active_secs is None


def test_only_finished_work_is_loaded(any_party: Party) -> None:
    person_id = add_person(any_party)
    images = {state: add_image(any_party, state) for state in ImageState}
    for image_id in images.values():
        add_revision(any_party, image_id, person_id, CAR)
    discarded = add_image(any_party)
    add_revision(any_party, discarded, person_id, discard_reason="collage")
    add_image(any_party)
    looked_at = ("annotated", "checked", "released")
    image_ids = {image.image_id for image in load(any_party)}
    assert image_ids == {images[ImageState(word)] for word in looked_at}


def test_a_suggestion_that_an_undone_person_rejected_is_open_again(any_party: Party) -> None:
    person_id = add_person(any_party)
    image_id = add_image(any_party, state=ImageState.CHECKED)
    undone_id = add_revision(any_party, image_id, person_id, CAR)
    add_revision(any_party, image_id, person_id, RIDER)
    [number] = suggest(any_party, image_id)
    with any_party.catalogue.writing() as session:
        session.add(SuggestionRejection(annotation_id=undone_id, suggestion_id=number))
    assert load(any_party)[0].suggested == ()
    with any_party.catalogue.writing() as session:
        session.get_one(Annotation, undone_id).set_aside_at = NOON
    assert [item.suggestion_id for item in load(any_party)[0].suggested] == [number]


def test_what_detectors_are_sure_of_is_loaded_of_images_that_passed(any_party: Party) -> None:
    person_id = add_person(any_party)
    image_id = add_image(any_party, state=ImageState.CHECKED)
    waiting_id = add_image(any_party)
    add_revision(any_party, waiting_id, person_id, CAR)
    revision_id = add_revision(any_party, image_id, person_id, RIDER, CAR)
    suggest(any_party, waiting_id)
    [open_id] = suggest(any_party, image_id, confidence=0.8)
    suggest(any_party, image_id, confidence=0.79)
    suggest(any_party, image_id, switched_off_at=NOON)
    suggest(any_party, image_id, withdrawn_at=NOON)
    [rejected_id, accepted_id] = suggest(any_party, image_id, [XYXY, XYXY])
    with any_party.catalogue.writing() as session:
        session.add(SuggestionRejection(annotation_id=revision_id, suggestion_id=rejected_id))
        item = session.scalars(select(Object).where(Object.annotation_id == revision_id)).first()
        assert item is not None
        item.suggestion_id = accepted_id
        item.suggested = Suggested.CORRECTED
    passed, waiting = load(any_party)
    assert [item.suggestion_id for item in passed.suggested] == [open_id]
    assert passed.suggested[0].class_name == "person"
    assert passed.suggested[0].box.xyxy == XYXY
    assert waiting.suggested == ()


def test_images_with_suggestions_have_the_classes_that_they_were_searched_for(
    any_party: Party,
) -> None:
    person_id = add_person(any_party)
    values = {"state": PhotoState.FETCHED, "found_at": NOON}
    searched = dict[str, int]()
    open_still = [(Verdict.ACCEPT, False)]
    passed = {
        "queried": open_still,
        "complete": [(Verdict.ACCEPT, True)],
        "reopened": [(Verdict.ACCEPT, True), *open_still],
        "fixed, then reopened": [(Verdict.FIXED, True), *open_still],
        "of no search": open_still,
        "without a suggestion": open_still,
    }
    for kind, said in passed.items():
        image_id = searched[kind] = add_image(any_party, state=ImageState.CHECKED)
        revision_id = add_revision(any_party, image_id, person_id, CAR)
        if kind != "without a suggestion":
            suggest(any_party, image_id)
        with any_party.catalogue.writing() as session:
            query = Query(source=Source.FLICKR, class_id="car", keyword=kind)
            session.add(query)
            session.flush()
            photo = Photo(source=Source.FLICKR, source_id=kind, image_id=image_id, **values)
            photo.query_id = None if kind == "of no search" else query.id
            review: dict[str, Any] = {"annotation_id": revision_id}
            review |= {"person_id": person_id, "reviewed_at": NOON}
            session.add(photo)
            for verdict, word in said:
                review |= {"save_key": f"{kind} {word}", "verdict": verdict, "is_complete": word}
                review["fixed_annotation_id"] = revision_id if verdict is Verdict.FIXED else None
                session.add(Review(**review))
                session.flush()  # one after the other
    dog = Node(NodeKind.CLASS, "dog")
    with any_party.catalogue.writing() as session:
        queried = searched["queried"]
        answer(session, any_party, queried, dog, is_yes=False, person_id=person_id, at=NOON)
    loaded = {image.image_id: image.searched for image in load(any_party)}
    assert {kind: set(loaded[image_id]) for kind, image_id in searched.items()} == {
        "queried": {"car", "dog"},
        "complete": set(),
        "reopened": {"car"},
        "fixed, then reopened": {"car"},
        "of no search": set(),
        "without a suggestion": set(),
    }
