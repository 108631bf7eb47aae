"""An image's steps from state to state; of two processes that try one, exactly one succeeds.

No other module changes Image.state. Each step is an UPDATE that repeats the state it leaves; the
count of rows says whether it was taken (tests/catalog/test_transitions.py).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import CursorResult, Select, Update, bindparam, update
from sqlalchemy.orm import Session

from .sentences import take_apart
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
    return count_changed(session, moved.values(_explain(reason))) == 1


def move_images(
    session: Session,
    image_ids: Collection[int] | Select[tuple[int]],
    leaves: ImageState,
    enters: ImageState,
    at: datetime,
    *,
    reason: str | None = None,
) -> int:
    """How many of these images, or of those a query finds, this call moved.

    Raises ValueError as `move_image`.
    """
    chosen = image_ids.correlate(None) if isinstance(image_ids, Select) else image_ids
    moved = _move(leaves, enters, at).where(Image.id.in_(chosen))
    return count_changed(session, moved.values(_explain(reason)))


@dataclass(frozen=True)
class Move:
    """A step that an image is to take, and why."""

    image_id: int
    leaves: ImageState
    enters: ImageState
    reason: str | None = None


def move_many(session: Session, moves: Iterable[Move], *, at: datetime) -> int:
    """How many of the images this call moved, each by a step of its own.

    Raises ValueError as `move_image`. Images with the same step and reason share an UPDATE.
    """
    image_ids: dict[tuple[ImageState, ImageState, str | None], list[int]] = defaultdict(list)
    for move in moves:
        image_ids[move.leaves, move.enters, move.reason].append(move.image_id)
    return sum(
        move_images(session, ids, leaves, enters, at, reason=reason)
        for (leaves, enters, reason), ids in image_ids.items()
    )


_OF_PARENT = (
    Image.id == bindparam("image_id"),
    Image.annotation_id.is_not_distinct_from(bindparam("parent_id")),
)


def move_head(
    session: Session,
    image_id: int,
    leaves: ImageState,
    enters: ImageState | None,
    *,
    parent_id: int | None,
    head_id: int,
    at: datetime,
    reason: str | None = None,
) -> bool:
    """Whether the revision `head_id` became the image's newest in place of `parent_id`.

    The image takes the step too, unless `enters` is None: then it stays in the state `leaves`,
    as after a draft. Raises ValueError as `move_image`. The Image in the session is refreshed.
    """
    if enters is None:
        moved = update(Image).where(Image.state == leaves)
    else:
        moved = _move(leaves, enters, at).values(_explain(reason))
    moved = moved.where(*_OF_PARENT).values(annotation_id=bindparam("head_id"))
    values = {"image_id": image_id, "parent_id": parent_id, "head_id": head_id}
    options = {"synchronize_session": False, "populate_existing": True}
    return session.scalar(moved.returning(Image), values, execution_options=options) is not None


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
    drawn = moved.values(_explain(None)).returning(Image)
    options = {"synchronize_session": False, "populate_existing": True}
    return session.scalar(drawn, values, execution_options=options)


def _move(leaves: ImageState, enters: ImageState, at: datetime) -> Update:
    if not is_step(leaves, enters):
        raise ValueError(f"no step leads from {leaves} to {enters}")
    return update(Image).where(Image.state == leaves).values(state=enters, state_at=at)


def _explain(reason: str | None) -> dict[str, Any]:
    """The columns of a reason, with which pages translate it where it is a Sentence."""
    return {"reason": reason, "reason_parts": take_apart(reason)}


def count_changed(session: Session, statement: object) -> int:
    """How many rows an UPDATE or DELETE changed."""
    result = session.execute(statement)  # type: ignore[call-overload]
    assert isinstance(result, CursorResult)
    return result.rowcount
