"""What is a person's own: the images they drew, what became of them, and their preferences."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, case, exists, func, or_, select
from sqlalchemy.orm import Session, joinedload

from catalog.refusals import refuse
from catalog.sentences import say
from catalog.states import BlindKind, ImageState, Verdict
from catalog.tables import Annotation, BlindTask, Duplicate, Image, Lease, Object, Remark, Review
from qa.gold import GoldScore

from .history import Change, load_changes
from .lease_endings import IS_OF_BOXES
from .remarks import RemarkRow, select_remarks
from .tasks import count_returned
from .visit import Visit

MAX_IMAGES = 200
MAX_BYTES = 4096


@dataclass(frozen=True)
class OwnImage:
    """An image that a person drew, in the state that they know of."""

    image_id: int
    state: ImageState
    saved_at: datetime
    objects: int
    sha256: str


def list_own_images(session: Session, person_id: int) -> list[OwnImage]:
    """The newest MAX_IMAGES of the person, with their blind answers in the state of new images."""
    counted = select(func.count()).where(Object.annotation_id == Annotation.id)
    is_head = Image.annotation_id == Annotation.id
    of_blind = (BlindTask.annotation_id == Annotation.id, BlindTask.kind != BlindKind.TRAINING)
    state = case(
        (is_head, Image.state),
        (Annotation.discard_reason.is_not(None), ImageState.DISCARDED),
        (Annotation.is_finished.is_(True), ImageState.ANNOTATED),
        else_=ImageState.ANNOTATING,
    )
    rows = session.execute(
        select(
            Image.id,
            state,
            Annotation.saved_at,
            counted.correlate(Annotation).scalar_subquery(),
            Image.sha256,
        )
        .join(Image, Image.id == Annotation.image_id)
        .where(Annotation.person_id == person_id, Image.state != ImageState.TAKEN_DOWN)
        .where(or_(is_head, exists().where(*of_blind)))
        .order_by(Annotation.saved_at.desc(), Annotation.id.desc())
        .limit(MAX_IMAGES)
    )
    return [OwnImage(*row) for row in rows.tuples()]


def find_event_work(visit: Visit, image_id: int) -> Annotation | None:
    """What the visitor finished last on another image of the same event, as dedup linked them."""
    event = {image_id}
    for _ in range(2):  # directly, or through an image that both are linked to
        ends = (Duplicate.image_id, Duplicate.kept_image_id)
        is_event = (Duplicate.relation == "same_event", Duplicate.undone_at.is_(None))
        linked = select(*ends).where(*is_event, or_(*(end.in_(event) for end in ends)))
        event |= {linked_id for pair in visit.session.execute(linked) for linked_id in pair}
    others = Annotation.image_id.in_(event - {image_id})
    revisions = select(Annotation).where(others, Annotation.person_id == visit.person.id)
    finished = revisions.where(Annotation.is_finished.is_(True)).order_by(Annotation.id.desc())
    return visit.session.scalar(finished.limit(1))


def save_preferences(visit: Visit, preferences: dict[str, Any]) -> None:
    """Store them in place of the ones before; raises InvalidError where they are too large."""
    try:
        text = json.dumps(preferences, allow_nan=False)
    except ValueError:
        refuse("preferences", say("expected no number beyond 1.8e308"))
    if len(text) > MAX_BYTES:
        refuse(
            "preferences",
            say(
                "expected at most {most} bytes of JSON, got {count}",
                most=MAX_BYTES,
                count=len(text),
            ),
        )
    if "\\u0000" in text:
        refuse("preferences", say("expected no NUL characters"))
    visit.person.preferences = preferences


PAGE = 10
MAX_REMARKS = 50
MAX_WEEKS = 26
_WEEK = "%G-W%V"  # the ISO week


@dataclass(frozen=True)
class Week:
    """An ISO week of a person: images judged, accepted as drawn; gold objects, and those found."""

    week: str
    judged: int
    accepted: int
    gold_objects: int
    gold_found: int


@dataclass(frozen=True)
class Feedback:
    """A page of verdicts on a person's work; `next_id` goes on with older ones, if any.

    `returned` counts the images that wait for the person's correction.
    """

    returned: int
    judged: Sequence[tuple[Review, Image]]
    next_id: int | None
    weeks: Sequence[Week]
    remarks: Sequence[RemarkRow]


@dataclass(frozen=True)
class Outcome:
    """What became of a revision: `after_id` is what it is now, None until it is finished again.

    `comments` are those on single objects, each with the object's key and class, and `rejected` the
    keys of the objects that are wrong. `may_correct`: the image waits for its author,
    or they have it open.
    """

    drawn_id: int
    after_id: int | None
    may_correct: bool
    comments: Sequence[tuple[str, str, str]]
    rejected: Sequence[str]
    changes: Sequence[Change]
    same: Sequence[Object]


def load_feedback(visit: Visit, before_id: int | None = None) -> Feedback:
    """What checkers corrected or returned of the visitor's work, the newest first, PAGE at a time.

    Images that were taken down and what was set aside are left out. Which images were gold is not
    told. Older outcomes come without weeks and remarks.
    """
    of_visitor = (
        select(Review, Image)
        .join(Review.annotation)
        .join(Image, Image.id == Annotation.image_id)
        .where(
            *_list_counted(visit),
            Review.verdict.in_((Verdict.FIXED, Verdict.RETURNED)),
            Image.state != ImageState.TAKEN_DOWN,
        )
        .options(joinedload(Review.person))
        .order_by(Review.id.desc())
        .limit(PAGE + 1)
    )
    if before_id is not None:
        of_visitor = of_visitor.where(Review.id < before_id)
    judged = visit.session.execute(of_visitor).tuples().all()
    is_first = before_id is None
    return Feedback(
        returned=count_returned(visit),
        judged=judged[:PAGE],
        next_id=judged[PAGE - 1][0].id if len(judged) > PAGE else None,
        weeks=load_weeks(visit) if is_first else [],
        remarks=_list_remarks(visit) if is_first else [],
    )


def _list_remarks(visit: Visit) -> Sequence[RemarkRow]:
    """The newest MAX_REMARKS to the visitor."""
    remarks = select_remarks(visit.person.id).order_by(Remark.id.desc()).limit(MAX_REMARKS)
    return visit.session.execute(remarks).tuples().all()


def load_outcome(visit: Visit, review: Review, image: Image) -> Outcome:
    """What the visitor drew, the verdict on it, and what it is now, if it was finished since."""
    since = (Annotation.image_id == image.id, Annotation.id > review.annotation_id)
    stands = (Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
    after_id = review.fixed_annotation_id or visit.session.scalar(
        select(func.min(Annotation.id)).where(*since, *stands)
    )
    drawn_id = review.annotation_id
    changes, same = load_changes(visit, drawn_id, after_id or drawn_id)
    classes = {item.object_key: item.class_today for item in same}
    classes |= {change.key: change.before.class_today for change in changes if change.before}
    verdicts = review.object_verdicts
    return Outcome(
        drawn_id=drawn_id,
        after_id=after_id,
        may_correct=after_id is None and _is_with(visit, image),
        comments=[
            (item["object_key"], classes.get(item["object_key"], ""), item["comment"])
            for item in verdicts
            if item["comment"]
        ],
        rejected=[item["object_key"] for item in verdicts if item["verdict"] == "reject"],
        changes=changes,
        same=same,
    )


def _is_with(visit: Visit, image: Image) -> bool:
    """Whether a returned image waits, or the visitor has it open."""
    of_visitor = (Lease.image_id == image.id, Lease.person_id == visit.person.id, IS_OF_BOXES)
    is_open = image.state is ImageState.ANNOTATING and visit.session.scalar(
        select(exists().where(*of_visitor))
    )
    return image.state is ImageState.RETURNED or bool(is_open)


def load_weeks(visit: Visit) -> list[Week]:
    """The last MAX_WEEKS weeks in order."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    judged = select(Review.reviewed_at, Review.verdict).join(Review.annotation)
    for at, verdict in visit.session.execute(judged.where(*_list_counted(visit))).tuples():
        counts[f"{at:{_WEEK}}"].update(judged=1, accepted=int(verdict is Verdict.ACCEPT))
    mine = (BlindTask.person_id == visit.person.id, BlindTask.kind == BlindKind.GOLD)
    scores = select(BlindTask.finished_at, BlindTask.score).where(*mine)
    for finished_at, values in visit.session.execute(scores).tuples():
        if finished_at is not None and values is not None:
            score = GoldScore(**values)
            week = counts[f"{finished_at:{_WEEK}}"]
            week.update(gold_objects=score.objects, gold_found=score.found)
    return [
        Week(
            week=name,
            judged=counts[name]["judged"],
            accepted=counts[name]["accepted"],
            gold_objects=counts[name]["gold_objects"],
            gold_found=counts[name]["gold_found"],
        )
        for name in sorted(counts)[-MAX_WEEKS:]
    ]


def _list_counted(visit: Visit) -> tuple[ColumnElement[bool], ...]:
    """What holds of verdicts on the visitor's work that no undo set aside."""
    counts = (Annotation.set_aside_at.is_(None), Review.set_aside_at.is_(None))
    return (Annotation.person_id == visit.person.id, *counts)
