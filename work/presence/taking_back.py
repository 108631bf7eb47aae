"""Answers that count no more: what follows from the others is computed anew for their images."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from catalog.decisions import decide, fold_decisions, load_decisions, place_draft
from catalog.locks import lock_images
from catalog.preset import UNWANTED_REASON
from catalog.session import in_parts
from catalog.states import DecisionKind, ImageState
from catalog.tables import Image, Object, Person, Presence, PresentClass
from catalog.transitions import move_image
from qa.difficulty import follow_difficulty
from work.setting_aside import set_revisions_aside
from work.visit import Visit

from .empty import discard_empty
from .plans import load_newest
from .states import refresh_states


@dataclass(frozen=True)
class TakenBack:
    """How many answers were taken back, and what followed from them, as ids of images.

    `reopened` were discarded as empty and wait again; `discarded` are empty by the answers that
    are left; `drawn` have a box of a class that is not settled any more, and stay as they are.
    """

    answers: int
    reopened: tuple[int, ...] = ()
    discarded: tuple[int, ...] = ()
    drawn: tuple[int, ...] = ()


def take_back(visit: Visit, answer_ids: Collection[int]) -> TakenBack:
    """Let answers of the visitor count no more."""
    mine = (Presence.id.in_(answer_ids), Presence.person_id == visit.person.id)
    return _take_back(visit, *mine)


def take_back_all(visit: Visit, person_id: int) -> TakenBack:
    """Let no answer of a person count any more, as an organiser decides."""
    return _take_back(visit, Presence.person_id == person_id)


def version_of_answers(session: Session, person_id: int) -> str:
    """The version of a person's answers, as a page shows them: how many stand, and the last."""
    count, last = session.execute(
        select(func.count(Presence.id), func.max(Presence.id)).where(
            Presence.person_id == person_id, Presence.set_aside_at.is_(None)
        )
    ).one()
    return f"{count}-{last or 0}"


def _take_back(visit: Visit, *conditions: ColumnElement[bool]) -> TakenBack:
    lock_images(visit.session, select(Presence.image_id).where(*conditions))
    taken = set_answers_aside(visit.session, *conditions, at=visit.at, undoer=visit.person)
    visit.changed.update(taken.reopened, taken.discarded)
    return taken


def set_answers_aside(
    session: Session, *conditions: ColumnElement[bool], at: datetime, undoer: Person | None
) -> TakenBack:
    """Set aside the standing answers of these conditions, whose images the caller has locked."""
    standing = select(Presence).where(*conditions, Presence.set_aside_at.is_(None))
    answers = list(session.scalars(standing.with_for_update()))
    for answer in answers:
        answer.set_aside_at = at
        if undoer is None or answer.person_id != undoer.id:
            answer.set_aside_by_id = undoer.id if undoer else None
    session.flush()
    image_ids = sorted({answer.image_id for answer in answers if answer.known is None})
    followed = _follow(session, image_ids, at=at, person=undoer)
    return replace(followed, answers=len(answers))


def _follow(
    session: Session, image_ids: Sequence[int], *, at: datetime, person: Person | None
) -> TakenBack:
    """Compute the images anew, and tell what followed."""
    plan = load_newest(session)
    if plan is None or not image_ids:
        return TakenBack(0)
    before = _load_present(session, image_ids)
    outcomes = refresh_states(session, plan, image_ids)
    lost = before - _load_present(session, image_ids)
    open_ids = [image_id for image_id in image_ids if not outcomes[image_id].is_empty]
    return TakenBack(
        answers=0,
        reopened=tuple(bring_back(session, open_ids, at=at, person=person)),
        discarded=tuple(discard_empty(session, outcomes, at=at)),
        drawn=tuple(_list_drawn(session, lost)),
    )


def _load_present(session: Session, image_ids: Sequence[int]) -> set[tuple[int, str]]:
    rows = select(PresentClass.image_id, PresentClass.class_id)
    return {
        (image_id, class_id)
        for some in in_parts(image_ids)
        for image_id, class_id in session.execute(rows.where(PresentClass.image_id.in_(some)))
    }


def _list_drawn(session: Session, lost: Collection[tuple[int, str]]) -> list[int]:
    """The images whose newest revision has a box of a class that they lost."""
    boxes = select(Image.id, Object.class_today.label("class_id")).join(
        Object, Object.annotation_id == Image.annotation_id
    )
    image_ids = sorted({image_id for image_id, _ in lost})
    return sorted(
        {
            image_id
            for some in in_parts(image_ids)
            for image_id, class_id in session.execute(boxes.where(Image.id.in_(some)))
            if (image_id, class_id) in lost
        }
    )


def bring_back(
    session: Session, image_ids: Collection[int], *, at: datetime, person: Person | None
) -> list[int]:
    """Which of the images were discarded as empty and wait again, as nobody decided since."""
    images = select(Image).where(Image.id.in_(image_ids), Image.state == ImageState.DISCARDED)
    options = {"populate_existing": True}
    return [
        image.id
        for image in session.scalars(images.order_by(Image.id), execution_options=options).all()
        if _bring_back(session, image, at=at, person=person)
    ]


def _bring_back(session: Session, image: Image, *, at: datetime, person: Person | None) -> bool:
    head = image.annotation
    if head is None or head.discard_reason != UNWANTED_REASON or head.objects:
        return False
    decisions = load_decisions(session, [image.id])[image.id]
    standing = [decision for decision in decisions if decision.set_aside_at is None]
    if not standing or standing[-1].annotation_id != head.id:
        return False
    set_revisions_aside(session, [head.id], at=at)
    image.annotation_id = head.parent_id
    session.flush()
    session.refresh(image)
    before = place_draft(fold_decisions(standing[:-1]), image.annotation)
    if not move_image(session, image.id, image.state, before.state, at=at, reason=before.reason):
        return False
    decide(session, image.id, DecisionKind.TAKEN_BACK, at=at, person=person)
    session.refresh(image)
    follow_difficulty(session, image.id)
    return True
