"""Saving what was drawn and a checker's verdicts, and the images on which these do not agree."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from annotate_ui.guard import EVERYBODY
from catalog.sentences import say
from catalog.states import HELD_STATES, ImageState, Role
from catalog.tables import Annotation, BlindTask, Image, Lease, Person, Review
from qa.blind_rows import keep_score, score_blind_answer
from qa.gold import GoldScore
from web.guard import Later
from work.bodies import ReviewBody, RevisionBody
from work.gold import list_trials, load_progress, note_trained
from work.history import compare_with_verdict
from work.lease_endings import IS_OF_BOXES
from work.remarks import find_hints
from work.reviews import Reviewed, is_checkable_by, is_disputed, save_review
from work.revision_rows import get_image, load_head, load_revision
from work.revisions import Kept, Saved, save_revision
from work.seen import may_see
from work.suggestions import count_outdated
from work.visit import Visit

from .addresses import image_url
from .drawn import Change, Drawn, DrawnObject, Revision, add_rejected, list_boxed
from .findings import Hint, make_hint
from .leases import LeaseAnswer
from .names import PersonName, show_name
from .schemas import Answer, ClassId, Conflict, Reply, Routes, Shown, make_error
from .training import make_trials

blueprint = Routes("reviews", __name__)
MOST_DISPUTES = 100


class TrainingResult(Answer):
    """Whether a training image was passed, and how far the person is."""

    needed: int
    passed: int
    is_done: bool
    is_passed: bool
    note: str


class SavedRevision(Answer):
    """A save; `feedback` and `training` come after a training image only.

    `outdated` counts objects that are suggestions as they were, of sets that are off today.
    """

    annotation: Revision
    state: ImageState
    lease: LeaseAnswer | None = None
    findings: list[Hint] = Field(default_factory=list)
    outdated: int = 0
    feedback: list[str] | None = None
    training: TrainingResult | None = None


class SavedReview(Answer):
    """A verdict that was saved, and the image's newest revision."""

    review_id: int
    state: ImageState
    annotation: Revision | None


class JudgedObject(Answer):
    """What a checker said of an object."""

    key: str
    verdict: str
    comment: str


class JudgedWord(JudgedObject):
    """What a checker said of an object of the class."""

    class_id: ClassId


class Round(Answer):
    """A verdict, with those objects that were rejected or commented."""

    verdict: str
    checker: str
    comment: str
    at: datetime
    objects: list[JudgedWord]


class Dispute(Drawn):
    """An image that went back as often as is allowed; `holder` has it in hand.

    `changes` and `same` tell how it differs from what was judged last.
    """

    image_id: int
    state: ImageState
    since: datetime
    may_settle: bool
    holder: PersonName | None
    author: PersonName
    rounds: list[Round]
    changes: list[Change]
    same: list[DrawnObject]


class DisputesAnswer(Answer):
    """The disputed images, those first that wait for a word."""

    at: datetime
    most_returns: int
    disputes: list[Dispute]


_OPEN_STATES = (ImageState.RETURNED, ImageState.ANNOTATED, *HELD_STATES.values())
CONFLICTS = {
    "stale": say("The image was saved meanwhile. Your version is kept in the history."),
    "lease_lost": say("This image was reassigned. Your version is kept in the history."),
}


@blueprint.on_post(
    "/images/<int:image_id>/revisions", *EVERYBODY, shows=Shown("parent_id"), answers=SavedRevision
)
def post_revision(visit: Visit, image_id: int, body: RevisionBody) -> Reply | Later:
    """The saved revision, or what became of it."""
    saved = save_revision(visit, image_id, body)
    if isinstance(saved, Kept):
        return _make_conflict(visit, saved)
    return Later(partial(_look_at_saved, saved, saved.state))


def _look_at_saved(saved: Saved, state: ImageState, visit: Visit) -> Reply | Later:
    """The answer to a save; the score of a blind answer is kept first."""
    annotation = load_revision(visit.session, saved.annotation.id)
    assert annotation is not None
    image = get_image(visit.session, annotation.image_id)
    hints = find_hints(visit, image, annotation)
    answer = SavedRevision(
        annotation=Revision.model_validate(annotation),
        state=state,
        lease=LeaseAnswer.model_validate(saved.lease) if saved.lease else None,
        findings=[make_hint(finding) for finding in hints],
    )
    if outdated := count_outdated(visit.session, annotation):
        answer.outdated = outdated
    reply = answer, 200 if saved.is_repeated else 201
    score = score_blind_answer(visit.session, annotation)
    if score is not None:
        return Later(partial(_keep_score, annotation.id, score, reply), writes=True)
    return reply


def _keep_score(
    annotation_id: int, score: GoldScore, reply: tuple[SavedRevision, int], visit: Visit
) -> Reply:
    """The answer, with how the training image went; of another blind answer nothing is told."""
    keep_score(visit.session, annotation_id, score, visit.settings.qa)
    answer, _ = reply
    _add_training(visit, visit.session.get_one(Annotation, annotation_id).image_id, answer)
    return reply


def _add_training(visit: Visit, image_id: int, answer: SavedRevision) -> None:
    """Add to the answer how a training image went, where the image is one."""
    trials = list_trials(visit, BlindTask.image_id == image_id)
    for trial in make_trials(visit, trials):
        note_trained(visit)
        progress = load_progress(visit)
        answer.feedback = trial.says
        answer.training = TrainingResult(
            needed=progress.needed,
            passed=progress.passed,
            is_done=progress.is_done,
            is_passed=trial.is_passed,
            note=trial.note,
        )


@blueprint.on_post(
    "/images/<int:image_id>/reviews",
    Role.CHECKER,
    shows=Shown("annotation_id"),
    answers=SavedReview,
)
def post_review(visit: Visit, image_id: int, body: ReviewBody) -> Reply | Later:
    """The saved verdict and the image's newest revision, or what became of it."""
    outcome = save_review(visit, image_id, body)
    if isinstance(outcome, Kept):
        return _make_conflict(visit, outcome)
    return Later(partial(_answer_review, outcome, outcome.review.id, outcome.image.state))


def _answer_review(outcome: Reviewed, review_id: int, state: ImageState, visit: Visit) -> Reply:
    """The saved verdict with the image's newest revision, read once it is stored."""
    head = load_head(visit.session, outcome.image)
    answer = SavedReview(
        review_id=review_id,
        state=state,
        annotation=Revision.model_validate(head) if head else None,
    )
    return answer, 200 if outcome.is_repeated else 201


@blueprint.on_get("/disputes", answers=DisputesAnswer)
def show_disputes(visit: Visit) -> Reply:
    """Every disputed image with all that was said of it, those first that wait for a word.

    To settle one, take it with POST /tasks/check and its id, then send a review like any other.
    """
    images = visit.session.scalars(
        select(Image)
        .where(Image.state.in_(_OPEN_STATES), is_disputed(visit), Image.annotation_id.is_not(None))
        .where(may_see(visit))
        .order_by(Image.state_at, Image.id)
        .limit(MOST_DISPUTES)
        .options(selectinload(Image.annotation).selectinload(Annotation.objects))
    ).all()
    of_others = Image.id.in_([image.id for image in images]), is_checkable_by(visit)
    by_others = frozenset(visit.session.scalars(select(Image.id).where(*of_others)))
    visit.shown.update(image.id for image in images)
    disputes = [_make_dispute(visit, image, image.id in by_others) for image in images]
    return DisputesAnswer(
        at=visit.at,
        most_returns=visit.party.settings.qa.return_rounds,
        disputes=sorted(disputes, key=lambda dispute: not dispute.may_settle),
    )


def _make_conflict(visit: Visit, kept: Kept) -> tuple[Conflict, int]:
    """409 with the code, under which number the work is kept, and what is newer."""
    conflict = Conflict(
        error=make_error(kept.code, CONFLICTS[kept.code]),
        kept_as=kept.annotation.id if kept.annotation else None,
    )
    if kept.code == "stale":
        conflict.head = Revision.model_validate(kept.head) if kept.head else None
    if isinstance(conflict.head, Revision):
        add_rejected(visit, conflict.head)
    return conflict, 409


def list_rounds(session: Session, image_id: int) -> list[Round]:
    """The verdicts on an image with their comments, each with its object's class, in order."""
    judged = selectinload(Review.annotation).selectinload(Annotation.objects)
    reviews = session.scalars(
        select(Review)
        .where(Review.annotation.has(image_id=image_id), Review.set_aside_at.is_(None))
        .order_by(Review.id)
        .options(selectinload(Review.person), judged)
    )
    return [_make_round(review) for review in reviews]


def make_judged(verdict: Mapping[str, str]) -> JudgedObject:
    """What a checker said of an object, as a review's row holds it."""
    return JudgedObject(
        key=verdict["object_key"], verdict=verdict["verdict"], comment=verdict["comment"]
    )


def _make_round(review: Review) -> Round:
    classes = {item.object_key: item.class_today for item in review.annotation.objects}
    words = [
        JudgedWord(
            key=item["object_key"],
            verdict=item["verdict"],
            comment=item["comment"],
            class_id=classes.get(item["object_key"], ""),
        )
        for item in review.object_verdicts
        if item["comment"] or item["verdict"] == "reject"
    ]
    return Round(
        verdict=review.verdict,
        checker=show_name(review.person),
        comment=review.comment or "",
        at=review.reviewed_at,
        objects=words,
    )


def _make_dispute(visit: Visit, image: Image, is_by_others: bool) -> Dispute:
    assert image.annotation is not None
    holder = visit.session.scalar(
        select(Person)
        .join(Lease, Lease.person_id == Person.id)
        .where(Lease.image_id == image.id, IS_OF_BOXES)
    )
    is_free = image.state is ImageState.ANNOTATED
    is_mine = holder is visit.person and image.state is ImageState.CHECKING
    changes, same = compare_with_verdict(visit, image)
    return Dispute(
        image_url=image_url(image.sha256),
        width=image.width,
        height=image.height,
        objects=list_boxed(image.annotation),
        image_id=image.id,
        state=image.state,
        since=image.state_at,
        may_settle=(is_free or is_mine) and is_by_others,
        holder=PersonName.model_validate(holder) if holder else None,
        author=PersonName.model_validate(image.annotation.person),
        rounds=list_rounds(visit.session, image.id),
        changes=[Change.model_validate(change) for change in changes],
        same=[DrawnObject.model_validate(item) for item in same],
    )
