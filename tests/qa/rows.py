"""Annotated images put into a party's catalogue, as the annotation page leaves them."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.preset import Preset
from catalog.settings import Settings
from catalog.states import BlindKind, ImageState, Verdict
from catalog.tables import Annotation, BlindTask, Image, Object, Part, Person, Review
from qa.checks import find_in_submission, keep_submission
from qa.findings import Finding
from tests.rows import make_image, make_person

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)

CAR = {"class_id": "car", "xmin": 100, "ymin": 100, "xmax": 300, "ymax": 200, "view": "Left"}
DOG = {"class_id": "dog", "xmin": 320, "ymin": 20, "xmax": 480, "ymax": 200}


def add_person(party: Party, name: str = "ann") -> int:
    with party.catalogue.writing() as session:
        person = make_person(name, NOON)
        session.add(person)
        session.flush()
        return person.id


def check_submission(
    session: Session, image_id: int, preset: Preset, settings: Settings, *, at: datetime
) -> list[Finding]:
    """What the checks say of the image's newest revision; its findings in the queue follow."""
    submission = find_in_submission(session, image_id, preset, settings)
    keep_submission(session, submission, at=at)
    return list(submission.findings)


def add_image(party: Party, state: ImageState = ImageState.ANNOTATED) -> int:
    """The id of an image of 500 x 375 pixels without an annotation."""
    with party.catalogue.writing() as session:
        number = len(session.scalars(select(Image.id)).all())
        image = make_image(digest_of(b"%d" % number), NOON, state=state)
        session.add(image)
        session.flush()
        return image.id


def add_revision(
    party: Party,
    image_id: int,
    person_id: int,
    *objects: dict[str, Any],
    is_head: bool = True,
    **values: Any,
) -> int:
    """The id of a revision with these objects; `parts` of an object are (name, xyxy)."""
    with party.catalogue.writing() as session:
        number = len(session.scalars(select(Annotation.id)).all())
        annotation = Annotation(
            image_id=image_id,
            person_id=person_id,
            save_key=f"save-{number:08}",
            **({"active_secs": 30.0, "is_finished": True, "saved_at": NOON} | values),
        )
        annotation.objects = [
            _make_object(place, item) for place, item in enumerate(objects, start=1)
        ]
        session.add(annotation)
        session.flush()
        if is_head:
            session.get_one(Image, image_id).annotation_id = annotation.id
        return annotation.id


def add_review(party: Party, annotation_id: int, person_id: int, **values: Any) -> None:
    """A verdict on a revision, in the person's role; accept unless said otherwise."""
    values = {"verdict": Verdict.ACCEPT, "reviewed_at": NOON, "save_key": uuid4().hex} | values
    with party.catalogue.writing() as session:
        values = {"role": session.get_one(Person, person_id).role} | values
        session.add(Review(annotation_id=annotation_id, person_id=person_id, **values))


def add_double(
    party: Party,
    image_id: int,
    person_id: int,
    reference_id: int,
    added: int,
    kind: BlindKind = BlindKind.DOUBLE,
) -> None:
    """A finished blind task, whose added revision is compared with the reference."""
    with party.catalogue.writing() as session:
        times = dict.fromkeys(("taken_at", "finished_at"), NOON)
        values = {"image_id": image_id, "person_id": person_id, "kind": kind, **times}
        session.add(BlindTask(reference_id=reference_id, annotation_id=added, **values))


def _make_object(number: int, fields: dict[str, Any]) -> Object:
    columns = {name: value for name, value in fields.items() if name != "parts"}
    item = Object(number=number, object_key=f"o{number}", **columns)
    item.parts = [
        Part(number=place, word=name, xmin=xyxy[0], ymin=xyxy[1], xmax=xyxy[2], ymax=xyxy[3])
        for place, (name, xyxy) in enumerate(fields.get("parts", []), start=1)
    ]
    return item
