"""Every page fits a phone, and axe finds no barrier on it."""

import json
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, Route, expect

from catalog.states import Role
from tests.browser import browsing

from . import party_page as do
from .party_page import CAT, PERSON, PartyHouse
from .test_clusters import mix_up
from .test_segmenting import choose, outline, rectangle
from .test_shown_versions import give_training

AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
FIND = """async ([within, only]) => {
  const needed = { resultTypes: ["violations"], selectors: false };  // half the time of all
  const { violations } = await axe.run(within, only ? { runOnly: only, ...needed } : needed);
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
    do.sign_in(page, house.make_link("olga", Role.ORGANISER), do.BLANK)
    for name, path in do.list_addresses().items():
        do.open_page(page, path)
        page.wait_for_load_state("networkidle")
        yield name


def test_every_page_fits_a_phone_and_has_large_buttons(house: PartyHouse) -> None:
    longest_words = "de-DE"
    with browsing(house.chromium, has_touch=True, is_mobile=True, locale=longest_words) as page:
        page.set_viewport_size({"width": 360, "height": 640})
        for name in open_each(house, page):
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
            assert page.evaluate(UNREACHABLE) == [], name


def find_faults(page: Page, within: str = "html") -> list[str]:
    """What axe finds there in light, and of contrast in the dark."""
    assert AXE.exists(), "axe-core is missing; install it with `npm ci`"
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(f"{AXE.read_text()};null")  # as a script tag it takes six times as long
    faults: list[str] = page.evaluate(FIND, [within, None])
    page.emulate_media(color_scheme="dark")
    in_the_dark: list[str] = page.evaluate(FIND, [within, ["color-contrast"]])
    page.emulate_media(color_scheme="light")
    return faults + [f"in the dark: {fault}" for fault in in_the_dark]


def test_axe_finds_no_fault_on_any_page_in_light_and_dark(house: PartyHouse) -> None:
    with browsing(house.chromium, bypass_csp=True) as page:
        for name in open_each(house, page):
            assert find_faults(page) == [], name


def test_axe_finds_no_fault_on_pages_with_returned_work_and_gold(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON, CAT)
    with house.client("chris", Role.CHECKER) as chris, house.client("ann") as ann:
        for words in ("It is a statue.", "Still a statue."):
            task = chris.take("check")
            assert task is not None
            verdict = {"key": "k1", "verdict": "reject", "comment": words}
            chris.review(task, "returned", objects=[verdict], comment="Look again.")
            redone = ann.take("annotate")
            assert redone is not None
            objects = [
                {name: value for name, value in item.items() if name != "difficult"}
                for item in redone["annotation"]["objects"]
            ]
            ann.save(redone, [objects[0] | {"truncated": True}, *objects[1:]])
    with browsing(house.chromium, bypass_csp=True) as page:
        do.sign_in(page, house.make_link("ann"))
        look_at(page, "/feedback", "outcomes")
    with browsing(house.chromium, bypass_csp=True) as page:
        do.sign_in(page, house.make_link("olga", Role.ORGANISER))
        look_at(page, "/disputes", f"dispute:{image.id}")
        look_at(page, f"/gold?image={image.id}", "gold-form")
        page.get_by_test_id("gold-save").click()
        expect(page.get_by_test_id(f"gold:{image.id}")).to_be_visible()
        look_at(page, "/gold", f"gold:{image.id}")
        do.open_page(page, "/people")
        page.get_by_test_id("menu:ann").click()
        assert find_faults(page) == []


def look_at(page: Page, path: str, test_id: str) -> None:
    """Let axe look at a page once it shows this."""
    do.open_page(page, path)
    expect(page.get_by_test_id(test_id)).to_be_visible()
    assert find_faults(page) == [], path


def test_axe_finds_no_fault_in_the_dialogs_of_work(house: PartyHouse) -> None:
    house.add_images(2)
    house.draw_by_client(CAT)
    with browsing(house.chromium, bypass_csp=True) as page:
        do.sign_in(page, house.make_link("ann"), "/annotate")
        do.wait_for_work(page)
        do.drag_box(page, PERSON)
        for key, name in (("?", "help-dialog"), ("x", "discard-dialog")):
            page.keyboard.press(key)
            look_into(page, name)
            page.keyboard.press("Escape")
        do.tap(page, "d")
        look_into(page, "finish-dialog")
        page.keyboard.press("Escape")
        page.keyboard.press("x")
        page.keyboard.press("1")
        look_into(page, "discard-confirm")
    with browsing(house.chromium, bypass_csp=True) as page:
        do.sign_in(page, house.make_link("olga", Role.ORGANISER), "/check")
        do.wait_for_work(page)
        page.get_by_test_id("make-gold").click()
        look_into(page, "gold-dialog")
        page.keyboard.press("Escape")
        do.tap(page, "Space")
        do.tap(page, "d")
        look_into(page, "verdict-dialog")
        page.keyboard.press("n")
        look_into(page, "verdict-dialog")


def test_axe_finds_no_fault_in_the_dialogs_of_organisers(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_return_and_correct()
    mix_up(house, image.id, house.add_image("chelsea").id)
    with browsing(house.chromium, bypass_csp=True) as page:
        do.sign_in(page, house.make_link("olga", Role.ORGANISER), "/clusters")
        page.get_by_test_id("help").click()
        look_into(page, "help-dialog")
        do.open_page(page, "/images")
        page.locator(".tile").first.focus()
        page.keyboard.press("Space")
        look_into(page, "preview")
        do.open_page(page, "/people")
        for action in ("renew", "end", "undo"):
            page.get_by_test_id("menu:ann").click()
            page.get_by_test_id(f"{action}:ann").click()
            look_into(page, "sure-dialog")
            page.get_by_test_id("sure-back").click()
        do.open_page(page, f"/history?image={image.id}")
        page.locator("[data-testid^='restore:']").first.click()
        look_into(page, "restore-dialog")


def test_axe_finds_no_fault_in_the_questions_that_come_by_themselves(house: PartyHouse) -> None:
    house.add_images(3)
    ann = house.make_link("ann")
    bob = house.make_link("bob")
    refusals = ("status of 400", "status of 401", "status of 409", "status of 422")
    with browsing(house.chromium, bypass_csp=True, allowing=refusals) as page:
        do.sign_in(page, ann)
        do.wait_for_work(page)
        second = page.context.new_page()
        second.goto(page.url)
        do.wait_for_work(second)
        do.drag_box(page, PERSON)
        do.wait_for_saved(page)
        do.drag_box(second, CAT)
        look_into(second, "conflict-dialog")
        second.get_by_test_id("conflict-theirs").click()
        do.wait_for_saved(second)
        second.close()
        finish_wrongly(page)
        look_into(page, "problem-dialog")
        page.get_by_test_id("problem-later").click()
        page.context.clear_cookies()
        do.drag_box(page, CAT)
        look_into(page, "signed-out-dialog")
    with browsing(house.chromium, bypass_csp=True, allowing=refusals) as page:
        do.sign_in(page, ann)
        do.wait_for_work(page)
        tab = page.context.new_page()
        do.sign_in(tab, bob)
        do.drag_box(page, PERSON)
        look_into(page, "stopped-dialog")


def finish_wrongly(page: Page) -> None:
    """Finish the image, with a view that no object has, once the page shows the next one."""
    held: list[Route] = []
    image_id = do.find_image_id(page)
    page.route("**/revisions", lambda route: held.append(route))
    with page.expect_request("**/revisions"):
        do.finish(page)
    do.wait_for_other(page, image_id)
    (route,) = held
    body = json.loads(route.request.post_data or "")
    body["objects"][0]["view"] = "Sideways"
    route.continue_(post_data=json.dumps(body))
    page.unroute("**/revisions")


def test_axe_finds_no_fault_in_what_a_trainee_is_told(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON, name="zoe")
    with house.client("olga", Role.ORGANISER) as olga:
        page_of_gold = olga.send("GET", f"/api/v1/gold/{image.id}")
        chosen = {
            "is_training": True,
            "note": "The whole person.",
            "version": page_of_gold["version"],
        }
        chosen["annotation_id"] = page_of_gold["annotation_id"]
        olga.send("PUT", f"/api/v1/gold/{image.id}", chosen)
    give_training(house)
    with browsing(house.chromium, bypass_csp=True) as page:
        do.sign_in(page, house.make_link("ben"), "/annotate")
        do.wait_for_work(page)
        do.drag_box(page, PERSON)
        do.press(page, "f")
        do.wait_for_saved(page)
        do.finish(page)
        look_into(page, "feedback-dialog")


def test_axe_finds_no_fault_in_the_dialogs_of_outlines(house: PartyHouse) -> None:
    choose(house, CAT)
    with browsing(house.chromium, bypass_csp=True, allowing=("status of 409",)) as page:
        do.sign_in(page, house.make_link("ann"), "/segment")
        do.wait_for_work(page)
        page.keyboard.press("?")
        look_into(page, "help-dialog")
        page.keyboard.press("Escape")
        do.tap(page, "d")
        look_into(page, "finish-dialog")
        page.keyboard.press("Escape")
        other = page.context.new_page()
        other.goto(page.url)
        do.wait_for_work(other)
        outline(other, rectangle(PERSON))
        do.wait_for_saved(other)
        outline(page, rectangle(CAT))
        look_into(page, "conflict-dialog")
        page.get_by_test_id("conflict-mine").click()
        do.wait_for_saved(page)
        do.finish(page)
        do.wait_for_screen(page, "nothing_to_segment")
        do.wait_for_saved(page)
    with browsing(house.chromium, bypass_csp=True) as page:
        do.sign_in(page, house.make_link("chris", Role.CHECKER), "/segment/check")
        do.wait_for_work(page)
        do.tap(page, "d")
        look_into(page, "verdict-dialog")


def look_into(page: Page, name: str) -> None:
    """Let axe look at an open dialog."""
    expect(page.get_by_test_id(name)).to_be_visible()
    assert find_faults(page, f"[data-testid='{name}']") == [], name
