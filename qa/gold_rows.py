"""Gold and training images as rows: which there are, and how people did on them."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from catalog.states import BlindKind
from catalog.tables import BlindTask, GoldImage, Image, Object

from .errors import NoReferenceError
from .gold import GoldScore, parse_score


def choose_gold(
    session: Session,
    image_id: int,
    *,
    person_id: int,
    at: datetime,
    is_training: bool = False,
    note: str = "",
) -> GoldImage:
    """The image as a gold image, with its newest revision as the reference.

    Choosing it again takes its present revision. Raises NoReferenceError where the image has no
    finished annotation with objects.
    """
    image = session.get(Image, image_id)
    head = None if image is None else image.annotation
    has_objects = head is not None and session.scalar(
        select(exists().where(Object.annotation_id == head.id))
    )
    if head is None or not head.is_finished or not has_objects:
        raise NoReferenceError(
            f"Image {image_id} has no finished annotation with objects to be a reference."
        )
    gold = session.get(GoldImage, image_id) or GoldImage(image_id=image_id)
    gold.annotation_id, gold.is_training, gold.note = head.id, is_training, note
    gold.person_id, gold.chosen_at, gold.ended_at = person_id, at, None
    session.add(gold)
    session.flush()
    return gold


def end_gold(session: Session, image_id: int, *, at: datetime) -> None:
    """No longer give the image out as gold; answers so far stay."""
    gold = session.get(GoldImage, image_id)
    if gold is not None:
        gold.ended_at = at
        session.flush()


def list_gold(session: Session) -> list[GoldImage]:
    """The gold images in use, training images too, in order of ids."""
    statement = select(GoldImage).where(GoldImage.ended_at.is_(None)).order_by(GoldImage.image_id)
    return list(session.scalars(statement))


def load_gold_scores(session: Session) -> dict[int, list[tuple[GoldScore, bool]]]:
    """Every person's scores on gold images that they did not know to be gold."""
    rows = session.execute(
        select(BlindTask.person_id, BlindTask.score, BlindTask.is_passed)
        .where(BlindTask.kind == BlindKind.GOLD, BlindTask.finished_at.is_not(None))
        .order_by(BlindTask.id)
    )
    scores: dict[int, list[tuple[GoldScore, bool]]] = {}
    for person_id, score, is_passed in rows.tuples():
        if score is not None:
            scores.setdefault(person_id, []).append((parse_score(score), bool(is_passed)))
    return scores
