"""Pictures with good annotations, to show new people what the guidelines mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, exists, select

from catalog.states import ImageState
from catalog.tables import Annotation, BlindTask, GoldImage, Image, Object, Person, Review
from qa.blind_rows import double_limit
from qa.switches import apply_live_settings

from .visit import Visit

PER_CLASS = 3
MOST_OBJECTS = 12
"""Of an example; crowds teach nobody what a class is."""


@dataclass(frozen=True)
class Example:
    """An image with the revision to learn from."""

    image: Image
    objects: Sequence[Object]


def list_examples(visit: Visit, class_name: str) -> list[Example]:
    """Up to PER_CLASS examples of a class that the person will never be given to annotate.

    Training images themselves, while nobody has to pass them; then work that a checker accepted and
    that is neither gold nor to be annotated twice, so that no example gives an answer away.
    """
    qa = apply_live_settings(visit.session, visit.party.settings).qa
    is_gold = exists().where(GoldImage.image_id == Image.id)
    is_blind = exists().where(BlindTask.image_id == Image.id, BlindTask.finished_at.is_(None))
    accepted = exists().where(
        Review.annotation_id == Image.annotation_id, Review.is_complete.is_(True)
    )
    checked = _find(
        visit,
        class_name,
        Image.state == ImageState.CHECKED,
        accepted,
        ~is_gold,
        ~is_blind,
        Image.sha256 >= double_limit(qa.double_share),
    )
    if qa.training_images:
        return checked
    chosen = exists().where(
        GoldImage.image_id == Image.id,
        GoldImage.annotation_id == Image.annotation_id,
        GoldImage.is_training.is_(True),
        GoldImage.ended_at.is_(None),
    )
    return (_find(visit, class_name, chosen) + checked)[:PER_CLASS]


def _find(visit: Visit, class_name: str, *conditions: ColumnElement[bool]) -> list[Example]:
    shows = exists().where(
        Object.annotation_id == Image.annotation_id,
        Object.class_name == class_name,
        Object.difficult.is_(False),
    )
    crowd = exists().where(
        Object.annotation_id == Image.annotation_id, Object.number > MOST_OBJECTS
    )
    images = visit.session.scalars(
        select(Image)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .join(Person, Person.id == Annotation.person_id)
        .where(*conditions, shows, ~crowd, Image.state != ImageState.TAKEN_DOWN)
        .order_by(Image.sha256)
        .limit(PER_CLASS)
    )
    return [Example(image, image.annotation.objects) for image in images if image.annotation]
