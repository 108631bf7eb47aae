"""The organiser's pages in a real browser, with thirty people at the party."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from catalog.states import Role
from tests.browser import take_picture

from .party_page import PERSON, PartyHouse, open_page
from .test_judging import draw_and_accept

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PEOPLE = 30


def invite(house: PartyHouse) -> None:
    """Thirty people beside those who worked."""
    for number in range(PEOPLE):
        house.make_link(f"person {number:02}")


def fits_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def count_rows_of_ways(page: Page) -> int:
    """In how many rows the ways to the other pages stand, at 1280 x 720."""
    tops = "all => new Set(all.map(one => one.getBoundingClientRect().top)).size"
    rows = int(page.locator(".top nav a").evaluate_all(tops))
    bar = page.locator(".top").bounding_box()
    assert bar is not None
    return rows if bar["height"] < 70 else max(rows, 2)


def test_the_board_shows_thirty_people_and_where_the_images_are(house: PartyHouse) -> None:
    draw_and_accept(house, PERSON)
    invite(house)
    with house.signed_in("olga", Role.ORGANISER) as olga:
        open_page(olga, "/board")
        expect(olga.get_by_text("person 29")).to_be_visible()
        expect(olga.get_by_text("ann", exact=True).first).to_be_visible()
        assert fits_sideways(olga)
        assert count_rows_of_ways(olga) == 1
        take_picture(olga, "board-thirty")


@pytest.mark.parametrize("path", ["/wall", "/people", "/training", "/statistics"])
def test_each_page_of_the_organiser_opens_without_an_error(house: PartyHouse, path: str) -> None:
    draw_and_accept(house, PERSON)
    invite(house)
    with house.signed_in("olga", Role.ORGANISER) as olga:
        open_page(olga, path)
        expect(olga.locator("main")).to_contain_text(
            {
                "/wall": "ann",
                "/people": "person 29",
                "/training": "How to label",
                "/statistics": "1 images",
            }[path]
        )
        assert fits_sideways(olga)
        assert count_rows_of_ways(olga) == 1
        take_picture(olga, f"organiser{path.replace('/', '-')}")


def test_the_figures_of_the_statistics_are_drawn(house: PartyHouse) -> None:
    draw_and_accept(house, PERSON)
    with house.signed_in("olga", Role.ORGANISER) as olga:
        open_page(olga, "/statistics")
        pictures = olga.locator("figure img")
        expect(pictures).to_have_count(8)
        for picture in pictures.all():
            picture.scroll_into_view_if_needed()
            expect(picture).to_have_js_property("complete", True)
            assert picture.evaluate("it => it.naturalWidth") > 0
