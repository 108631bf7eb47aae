"""release.json: for each image of a release where it came from and who made its annotation.

It lies beside the VOC tree, never in it. It holds no time but those in the catalogue, so that the
same release gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from catalog.states import Split

from .blind import seal, seal_all
from .plan import PlannedImage, ReleasePlan
from .recipe import FORMAT as RELEASE_FORMAT
from .rows import ObjectRow, PersonRow, PhotoRow, ReviewRow, RevisionRow

FORMAT = 1
MOST_TEXTS = 10_000


def iterate_manifest(plan: ReleasePlan) -> Iterator[str]:
    """The manifest's text in pieces: one JSON document, with a line for each image."""
    head = {
        "format": FORMAT,
        "release": plan.name,
        "year": plan.year,
        "settings": plan.recipe.to_json(),
        "withdrawn": list(plan.withdrawn),
        **_notes(plan),
    }
    yield f'{_dump(head).removesuffix("}")}, "images": [\n'
    end = ""
    for image in plan.images:
        yield end + (_dump(_hidden_image(plan, image)) if plan.hides(image) else _image(image))
        end = ",\n"
    yield "\n]}\n"


_dump = json.JSONEncoder(ensure_ascii=False).encode


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


def _hidden_image(plan: ReleasePlan, image: PlannedImage) -> dict[str, Any]:
    """No source, no size, no digest of a file that somebody may know: a seal alone."""
    return {"id": image.public_id, "set": image.split.value, "seal": _seal(plan, image)}


def _seal(plan: ReleasePlan, image: PlannedImage) -> str:
    return seal(plan.notes.blind_salt or "", image.public_id, plan.annotation(image).encode())


def _image(image: PlannedImage) -> str:
    """As JSON; the encoder takes four times as long for the same characters."""
    row = image.row
    if image.is_blind:  # its revision stands for one that nobody showed us
        return (
            f'{{{_file(image)}, "is_blind": true, "objects": [], "revisions": [], "reviews": []}}'
        )
    objects = ", ".join(
        f'{{"number": {number}, "class": {_text(item.class_name)}, '
        f'"drawn_in": {find_drawn_in(row.revisions, item)}}}'
        for number, item in enumerate(row.objects, start=1)
    )
    return (
        f'{{{_file(image)}, "revision": {row.annotation_id}, "objects": [{objects}], '
        f'"revisions": [{", ".join(map(_revision, row.revisions))}], '
        f'"reviews": [{", ".join(map(_review, row.reviews))}]}}'
    )


def _file(image: PlannedImage) -> str:
    """The members that tell what the picture is and where it came from."""
    row = image.row
    return (
        f'"id": {_dump(image.public_id)}, "set": "{image.split}", '
        f'"sha256": "{image.jpeg_sha256}", "stored_sha256": "{row.sha256}", '
        f'"original_sha256": {_text(row.original_sha256)}, '
        f'"photos": [{", ".join(map(_photo, row.photos))}]'
    )


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


def _photo(photo: PhotoRow) -> str:
    start_at, end_at = _time(photo.window_start_at), _time(photo.window_end_at)
    return (
        f'{{"source": "{photo.source}", "source_id": {_dump(photo.source_id)}, '
        f'"owner_id": {_text(photo.owner_id)}, "owner_name": {_text(photo.owner_name)}, '
        f'"title": {_dump(photo.title)}, '
        f'"licence": {{"id": {_text(photo.licence_id)}, "name": {_text(photo.licence_name)}, '
        f'"url": {_text(photo.licence_url)}}}, "page_url": {_dump(photo.page_url)}, '
        f'"query": {{"class": {_text(photo.query_class)}, '
        f'"keyword": {_text(photo.query_keyword)}}}, '
        f'"window": {{"start_at": {start_at}, "end_at": {end_at}}}}}'
    )


def _revision(revision: RevisionRow) -> str:
    return (
        f'{{"id": {revision.id}, "parent_id": {_number(revision.parent_id)}, '
        f'"person": {_person(revision.person)}, "saved_at": {_time(revision.saved_at)}}}'
    )


def _review(review: ReviewRow) -> str:
    return (
        f'{{"id": {review.id}, "revision": {review.annotation_id}, '
        f'"verdict": "{review.verdict}", "mended_in": {_number(review.mended_annotation_id)}, '
        f'"person": {_person(review.person)}, "reviewed_at": {_time(review.reviewed_at)}}}'
    )


@lru_cache
def _person(person: PersonRow) -> str:
    return _dump({"name": person.name, "is_simulated": person.is_simulated})


@lru_cache(MOST_TEXTS)
def _text(text: str | None) -> str:
    """A text that many images share."""
    return _dump(text)


def _number(number: int | None) -> str:
    return "null" if number is None else str(number)


def _time(moment: datetime | None) -> str:
    return "null" if moment is None else f'"{moment.isoformat().replace("+00:00", "Z")}"'
