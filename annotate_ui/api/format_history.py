"""Revisions, what differs between two, feedback and remarks as answers tell them."""

from __future__ import annotations

from catalog.tables import Image, Person, Remark, Review
from work.feedback import Feedback, OwnImage, load_outcome
from work.history import History, RevisionEntry
from work.people import display_name
from work.visit import Visit

from .answers import Json, format_person, format_picture, image_url, pick, tell_each


def format_history(visit: Visit, history: History) -> Json:
    """An image and its revisions."""
    reasons = visit.party.preset.reason_displays
    return {
        "image_id": history.image.id,
        **format_picture(history.image),
        "may_restore": history.may_restore,
        "revisions": [_format_entry(entry, reasons) for entry in history.revisions],
    }


def _format_entry(entry: RevisionEntry, reasons: dict[str, str]) -> Json:
    row = entry.annotation
    return {
        **pick(row, "id", "parent_id", "saved_at", finished="is_finished"),
        "person": format_person(entry.person),
        "beside": entry.is_beside,
        "set_aside": row.set_aside_at is not None,
        "head": entry.is_head,
        "discarded": reasons.get(row.discard_reason or "", row.discard_reason),
        "comment": row.comment or "",
        "objects": entry.objects,
        "corrects": entry.corrects and format_verdict(entry.corrects),
        "reviews": [format_verdict(review) for review in entry.reviews],
        "releases": list(entry.releases),
    }


def format_verdict(review: Review) -> Json:
    """A verdict as its history has it, without the words on single objects."""
    return {
        **pick(review, "verdict", "reviewed_at"),
        "checker": display_name(review.person),
        "comment": review.comment or "",
        "set_aside": review.set_aside_at is not None,
    }


def format_feedback(visit: Visit, feedback: Feedback) -> Json:
    """What became of a person's own work."""
    outcomes = tell_each(
        visit, feedback.judged, lambda row: _format_outcome(visit, *row), lambda row: row[1].id
    )
    return {
        "outcomes": outcomes,
        "next": feedback.next_id,
        "weeks": feedback.weeks,
        "remarks": [format_remark(*row) for row in feedback.remarks],
    }


def _format_outcome(visit: Visit, review: Review, image: Image) -> Json:
    outcome = load_outcome(visit, review, image)
    return {
        "review_id": review.id,
        "image_id": image.id,
        **format_picture(image),
        **format_verdict(review),
        "comments": [{"class": name, "text": text} for name, text in outcome.comments],
        **pick(outcome, "drawn_id", "after_id", "changes", "same"),
    }


def format_remark(remark: Remark, image: Image, writer: Person) -> Json:
    """A remark as its reader sees it."""
    words = pick(remark, "id", "image_id", "text", "written_at", "seen_at", "object_key")
    return words | {"image_url": image_url(image.sha256), "from": display_name(writer)}


def format_own_image(image: OwnImage) -> Json:
    """One of the visitor's images."""
    shown = pick(image, "image_id", "state", "saved_at", "objects")
    return shown | {"image_url": image_url(image.sha256)}
