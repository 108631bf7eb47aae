"""Gold and training images: chosen by organisers, with how people did on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import selectinload

from annotate_ui.errors import InvalidError, NotFoundError
from annotate_ui.visit import Visit
from catalog.states import ImageState, Role
from catalog.tables import Annotation, BlindTask, GoldImage, Image, Person
from qa.errors import NoReferenceError
from qa.gold import (
    GoldRecord,
    GoldScore,
    choose_gold,
    end_gold,
    load_gold_scores,
    parse_score,
    summarise_gold,
)

from .revision_rows import get_image


@dataclass(frozen=True)
class Answer:
    """How one person did on a gold or training image."""

    person: Person
    score: GoldScore
    is_passed: bool


@dataclass(frozen=True)
class Chosen:
    """A gold or training image in use with its reference and the answers so far."""

    gold: GoldImage
    image: Image
    reference: Annotation
    chooser: Person
    answers: Sequence[Answer]

    @property
    def is_changed(self) -> bool:
        """Whether the image was saved since, so that the reference is not its newest revision."""
        return self.image.annotation_id != self.gold.annotation_id


def list_chosen(visit: Visit, *conditions: ColumnElement[bool]) -> list[Chosen]:
    """The gold and training images in use, the training images first, in order of choosing."""
    rows = visit.session.execute(
        select(GoldImage, Image, Annotation, Person)
        .join(Image, Image.id == GoldImage.image_id)
        .join(Annotation, Annotation.id == GoldImage.annotation_id)
        .join(Person, Person.id == GoldImage.person_id)
        .where(GoldImage.ended_at.is_(None), *conditions)
        .options(selectinload(Annotation.objects))
        .order_by(GoldImage.is_training.desc(), GoldImage.chosen_at, Image.id)
    )
    chosen = rows.tuples().all()
    answered = visit.session.execute(
        select(BlindTask, Person)
        .join(Person, Person.id == BlindTask.person_id)
        .where(
            BlindTask.image_id.in_([image.id for _, image, *_ in chosen]),
            BlindTask.finished_at.is_not(None),
        )
        .order_by(BlindTask.finished_at, BlindTask.id)
    )
    answers: dict[int, list[Answer]] = defaultdict(list)
    for task, person in answered.tuples():
        if task.score is not None:
            answer = Answer(person, parse_score(task.score), bool(task.is_passed))
            answers[task.image_id].append(answer)
    return [Chosen(*one, answers[one[1].id]) for one in chosen]


def find_chosen(visit: Visit, image_id: int) -> Chosen | None:
    """The image as a gold or training image in use, or None."""
    return next(iter(list_chosen(visit, GoldImage.image_id == image_id)), None)


def choose(visit: Visit, image_id: int, *, is_training: bool, note: str) -> Chosen:
    """The image as gold or training image, its newest revision as the reference.

    Raises NotFoundError without such an image, InvalidError where nothing could be the reference.
    """
    image = get_image(visit.session, image_id)
    if image.state is ImageState.TAKEN_DOWN:
        raise NotFoundError(f"There is no image {image_id}.")
    try:
        choose_gold(
            visit.session,
            image_id,
            person_id=visit.person.id,
            at=visit.at,
            is_training=is_training,
            note=note.strip(),
        )
    except NoReferenceError as error:
        raise InvalidError(str(error)) from error
    chosen = find_chosen(visit, image_id)
    assert chosen is not None
    return chosen


def end(visit: Visit, image_id: int) -> None:
    """No longer give the image out; raises NotFoundError where it is no gold image."""
    if find_chosen(visit, image_id) is None:
        raise NotFoundError(f"Image {image_id} is no gold image.")
    end_gold(visit.session, image_id, at=visit.at)


def follow_correction(visit: Visit, image: Image, started_from_id: int, corrected_id: int) -> None:
    """Let an organiser's own correction of a gold image be its reference from now on.

    A checker's correction is not: an organiser vouches for the reference.
    """
    gold = visit.session.get(GoldImage, image.id)
    is_reference = gold is not None and gold.annotation_id == started_from_id
    if gold is not None and is_reference and visit.person.role is Role.ORGANISER:
        gold.annotation_id = corrected_id
        visit.session.flush()


def list_records(visit: Visit) -> list[tuple[Person, GoldRecord]]:
    """Everybody's record on gold images that they did not know to be gold."""
    records = summarise_gold(load_gold_scores(visit.session))
    return [(visit.session.get_one(Person, one.person_id), one) for one in records]
