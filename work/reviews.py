"""Saving a checker's verdict, never on work that they had a hand in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, and_, bindparam, exists, func, or_, select
from sqlalchemy.orm import Session

from catalog.decisions import decide, follow
from catalog.image_store import digest_of
from catalog.refusals import ForbiddenError
from catalog.sentences import say
from catalog.states import DecisionKind, ImageState, LeaseKind, Role, Verdict
from catalog.tables import Annotation, BlindTask, GoldImage, Image, Lease, Object, Review
from catalog.transitions import move_image
from qa.checks import is_for_organiser, may_check
from work.bodies import ReviewBody
from work.visit import Visit

from .lease_endings import IS_OF_BOXES, end_lease
from .leases import hold_image
from .remarks import write_remark
from .revision_rows import add_revision, find_parent, get_image, read_kept
from .revisions import Kept, keep_beside, make_frame
from .rules import check_review
from .saving import require_own_key, require_room, save_once

_KINDS = {
    Verdict.ACCEPT: DecisionKind.ACCEPTED,
    Verdict.FIXED: DecisionKind.FIXED,
    Verdict.RETURNED: DecisionKind.RETURNED,
}


@dataclass(frozen=True)
class Reviewed:
    """A verdict that was saved; `is_repeated` where it had been saved before."""

    review: Review
    image: Image
    is_repeated: bool = False


@save_once
def save_review(visit: Visit, image_id: int, body: ReviewBody) -> Reviewed | Kept:
    """What became of a verdict; the same `save_key` never saves twice.

    An object that it says nothing of is accepted, but not `judged`. Raises NotFoundError,
    InvalidError, or ForbiddenError where the checker is an author of the image's annotation or an
    organiser has to settle it; then nothing was saved.
    """
    lease = hold_image(visit, image_id, LeaseKind.CHECK)  # a second post waits here for the first
    if (repeated := _find_repeated(visit, image_id, body.save_key)) is not None:
        visit.changed.add(image_id)  # in case that it was cut off before the checks
        return repeated
    image = get_image(visit.session, image_id)
    _refuse_checker(visit, image_id)
    revision = find_parent(visit.session, image, body.annotation_id, "annotation_id")
    keys = _list_keys(visit.session, revision, body)
    kept = read_kept(visit, revision) if body.fixed is not None else {}
    frame = replace(make_frame(visit, image), taster=revision.taster if revision else None)
    check_review(body, frozenset(keys), frame, kept)
    corrected = _add_corrected(visit, image, revision, lease, body)
    is_current = not corrected.is_stale if corrected else image.annotation_id == body.annotation_id
    if lease is None or revision is None or not is_current:
        return keep_beside(visit, image, body.annotation_id, lease, corrected)
    review = _make_review(visit, revision, keys, body, corrected)
    visit.session.add(review)
    visit.session.flush()
    end_lease(visit.session, lease, at=visit.at)
    _conclude(visit, lease, revision, review, body)
    return Reviewed(review, image)


def _list_keys(session: Session, revision: Annotation | None, body: ReviewBody) -> list[str]:
    """The keys of the objects that the checker saw, in order.

    Of a revision that a restore lost, they are known by the verdict alone.
    """
    if revision is None:
        return [item.key for item in body.objects]
    seen = select(Object.object_key).where(Object.annotation_id == revision.id)
    return list(session.scalars(seen.order_by(Object.number)))


def _make_review(
    visit: Visit,
    revision: Annotation,
    keys: Sequence[str],
    body: ReviewBody,
    corrected: Annotation | None,
) -> Review:
    """The visitor's verdict as a row; an object that it says nothing of is accepted."""
    unsaid = {"verdict": "accept", "comment": "", "judged": False}
    words = {item.key: item.model_dump(exclude={"key"}) for item in body.objects}
    return Review(
        annotation_id=revision.id,
        person_id=visit.person.id,
        role=visit.person.role,
        is_complete=body.complete,
        comment=body.comment or None,
        object_verdicts=[{"object_key": key} | words.get(key, unsaid) for key in keys],
        fixed_annotation_id=corrected.id if corrected else None,
        reviewed_at=visit.at,
        **body.model_dump(include={"save_key", "verdict", "active_secs"}),
    )


def _conclude(
    visit: Visit, lease: Lease, revision: Annotation, review: Review, body: ReviewBody
) -> None:
    """Move the image to where the verdict puts it, and tell its author of comments on objects."""
    kind = _KINDS[review.verdict]
    enters = follow(kind, lease.returns_to)
    reason = revision.discard_reason if enters is ImageState.DISCARDED else None
    image_id = revision.image_id
    move_image(visit.session, image_id, ImageState.CHECKING, enters, at=visit.at, reason=reason)
    about = {"annotation_id": revision.id, "review_id": review.id}
    decide(visit.session, image_id, kind, at=visit.at, person=visit.person, **about)
    visit.session.get_one(Image, image_id, populate_existing=True)
    if body.verdict is Verdict.RETURNED:  # a returned image carries its own words
        return
    for item in body.objects:
        if item.verdict == "accept" and item.comment.strip():
            write_remark(visit, revision.id, item.comment, item.key)
    visit.changed.add(image_id)


def has_drawn(person_id: int) -> ColumnElement[bool]:
    """Whether the person made any revision that led to the newest one: all but stale ones do."""
    return exists().where(
        Annotation.image_id == Image.id,
        Annotation.person_id == person_id,
        Annotation.is_stale.is_(False),
    )


def is_checkable_by(visit: Visit) -> ColumnElement[bool]:
    """Whether the visitor may check an image: by others, not theirs to draw blind, not disputed."""
    me = visit.person.id
    open_blind = exists().where(
        BlindTask.image_id == Image.id, BlindTask.person_id == me, BlindTask.finished_at.is_(None)
    )
    by_others = and_(~has_drawn(me), ~open_blind)
    is_organiser = visit.person.role is Role.ORGANISER
    return by_others if is_organiser else and_(by_others, ~is_disputed(visit))


def is_disputed(visit: Visit) -> ColumnElement[bool]:
    """Whether an image went back so often that an organiser settles it (qa.return_rounds)."""
    return is_for_organiser(visit.party.settings.qa.return_rounds)


def count_to_settle(visit: Visit) -> int:
    """How many disputes wait for the visitor's word: free or open with them, drawn by others."""
    is_theirs = exists().where(
        Lease.image_id == Image.id, Lease.person_id == visit.person.id, IS_OF_BOXES
    )
    is_open_with_them = and_(Image.state == ImageState.CHECKING, is_theirs)
    waits = or_(Image.state == ImageState.ANNOTATED, is_open_with_them)
    disputed = select(func.count()).select_from(Image).where(waits, is_disputed(visit))
    return visit.session.scalar(disputed.where(is_checkable_by(visit))) or 0


def find_verdict(session: Session, image_id: int) -> Review | None:
    """The last review of the image that counts, or None."""
    return session.scalar(_LAST_OF_IMAGE, {"image_id": image_id})


_LAST_OF_IMAGE = (
    select(Review)
    .join(Review.annotation)
    .where(Annotation.image_id == bindparam("image_id"), Review.set_aside_at.is_(None))
    .order_by(Review.id.desc())
    .limit(1)
)


def find_return(session: Session, image_id: int) -> Review | None:
    """The review that sent the image back, where that was the last verdict on it."""
    review = find_verdict(session, image_id)
    return review if review is not None and review.verdict is Verdict.RETURNED else None


def _find_repeated(visit: Visit, image_id: int, save_key: str) -> Reviewed | Kept | None:
    """What became of a review of this key before, or None where there was none."""
    review = visit.session.scalar(select(Review).where(Review.save_key == save_key))
    by_key = Annotation.save_key == corrected_key(visit, save_key)
    corrected = visit.session.scalar(select(Annotation).where(by_key))
    earlier = review.annotation if review else corrected
    if earlier is None:
        return None
    person_id = review.person_id if review else earlier.person_id
    is_of_same = earlier.image_id == image_id
    require_own_key(visit, person_id, is_of_same=is_of_same)
    image = get_image(visit.session, image_id)
    if review is not None:
        return Reviewed(review, image, is_repeated=True)
    lease = hold_image(visit, image_id, LeaseKind.CHECK)
    return keep_beside(visit, image, earlier.parent_id, lease, earlier)


def corrected_key(visit: Visit, save_key: str) -> str:
    """The save_key of the revision that a review brings with it."""
    return digest_of(f"corrected by {visit.person.id}: {save_key}".encode())


def _refuse_checker(visit: Visit, image_id: int) -> None:
    drawn = exists().where(Image.id == image_id, has_drawn(visit.person.id))
    if visit.session.scalar(select(drawn)):
        raise ForbiddenError(
            say("You annotated this image yourself. Another checker must check it.")
        )
    most = visit.party.settings.qa.return_rounds
    if not may_check(visit.session, image_id, visit.person.role, most):
        raise ForbiddenError(
            say("The image was returned {most} times. Now an organiser decides.", most=most)
        )


def _add_corrected(
    visit: Visit, image: Image, revision: Annotation | None, lease: Lease | None, body: ReviewBody
) -> Annotation | None:
    """The objects as the checker corrected them, if they did; stale where this comes too late."""
    if body.fixed is None:
        return None
    if lease is None:
        require_room(visit, Annotation, image.id)
    corrected = add_revision(
        visit,
        image,
        revision,
        body.fixed.objects,
        (ImageState.CHECKING, None) if lease and revision else None,
        save_key=corrected_key(visit, body.save_key),
        is_finished=True,
        active_secs=body.fixed.active_secs,
        taster=revision.taster if revision else image.taster,
    )
    if visit.person.role is Role.ORGANISER and not corrected.is_stale:  # who vouches for it
        move_gold(visit.session, image.id, revision.id if revision else None, corrected.id)
    return corrected


def move_gold(session: Session, image_id: int, from_id: int | None, to_id: int) -> None:
    """Let a gold image whose reference is the one revision have the other."""
    gold = session.get(GoldImage, image_id)
    if gold is not None and gold.annotation_id == from_id:
        gold.annotation_id = to_id
        session.flush()
