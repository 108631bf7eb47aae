"""What is a person's own: the images they drew, what became of them, and their preferences."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, case, func, select, update
from sqlalchemy.orm import Session, joinedload

from annotate_ui.api.answers import image_url
from annotate_ui.errors import InvalidError
from annotate_ui.organise.people import display_name
from annotate_ui.visit import Visit
from catalog.states import BlindKind, ImageState, Verdict
from catalog.tables import Annotation, BlindTask, Image, Object, Person, Remark, Review
from qa.gold import parse_score

from .history import Change, ObjectJson, load_changes

MAX_IMAGES = 200
MAX_BYTES = 4096
MAX_DEPTH = 8


@dataclass(frozen=True)
class OwnImage:
    """An image and the person's newest revision of it."""

    image_id: int
    state: ImageState
    saved_at: datetime
    sha256: str
    objects: int


def list_own_images(session: Session, person_id: int) -> list[OwnImage]:
    """The images whose newest revision is the person's, newest first, at most MAX_IMAGES.

    What they drew blind is among them, in the state that a new image would have.
    """
    counted = select(func.count()).where(Object.annotation_id == Annotation.id)
    objects = counted.correlate(Annotation).scalar_subquery()
    as_new = case(
        (Annotation.discard_reason.is_not(None), ImageState.DISCARDED.value),
        (Annotation.is_finished.is_(True), ImageState.ANNOTATED.value),
        else_=ImageState.ANNOTATING.value,
    )
    columns = (Annotation.saved_at, Image.sha256, objects)
    heads = select(Image.id, Image.state, *columns).join(
        Annotation, Image.annotation_id == Annotation.id
    )
    blind = (
        select(Image.id, as_new, *columns)
        .join(BlindTask, BlindTask.image_id == Image.id)
        .join(Annotation, BlindTask.annotation_id == Annotation.id)
        .where(BlindTask.person_id == person_id, BlindTask.kind != BlindKind.TRAINING)
    )
    own: list[OwnImage] = []
    for chosen in (heads, blind):
        shown = (Annotation.person_id == person_id, Image.state != ImageState.TAKEN_DOWN)
        newest = chosen.where(*shown).order_by(Annotation.id.desc()).limit(MAX_IMAGES)
        own += [
            OwnImage(image_id, ImageState(state), *rest)
            for image_id, state, *rest in session.execute(newest)
        ]
    return sorted(own, key=lambda one: one.saved_at, reverse=True)[:MAX_IMAGES]


def load_preferences(visit: Visit) -> dict[str, Any]:
    """What the pages stored last, or nothing; the server makes no use of it."""
    stored = select(Person.preferences).where(Person.id == visit.person.id)
    return visit.session.scalar(stored) or {}


def save_preferences(visit: Visit, preferences: dict[str, Any]) -> None:
    """Store them in place of the ones before; raises InvalidError where they are too large."""
    size = len(json.dumps(preferences, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    problem = None
    if size > MAX_BYTES:
        problem = f"at most {MAX_BYTES} bytes of JSON, got {size}"
    elif _depth_of(preferences) > MAX_DEPTH:
        problem = f"at most {MAX_DEPTH} levels"
    elif "\\u0000" in json.dumps(preferences):
        problem = "no NUL characters"
    if problem:
        raise InvalidError(f"preferences is wrong: expected {problem}.", field="preferences")
    statement = update(Person).where(Person.id == visit.person.id).values(preferences=preferences)
    visit.session.execute(statement.execution_options(synchronize_session=False))


def _depth_of(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max((_depth_of(item) for item in inner), default=0)


PAGE = 10
MAX_REMARKS = 50
MAX_WEEKS = 26


@dataclass(frozen=True)
class Outcome:
    """A verdict that changed something: what the visitor drew, and what it is now.

    `after_id` is None where the image went back and nobody finished it since. `comments` are those
    on single objects, each with the class.
    """

    review: Review
    image: Image
    after_id: int | None
    comments: Sequence[tuple[str, str]]
    changes: Sequence[Change]
    same: Sequence[ObjectJson]


@dataclass
class Week:
    """A week of the visitor's: images judged and accepted as drawn; gold objects found, of all."""

    week: str
    judged: int = 0
    accepted: int = 0
    gold_objects: int = 0
    gold_found: int = 0


@dataclass(frozen=True)
class Feedback:
    """All of it; `next_id` goes on with older outcomes, None where there are no more."""

    outcomes: Sequence[Outcome]
    next_id: int | None
    weeks: Sequence[Week] = field(default_factory=tuple)
    remarks: Sequence[tuple[Remark, str | None, str]] = field(default_factory=tuple)


def load_feedback(visit: Visit, before_id: int | None = None) -> Feedback:
    """What checkers corrected or returned of the visitor's work, the newest first, PAGE at a time.

    Images that were taken down and what was set aside are left out. Which images were gold is not
    told.
    """
    rows = visit.session.execute(
        select(Review, Image)
        .join(Review.annotation)
        .join(Image, Image.id == Annotation.image_id)
        .where(
            *_list_counted(visit),
            Review.verdict.in_((Verdict.MENDED, Verdict.RETURNED)),
            Image.state != ImageState.TAKEN_DOWN,
            *([Review.id < before_id] if before_id is not None else []),
        )
        .options(joinedload(Review.person))
        .order_by(Review.id.desc())
        .limit(PAGE + 1)
    )
    found = rows.tuples().all()
    outcomes = [_make_outcome(visit, review, image) for review, image in found[:PAGE]]
    next_id = found[PAGE - 1][0].id if len(found) > PAGE else None
    if before_id is not None:
        return Feedback(outcomes, next_id)
    return Feedback(outcomes, next_id, _load_weeks(visit), _load_remarks(visit))


def _make_outcome(visit: Visit, review: Review, image: Image) -> Outcome:
    since = (Annotation.image_id == image.id, Annotation.id > review.annotation_id)
    stands = (Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
    after_id = review.mended_annotation_id or visit.session.scalar(
        select(func.min(Annotation.id)).where(*since, *stands)
    )
    before_id = review.annotation_id
    changes, same = load_changes(visit.session, before_id, after_id or before_id)
    classes = {item["key"]: item["class"] for item in same}
    classes |= {one.key: one.before["class"] for one in changes if one.before}
    said = (it for it in review.object_verdicts if it["comment"])
    comments = [(classes.get(it["object_key"], ""), it["comment"]) for it in said]
    return Outcome(review, image, after_id, comments, changes, same)


def _load_weeks(visit: Visit) -> list[Week]:
    """The weeks in which something was judged, the last MAX_WEEKS of them, in order."""
    weeks: dict[str, Week] = {}
    judged = select(Review.reviewed_at, Review.verdict).join(Review.annotation)
    for at, verdict in visit.session.execute(judged.where(*_list_counted(visit))).tuples():
        week = weeks.setdefault(_name_week(at), Week(_name_week(at)))
        week.judged += 1
        week.accepted += verdict is Verdict.ACCEPT
    mine = (BlindTask.person_id == visit.person.id, BlindTask.kind == BlindKind.GOLD)
    scores = select(BlindTask.finished_at, BlindTask.score).where(*mine)
    for finished_at, values in visit.session.execute(scores).tuples():
        if finished_at is not None and values is not None:
            name, score = _name_week(finished_at), parse_score(values)
            week = weeks.setdefault(name, Week(name))
            week.gold_objects += score.objects
            week.gold_found += score.found
    return [weeks[name] for name in sorted(weeks)[-MAX_WEEKS:]]


def _list_counted(visit: Visit) -> tuple[ColumnElement[bool], ...]:
    """What holds of verdicts on the visitor's work that no undo set aside."""
    counts = (Annotation.set_aside_at.is_(None), Review.set_aside_at.is_(None))
    return (Annotation.person_id == visit.person.id, *counts)


def _name_week(at: datetime) -> str:
    """The ISO week of a moment, as in 2026-W05."""
    year, week, _day = at.isocalendar()
    return f"{year}-W{week:02}"


def _load_remarks(visit: Visit) -> list[tuple[Remark, str | None, str]]:
    """The newest remarks to the visitor, with the image's address and who wrote."""
    rows = visit.session.execute(
        select(Remark, Image, Person)
        .join(Image, Image.id == Remark.image_id)
        .join(Person, Person.id == Remark.person_id)
        .where(Remark.to_person_id == visit.person.id, Remark.set_aside_at.is_(None))
        .where(Image.state != ImageState.TAKEN_DOWN)
        .order_by(Remark.id.desc())
        .limit(MAX_REMARKS)
    )
    found = rows.tuples()
    return [(it, image_url(image.sha256), display_name(writer)) for it, image, writer in found]
