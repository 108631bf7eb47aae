"""Where the party stands: counts read from the catalogue."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from .states import ImageState, PhotoState
from .tables import Annotation, Image, Object, Person, Photo, Release, ReleaseImage, Review

FIRST_STEP = "Next: `vocparty collect`, or `vocparty import folder` for photographs of your own."
"""What to do while a party has no images."""


@dataclass(frozen=True)
class Standing:
    """Counts of the party at one moment; every state is named, even where it counts 0."""

    photos: dict[str, int]
    images: dict[str, int]
    discarded: dict[str, int]
    classes: dict[str, int]
    people: int
    revisions: int
    reviews: int
    releases: list[str]


def load_standing(session: Session) -> Standing:
    """The counts of everything that the catalogue holds."""
    photos = _count_by(session, Photo.state)
    images = _count_by(session, Image.state)
    return Standing(
        photos={state: photos.get(state, 0) for state in PhotoState},
        images={state: images.get(state, 0) for state in ImageState},
        discarded=_count_discarded(session),
        classes=_count_classes(session),
        people=_count(session, Person),
        revisions=_count_revisions(session),
        reviews=_count(session, Review),
        releases=list(session.scalars(select(Release.name).order_by(Release.id))),
    )


def _count(session: Session, table: type[Person | Review]) -> int:
    return session.scalar(select(func.count()).select_from(table)) or 0


def _count_revisions(session: Session) -> int:
    """All but those that stand for an annotation which an imported release holds back."""
    hidden = (
        select(ReleaseImage.annotation_id)
        .join(Annotation, Annotation.id == ReleaseImage.annotation_id)
        .where(Annotation.is_finished.is_(False))
    )
    return (
        session.scalar(select(func.count(Annotation.id)).where(Annotation.id.not_in(hidden))) or 0
    )


def _count_by(session: Session, column: object) -> dict[str, int]:
    rows = session.execute(select(column, func.count()).group_by(column))  # type: ignore[call-overload]
    return {str(value): count for value, count in rows}


def _count_discarded(session: Session) -> dict[str, int]:
    rows = session.execute(
        select(Image.reason, func.count())
        .where(Image.state == ImageState.DISCARDED)
        .group_by(Image.reason)
        .order_by(Image.reason)
    )
    return {reason or "": count for reason, count in rows}


def _count_classes(session: Session) -> dict[str, int]:
    """Objects per class in the newest revisions of images that were not discarded."""
    rows = session.execute(
        select(Object.class_name, func.count())
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Image.state.not_in([ImageState.DISCARDED, ImageState.TAKEN_DOWN]))
        .group_by(Object.class_name)
        .order_by(Object.class_name)
    )
    return dict(rows.tuples().all())
