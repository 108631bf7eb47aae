"""A large party written straight into a catalogue: images, revisions, objects, reviews, doubles.

With pictures its store holds real JPEG files and all images are checked, for benchmarks of export.
"""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Picture
from sqlalchemy import insert, text
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import BlindKind, ImageState, PhotoState, Role, Source, Verdict, View
from catalog.tables import Annotation, BlindTask, Image, Object, Person, Photo, Query, Review

START = datetime(2026, 1, 31, 9, tzinfo=UTC)
PEOPLE = 30
DOUBLE_EVERY = 20
CHECKED_SHARE = 0.6
WIDTH_PX = 500
HEIGHT_PX = 375
KINDS = 64

Row = dict[str, Any]


def write_party(
    folder: Path, *, images: int, objects: int, seed: int = 0, has_pictures: bool = False
) -> None:
    """A party of annotated images; a twentieth annotated twice, most of them checked."""
    make_party(folder, name="Large party", preset="voc2012")
    with open_party(folder) as party:
        fill_party(party, images=images, objects=objects, seed=seed, has_pictures=has_pictures)


def fill_party(
    party: Party, *, images: int, objects: int, seed: int = 0, has_pictures: bool = False
) -> None:
    """The same work of the same people in an empty party that is there already."""
    rng = np.random.default_rng(seed)
    numbers = range(1, images + 1)
    digests = [
        party.store.put(make_jpeg(number)) if has_pictures else digest_of(b"image %d" % number)
        for number in numbers
    ]
    checked = [number for number in numbers if has_pictures or number % 10 < CHECKED_SHARE * 10]
    rows = [_image(number, digests[number - 1]) for number in numbers]
    for number in checked:
        rows[number - 1]["state"] = ImageState.CHECKED
    with party.catalogue.writing() as session:
        session.execute(insert(Person), [_person(number) for number in range(1, PEOPLE + 1)])
        session.add(Query(source=Source.FLICKR, class_id="cat", keyword="cat"))
        session.flush()
        session.execute(insert(Image), rows)
        session.execute(insert(Photo), [_photo(number) for number in numbers])
        _write_revisions(session, images, objects, party.preset.class_names, rng)
        session.execute(insert(Review), [_review(number, rng) for number in checked])


def make_jpeg(number: int) -> bytes:
    """A picture of VOC's size in pixels and bytes, with a unique colour profile."""
    data = _make_picture(number % KINDS)
    note = f"ICC_PROFILE\0\1\1{number:020d}".encode()
    front = len(b"\xff\xd8") + 2 + int.from_bytes(data[4:6])
    segment = b"\xff\xe2" + (len(note) + 2).to_bytes(2) + note
    return data[:front] + segment + data[front:]


@lru_cache
def _make_picture(seed: int) -> bytes:
    """Smooth areas, edges and grain, which compress as photographs do."""
    rng = np.random.default_rng(seed)
    size = (WIDTH_PX, HEIGHT_PX)
    coarse = Picture.fromarray(rng.integers(0, 255, (12, 16, 3), dtype=np.uint8))
    smooth = np.asarray(coarse.resize(size, Picture.Resampling.BICUBIC), np.int16)
    target = io.BytesIO()
    pixels = np.clip(smooth + rng.normal(0, 9, smooth.shape), 0, 255).astype(np.uint8)
    Picture.fromarray(pixels).save(target, "JPEG", quality=92)
    return target.getvalue()


def _write_revisions(
    session: Session, images: int, objects: int, classes: tuple[str, ...], rng: np.random.Generator
) -> None:
    counts = 1 + rng.multinomial(objects - images, np.full(images, 1 / images))
    heads = [_revision(n, n, 1 + n % PEOPLE, rng) for n in range(1, images + 1)]
    doubled = list(range(DOUBLE_EVERY, images + 1, DOUBLE_EVERY))
    blind = [
        {**_revision(images + place, n, _second(n), rng), "beside": "blind"}
        for place, n in enumerate(doubled, start=1)
    ]
    session.execute(insert(Annotation), heads + blind)
    drawn = {
        n: [_object(n, place, classes, rng) for place in range(1, counts[n - 1] + 1)]
        for n in range(1, images + 1)
    }
    again = [
        {**item, "annotation_id": images + place}
        for place, n in enumerate(doubled, start=1)
        for item in drawn[n]
        if rng.random() < 0.9
    ]
    session.execute(insert(Object), [item for items in drawn.values() for item in items] + again)
    session.execute(text("UPDATE image SET annotation_id = id"))
    session.execute(
        insert(BlindTask), [_task(images + place, n) for place, n in enumerate(doubled, start=1)]
    )


def _person(number: int) -> Row:
    return {
        "id": number,
        "name": f"person {number:02}",
        "role": Role.ORGANISER if number == 1 else Role.ANNOTATOR,
        "credential_sha256": digest_of(b"person %d" % number),
        "created_at": START,
        "seen_at": START + timedelta(hours=number),
    }


def _image(number: int, sha256: str) -> Row:
    return {
        "id": number,
        "sha256": sha256,
        "width": WIDTH_PX,
        "height": HEIGHT_PX,
        "bytes": 60_000,
        "stored_at": START,
        "state": ImageState.ANNOTATED,
        "state_at": START,
    }


def _photo(number: int) -> Row:
    hour = (number // 3) % (24 * 365)
    taken = datetime(2007, 1, 1, tzinfo=UTC) + timedelta(hours=hour)
    return {
        "source": Source.FLICKR,
        "source_id": f"photo-{number}",
        "state": PhotoState.FETCHED,
        "owner_id": f"owner-{number % 5000}",
        "taken_at_text": taken.strftime("%Y-%m-%d %H:%M:%S"),
        "licence_id": "4",
        "licence_name": "CC BY 2.0",
        "licence_url": "https://creativecommons.org/licenses/by/2.0/",
        "page_url": f"https://www.flickr.com/photos/owner/{number}/",
        "query_id": 1,
        "found_at": START,
        "image_id": number,
    }


def _revision(annotation_id: int, image_id: int, person_id: int, rng: np.random.Generator) -> Row:
    return {
        "id": annotation_id,
        "image_id": image_id,
        "person_id": person_id,
        "save_key": f"save-{annotation_id:08}",
        "is_finished": True,
        "beside": None,
        "active_secs": float(rng.lognormal(3.2, 0.6)),
        "saved_at": START + timedelta(seconds=12 * image_id),
    }


def _object(
    annotation_id: int, number: int, classes: tuple[str, ...], rng: np.random.Generator
) -> Row:
    width = rng.integers(12, 260)
    height = rng.integers(12, 220)
    xmin = rng.integers(1, WIDTH_PX - width + 2)
    ymin = rng.integers(1, HEIGHT_PX - height + 2)
    return {
        "annotation_id": annotation_id,
        "number": number,
        "object_key": f"o{annotation_id}-{number}",
        "class_id": classes[int(len(classes) * rng.random() ** 2)],
        "xmin": int(xmin),
        "ymin": int(ymin),
        "xmax": int(xmin + width - 1),
        "ymax": int(ymin + height - 1),
        "view": tuple(View)[rng.integers(0, 5)],
        "truncated": bool(rng.random() < 0.3),
        "occluded": bool(rng.random() < 0.3),
        "actions": [],
        "drawn_secs": round(float(rng.lognormal(2.0, 0.4)), 1),
    }


def _second(image_id: int) -> int:
    """The image's second annotator: never its first; over many images, each of the others."""
    return 1 + (image_id + 1 + image_id // DOUBLE_EVERY % (PEOPLE - 1)) % PEOPLE


def _task(annotation_id: int, image_id: int) -> Row:
    return {
        "image_id": image_id,
        "person_id": _second(image_id),
        "kind": BlindKind.DOUBLE,
        "reference_id": image_id,
        "annotation_id": annotation_id,
        "taken_at": START,
        "finished_at": START + timedelta(seconds=12 * image_id),
    }


def _review(image_id: int, rng: np.random.Generator) -> Row:
    return {
        "annotation_id": image_id,
        "person_id": 1 + (image_id + 3) % PEOPLE,
        "save_key": f"review-{image_id:08}",
        "verdict": Verdict.ACCEPT,
        "is_complete": True,
        "object_verdicts": [],
        "active_secs": float(rng.lognormal(1.8, 0.5)),
        "reviewed_at": START + timedelta(seconds=12 * image_id + 3600),
    }
