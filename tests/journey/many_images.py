"""Many different images of one photograph, and how a test goes through them."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from catalog.states import ImageState
from catalog.tables import Image
from tests.rows import make_image

from .party_page import NOW, SIZES, Box, PartyHouse, drag_box, finish, make_photo, wait_for_work

NAME = "astronaut"


def add_images(house: PartyHouse, count: int, title: str = "A photograph") -> list[Image]:
    """Copies of a photograph in the pool that a comment in the file tells apart."""
    data = (house.photographs / f"{NAME}.jpg").read_bytes()
    width, height = SIZES[NAME]
    images = []
    for number in range(count):
        comment = f"copy {number}".encode()
        segment = b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment
        copy = data[:2] + segment + data[2:]
        image = make_image(
            house.party.store.put(copy),
            NOW,
            width=width,
            height=height,
            bytes=len(copy),
            state=ImageState.POOL,
        )
        images.append(image)
        with house.party.catalogue.writing() as session:
            session.add(make_photo(image, f"copy{number}", title))
    return images


def find_image_id(page: Page) -> int:
    return int(page.locator("body").get_attribute("data-image") or 0)


def draw_and_finish(page: Page, drawn: dict[int, Box]) -> None:
    """One box on the image in hand, another on each image; noted in `drawn`."""
    wait_for_work(page)
    image_id = find_image_id(page)
    assert image_id not in drawn, "an image came twice"
    left, top = 20 + 12 * len(drawn), 30 + 7 * len(drawn)
    drawn[image_id] = (left, top, left + 120, top + 150)
    drag_box(page, drawn[image_id])
    finish(page)
    expect(page.locator(f"body[data-image='{image_id}']")).to_have_count(0)
