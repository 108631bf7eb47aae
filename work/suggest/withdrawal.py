"""Withdrawing a set: what was accepted as it was and is not checked yet goes back."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import ColumnElement, Select, and_, exists, or_, select
from sqlalchemy.orm import Session

from catalog.decisions import decide
from catalog.image_store import digest_of
from catalog.locks import lock_images
from catalog.party import Party, follow_classes
from catalog.session import in_parts
from catalog.states import DecisionKind, ImageState, Suggested, SuggestionKind, Verdict
from catalog.tables import (
    Annotation,
    Image,
    Lease,
    Object,
    Person,
    ReleaseImage,
    Review,
    Suggestion,
)
from catalog.transitions import move_image
from qa.difficulty import follow_difficulty
from vockit.format.plural import format_count
from work.lease_endings import IS_OF_BOXES, release_leases
from work.revision_rows import add_revision, load_head, read_objects
from work.segment.withdrawing import OutlinesBack, take_outlines_back
from work.visit import Visit

from .listing import find_set
from .loading import drop_unfinished
from .values import SuggestionError

_HELD = (ImageState.ANNOTATING, ImageState.CHECKING)
_GOES_BACK = (ImageState.POOL, ImageState.RETURNED, ImageState.ANNOTATED)
"""States of images whose newest revision nobody has checked, unless they were reopened."""
_AT_ONCE = 100


@dataclass
class Withdrawal:
    """What a withdrawal did: objects that went back and their images, and objects that stay.

    `checked` were accepted as they were, and a checker or a release has them since. `outlines` says
    the same of outlines.
    """

    set_id: int
    model: str
    version: str
    boxes: int = 0
    images: int = 0
    corrected: int = 0
    checked: int = 0
    outlines: OutlinesBack = field(default_factory=OutlinesBack)
    has_boxes: bool = True
    is_unfinished: bool = False


def withdraw_set(party: Party, set_id: int, *, at: datetime) -> Withdrawal:
    """Let nobody see a set any more, and take back what was accepted of it; SuggestionError.

    An image that loses boxes goes back to its author, as a draft without them, and so does a
    drawing that loses outlines; who has it open is told that it changed. A set may be withdrawn
    again, for what was accepted meanwhile by pages that had shown it.
    """
    with party.catalogue.writing() as session:
        row = find_set(session, set_id)
        row.withdrawn_at = row.withdrawn_at or at
        has_boxes = row.kind != SuggestionKind.OUTLINE
        withdrawal = Withdrawal(set_id, row.model, row.version, has_boxes=has_boxes)
        is_unfinished = row.loaded_at is None
    if is_unfinished:
        withdrawal.is_unfinished = drop_unfinished(party.catalogue, set_id)
        return withdrawal
    with party.catalogue.reading() as session:
        image_ids = list(session.scalars(_select_images(set_id)))
    for some in in_parts(image_ids, _AT_ONCE):
        with party.catalogue.writing(keeps_classes=True) as session:
            _take_back(follow_classes(party, session), session, withdrawal, some, at)
    with party.catalogue.reading() as session:
        _count_rest(session, withdrawal)
    withdrawal.outlines = take_outlines_back(party.catalogue, set_id, at=at)
    return withdrawal


def _select_images(set_id: int) -> Select[tuple[int]]:
    """The images whose newest revision has objects that were accepted of the set."""
    return (
        select(Image.id)
        .join(Object, Object.annotation_id == Image.annotation_id)
        .join(Suggestion, Suggestion.id == Object.suggestion_id)
        .where(
            Suggestion.set_id == set_id,
            Object.suggested == Suggested.ACCEPTED,
            Image.state.in_((*_HELD, *_GOES_BACK)),
            or_(Image.state == ImageState.RETURNED, ~_is_checked()),
        )
        .distinct()
        .order_by(Image.id)
    )


def _is_checked() -> ColumnElement[bool]:
    """Whether a checker or a release has an image's newest revision, as of one reopened since."""
    head = Image.annotation_id
    is_accepted = and_(Review.annotation_id == head, Review.verdict == Verdict.ACCEPT)
    by_checker = or_(is_accepted, Review.fixed_annotation_id == head)
    return or_(
        exists().where(by_checker, Review.set_aside_at.is_(None)),
        exists().where(ReleaseImage.annotation_id == head),
    )


def _take_back(
    party: Party, session: Session, withdrawal: Withdrawal, image_ids: list[int], at: datetime
) -> None:
    """Give these images back to their authors without the boxes."""
    locked = lock_images(session, image_ids)
    release_leases(session, Lease.image_id.in_(locked) & IS_OF_BOXES, "taken_back", at=at)
    session.expire_all()
    still = _select_images(withdrawal.set_id).where(Image.id.in_(locked))
    for image_id in session.scalars(still).all():
        image = session.get_one(Image, image_id, populate_existing=True)
        if image.state not in _GOES_BACK:  # it went back to the checked or released ones
            continue
        withdrawal.boxes += _take_back_of(party, session, image, withdrawal, at)
        withdrawal.images += 1


def _take_back_of(
    party: Party, session: Session, image: Image, withdrawal: Withdrawal, at: datetime
) -> int:
    """How many boxes an image lost; its newest revision is a draft without them."""
    head = load_head(session, image)
    assert head is not None
    accepted = _load_accepted(session, head, withdrawal.set_id)
    objects = [item for item in read_objects(head) if item.key not in accepted]
    state = image.state
    author = session.get_one(Person, head.person_id)
    draft = add_revision(
        Visit(party, session, author, at),
        image,
        head,
        objects,
        (state, None),
        save_key=digest_of(secrets.token_bytes(16)),
        is_finished=False,
        unsure_classes=head.unsure_classes,
    )
    if draft.is_stale:
        raise SuggestionError(f"Image {image.id} changed meanwhile; run the same command again.")
    if state is ImageState.ANNOTATED:
        move_image(session, image.id, state, ImageState.RETURNED, at=at)
    reason = f"suggestions of {withdrawal.model} {withdrawal.version}"
    decide(session, image.id, DecisionKind.UNDONE, at=at, reason=reason[:100])
    session.flush()
    follow_difficulty(session, image.id)
    return len(accepted)


def _load_accepted(session: Session, head: Annotation, set_id: int) -> set[str]:
    """The keys of a revision's objects that were accepted of the set."""
    keys = (
        select(Object.object_key)
        .join(Suggestion, Suggestion.id == Object.suggestion_id)
        .where(
            Object.annotation_id == head.id,
            Object.suggested == Suggested.ACCEPTED,
            Suggestion.set_id == set_id,
        )
    )
    return set(session.scalars(keys))


def _count_rest(session: Session, withdrawal: Withdrawal) -> None:
    """Count the objects of the set that stay in the newest revisions of images."""
    words = (
        select(Object.suggested)
        .join(Suggestion, Suggestion.id == Object.suggestion_id)
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Suggestion.set_id == withdrawal.set_id, Image.state != ImageState.TAKEN_DOWN)
    )
    counts = Counter(session.scalars(words))
    withdrawal.corrected = counts[Suggested.CORRECTED]
    withdrawal.checked = counts[Suggested.ACCEPTED]


def format_withdrawal(done: Withdrawal) -> Iterator[str]:
    """A line on the boxes, and one on the outlines, where the set had any."""
    if done.has_boxes:
        boxes = format_count(done.boxes, "accepted box", "accepted boxes")
        yield _format(boxes, done.boxes, done.images, done.corrected, done.checked)
    back = done.outlines
    if not done.has_boxes or back.outlines or back.corrected or back.checked:
        outlines = format_count(back.outlines, "accepted outline")
        yield _format(outlines, back.outlines, back.images, back.corrected, back.checked)


def _format(things: str, count: int, images: int, corrected: int, checked: int) -> str:
    of_images = f" of {format_count(images, 'image')}" if count else ""
    return f"{things}{of_images} went back; {corrected:,} corrected and {checked:,} checked stay."
