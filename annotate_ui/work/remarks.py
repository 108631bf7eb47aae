"""What organisers and checkers say to people about their work, shown on the annotation page."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from annotate_ui.errors import InvalidError, NotFoundError
from annotate_ui.visit import Visit
from catalog.states import ImageState
from catalog.tables import Annotation, Image, Object, Person, Remark

MAX_SHOWN = 20


def write_remark(visit: Visit, annotation_id: int, text: str, object_key: str | None) -> Remark:
    """The remark to the author of a revision, who sees it on the next heartbeat of the page.

    Raises NotFoundError without such a revision, InvalidError for an empty text or unknown object.
    """
    annotation = get_finished(visit.session, annotation_id)
    if not text.strip():
        raise InvalidError("text is wrong: expected a few words.", field="text")
    if object_key is not None and not _has_object(visit.session, annotation_id, object_key):
        raise InvalidError("object_key is wrong: no object has it.", field="object_key")
    remark = Remark(
        image_id=annotation.image_id,
        annotation_id=annotation.id,
        object_key=object_key,
        person_id=visit.person.id,
        to_person_id=annotation.person_id,
        text=text.strip(),
        written_at=visit.at,
    )
    visit.session.add(remark)
    visit.session.flush()
    return remark


def list_unseen(session: Session, person_id: int) -> list[tuple[Remark, Image, Person]]:
    """Remarks to the person that they have not acknowledged, the oldest first, with who wrote."""
    rows = session.execute(
        select(Remark, Image, Person)
        .join(Image, Image.id == Remark.image_id)
        .join(Person, Person.id == Remark.person_id)
        .where(
            Remark.to_person_id == person_id,
            Remark.seen_at.is_(None),
            Remark.set_aside_at.is_(None),
            Image.state != ImageState.TAKEN_DOWN,
        )
        .order_by(Remark.id)
        .limit(MAX_SHOWN)
    )
    return list(rows.tuples())


def acknowledge(visit: Visit, remark_id: int) -> None:
    """Note that the person saw the remark; raises NotFoundError where it is not theirs."""
    remark = visit.session.get(Remark, remark_id)
    if remark is None or remark.to_person_id != visit.person.id:
        raise NotFoundError(f"There is no remark {remark_id} to you.")
    remark.seen_at = remark.seen_at or visit.at


def list_about(session: Session, annotation_ids: Sequence[int]) -> list[Remark]:
    """The remarks about these revisions, in order."""
    about = (Remark.annotation_id.in_(annotation_ids), Remark.set_aside_at.is_(None))
    return list(session.scalars(select(Remark).where(*about).order_by(Remark.id)))


def get_finished(session: Session, annotation_id: int) -> Annotation:
    """The finished revision with its author; raises NotFoundError where there is none."""
    annotation = session.get(Annotation, annotation_id, options=[selectinload(Annotation.person)])
    if annotation is None or not annotation.is_finished:
        raise NotFoundError(f"There is no finished revision {annotation_id}.")
    return annotation


def _has_object(session: Session, annotation_id: int, key: str) -> bool:
    found = select(Object.id).where(Object.annotation_id == annotation_id, Object.object_key == key)
    return session.scalar(found) is not None
