"""Gold images and the training of new people: images whose answer an organiser vouches for.

Each training image is tried once, so that the reference is not found by trying. An organiser lets
in people who fail too many.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import selectinload

from annotate_ui.api.answers import Json, format_drawn, format_person, pick, tell_each
from catalog.states import BlindKind, ImageState, Role
from catalog.stuck import about_image, is_stuck, require_of_image
from catalog.tables import Annotation, BlindTask, GoldImage, Image, Object, Person, Review
from qa.blind_rows import TrainingProgress, double_limit, load_training_progress, take_training
from qa.gold import GoldScore, give_feedback
from work.visit import Visit

from .blind import renew_blind
from .people import display_name

PER_CLASS = 3
MOST_OBJECTS = 12
"""Of an example; a crowd does not show what a class is."""


def list_examples(visit: Visit, class_name: str) -> list[Image]:
    """Up to PER_CLASS examples of a class that the person will never be given to annotate.

    Training images, while no one has to pass them; then work that a checker accepted and
    that is neither gold nor to be annotated twice, so that no example gives an answer away.
    """
    qa = visit.settings.qa
    accepted = (Review.is_complete.is_(True), Review.set_aside_at.is_(None))
    checked = (
        Image.state == ImageState.CHECKED,
        exists().where(Review.annotation_id == Image.annotation_id, *accepted),
        ~exists().where(GoldImage.image_id == Image.id),
        ~exists().where(BlindTask.image_id == Image.id, BlindTask.finished_at.is_(None)),
        Image.sha256 >= double_limit(qa.double_share),
    )
    chosen = exists().where(
        GoldImage.image_id == Image.id,
        GoldImage.annotation_id == Image.annotation_id,
        GoldImage.is_training.is_(True),
        GoldImage.ended_at.is_(None),
    )
    first = [] if qa.training_images else _find_examples(visit, class_name, chosen)
    return (first + _find_examples(visit, class_name, *checked))[:PER_CLASS]


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


def next_in_training(visit: Visit) -> BlindTask | None:
    """The training image that the visitor annotates next, or None where none is left to try."""
    secs = visit.party.settings.annotate.lease_secs
    task = take_training(visit.session, visit.person.id, at=visit.at, lease_secs=secs)
    return None if task is None else renew_blind(visit, task)


def list_trials(visit: Visit, *conditions: ColumnElement[bool]) -> list[Json]:
    """The training images that the visitor answered, in order, with the organiser's notes."""
    rows = visit.session.execute(
        select(BlindTask, GoldImage)
        .outerjoin(GoldImage, GoldImage.image_id == BlindTask.image_id)
        .where(BlindTask.person_id == visit.person.id, BlindTask.kind == BlindKind.TRAINING)
        .where(BlindTask.finished_at.is_not(None), *conditions)
        .order_by(BlindTask.finished_at, BlindTask.id)
    )

    def tell_trial(row: tuple[BlindTask, GoldImage | None]) -> Json:
        task, gold = row
        return {
            "image_id": task.image_id,
            "is_passed": bool(task.is_passed),
            "note": gold.note if gold else "",
            "says": list(give_feedback(GoldScore(**task.score))) if task.score else [],
        }

    return tell_each(visit, rows.tuples(), tell_trial, lambda row: row[0].image_id)


def list_trainees(visit: Visit) -> list[Json]:
    """People in training, by name; `is_stuck` are those who have no image left to try."""
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


def _describe_trainee(visit: Visit, person: Person) -> Json:
    progress = load_progress(visit, person)
    tried = exists().where(
        BlindTask.image_id == GoldImage.image_id,
        BlindTask.person_id == person.id,
        BlindTask.finished_at.is_not(None),
    )
    in_use = (GoldImage.is_training.is_(True), GoldImage.ended_at.is_(None), ~tried)
    offered = visit.session.scalar(select(func.count(GoldImage.image_id)).where(*in_use)) or 0
    return {
        "person": format_person(person),
        **pick(progress, "needed", "passed"),
        "failed": progress.tried,
        "is_stuck": progress.passed + offered < progress.needed,
        "seen_at": person.seen_at,
    }


def _find_examples(visit: Visit, class_name: str, *conditions: ColumnElement[bool]) -> list[Image]:
    of_head = Object.annotation_id == Image.annotation_id
    shows = exists().where(of_head, Object.class_name == class_name, Object.difficult.is_(False))
    crowd = exists().where(of_head, Object.number > MOST_OBJECTS)
    images = visit.session.scalars(
        select(Image)
        .where(*conditions, shows, ~crowd, Image.state != ImageState.TAKEN_DOWN, ~is_stuck())
        .order_by(Image.sha256)
        .limit(PER_CLASS)
    )
    return list(images)


def list_chosen(visit: Visit, *conditions: ColumnElement[bool]) -> list[Json]:
    """The images in use, with the answers so far; `is_changed` are those that were saved since."""
    rows = visit.session.execute(
        select(GoldImage, Image, Annotation, Person)
        .join(Image, Image.id == GoldImage.image_id)
        .join(Annotation, Annotation.id == GoldImage.annotation_id)
        .join(Person, Person.id == GoldImage.person_id)
        .where(GoldImage.ended_at.is_(None), *conditions)
        .options(selectinload(Annotation.objects))
        .order_by(GoldImage.is_training.desc(), GoldImage.chosen_at, Image.id)
    )

    def tell_gold(row: tuple[GoldImage, Image, Annotation, Person]) -> Json:
        gold, image, reference, chooser = row
        require_of_image(image, reference)
        return {
            "image_id": image.id,
            **format_drawn(image, reference),
            **pick(gold, "annotation_id", "is_training", "note", "chosen_at"),
            "chosen_by": display_name(chooser),
            "is_changed": image.annotation_id != reference.id,
            "answers": [],
        }

    shown = tell_each(visit, rows.tuples(), tell_gold, lambda row: row[1].id)
    found = {item["image_id"]: item for item in shown}
    answered = visit.session.execute(
        select(BlindTask, Person)
        .join(Person, Person.id == BlindTask.person_id)
        .where(BlindTask.image_id.in_(found), BlindTask.finished_at.is_not(None))
        .order_by(BlindTask.finished_at, BlindTask.id)
    )
    for task, person in answered.tuples():
        if task.score is None:
            continue
        with about_image(task.image_id):
            score = pick(GoldScore(**task.score), "found", "objects", "drawn", "mean_overlap")
        answer = {"person": format_person(person), "is_passed": bool(task.is_passed)}
        found[task.image_id]["answers"].append(answer | score)
    return shown


def find_chosen(visit: Visit, image_id: int) -> Json | None:
    """The image as a gold or training image in use, or None."""
    return next(iter(list_chosen(visit, GoldImage.image_id == image_id)), None)
