"""A crowd in a real browser: boxes repeated, laid in a row, edited together, marked as a group."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import Party
from catalog.states import Role
from tests.browser import take_picture

from . import party_page as do
from .party_page import PartyHouse, boxes_of

SEAT = (41, 301, 80, 360)
SECOND = (101, 301, 140, 360)
ROW = ((41, 401, 80, 460), (81, 401, 120, 460), (121, 401, 160, 460))


@pytest.fixture
def crowded(party: Party, chromium: Browser, photographs: Path) -> Iterator[PartyHouse]:
    """A house whose party allows groups."""
    annotate = replace(party.settings.annotate, groups=True)
    allowing = replace(party, settings=replace(party.settings, annotate=annotate))
    with serving(create_app(allowing)) as base_url:
        yield PartyHouse(allowing, base_url, chromium, photographs)


def click_at(page: Page, x: float, y: float, *held: str) -> None:
    """Click at a place of the image while keys are down."""
    place = do.place_on_screen(page, (x, y))
    for key in held:
        page.keyboard.down(key)
    page.mouse.click(*place)
    for key in held:
        page.keyboard.up(key)


def expect_flag(page: Page, command: str, pressed: str) -> None:
    expect(page.get_by_test_id(command)).to_have_attribute("aria-pressed", pressed)


def test_a_crowd_is_repeated_laid_edited_together_and_marked_as_a_group(
    crowded: PartyHouse,
) -> None:
    image = crowded.add_image()
    with crowded.at_work("ann") as page:
        page.set_viewport_size({"width": 1366, "height": 650})
        do.drag_box(page, SEAT)
        page.keyboard.press("f")  # frontal
        page.keyboard.press("Shift+Enter")
        expect(page.locator("body")).to_have_attribute("data-armed", "repeat")
        click_at(page, 120, 330)
        do.expect_boxes(page, SEAT, SECOND)
        start, end = (do.place_on_screen(page, (x, 430)) for x in (60, 140))
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end)
        take_picture(page, "crowd-row")
        page.mouse.up()
        rows = do.expect_boxes(page, SEAT, SECOND, *ROW)
        page.keyboard.press("Escape")
        many = page.get_by_test_id("many-selected")
        expect(many).to_have_text("3 boxes selected")
        click_at(page, 60, 305, "Shift")
        expect(many).to_have_text("4 boxes selected")
        page.keyboard.press("o")
        expect_flag(page, "flag:occluded", "true")
        click_at(page, 120, 305, "Shift")
        expect_flag(page, "flag:occluded", "mixed")
        expect_flag(page, "view:Frontal", "true")
        take_picture(page, "crowd-mixed")
        page.keyboard.press("q")
        expect_flag(page, "view:Left", "true")
        page.keyboard.press("Control+z")
        expect(many).to_have_text("5 boxes selected")
        for number in range(5):
            expect(rows.nth(number)).to_have_attribute("data-view", "Frontal")
        page.keyboard.press("Escape")
        page.keyboard.down("Shift")
        do.drag(page, *(do.place_on_screen(page, at) for at in ((20, 390), (200, 480))))
        page.keyboard.up("Shift")
        page.keyboard.press("Delete")
        do.expect_boxes(page, SEAT, SECOND)
        page.get_by_test_id("object").first.click()
        page.get_by_test_id("flag:group_of").click()
        expect(page.get_by_test_id("object").first).to_have_attribute("data-group", "true")
        do.wait_for_saved(page)
        page.reload()
        do.wait_for_work(page)
        expect(page.get_by_test_id("object").first).to_have_attribute("data-group", "true")
        do.finish_last(page)
        do.wait_for_saved(page)
    head = crowded.head(image)
    assert boxes_of(head) == [SEAT, SECOND]
    assert [(item.group_of, item.difficult, item.occluded) for item in head.objects] == [
        (True, True, True),
        (False, False, False),
    ]
    with crowded.at_work("chris", Role.CHECKER, at="/check") as page:
        page.get_by_test_id("object").first.click()
        expect_flag(page, "flag:group_of", "true")
        take_picture(page, "crowd-checking")


def test_several_rows_of_the_list_are_selected_by_keys_alone(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        do.drag_box(page, SEAT)
        do.drag_box(page, SECOND)
        expect(page.get_by_test_id("flag:group_of")).to_have_count(0)
        page.get_by_test_id("objects").focus()
        do.press(page, "ArrowUp", "Shift+ArrowDown")
        expect(page.get_by_test_id("many-selected")).to_have_text("2 boxes selected")
        selected = page.locator("[data-testid=object][aria-selected=true]")
        expect(selected).to_have_count(2)
        page.keyboard.press("u")
        expect(page.locator("[data-testid=object][data-unsure=true]")).to_have_count(2)
        page.keyboard.press("Escape")
        expect(selected).to_have_count(0)
