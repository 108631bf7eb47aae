"""Setting aside what one person entered: rows stay, and images go back to where they were."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.sentences import Sentence, say, say_all, say_number
from catalog.session import in_parts
from catalog.states import FindingVerdict, ImageState, Verdict
from catalog.tables import (
    Annotation,
    BlindTask,
    Campaign,
    CampaignImage,
    Finding,
    Image,
    Lease,
    Person,
    Presence,
    Release,
    ReleaseImage,
    Remark,
    Review,
)
from catalog.transitions import move_image
from qa.check_list import apply_live_settings
from qa.checks import check_submission

from .lease_endings import IS_OF_BOXES, release_leases
from .segment.choices import count_drawings, set_drawings_aside

STATE_WORDS = {
    ImageState.POOL: say("back to annotation"),
    ImageState.RETURNED: say("to their authors"),
    ImageState.ANNOTATED: say("to a check"),
    ImageState.DISCARDED: say("to the discarded images"),
    ImageState.CHECKED: say("to the checked images"),
    ImageState.RELEASED: say("to the released images"),
}
MOST_NAMED = 20
_FIRST_DAY = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


@dataclass(frozen=True)
class WayBack:
    """Where an image goes, and the revision that is its newest again; None where none is left."""

    image_id: int
    head_id: int | None
    enters: ImageState
    reason: str | None = None


@dataclass(frozen=True)
class Undone:
    """What an undo sets aside, or would; of revisions and reviews the ids.

    `kept` images were drawn on by others since, `frozen` ones are in a release as the person left
    them; both stay.
    """

    name: str
    revisions: tuple[int, ...]
    reviews: tuple[int, ...]
    verdicts: int
    drawings: int
    ways: tuple[WayBack, ...]
    kept: tuple[int, ...]
    frozen: tuple[int, ...]
    may_sign_in: bool


Entered = tuple[ColumnElement[bool], ColumnElement[bool], ColumnElement[bool]]
"""The conditions of a person's revisions, reviews and verdicts on findings that still count."""


def plan_undo(session: Session, person: Person, since: datetime | None) -> Undone:
    """What an undo would set aside now. This is a read-only operation."""
    since = since or _FIRST_DAY
    drawn, judged, said = entered = _list_entered(person, since)
    ways, kept, frozen = list[WayBack](), list[int](), list[int]()
    for image in _list_images(session, entered):
        way = _plan_image(session, image, entered)
        if way is None:
            kept.append(image.id)
        elif way.enters is ImageState.RELEASED and way.head_id is None:
            frozen.append(image.id)
        elif (way.head_id, way.enters) != (image.annotation_id, image.state):
            ways.append(way)
    stays, of_image = {*kept, *frozen}, Annotation.image_id
    revisions = session.execute(select(Annotation.id, of_image).where(drawn))
    reviews = session.execute(select(Review.id, of_image).join(Review.annotation).where(judged))
    return Undone(
        person.name,
        tuple(row_id for row_id, image_id in revisions if image_id not in stays),
        tuple(row_id for row_id, image_id in reviews if image_id not in stays),
        session.scalar(select(func.count()).where(said)) or 0,
        count_drawings(session, person.id, since),
        tuple(ways),
        tuple(kept),
        tuple(frozen),
        person.ended_at is None,
    )


def undo_person(
    session: Session, party: Party, person: Person, since: datetime | None, *, at: datetime
) -> Undone:
    """What was set aside; leases of the person, and on images that lose their basis, end first."""
    since = since or _FIRST_DAY
    release_leases(session, Lease.person_id == person.id, "undone", at=at)
    images = [way.image_id for way in plan_undo(session, person, since).ways]
    for some in in_parts(images):
        release_leases(session, Lease.image_id.in_(some) & IS_OF_BOXES, "taken_back", at=at)
    for some in in_parts(images):
        locked = select(Image.id).where(Image.id.in_(some)).order_by(Image.id)
        session.execute(locked.with_for_update())
    session.expire_all()
    plan = plan_undo(session, person, since)  # as it is now that no one else can change it
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
    set_drawings_aside(session, person.id, since, at=at)
    session.flush()
    settings = apply_live_settings(session, party.settings)
    for way in plan.ways:
        if way.enters in (ImageState.ANNOTATED, ImageState.CHECKED):
            check_submission(session, way.image_id, party.preset, settings, at=at)
    return plan


def describe_undo(undone: Undone, *, is_done: bool) -> list[Sentence]:
    """The sentences that tell an organiser what was set aside, or would be."""
    counts = (
        say_number(len(undone.revisions), "{count:,} revision", "{count:,} revisions"),
        say_number(len(undone.reviews), "{count:,} review", "{count:,} reviews"),
        say_number(
            undone.verdicts, "{count:,} verdict on a finding", "{count:,} verdicts on findings"
        ),
        say_number(undone.drawings, "{count:,} drawing of pixels", "{count:,} drawings of pixels"),
    )
    entered = [words for words in counts if words.values["count"]]
    name = undone.name
    if not entered:
        lines = [say("{name} has no work in this time that can be undone.", name=name)]
    elif is_done:
        work = say_all(entered)
        lines = [
            say("Undone: {work} of {name}; all of it stays in the history.", work=work, name=name)
        ]
    else:
        work = say_all(entered)
        lines = [
            say(
                "Would undo: {work} of {name}; all of it stays in the history.",
                work=work,
                name=name,
            )
        ]
    places = Counter(way.enters for way in undone.ways)
    goes = [
        say("{count:,} {place}", count=count, place=STATE_WORDS[state])
        for state, count in sorted(places.items())
    ]
    if goes:
        lines.append(say("Images that return: {places}.", places=say_all(goes)))
    if undone.kept:
        images = name_images(undone.kept)
        lines.append(say("Unchanged, because others drew on them later: {images}.", images=images))
    if undone.frozen:
        images = name_images(undone.frozen)
        lines.append(say("Unchanged, because a release contains them: {images}.", images=images))
    if undone.may_sign_in:
        lines.append(
            say("{name} can still sign in; `vocparty people end` revokes the link.", name=name)
        )
    return lines


def describe_version(undone: Undone) -> str:
    """A word that is another one where an undo sets other work aside, or leaves other images."""
    work = (undone.revisions, undone.reviews, undone.verdicts, undone.drawings)
    return digest_of(repr((work, undone.kept, undone.frozen)).encode())[:16]


def place_image(
    chain: Sequence[Annotation], reviews: Sequence[Review], frozen: dict[int, ImageState]
) -> tuple[ImageState, str | None]:
    """The state, and its reason, that revisions and verdicts leave an image in.

    Both in order; `frozen` are the revisions that a release holds, each with the state after that.
    """
    finished = [revision for revision in chain if revision.is_finished]
    if not finished:
        return ImageState.POOL, None
    if chain[-1].id in frozen:
        return frozen[chain[-1].id], None
    last = finished[-1]
    if not chain[-1].is_finished:
        return ImageState.RETURNED, None
    verdicts = [
        review
        for review in reviews
        if last.id in (review.annotation_id, review.fixed_annotation_id)
    ]
    if verdicts and verdicts[-1].verdict is Verdict.RETURNED:
        return ImageState.RETURNED, None
    if last.discard_reason:
        return ImageState.DISCARDED, last.discard_reason
    return (ImageState.CHECKED if verdicts else ImageState.ANNOTATED), None


def _list_entered(person: Person, since: datetime) -> Entered:
    drawn = (Annotation.person_id == person.id) & (Annotation.saved_at >= since)
    judged = (Review.person_id == person.id) & (Review.reviewed_at >= since)
    said = (Finding.person_id == person.id) & (Finding.judged_at >= since)
    return (
        drawn & Annotation.set_aside_at.is_(None),
        judged & Review.set_aside_at.is_(None),
        said & Finding.verdict.in_((FindingVerdict.RIGHT, FindingVerdict.WRONG)),
    )


def _list_images(session: Session, entered: Entered) -> Sequence[Image]:
    """The images that change: stale revisions move none."""
    drawn, judged, _ = entered
    by_hand = select(Annotation.image_id).where(drawn, Annotation.is_stale.is_(False))
    by_word = select(Annotation.image_id).join(Review, Review.annotation_id == Annotation.id)
    either = or_(Image.id.in_(by_hand), Image.id.in_(by_word.where(judged)))
    changed = select(Image).where(either, Image.state != ImageState.TAKEN_DOWN)
    return session.scalars(changed.order_by(Image.id)).all()


def _plan_image(session: Session, image: Image, entered: Entered) -> WayBack | None:
    """Where the image goes; None where others drew on it since, no head where it is frozen."""
    drawn, judged, _ = entered
    of_image = Annotation.image_id == image.id
    chosen = select(Annotation).where(of_image, Annotation.is_stale.is_(False))
    chain = list(session.scalars(chosen.order_by(Annotation.id)))
    gone = set(session.scalars(select(Annotation.id).where(of_image, drawn)))
    frozen = list_frozen(session, image.id)
    if gone & frozen.keys():
        return WayBack(image.id, None, ImageState.RELEASED)
    if gone.intersection(revision.id for revision in chain) and image.annotation_id not in gone:
        return None
    counted = select(Review).where(Review.annotation.has(of_image), ~judged)
    verdicts = session.scalars(counted.where(Review.set_aside_at.is_(None)).order_by(Review.id))
    reviews = [review for review in verdicts if review.fixed_annotation_id not in gone]
    rest = [revision for revision in chain if revision.id not in gone]
    state, reason = place_image(rest, reviews, frozen)
    return WayBack(image.id, rest[-1].id if rest else None, state, reason)


def list_frozen(session: Session, image_id: int) -> dict[int, ImageState]:
    """The image's revisions that releases hold; an imported one counts as checked, not released."""
    rows = session.execute(
        select(ReleaseImage.annotation_id, Release.settings)
        .join(Release, Release.id == ReleaseImage.release_id)
        .where(ReleaseImage.image_id == image_id)
        .order_by(Release.id)
    )
    return {
        revision: ImageState.CHECKED if settings.get("imported") else ImageState.RELEASED
        for revision, settings in rows.tuples()
    }


def _set_aside(
    session: Session, person: Person, since: datetime, plan: Undone, at: datetime
) -> None:
    """Mark the rows; blind answers are open again, findings wait again, remarks are hidden."""
    for some in in_parts(plan.reviews):
        session.execute(update(Review).where(Review.id.in_(some)).values(set_aside_at=at))
    empty = {"annotation_id": None, "finished_at": None, "score": None, "is_passed": None}
    for some in in_parts(plan.revisions):
        for column, changes in (
            (Annotation.id, {"set_aside_at": at, "is_stale": True}),
            (BlindTask.annotation_id, empty),
            (BlindTask.reference_id, {"reference_id": None}),
        ):
            session.execute(update(column.class_).where(column.in_(some)).values(changes))
    _, _, said = _list_entered(person, since)
    words = {"verdict": None, "person_id": None, "judged_at": None}
    is_seen = (Presence.person_id == person.id) & (Presence.judged_at >= since)
    is_said = (Remark.person_id == person.id) & (Remark.written_at >= since)
    for table, condition, values in (
        (Finding, said, words),
        (Presence, is_seen & Presence.set_aside_at.is_(None), {"set_aside_at": at}),
        (Remark, is_said & Remark.set_aside_at.is_(None), {"set_aside_at": at}),
    ):
        session.execute(update(table).where(condition).values(values))


def name_images(image_ids: Sequence[int]) -> Sentence:
    """The images by their numbers, the first MOST_NAMED of them."""
    shown = list(image_ids[:MOST_NAMED])
    more = len(image_ids) - len(shown)
    if more:
        return say("images {image_ids} and {count:,} more", image_ids=shown, count=more)
    return say("images {image_ids}", image_ids=shown)
