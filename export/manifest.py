"""release.json: where each image of a release came from, and what people said of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

from catalog.annotated import GROUP_OF, AnnotatedObject
from catalog.image_store import digest_of
from vockit.verify.seals import join_digests, seal

from .fields import count_fields
from .plan import PlannedImage, ReleasePlan
from .rows import DrawingRow, PhotoRow, ReviewRow
from .suggestions import find_detector, find_way, format_suggestions


def format_manifest(plan: ReleasePlan) -> str:
    """The manifest's text: one JSON document, with a line for each image."""
    notes: dict[str, Any] = {"extends": plan.notes.extends, "forced": plan.notes.forced}
    if plan.notes.corrections:
        shown = {image.public_id for image in plan.annotated}
        corrections = [
            correction for correction in plan.notes.corrections if correction["image_id"] in shown
        ]
        notes |= {"corrects": plan.notes.corrects, "corrections": corrections}
    hidden = {image.public_id for image in plan.images if plan.hides(image)}
    for name, left_out in (("unbound", plan.notes.unbound), ("torn", plan.notes.torn)):
        if left_out:
            notes[name] = [image for image in left_out if hidden.isdisjoint(image["kept"])]
    if plan.notes.images_without_file:
        notes["images_without_file"] = plan.notes.images_without_file
    if plan.notes.blind_salt is not None:
        seals = {
            image.public_id: _seal(plan, image) for image in plan.images if image.split.is_test
        }
        sealed = digest_of(join_digests(seals))
        notes["blind"] = {"is_open": not plan.is_blind, "seal": sealed}
        notes["blind"] |= {} if plan.is_blind else {"salt": plan.notes.blind_salt}
    head = {
        "format": 1,
        "release": plan.name,
        "year": plan.year,
        "settings": plan.recipe.to_json(),
        "about": plan.notes.about,
        "part": plan.notes.part,
        "sampling": plan.facts.get("target") if _is_searched(plan) else None,
        **_format_tables(plan),
        **({"digest": plan.notes.digest} if plan.notes.digest else {}),
        "withdrawn": plan.withdrawn,
        **_format_fields(plan),
        **format_suggestions(plan),
        **notes,
    }
    return format_document(head, {"images": (_image(plan, image) for image in plan.images)})


def _is_searched(plan: ReleasePlan) -> bool:
    """Whether a search found any photograph of the release."""
    return any(photo.query_class for image in plan.images for photo in image.row.photos)


def _format_tables(plan: ReleasePlan) -> dict[str, Any]:
    """The tables of photographs that the party collected from; nothing where there was none."""
    listed = (plan.notes.facts or {}).get("tables")
    return {"tables": listed} if listed else {}


def _format_fields(plan: ReleasePlan) -> dict[str, Any]:
    """Of how many objects people decided each field; nothing of what came with a tree alone."""
    if plan.notes.facts is None:
        return {}
    fields = {
        count.name: {
            "decided": count.decided,
            "imported": count.imported,
            "objects": count.objects,
        }
        for count in count_fields(plan)
    }
    return {"fields": fields}


def format_document(head: Mapping[str, Any], lists: Mapping[str, Iterable[Any]]) -> str:
    """One JSON document with a line for each element of the lists."""
    encoder = json.JSONEncoder(
        ensure_ascii=False, default=lambda value: value.isoformat().replace("+00:00", "Z")
    )
    dump = encoder.encode
    parts = [dump(head).removesuffix("}")]
    parts += [
        f'"{name}": [\n' + ",\n".join(map(dump, rows)) + "\n]" for name, rows in lists.items()
    ]
    return ", ".join(parts) + "}\n"


def _seal(plan: ReleasePlan, image: PlannedImage) -> str:
    masks = image.form.masks if image.form else {}
    annotation = plan.annotation(image).encode()
    return seal(plan.notes.blind_salt or "", image.public_id, annotation, masks)


def _image(plan: ReleasePlan, image: PlannedImage) -> dict[str, Any]:
    """The line of an image; a hidden one has a seal, and no digest by which it could be found."""
    row = image.row
    named = {"id": image.public_id, "set": image.split}
    if plan.hides(image):
        return {**named, "seal": _seal(plan, image)}
    shared: dict[str, Any] = {
        **named,
        "sha256": image.jpeg_sha256,
        "stored_sha256": row.sha256,
        "original_sha256": row.original_sha256,
        "photos": [_photo(photo) for photo in row.photos],
    }
    if kinds := ((plan.notes.facts or {}).get("pictures") or {}).get("metadata", {}):
        shared |= {"metadata": kinds[image.public_id]} if image.public_id in kinds else {}
    if (asked := plan.asked(image)) is not None:
        shared["asked"] = asked
    if old_name := plan.notes.renamed.get(image.public_id):
        shared["old_name"] = old_name
    if image.is_blind:  # its revision stands for one that was held back, and its objects too
        return {**shared, "is_blind": True}
    drawing = plan.find_drawing(image)
    drawn = {"segmentation": _drawing(drawing, row.objects)} if drawing else {}
    return {
        **shared,
        "revision": row.annotation_id,
        "objects": [
            _object(plan, image, place, item) for place, item in enumerate(row.objects, start=1)
        ],
        "revisions": [
            {
                "id": revision.id,
                "parent_id": revision.parent_id,
                "person": revision.person._asdict(),
                "saved_at": revision.saved_at,
            }
            for revision in row.revisions
        ],
        "reviews": [_review(review) for review in row.reviews],
    } | drawn


def _object(
    plan: ReleasePlan, image: PlannedImage, number: int, item: AnnotatedObject
) -> dict[str, Any]:
    """An object; how it was made, if the release has any that was made of a suggestion.

    Of a box around a group it says so.
    """
    drawn_in = image.row.find_drawn_in(item)
    line = {"number": number, "class": item.class_name, "drawn_in": drawn_in}
    if item.group_of:
        line |= {GROUP_OF: True}
    if plan.has_suggestions:
        detector = find_detector(image, item)
        line |= {"made": find_way(plan, image, item, drawn_in)}
        line |= {"suggestion_set": detector.id} if detector else {}
    return line


def _drawing(drawing: DrawingRow, objects: Sequence[AnnotatedObject]) -> dict[str, Any]:
    numbers = {item.key: number for number, item in enumerate(objects, start=1)}
    efforts = [(numbers[key], *effort) for key, effort in drawing.efforts.items() if key in numbers]
    keys = ("id", "verdict", "person", "reviewed_at")
    reviews = [{key: _review(review)[key] for key in keys} for review in drawing.reviews]
    outlines = [
        {"number": numbers[key], "made": outline.made, "suggestion_set": outline.detector.id}
        for key, outline in drawing.outlined.items()
        if key in numbers
    ]
    return {
        "id": drawing.id,
        "revision": drawing.annotation_id,
        "person": drawing.person._asdict(),
        "saved_at": drawing.saved_at,
        "reviews": reviews,
        "objects": [
            {"number": number, "active_secs": round(secs, 1), "inputs": round(inputs, 1)}
            for number, secs, inputs in sorted(efforts)
        ],
    } | ({"outlines": sorted(outlines, key=itemgetter("number"))} if outlines else {})


def _photo(photo: PhotoRow) -> dict[str, Any]:
    plain = ("source", "source_id", "owner_id", "owner_name", "title")
    return {
        **{name: getattr(photo, name) for name in plain},
        "licence": {"id": photo.licence_id, "name": photo.licence_name, "url": photo.licence_url},
        "page_url": photo.page_url,
        "uploaded_at": photo.uploaded_at,
        "taken_at": photo.taken_at,
        "sampling": photo.sampling,
        "query": {"class": photo.query_class, "keyword": photo.query_keyword},
        "window": {"start_at": photo.window_start_at, "end_at": photo.window_end_at},
        "found": {"at": photo.found_at, "page": photo.result_page},
    }


def _review(review: ReviewRow) -> dict[str, Any]:
    return {
        "id": review.id,
        "revision": review.annotation_id,
        "verdict": review.verdict,
        "fixed_in": review.fixed_annotation_id,
        "person": review.person._asdict(),
        "reviewed_at": review.reviewed_at,
    }
