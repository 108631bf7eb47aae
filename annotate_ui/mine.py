"""What a person has drawn so far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.states import BlindKind, ImageState
from catalog.tables import Annotation, BlindTask, Image, Object

MAX_IMAGES = 200


@dataclass(frozen=True)
class OwnImage:
    """An image and the person's newest revision of it."""

    image_id: int
    state: ImageState
    saved_at: datetime
    sha256: str
    objects: int


def list_own_images(session: Session, person_id: int) -> list[OwnImage]:
    """The images whose newest revision is the person's, newest first, at most MAX_IMAGES.

    What they drew blind is among them, in the state that a new image would have.
    """
    objects = (
        select(func.count())
        .where(Object.annotation_id == Annotation.id)
        .correlate(Annotation)
        .scalar_subquery()
    )
    rows = session.execute(
        select(Image.id, Image.state, Annotation.saved_at, Image.sha256, objects)
        .join(Annotation, Image.annotation_id == Annotation.id)
        .where(Annotation.person_id == person_id, Image.state != ImageState.TAKEN_DOWN)
        .order_by(Annotation.id.desc())
        .limit(MAX_IMAGES)
    )
    own = [OwnImage(*row) for row in rows] + _list_blind(session, person_id)
    return sorted(own, key=lambda one: one.saved_at, reverse=True)[:MAX_IMAGES]


def _list_blind(session: Session, person_id: int) -> list[OwnImage]:
    rows = session.execute(
        select(Annotation, Image.sha256)
        .join(BlindTask, BlindTask.annotation_id == Annotation.id)
        .join(Image, Image.id == BlindTask.image_id)
        .where(
            BlindTask.person_id == person_id,
            BlindTask.kind != BlindKind.TRAINING,
            Image.state != ImageState.TAKEN_DOWN,
        )
        .order_by(Annotation.id.desc())
        .limit(MAX_IMAGES)
    )
    return [_make_blind(annotation, sha256) for annotation, sha256 in rows.tuples()]


def _make_blind(annotation: Annotation, sha256: str) -> OwnImage:
    state = ImageState.ANNOTATED if annotation.is_finished else ImageState.ANNOTATING
    if annotation.discard_reason:
        state = ImageState.DISCARDED
    objects = len(annotation.objects)
    return OwnImage(annotation.image_id, state, annotation.saved_at, sha256, objects)
