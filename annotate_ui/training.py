"""How far a new person is with the images that they are to pass before they begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from catalog.states import BlindKind
from catalog.tables import BlindTask
from qa.blind_rows import TrainingProgress, load_training_progress
from qa.gold import give_feedback, parse_score
from qa.switches import apply_live_settings

from .errors import InvalidError
from .visit import Visit


@dataclass(frozen=True)
class Trial:
    """A training image that was answered, and what may be said of the answer."""

    image_id: int
    is_passed: bool
    sentences: Sequence[str]


def load_progress(visit: Visit) -> TrainingProgress:
    """How far the visitor is, by the settings in force."""
    settings = apply_live_settings(visit.session, visit.party.settings)
    return load_training_progress(visit.session, visit.person.id, settings.qa)


def list_trials(visit: Visit) -> list[Trial]:
    """The training images that the visitor answered, in order."""
    tasks = visit.session.scalars(
        select(BlindTask)
        .where(
            BlindTask.person_id == visit.person.id,
            BlindTask.kind == BlindKind.TRAINING,
            BlindTask.finished_at.is_not(None),
        )
        .order_by(BlindTask.id)
    )
    return [_make_trial(task) for task in tasks]


def finish_training(visit: Visit) -> None:
    """Write down that the visitor may begin; raises InvalidError where images are yet to pass."""
    progress = load_progress(visit)
    if not progress.is_done:
        left = progress.needed - progress.passed
        raise InvalidError(f"{left} of {progress.needed} training images are still to be passed.")
    if visit.person.trained_at is None:
        visit.person.trained_at = visit.at
        visit.session.flush()


def _make_trial(task: BlindTask) -> Trial:
    sentences = [] if task.score is None else list(give_feedback(parse_score(task.score)))
    return Trial(task.image_id, bool(task.is_passed), sentences)
