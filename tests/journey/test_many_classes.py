"""A party with 200 classes, used by keyboard alone in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from catalog.party import Party, make_party, open_party
from catalog.states import Role
from tests.browser import take_picture
from tests.many_classes import write_preset

from . import party_page as do
from .party_page import PartyHouse


@pytest.fixture
def party(tmp_path: Path) -> Iterator[Party]:
    """A new party with 200 classes in eight groups."""
    folder = tmp_path / "party"
    text = write_preset(200)
    for name, word in (("defifi", "tramcar"), ("bafime", "streetcar")):
        display = f'display = "the {name}"'
        text = text.replace(display, f'{display}\nsynonyms = ["{word}"]')
    values = {"annotate": {"presence_pass": True}}
    make_party(folder, name="Many", preset="many.toml", preset_text=text, values=values)
    with open_party(folder) as party:
        yield party


def test_200_classes_are_used_by_keyboard_alone(house: PartyHouse) -> None:
    image = house.add_image()
    with house.at_work("ann") as page:
        draw_by_keys(page, 1)
        do.press(page, "m")
        page.keyboard.type("lafi")
        first = page.locator(".class-chip").first
        expect(first).to_have_attribute("data-class", "balafi")
        take_picture(page, "many-classes-search")
        do.press(page, "Enter")
        expect_classes(page, "balafi")
        do.press(page, "Escape")
        draw_by_keys(page, 2)
        choose_in_group(page)
        expect_classes(page, "balafi", "bafime")
        do.press(page, "1")  # the key of the class that was used first
        expect_classes(page, "balafi", "balafi")
        do.press(page, "2")
        expect_classes(page, "balafi", "bafime")
        do.tap(page, "d")
        look_through_the_checklist(page)
        do.tap(page, "d")
        do.wait_for_screen(page, "empty")
    assert [row.class_name for row in house.head(image).objects] == ["balafi", "bafime"]


def draw_by_keys(page: Page, number: int) -> None:
    """A box to the right of those before, drawn from the middle of the image."""
    do.press(page, "w", *["Shift+ArrowRight"] * (3 * number), "Enter")
    do.press(page, *["Shift+ArrowRight", "Shift+ArrowDown"] * 2, "Enter")
    expect(page.get_by_test_id("object")).to_have_count(number)


def choose_in_group(page: Page) -> None:
    """Unfold the second group, and choose its second class."""
    do.press(page, "m", "ArrowDown")
    expect(page.get_by_test_id("class:balafi")).to_be_focused()  # it was used last
    do.press(page, "ArrowRight", "ArrowRight")
    expect(page.get_by_test_id("fold:Group 2")).to_be_focused()
    do.press(page, "Enter", "ArrowRight", "ArrowRight")
    expect(page.get_by_test_id("class:bafime")).to_be_focused()
    take_picture(page, "many-classes-group")
    do.press(page, "Enter")


def expect_classes(page: Page, *names: str) -> None:
    rows = page.get_by_test_id("object")
    for place, name in enumerate(names):
        expect(rows.nth(place)).to_have_attribute("data-class", name)


def look_through_the_checklist(page: Page) -> None:
    """What is marked is listed; groups are unfolded with the arrow keys."""
    expect(page.get_by_test_id("checklist-marked").locator("li")).to_have_count(2)
    do.press(page, "Shift+Tab", "Shift+Tab")
    last = page.get_by_test_id("check-fold:Group 8")
    expect(last.locator("summary")).to_be_focused()
    do.press(page, "ArrowUp", "ArrowRight")
    expect(page.get_by_test_id("check-fold:Group 7").locator("li")).to_have_count(25)
    take_picture(page, "many-classes-checklist")


def test_letters_of_another_keyboard_find_a_class(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        do.press(page, "m")
        field = page.get_by_test_id("class-filter")
        for key, code in (("д", "KeyL"), ("ф", "KeyA"), ("а", "KeyF")):
            field.dispatch_event("keydown", {"key": key, "code": code, "bubbles": True})
        expect(field).to_have_value("laf")
        expect(page.locator(".class-chip").first).to_have_attribute("data-class", "balafi")


def test_pages_show_a_part_of_200_classes_and_search_the_others(house: PartyHouse) -> None:
    with house.signed_in("olga", Role.ORGANISER) as page:
        page.goto(house.base_url + "/board")
        card = page.locator("[data-card=classes]")
        expect(card.locator(".plot > g")).to_have_count(40)
        card.get_by_test_id("search-classes").fill("tramcar")
        expect(card.locator(".plot > g")).to_have_count(1)
        page.goto(house.base_url + "/queue")
        page.get_by_test_id("search-classes").fill("streetcar")
        page.get_by_test_id("wanted:bafime").check()
        page.get_by_test_id("search-classes").fill("balafi")
        expect(page.get_by_test_id("wanted-list").locator("input")).to_have_count(2)
        expect(page.get_by_test_id("wanted:bafime")).to_be_checked()
        page.goto(house.base_url + "/presence")
        page.get_by_test_id("search-classes").press_sequentially("bafime")
        expect(page.get_by_test_id("class-bafime")).to_be_visible()
        expect(page.locator("#side li")).to_have_count(1)
