"""One photograph through a real browser: drawn by one person, accepted by another, released."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from catalog.states import Role
from catalog.tables import Review
from export.release import export_release
from export.strip_jpeg import strip_jpeg
from tests.browser import browsing, take_picture

from .party_page import (
    CAT,
    HOSTILE,
    NOW,
    PERSON,
    PartyHouse,
    drag_box,
    expect_boxes,
    finish,
    select_class,
    tap,
    wait_for_saved,
    wait_for_screen,
    wait_for_work,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FIRST_LOAD_AT_MOST = 300_000  # bytes, with headers
SIZES_BY_NAME = """Object.fromEntries(
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .map(({ name, transferSize }) => [name, transferSize]))"""


def annotate(page: Page) -> None:
    """Two boxes with classes and flags; the keys are those of the page's own overview."""
    wait_for_work(page)
    drag_box(page, PERSON)
    select_class(page, "person")
    page.keyboard.press("f")  # frontal
    page.keyboard.press("t")  # truncated
    drag_box(page, CAT)
    select_class(page, "cat")
    page.keyboard.press("q")  # left
    page.keyboard.press("o")  # occluded
    expect_boxes(page, PERSON, CAT)
    wait_for_saved(page)
    take_picture(page, "journey-annotated")
    finish(page)
    wait_for_screen(page, "empty")
    take_picture(page, "screen-empty")


def accept(page: Page) -> None:
    page.goto(page.url.rpartition("/")[0] + "/check")
    wait_for_work(page)
    expect(page.get_by_test_id("object")).to_have_count(2)
    take_picture(page, "journey-checked")
    tap(page, "d")
    page.get_by_test_id("verdict-send").click()
    wait_for_screen(page, "empty")


def test_what_was_drawn_in_the_browser_is_in_the_released_xml(
    house: PartyHouse, tmp_path: Path
) -> None:
    photograph = house.add_image(title=HOSTILE)
    with house.signed_in("ann") as page:
        annotate(page)
        assert page.title() != "owned"
    with house.signed_in("chris", Role.CHECKER) as page:
        accept(page)

    release = tmp_path / "release"
    export_release(house.party, release, year=2026, at=NOW)
    [xml] = release.rglob("Annotations/*.xml")
    objects = ElementTree.parse(xml).getroot().findall("object")
    assert [read_object(item) for item in objects] == [
        {"name": "person", "pose": "Frontal", "truncated": "1", "occluded": "0", "box": PERSON},
        {"name": "cat", "pose": "Left", "truncated": "0", "occluded": "1", "box": CAT},
    ]
    [jpeg] = release.rglob("JPEGImages/*.jpg")
    stored = house.party.store.get(photograph.sha256)
    assert jpeg.read_bytes() == strip_jpeg(stored)  # the same picture, without its notes
    with house.party.catalogue.reading() as session:
        review = session.scalars(select(Review)).one()
        assert (review.person.name, review.annotation.person.name) == ("chris", "ann")


def read_object(item: ElementTree.Element) -> dict[str, object]:
    words = {tag: item.findtext(tag) for tag in ("name", "pose", "truncated", "occluded")}
    box = tuple(
        int(item.findtext(f"bndbox/{tag}") or 0) for tag in ("xmin", "ymin", "xmax", "ymax")
    )
    return {**words, "box": box}


def test_nobody_is_let_in_without_a_link_and_an_annotator_does_not_check(
    house: PartyHouse,
) -> None:
    photograph = house.add_image()
    with browsing(house.chromium) as page:
        answer = page.request.get(f"{house.base_url}/images/{photograph.sha256}.jpg")
        assert answer.status == 401
    with house.signed_in("ann") as page:
        wait_for_work(page)
        assert page.request.get(f"{house.base_url}/check").status == 403


def test_the_first_load_is_under_300_kb_without_the_image(house: PartyHouse) -> None:
    house.add_image()
    with house.signed_in("ann") as page:
        wait_for_work(page)
        sizes = page.evaluate(SIZES_BY_NAME)
    loaded = {name: size for name, size in sizes.items() if "/images/" not in name}
    assert any(name.endswith("/state/saving.js") for name in loaded)
    assert sum(loaded.values()) < FIRST_LOAD_AT_MOST


@pytest.mark.parametrize("path", ["/board", "/guidelines", "/"])
def test_the_pages_to_read_raise_no_error(house: PartyHouse, path: str) -> None:
    house.add_image()
    with house.signed_in("olga", Role.ORGANISER) as page:
        page.wait_for_url("**/board")
        page.goto(house.base_url + path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        take_picture(page, f"page-{path.strip('/') or 'home'}")
