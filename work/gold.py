"""Gold images and the training of new people: images whose answer an organiser vouches for.

Each training image is tried once, so that the reference is not found by trying. An organiser lets
in people who fail too many.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from sqlalchemy.orm import Session, aliased, selectinload

from catalog.states import BlindKind, ImageState, Role
from catalog.stuck import is_stuck
from catalog.tables import Annotation, BlindTask, GoldImage, Image, Lease, Object, Person, Review
from qa.blind_rows import TrainingProgress, double_limit, load_training_progress, take_training

from .blind import renew_blind
from .visit import Visit

PER_CLASS = 3
EXAMPLES_KEPT_SECS = 300.0
EXAMPLES_OLDEST_SECS = 86_400.0
MOST_OBJECTS = 12
"""Of an example; a crowd does not show what a class is."""


@dataclass(frozen=True)
class Trainee:
    """A person in training; `is_stuck` where too few training images are left to try."""

    person: Person
    progress: TrainingProgress
    is_stuck: bool


@dataclass(frozen=True)
class ChosenImage:
    """A gold or training image in use, its reference, and who chose it."""

    gold: GoldImage
    image: Image
    reference: Annotation
    chooser: Person


def list_examples(visit: Visit) -> dict[str, list[Image]]:
    """Up to PER_CLASS examples of each class that no person will be given to annotate, by its id.

    Training images, while no one has to pass them; then work that a checker accepted and
    that is neither gold nor to be annotated twice, so that no example gives an answer away. They
    are everybody's: they are sought again after some time only, and looked at again each time.
    """
    class_ids = tuple(visit.party.preset.class_ids.values())
    image_ids = visit.share(
        ("examples", class_ids, visit.party.classes_number),
        lambda visit: _seek_examples(visit, class_ids),
        most_secs=EXAMPLES_KEPT_SECS,
        oldest_secs=EXAMPLES_OLDEST_SECS,
    )
    wanted = {key for keys in image_ids.values() for key in keys}
    is_one = or_(*(and_(*conditions) for conditions in _list_sources(visit)))
    still = select(Image).where(Image.id.in_(wanted), is_one)
    images = {image.id: image for image in visit.session.scalars(still)}
    return {
        class_id: [images[key] for key in keys if key in images]
        for class_id, keys in image_ids.items()
    }


def _list_sources(visit: Visit) -> list[tuple[ColumnElement[bool], ...]]:
    """What holds of the images that may be examples, for each place where they are sought."""
    qa = visit.settings.qa
    accepted = (Review.is_complete.is_(True), Review.set_aside_at.is_(None))
    checked = (
        Image.state == ImageState.CHECKED,
        exists().where(Review.annotation_id == Image.annotation_id, *accepted),
        ~exists().where(GoldImage.image_id == Image.id),
        ~exists().where(BlindTask.image_id == Image.id, BlindTask.finished_at.is_(None)),
        Image.sha256 >= double_limit(qa.double_share),
    )
    chosen = (
        Image.id.in_(
            select(GoldImage.image_id).where(
                GoldImage.is_training.is_(True), GoldImage.ended_at.is_(None)
            )
        ),
        exists().where(
            GoldImage.image_id == Image.id, GoldImage.annotation_id == Image.annotation_id
        ),
    )
    is_there = (Image.state != ImageState.TAKEN_DOWN, ~is_stuck())
    sources = (checked,) if qa.training_images else (chosen, checked)
    return [(*source, *is_there) for source in sources]


def _seek_examples(visit: Visit, class_ids: Sequence[str]) -> dict[str, list[int]]:
    """The images of the examples of each class; the search ends when each class has enough."""
    examples: dict[str, list[int]] = {class_id: [] for class_id in class_ids}
    for conditions in _list_sources(visit):
        _add_examples(visit, examples, *conditions)
    return examples


def _add_examples(
    visit: Visit, examples: dict[str, list[int]], *conditions: ColumnElement[bool]
) -> None:
    """Add images of these conditions, in the order of their digests, where a class has too few."""
    of_head = Object.annotation_id == Image.annotation_id
    crowd = exists().where(of_head, Object.number > MOST_OBJECTS)
    shown = aliased(Object)
    rows = visit.session.execute(
        select(Image.id, shown.class_id)
        .join(shown, shown.annotation_id == Image.annotation_id)
        .where(*conditions, shown.difficult.is_(False), ~crowd)
        .order_by(Image.sha256)
        .execution_options(yield_per=500)
    )
    for image_id, stored_id in rows.tuples():
        images = examples.get(visit.party.classes.today(stored_id))
        if images is not None and len(images) < PER_CLASS and image_id not in images:
            images.append(image_id)
            if all(len(others) >= PER_CLASS for others in examples.values()):
                break
    rows.close()


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


def next_in_training(visit: Visit) -> Lease | None:
    """The lease on the next training image, or None where the visitor has none left to try."""
    task = take_training(visit.session, visit.person.id, at=visit.at)
    return None if task is None else renew_blind(visit, task)


Trial = tuple[BlindTask, GoldImage | None]
"""An answer to a training image, and the image as organisers chose it, while they do."""


def list_trials(visit: Visit, *conditions: ColumnElement[bool]) -> list[Trial]:
    """The visitor's answers to training images, in order."""
    rows = visit.session.execute(
        select(BlindTask, GoldImage)
        .outerjoin(GoldImage, GoldImage.image_id == BlindTask.image_id)
        .where(BlindTask.person_id == visit.person.id, BlindTask.kind == BlindKind.TRAINING)
        .where(BlindTask.is_passed.is_not(None), *conditions)
        .order_by(BlindTask.finished_at, BlindTask.id)
    )
    return [(task, gold) for task, gold in rows.tuples()]


def list_trainees(visit: Visit) -> list[Trainee]:
    """People in training, by name."""
    new = (Person.role == Role.ANNOTATOR, Person.trained_at.is_(None), Person.ended_at.is_(None))
    people = visit.session.scalars(select(Person).where(*new).order_by(Person.name))
    return [_describe_trainee(visit, person) for person in people if is_in_training(visit, person)]


def note_trained(visit: Visit) -> None:
    """Write down that the visitor passed, once they have."""
    if visit.person.trained_at is None and load_progress(visit).is_done:
        visit.person.trained_at = visit.at
        visit.session.flush()


def has_drawn(visit: Visit, person: Person) -> bool:
    """Whether any revision of the person stands in this party."""
    drawn = exists().where(Annotation.person_id == person.id, Annotation.is_stale.is_(False))
    return bool(visit.session.scalar(select(drawn)))


def _describe_trainee(visit: Visit, person: Person) -> Trainee:
    progress = load_progress(visit, person)
    tried = exists().where(
        BlindTask.image_id == GoldImage.image_id,
        BlindTask.person_id == person.id,
        BlindTask.finished_at.is_not(None),
    )
    in_use = (GoldImage.is_training.is_(True), GoldImage.ended_at.is_(None), ~tried)
    offered = visit.session.scalar(select(func.count(GoldImage.image_id)).where(*in_use)) or 0
    return Trainee(person, progress, progress.passed + offered < progress.needed)


def list_chosen(visit: Visit, *conditions: ColumnElement[bool]) -> list[ChosenImage]:
    """The gold and training images in use, training images first."""
    rows = visit.session.execute(
        select(GoldImage, Image, Annotation, Person)
        .join(Image, Image.id == GoldImage.image_id)
        .join(Annotation, Annotation.id == GoldImage.annotation_id)
        .join(Person, Person.id == GoldImage.person_id)
        .where(GoldImage.ended_at.is_(None), *conditions)
        .options(selectinload(Annotation.objects))
        .order_by(GoldImage.is_training.desc(), GoldImage.chosen_at, Image.id)
    )
    return [ChosenImage(*row) for row in rows.tuples()]


def load_answers(
    session: Session, image_ids: Collection[int]
) -> dict[int, list[tuple[BlindTask, Person]]]:
    """The scored answers to each image, in order, and who gave them."""
    rows = session.execute(
        select(BlindTask, Person)
        .join(Person, Person.id == BlindTask.person_id)
        .where(BlindTask.image_id.in_(image_ids), BlindTask.finished_at.is_not(None))
        .order_by(BlindTask.finished_at, BlindTask.id)
    )
    answers = defaultdict[int, list[tuple[BlindTask, Person]]](list)
    for task, person in rows.tuples():
        if task.score is not None:
            answers[task.image_id].append((task, person))
    return answers


def find_chosen(visit: Visit, image_id: int) -> ChosenImage | None:
    """The image as a gold or training image in use, or None."""
    return next(iter(list_chosen(visit, GoldImage.image_id == image_id)), None)
