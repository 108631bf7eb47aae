"""The answers of the JSON interface (docs/api.md) as plain values."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit

from annotate_ui.errors import AnnotateError
from annotate_ui.organise.people import display_name
from annotate_ui.security import seal
from annotate_ui.work.blind import BlindLease
from catalog.box import Box
from catalog.preset import ClassSpec, Preset
from catalog.states import LeaseKind, PhotoState
from catalog.tables import Annotation, Image, Lease, Object, Part, Person, Review
from catalog.tables import Finding as FindingRow
from qa.findings import Finding

Json = dict[str, Any]


def format_moment(moment: datetime) -> str:
    """A moment as in 2026-01-31T12:00:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_moment_or_none(moment: datetime | None) -> str | None:
    """A moment, or None where there was none yet."""
    return format_moment(moment) if moment else None


def format_person(person: Person) -> Json:
    """A person as others see them."""
    return {"id": person.id, "name": display_name(person)}


def format_preset(preset: Preset) -> Json:
    """The words that the party uses."""
    return {
        "classes": [_format_class(item) for item in preset.classes],
        "views": [{"name": view, "display": view.lower()} for view in preset.views],
        "flags": [flag.name for flag in preset.flags],
        "parts": [
            {"name": part.name, "display": part.display, "most": part.max_count}
            for part in preset.parts
        ],
        "actions": [
            {"name": item.name, "display": item.display, "excludes_others": item.is_exclusive}
            for item in preset.actions
        ],
        "discard_reasons": [
            {"name": reason.key, "display": reason.display} for reason in preset.discard_reasons
        ],
    }


def format_lease(lease: Lease | BlindLease) -> Json:
    """A lease."""
    return {"id": seal(lease.id), "expires_at": format_moment(lease.expires_at)}


def format_revision(annotation: Annotation) -> Json:
    """REVISION."""
    return {
        "id": annotation.id,
        "parent_id": annotation.parent_id,
        "saved_at": format_moment(annotation.saved_at),
        "finished": annotation.is_finished,
        "discard_reason": annotation.discard_reason,
        "comment": annotation.comment or "",
        "unsure_classes": list(annotation.unsure_classes),
        "objects": [_format_object(item) for item in annotation.objects],
    }


def format_task(lease: Lease | BlindLease, head: Annotation | None, review: Review | None) -> Json:
    """A leased image with all that the page shows of it."""
    image = lease.image
    task = {
        "image_id": image.id,
        "kind": lease.kind,
        **format_picture(image),
        "photo": _format_photo(image),
        "lease": format_lease(lease),
        "annotation": format_revision(head) if head else None,
        "review": format_review(review) if review else None,
    }
    if lease.kind is LeaseKind.CHECK and head:
        task["author"] = format_person(head.person)
    return task


def format_review(review: Review) -> Json:
    """What a checker said when the work came back."""
    return {
        "comment": review.comment or "",
        "checker": display_name(review.person),
        "objects": [
            {"key": item["object_key"], "verdict": item["verdict"], "comment": item["comment"]}
            for item in review.object_verdicts
        ],
    }


def format_finding(finding: Finding) -> Json:
    """FINDING."""
    return {
        "check": finding.check,
        "severity": finding.severity,
        "object_key": finding.object_key,
        "message": finding.message,
    }


def format_found(row: FindingRow) -> Json:
    """A finding of the queue, to be judged."""
    return {
        "id": row.id,
        "check": row.check_name,
        "severity": row.severity,
        "object_key": row.object_key,
        "message": row.message,
        "verdict": row.verdict,
    }


def format_stale_setting(error: AnnotateError, head: Json) -> tuple[Json, int]:
    """409 with the version that holds."""
    return {"error": {"code": error.code, "message": str(error)}, "head": head}, error.status


def format_picture(image: Image) -> Json:
    """Where an image is found, and its size."""
    return {
        "image_url": image_url(image.sha256),
        "width": image.width,
        "height": image.height,
    }


def format_boxed(item: Object) -> Json:
    """An object as pictures with boxes show it."""
    return {"key": item.object_key, "class": item.class_name, "box": list(item.box.xyxy)}


def image_url(sha256: str) -> str:
    """Where the page finds an image."""
    return f"/images/{sha256}.jpg"


def crop_url(sha256: str, box: Box, *, is_framed: bool = False) -> str:
    """Where the page finds the crop of an object."""
    corners = "-".join(str(one) for one in box.xyxy)
    return f"/crops/{sha256}/{corners}.jpg{'?framed=1' if is_framed else ''}"


def _format_class(item: ClassSpec) -> Json:
    return {
        "name": item.name,
        "display": item.display,
        "groups": list(item.groups),
        "short_rule": item.short_rule,
        "has_views": item.has_views,
        "has_parts": item.has_parts,
        "has_actions": item.has_actions,
    }


def _format_object(item: Object) -> Json:
    return {
        "key": item.object_key,
        "class": item.class_name,
        "box": list(item.box.xyxy),
        "view": item.view,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "difficult": item.difficult,
        "unsure": item.unsure,
        "actions": list(item.actions),
        "point": None if item.point_x is None else [item.point_x, item.point_y],
        "parts": [_format_part(part) for part in item.parts],
        "drawn_secs": item.drawn_secs,
    }


def _format_part(part: Part) -> Json:
    return {"name": part.name, "box": list(part.box.xyxy)}


def _format_photo(image: Image) -> Json | None:
    photos = (photo for photo in image.photos if photo.state is not PhotoState.WITHDRAWN)
    photo = next(photos, None)
    if photo is None:
        return None
    return {
        "title": photo.title or "",
        "owner_name": photo.owner_name or "",
        "page_url": safe_url(photo.page_url),
    }


def safe_url(url: str | None) -> str | None:
    """The address where it is one of the web; a photo's source may say anything."""
    try:
        parts = urlsplit(url or "")
    except ValueError:
        return None
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    return url if is_web else None
