"""Which images a visitor may open with the boxes of others, and a record of those they opened.

Both keep blind tasks blind. qa/seen.py asks that record whether a person knows an image; the
version of a page is in shown.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from datetime import datetime

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from catalog.session import in_parts, insert_or_keep
from catalog.tables import Image, SeenImage

from .blind import select_hidden
from .visit import Visit


def may_see(visit: Visit) -> ColumnElement[bool]:
    """Whether the visitor may see what others drew: not while their blind answer may change."""
    return Image.id.not_in(select_hidden(visit))


def find_unseen(session: Session, person_id: int, image_ids: Set[int]) -> list[int]:
    """The images, sorted, whose boxes no page has shown to the person according to the rows."""
    known = set[int]()
    for some in in_parts(sorted(image_ids)):
        of_person = SeenImage.person_id == person_id, SeenImage.image_id.in_(some)
        known.update(session.scalars(select(SeenImage.image_id).where(*of_person)))
    return sorted(image_ids - known)


def keep_seen(session: Session, person_id: int, image_ids: Iterable[int], *, at: datetime) -> None:
    """Record that a page showed these boxes to the person, who then gets no blind task on them."""
    rows = [{"image_id": key, "person_id": person_id, "seen_at": at} for key in image_ids]
    if rows:  # another window may have noted some meanwhile
        session.execute(insert_or_keep(session, SeenImage, ["image_id", "person_id"]), rows)
