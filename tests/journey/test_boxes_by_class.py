"""A box drawn on the verification page, by keyboard alone and by pointer."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.settings import QuestionSettings
from catalog.tables import PresentClass, Suggestion

from . import party_page as do
from .party_page import NOW, PartyHouse

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def boxing(house: PartyHouse) -> Iterator[PartyHouse]:
    """A party whose people draw class by class, with two images that show people."""
    for image in house.add_images(2):
        with house.party.catalogue.writing() as session:
            row = {"image_id": image.id, "class_id": "person", "settled_at": NOW}
            session.add(PresentClass(**row))
    settings = replace(house.party.settings, questions=QuestionSettings(boxes=True))
    with serving(create_app(replace(house.party, settings=settings))) as base_url:
        yield replace(house, base_url=base_url)


def begin(page: Page) -> None:
    do.open_page(page, "/verify")
    page.get_by_test_id("class-person").click()
    expect(page.get_by_test_id("examples")).to_be_visible()
    page.keyboard.press("Space")
    expect_picture(page)


def expect_picture(page: Page) -> None:
    """Wait for the picture: nothing is drawn unseen."""
    picture = page.get_by_test_id("drawing").locator("img")
    expect(picture).to_have_js_property("complete", value=True)
    expect_idle(page)


def expect_idle(page: Page) -> None:
    """Wait until nothing is on its way: until then keys do nothing."""
    expect(page.locator("#tiles")).to_have_attribute("aria-busy", "false")


def read_boxes(house: PartyHouse) -> list[tuple[int, int, int, int]]:
    with house.party.catalogue.reading() as session:
        rows = session.scalars(select(Suggestion).order_by(Suggestion.id))
        return [row.box.xyxy for row in rows]


def test_a_box_is_drawn_by_keyboard_and_by_pointer_and_taken_back(boxing: PartyHouse) -> None:
    with boxing.signed_in("ben", at=do.BLANK) as ben:
        ben.set_viewport_size({"width": 1280, "height": 720})
        begin(ben)
        corner = ben.get_by_test_id("corner")
        expect(corner).to_contain_text("first corner")
        do.press(ben, "ArrowLeft", "Shift+ArrowUp", "Space")
        expect(corner).to_contain_text("opposite corner")
        do.press(ben, *["ArrowRight"] * 5, *["ArrowDown"] * 3, "Space")
        do.take_both(ben, "verify-draw")
        expect(corner).to_contain_text("Save the box")
        ben.keyboard.press("Enter")
        expect(ben.get_by_test_id("undo")).to_be_visible()
        expect_picture(ben)
        [first] = read_boxes(boxing)
        assert first[2] - first[0] > first[3] - first[1] > 0
        figure = ben.get_by_test_id("drawing").bounding_box()
        assert figure is not None
        at = figure["x"] + 0.25 * figure["width"], figure["y"] + 0.25 * figure["height"]
        ben.mouse.move(*at)
        ben.mouse.down()
        ben.mouse.move(at[0] + 0.5 * figure["width"], at[1] + 0.5 * figure["height"])
        ben.mouse.up()
        expect(corner).to_contain_text("Save the box")
        corner.click()
        expect(ben.get_by_test_id("empty")).to_be_visible()
        expect_idle(ben)
        _, second = read_boxes(boxing)
        assert second[0] < second[2]
        ben.keyboard.press("u")
        expect_picture(ben)
        expect(corner).to_contain_text("first corner")
        ben.keyboard.press("n")  # there is none after all
        expect(ben.get_by_test_id("empty")).to_be_visible()
