"""What a person may see of an image, and what pages have shown them."""

from __future__ import annotations

from collections.abc import Iterable, Set
from contextlib import suppress
from datetime import datetime

from sqlalchemy import ColumnElement, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.session import in_parts
from catalog.tables import Image, SeenImage

from .blind import select_hidden
from .visit import Visit


def may_see(visit: Visit) -> ColumnElement[bool]:
    """Whether the visitor may see what others drew on an image, now that they draw none blind."""
    return Image.id.not_in(select_hidden(visit))


def find_unseen(session: Session, person_id: int, image_ids: Set[int]) -> list[int]:
    """Those of the images of which no page was noted to have shown the boxes to the person."""
    known = set[int]()
    for some in in_parts(sorted(image_ids)):
        of_person = SeenImage.person_id == person_id, SeenImage.image_id.in_(some)
        known.update(session.scalars(select(SeenImage.image_id).where(*of_person)))
    return sorted(image_ids - known)


def keep_seen(session: Session, person_id: int, image_ids: Iterable[int], *, at: datetime) -> None:
    """Note that a page has shown the boxes of the images, so that none of them comes blind."""
    for image_id in image_ids:
        with suppress(IntegrityError), session.begin_nested():  # another window noted it meanwhile
            session.add(SeenImage(image_id=image_id, person_id=person_id, seen_at=at))
