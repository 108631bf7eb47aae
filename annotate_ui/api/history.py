"""The revisions of an image, two of them compared, one restored; and each person's feedback."""

from __future__ import annotations

from flask import request

from catalog.tables import Annotation, Review
from web.guard import EVERYBODY
from work.bodies import Id, SaveKey
from work.feedback import load_feedback
from work.history import compare_revisions, load_history, restore_revision
from work.visit import Visit

from .format_history import format_feedback, format_history
from .schemas import Reply, Routes, each, like, parse_number, shape
from .told import Change, DrawnObject, PersonName, Picture, RemarkTold, SavedTold

blueprint = Routes("history", __name__)
_REVISIONS = "/images/<int:image_id>/revisions"
_ID = "<int:revision_id>"


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
    return format_history(visit, load_history(visit, image_id))


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
    """What became of the visitor's own work."""
    return format_feedback(visit, load_feedback(visit, parse_number(request.args, "before")))
