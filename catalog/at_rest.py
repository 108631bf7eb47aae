"""The state of images as if no person held any: who only opens an image changes no count.

Releases, counts and checks ask for this state. Image.state itself decides who may take an image
next, and is what pages show of it.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Select, case, func, or_, select, update
from sqlalchemy.orm import Session

from .states import HELD_STATES, ImageState, LeaseTrack
from .tables import Annotation, Image, Lease
from .transitions import move_images

_HELD = tuple(HELD_STATES.values())
_IS_HELD = Image.state.in_(_HELD)
_RETURNS_TO = (
    select(Lease.returns_to)
    .where(Lease.image_id == Image.id, Lease.track == LeaseTrack.BOXES)
    .correlate(Image)
    .scalar_subquery()
)
_HAS_DRAFT = (
    select(Annotation.id)
    .where(Annotation.id == Image.annotation_id, Annotation.is_finished.is_(False))
    .correlate(Image)
    .exists()
)

STATE_AT_REST: ColumnElement[ImageState] = case(
    (~_IS_HELD, Image.state),
    # As `decisions.place_draft`: work that was finished before and has a draft is its author's.
    (_HAS_DRAFT & (_RETURNS_TO != ImageState.POOL), ImageState.RETURNED),
    else_=func.coalesce(_RETURNS_TO, Image.state),
)
"""The state that an Image has, or has again once its holder gives it back unchanged."""


def rests_in(states: Collection[ImageState]) -> ColumnElement[bool]:
    """Whether an Image is in one of these states, or is held and goes back to one of them.

    The states are such that no person holds the image in.
    """
    return or_(Image.state.in_(states), _IS_HELD & STATE_AT_REST.in_(states))  # with the index


def find_state_at_rest(session: Session, image: Image) -> ImageState:
    """The state that this image has once nobody holds it."""
    if image.state not in _HELD:
        return image.state
    state = session.scalar(select(STATE_AT_REST).where(Image.id == image.id))
    return state or image.state


def count_at_rest(session: Session) -> dict[ImageState, int]:
    """How many images are in each state, the held ones in that to which they go back."""
    images = select(STATE_AT_REST.label("state")).subquery()
    counted = select(images.c.state, func.count()).group_by(images.c.state)
    return dict(session.execute(counted).tuples().all())


def move_at_rest(
    session: Session,
    image_ids: Select[tuple[int]],
    leaves: ImageState,
    enters: ImageState,
    at: datetime,
) -> None:
    """Move these images, which are locked; those that are held go to the new state afterwards.

    Raises ValueError as `move_image`.
    """
    move_images(session, image_ids, leaves, enters, at)
    held = Lease.track == LeaseTrack.BOXES, Lease.returns_to == leaves
    changed = update(Lease).where(*held, Lease.image_id.in_(image_ids.correlate(None)))
    session.execute(changed.values(returns_to=enters))
