"""What a person has drawn so far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.states import ImageState
from catalog.tables import Annotation, Image, Object

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
    """The images whose newest revision is the person's, newest first, at most MAX_IMAGES."""
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
    return [OwnImage(*row) for row in rows]
