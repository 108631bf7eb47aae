"""Images that stop a page: left out of every queue, named in the log, and shown to an organiser.

One bad row must cost one image, not the work of everybody. A step about one image runs inside
`about_image`: what it stumbles over becomes a BadRowError with the image's id. A loop that changes
rows goes on with the next image (`skipping`); a request begins again without the image
(annotate_ui/service.py).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import ColumnElement, Select, exists, func, select
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.orm import InstrumentedAttribute, Session

from vockit.errors import UserError

from .sentences import Sentence, name_term, say, take_apart
from .states import ImageState
from .tables import Annotation, Image, StuckImage

MOST_STUCK = 200
"""With more than these the fault is in the program or the machine; no further image pays for it."""
_LONGEST_FAULT = 250
NEEDS_HEAD = (ImageState.RETURNED, ImageState.ANNOTATED, ImageState.CHECKED, ImageState.RELEASED)
"""An image comes into these by a revision alone."""

log = logging.getLogger(__name__)


class BadRowError(UserError):
    """The rows of one image contradict each other, or a step about it failed."""

    def __init__(self, image_id: int, reason: Sentence) -> None:
        self.message = say(
            "Image {image_id} cannot be used: {reason}.", image_id=image_id, reason=reason
        )
        super().__init__(self.message)
        self.image_id = image_id
        self.reason = reason


@contextmanager
def about_image(image_id: int) -> Iterator[None]:
    """Run a step about one image; raises BadRowError for what only this image can be the cause of.

    Refusals, and faults of the database, the disk or the memory, go on as they are.
    """
    try:
        yield
    except IntegrityError as error:
        fault = _shorten(str(error.orig))
        reason = say("another row contradicts it ({fault})", fault=fault)
        raise BadRowError(image_id, reason) from error
    except (UserError, DBAPIError, OSError, MemoryError):
        raise
    except Exception as error:
        fault = _shorten(f"{type(error).__name__}: {error}")
        raise BadRowError(
            image_id, say("the server failed on it ({fault})", fault=fault)
        ) from error


def _shorten(fault: str) -> str:
    """A text that the catalogue takes."""
    return fault.replace("\x00", "")[:_LONGEST_FAULT]


@contextmanager
def skipping(session: Session, image_id: int, *, at: datetime) -> Iterator[None]:
    """Run a step about one image; where it fails by this image, undo it, keep that, and go on."""
    try:
        with about_image(image_id), session.begin_nested():
            yield
    except BadRowError as error:
        keep_stuck(session, error, at=at)


def require_sound(image: Image, head: Annotation | None, state: ImageState) -> None:
    """Raise BadRowError where the image's newest revision does not fit the image or its state.

    `state` is where the image stood before a person took it.
    """
    if head is None and (image.annotation_id is not None or state in NEEDS_HEAD):
        reason = say("it is {state}, but its revision is missing", state=name_term(state.words))
        raise BadRowError(image.id, reason)
    require_of_image(image, head)


def require_of_image(image: Image, revision: Annotation | None) -> None:
    """Raise BadRowError where the revision that the image's rows name is of another image."""
    if revision is not None and revision.image_id != image.id:
        reason = say(
            "its revision {revision_id} is of image {image_id}",
            revision_id=revision.id,
            image_id=revision.image_id,
        )
        raise BadRowError(image.id, reason)


def is_stuck(image_id: InstrumentedAttribute[int] | None = None) -> ColumnElement[bool]:
    """Whether an image, or the one that a row names, is left out of the queues."""
    key = Image.id if image_id is None else image_id
    return exists().where(StuckImage.image_id == key)


def select_stuck() -> Select[tuple[int]]:
    """The ids of the images that are left out of the queues."""
    return select(StuckImage.image_id)


def keep_stuck(session: Session, error: BadRowError, *, at: datetime) -> bool:
    """Whether the image is left out from now on; it is logged with the cause.

    False where it was left out before, does not exist, or MOST_STUCK are left out already.
    """
    is_known = session.get(StuckImage, error.image_id) is not None
    count = session.scalar(select(func.count()).select_from(StuckImage)) or 0
    is_there = session.get(Image, error.image_id) is not None
    if is_known or count >= MOST_STUCK or not is_there:
        return False
    log.error("%s It is left out of the queues.", error, exc_info=error)
    stuck = StuckImage(
        image_id=error.image_id,
        reason=error.reason,
        reason_parts=take_apart(error.reason),
        seen_at=at,
    )
    session.add(stuck)
    session.flush()
    return True
