"""The two key maps and single keys changed by a person, in a real browser."""

from playwright.sync_api import Page, expect

from tests.browser import take_picture

from . import party_page as do
from .party_page import CAT, PERSON, PartyHouse

NOT_SO_EASY = "A single letter must not delete. Add Ctrl, or choose another key."


def put_on(page: Page, command: str, key: str) -> str:
    """Press a key for a command in the overview; return what the overview says then."""
    page.locator(f"[data-command='{command}']").click()
    page.keyboard.press(key)
    return page.get_by_test_id("key-news").inner_text()


def test_changed_keys_and_key_maps_are_remembered(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        page.keyboard.press("?")
        assert put_on(page, "flag:occluded", "n") == "N is now: Occluded."
        take_picture(page, "keys-changed")
        page.keyboard.press("Escape")
        do.drag_box(page, PERSON)
        page.keyboard.press("o")
        rows = do.expect_boxes(page, PERSON)
        expect(rows).to_have_attribute("data-occluded", "false")
        page.keyboard.press("n")
        expect(rows).to_have_attribute("data-occluded", "true")
        expect(page.get_by_test_id("flag:occluded").locator("kbd")).to_have_text("N")
        do.open_work(page, "/annotate")
        page.get_by_test_id("object").click()
        page.keyboard.press("n")
        expect(page.get_by_test_id("object")).to_have_attribute("data-occluded", "false")
        page.keyboard.press("?")
        page.get_by_test_id("keys-reset").click()
        do.press(page, "Escape", "o")
        expect(page.get_by_test_id("object")).to_have_attribute("data-occluded", "true")
        page.keyboard.press("?")
        page.get_by_test_id("key-map").select_option("cvat")
        page.keyboard.press("Escape")
        do.open_work(page, "/annotate")
        page.keyboard.press("n")
        expect(page.locator("body")).to_have_attribute("data-armed", "box")
        do.drag_box(page, CAT)
        page.keyboard.press("q")
        expect(page.get_by_test_id("object").nth(1)).to_have_attribute("data-occluded", "true")
        do.tap(page, "f")
        expect(page.get_by_test_id("finish-dialog")).to_be_visible()


def test_a_setting_changed_offline_is_sent_at_the_next_visit(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann", allowing=("ERR_INTERNET_DISCONNECTED",)) as page:
        page.context.set_offline(True)
        page.keyboard.press(";")
        expect(page.locator("body")).to_have_attribute("data-drawing", "clicks")
        page.context.set_offline(False)
        with page.expect_response(lambda answer: answer.request.method == "PUT"):
            do.open_page(page, "/annotate")
        expect(page.locator("body")).to_have_attribute("data-drawing", "clicks")
    with house.signed_in("ann") as elsewhere:
        do.open_page(elsewhere, "/annotate")
        expect(elsewhere.locator("body")).to_have_attribute("data-drawing", "clicks")


def test_unavailable_keys_are_refused_with_a_sentence(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        page.keyboard.press("?")
        for command, key, told in (
            ("zoom.fit", "t", "T is already used for: Truncated. Change that shortcut first."),
            ("zoom.fit", "Control+w", "The browser or the system uses Ctrl W. Choose another key."),
            ("box.remove", "n", NOT_SO_EASY),
        ):
            assert put_on(page, command, key) == told
        page.locator("[data-command='zoom.fit']").click()
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("help-dialog")).to_be_visible()
        expect(page.locator("[data-command='zoom.fit']")).to_have_text("_Home")
