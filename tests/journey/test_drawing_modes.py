"""Ways of drawing and seeing in a real browser: four points, two clicks, light, what is hidden."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import take_picture

from .party_page import (
    PERSON,
    PartyHouse,
    boxes_of,
    expect_boxes,
    open_page,
    place_on_screen,
    wait_for_saved,
    wait_for_work,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FILTER = re.compile("filter")


def click_at(page: Page, *places: tuple[float, float]) -> None:
    for place in places:
        page.mouse.click(*place_on_screen(page, place))


def draw_by(page: Page, drawing: str) -> None:
    """Press the switch until it says this way of drawing, and the server has it."""
    while page.locator("body").get_attribute("data-drawing") != drawing:
        with page.expect_response("**/me/preferences"):
            page.keyboard.press(";")
    expect(page.get_by_test_id("draw.mode")).to_have_attribute("data-drawing", drawing)


def test_four_points_draw_a_box_and_the_choice_is_remembered_for_this_person(
    house: PartyHouse,
) -> None:
    image = house.add_image()
    with house.signed_in("ann") as page:
        wait_for_work(page)
        draw_by(page, "extremes")
        left, top, right, bottom = PERSON[0] - 1, PERSON[1] - 1, PERSON[2], PERSON[3]
        click_at(page, (120, top), (left, 350), (300, 480))
        take_picture(page, "drawing-by-four-points")
        hint = page.get_by_test_id("stage-hint")
        expect(hint).to_contain_text("3 of 4")
        page.keyboard.press("Escape")
        expect(hint).to_contain_text("2 of 4")
        click_at(page, (200, bottom), (right, 240))
        expect_boxes(page, PERSON)
        expect(hint).to_be_hidden()
        wait_for_saved(page)
    with house.signed_in("ann") as elsewhere:
        open_page(elsewhere, "/annotate")
        expect(elsewhere.locator("body")).to_have_attribute("data-drawing", "extremes")
    with house.signed_in("ben") as page:
        open_page(page, "/annotate")
        expect(page.locator("body")).to_have_attribute("data-drawing", "drag")
    assert boxes_of(house.head(image)) == [PERSON]


def test_a_dark_picture_is_brightened_and_the_next_one_is_as_it_is(house: PartyHouse) -> None:
    house.add_image("cameraman")
    house.add_image("chelsea")
    with house.signed_in("ann") as page:
        wait_for_work(page)
        before = page.locator("body").get_attribute("data-image")
        picture = page.locator("canvas[data-layer=picture]")
        page.keyboard.press("]")
        page.keyboard.press("]")
        page.keyboard.press("}")
        expect(picture).to_have_attribute("style", "filter: brightness(132%) contrast(115%);")
        for layer in ("boxes", "cursor"):
            expect(page.locator(f"canvas[data-layer={layer}]")).not_to_have_attribute(
                "style", FILTER
            )
        page.get_by_test_id("light.show").click()
        page.get_by_test_id("light-brightness").fill("7.5")
        expect(picture).to_have_attribute("style", "filter: brightness(180%) contrast(115%);")
        take_picture(page, "light-card")
        page.get_by_test_id("card:light.reset").click()
        expect(picture).to_have_attribute("style", "filter: none;")
        page.keyboard.press("]")
        page.keyboard.press("x")
        page.keyboard.press("1")
        expect(page.locator(f"body[data-ready=true]:not([data-image='{before}'])")).to_be_visible()
        expect(picture).to_have_attribute("style", "filter: none;")
