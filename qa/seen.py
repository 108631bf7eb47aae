"""Whether a person already knows an image: asked before they annotate or check it blind.

The record of what pages have shown, one of the reasons, is written by work/seen.py.
"""

from __future__ import annotations

from sqlalchemy import BindParameter, ColumnElement, exists, or_

from catalog.states import LeaseKind
from catalog.tables import Annotation, BlindTask, EndedLease, Image, Lease, Review, SeenImage

_OF_IMAGE = Annotation.image_id == Image.id


def has_seen(person_id: BindParameter[int] | int) -> ColumnElement[bool]:
    """Whether the person drew on the image, checked it, had it in hand, or saw its boxes on a page.

    A reserved image that they never opened does not count, nor a blind task that they gave back.
    """
    leases = (
        exists().where(
            lease.image_id == Image.id,
            lease.person_id == person_id,
            lease.kind != LeaseKind.BLIND,
            lease.opened_at.is_not(None),
        )
        for lease in (Lease, EndedLease)
    )
    return or_(
        exists().where(_OF_IMAGE, Annotation.person_id == person_id),
        exists().where(
            _OF_IMAGE, Review.annotation_id == Annotation.id, Review.person_id == person_id
        ),
        exists().where(BlindTask.image_id == Image.id, BlindTask.person_id == person_id),
        exists().where(SeenImage.image_id == Image.id, SeenImage.person_id == person_id),
        *leases,
    )
