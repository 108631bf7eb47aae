"""The wall: the latest annotations to look over shoulders, and what an organiser does there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from annotate_ui.api.schemas import ReviewBody
from annotate_ui.errors import AnnotateError, InvalidError
from annotate_ui.visit import Visit
from annotate_ui.work.leases import take_lease
from annotate_ui.work.remarks import get_finished, list_about
from annotate_ui.work.reviews import Reviewed, save_review
from catalog.states import ImageState, LeaseKind, Verdict
from catalog.tables import Image, Object, Person, Remark
from qa.counts import WallItem, load_wall

T = TypeVar("T", Image, Person)
RETURNABLE = (ImageState.ANNOTATED, ImageState.CHECKED)


class BusyImageError(AnnotateError):
    """The image moved on since the wall was shown."""

    status, code = 409, "stale"


@dataclass(frozen=True)
class Shown:
    """One revision on the wall with its image, author, objects and the remarks about it."""

    item: WallItem
    image: Image
    author: Person
    objects: Sequence[Object]
    remarks: Sequence[Remark]

    @property
    def may_return(self) -> bool:
        """Whether it is the newest of its image, which is not leased."""
        is_newest = self.image.annotation_id == self.item.annotation_id
        return is_newest and self.image.state in RETURNABLE


def show_wall(session: Session, *, limit: int, before_id: int | None = None) -> list[Shown]:
    """The latest finished revisions, the newest first, in few queries however many there are."""
    items = load_wall(session, limit=limit, before_id=before_id)
    ids = [item.annotation_id for item in items]
    images = _by_id(session, Image, [item.image_id for item in items])
    people = _by_id(session, Person, [item.person_id for item in items])
    objects: dict[int, list[Object]] = {}
    for one in session.scalars(
        select(Object).where(Object.annotation_id.in_(ids)).order_by(Object.number)
    ):
        objects.setdefault(one.annotation_id, []).append(one)
    remarks: dict[int | None, list[Remark]] = {}
    for remark in list_about(session, ids):
        remarks.setdefault(remark.annotation_id, []).append(remark)
    return [
        Shown(
            item,
            images[item.image_id],
            people[item.person_id],
            objects.get(item.annotation_id, []),
            remarks.get(item.annotation_id, []),
        )
        for item in items
    ]


def return_from_wall(visit: Visit, annotation_id: int, comment: str) -> Image:
    """The image, back with its author with the organiser's comment: a review like any other.

    Raises BusyImageError where the image is leased or was saved since, ForbiddenError
    for one's own work, InvalidError without a comment.
    """
    if not comment.strip():
        raise InvalidError("comment is wrong: say what is to be done.", field="comment")
    annotation = get_finished(visit.session, annotation_id)
    image = visit.session.get_one(Image, annotation.image_id)
    lease = None
    if image.annotation_id == annotation.id and image.state in RETURNABLE:
        lease = take_lease(visit, image.id, image.state, LeaseKind.CHECK)
    if lease is None:
        raise BusyImageError("Another person is at work on this image, or it was saved since.")
    body = ReviewBody(
        save_key=sha256(visit.tokens().encode()).hexdigest(),
        annotation_id=annotation.id,
        verdict=Verdict.RETURNED,
        complete=None,
        comment=comment.strip(),
    )
    reviewed = save_review(visit, image.id, body)
    assert isinstance(reviewed, Reviewed)
    return reviewed.image


def _by_id(session: Session, table: type[T], ids: Sequence[int]) -> dict[int, T]:
    return {row.id: row for row in session.scalars(select(table).where(table.id.in_(ids)))}
