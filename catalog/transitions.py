"""An image's steps from state to state; of two processes that try one, exactly one succeeds."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import CursorResult, update
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
    if not is_step(leaves, enters):
        raise ValueError(f"no step leads from {leaves} to {enters}")
    statement = (
        update(Image)
        .where(Image.id == image_id, Image.state == leaves)
        .values(state=enters, state_at=at, reason=reason)
    )
    return count_changed(session, statement) == 1


def count_changed(session: Session, statement: object) -> int:
    """How many rows an UPDATE or DELETE changed."""
    result = session.execute(statement)  # type: ignore[call-overload]
    assert isinstance(result, CursorResult)
    return result.rowcount
