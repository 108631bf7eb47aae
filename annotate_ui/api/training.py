"""What a new person learns from: examples of each class, and training images to pass."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from annotate_ui.guard import EVERYBODY
from catalog.refusals import InvalidError
from catalog.sentences import say
from catalog.tables import BlindTask, GoldImage
from qa.gold import GoldScore, give_feedback
from work import gold
from work.visit import Visit

from .answers import answer_each
from .drawn import Drawn, make_drawn
from .schemas import Answer, Reply, Routes

blueprint = Routes("training", __name__)


class Trial(Answer):
    """A training image that the visitor tried, and what may be said of it."""

    image_id: int
    is_passed: bool
    note: str
    says: list[str]


class TrainingProgress(Answer):
    """How far the visitor is."""

    needed: int
    passed: int
    is_done: bool
    trained_at: datetime | None
    trials: list[Trial]


class Training(TrainingProgress):
    """With examples of each class: accepted work that no one will annotate blind."""

    examples: dict[str, list[Drawn]]


@blueprint.on_get("/training", *EVERYBODY, answers=Training)
def show_training(visit: Visit) -> Reply:
    """Examples of each class, and the training images tried so far."""
    progress = _load_progress(visit)
    return Training(
        needed=progress.needed,
        passed=progress.passed,
        is_done=progress.is_done,
        trained_at=progress.trained_at,
        trials=progress.trials,
        examples={
            class_id: answer_each(
                visit,
                images,
                lambda image: make_drawn(image, image.annotation),
                lambda image: image.id,
            )
            for class_id, images in gold.list_examples(visit).items()
        },
    )


@blueprint.on_post("/training/finish", *EVERYBODY, answers=TrainingProgress)
def post_finish(visit: Visit) -> Reply:
    """How far the person is; from now on they may begin."""
    gold.note_trained(visit)
    if visit.person.trained_at is None:
        progress = gold.load_progress(visit)
        left = progress.needed - progress.passed
        raise InvalidError(
            say(
                "{left} of {needed} training images are not passed yet.",
                left=left,
                needed=progress.needed,
            )
        )
    return _load_progress(visit)


def make_trials(visit: Visit, trials: Sequence[gold.Trial]) -> list[Trial]:
    """The training images that the visitor answered, with the organiser's notes."""
    return answer_each(
        visit, trials, lambda trial: _make_trial(*trial), lambda trial: trial[0].image_id
    )


def _make_trial(task: BlindTask, row: GoldImage | None) -> Trial:
    return Trial(
        image_id=task.image_id,
        is_passed=bool(task.is_passed),
        note=row.note if row else "",
        says=list(give_feedback(GoldScore(**task.score))) if task.score else [],
    )


def _load_progress(visit: Visit) -> TrainingProgress:
    """How far the visitor is in their training."""
    progress = gold.load_progress(visit)
    return TrainingProgress(
        needed=progress.needed,
        passed=progress.passed,
        is_done=progress.is_done,
        trained_at=visit.person.trained_at,
        trials=make_trials(visit, gold.list_trials(visit)),
    )
