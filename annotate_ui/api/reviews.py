"""Saving what was drawn and a checker's verdicts, and the images on which these do not agree."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from catalog.states import ImageState, Role
from catalog.tables import Annotation, BlindTask, Image, Lease, Person, Review
from web.guard import EVERYBODY
from web.language import translate
from work.blind import select_hidden
from work.bodies import ReviewBody, RevisionBody
from work.gold import list_trials, load_progress, note_trained
from work.lease_endings import HELD_STATES, IS_OF_BOXES
from work.people import display_name
from work.remarks import find_hints
from work.reviews import is_checkable_by, is_disputed, save_review
from work.revisions import Kept, load_head, save_revision
from work.visit import Visit

from .answers import Json, format_drawn, format_error, pick, tell
from .format_gold import format_trials
from .schemas import Reply, Routes, shape
from .told import Drawn, Hint, PersonName, Revision, Round, SavedTold

blueprint = Routes("reviews", __name__)
MOST_DISPUTES = 100


ReviewTold = shape(
    "ReviewTold: a verdict that was saved, and the image's newest revision.",
    review_id=int,
    state=ImageState,
    annotation=Revision | None,
)
Dispute = shape(
    "Dispute: an image that went back as often as is allowed; `holder` has it in hand.",
    Drawn,
    image_id=int,
    state=ImageState,
    since=datetime,
    may_settle=bool,
    holder=PersonName | None,
    author=PersonName,
    rounds=[Round],
)
_DISPUTES = {"at": datetime, "most_returns": int, "disputes": [Dispute]}
_OPEN_STATES = (ImageState.RETURNED, ImageState.ANNOTATED, *HELD_STATES.values())
CONFLICTS = {
    "stale": "The image was saved meanwhile. Your version is kept in the history.",
    "lease_lost": "This image was reassigned. Your version is kept in the history.",
}


@blueprint.on_post("/images/<int:image_id>/revisions", *EVERYBODY, told=SavedTold)
def post_revision(visit: Visit, image_id: int, body: RevisionBody) -> Reply:
    """The saved revision, or what became of it."""
    saved = save_revision(visit, image_id, body)
    if isinstance(saved, Kept):
        return _format_conflict(saved)
    hints = find_hints(visit, saved.image, saved.annotation)
    answer: Json = {
        "annotation": saved.annotation,
        "state": saved.state,
        "lease": saved.lease,
        "findings": [tell(Hint, found, message=translate(found.message)) for found in hints],
    }
    if saved.annotation.is_stale:  # of blind answers, only that to a training image is told of
        trials = list_trials(visit, BlindTask.image_id == image_id)
        for trial in format_trials(visit, trials):
            note_trained(visit)
            progress = pick(load_progress(visit), "needed", "passed", "is_done")
            told = {"is_passed": trial["is_passed"], "note": trial["note"]}
            answer |= {"feedback": trial["says"], "training": progress | told}
    return answer, 200 if saved.is_repeated else 201


@blueprint.on_post("/images/<int:image_id>/reviews", Role.CHECKER, told=ReviewTold)
def post_review(visit: Visit, image_id: int, body: ReviewBody) -> Reply:
    """The saved verdict and the image's newest revision, or what became of it."""
    outcome = save_review(visit, image_id, body)
    if isinstance(outcome, Kept):
        return _format_conflict(outcome)
    head = load_head(visit.session, outcome.image)
    saved = {"review_id": outcome.review.id, "state": outcome.image.state, "annotation": head}
    return saved, 200 if outcome.is_repeated else 201


@blueprint.on_get("/disputes", told=_DISPUTES)
def show_disputes(visit: Visit) -> Reply:
    """Every disputed image with all that was said of it, those first that wait for a word.

    To settle one, take it with POST /tasks/check and its id, then send a review like any other.
    """
    images = visit.session.scalars(
        select(Image)
        .where(Image.state.in_(_OPEN_STATES), is_disputed(visit), Image.annotation_id.is_not(None))
        .where(Image.id.not_in(select_hidden(visit)))
        .order_by(Image.state_at, Image.id)
        .limit(MOST_DISPUTES)
        .options(selectinload(Image.annotation).selectinload(Annotation.objects))
    ).all()
    of_others = Image.id.in_([image.id for image in images]), is_checkable_by(visit)
    by_others = frozenset(visit.session.scalars(select(Image.id).where(*of_others)))
    found = [_format_dispute(visit, image, image.id in by_others) for image in images]
    return {
        "at": visit.at,
        "most_returns": visit.party.settings.qa.return_rounds,
        "disputes": sorted(found, key=lambda one: not one["may_settle"]),
    }


def _format_conflict(kept: Kept) -> Reply:
    """409 with the code, under which number the work is kept, and what is newer.

    An answer, not an error: an error would undo the transaction that keeps the work.
    """
    answer: Json = {
        "error": format_error(kept.code, CONFLICTS[kept.code]),
        "kept_as": kept.annotation.id if kept.annotation else None,
    }
    if kept.code == "stale":
        answer["head"] = kept.head
    return answer, 409


def list_rounds(session: Session, image_id: int) -> list[Json]:
    """The verdicts on an image with their comments, each with its object's class, in order."""
    judged = selectinload(Review.annotation).selectinload(Annotation.objects)
    reviews = session.scalars(
        select(Review)
        .where(Review.annotation.has(image_id=image_id), Review.set_aside_at.is_(None))
        .order_by(Review.id)
        .options(selectinload(Review.person), judged)
    )
    rounds = []
    for review in reviews:
        classes = {item.object_key: item.class_name for item in review.annotation.objects}
        words = [
            tell_verdict(item) | {"class": classes.get(item["object_key"], "")}
            for item in review.object_verdicts
            if item["comment"] or item["verdict"] == "reject"
        ]
        checker, at = display_name(review.person), review.reviewed_at
        rounds.append(tell(Round, review, checker=checker, at=at, objects=words))
    return rounds


def tell_verdict(item: Json) -> Json:
    """A verdict on one object."""
    return {"key": item["object_key"], "verdict": item["verdict"], "comment": item["comment"]}


def _format_dispute(visit: Visit, image: Image, is_by_others: bool) -> Json:
    assert image.annotation is not None
    holder = visit.session.scalar(
        select(Person)
        .join(Lease, Lease.person_id == Person.id)
        .where(Lease.image_id == image.id, IS_OF_BOXES)
    )
    is_free = image.state is ImageState.ANNOTATED
    is_mine = holder is visit.person and image.state is ImageState.CHECKING
    return format_drawn(image, image.annotation) | {
        "image_id": image.id,
        "state": image.state,
        "since": image.state_at,
        "may_settle": (is_free or is_mine) and is_by_others,
        "holder": holder,
        "author": image.annotation.person,
        "rounds": list_rounds(visit.session, image.id),
    }
