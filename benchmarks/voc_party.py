"""A party of VOC2012's size, made of rows and real JPEG files, for benchmarks of export."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Picture
from sqlalchemy import insert

from catalog.image_store import digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, PhotoState, Role, Source, Verdict, View
from catalog.tables import Annotation, Image, Object, Person, Photo, Query, Review

IMAGES, OBJECTS, CLASSES = 17_125, 40_138, 20
WIDTH, HEIGHT = 500, 375
KINDS = 64
NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
ROWS_AT_ONCE = 2_000


def make_voc_party(folder: Path, images: int = IMAGES, classes: int = CLASSES) -> None:
    """A party in the folder with checked images and classes, and objects in VOC2012's proportion.

    Another number of classes than VOC's has names without meaning.
    """
    preset = "voc2012" if classes == CLASSES else _write_preset(folder, classes)
    make_party(folder, name="Bench", preset=preset)
    with open_party(folder) as party:
        rng = np.random.default_rng(0)
        names = party.preset.class_names
        objects = _share_out(rng, images, round(OBJECTS * images / IMAGES))
        with party.catalogue.writing() as session:
            session.add(_person("ann", Role.ANNOTATOR))
            session.add(_person("chris", Role.CHECKER))
            session.add(Query(source=Source.FLICKR, class_name="cat", keyword="cat"))
        for start in range(0, images, ROWS_AT_ONCE):
            numbers = range(start + 1, min(start + ROWS_AT_ONCE, images) + 1)
            _insert(party, numbers, objects, rng, names)


def _write_preset(folder: Path, classes: int) -> str:
    """The path of a new preset with these classes, next to the party's folder."""
    reason = '[[discard_reasons]]\nkey = "none"\ndisplay = "None"\nshort_rule = "None."\n'
    tables = [
        f'[[classes]]\nname = "{name}"\ndisplay = "{name}"\nshort_rule = "All of them."\n'
        for name in (f"class{number:04d}" for number in range(classes))
    ]
    head = 'name = "many"\ntitle = "Many classes"\nstyle = "voc2012"\nyear = 2012\n'
    path = folder.with_name(f"{folder.name}.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([head, *tables, reason]))
    return str(path)


def make_jpeg(number: int) -> bytes:
    """A picture of VOC's size in pixels and bytes; what its colour profile says is its alone."""
    data = _make_picture(number % KINDS)
    note = f"ICC_PROFILE\0\1\1{number:020d}".encode()
    front = len(b"\xff\xd8") + 2 + int.from_bytes(data[4:6])
    segment = b"\xff\xe2" + (len(note) + 2).to_bytes(2) + note
    return data[:front] + segment + data[front:]


@lru_cache
def _make_picture(seed: int) -> bytes:
    """Smooth areas, edges and grain, which compress as photographs do."""
    rng = np.random.default_rng(seed)
    coarse = Picture.fromarray(rng.integers(0, 255, (12, 16, 3), dtype=np.uint8))
    smooth = np.asarray(coarse.resize((WIDTH, HEIGHT), Picture.Resampling.BICUBIC), np.int16)
    grain = rng.normal(0, 9, smooth.shape)
    target = io.BytesIO()
    pixels = np.clip(smooth + grain, 0, 255).astype(np.uint8)
    Picture.fromarray(pixels).save(target, "JPEG", quality=92)
    return target.getvalue()


def _share_out(rng: np.random.Generator, images: int, objects: int) -> list[int]:
    extra = rng.multinomial(objects - images, np.full(images, 1 / images))
    return [1 + int(more) for more in extra]


def _person(name: str, role: Role) -> Person:
    return Person(name=name, role=role, credential_sha256=digest_of(name.encode()), created_at=NOW)


def _insert(
    party: Party,
    numbers: range,
    objects: list[int],
    rng: np.random.Generator,
    names: tuple[str, ...],
) -> None:
    digests = {number: party.store.put(make_jpeg(number)) for number in numbers}
    rows: dict[type[Any], list[dict[str, Any]]] = {
        Image: [],
        Photo: [],
        Annotation: [],
        Object: [],
        Review: [],
    }
    for number in numbers:
        rows[Image].append(_image(number, digests[number]))
        rows[Photo].append(_photo(number, int(rng.zipf(1.9)) % 5000))
        rows[Annotation].append(_annotation(number))
        rows[Review].append(_review(number))
        for place in range(1, objects[number - 1] + 1):
            rows[Object].append(_object(rng, number, place, names))
    with party.catalogue.writing() as session:
        for table, values in rows.items():
            session.execute(insert(table), values)
        session.execute(
            Image.__table__.update()  # type: ignore[attr-defined]
            .where(Image.id.in_(list(numbers)))
            .values(annotation_id=Image.id)
        )


def _image(number: int, sha256: str) -> dict[str, Any]:
    return {
        "id": number,
        "sha256": sha256,
        "width": WIDTH,
        "height": HEIGHT,
        "bytes": 1,
        "stored_at": NOW,
        "state": ImageState.CHECKED,
        "state_at": NOW,
    }


def _photo(number: int, owner: int) -> dict[str, Any]:
    return {
        "source": Source.FLICKR,
        "source_id": f"{number}",
        "state": PhotoState.FETCHED,
        "owner_id": f"{owner}@N00" if owner > 1 else f"single-{number}",
        "owner_name": f"Owner {owner}",
        "title": f"Photograph {number}",
        "licence_id": "4",
        "licence_name": "CC BY 2.0",
        "licence_url": "https://creativecommons.org/licenses/by/2.0/",
        "page_url": f"https://www.flickr.com/photos/{owner}/{number}/",
        "query_id": 1,
        "found_at": NOW,
        "image_id": number,
    }


def _annotation(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "image_id": number,
        "person_id": 1,
        "save_key": f"save-{number}",
        "is_finished": True,
        "saved_at": NOW + timedelta(seconds=number),
    }


def _review(number: int) -> dict[str, Any]:
    return {
        "annotation_id": number,
        "person_id": 2,
        "save_key": f"review-{number}",
        "verdict": Verdict.ACCEPT,
        "is_complete": True,
        "object_verdicts": [],
        "reviewed_at": NOW + timedelta(days=1, seconds=number),
    }


def _object(
    rng: np.random.Generator, number: int, place: int, names: tuple[str, ...]
) -> dict[str, Any]:
    left, top = int(rng.integers(1, 300)), int(rng.integers(1, 200))
    return {
        "annotation_id": number,
        "number": place,
        "object_key": f"key-{place}",
        "class_name": names[int(rng.integers(len(names)))],
        "xmin": left,
        "ymin": top,
        "xmax": left + int(rng.integers(10, 200)),
        "ymax": top + int(rng.integers(10, 175)),
        "view": View.LEFT,
        "truncated": bool(rng.integers(2)),
        "occluded": bool(rng.integers(2)),
        "difficult": bool(rng.integers(8) == 0),
        "actions": [],
    }
