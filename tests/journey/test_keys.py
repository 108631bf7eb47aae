"""The two key maps and single keys changed by a person, in a real browser."""

from playwright.sync_api import Page, expect

from catalog.states import ImageState, Role
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
        assert put_on(page, "flag:occluded", "Shift+G") == "⇧G is now: Occluded."
        take_picture(page, "keys-changed")
        page.keyboard.press("Escape")
        do.drag_box(page, PERSON)
        page.keyboard.press("o")
        rows = do.expect_boxes(page, PERSON)
        expect(rows).to_have_attribute("data-occluded", "false")
        page.keyboard.press("Shift+G")
        expect(rows).to_have_attribute("data-occluded", "true")
        expect(page.get_by_test_id("flag:occluded").locator("kbd")).to_have_text("⇧G")
        do.open_work(page, "/annotate")
        page.get_by_test_id("object").click()
        page.keyboard.press("Shift+G")
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
    with house.signed_in("ann", at="/annotate") as elsewhere:
        expect(elsewhere.locator("body")).to_have_attribute("data-drawing", "clicks")


def test_unavailable_keys_are_refused_with_a_sentence(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        page.keyboard.press("?")
        for command, key, sentence in (
            ("zoom.fit", "t", "T is already used for: Truncated. Change that shortcut first."),
            ("zoom.fit", "Control+w", "The browser or the system uses Ctrl W. Choose another key."),
            ("box.remove", "n", NOT_SO_EASY),
        ):
            assert put_on(page, command, key) == sentence
        page.locator("[data-command='zoom.fit']").click()
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("help-dialog")).to_be_visible()
        expect(page.locator("[data-command='zoom.fit']")).to_have_text("_Home")


def hold(page: Page, key: str, times: int = 6) -> None:
    """A key that is held: each further press without a release is a repeat."""
    for _ in range(times):
        page.keyboard.down(key)
    page.keyboard.up(key)


def test_enter_twice_or_held_on_an_object_keeps_its_class(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        do.drag_box(page, PERSON)
        do.select_class(page, "dog")
        expect(page.get_by_test_id("object")).to_have_attribute("data-class", "dog")
        field = page.get_by_test_id("class-filter")
        for _ in range(2):
            do.press(page, "Enter", "Enter")
            hold(page, "Enter")
            expect(page.get_by_test_id("object")).to_have_attribute("data-class", "dog")
        page.keyboard.press("Escape")
        page.get_by_test_id("object").click()
        page.keyboard.press("m")
        field.fill("  ")
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("object")).to_have_attribute("data-class", "dog")
        page.keyboard.press("m")
        field.fill("cat")
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("object")).to_have_attribute("data-class", "cat")


def test_a_key_that_ends_composed_input_takes_no_class(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        do.drag_box(page, PERSON)
        do.select_class(page, "dog")
        page.keyboard.press("m")
        field = page.get_by_test_id("class-filter")
        field.fill("cat")
        for composing in ("isComposing: true", "keyCode: 229"):
            field.evaluate(
                "(field, told) => field.dispatchEvent(new KeyboardEvent('keydown', told))",
                {
                    "key": "Enter",
                    "bubbles": True,
                    "isComposing": "isComposing" in composing,
                    "keyCode": 229 if "229" in composing else 13,
                },
            )
            expect(field).to_be_focused()
            expect(field).to_have_value("cat")
            expect(page.get_by_test_id("object")).to_have_attribute("data-class", "dog")
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("object")).to_have_attribute("data-class", "cat")


def test_a_held_enter_confirms_no_question(house: PartyHouse) -> None:
    image = house.add_image("astronaut")
    house.draw_by_client((31, 21, 402, 280))
    with house.signed_in("olga", Role.ORGANISER, at="/images?state=annotated") as olga:
        do.tick_all(olga)
        olga.get_by_test_id("action").select_option("take_down")
        olga.get_by_test_id("words").fill("the owner asked")
        olga.get_by_test_id("act").focus()
        hold(olga, "Enter")
        question = olga.get_by_test_id("sure-dialog")
        expect(question).to_contain_text("Take down: 1 image. Continue? This cannot be undone.")
        hold(olga, "Enter")  # the way back has the focus
        expect(question).to_have_count(0)
        assert house.state(image) is ImageState.ANNOTATED
        do.open_page(olga, "/people")
        olga.get_by_test_id("menu:ann").focus()
        hold(olga, "Enter")
        expect(olga.get_by_test_id("renew:ann")).to_be_focused()  # as the open menu does at last
        olga.get_by_test_id("undo:ann").focus()
        hold(olga, "Enter")
        expect(olga.get_by_test_id("sure-dialog")).to_contain_text("Would undo")
        assert house.state(image) is ImageState.ANNOTATED
