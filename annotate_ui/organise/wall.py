"""The wall: the latest annotations to look over shoulders, and what an organiser does there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload, selectinload

from annotate_ui.api.schemas import ReviewBody
from annotate_ui.errors import InvalidError, StaleError
from annotate_ui.visit import Visit
from annotate_ui.work.leases import take_lease
from annotate_ui.work.remarks import get_finished, list_about
from annotate_ui.work.reviews import Reviewed, save_review
from catalog.states import ImageState, LeaseKind, Verdict
from catalog.tables import Annotation, Image, Remark
from qa.counts import load_wall

RETURNABLE = (ImageState.ANNOTATED, ImageState.CHECKED)


@dataclass(frozen=True)
class Shown:
    """One revision on the wall with its image and the remarks about it."""

    annotation: Annotation
    image: Image
    remarks: Sequence[Remark]

    @property
    def may_return(self) -> bool:
        """Whether it is the newest of its image, which is not leased."""
        is_newest = self.image.annotation_id == self.annotation.id
        return is_newest and self.image.state in RETURNABLE


def show_wall(session: Session, *, limit: int, before_id: int | None = None) -> list[Shown]:
    """The latest finished revisions, the newest first, in few queries however many there are."""
    ids = [item.annotation_id for item in load_wall(session, limit=limit, before_id=before_id)]
    shown = (
        select(Annotation, Image)
        .join(Image, Image.id == Annotation.image_id)
        .where(Annotation.id.in_(ids))
        .order_by(Annotation.id.desc())
        .options(joinedload(Annotation.person), selectinload(Annotation.objects))
    )
    remarks = list_about(session, ids)
    return [
        Shown(it, image, [remark for remark in remarks if remark.annotation_id == it.id])
        for it, image in session.execute(shown).tuples()
    ]


def return_from_wall(visit: Visit, annotation_id: int, comment: str) -> Image:
    """The image, back with its author with the organiser's comment: a review like any other.

    Raises StaleError where the image is leased or was saved since, ForbiddenError
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
        raise StaleError("Another person is at work on this image, or it was saved since.")
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
