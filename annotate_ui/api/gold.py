"""Gold and training images in organisers' hands, and how people did on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy import or_, select

import qa.gold
from catalog.locks import lock_image
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.states import FindingVerdict
from catalog.stuck import about_image, require_of_image
from catalog.tables import BlindTask, Finding, Image, Person
from qa.checks import is_for_organiser
from qa.gold import (
    GoldScore,
    choose_gold,
    end_gold,
    load_gold_scores,
    summarise_gold,
)
from web.language import translate
from work import gold
from work.blind import select_hidden
from work.bodies import Body, Comment, Id
from work.gold import ChosenImage, load_answers
from work.history import get_shown
from work.live_settings import load_shares
from work.people import get_person_of
from work.revision_rows import get_image, load_head
from work.seen import may_see
from work.shown import version_of_gold, version_of_person
from work.visit import Visit

from .addresses import image_url
from .answers import Share, answer_each, format_share
from .board_answer import Shares
from .drawn import Drawn, list_boxed
from .names import PersonName, show_name
from .schemas import Answer, NoAnswer, Now, Reply, Routes, Shown, Version, VersionBody

blueprint = Routes("gold", __name__)


class GoldBody(Body):
    """Whether an image is a training image or gold; the revision that was seen is the reference."""

    annotation_id: Id
    is_training: bool
    note: Comment = ""
    version: Version


class GoldAnswer(Answer):
    """What a person drew on a gold image, and the reference that it was compared with."""

    person: PersonName
    annotation_id: int | None
    reference_id: int | None
    is_passed: bool
    matched: int
    objects: int
    drawn: int
    mean_overlap: float | None


class Gold(Drawn):
    """A gold or training image; `is_changed`: its newest revision is not the reference."""

    image_id: int
    annotation_id: int
    is_training: bool
    note: str
    chosen_at: datetime
    chosen_by: str
    is_changed: bool
    version: str
    answers: list[GoldAnswer]


class GoldRecord(Answer):
    """A person on gold images that they did not know to be gold."""

    person: PersonName
    images: int
    passed: int
    recall: Share
    precision: Share


class Trainee(Answer):
    """A person in training; `is_stuck` where too few training images are left to try."""

    person: PersonName
    needed: int
    passed: int
    failed: int
    is_stuck: bool
    version: str
    seen_at: datetime | None


class GoldPage(Answer):
    """The gold and training images in use, and how people do on them."""

    shares: Shares
    images: list[Gold]
    people: list[GoldRecord]
    trainees: list[Trainee]


class Candidate(Drawn):
    """An image that may be chosen, or is, with its newest revision.

    `warnings` say why that may be no good reference.
    """

    image_id: int
    annotation_id: int | None
    version: str
    gold: Gold | None
    warnings: list[str]


class ChosenGold(Answer):
    """The image as gold or training image."""

    gold: Gold | None


class TrainedPerson(Answer):
    """A person who may begin, and since when."""

    person: PersonName
    trained_at: datetime


@blueprint.on_get("/gold", answers=GoldPage)
def show_gold(visit: Visit) -> Reply:
    """The gold and training images in use, people's records and who is in training."""
    images = gold.list_chosen(visit, may_see(visit))
    records = summarise_gold(load_gold_scores(visit.session))
    trainees = gold.list_trainees(visit)
    return GoldPage(
        shares=Shares.model_validate(load_shares(visit)),
        images=_make_gold(visit, images),
        people=[_make_record(visit, record) for record in records],
        trainees=[_make_trainee(trainee) for trainee in trainees],
    )


@blueprint.on_get("/gold/<int:image_id>", answers=Candidate)
def show_image(visit: Visit, image_id: int) -> Reply:
    """An image that may be chosen, or is."""
    if image_id in visit.session.scalars(select_hidden(visit)):
        raise NotFoundError(
            say("Image {image_id} is not available now. Choose another image.", image_id=image_id)
        )
    return _make_candidate(visit, get_image(visit.session, image_id))


def _make_candidate(visit: Visit, image: Image) -> Candidate:
    """The image with its newest revision, and as it is chosen now."""
    head = load_head(visit.session, image)
    visit.shown.add(image.id)
    return Candidate(
        image_url=image_url(image.sha256),
        width=image.width,
        height=image.height,
        objects=list_boxed(head),
        image_id=image.id,
        annotation_id=head.id if head else None,
        version=version_of_gold(visit.session, image),
        gold=_find_gold(visit, image.id),
        warnings=[translate(text) for text in _list_warnings(visit, image.id)],
    )


def _list_warnings(visit: Visit, image_id: int) -> Iterator[str]:
    """What speaks against the image as a reference: open findings, and a dispute about it."""
    rounds = visit.party.settings.qa.return_rounds
    disputed = select(Image.id).where(Image.id == image_id, is_for_organiser(rounds))
    if visit.session.scalar(disputed) is not None:
        yield say("Annotator and checker disagree about this image. Settle the dispute first.")
    is_open = or_(Finding.verdict.is_(None), Finding.verdict == FindingVerdict.RIGHT)
    of_image = select(Finding).where(Finding.image_id == image_id, is_open).order_by(Finding.id)
    for finding in visit.session.scalars(of_image):
        yield say("Open finding: {message}", message=finding.sentence)


def _load_now(visit: Visit, image_id: int) -> Now:
    """The image as it may be chosen now, which no save moves on; raises NotFoundError."""
    lock_image(visit.session, image_id)
    image = get_shown(visit, image_id)
    visit.session.refresh(image)
    return Now(version_of_gold(visit.session, image), _make_candidate(visit, image))


def _load_person_now(visit: Visit, person_id: int) -> Now:
    """The person as they are now; raises NotFoundError where there is none."""
    return Now(version_of_person(get_person_of(visit.session, person_id)))


@blueprint.on_put("/gold/<int:image_id>", shows=Shown("version", _load_now), answers=ChosenGold)
def put_gold(visit: Visit, image_id: int, body: GoldBody) -> Reply:
    """The image as gold or training image; the revision that was seen is the reference.

    409 where that is neither the newest revision nor the reference so far.
    """
    choose_gold(
        visit.session,
        image_id,
        seen_id=body.annotation_id,
        person_id=visit.person.id,
        at=visit.at,
        is_training=body.is_training,
        note=body.note.strip(),
    )
    return ChosenGold(gold=_find_gold(visit, image_id))


@blueprint.on_post("/gold/<int:image_id>/end", shows=Shown("version", _load_now))
def post_end(visit: Visit, image_id: int, body: VersionBody) -> Reply:
    """Nothing; the image is given out no more, and answers so far stay."""
    if gold.find_chosen(visit, image_id) is None:
        raise NotFoundError(say("Image {image_id} is not a gold image.", image_id=image_id))
    end_gold(visit.session, image_id, at=visit.at)
    return NoAnswer()


@blueprint.on_post(
    "/people/<int:person_id>/let-begin",
    shows=Shown("version", _load_person_now),
    answers=TrainedPerson,
)
def post_let_begin(visit: Visit, person_id: int, body: VersionBody) -> Reply:
    """The person, who may begin without passing more training images."""
    person = get_person_of(visit.session, person_id)
    person.trained_at = person.trained_at or visit.at
    return TrainedPerson(person=PersonName.model_validate(person), trained_at=person.trained_at)


def _make_record(visit: Visit, record: qa.gold.GoldRecord) -> GoldRecord:
    person = visit.session.get_one(Person, record.person_id)
    return GoldRecord(
        person=PersonName.model_validate(person),
        images=record.images,
        passed=record.passed,
        recall=format_share(record.recall),
        precision=format_share(record.precision),
    )


def _find_gold(visit: Visit, image_id: int) -> Gold | None:
    """The image as a gold or training image in use, or None."""
    chosen = gold.find_chosen(visit, image_id)
    answers = _make_gold(visit, [chosen] if chosen else [])
    return next(iter(answers), None)


def _make_gold(visit: Visit, images: Sequence[ChosenImage]) -> list[Gold]:
    """Gold images with the answers so far."""
    visit.shown.update(chosen.image.id for chosen in images)
    golds = answer_each(
        visit, images, lambda chosen: _make_chosen(visit, chosen), lambda chosen: chosen.image.id
    )
    answers = load_answers(visit.session, [item.image_id for item in golds])
    for item in golds:
        item.answers = [_make_answer(*row) for row in answers.get(item.image_id, ())]
    return golds


def _make_chosen(visit: Visit, chosen: ChosenImage) -> Gold:
    """A gold image without answers; `is_changed` where it was saved since."""
    image = chosen.image
    row = chosen.gold
    require_of_image(image, chosen.reference)
    return Gold(
        image_url=image_url(image.sha256),
        width=image.width,
        height=image.height,
        objects=list_boxed(chosen.reference),
        image_id=image.id,
        annotation_id=row.annotation_id,
        is_training=row.is_training,
        note=row.note,
        chosen_at=row.chosen_at,
        chosen_by=show_name(chosen.chooser),
        is_changed=image.annotation_id != chosen.reference.id,
        version=version_of_gold(visit.session, image),
        answers=[],
    )


def _make_answer(task: BlindTask, person: Person) -> GoldAnswer:
    with about_image(task.image_id):
        score = GoldScore(**(task.score or {}))
    return GoldAnswer(
        person=PersonName.model_validate(person),
        annotation_id=task.annotation_id,
        reference_id=task.reference_id,
        is_passed=bool(task.is_passed),
        matched=score.found,
        objects=score.objects,
        drawn=score.drawn,
        mean_overlap=score.mean_overlap,
    )


def _make_trainee(trainee: gold.Trainee) -> Trainee:
    progress = trainee.progress
    return Trainee(
        person=PersonName.model_validate(trainee.person),
        needed=progress.needed,
        passed=progress.passed,
        failed=progress.tried,
        is_stuck=trainee.is_stuck,
        version=version_of_person(trainee.person),
        seen_at=trainee.person.seen_at,
    )
