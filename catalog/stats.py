"""Counts of a party's rows, as `vocparty progress` shows them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from .at_rest import STATE_AT_REST
from .imports import load_imports
from .states import ImageState, PhotoState
from .tables import Annotation, Image, Object, Person, Photo, Release, ReleaseImage, Review
from .tables.words import name_class

# What to do while a party has no images:
FIRST_STEP = "Next: `vocparty collect`, or `vocparty import folder` for photographs of your own."


@dataclass(frozen=True)
class PartyCounts:
    """Counts of the party at one moment; every state is named, even where it counts 0.

    `imported` counts revisions that came with an import: they are no work of `people`, nor do
    `revisions` and `reviews` count them.
    """

    photos: dict[str, int]
    images: dict[str, int]
    discarded: dict[str, int]
    classes: dict[str, int]
    people: int
    revisions: int
    reviews: int
    imported: int
    releases: list[str]


def load_party_counts(session: Session) -> PartyCounts:
    """The counts of what the catalogue holds, but for work that an undo set aside."""
    number = func.count()
    reasons = select(Image.reason, number).where(Image.state == ImageState.DISCARDED)
    held_back = (  # drafts that stand for what an imported release holds back
        select(ReleaseImage.annotation_id)
        .join(Annotation, Annotation.id == ReleaseImage.annotation_id)
        .where(Annotation.is_finished.is_(False))
    )
    imports = load_imports(session)
    revisions = Annotation.id.not_in(held_back), Annotation.set_aside_at.is_(None)
    is_imported = Annotation.person_id.in_(imports)
    reviews = Review.set_aside_at.is_(None), Review.person_id.not_in(imports)
    people = select(number).select_from(Person).where(Person.id.not_in(imports))
    return PartyCounts(
        photos=dict.fromkeys(PhotoState, 0) | _count(session, select(Photo.state, number)),
        images=dict.fromkeys(ImageState, 0) | _count(session, select(Image.state, number)),
        discarded=_count(session, reasons),
        classes=count_objects(session),
        people=session.scalar(people) or 0,
        revisions=session.scalar(select(number).where(*revisions, ~is_imported)) or 0,
        reviews=session.scalar(select(number).where(*reviews)) or 0,
        imported=session.scalar(select(number).where(*revisions, is_imported)) or 0,
        releases=list(session.scalars(select(Release.name).order_by(Release.id))),
    )


def count_objects(session: Session) -> dict[str, int]:
    """Objects of each class, in the newest revisions of images that were not discarded."""
    number = func.count().label("objects")
    of_ids = (
        select(Object.class_id, number)
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(STATE_AT_REST.not_in([ImageState.DISCARDED, ImageState.TAKEN_DOWN]))
        .group_by(Object.class_id)
        .subquery()
    )
    objects = Counter[str]()
    for name, count in session.execute(select(name_class(of_ids.c.class_id), of_ids.c.objects)):
        objects[name] += count
    return dict(sorted(objects.items()))


def _count(session: Session, values: Select[Any]) -> dict[str, int]:
    """The number of rows for each value of the first column, in the order of the values."""
    column = values.selected_columns[0]
    rows = session.execute(values.group_by(column).order_by(column))
    return {str(value or ""): count for value, count in rows}
