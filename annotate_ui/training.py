"""Training images come before everything else for new people, where the party asks for them.

Each is tried once, so that nobody finds the reference by trying; whoever fails too many is let in
by an organiser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from catalog.states import BlindKind, Role
from catalog.tables import Annotation, BlindTask, GoldImage, Person
from qa.blind_rows import TrainingProgress, find_blind_of, load_training_progress, take_training
from qa.gold import give_feedback, parse_score
from qa.switches import apply_live_settings

from .blind import BlindLease, hold_blind, renew_blind_task
from .errors import InvalidError, NotFoundError
from .visit import Visit


@dataclass(frozen=True)
class Trial:
    """A training image that was answered, and what may be said of the answer.

    `note` is the organiser's, to be read afterwards.
    """

    image_id: int
    is_passed: bool
    sentences: Sequence[str]
    note: str


@dataclass(frozen=True)
class Trainee:
    """A new person who has training images to pass; `is_stuck` where none is left to try."""

    person: Person
    progress: TrainingProgress
    is_stuck: bool


def load_progress(visit: Visit, person: Person | None = None) -> TrainingProgress:
    """How far the visitor or another person is, by the settings in force."""
    settings = apply_live_settings(visit.session, visit.party.settings)
    return load_training_progress(visit.session, (person or visit.person).id, settings.qa)


def is_in_training(visit: Visit, person: Person | None = None) -> bool:
    """Whether the visitor or another person has training images to pass before they begin.

    Annotators only, and nobody who has drawn in this party already.
    """
    person = person or visit.person
    if person.role is not Role.ANNOTATOR or person.trained_at is not None:
        return False
    qa = apply_live_settings(visit.session, visit.party.settings).qa
    if not qa.training_images or has_drawn(visit, person):
        return False
    return not load_training_progress(visit.session, person.id, qa).is_done


def next_in_training(visit: Visit) -> BlindLease | None:
    """The training image that the visitor annotates next, or None where none is left to try."""
    secs = visit.party.settings.annotate.lease_secs
    try:
        with visit.session.begin_nested():
            task = take_training(visit.session, visit.person.id, at=visit.at, lease_secs=secs)
    except IntegrityError:  # another window of theirs got it at this moment
        return hold_blind(visit)
    return None if task is None else renew_blind_task(visit, task)


def find_trial(visit: Visit, image_id: int) -> Trial | None:
    """The visitor's finished trial on a training image; None for every other image."""
    task = find_blind_of(visit.session, visit.person.id, image_id)
    if task is None or task.kind is not BlindKind.TRAINING or task.finished_at is None:
        return None
    return _make_trial(visit, task)


def list_trials(visit: Visit) -> list[Trial]:
    """The training images that the visitor answered, in order."""
    tasks = visit.session.scalars(
        select(BlindTask)
        .where(
            BlindTask.person_id == visit.person.id,
            BlindTask.kind == BlindKind.TRAINING,
            BlindTask.finished_at.is_not(None),
        )
        .order_by(BlindTask.finished_at, BlindTask.id)
    )
    return [_make_trial(visit, task) for task in tasks]


def list_trainees(visit: Visit) -> list[Trainee]:
    """Everybody who has training images to pass before they begin, by name."""
    people = visit.session.scalars(
        select(Person)
        .where(
            Person.role == Role.ANNOTATOR, Person.trained_at.is_(None), Person.ended_at.is_(None)
        )
        .order_by(Person.name)
    )
    return [_make_trainee(visit, person) for person in people if is_in_training(visit, person)]


def note_trained(visit: Visit) -> None:
    """Write down that the visitor passed, once they have."""
    if visit.person.trained_at is None and load_progress(visit).is_done:
        visit.person.trained_at = visit.at
        visit.session.flush()


def finish_training(visit: Visit) -> None:
    """Write down that the visitor may begin; raises InvalidError where images are yet to pass."""
    progress = load_progress(visit)
    if visit.person.trained_at is None and not progress.is_done:
        left = progress.needed - progress.passed
        raise InvalidError(f"{left} of {progress.needed} training images are still to be passed.")
    note_trained(visit)


def let_begin(visit: Visit, person_id: int) -> Person:
    """The person, who may begin from now on; raises NotFoundError where there is none."""
    person = visit.session.get(Person, person_id)
    if person is None:
        raise NotFoundError(f"There is no person {person_id}.")
    person.trained_at = person.trained_at or visit.at
    visit.session.flush()
    return person


def has_drawn(visit: Visit, person: Person) -> bool:
    """Whether any revision of the person stands in this party."""
    drawn = select(Annotation.id).where(
        Annotation.person_id == person.id, Annotation.is_stale.is_(False)
    )
    return visit.session.scalar(drawn.limit(1)) is not None


def _make_trainee(visit: Visit, person: Person) -> Trainee:
    progress = load_progress(visit, person)
    offered = visit.session.scalar(
        select(func.count())
        .select_from(GoldImage)
        .where(
            GoldImage.is_training.is_(True),
            GoldImage.ended_at.is_(None),
            ~select(BlindTask.id)
            .where(
                BlindTask.image_id == GoldImage.image_id,
                BlindTask.person_id == person.id,
                BlindTask.finished_at.is_not(None),
            )
            .exists(),
        )
    )
    return Trainee(person, progress, is_stuck=progress.passed + (offered or 0) < progress.needed)


def _make_trial(visit: Visit, task: BlindTask) -> Trial:
    sentences = [] if task.score is None else list(give_feedback(parse_score(task.score)))
    gold = visit.session.get(GoldImage, task.image_id)
    return Trial(task.image_id, bool(task.is_passed), sentences, gold.note if gold else "")
