"""The revisions of an image, two of them compared, one restored; and each person's feedback."""

from __future__ import annotations

from flask import request

from annotate_ui.organise.people import display_name
from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit
from annotate_ui.work.feedback import Outcome, load_feedback
from annotate_ui.work.history import Shown, compare_revisions, load_history
from annotate_ui.work.remarks import keep_submitted
from annotate_ui.work.restore import restore_revision
from catalog.preset import Preset
from catalog.tables import Remark, Review

from .answers import Json, format_person, format_picture, format_revision, pick
from .schemas import Body, Id, Reply, Routes, SaveKey, parse_number

blueprint = Routes("history", __name__)
_REVISIONS = "/images/<int:image_id>/revisions"
_ID = "<int:revision_id>"


class RestoreBody(Body):
    """POST /images/ID/revisions/ID/restore; `head_id` is the newest revision that was seen."""

    save_key: SaveKey
    head_id: Id | None


@blueprint.on_get(_REVISIONS, *EVERYBODY)
def show(visit: Visit, image_id: int) -> Reply:
    """The revisions that the visitor may see, the newest first."""
    history = load_history(visit, image_id)
    return {
        "image_id": history.image.id,
        **format_picture(history.image),
        "may_restore": history.may_restore,
        "revisions": [_format_shown(one, visit.party.preset) for one in history.revisions],
    }


@blueprint.on_get(f"{_REVISIONS}/{_ID}/compare/<int:other_id>", *EVERYBODY)
def compare(visit: Visit, image_id: int, revision_id: int, other_id: int) -> Reply:
    """What differs from the first revision to the second, and what stayed the same."""
    changes, same = compare_revisions(visit, image_id, revision_id, other_id)
    return {"changes": changes, "same": same}


@blueprint.on_post(f"{_REVISIONS}/{_ID}/restore", *EVERYBODY)
def restore(visit: Visit, image_id: int, revision_id: int, body: RestoreBody) -> Reply:
    """The new revision with the content of an earlier one."""
    saved = restore_revision(visit, image_id, revision_id, body.save_key, body.head_id)
    if not saved.is_repeated:
        keep_submitted(visit, saved.image, saved.annotation)
    answer = {"annotation": format_revision(saved.annotation), "state": saved.state}
    return answer, 200 if saved.is_repeated else 201


@blueprint.on_get("/me/feedback", *EVERYBODY)
def show_feedback(visit: Visit) -> Reply:
    """What became of the visitor's own work."""
    feedback = load_feedback(visit, parse_number(request.args, "before"))
    return {
        "outcomes": [_format_outcome(one) for one in feedback.outcomes],
        "next": feedback.next_id,
        "weeks": feedback.weeks,
        "remarks": [_format_remark(*row) for row in feedback.remarks],
    }


def _format_shown(shown: Shown, preset: Preset) -> Json:
    it = shown.annotation
    return {
        **pick(it, "id", "parent_id", "saved_at"),
        "person": format_person(it.person),
        "finished": it.is_finished,
        "beside": shown.is_beside,
        "set_aside": it.set_aside_at is not None,
        "head": shown.is_head,
        "discarded": preset.reason_displays.get(it.discard_reason or "", it.discard_reason),
        "comment": it.comment or "",
        "objects": shown.objects,
        "corrects": _format_review(shown.corrects) if shown.corrects else None,
        "reviews": [_format_review(one) for one in shown.reviews],
        "releases": list(shown.releases),
    }


def _format_review(review: Review) -> Json:
    return {
        **pick(review, "verdict", "reviewed_at"),
        "checker": display_name(review.person),
        "comment": review.comment or "",
        "set_aside": review.set_aside_at is not None,
    }


def _format_outcome(one: Outcome) -> Json:
    return {
        "review_id": one.review.id,
        "image_id": one.image.id,
        **format_picture(one.image),
        "drawn_id": one.review.annotation_id,
        "after_id": one.after_id,
        **_format_review(one.review),
        "comments": [{"class": name, "text": text} for name, text in one.comments],
        "changes": one.changes,
        "same": one.same,
    }


def _format_remark(remark: Remark, image_url: str | None, who: str) -> Json:
    return {
        **pick(remark, "id", "image_id", "text", "written_at", "seen_at"),
        "image_url": image_url,
        "from": who,
    }
