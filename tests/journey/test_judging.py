"""The difficult pass and the queue of findings in a real browser, by keyboard alone."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from catalog.states import Role
from export.release import export_release
from tests.browser import take_picture

from .party_page import CAT, NOW, PERSON, Box, PartyHouse, open_page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def draw_and_accept(house: PartyHouse, *boxes: Box) -> None:
    """An image with these people on it, drawn by one and accepted by another."""
    house.add_image()
    looks = {"class": "person", "view": "Frontal", "truncated": False, "occluded": False}
    with house.client("ann") as ann:
        task = ann.take("annotate")
        assert task is not None
        objects = [
            {"key": f"k{number}", "box": list(box), **looks} for number, box in enumerate(boxes)
        ]
        ann.save(task, objects, active_secs=30.0)
    with house.client("chris", Role.CHECKER) as chris:
        held = chris.take("check")
        assert held is not None
        chris.review(held, "accept")


def take_both(page: Page, name: str) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        take_picture(page, f"{name}-{scheme}")


def test_difficult_by_one_key_is_in_the_released_xml(house: PartyHouse, tmp_path: Path) -> None:
    draw_and_accept(house, PERSON, CAT)
    with house.signed_in("olga", Role.ORGANISER) as olga:
        open_page(olga, "/difficult")
        olga.get_by_test_id("class-person").click()
        tiles = olga.get_by_test_id("tile")
        expect(tiles).to_have_count(2)
        olga.keyboard.press("ArrowRight")
        olga.keyboard.press("d")
        expect(olga.locator(".tile.difficult")).to_have_count(1)
        take_both(olga, "difficult-grid")
        olga.keyboard.press("v")
        expect(tiles).to_have_count(1)
        take_both(olga, "difficult-one")
        olga.keyboard.press("v")
        olga.keyboard.press("Space")
        expect(olga.get_by_test_id("empty")).to_contain_text("This class is done")
    export_release(house.party, tmp_path / "release", year=2026, at=NOW)
    [xml] = (tmp_path / "release").rglob("Annotations/*.xml")
    words = [item.findtext("difficult") for item in ElementTree.parse(xml).findall("object")]
    assert words == ["1", "0"]  # the person is the larger one, so the second crop


def test_findings_are_judged_by_one_key_each_and_a_check_is_turned_off(house: PartyHouse) -> None:
    draw_and_accept(house, PERSON, (33, 21, 402, 500))
    with house.signed_in("olga", Role.ORGANISER) as olga:
        open_page(olga, "/findings")
        expect(olga.get_by_test_id("tile").first).to_be_visible()
        olga.get_by_test_id("check-same_class_overlap").click()
        expect(olga.get_by_test_id("tile")).to_have_count(1)
        take_both(olga, "findings")
        olga.keyboard.press("w")
        expect(olga.get_by_test_id("check-same_class_overlap")).to_contain_text("0 of 1 right")
        olga.get_by_test_id("switch-same_class_overlap").uncheck()
        expect(olga.get_by_test_id("said")).to_contain_text("is off")
        olga.reload()
        expect(olga.get_by_test_id("switch-same_class_overlap")).not_to_be_checked()


def test_without_findings_the_page_says_what_to_run(house: PartyHouse) -> None:
    with house.signed_in("olga", Role.ORGANISER) as olga:
        open_page(olga, "/findings")
        expect(olga.get_by_test_id("empty")).to_contain_text("vocparty qa")
        take_picture(olga, "findings-empty")
