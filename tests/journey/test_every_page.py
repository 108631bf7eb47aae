"""Every page fits a phone, and axe finds no barrier on it."""

from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from catalog.states import Role
from tests.browser import browsing

from . import party_page as do
from .party_page import CAT, PERSON, PartyHouse

AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
FIND = """async (only) => {
  const { violations } = await axe.run(only ? { runOnly: only } : {});
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`));
}"""
UNREACHABLE = """() => [...document.querySelectorAll("button, summary, select, [role=option]")]
  .filter((it) => it.checkVisibility() && it.offsetHeight < 44 && it.offsetHeight > 0)
  .map((it) => it.outerHTML)"""


def open_each(house: PartyHouse, page: Page) -> Iterator[str]:
    """Open each page of a party with work in progress, one after the other."""
    house.add_images(2)
    house.draw_by_client(PERSON, CAT)
    house.draw_and_accept(PERSON)
    do.enter(page, house.make_link("olga", Role.ORGANISER))
    for name, path in do.list_addresses().items():
        do.open_page(page, path)
        page.wait_for_load_state("networkidle")
        yield name


def test_every_page_fits_a_phone_and_has_large_buttons(house: PartyHouse) -> None:
    with browsing(house.chromium, has_touch=True, is_mobile=True) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        for name in open_each(house, page):
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
            assert page.evaluate(UNREACHABLE) == [], name


def test_axe_finds_no_fault_on_any_page_in_light_and_dark(house: PartyHouse) -> None:
    assert AXE.exists(), "axe-core is missing; install it with `npm ci`"
    with browsing(house.chromium, bypass_csp=True) as page:
        for name in open_each(house, page):
            page.add_script_tag(path=AXE)
            assert page.evaluate(FIND) == [], name
            page.emulate_media(color_scheme="dark")
            assert page.evaluate(FIND, ["color-contrast"]) == [], f"{name} in the dark"
            page.emulate_media(color_scheme="light")
