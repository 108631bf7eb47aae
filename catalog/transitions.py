"""An image's steps from state to state; of two processes that try one, exactly one succeeds."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import CursorResult, Select, Update, update
from sqlalchemy.orm import Session

from .states import ImageState, is_step
from .tables import Image


def move_image(
    session: Session,
    image_id: int,
    leaves: ImageState,
    enters: ImageState,
    *,
    at: datetime,
    reason: str | None = None,
) -> bool:
    """Whether this call moved the image: False when it was no longer in the state it leaves.

    Raises ValueError for a step that does not exist in an image's life.
    """
    moved = _move(leaves, enters, at).where(Image.id == image_id)
    return count_changed(session, moved.values(reason=reason)) == 1


def move_images(
    session: Session,
    image_ids: Collection[int],
    leaves: ImageState,
    enters: ImageState,
    at: datetime,
) -> int:
    """How many of these images this call moved; raises ValueError as `move_image`."""
    moved = _move(leaves, enters, at).where(Image.id.in_(image_ids))
    return count_changed(session, moved.values(reason=None))


def draw_image(
    session: Session,
    chosen: Select[tuple[int]],
    leaves: ImageState,
    enters: ImageState,
    *,
    at: datetime,
    values: Mapping[str, Any] | None = None,
) -> Image | None:
    """The image that the query chooses with these values, moved by this call; else None."""
    moved = _move(leaves, enters, at).where(Image.id == chosen.correlate(None).scalar_subquery())
    drawn = moved.values(reason=None).returning(Image)
    options = {"synchronize_session": False, "populate_existing": True}
    return session.scalar(drawn, values, execution_options=options)


def _move(leaves: ImageState, enters: ImageState, at: datetime) -> Update:
    if not is_step(leaves, enters):
        raise ValueError(f"no step leads from {leaves} to {enters}")
    return update(Image).where(Image.state == leaves).values(state=enters, state_at=at)


def count_changed(session: Session, statement: object) -> int:
    """How many rows an UPDATE or DELETE changed."""
    result = session.execute(statement)  # type: ignore[call-overload]
    assert isinstance(result, CursorResult)
    return result.rowcount
