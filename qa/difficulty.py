"""The difficult pass: which objects an organiser has still to judge, and what was judged.

Difficult is the organisers' word (the paper, section 3.4): it is set on the image's newest revision
itself, each judgement with its row. What a release froze is never touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from catalog.annotated import describe_looks
from catalog.box import Box
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.states import ImageState
from catalog.tables import Difficulty, Image, Object, ReleaseImage

JUDGED_STATES = (ImageState.ANNOTATED, ImageState.CHECKING, ImageState.CHECKED)


@dataclass(frozen=True)
class ToJudge:
    """One object to be judged by its crop; `was_judged` where it was changed since."""

    image_id: int
    annotation_id: int
    object_key: str
    class_name: str
    box: Box
    is_difficult: bool
    was_judged: bool


def list_to_judge(session: Session, class_order: Sequence[str]) -> list[ToJudge]:
    """Every object that was not judged as it looks now: by class, the smallest first."""
    newest = select(func.max(Difficulty.id)).group_by(Difficulty.image_id, Difficulty.object_key)
    judgements = session.scalars(select(Difficulty).where(Difficulty.id.in_(newest)))
    judged = {
        (judgement.image_id, judgement.object_key): judgement.looks_sha256
        for judgement in judgements
    }
    corners = (Object.xmin, Object.ymin, Object.xmax, Object.ymax)
    rows = session.execute(
        select(
            Image.id,
            Object.annotation_id,
            Object.object_key,
            Object.class_id,
            Object.class_name,
            Object.difficult,
            *corners,
        )
        .join(Object, Object.annotation_id == Image.annotation_id)
        .where(*_may_be_judged())
    )
    waiting = []
    for image_id, revision_id, key, class_id, name, is_difficult, *xyxy in rows:
        box, looks = Box(*xyxy), judged.get((image_id, key))
        if looks != describe_looks(class_id, box):
            was_judged = looks is not None
            waiting.append(
                ToJudge(
                    image_id=image_id,
                    annotation_id=revision_id,
                    object_key=key,
                    class_name=name,
                    box=box,
                    is_difficult=is_difficult,
                    was_judged=was_judged,
                )
            )
    places = {name: place for place, name in enumerate(class_order)}

    def place(candidate: ToJudge) -> tuple[object, ...]:
        of_class = places.get(candidate.class_name, len(places)), candidate.class_name
        return *of_class, candidate.box.area_px, candidate.image_id, candidate.object_key

    return sorted(waiting, key=place)


def judge_difficulty(
    session: Session,
    image_id: int,
    object_key: str,
    is_difficult: bool,
    *,
    seen_id: int,
    person_id: int,
    at: datetime,
) -> Difficulty:
    """The judgement of an object of an image's newest revision.

    Raises NotFoundError where there is none, or it is not the revision that was seen.
    """
    item = session.scalar(
        select(Object)
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Image.id == image_id, Image.annotation_id == seen_id, *_may_be_judged())
        .where(Object.object_key == object_key)
        .with_for_update(of=Image)  # no release freezes it, and no save moves it on, meanwhile
    )
    if item is None:
        raise NotFoundError(
            say(
                "Image {image_id} has no object {object_key} to judge.",
                image_id=image_id,
                object_key=object_key,
            )
        )
    item.difficult = is_difficult
    judgement = Difficulty(
        image_id=image_id,
        object_key=object_key,
        is_difficult=is_difficult,
        looks_sha256=describe_looks(item.class_id, item.box),
        person_id=person_id,
        judged_at=at,
    )
    session.add(judgement)
    session.flush()
    return judgement


def _may_be_judged() -> tuple[ColumnElement[bool], ...]:
    """The conditions of an image whose newest revision may be judged: no release froze it."""
    frozen = select(ReleaseImage.annotation_id)
    return (Image.state.in_(JUDGED_STATES), Image.annotation_id.not_in(frozen))
