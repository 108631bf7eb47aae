"""The revisions of an image, two of them compared, one restored; and each person's feedback."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from flask import request

from annotate_ui.guard import EVERYBODY
from catalog.imports import load_imports
from catalog.sentences import say
from catalog.states import Beside, Verdict
from catalog.tables import Image, Review
from web.language import translate
from work.bodies import Body, Id, SaveKey
from work.feedback import Week as WeekCounts
from work.feedback import load_feedback, load_outcome
from work.history import RevisionEntry, compare_revisions, load_history
from work.restoring import ShownHead, may_restore, restore_revision
from work.visit import Visit

from .addresses import image_url
from .answers import answer_each
from .drawn import Change, DrawnObject, Picture, Revision
from .names import PersonName, Term, show_name
from .reviews import SavedRevision
from .schemas import Answer, ClassId, Reply, Routes, Shown, parse_number
from .wall import RemarkAnswer, make_remark

blueprint = Routes("history", __name__)
_REVISIONS = "/images/<int:image_id>/revisions"
_ID = "<int:revision_id>"


class RestoreBody(Body):
    """`head_id` is the newest revision that was seen, `verdict_id` the last verdict on it."""

    save_key: SaveKey
    head_id: Id | None
    verdict_id: Id | None


class VerdictAnswer(Answer):
    """A verdict without the words on single objects."""

    verdict: Verdict
    reviewed_at: datetime
    checker: str
    comment: str
    set_aside: bool


class RevisionLine(Answer):
    """A revision without its objects; `beside` says why it never was the newest.

    `corrects` is the verdict that brought it, `reviews` are those on it. `set_aside`: an organiser
    undid the person who entered it.
    """

    id: int
    parent_id: int | None
    saved_at: datetime
    person: PersonName
    finished: bool
    beside: Beside | None
    set_aside: bool
    head: bool
    discarded: Term | None
    comment: str
    objects: int
    corrects: VerdictAnswer | None
    reviews: list[VerdictAnswer]
    releases: list[str]


class History(Picture):
    """The newest revisions first, at most 500; `may_restore`: a restore has a chance.

    `verdict_id` is the last verdict on the image's newest revision, null where nobody judged it.
    """

    image_id: int
    may_restore: bool
    verdict_id: int | None
    revisions: list[RevisionLine]


class Comparison(Answer):
    """What differs between two revisions, and what stayed the same."""

    changes: list[Change]
    same: list[DrawnObject]


class ObjectComment(Answer):
    """A checker's comment on an object of the class."""

    key: str
    class_id: ClassId
    text: str


class Outcome(VerdictAnswer):
    """What became of one's work; `after_id` is null until the image is finished again.

    `may_correct`: it waits for its author. `rejected` are the keys of the objects that are wrong.
    """

    image_url: str
    width: int
    height: int
    review_id: int
    image_id: int
    drawn_id: int
    after_id: int | None
    may_correct: bool
    comments: list[ObjectComment]
    rejected: list[str]
    changes: list[Change]
    same: list[DrawnObject]


class Week(Answer):
    """An ISO week: images judged, accepted as drawn; gold objects, and those found."""

    week: str
    judged: int
    accepted: int
    gold_objects: int
    gold_found: int


class Feedback(Answer):
    """Ten verdicts; `?before=` with `next` goes on, then without weeks and remarks.

    `returned` is how many images wait for the visitor's correction.
    """

    returned: int
    outcomes: list[Outcome]
    next: int | None
    weeks: list[Week]
    remarks: list[RemarkAnswer]


@blueprint.on_get(_REVISIONS, *EVERYBODY, answers=History)
def show(visit: Visit, image_id: int) -> Reply:
    """The revisions that the visitor may see, the newest first."""
    history = load_history(visit, image_id)
    reasons = visit.party.preset.reason_displays
    imports = load_imports(visit.session)
    return History(
        image_url=image_url(history.image.sha256),
        width=history.image.width,
        height=history.image.height,
        image_id=history.image.id,
        may_restore=bool(history.revisions) and may_restore(visit, history.image),
        verdict_id=_find_verdict(history.revisions),
        revisions=[_make_line(entry, reasons, imports) for entry in history.revisions],
    )


@blueprint.on_get(f"{_REVISIONS}/{_ID}/compare/<int:other_id>", *EVERYBODY, answers=Comparison)
def compare(visit: Visit, image_id: int, revision_id: int, other_id: int) -> Reply:
    """What differs from the first revision to the second, and what stayed the same."""
    changes, same = compare_revisions(visit, image_id, revision_id, other_id)
    visit.shown.add(image_id)
    return Comparison(
        changes=[Change.model_validate(change) for change in changes],
        same=[DrawnObject.model_validate(item) for item in same],
    )


@blueprint.on_post(
    f"{_REVISIONS}/{_ID}/restore", *EVERYBODY, shows=Shown("head_id"), answers=SavedRevision
)
def restore(visit: Visit, image_id: int, revision_id: int, body: RestoreBody) -> Reply:
    """The new revision, as an earlier one.

    For who annotates the image it is a draft, for who checks it the correction that ends the check.
    Else it is finished, and the image waits to be checked or is discarded as the earlier one was.
    """
    shown = ShownHead(body.head_id, body.verdict_id)
    saved = restore_revision(visit, image_id, revision_id, body.save_key, shown)
    annotation = Revision.model_validate(saved.annotation)
    answer = SavedRevision(annotation=annotation, state=saved.state)
    return answer, 200 if saved.is_repeated else 201


@blueprint.on_get("/me/feedback", *EVERYBODY, answers=Feedback)
def show_feedback(visit: Visit) -> Reply:
    """What became of the visitor's own work."""
    feedback = load_feedback(visit, parse_number(request.args, "before"))
    return Feedback(
        returned=feedback.returned,
        outcomes=answer_each(
            visit,
            feedback.judged,
            lambda row: _make_outcome(visit, *row),
            lambda row: row[1].id,
        ),
        next=feedback.next_id,
        weeks=[_make_week(week) for week in feedback.weeks],
        remarks=[make_remark(*row) for row in feedback.remarks],
    )


def _find_verdict(revisions: Iterable[RevisionEntry]) -> int | None:
    """The last verdict on the newest revision that counts."""
    reviews = (review for entry in revisions if entry.is_head for review in entry.reviews)
    counting = (review.id for review in reviews if review.set_aside_at is None)
    return max(counting, default=None)


def _make_line(
    entry: RevisionEntry, reasons: Mapping[str, str], imports: Mapping[int, str]
) -> RevisionLine:
    """A revision of the history; `reasons` gives the words of reasons to discard.

    `imports` gives the names of what was imported by the ids of the people who stand for it.
    """
    row = entry.annotation
    return RevisionLine(
        id=row.id,
        parent_id=row.parent_id,
        saved_at=row.saved_at,
        person=PersonName.model_validate(entry.person),
        finished=row.is_finished,
        beside=entry.beside,
        set_aside=row.set_aside_at is not None,
        head=entry.is_head,
        discarded=reasons.get(row.discard_reason or "", row.discard_reason),
        comment=row.comment or "",
        objects=entry.objects,
        corrects=_make_verdict(entry.corrects, imports) if entry.corrects else None,
        reviews=[_make_verdict(review, imports) for review in entry.reviews],
        releases=list(entry.releases),
    )


def _make_verdict(review: Review, imports: Mapping[int, str]) -> VerdictAnswer:
    return VerdictAnswer(
        verdict=review.verdict,
        reviewed_at=review.reviewed_at,
        checker=show_name(review.person),
        comment=_say_comment(review, imports),
        set_aside=review.set_aside_at is not None,
    )


def _say_comment(review: Review, imports: Mapping[int, str]) -> str:
    """What the checker wrote; what an import wrote is in the language of the page."""
    if review.person_id not in imports:
        return review.comment or ""
    name = imports[review.person_id]
    written = (
        say("accepted as it came with {name}; no one here looked at it", name=name),
        say("checked before it came, by the makers of {name}", name=name),
    )
    return next(
        (translate(text) for text in written if text == review.comment), review.comment or ""
    )


def _make_outcome(visit: Visit, review: Review, image: Image) -> Outcome:
    outcome = load_outcome(visit, review, image)
    return Outcome(
        verdict=review.verdict,
        reviewed_at=review.reviewed_at,
        checker=show_name(review.person),
        comment=review.comment or "",
        set_aside=review.set_aside_at is not None,
        image_url=image_url(image.sha256),
        width=image.width,
        height=image.height,
        review_id=review.id,
        image_id=image.id,
        drawn_id=outcome.drawn_id,
        after_id=outcome.after_id,
        may_correct=outcome.may_correct,
        comments=[
            ObjectComment(key=key, class_id=class_id, text=text)
            for key, class_id, text in outcome.comments
        ],
        rejected=list(outcome.rejected),
        changes=[Change.model_validate(change) for change in outcome.changes],
        same=[DrawnObject.model_validate(item) for item in outcome.same],
    )


def _make_week(week: WeekCounts) -> Week:
    return Week(
        week=week.week,
        judged=week.judged,
        accepted=week.accepted,
        gold_objects=week.gold_objects,
        gold_found=week.gold_found,
    )
