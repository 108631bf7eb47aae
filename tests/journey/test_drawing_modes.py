"""Ways of drawing and seeing in a real browser: four points, two clicks, light, what is hidden."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import take_picture

from .party_page import (
    CAT,
    PERSON,
    Box,
    PartyHouse,
    boxes_of,
    drag_box,
    expect_boxes,
    open_page,
    place_on_screen,
    select_class,
    wait_for_saved,
    wait_for_work,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

FILTER = re.compile("filter")
INNER: Box = (241, 331, 300, 400)


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


def test_two_clicks_draw_inside_and_across_other_boxes_without_touching_them(
    house: PartyHouse,
) -> None:
    house.add_image()
    with house.signed_in("ann") as page:
        wait_for_work(page)
        drag_box(page, PERSON)
        drag_box(page, CAT)
        draw_by(page, "clicks")
        page.keyboard.press("Escape")
        click_at(page, (INNER[0] - 1, INNER[1] - 1))
        expect(page.get_by_test_id("stage-hint")).to_be_visible()
        click_at(page, (INNER[2], INNER[3]))
        rows = expect_boxes(page, PERSON, CAT, INNER)
        page.keyboard.down("Control")
        click_at(page, (100, 100))
        page.keyboard.up("Control")
        expect(rows.nth(0)).to_have_attribute("aria-selected", "true")
        expect_boxes(page, PERSON, CAT, INNER)


def test_overlapping_boxes_are_gone_through_and_one_edge_is_moved_by_keys(
    house: PartyHouse,
) -> None:
    house.add_image()
    with house.signed_in("ann") as page:
        wait_for_work(page)
        for box in (PERSON, CAT, INNER):
            drag_box(page, box)
        rows = expect_boxes(page, PERSON, CAT, INNER)
        for place in (1, 0, 2):
            page.keyboard.press(">")
            expect(rows.nth(place)).to_have_attribute("aria-selected", "true")
        page.keyboard.press("Alt+ArrowRight")
        page.keyboard.press("Alt+Shift+ArrowLeft")
        page.keyboard.press("Alt+Shift+ArrowLeft")
        page.keyboard.press("Alt+ArrowUp")
        expect_boxes(page, PERSON, CAT, (INNER[0] - 2, INNER[1], INNER[2] + 1, INNER[3] - 1))
        page.keyboard.press("Shift+ArrowDown")
        page.keyboard.press("ArrowRight")
        expect_boxes(page, PERSON, CAT, (INNER[0] - 1, INNER[1] + 10, INNER[2] + 2, INNER[3] + 9))
        page.keyboard.press("Control+Shift+ArrowUp")  # by a tenth of 512 pixels
        expect_boxes(page, PERSON, CAT, (INNER[0] - 1, INNER[1] - 41, INNER[2] + 2, INNER[3] - 42))


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


def test_a_class_that_is_hidden_is_not_in_the_way_and_comes_back(house: PartyHouse) -> None:
    house.add_image()
    with house.signed_in("ann") as page:
        wait_for_work(page)
        drag_box(page, PERSON)
        drag_box(page, CAT)
        select_class(page, "cat")
        page.keyboard.press("Shift+Y")
        page.keyboard.press("Escape")
        click_at(page, (250, 350))
        rows = page.get_by_test_id("object")
        expect(rows.nth(0)).to_have_attribute("aria-selected", "true")
        take_picture(page, "class-hidden")
        page.get_by_test_id("hidden:cat").click()
        page.keyboard.press("Escape")
        click_at(page, (250, 350))
        expect(rows.nth(1)).to_have_attribute("aria-selected", "true")
