"""Undoing a person's work: its rows are set aside, and images return to their earlier states."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.decisions import (
    decide_many,
    fold_decisions,
    list_without,
    load_decisions,
    place_draft,
)
from catalog.locks import lock_images
from catalog.refusals import StaleError
from catalog.sentences import say
from catalog.session import in_parts
from catalog.states import DecisionKind, ImageState
from catalog.tables import (
    Annotation,
    Campaign,
    CampaignImage,
    Finding,
    FindingJudgement,
    Image,
    Lease,
    Person,
    Presence,
    ReleaseImage,
    Remark,
    Review,
)
from catalog.transitions import move_image
from qa.difficulty import follow_difficulty
from qa.finding_rows import set_judgements_aside

from .lease_endings import IS_OF_BOXES, release_leases
from .presence.taking_back import TakenBack as PresenceTakenBack
from .presence.taking_back import set_answers_aside
from .questions.answering import TakenBack, count_answers, undo_answers
from .segment.choices import count_drawings, select_drawn_on, set_drawings_aside
from .setting_aside import set_reviews_aside, set_revisions_aside
from .shown import describe_version

_FIRST_DAY = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


@dataclass(frozen=True)
class WayBack:
    """What an undo does to one image: the state that it enters, and its newest revision then.

    `head_id` is None if no revision is left. `is_changed` tells whether state or revision differ
    from the present ones, apart from a lease.
    """

    image_id: int
    head_id: int | None
    enters: ImageState
    reason: str | None = None
    is_changed: bool = False


@dataclass(frozen=True)
class Undone:
    """The work of one person that an undo sets aside, or would set aside.

    `revisions` and `reviews` are ids, as are the `images` that they are on; the other kinds of work
    are counts, and `answers` also says which images have boxes because of them. `presence` are
    answers whether images show something; once they are set aside, `followed` says what that did.
    `ways` has the images that change. `kept` are ids of images that others drew on later, `frozen`
    of those that a release has as the person left them; these do not change.
    """

    name: str
    revisions: tuple[int, ...]
    reviews: tuple[int, ...]
    images: tuple[int, ...]
    verdicts: int
    drawings: int
    drawing_verdicts: int
    answers: TakenBack
    presence: int
    ways: tuple[WayBack, ...]
    kept: tuple[int, ...]
    frozen: tuple[int, ...]
    may_sign_in: bool
    followed: PresenceTakenBack = field(default_factory=lambda: PresenceTakenBack(0))


Entered = tuple[ColumnElement[bool], ColumnElement[bool], ColumnElement[bool]]
"""The conditions of a person's revisions, reviews and verdicts on findings that still count."""


def plan_undo(session: Session, person: Person, since: datetime | None) -> Undone:
    """What an undo would set aside now. This is a read-only operation."""
    since = since or _FIRST_DAY
    entered = _list_entered(person, since)
    drawn, judged, said = entered
    ways: list[WayBack] = []
    kept: list[int] = []
    frozen: list[int] = []
    for image in _list_images(session, entered):
        way = _plan_image(session, image, entered)
        if way is None:
            kept.append(image.id)
        elif way.enters is ImageState.RELEASED and way.head_id is None:
            frozen.append(image.id)
        elif way.is_changed:
            ways.append(way)
    unchanged = {*kept, *frozen}
    column = Annotation.image_id
    revisions, reviews = (
        {row_id: image_id for row_id, image_id in rows.tuples() if image_id not in unchanged}
        for rows in (
            session.execute(select(Annotation.id, column).where(drawn)),
            session.execute(select(Review.id, column).join(Review.annotation).where(judged)),
        )
    )
    pixels = count_drawings(session, person.id, since)  # drawings, verdicts on drawings
    return Undone(
        name=person.name,
        revisions=tuple(revisions),
        reviews=tuple(reviews),
        images=tuple(sorted({*revisions.values(), *reviews.values()})),
        verdicts=session.scalar(select(func.count(FindingJudgement.id)).where(said)) or 0,
        drawings=pixels[0],
        drawing_verdicts=pixels[1],
        answers=count_answers(session, person.id, since),
        presence=session.scalar(select(func.count(Presence.id)).where(_are_answers(person, since)))
        or 0,
        ways=tuple(ways),
        kept=tuple(kept),
        frozen=tuple(frozen),
        may_sign_in=person.ended_at is None,
    )


def undo_person(
    session: Session,
    person: Person,
    since: datetime | None,
    *,
    at: datetime,
    organiser: Person | None = None,
) -> Undone:
    """Set the person's work aside, and return what was set aside.

    Ends the person's leases, and those on images that change, first. Records the undo for each
    image; `organiser` is None if a command makes it. The checks look at these images afterwards.
    Raises StaleError where the person works on further images at this moment.
    """
    since = since or _FIRST_DAY
    session.flush()
    locked = lock_images(session, _list_touched(session, person, since))
    for some in in_parts(locked):
        theirs = (Lease.person_id == person.id) & Lease.image_id.in_(some)
        release_leases(session, theirs, "undone", at=at)
    session.expire_all()
    plan = plan_undo(session, person, since)
    _refuse_busy(session, person, since, locked)
    images = [way.image_id for way in plan.ways]
    for some in in_parts(images):
        release_leases(session, Lease.image_id.in_(some) & IS_OF_BOXES, "taken_back", at=at)
    for way in plan.ways:
        image = session.get_one(Image, way.image_id, populate_existing=True)
        image.annotation_id = way.head_id
        session.flush()
        if image.state is not way.enters:
            move_image(session, image.id, image.state, way.enters, at=at, reason=way.reason)
            session.refresh(image)
    for some in in_parts(images):
        asked = update(CampaignImage).where(CampaignImage.image_id.in_(some))
        open_ones = select(Campaign.id).where(Campaign.ended_at.is_(None))
        asked = asked.where(CampaignImage.campaign_id.in_(open_ones))
        session.execute(asked.values(asked_at=None))  # campaigns ask for them again
    _set_aside(session, person, since, plan, at)
    undone = [{"image_id": image_id, "reason": person.name} for image_id in plan.images]
    decide_many(session, undone, DecisionKind.UNDONE, at=at, person=organiser)
    set_drawings_aside(session, person.id, since, at=at)
    is_seen = _are_answers(person, since)
    followed = set_answers_aside(session, is_seen, at=at, undoer=organiser)
    undo_answers(session, person.id, since, at=at, undoer=organiser)
    session.flush()
    for way in plan.ways:
        follow_difficulty(session, way.image_id)
    return replace(plan, followed=followed)


def _refuse_busy(
    session: Session, person: Person, since: datetime, locked: Collection[int]
) -> None:
    """Raise StaleError where the person has begun to work on images that are not locked."""
    if _list_touched(session, person, since) - set(locked):
        raise StaleError(
            say(
                "{person} is at work now, so nothing was undone. Revoke the link first, or try "
                "again.",
                person=person.name,
            )
        )


def _list_touched(session: Session, person: Person, since: datetime) -> set[int]:
    """The images that the person's work or leases are on."""
    drawn, judged, said = _list_entered(person, since)
    is_said = _are_remarks(person, since)
    is_seen = _are_answers(person, since)
    of_reviews = select(Annotation.image_id).join(Review, Review.annotation_id == Annotation.id)
    of_judgements = select(Finding.image_id).join(
        FindingJudgement, FindingJudgement.finding_id == Finding.id
    )
    touched = (
        select(Annotation.image_id).where(drawn),
        of_reviews.where(judged),
        select(Remark.image_id).where(is_said),
        of_judgements.where(said, Finding.image_id.is_not(None)),
        select(Presence.image_id).where(is_seen),
        select(Lease.image_id).where(Lease.person_id == person.id),
        select_drawn_on(person.id, since),
    )
    return {image_id for chosen in touched for image_id in session.scalars(chosen)}


def version_of_undo(undone: Undone) -> str:
    """A digest of what the undo would set aside, and of where it would leave images."""
    work = (undone.revisions, undone.reviews, undone.verdicts)
    pixels = (undone.drawings, undone.drawing_verdicts)
    places = [(way.image_id, way.head_id, way.enters.value) for way in undone.ways]
    answers = (undone.answers.answers, undone.answers.drawn, undone.presence)
    return describe_version(work, pixels, answers, places, undone.kept, undone.frozen)


def _list_entered(person: Person, since: datetime) -> Entered:
    drawn = (Annotation.person_id == person.id) & (Annotation.saved_at >= since)
    judged = (Review.person_id == person.id) & (Review.reviewed_at >= since)
    said = (FindingJudgement.person_id == person.id) & (FindingJudgement.judged_at >= since)
    return (
        drawn & Annotation.set_aside_at.is_(None),
        judged & Review.set_aside_at.is_(None),
        said & FindingJudgement.set_aside_at.is_(None),
    )


def _list_images(session: Session, entered: Entered) -> Sequence[Image]:
    """The images with work of the person that counts; a stale revision changes no image."""
    drawn, judged, _ = entered
    by_hand = select(Annotation.image_id).where(drawn, Annotation.is_stale.is_(False))
    by_word = select(Annotation.image_id).join(Review, Review.annotation_id == Annotation.id)
    either = or_(Image.id.in_(by_hand), Image.id.in_(by_word.where(judged)))
    changed = select(Image).where(either, Image.state != ImageState.TAKEN_DOWN)
    return session.scalars(changed.order_by(Image.id)).all()


def _plan_image(session: Session, image: Image, entered: Entered) -> WayBack | None:
    """What happens to one image; None if others drew on it later.

    An image frozen in a release enters RELEASED with no head.
    """
    drawn, judged, _ = entered
    of_image = Annotation.image_id == image.id
    chosen = select(Annotation).where(of_image, Annotation.is_stale.is_(False))
    chain = list(session.scalars(chosen.order_by(Annotation.id)))
    gone = set(session.scalars(select(Annotation.id).where(of_image, drawn)))
    if gone & _list_frozen(session, image.id):
        return WayBack(image.id, None, ImageState.RELEASED)
    if gone.intersection(revision.id for revision in chain) and image.annotation_id not in gone:
        return None
    reviews = select(Review.id).join(Review.annotation).where(of_image, judged)
    decisions = load_decisions(session, [image.id])[image.id]
    without = list_without(decisions, gone, set(session.scalars(reviews)))
    rest = [revision for revision in chain if revision.id not in gone]
    before = place_draft(fold_decisions(decisions), image.annotation)
    head = rest[-1] if rest else None
    after = place_draft(fold_decisions(decisions, without=without), head)
    return WayBack(
        image_id=image.id,
        head_id=head.id if head else None,
        enters=after.state,
        reason=after.reason,
        is_changed=(head, after.state) != (image.annotation, before.state),
    )


def _list_frozen(session: Session, image_id: int) -> set[int]:
    """The image's revisions that releases hold."""
    of_image = ReleaseImage.image_id == image_id
    return set(session.scalars(select(ReleaseImage.annotation_id).where(of_image)))


def _set_aside(
    session: Session, person: Person, since: datetime, plan: Undone, at: datetime
) -> None:
    """Mark the rows of the work; remarks are hidden."""
    set_reviews_aside(session, plan.reviews, at=at)
    set_revisions_aside(session, plan.revisions, at=at)
    _, _, said = _list_entered(person, since)
    set_judgements_aside(session, said, at=at)
    session.execute(update(Remark).where(_are_remarks(person, since)).values(set_aside_at=at))


def _are_answers(person: Person, since: datetime) -> ColumnElement[bool]:
    """The person's answers on thumbnails that count."""
    mine = (Presence.person_id == person.id) & (Presence.judged_at >= since)
    return mine & Presence.set_aside_at.is_(None)


def _are_remarks(person: Person, since: datetime) -> ColumnElement[bool]:
    """The person's remarks that are shown."""
    mine = (Remark.person_id == person.id) & (Remark.written_at >= since)
    return mine & Remark.set_aside_at.is_(None)
