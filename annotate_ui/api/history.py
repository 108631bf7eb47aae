"""The revisions of an image, two of them compared, one restored; and each person's feedback."""

from __future__ import annotations

from collections import Counter, defaultdict

from flask import request
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import joinedload

from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit
from annotate_ui.work.history import (
    compare_revisions,
    format_verdict,
    load_changes,
    load_history,
    restore_revision,
)
from annotate_ui.work.remarks import format_remark, select_remarks
from catalog.states import BlindKind, ImageState, Verdict
from catalog.tables import Annotation, BlindTask, Image, Remark, Review
from qa.gold import GoldScore

from .answers import Json, format_picture
from .schemas import Id, Reply, Routes, SaveKey, each, like, parse_number, shape
from .told import Change, DrawnObject, PersonName, Picture, RemarkTold, SavedTold

blueprint = Routes("history", __name__)
_REVISIONS = "/images/<int:image_id>/revisions"
_ID = "<int:revision_id>"
PAGE = 10
MAX_REMARKS = 50
MAX_WEEKS = 26
_WEEK = "%G-W%V"  # the ISO week


VerdictTold = shape(
    "VerdictTold: a verdict without the words on single objects.",
    **like(Review, "verdict reviewed_at"),
    **each(str, "checker comment"),
    set_aside=bool,
)
RevisionLine = shape(
    """RevisionLine: a revision without its objects; stale ones are `beside` the newest.

    `corrects` is the verdict that brought it, `reviews` are those on it. `set_aside`: an organiser
    undid the person who entered it.
    """,
    **like(Annotation, "id parent_id saved_at"),
    person=PersonName,
    **each(bool, "finished beside set_aside head"),
    discarded=str | None,
    comment=str,
    objects=int,
    corrects=VerdictTold | None,
    reviews=[VerdictTold],
    releases=list[str],
)
History = shape(
    "History: the newest revisions first, at most 500; `may_restore`: a restore has a chance.",
    Picture,
    image_id=int,
    may_restore=bool,
    revisions=[RevisionLine],
)
Outcome = shape(
    "Outcome: what became of one's work; `after_id` is null until the image is finished again.",
    VerdictTold,
    image_url=str,
    **each(int, "width height review_id image_id drawn_id"),
    after_id=int | None,
    comments=[shape("ObjectComment", class_=str, text=str)],
    changes=[Change],
    same=[DrawnObject],
)
Week = shape(
    "Week: an ISO week: images judged, accepted as drawn; gold objects, and those found.",
    week=str,
    **each(int, "judged accepted gold_objects gold_found"),
)
Feedback = shape(
    "Feedback: ten verdicts; `?before=` with `next` goes on, then without weeks and remarks.",
    outcomes=[Outcome],
    next=int | None,
    weeks=[Week],
    remarks=[RemarkTold],
)
_COMPARED = {"changes": [Change], "same": [DrawnObject]}


@blueprint.on_get(_REVISIONS, *EVERYBODY, told=History)
def show(visit: Visit, image_id: int) -> Reply:
    """The revisions that the visitor may see, the newest first."""
    return load_history(visit, image_id)


@blueprint.on_get(f"{_REVISIONS}/{_ID}/compare/<int:other_id>", *EVERYBODY, told=_COMPARED)
def compare(visit: Visit, image_id: int, revision_id: int, other_id: int) -> Reply:
    """What differs from the first revision to the second, and what stayed the same."""
    changes, same = compare_revisions(visit, image_id, revision_id, other_id)
    return {"changes": changes, "same": same}


@blueprint.on_post(f"{_REVISIONS}/{_ID}/restore", *EVERYBODY, told=SavedTold)
def restore(
    visit: Visit, image_id: int, revision_id: int, *, save_key: SaveKey, head_id: Id | None
) -> Reply:
    """The new revision, as an earlier one; `head_id` is the newest that was seen.

    For who annotates the image it is a draft, for who checks it the correction that ends the check.
    Else it is finished, and the image waits to be checked or is discarded as the earlier one was.
    """
    saved = restore_revision(visit, image_id, revision_id, save_key, head_id)
    answer = {"annotation": saved.annotation, "state": saved.state}
    return answer, 200 if saved.is_repeated else 201


@blueprint.on_get("/me/feedback", *EVERYBODY, told=Feedback)
def show_feedback(visit: Visit) -> Reply:
    """What checkers corrected or returned of the visitor's work, the newest first.

    Images that were taken down and what was set aside are left out. Which images were gold is not
    told.
    """
    before_id = parse_number(request.args, "before")
    is_first = before_id is None
    rows = visit.session.execute(
        select(Review, Image)
        .join(Review.annotation)
        .join(Image, Image.id == Annotation.image_id)
        .where(
            *_list_counted(visit),
            Review.verdict.in_((Verdict.FIXED, Verdict.RETURNED)),
            Image.state != ImageState.TAKEN_DOWN,
            *([] if before_id is None else [Review.id < before_id]),
        )
        .options(joinedload(Review.person))
        .order_by(Review.id.desc())
        .limit(PAGE + 1)
    )
    found = rows.tuples().all()
    said = select_remarks(visit.person.id).order_by(Remark.id.desc()).limit(MAX_REMARKS)
    return {
        "outcomes": [_tell_outcome(visit, review, image) for review, image in found[:PAGE]],
        "next": found[PAGE - 1][0].id if len(found) > PAGE else None,
        "weeks": load_weeks(visit) if is_first else [],
        "remarks": [format_remark(*row) for row in visit.session.execute(said) if is_first],
    }


def _tell_outcome(visit: Visit, review: Review, image: Image) -> Json:
    """What the visitor drew, the verdict on it, and what it is now, if it was finished since."""
    since = (Annotation.image_id == image.id, Annotation.id > review.annotation_id)
    stands = (Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
    after_id = review.mended_annotation_id or visit.session.scalar(
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
