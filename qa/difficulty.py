"""The difficult pass: which objects an organiser has still to judge, and what was judged.

Difficult is the organisers' word (the paper, section 3.4): it is set on the image's newest revision
itself, each judgement with its row. Of a revision that a release froze only the row is written; a
later release or an edition takes it from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, Select, exists, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.annotated import describe_looks
from catalog.box import Box
from catalog.locks import lock_image
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.states import DecisionKind, ImageState
from catalog.tables import Annotation, Decision, Difficulty, Image, Object, ReleaseImage

JUDGED_STATES = (
    ImageState.ANNOTATED,
    ImageState.CHECKING,
    ImageState.CHECKED,
    ImageState.RELEASED,
)
_CORNERS = (Object.xmin, Object.ymin, Object.xmax, Object.ymax)
_IS_SINGLE = Object.group_of.is_(False)


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


class LastJudgement(NamedTuple):
    """The last judgement of an object, and the digest of how it looked then."""

    is_difficult: bool
    looks_sha256: str


def load_last_judgements(session: Session) -> dict[tuple[int, str], LastJudgement]:
    """The last judgement of each object that was judged, by its image and key."""
    columns = (
        Difficulty.image_id,
        Difficulty.object_key,
        Difficulty.is_difficult,
        Difficulty.looks_sha256,
    )
    rows = session.execute(select(*columns).where(Difficulty.id.in_(_select_last())))
    return {(image_id, key): LastJudgement(*words) for image_id, key, *words in rows}


def list_to_judge(
    session: Session, class_order: Sequence[str], class_ids: Collection[str] | None = None
) -> list[ToJudge]:
    """Every object that was not judged as it looks now: by class, the smallest first.

    With `class_ids`, only those of these classes.
    """
    of_classes = [] if class_ids is None else [Object.class_id.in_(sorted(class_ids))]
    judged = load_last_judgements(session)
    rows = session.execute(
        select(
            Image.id,
            Object.annotation_id,
            Object.object_key,
            Object.class_id,
            Object.class_name,
            Object.difficult,
            *_CORNERS,
        )
        .join(Object, Object.annotation_id == Image.annotation_id)
        .where(*_may_be_judged(), *of_classes)
    )
    waiting = []
    for image_id, revision_id, key, class_id, name, is_difficult, *xyxy in rows:
        box = Box(*xyxy)
        last = judged.get((image_id, key))
        if last is None or last.looks_sha256 != describe_looks(class_id, box):
            waiting.append(
                ToJudge(
                    image_id=image_id,
                    annotation_id=revision_id,
                    object_key=key,
                    class_name=name,
                    box=box,
                    is_difficult=is_difficult,
                    was_judged=last is not None,
                )
            )
    places = {name: place for place, name in enumerate(class_order)}

    def place(candidate: ToJudge) -> tuple[object, ...]:
        of_class = places.get(candidate.class_name, len(places)), candidate.class_name
        return *of_class, candidate.box.area_px, candidate.image_id, candidate.object_key

    return sorted(waiting, key=place)


def count_to_judge(session: Session, *conditions: ColumnElement[bool]) -> Counter[str]:
    """How many objects of each class id were not judged as they look now.

    Those of images that meet the conditions. Only what was judged is read.
    """
    joined = Object.annotation_id == Image.annotation_id
    may_be_judged = (*_may_be_judged(), *conditions)
    of_class = select(Object.class_id, func.count()).join(Image, joined).where(*may_be_judged)
    waiting = Counter(dict(session.execute(of_class.group_by(Object.class_id)).tuples().all()))
    judged = (
        select(Object.class_id, *_CORNERS, Difficulty.looks_sha256)
        .join(Image, joined)
        .join(
            Difficulty,
            (Difficulty.image_id == Image.id) & (Difficulty.object_key == Object.object_key),
        )
        .where(Difficulty.id.in_(_select_last()), *may_be_judged)
    )
    for class_id, *xyxy, looks_sha256 in session.execute(judged):
        waiting[class_id] -= looks_sha256 == describe_looks(class_id, Box(*xyxy))
    return waiting


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
    lock_image(session, image_id)  # no release freezes it, and no save moves it on, meanwhile
    item = session.scalar(
        select(Object)
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Image.id == image_id, Image.annotation_id == seen_id, *_may_be_judged())
        .where(Object.object_key == object_key)
    )
    if item is None:
        raise NotFoundError(
            say(
                "Image {image_id} has no object {object_key} to judge.",
                image_id=image_id,
                object_key=object_key,
            )
        )
    frozen = select(ReleaseImage.id).where(ReleaseImage.annotation_id == seen_id).limit(1)
    if session.scalar(frozen) is None:
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


def load_difficult_keys(session: Session, image_id: int) -> set[str]:
    """The keys of the image's objects that are difficult by the last word on each.

    That is an organiser's judgement; without one, what any revision, such as an imported one, says.
    Boxes around groups are left out: they are difficult as long as they are groups. The word
    follows the key through every revision, also where an object was deleted in between.
    """
    said = select(Object.object_key).join(Annotation, Annotation.id == Object.annotation_id)
    said = said.where(Annotation.image_id == image_id, Object.difficult.is_(True), _IS_SINGLE)
    keys = set(session.scalars(said.distinct()))
    judged = select(Difficulty.object_key, Difficulty.is_difficult)
    judged = judged.where(Difficulty.image_id == image_id).order_by(Difficulty.id)
    for key, is_difficult in session.execute(judged).tuples():
        keys = keys | {key} if is_difficult else keys - {key}
    return keys


def follow_difficulty(session: Session, image_id: int) -> None:
    """Let the objects of the image's newest revision be as the last word on each says.

    A revision that is the newest again, after an undo, may be older than a judgement. What a
    release froze is never touched.
    """
    frozen = Image.annotation_id.in_(select(ReleaseImage.annotation_id))
    newest = select(Image.annotation_id).where(Image.id == image_id, ~frozen)
    of_head = Object.annotation_id.in_(newest)
    is_said = Object.object_key.in_(load_difficult_keys(session, image_id))
    is_difficult = or_(Object.group_of, is_said)
    silent = {"synchronize_session": False}
    changed = update(Object).where(of_head).values(difficult=is_difficult)
    session.execute(changed, execution_options=silent)


def _select_last() -> Select[tuple[int]]:
    """The id of the last judgement of each object that was judged."""
    last = select(func.max(Difficulty.id))
    return last.group_by(Difficulty.image_id, Difficulty.object_key)


def _may_be_judged() -> tuple[ColumnElement[bool], ...]:
    """The conditions of an object, and of the image, whose newest revision may be judged.

    A box around a group is difficult by definition.
    A revision that came with an imported tree has what that says of difficulty. Where masks of a
    release show difficult objects as void, an edition would take a judgement only with new masks.
    """
    imported = exists().where(
        Decision.annotation_id == Image.annotation_id, Decision.kind == DecisionKind.IMPORTED
    )
    masked = exists().where(
        ReleaseImage.image_id == Image.id,
        ReleaseImage.annotation_id == Image.annotation_id,
        ReleaseImage.form["masks"].as_string().is_not(None),
        ReleaseImage.form["labels_difficult"].as_string().is_(None),  # a form has no defaults
    )
    return (Image.state.in_(JUDGED_STATES), _IS_SINGLE, ~imported, ~masked)
