"""Gold images and the training of new people: images whose answer an organiser vouches for.

Each training image is tried once, so that the reference is not found by trying. An organiser lets
in people who fail too many.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, exists, select

from annotate_ui.api.answers import Json
from annotate_ui.visit import Visit
from catalog.states import BlindKind, Role
from catalog.tables import Annotation, BlindTask, GoldImage, Person
from qa.blind_rows import TrainingProgress, load_training_progress
from qa.gold import GoldScore, give_feedback


def load_progress(visit: Visit, person: Person | None = None) -> TrainingProgress:
    """How far the visitor or another person is, by the settings in force."""
    settings = visit.settings
    return load_training_progress(visit.session, (person or visit.person).id, settings.qa)


def is_in_training(visit: Visit, person: Person | None = None) -> bool:
    """Whether an annotator who never drew here has training images to pass before they begin."""
    person = person or visit.person
    is_new = person.role is Role.ANNOTATOR and person.trained_at is None
    if not is_new or not visit.settings.qa.training_images or has_drawn(visit, person):
        return False
    return not load_progress(visit, person).is_done


def list_trials(visit: Visit, *conditions: ColumnElement[bool]) -> list[Json]:
    """The training images that the visitor answered, in order, with the organiser's notes."""
    rows = visit.session.execute(
        select(BlindTask, GoldImage)
        .outerjoin(GoldImage, GoldImage.image_id == BlindTask.image_id)
        .where(BlindTask.person_id == visit.person.id, BlindTask.kind == BlindKind.TRAINING)
        .where(BlindTask.finished_at.is_not(None), *conditions)
        .order_by(BlindTask.finished_at, BlindTask.id)
    )
    return [
        {
            "image_id": task.image_id,
            "is_passed": bool(task.is_passed),
            "note": gold.note if gold else "",
            "says": list(give_feedback(GoldScore(**task.score))) if task.score else [],
        }
        for task, gold in rows
    ]


def note_trained(visit: Visit) -> None:
    """Write down that the visitor passed, once they have."""
    if visit.person.trained_at is None and load_progress(visit).is_done:
        visit.person.trained_at = visit.at
        visit.session.flush()


def has_drawn(visit: Visit, person: Person) -> bool:
    """Whether any revision of the person stands in this party."""
    drawn = exists().where(Annotation.person_id == person.id, Annotation.is_stale.is_(False))
    return bool(visit.session.scalar(select(drawn)))
