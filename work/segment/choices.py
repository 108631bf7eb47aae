"""Which images are segmented: chosen, given up, and to be drawn again.

They are where an object changed, or the person who drew was undone.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, Select, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.annotated import list_changed_keys
from catalog.at_rest import find_state_at_rest, rests_in
from catalog.box import Box
from catalog.sentences import Sentence, name_term, say
from catalog.states import ImageState, SegmentState
from catalog.stuck import about_image, is_stuck
from catalog.tables import (
    Annotation,
    Image,
    Lease,
    Object,
    ReleaseImage,
    Segmentation,
    SegmentationReview,
    SegmentChoice,
)
from vockit.errors import UserError
from vockit.format.rings import Outline, unpack_rings
from work.blind import select_unsettled
from work.lease_endings import (
    IS_OF_SEGMENTS,
    end_lease,
    list_unlocked,
    release_leases,
    sweep_leases,
)

from .drawings import compare_drawings

SEGMENTED_STATES = (ImageState.CHECKED, ImageState.RELEASED)
"""Boxes come first: an image is drawn on when its boxes passed checking."""


class ChoiceError(UserError):
    """Images that cannot be chosen, or be given up now."""


@dataclass(frozen=True)
class Chosen:
    """The images that were chosen, and how many of all chosen images show each class."""

    image_ids: tuple[int, ...]
    counts: dict[str, int]


def choose_images(
    session: Session,
    count: int,
    classes: Sequence[str],
    *,
    seed: int,
    twice_share: float,
    at: datetime,
) -> Chosen:
    """Choose images at random, each time one that shows the class of which there are fewest.

    `twice_share` of them are drawn twice, but none that people have blind just now: these may not
    see it yet, and nobody may be left for the second drawing. Raises ChoiceError where no image is
    left to be chosen.
    """
    known = _load_classes(session)
    before = set(session.scalars(select(SegmentChoice.image_id)))
    wanted = tuple(classes) or tuple(sorted({name for names in known.values() for name in names}))
    counts = Counter(name for key in before for name in known.get(key, ()))
    left = sorted(key for key, names in known.items() if key not in before and names & {*wanted})
    rng = random.Random(seed)  # noqa: S311
    rng.shuffle(left)
    chosen: list[int] = []
    while left and len(chosen) < count:
        ordered = sorted(wanted, key=lambda name: counts[name])
        image_id = next(key for name in ordered for key in left if name in known[key])
        left.remove(image_id)
        chosen.append(image_id)
        counts.update(known[image_id])
    if not chosen:
        raise ChoiceError(
            "No image is left to choose: it must be checked or released and have an object."
        )
    unsettled = set(session.scalars(select_unsettled(at)))
    for image_id in chosen:
        is_twice = rng.random() < twice_share and image_id not in unsettled
        session.add(_make_choice(session, image_id, is_twice=is_twice, at=at))
    session.flush()
    return Chosen(tuple(chosen), {name: counts[name] for name in wanted})


def _make_choice(session: Session, image_id: int, *, is_twice: bool, at: datetime) -> SegmentChoice:
    """The choice of an image; one that was drawn before it was given up goes on from there."""
    is_current = (Segmentation.image_id == image_id, Segmentation.is_stale.is_(False))
    drawings = select(Segmentation).where(*is_current).order_by(Segmentation.id.desc())
    newest = session.scalar(drawings.limit(1))
    choice = SegmentChoice(image_id=image_id, chosen_at=at, blind=is_twice and newest is None)
    if newest is not None:
        choice.segmentation_id = newest.id
        choice.annotation_id = newest.annotation_id
        choice.state = SegmentState.DRAWN if newest.is_finished else SegmentState.TODO
    return choice


def drop_images(session: Session, image_ids: Sequence[int], *, at: datetime) -> int:
    """How many images are given up; what was drawn stays, for when they are chosen again.

    Without ids all of which nothing was drawn. Raises ChoiceError for one that a person has open.
    """
    sweep_leases(session, at=at)
    if not image_ids:
        undrawn = SegmentChoice.segmentation_id.is_(None)
        choices = _lock_choices(session, undrawn)
        held = _list_leased(session, undrawn)
        free = [choice for choice in choices if choice.image_id not in held]
    else:
        asked = SegmentChoice.image_id.in_(image_ids)
        free = _lock_choices(session, asked)
        _refuse_held(image_ids, {choice.image_id for choice in free}, _list_leased(session, asked))
    for choice in free:
        session.delete(choice)
    return len(free)


def _refuse_held(image_ids: Sequence[int], chosen: set[int], held: set[int]) -> None:
    """Raise ChoiceError for the first image that is not chosen, or that a person has open."""
    for image_id in image_ids:
        if image_id not in chosen:
            raise ChoiceError(
                f"Image {image_id} is not chosen. `vocparty segment list` shows all chosen images."
            )
        if image_id in held:
            raise ChoiceError(
                f"Image {image_id} is open on a page. Drop it when the page is closed."
            )


def _lock_choices(session: Session, condition: ColumnElement[bool]) -> list[SegmentChoice]:
    """The choices, which no other transaction changes, nor gives out, until this one ends."""
    chosen = select(SegmentChoice).where(condition).order_by(SegmentChoice.image_id)
    return list(session.scalars(chosen.with_for_update()))


def _list_leased(session: Session, condition: ColumnElement[bool]) -> set[int]:
    """The images of these choices that people hold."""
    chosen = select(SegmentChoice.image_id).where(condition)
    leased = select(Lease.image_id).where(Lease.image_id.in_(chosen), IS_OF_SEGMENTS)
    return set(session.scalars(leased))


def settle_changed(session: Session, *, at: datetime) -> None:
    """Let images be drawn again of which an object is new or has another box.

    What another transaction is busy with is settled by a later call.
    """
    is_other = SegmentChoice.annotation_id != Image.annotation_id
    drawn = SegmentChoice.state.in_((SegmentState.DRAWN, SegmentState.CHECKED))
    changed = select(SegmentChoice.image_id).join(Image).where(rests_in(SEGMENTED_STATES))
    changed = changed.where(is_other, drawn, ~is_stuck())
    image_ids = session.scalars(changed).all()
    if not image_ids:
        return
    on_them = Lease.image_id.in_(image_ids) & IS_OF_SEGMENTS
    leases = {lease.image_id: lease for lease in list_unlocked(session, on_them)}
    again = select(SegmentChoice).join(Image).where(SegmentChoice.image_id.in_(image_ids))
    again = again.where(is_other, drawn).order_by(SegmentChoice.image_id)
    locked = again.with_for_update(of=SegmentChoice, skip_locked=True)
    choices = session.scalars(locked.execution_options(populate_existing=True)).all()
    busy = set(session.scalars(select(Lease.image_id).where(on_them))) - leases.keys()
    for choice in choices:
        if choice.image_id in busy:
            continue
        with about_image(choice.image_id):
            if list_changed(session, choice):
                choice.state = SegmentState.TODO
                if choice.image_id in leases:
                    end_lease(session, leases[choice.image_id], how="taken_back", at=at)
            choice.annotation_id = choice.image.annotation_id
    session.flush()


def list_changed(session: Session, choice: SegmentChoice) -> list[str]:
    """The keys of objects that are new or have another box since the image was drawn."""
    if choice.segmentation is None or choice.image.annotation_id is None:
        return []
    before = load_boxes(session, choice.segmentation.annotation_id)
    return list_changed_keys(before, load_boxes(session, choice.image.annotation_id))


def describe_wait(session: Session, image: Image) -> Sentence | None:
    """Why an image that is chosen is not drawn or checked now, in a few words; None where it is."""
    if find_state_at_rest(session, image) in SEGMENTED_STATES:
        return None
    return say("it is {state}; what was drawn is kept", state=name_term(image.state.words))


def load_boxes(session: Session, annotation_id: int) -> dict[str, Box]:
    """The boxes of a revision by the keys of its objects, in order."""
    columns = (Object.object_key, Object.xmin, Object.ymin, Object.xmax, Object.ymax)
    rows = select(*columns).where(Object.annotation_id == annotation_id).order_by(Object.number)
    return {key: Box(*xyxy) for key, *xyxy in session.execute(rows).tuples()}


def load_drawn(segmentation: Segmentation) -> list[Outline]:
    """A drawing as values."""
    segments = segmentation.segments
    return [
        Outline(segment.object_key, segment.depth, unpack_rings(segment.rings))
        for segment in segments
    ]


Agreement = dict[str, float]
"""The IoU of two drawings of an image, by object key."""


def measure_agreement(session: Session, image_id: int) -> tuple[int, Agreement] | None:
    """The second drawing of an image, and how far it agrees with the first on each object.

    Only objects whose box both saw are compared. None where there is only one drawing, or where it
    is kept already. A read-only operation.
    """
    choice = session.get(SegmentChoice, image_id)
    if choice is None or choice.second_id is None or choice.agreement is not None:
        return None
    second = session.get_one(Segmentation, choice.second_id)
    first = _find_first(session, second)
    if first is None:
        return None
    ours, theirs = (load_boxes(session, drawing.annotation_id) for drawing in (first, second))
    size = choice.image.width, choice.image.height
    overlaps = compare_drawings(load_drawn(first), load_drawn(second), *size)
    same = {key: overlaps[key] for key in overlaps if key in ours and ours[key] == theirs.get(key)}
    return second.id, same


def _find_first(session: Session, second: Segmentation) -> Segmentation | None:
    """The drawing that was finished before the second one, which a checker may have fixed since."""
    is_before = (Segmentation.image_id == second.image_id, Segmentation.id < second.id)
    is_first = (Segmentation.is_stale.is_(False), Segmentation.is_finished.is_(True))
    newest = select(Segmentation).where(*is_before, *is_first).order_by(Segmentation.id.desc())
    return session.scalar(newest.limit(1))


def keep_agreement(session: Session, image_id: int, second_id: int, agreement: Agreement) -> None:
    """Keep how far the second drawing agrees with the first, where it still is the second."""
    is_second = (SegmentChoice.image_id == image_id, SegmentChoice.second_id == second_id)
    session.execute(update(SegmentChoice).where(*is_second).values(agreement=agreement))


def count_drawings(session: Session, person_id: int, since: datetime) -> tuple[int, int]:
    """How many of a person's drawings, and verdicts, `set_drawings_aside` would set aside."""
    drawings = select(func.count()).where(_are_theirs(person_id, since))
    verdicts = select(func.count()).where(_are_said(person_id, since))
    return session.scalar(drawings) or 0, session.scalar(verdicts) or 0


def select_drawn_on(person_id: int, since: datetime) -> Select[tuple[int]]:
    """The images whose drawings `set_drawings_aside` may change."""
    judged = select(SegmentationReview.segmentation_id).where(_are_said(person_id, since))
    changed = or_(_are_theirs(person_id, since), Segmentation.id.in_(judged))
    return select(Segmentation.image_id).where(changed)


def set_drawings_aside(session: Session, person_id: int, since: datetime, *, at: datetime) -> None:
    """Let images go on from the newest drawing of others, which is checked again.

    The rows stay, as drawings that do not count. Those in a release stay as they are. An image on
    which others drew later keeps the later drawing, which is checked again.
    """
    theirs = set(session.scalars(select(Segmentation.id).where(_are_theirs(person_id, since))))
    said = set(session.scalars(select(SegmentationReview.id).where(_are_said(person_id, since))))
    judged = select(SegmentationReview.segmentation_id).where(SegmentationReview.id.in_(said))
    is_touched = or_(
        SegmentChoice.image_id.in_(
            select(Segmentation.image_id).where(Segmentation.id.in_(theirs))
        ),
        SegmentChoice.segmentation_id.in_(judged),
    )
    touched = select(SegmentChoice.image_id).where(is_touched)
    release_leases(session, Lease.image_id.in_(touched) & IS_OF_SEGMENTS, "taken_back", at=at)
    for choice in _lock_choices(session, is_touched):
        drawing = choice.segmentation
        while drawing is not None and drawing.id in theirs:
            drawing = session.get(Segmentation, drawing.parent_id) if drawing.parent_id else None
        choice.segmentation_id = drawing.id if drawing else None
        choice.annotation_id = drawing.annotation_id if drawing else None
        if choice.second_id in theirs or drawing is None:
            choice.second_id = choice.agreement = None
        is_drawn = drawing is not None and drawing.is_finished
        is_awaited = choice.blind and choice.second_id is None
        is_done = is_drawn and not is_awaited
        choice.state = SegmentState.DRAWN if is_done else SegmentState.TODO
    for table, keys, values in (
        (Segmentation, theirs, {"set_aside_at": at}),
        (SegmentationReview, said, {"set_aside_at": at}),
    ):
        session.execute(update(table).where(table.id.in_(keys)).values(values))


def _load_classes(session: Session) -> dict[int, set[str]]:
    """The classes that each checked or released image shows; of images for one task alone none.

    The objects that nobody was asked for would be background in their masks.
    """
    rows = (
        select(Image.id, Object.class_name)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .join(Object, Object.annotation_id == Annotation.id)
        .where(rests_in(SEGMENTED_STATES), Annotation.discard_reason.is_(None))
        .where(Annotation.taster.is_(None))
        .order_by(Image.id)
    )
    classes: dict[int, set[str]] = {}
    for image_id, name in session.execute(rows.distinct()).tuples():
        classes.setdefault(image_id, set()).add(name)
    return classes


def _are_said(person_id: int, since: datetime) -> ColumnElement[bool]:
    """The person's verdicts on drawings that count."""
    mine = (SegmentationReview.person_id == person_id) & (SegmentationReview.created_at >= since)
    return mine & SegmentationReview.set_aside_at.is_(None)


def _are_theirs(person_id: int, since: datetime) -> ColumnElement[bool]:
    """The person's drawings that count and that no release holds, blind second ones too."""
    released = select(ReleaseImage.segmentation_id).where(ReleaseImage.segmentation_id.is_not(None))
    seconds = select(SegmentChoice.second_id).where(SegmentChoice.second_id.is_not(None))
    counts = Segmentation.is_stale.is_(False) | Segmentation.id.in_(seconds)
    mine = (Segmentation.person_id == person_id) & (Segmentation.created_at >= since)
    return mine & counts & Segmentation.id.not_in(released)
