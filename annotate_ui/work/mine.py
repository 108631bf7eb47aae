"""What is a person's own: the images that they drew, and the preferences of their pages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from annotate_ui.errors import InvalidError
from annotate_ui.visit import Visit
from catalog.states import BlindKind, ImageState
from catalog.tables import Annotation, BlindTask, Image, Object, Person

MAX_IMAGES = 200
MAX_BYTES = 4096
MAX_DEPTH = 8


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


def load_preferences(visit: Visit) -> dict[str, Any]:
    """What the pages stored last, or nothing; the server makes no use of it."""
    stored = select(Person.preferences).where(Person.id == visit.person.id)
    return visit.session.scalar(stored) or {}


def save_preferences(visit: Visit, preferences: dict[str, Any]) -> None:
    """Store them in place of the ones before; raises InvalidError where they are too large."""
    field = "preferences"
    size = len(json.dumps(preferences, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        message = f"preferences is wrong: expected at most {MAX_BYTES} bytes of JSON, got {size}."
        raise InvalidError(message, field=field)
    if _depth_of(preferences) > MAX_DEPTH:
        message = f"preferences is wrong: expected at most {MAX_DEPTH} levels."
        raise InvalidError(message, field=field)
    if "\\u0000" in json.dumps(preferences):
        raise InvalidError("preferences is wrong: expected no NUL characters.", field=field)
    statement = update(Person).where(Person.id == visit.person.id).values(preferences=preferences)
    visit.session.execute(statement.execution_options(synchronize_session=False))


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


def _depth_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max((_depth_of(item) for item in inner), default=0)
