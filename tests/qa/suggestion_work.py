"""Images that people drew with and without suggestions."""

from datetime import timedelta
from itertools import count
from typing import Any

from sqlalchemy.orm import Session

from catalog.states import Beside, BlindKind, Suggested
from catalog.tables import Annotation, BlindTask, Image, Object
from tests.party_rows import NOW
from tests.rows import make_image

_numbers = count(1)


HERE = (10, 10, 110, 110)


THERE = (200, 200, 300, 300)


WITHHELD: dict[str, Any] = {"suggestions_shown": 0, "suggestions_withheld": True}


Boxes = list[tuple[str, tuple[int, int, int, int]]]


def add_image(session: Session) -> Image:
    image = make_image(f"{next(_numbers):064x}", NOW)
    session.add(image)
    session.flush()
    return image


def save(session: Session, image: Image, boxes: Boxes, **values: Any) -> Annotation:
    """A finished revision by ann with these boxes; `made_of` are suggestions by place."""
    made_of = values.pop("made_of", {})
    objects = [
        Object(
            number=place,
            object_key=f"k{place}",
            class_id=class_id,
            xmin=box[0],
            ymin=box[1],
            xmax=box[2],
            ymax=box[3],
            suggestion_id=made_of.get(place),
            suggested=Suggested.ACCEPTED if place in made_of else None,
        )
        for place, (class_id, box) in enumerate(boxes, start=1)
    ]
    plain = {"person_id": 1, "is_finished": True, "saved_at": NOW + timedelta(hours=1)}
    key = f"save-{next(_numbers)}"
    revision = Annotation(image_id=image.id, save_key=key, objects=objects, **(plain | values))
    session.add(revision)
    session.flush()
    return revision


def answer_blind(
    session: Session,
    image: Image,
    boxes: Boxes,
    reference: Annotation,
    kind: BlindKind,
    **more: Any,
) -> None:
    """What chris drew of the image without seeing the reference."""
    drawn = save(session, image, boxes, person_id=2, beside=Beside.BLIND, **more)
    session.add(
        BlindTask(
            image_id=image.id,
            person_id=2,
            kind=kind,
            taken_at=NOW,
            finished_at=NOW,
            reference_id=reference.id,
            annotation_id=drawn.id,
        )
    )
