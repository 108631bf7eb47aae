"""release.json: for each image of a release where it came from and who made its annotation.

It lies beside the VOC tree, never in it. It holds no time but those in the catalogue, so that the
same release gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from catalog.states import Split

from .blind import seal, seal_all
from .plan import PlannedImage, ReleasePlan
from .recipe import FORMAT as RELEASE_FORMAT
from .rows import ObjectRow, PersonRow, PhotoRow, ReviewRow, RevisionRow

FORMAT = 1


def format_manifest(plan: ReleasePlan) -> str:
    """The manifest's text: one JSON document, with a line for each image."""
    head = {
        "format": FORMAT,
        "release": plan.name,
        "year": plan.year,
        "settings": plan.recipe.to_json(),
        "withdrawn": list(plan.withdrawn),
        **_notes(plan),
    }
    shown = {image.public_id for image in plan.annotated}
    images = ",\n".join(
        _dump(_image(image) if image.public_id in shown else _blind_image(plan, image))
        for image in plan.images
    )
    return f'{_dump(head).removesuffix("}")}, "images": [\n{images}\n]}}\n'


def _dump(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _notes(plan: ReleasePlan) -> dict[str, Any]:
    """How the release came about; where its test set was held back, what that can be held to."""
    notes: dict[str, Any] = {}
    if plan.recipe.format >= RELEASE_FORMAT:
        notes = {"extends": plan.notes.extends, "forced": list(plan.notes.forced)}
    salt = plan.notes.blind_salt
    if salt is None:
        return notes
    seals = {it.public_id: _seal(plan, it) for it in plan.images if it.split is Split.TEST}
    opening = {} if plan.is_blind else {"salt": salt}
    return {**notes, "blind": {"is_open": not plan.is_blind, "seal": seal_all(seals), **opening}}


def _blind_image(plan: ReleasePlan, image: PlannedImage) -> dict[str, Any]:
    """No source, no size, no digest of a file that somebody may know: a seal alone."""
    return {"id": image.public_id, "set": image.split.value, "seal": _seal(plan, image)}


def _seal(plan: ReleasePlan, image: PlannedImage) -> str:
    return seal(plan.notes.blind_salt or "", image.public_id, plan.annotation(image).encode())


def _image(image: PlannedImage) -> dict[str, Any]:
    row = image.row
    return {
        "id": image.public_id,
        "set": image.split.value,
        "sha256": image.jpeg_sha256,
        "stored_sha256": row.sha256,
        "original_sha256": row.original_sha256,
        "photos": [_photo(photo) for photo in row.photos],
        "revision": row.annotation_id,
        "objects": [
            {
                "number": number,
                "class": item.class_name,
                "drawn_in": find_drawn_in(row.revisions, item),
            }
            for number, item in enumerate(row.objects, start=1)
        ],
        "revisions": [_revision(revision) for revision in row.revisions],
        "reviews": [_review(review) for review in row.reviews],
    }


def find_drawn_in(revisions: Sequence[RevisionRow], item: ObjectRow) -> int:
    """The revision in which the object got its class and box as they are released.

    `revisions` are the released one and those that it grew from, newest first.
    """
    drawn_in = revisions[0].id
    for revision in revisions[1:]:
        earlier = {it.object_key: it for it in revision.objects}.get(item.object_key)
        if earlier is None or (earlier.class_name, earlier.box) != (item.class_name, item.box):
            break
        drawn_in = revision.id
    return drawn_in


def _photo(photo: PhotoRow) -> dict[str, Any]:
    return {
        "source": photo.source.value,
        "source_id": photo.source_id,
        "owner_id": photo.owner_id,
        "owner_name": photo.owner_name,
        "title": photo.title,
        "licence": {
            "id": photo.licence_id,
            "name": photo.licence_name,
            "url": photo.licence_url,
        },
        "page_url": photo.page_url,
        "query": {"class": photo.query_class, "keyword": photo.query_keyword},
        "window": {"start_at": _time(photo.window_start_at), "end_at": _time(photo.window_end_at)},
    }


def _revision(revision: RevisionRow) -> dict[str, Any]:
    return {
        "id": revision.id,
        "parent_id": revision.parent_id,
        "person": _person(revision.person),
        "saved_at": _time(revision.saved_at),
    }


def _review(review: ReviewRow) -> dict[str, Any]:
    return {
        "id": review.id,
        "revision": review.annotation_id,
        "verdict": review.verdict.value,
        "mended_in": review.mended_annotation_id,
        "person": _person(review.person),
        "reviewed_at": _time(review.reviewed_at),
    }


def _person(person: PersonRow) -> dict[str, Any]:
    return {"name": person.name, "is_simulated": person.is_simulated}


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat().replace("+00:00", "Z")
