"""Parties with checked images, made of real JPEG files and rows as the other stages write them."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from PIL import Image as Picture
from sqlalchemy.orm import Session

from catalog.box import Box
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Role, Source, Verdict, View
from catalog.tables import Annotation, Duplicate, Image, Object, Part, Person, Photo, Query, Review
from tests.rows import make_image

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
WIDTH = 60
HEIGHT = 40


@dataclass(frozen=True)
class Drawn:
    """One object as a person draws it."""

    class_name: str
    box: tuple[int, int, int, int] = (2, 3, 50, 30)
    difficult: bool = False
    truncated: bool = False
    occluded: bool = False
    view: View = View.UNSPECIFIED
    actions: tuple[str, ...] = ()
    point_xy: tuple[int, int] | None = None
    parts: tuple[tuple[str, tuple[int, int, int, int]], ...] = ()
    key: str = ""


CAT = Drawn("cat")
DOG = Drawn("dog", (1, 1, 60, 40), difficult=True)
PERSON = Drawn(
    "person",
    (5, 4, 40, 39),
    view=View.LEFT,
    truncated=True,
    occluded=True,
    actions=("running", "jumping"),
    point_xy=(20, 20),
    parts=(("head", (10, 4, 20, 12)), ("hand", (5, 20, 9, 25))),
)


def jpeg_bytes(seed: int, mode: str = "RGB", form: str = "JPEG") -> bytes:
    """A small picture of noise, unique to the seed."""
    noise = np.random.default_rng(seed).integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8)
    target = io.BytesIO()
    Picture.fromarray(noise).convert(mode).save(target, form)
    return target.getvalue()


def stock(party: Party) -> Party:
    """Eight checked images: four with a cat, two with a cat and a difficult dog, two with a dog."""
    with party.catalogue.writing() as session:
        add_people(session)
        for number in range(1, 9):
            add_image(session, party, number, [CAT] * (number < 7) + [DOG] * (number > 4))
    return party


def fill(party: Party, images: Iterable[Sequence[Drawn]], **options: Any) -> list[int]:
    """The ids of new images with these objects; chris checked them, and all took their own."""
    with party.catalogue.writing() as session:
        add_people(session)
        return [
            add_image(session, party, number, drawn, **options).id
            for number, drawn in enumerate(images)
        ]


def add_people(session: Session) -> None:
    """ann (1), who annotates, and chris (2), who checks and is simulated."""
    for name, role in (("ann", Role.ANNOTATOR), ("chris", Role.CHECKER)):
        values = {"credential_sha256": name.ljust(64, "0"), "is_simulated": name == "chris"}
        session.add(Person(name=name, role=role, created_at=NOW, **values))
    session.add(Query(source=Source.FLICKR, class_id="cat", keyword="kitten & co"))
    session.flush()


def add_image(
    session: Session,
    party: Party,
    number: int,
    drawn: Sequence[Drawn],
    *,
    state: ImageState = ImageState.CHECKED,
    owner_id: str | None = None,
    data: bytes | None = None,
    is_reviewed: bool = True,
) -> Image:
    """One image with a photo, a revision by ann, and a verdict by chris."""
    sha256 = party.store.put(jpeg_bytes(number) if data is None else data)
    image = make_image(sha256, NOW, width=WIDTH, height=HEIGHT, state=state)
    session.add(image)
    session.flush()
    session.add(_photo(image, number, owner_id or f"owner-{number}"))
    annotation = add_revision(session, image, drawn, person_id=1)
    if is_reviewed:
        add_review(session, annotation, Verdict.ACCEPT)
    return image


def add_revision(
    session: Session,
    image: Image,
    drawn: Sequence[Drawn],
    *,
    person_id: int,
    parent_id: int | None = None,
) -> Annotation:
    annotation = Annotation(
        image_id=image.id,
        person_id=person_id,
        parent_id=parent_id,
        save_key=f"save-{image.id}-{parent_id}",
        is_finished=True,
        saved_at=NOW + timedelta(minutes=image.id),
        objects=[_object(number, item) for number, item in enumerate(drawn, start=1)],
    )
    session.add(annotation)
    session.flush()
    image.annotation_id = annotation.id
    return annotation


def add_review(
    session: Session, annotation: Annotation, verdict: Verdict, *, fixed: Annotation | None = None
) -> None:
    """chris's verdict."""
    session.add(
        Review(
            annotation_id=annotation.id,
            person_id=2,
            save_key=f"review-{annotation.id}-{verdict}",
            verdict=verdict,
            is_complete=True,
            fixed_annotation_id=fixed.id if fixed else None,
            reviewed_at=NOW + timedelta(hours=annotation.id),
        )
    )
    session.flush()


def link(image_id: int, kept_image_id: int, relation: str = "same_event") -> Duplicate:
    """What dedup stores of two images that belong together."""
    how = {"decided_how": "phash", "decided_at": NOW}
    return Duplicate(image_id=image_id, kept_image_id=kept_image_id, relation=relation, **how)


def _photo(image: Image, number: int, owner_id: str) -> Photo:
    return Photo(
        source=Source.FLICKR,
        source_id=f"{5000 + number}",
        state=PhotoState.FETCHED,
        owner_id=owner_id,
        owner_name=f"<b>Owner {number}</b> & sons",
        title=f'A "title" </annotation>\n{number}',
        licence_id="4",
        licence_name="CC BY 2.0",
        licence_url="https://creativecommons.org/licenses/by/2.0/",
        page_url=f"https://www.flickr.com/photos/{owner_id}/{5000 + number}/",
        query_id=1,
        window_start_at=NOW - timedelta(days=30),
        window_end_at=NOW,
        found_at=NOW,
        image_id=image.id,
    )


def _object(number: int, drawn: Drawn) -> Object:
    same = ("view", "truncated", "occluded", "difficult")
    values = {name: getattr(drawn, name) for name in same} | _corners(drawn.box)
    x, y = drawn.point_xy or (None, None)
    parts = [
        Part(number=place, word=name, **_corners(box))
        for place, (name, box) in enumerate(drawn.parts, start=1)
    ]
    key = drawn.key or f"key-{number}"
    actions = list(drawn.actions)
    place = {
        "number": number,
        "class_id": drawn.class_name,
        "object_key": key,
        "point_x": x,
        "point_y": y,
    }
    return Object(**place, **values, actions=actions, parts=parts)


def _corners(xyxy: tuple[int, int, int, int]) -> dict[str, int]:
    return dict(zip(("xmin", "ymin", "xmax", "ymax"), Box(*xyxy).xyxy, strict=True))
