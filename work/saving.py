"""What all saves share: boxes, outlines and verdicts on them.

A save is kept once for its key. It becomes the newest where its person holds the image and made it
from what is the newest; otherwise it is kept, and its page is told of the conflict.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, Literal, TypeVar

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from catalog.refusals import ForbiddenError, TooManyError, refuse
from catalog.sentences import say
from catalog.tables import Annotation, Segmentation

from .visit import Visit

B = TypeVar("B")
R = TypeVar("R")
MOST_STALE = 50  # of one person on one image; an honest page keeps one or two

Conflict = Literal["stale", "lease_lost"]
"""Why work did not become the newest: newer work was there, or the image was not held any more."""


def save_once(save: Callable[[Visit, int, B], R]) -> Callable[[Visit, int, B], R]:
    """The function, called again where an equal save came at the same moment, which it then finds.

    What it wrote before is undone.
    """

    @wraps(save)
    def saved(visit: Visit, number: int, body: B) -> R:
        try:
            with visit.session.begin_nested():
                return save(visit, number, body)
        except IntegrityError:
            return save(visit, number, body)

    return saved


def require_own_key(visit: Visit, person_id: int, *, is_of_same: bool) -> None:
    """Raise InvalidError where the save before that has this key is not the same save sent again.

    That is, by another person, or of something else.
    """
    if person_id != visit.person.id or not is_of_same:
        refuse("save_key", say("expected a key that no other save has had"))


def name_conflict(is_theirs: bool, started_from_id: int | None, head_id: int | None) -> Conflict:
    """Why work is kept next to the newest, the `head_id`, where it was made from another one.

    Newer work `is_theirs` to settle where they hold the image. Otherwise another person has it.
    """
    return "stale" if is_theirs and head_id != started_from_id else "lease_lost"


def require_pace(visit: Visit, saved_at: Any) -> None:
    """Raise TooManyError for a page that saved more rows within a minute than a person can."""
    lately = saved_at.between(visit.at - timedelta(minutes=1), visit.at)  # clocks may jump back
    mine = select(func.count(saved_at)).where(saved_at.class_.person_id == visit.person.id, lately)
    saves = visit.session.scalar(mine) or 0
    most = visit.party.settings.annotate.saves_per_minute
    if saves >= most and not visit.person.is_simulated:
        raise TooManyError(say("This page saves too often. Wait a moment."))


def require_room(visit: Visit, table: type[Annotation | Segmentation], image_id: int) -> None:
    """Raise ForbiddenError where too many stale rows of the visitor are kept for the image."""
    mine = (table.image_id == image_id, table.person_id == visit.person.id)
    kept = select(func.count()).where(*mine, table.is_stale.is_(True))
    if (count := visit.session.scalar(kept) or 0) >= MOST_STALE:
        raise ForbiddenError(
            say(
                "Image {image_id} is not open for you, and {count} older versions of yours are "
                "kept already. Open the next image.",
                image_id=image_id,
                count=count,
            )
        )
