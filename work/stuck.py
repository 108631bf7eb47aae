"""Images that no queue gives out: listed for an organiser, and put right from their rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, or_, select
from sqlalchemy.orm import Session

from catalog.decisions import decide, fold_decisions, load_decisions, place_draft
from catalog.locks import lock_image
from catalog.refusals import InvalidError, NotFoundError
from catalog.sentences import say
from catalog.states import AT_REST, HELD_STATES, DecisionKind, ImageState
from catalog.stuck import NEEDS_HEAD, BadRowError, require_sound
from catalog.tables import Annotation, Image, Lease, Person, StuckImage
from catalog.transitions import move_image

from .lease_endings import IS_OF_BOXES, end_lease

MOST_SHOWN = 50
_HELD = tuple(HELD_STATES.values())
_HAS_LEASE = Image.id.in_(select(Lease.image_id).where(IS_OF_BOXES))  # far fewer than images
_NO_HEAD = (
    Image.state.in_(NEEDS_HEAD) & Image.annotation_id.is_(None),
    say("it was annotated, but its revision is missing"),
)
_NO_HOLDER = (Image.state.in_(_HELD) & ~_HAS_LEASE, say("it is in use, but no person holds it"))
_TWO_PLACES = (
    Image.state.not_in((*_HELD, ImageState.TAKEN_DOWN)) & _HAS_LEASE,
    say("a person holds it, but it is not in use"),
)
CONTRADICTIONS: tuple[tuple[ColumnElement[bool], str], ...] = (_NO_HEAD, _NO_HOLDER, _TWO_PLACES)


@dataclass(frozen=True)
class Stuck:
    """An image that no queue gives out, and why, in a few words."""

    image_id: int
    state: ImageState
    reason: str


def list_stuck(session: Session) -> list[Stuck]:
    """At most MOST_SHOWN of each kind: images that stopped a page, and rows that contradict."""
    kept = select(Image.id, Image.state, StuckImage)
    kept = kept.join(StuckImage, StuckImage.image_id == Image.id).order_by(StuckImage.seen_at)
    rows = session.execute(kept.order_by(Image.id).limit(MOST_SHOWN)).tuples()
    stuck = {image_id: Stuck(image_id, state, row.why) for image_id, state, row in rows}
    for condition, reason in CONTRADICTIONS:
        wrong = select(Image.id, Image.state).where(condition).order_by(Image.state, Image.id)
        for image_id, state in session.execute(wrong.limit(MOST_SHOWN)).tuples():
            stuck.setdefault(image_id, Stuck(image_id, state, reason))
    return list(stuck.values())


def settle_image(
    session: Session, image_id: int, *, at: datetime, organiser: Person | None = None
) -> ImageState:
    """The state of the image, which the queues give out again.

    Where its rows contradict each other, or a person holds it, what was decided about it says where
    it stands, and a lease on it ends. That an organiser settled it is written down.

    Raises NotFoundError for an image that is not stuck, InvalidError for one that was taken down.
    """
    lock_image(session, image_id)
    image = session.get(Image, image_id, populate_existing=True)
    is_wrong = image is not None and _contradicts_itself(session, image)
    is_kept = session.get(StuckImage, image_id) is not None
    if image is None or not (is_wrong or is_kept):
        raise NotFoundError(
            say("Image {image_id} is not stuck. Reload the page.", image_id=image_id)
        )
    if image.state is ImageState.TAKEN_DOWN:
        raise InvalidError(
            say("Image {image_id} was taken down. It cannot be used again.", image_id=image_id)
        )
    session.execute(delete(StuckImage).where(StuckImage.image_id == image_id))
    if image.state in _HELD or (is_wrong and image.state in AT_REST):
        _place(session, image, at)
    decide(session, image_id, DecisionKind.SETTLED, at=at, person=organiser)
    return image.state


def _contradicts_itself(session: Session, image: Image) -> bool:
    """Whether a rule of the list holds of the image, or its newest revision does not fit it."""
    wrong = or_(*(condition for condition, _ in CONTRADICTIONS))
    if session.scalar(select(exists().where(Image.id == image.id, wrong))):
        return True
    try:
        require_sound(image, image.annotation, image.state)
    except BadRowError:
        return True
    return False


def _place(session: Session, image: Image, at: datetime) -> None:
    """Put the image where its rows say, as after an undo; what people saved stays as it is."""
    for lease in session.scalars(select(Lease).where(Lease.image_id == image.id, IS_OF_BOXES)):
        end_lease(session, lease, how="taken_back", at=at)
    of_image = Annotation.image_id == image.id
    drawn = select(Annotation).where(of_image, Annotation.is_stale.is_(False))
    head = session.scalar(drawn.order_by(Annotation.id.desc()).limit(1))
    decisions = load_decisions(session, [image.id])[image.id]
    standing = place_draft(fold_decisions(decisions), head)
    image.annotation_id = head.id if head else None
    session.flush()
    at_rest = {
        ImageState.ANNOTATING: ImageState.POOL,
        ImageState.CHECKING: ImageState.ANNOTATED,
    }
    for step in (at_rest.get(image.state, image.state), standing.state):
        if image.state is not step:
            move_image(session, image.id, image.state, step, at=at, reason=standing.reason)
            session.refresh(image)
