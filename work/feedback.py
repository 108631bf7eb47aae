"""What is a person's own: the images they drew, what became of them, and their preferences."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

from sqlalchemy import ColumnElement, case, exists, func, or_, select
from sqlalchemy.orm import Session, joinedload

from annotate_ui.api.answers import Json, format_picture, image_url, pick, tell_each
from catalog.refusals import refuse
from catalog.states import BlindKind, ImageState, Verdict
from catalog.tables import Annotation, BlindTask, Duplicate, Image, Object, Remark, Review
from qa.gold import GoldScore
from work.visit import Visit

from .history import format_verdict, load_changes
from .remarks import format_remark, select_remarks

MAX_IMAGES = 200
MAX_BYTES = 4096


def list_own_images(session: Session, person_id: int) -> list[Json]:
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
            Image.id.label("image_id"),
            state.label("state"),
            Annotation.saved_at,
            counted.correlate(Annotation).scalar_subquery().label("objects"),
            Image.sha256,
        )
        .join(Image, Image.id == Annotation.image_id)
        .where(Annotation.person_id == person_id, Image.state != ImageState.TAKEN_DOWN)
        .where(or_(is_head, exists().where(*of_blind)))
        .order_by(Annotation.saved_at.desc(), Annotation.id.desc())
        .limit(MAX_IMAGES)
    )
    return [
        pick(row, "image_id", "state", "saved_at", "objects") | {"image_url": image_url(row.sha256)}
        for row in rows
    ]


def find_event_work(visit: Visit, image_id: int) -> Annotation | None:
    """What the visitor finished last on another image of the same event, as dedup linked them."""
    event = {image_id}
    for _ in range(2):  # directly, or through an image that both are linked to
        ends = (Duplicate.image_id, Duplicate.kept_image_id)
        is_event = (Duplicate.relation == "same_event", Duplicate.undone_at.is_(None))
        linked = select(*ends).where(*is_event, or_(*(end.in_(event) for end in ends)))
        event |= {one for pair in visit.session.execute(linked) for one in pair}
    others = Annotation.image_id.in_(event - {image_id})
    own = select(Annotation).where(others, Annotation.person_id == visit.person.id)
    finished = own.where(Annotation.is_finished.is_(True)).order_by(Annotation.id.desc())
    return visit.session.scalar(finished.limit(1))


def save_preferences(visit: Visit, preferences: dict[str, Any]) -> None:
    """Store them in place of the ones before; raises InvalidError where they are too large."""
    try:
        text = json.dumps(preferences, allow_nan=False)
    except ValueError:
        refuse("preferences", "expected no number beyond 1.8e308")
    if len(text) > MAX_BYTES:
        refuse("preferences", f"expected at most {MAX_BYTES} bytes of JSON, got {len(text)}")
    if "\\u0000" in text:
        refuse("preferences", "expected no NUL characters")
    visit.person.preferences = preferences


PAGE = 10
MAX_REMARKS = 50
MAX_WEEKS = 26
_WEEK = "%G-W%V"  # the ISO week


def load_feedback(visit: Visit, before_id: int | None = None) -> Json:
    """What checkers corrected or returned of the visitor's work, the newest first, PAGE at a time.

    `next` goes on with older outcomes. Images that were taken down and what was set aside are left
    out. Which images were gold is not told.
    """
    rows = visit.session.execute(
        select(Review, Image)
        .join(Review.annotation)
        .join(Image, Image.id == Annotation.image_id)
        .where(
            *_list_counted(visit),
            Review.verdict.in_((Verdict.FIXED, Verdict.RETURNED)),
            Image.state != ImageState.TAKEN_DOWN,
            *([Review.id < before_id] if before_id is not None else []),
        )
        .options(joinedload(Review.person))
        .order_by(Review.id.desc())
        .limit(PAGE + 1)
    )
    found = rows.tuples().all()
    is_first = before_id is None
    said = select_remarks(visit.person.id).order_by(Remark.id.desc()).limit(MAX_REMARKS)
    return {
        "outcomes": tell_each(
            visit, found[:PAGE], lambda row: _make_outcome(visit, *row), lambda row: row[1].id
        ),
        "next": found[PAGE - 1][0].id if len(found) > PAGE else None,
        "weeks": load_weeks(visit) if is_first else [],
        "remarks": [format_remark(*row) for row in visit.session.execute(said) if is_first],
    }


def _make_outcome(visit: Visit, review: Review, image: Image) -> Json:
    """What the visitor drew, the verdict on it, and what it is now, if it was finished since."""
    since = (Annotation.image_id == image.id, Annotation.id > review.annotation_id)
    stands = (Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
    after_id = review.fixed_annotation_id or visit.session.scalar(
        select(func.min(Annotation.id)).where(*since, *stands)
    )
    before_id = review.annotation_id
    changes, same = load_changes(visit.session, before_id, after_id or before_id)
    classes = {item["key"]: item["class"] for item in same}
    classes |= {one.key: one.before["class"] for one in changes if one.before}
    return {
        "review_id": review.id,
        "image_id": image.id,
        **format_picture(image),
        "drawn_id": before_id,
        "after_id": after_id,
        **format_verdict(review),
        "comments": [
            {"class": classes.get(it["object_key"], ""), "text": it["comment"]}
            for it in review.object_verdicts
            if it["comment"]
        ],
        "changes": changes,
        "same": same,
    }


def load_weeks(visit: Visit) -> list[Json]:
    """The last MAX_WEEKS weeks in order: images judged, accepted as drawn; gold objects found."""
    weeks: dict[str, Counter[str]] = defaultdict(Counter)
    judged = select(Review.reviewed_at, Review.verdict).join(Review.annotation)
    for at, verdict in visit.session.execute(judged.where(*_list_counted(visit))).tuples():
        weeks[f"{at:{_WEEK}}"].update(judged=1, accepted=int(verdict is Verdict.ACCEPT))
    mine = (BlindTask.person_id == visit.person.id, BlindTask.kind == BlindKind.GOLD)
    scores = select(BlindTask.finished_at, BlindTask.score).where(*mine)
    for finished_at, values in visit.session.execute(scores).tuples():
        if finished_at is not None and values is not None:
            score = GoldScore(**values)
            found = {"gold_objects": score.objects, "gold_found": score.found}
            weeks[f"{finished_at:{_WEEK}}"].update(found)
    counted = ("judged", "accepted", "gold_objects", "gold_found")
    return [
        {"week": name} | {key: weeks[name][key] for key in counted}
        for name in sorted(weeks)[-MAX_WEEKS:]
    ]


def _list_counted(visit: Visit) -> tuple[ColumnElement[bool], ...]:
    """What holds of verdicts on the visitor's work that no undo set aside."""
    counts = (Annotation.set_aside_at.is_(None), Review.set_aside_at.is_(None))
    return (Annotation.person_id == visit.person.id, *counts)
