"""Reviews and revisions that count no more, nor what they decided."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, update
from sqlalchemy.orm import Session

from catalog.decisions import OF_REVISIONS
from catalog.session import in_parts
from catalog.tables import Annotation, BlindTask, Decision, GoldImage, Review


def set_reviews_aside(session: Session, review_ids: Sequence[int], *, at: datetime) -> None:
    """Let these reviews count no more, nor what they decided."""
    for some in in_parts(review_ids):
        session.execute(update(Review).where(Review.id.in_(some)).values(set_aside_at=at))
        of_verdicts = update(Decision).where(Decision.review_id.in_(some))
        session.execute(of_verdicts.values(set_aside_at=at))


def set_revisions_aside(session: Session, revision_ids: Sequence[int], *, at: datetime) -> None:
    """Let these revisions count no more, nor what they decided; blind tasks are open again."""
    empty = {"annotation_id": None, "finished_at": None, "score": None, "is_passed": None}
    for some in in_parts(revision_ids):
        of_drawn = Decision.annotation_id.in_(some) & Decision.kind.in_(OF_REVISIONS)
        session.execute(update(Decision).where(of_drawn).values(set_aside_at=at))
        for column, changes in (
            (Annotation.id, {"set_aside_at": at}),
            (BlindTask.annotation_id, empty),
            (BlindTask.reference_id, {"reference_id": None, "score": None, "is_passed": None}),
            # an organiser looks at the image, then chooses it again
            (GoldImage.annotation_id, {"ended_at": func.coalesce(GoldImage.ended_at, at)}),
        ):
            session.execute(update(column.class_).where(column.in_(some)).values(changes))
