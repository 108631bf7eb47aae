"""The annotation page: accessibility, language, amount loaded and connections."""

import re
from typing import Any, Literal

from playwright.sync_api import Page, expect

from catalog.states import ImageState
from tests.browser import browsing, take_picture, wait_until

from . import party_page as do
from .party_page import CAT, PERSON, PartyHouse

FIRST_LOAD_AT_MOST = 300_000  # bytes, with headers
SIZES_BY_NAME = """Object.fromEntries(
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .map(({ name, transferSize }) => [name, transferSize]))"""
HEADINGS_OUT_OF_ORDER = """() => {
  const all = [...document.querySelectorAll("h1, h2, h3, h4")];
  const headings = all.filter((one) => one.checkVisibility());
  const level = (heading) => Number(heading?.tagName[1] ?? 0);
  return headings
    .filter((one, place) => !one.textContent.trim() || level(one) > level(headings[place - 1]) + 1)
    .map((one) => `${one.tagName} ${one.textContent}`);
}"""
NAMELESS = """() => [...document.querySelectorAll(
    "button, input, select, textarea, a[href], [role], [tabindex='0']")]
  .filter((element) => element.checkVisibility() && element.role !== "presentation")
  .filter((element) => {
    const labelled = element.getAttribute("aria-labelledby");
    const name = element.ariaLabel || (labelled && document.getElementById(labelled)?.textContent)
      || [...(element.labels ?? [])].map((label) => label.textContent).join("")
      || element.textContent.trim();
    return !name && !["status", "alert", "group"].includes(element.role);
  })
  .map((element) => element.outerHTML.slice(0, 120))"""

SEEN_FOCUS = """() => {
  if (document.activeElement === document.body) return true;  // on its way through the browser
  const style = getComputedStyle(document.activeElement);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
}"""
SIZE_OF_TEXT = """() => Math.min(...[...document.querySelectorAll(".panel *, .status *")]
    .filter((element) => element.checkVisibility() && element.textContent.trim())
    .map((element) => parseFloat(getComputedStyle(element).fontSize) * element.currentCSSZoom))"""


SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def draw(page: Page) -> None:
    do.wait_for_work(page)
    do.drag_box(page, PERSON)
    do.drag_box(page, CAT)
    do.select_class(page, "cat")
    page.get_by_test_id("object").first.click()
    do.expect_boxes(page, PERSON, CAT)


def test_every_control_has_a_name_and_a_visible_focus(house: PartyHouse) -> None:
    house.add_image()
    with house.signed_in("ann") as page:
        draw(page)
        page.get_by_test_id("light.show").click()
        page.keyboard.press("g")
        assert page.evaluate(NAMELESS) == []
        assert page.evaluate(HEADINGS_OUT_OF_ORDER) == []
        seen = set()
        for _ in range(45):
            page.keyboard.press("Tab")
            assert page.evaluate(SEEN_FOCUS), page.evaluate("document.activeElement.outerHTML")
            seen.add(page.evaluate("document.activeElement.dataset.testid ?? ''"))
        assert {"undo", "class:person", "flag:truncated", "objects", "image.finish"} <= seen
        page.keyboard.press("?")
        assert page.evaluate(NAMELESS) == []


def test_the_page_is_readable_in_light_and_dark_and_names_objects(house: PartyHouse) -> None:
    house.add_image()
    with house.signed_in("ann") as page:
        draw(page)
        option = page.get_by_role("option", name=re.compile("^1 person.* 372 × 480"))
        expect(option).to_have_attribute("aria-selected", "true")
        page.keyboard.press("f")
        expect(page.get_by_role("button", name="frontal")).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("t")
        said = page.get_by_role("option", name="1 person frontal truncated 372 × 480")
        expect(said).to_be_visible()
        expect(page.get_by_role("radio", name="person")).to_have_attribute("aria-checked", "true")
        expect(page.get_by_role("application", name="Image")).to_be_focused()
        expect(page.get_by_test_id("status-box")).to_contain_text("31, 21 – 402, 500")
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": 1280, "height": 720})
            wait_until(page, f"() => ({SIZE_OF_TEXT})() < 15")
            assert page.evaluate(SIZE_OF_TEXT) >= 10
            take_picture(page, f"annotate-{scheme}")
            page.set_viewport_size({"width": 3840, "height": 2160})
            wait_until(page, f"() => ({SIZE_OF_TEXT})() >= 15")
            take_picture(page, f"annotate-4k-{scheme}")
            page.set_viewport_size({"width": 1024, "height": 700})
            expect(page.get_by_test_id("image.finish")).to_be_in_viewport()
            take_picture(page, f"annotate-small-{scheme}")


CUT_VIEWS = """() => [...document.querySelectorAll(".view .chip span")]
  .filter((word) => word.scrollWidth > word.clientWidth).map((word) => word.textContent)"""


def test_an_image_can_be_annotated_in_german(house: PartyHouse) -> None:
    image = house.add_image()
    with browsing(house.chromium, locale="de-DE") as page:
        page.goto(house.make_link("ann"))
        page.get_by_role("button", name="Weiter").press("Enter")
        do.wait_for_work(page)
        expect(page.locator("html")).to_have_attribute("lang", "de")
        do.select_class(page, "person")
        do.drag_box(page, PERSON)
        expect(page.locator(".view .chip")).to_have_count(5)
        assert page.evaluate(CUT_VIEWS) == []
        take_picture(page, "german-annotate")
        page.keyboard.press("Shift+?")
        expect(page.get_by_role("heading", name="Tastenkürzel")).to_be_visible()
        take_picture(page, "german-keys")
        page.keyboard.press("Escape")
        do.tap(page, "d")
        expect(page.get_by_role("heading", name="Sind alle Objekte markiert?")).to_be_visible()
        take_picture(page, "german-finish")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="Vorerst alles erledigt")).to_be_visible()
    assert house.state(image) is ImageState.ANNOTATED


def test_high_contrast_frames_what_is_selected_or_pressed(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        page.emulate_media(forced_colors="active")
        do.drag_box(page, PERSON)
        do.select_class(page, "dog")
        for place in ("[data-testid=object][aria-selected=true]", "[data-testid='class:dog']"):
            shown = page.locator(place)
            expect(shown).to_have_css("outline-style", re.compile("solid|double"))
            expect(shown).to_have_css("outline-width", "3px")
        expect(page.get_by_test_id("class:cat")).to_have_css("outline-style", "none")
        take_picture(page, "forced-colors")


def test_pages_have_a_font_of_their_own_with_its_licence(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        assert page.evaluate("document.fonts.ready.then(() => [...document.fonts].length)") == 2
        assert page.evaluate("document.fonts.check('13px \"Inter Variable\"')")
        faces = page.evaluate("[...document.fonts].map((face) => face.status)")
        assert "loaded" in faces
        assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith('"Inter')
        licence = page.evaluate("fetch('/static/fonts/OFL.txt').then((file) => file.text())")
        assert "SIL OPEN FONT LICENSE" in licence.upper()


def test_the_first_load_is_under_300_kb_without_the_image(house: PartyHouse) -> None:
    house.add_image()
    with browsing(house.chromium, is_first=True) as page:
        do.sign_in(page, house.make_link("ann"))
        do.wait_for_work(page)
        sizes = page.evaluate(SIZES_BY_NAME)
    loaded = {name: size for name, size in sizes.items() if "/images/" not in name}
    assert any(name.endswith("/app/annotate_page.js") for name in loaded)
    assert len(loaded) < 100
    assert all(loaded.values()), "a file came out of the browser's memory"
    assert sum(loaded.values()) < FIRST_LOAD_AT_MOST


def test_the_annotation_page_needs_two_connections_at_most_after_its_files(
    house: PartyHouse,
) -> None:
    house.add_images(4)
    link = house.make_link("ann")
    with browsing(house.chromium) as page:
        used = dict[int, set[str]]()
        kept_ids = set[str]()  # of answers out of the browser's memory
        network = page.context.new_cdp_session(page)
        network.send("Network.enable")

        def note(event: dict[str, Any]) -> None:
            response = event["response"]
            if not response.get("fromDiskCache") and event["requestId"] not in kept_ids:
                used.setdefault(response["connectionId"], set()).add(response["url"])

        network.on("Network.requestServedFromCache", lambda event: kept_ids.add(event["requestId"]))
        network.on("Network.responseReceived", note)
        do.enter(page, link)
        do.open_work(page, "/annotate")  # the modules come over more, once
        page.wait_for_load_state("networkidle")
        used.clear()
        do.open_work(page, "/annotate")
        page.wait_for_load_state("networkidle")
        do.drag_box(page, PERSON)
        do.finish(page)
        do.wait_for_work(page)
        page.wait_for_load_state("networkidle")
        network.detach()
    used.pop(0, None)  # answers out of the browser's memory
    assert len(used) <= 2, used
