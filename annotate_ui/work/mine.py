"""What is a person's own: the images that they drew, and the preferences of their pages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import case, func, select, update
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
    counted = select(func.count()).where(Object.annotation_id == Annotation.id)
    objects = counted.correlate(Annotation).scalar_subquery()
    as_new = case(
        (Annotation.discard_reason.is_not(None), ImageState.DISCARDED.value),
        (Annotation.is_finished.is_(True), ImageState.ANNOTATED.value),
        else_=ImageState.ANNOTATING.value,
    )
    columns = (Annotation.saved_at, Image.sha256, objects)
    heads = select(Image.id, Image.state, *columns).join(
        Annotation, Image.annotation_id == Annotation.id
    )
    blind = (
        select(Image.id, as_new, *columns)
        .join(BlindTask, BlindTask.image_id == Image.id)
        .join(Annotation, BlindTask.annotation_id == Annotation.id)
        .where(BlindTask.person_id == person_id, BlindTask.kind != BlindKind.TRAINING)
    )
    own: list[OwnImage] = []
    for chosen in (heads, blind):
        shown = (Annotation.person_id == person_id, Image.state != ImageState.TAKEN_DOWN)
        newest = chosen.where(*shown).order_by(Annotation.id.desc()).limit(MAX_IMAGES)
        own += [
            OwnImage(image_id, ImageState(state), *rest)
            for image_id, state, *rest in session.execute(newest)
        ]
    return sorted(own, key=lambda one: one.saved_at, reverse=True)[:MAX_IMAGES]


def load_preferences(visit: Visit) -> dict[str, Any]:
    """What the pages stored last, or nothing; the server makes no use of it."""
    stored = select(Person.preferences).where(Person.id == visit.person.id)
    return visit.session.scalar(stored) or {}


def save_preferences(visit: Visit, preferences: dict[str, Any]) -> None:
    """Store them in place of the ones before; raises InvalidError where they are too large."""
    size = len(json.dumps(preferences, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    problem = None
    if size > MAX_BYTES:
        problem = f"at most {MAX_BYTES} bytes of JSON, got {size}"
    elif _depth_of(preferences) > MAX_DEPTH:
        problem = f"at most {MAX_DEPTH} levels"
    elif "\\u0000" in json.dumps(preferences):
        problem = "no NUL characters"
    if problem:
        raise InvalidError(f"preferences is wrong: expected {problem}.", field="preferences")
    statement = update(Person).where(Person.id == visit.person.id).values(preferences=preferences)
    visit.session.execute(statement.execution_options(synchronize_session=False))


def _depth_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max((_depth_of(item) for item in inner), default=0)
