"""Every image has a photo that was fetched, unless it was taken down; on that the count rests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import func, select

from catalog.party import Party
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo
from catalog.transitions import move_image
from collect.job import load_progress
from collect.takedown.job import TakedownOrder, run_order
from export.importing.job import TreeOrder, import_tree
from tests.export.trees import make_tree

from .clocks import NOON
from .imports.test_folder import fill
from .imports.test_folder import run as import_folder
from .imports.test_urls import run as import_urls
from .imports.test_urls import serve, write
from .loopback import Loopback
from .pictures import jpeg_bytes
from .rows import add_photos
from .test_outcomes import claim, keep

SAME, OTHER, THIRD = (jpeg_bytes(300, 200, tint=tint) for tint in (3, 5, 9))


def count_by_photos(party: Party) -> int:
    """The images of fetched photos, each once, that were neither broken nor taken down."""
    statement = (
        select(func.count(func.distinct(Photo.image_id)))
        .join(Image, Image.id == Photo.image_id)
        .where(
            Photo.state == PhotoState.FETCHED,
            Image.state.not_in((ImageState.BROKEN, ImageState.TAKEN_DOWN)),
        )
    )
    with party.catalogue.reading() as session:
        return session.scalar(statement) or 0


def find_ids(party: Party, data: bytes) -> tuple[int, list[int]]:
    """The id of the image with these bytes, and those of its photos."""
    sha256 = party.store.put(data)
    with party.catalogue.reading() as session:
        image = session.scalars(select(Image).where(Image.sha256 == sha256)).one()
        return image.id, [photo.id for photo in image.photos]


def take_down(party: Party, photo_id: int, *, erase: bool = False) -> None:
    order = TakedownOrder((f"id:{photo_id}",), (), "they asked", erase=erase)
    run_order(party, order, now=lambda: NOON)


def break_image(party: Party, image_id: int) -> None:
    with party.catalogue.writing() as session:
        leaves, enters = ImageState.FETCHED, ImageState.BROKEN
        assert move_image(session, image_id, leaves, enters, at=NOON, reason="cannot be hashed")


def fetch(party: Party) -> None:
    add_photos(party, 1)
    keep(party, claim(party))


def test_the_count_is_that_of_images_of_fetched_photos_whatever_happens_to_them(
    any_party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    party = any_party
    files = {"a.jpg": SAME, "b.jpg": SAME, "c.jpg": OTHER, "bad.jpg": b"no picture"}
    folder, again = fill(tmp_path / "one", files), fill(tmp_path / "two", {"d.jpg": SAME})
    addresses = [serve(loopback, f"/{n}.jpg", one) for n, one in enumerate((SAME, THIRD))]
    table = write(tmp_path, *(f"m-{n},{url},ann,4,cat" for n, url in enumerate(addresses)))
    steps: list[tuple[str, Callable[[], object], int]] = [
        ("nothing yet", lambda: None, 0),
        ("fetched", lambda: fetch(party), 1),
        ("from a folder", lambda: import_folder(party, folder), 3),
        ("from addresses", lambda: import_urls(party, table, loopback.host), 4),
        (
            "from a VOC tree",
            lambda: import_tree(party, TreeOrder(make_tree(tmp_path)), at=NOON),
            10,
        ),
        ("broken", lambda: break_image(party, find_ids(party, OTHER)[0]), 9),
        ("one photo of two goes", lambda: take_down(party, find_ids(party, SAME)[1][0]), 9),
        ("the other goes", lambda: take_down(party, find_ids(party, SAME)[1][1]), 8),
        ("erased", lambda: take_down(party, find_ids(party, THIRD)[1][0], erase=True), 7),
        ("its bytes come again", lambda: import_folder(party, again), 7),
    ]
    for name, step, expected in steps:
        step()
        assert (name, load_progress(party)) == (name, expected)
        assert (name, count_by_photos(party)) == (name, expected)
