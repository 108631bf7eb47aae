"""The page Images: one search with chips, counts that narrow it, and large pictures."""

from playwright.sync_api import Page, expect

from catalog.states import Role
from tests.browser import take_picture

from . import party_page as do
from .party_page import PERSON, PartyHouse

CAT_BOX = (31, 21, 402, 280)


def test_a_search_is_written_completed_and_taken_back_by_keys(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at="/images") as olga:
        search = olga.get_by_test_id("search")
        count = olga.get_by_test_id("count")
        expect(count).to_have_text("3 images")
        search.fill("per")
        olga.keyboard.press("ArrowDown")
        expect(olga.get_by_test_id("suggest:class:person")).to_have_attribute(
            "aria-selected", "true"
        )
        olga.keyboard.press("Enter")
        expect(olga.get_by_test_id("filter:class")).to_have_text("Class: person×")
        expect(count).to_have_text("2 images")
        olga.keyboard.type("by:ann state:to-check")
        olga.keyboard.press("Enter")
        expect(olga.locator(".chip")).to_have_count(3)
        assert olga.url.endswith("/images?class=person&annotator=ann&state=annotated")
        olga.keyboard.press("Backspace")
        expect(olga.locator(".chip")).to_have_count(2)
        olga.get_by_test_id("clear").click()
        expect(count).to_have_text("3 images")
        olga.go_back()
        expect(count).to_have_text("2 images")
        do.take_sizes(olga, "images-search")


def test_a_count_narrows_the_search_and_widens_it_again(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at="/images") as olga:
        person = olga.get_by_test_id("facet:class:person")
        expect(person).to_have_text("person2")
        person.click()
        expect(olga.get_by_test_id("count")).to_have_text("2 images")
        expect(person).to_have_attribute("aria-pressed", "true")
        expect(olga.get_by_test_id("facet:state:pool")).to_have_count(0)
        person.click()
        expect(olga.get_by_test_id("count")).to_have_text("3 images")


def test_a_search_without_a_result_says_which_filter_to_take_away(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at="/images?class=sheep&annotator=ann") as olga:
        empty = olga.get_by_test_id("empty")
        expect(empty).to_contain_text("No image matches all filters.")
        olga.get_by_test_id("without:class").click()
        expect(olga.get_by_test_id("count")).to_have_text("2 images")
        expect(empty).to_be_hidden()


def test_a_word_that_the_party_does_not_know_is_named(house: PartyHouse) -> None:
    draw_three(house)
    allowing = ("status of 422",)
    with house.signed_in("olga", Role.ORGANISER, allowing=allowing, at="/images") as olga:
        olga.get_by_test_id("search").fill("by:nobody")
        olga.keyboard.press("Enter")
        expect(olga.get_by_test_id("said")).to_contain_text("nobody here is called nobody")
        expect(olga.locator(".shot")).to_have_count(0)  # none of the search before


def test_a_large_picture_opens_by_space_and_goes_on_by_arrows(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at="/images") as olga:
        tiles = olga.locator(".tile")
        numbers = [tiles.nth(at).get_attribute("data-id") for at in range(3)]
        tiles.first.focus()
        olga.keyboard.press("Space")
        heading = olga.locator("dialog h2")
        expect(heading).to_have_text(f"Image {numbers[0]}")
        take_picture(olga, "images-preview")
        olga.keyboard.press("ArrowRight")
        expect(heading).to_have_text(f"Image {numbers[1]}")
        olga.keyboard.press("Space")
        expect(heading).to_have_count(0)
        expect(tiles.nth(1)).to_be_focused()


def test_the_bar_of_actions_shows_only_while_something_is_ticked(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at="/images?class=person") as olga:
        bulk = olga.get_by_test_id("bulk")
        expect(olga.get_by_test_id("count")).to_have_text("2 images")
        expect(bulk).to_be_hidden()
        olga.locator(".tile").first.focus()
        olga.keyboard.press("x")
        expect(olga.get_by_test_id("ticked")).to_have_text("1 selected")
        assert is_in_view(olga)
        olga.get_by_test_id("tick-all").click()
        expect(olga.get_by_test_id("act")).to_have_text("Apply to all 2 found")
        olga.locator(".shot input").last.uncheck()
        expect(olga.get_by_test_id("act")).to_have_text("Apply to 1 selected")
        olga.get_by_test_id("action").select_option("discard")
        olga.get_by_test_id("act").click()
        olga.get_by_test_id("sure-yes").click()
        expect(olga.get_by_test_id("said")).to_have_text("1 of 1 images discarded.")
        olga.get_by_test_id("undo").click()
        expect(olga.get_by_test_id("said")).to_have_text("1 of 1 images as before.")
        olga.locator(".shot input").first.check()
        olga.get_by_test_id("untick").click()
        expect(bulk).to_be_hidden()


def test_a_filter_of_the_address_that_does_not_exist_is_named(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in(
        "olga", Role.ORGANISER, allowing=("status of 422",), at="/images?clas=person"
    ) as olga:
        expect(olga.get_by_test_id("said")).to_contain_text("Unknown filter clas.")
        expect(olga.locator(".shot")).to_have_count(0)
        olga.get_by_test_id("remove:clas").click()
        expect(olga.get_by_test_id("count")).to_have_text("3 images")


def test_a_name_of_two_words_is_completed_without_a_word_left_over(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at="/images") as olga:
        olga.get_by_test_id("search").fill("dining ta")
        do.press(olga, "ArrowDown", "Enter")
        expect(olga.locator(".chip")).to_have_count(1)
        assert olga.url.endswith("/images?class=diningtable")


def test_the_focus_stays_in_the_search_when_a_filter_goes(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at="/images?class=person&annotator=ann") as olga:
        olga.get_by_test_id("remove:class").press("Enter")
        expect(olga.get_by_test_id("remove:annotator")).to_be_focused()
        do.press(olga, "Enter")
        expect(olga.get_by_test_id("search")).to_be_focused()
        expect(olga.locator(".suggestions")).to_be_hidden()


def test_a_search_that_is_repeated_is_one_step_back(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at="/images") as olga:
        expect(olga.get_by_test_id("count")).to_have_text("3 images")
        olga.get_by_test_id("search").fill("class:person")
        do.press(olga, "Enter", "Enter", "Enter")
        expect(olga.get_by_test_id("count")).to_have_text("2 images")
        olga.go_back()
        expect(olga.get_by_test_id("count")).to_have_text("3 images")


def test_counts_of_the_search_before_go_where_new_ones_fail(house: PartyHouse) -> None:
    draw_three(house)
    allowing = ("ERR_FAILED",)
    with house.signed_in("olga", Role.ORGANISER, at=do.BLANK, allowing=allowing) as olga:
        olga.route("**/images/facets?class=person", lambda route: route.abort())
        do.open_page(olga, "/images")
        expect(olga.get_by_test_id("facet:state:pool")).to_be_visible()
        search_for(olga, "class:person")
        expect(olga.get_by_test_id("count")).to_have_text("2 images")
        expect(olga.get_by_test_id("said")).to_contain_text("The server does not answer.")
        expect(olga.get_by_test_id("facet:state:pool")).to_have_count(0)


def test_a_count_narrows_the_search_whose_answer_is_on_its_way(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at=do.BLANK) as olga:
        with do.holding(olga, "**/images?class=person"):
            do.open_page(olga, "/images")
            expect(olga.get_by_test_id("facet:state:annotated")).to_be_visible()
            search_for(olga, "class:person")
            olga.get_by_test_id("facet:state:annotated").click()
            expect(olga.get_by_test_id("count")).to_have_text("2 images")
            assert olga.url.endswith("/images?class=person&state=annotated")
        do.wait_for_answers(olga)


def test_a_refusal_that_a_later_search_overtook_is_not_said(house: PartyHouse) -> None:
    draw_three(house)
    allowing = ("status of 422",)
    with house.signed_in("olga", Role.ORGANISER, at=do.BLANK, allowing=allowing) as olga:
        with do.holding(olga, "**/images?annotator=nobody"):
            do.open_page(olga, "/images")
            search_for(olga, "by:nobody")
            olga.get_by_test_id("clear").click()
            search_for(olga, "class:person")
            expect(olga.get_by_test_id("count")).to_have_text("2 images")
        do.wait_for_answers(olga)
        expect(olga.get_by_test_id("said")).to_have_text("")
        expect(olga.locator(".shot")).to_have_count(2)


def test_more_pictures_overtake_neither_the_counts_nor_the_next_search(house: PartyHouse) -> None:
    draw_three(house, waiting=49)
    counts = "**/images/facets"
    search = "**/images?class=person"
    with house.signed_in("olga", Role.ORGANISER, at=do.BLANK) as olga:
        with do.holding(olga, counts):
            do.open_page(olga, "/images")
            olga.get_by_text("Show more").click()
            expect(olga.locator(".shot")).to_have_count(51)
        expect(olga.get_by_test_id("facet:class:person")).to_have_text("person2")
        with do.holding(olga, counts), do.holding(olga, search):
            olga.reload()
            expect(olga.get_by_text("Show more")).to_be_visible()
            search_for(olga, "class:person")
            expect(olga.get_by_text("Show more")).to_be_hidden()
        expect(olga.locator(".shot")).to_have_count(2)


def test_counts_can_be_seen_after_a_phone_is_turned(house: PartyHouse) -> None:
    draw_three(house)
    with house.signed_in("olga", Role.ORGANISER, at=do.BLANK) as olga:
        olga.set_viewport_size({"width": 390, "height": 844})
        do.open_page(olga, "/images")
        expect(olga.get_by_test_id("count")).to_have_text("3 images")
        expect(olga.get_by_test_id("facet:class:person")).to_be_hidden()
        take_picture(olga, "images-phone")
        olga.set_viewport_size({"width": 844, "height": 390})
        expect(olga.get_by_test_id("facet:class:person")).to_be_visible()


def search_for(page: Page, search: str) -> None:
    page.get_by_test_id("search").fill(search)
    page.keyboard.press("Enter")


def is_in_view(page: Page) -> bool:
    """Whether the bar of actions can be seen whole at the size of a laptop."""
    page.set_viewport_size({"width": 1366, "height": 650})
    box = page.get_by_test_id("bulk").bounding_box()
    return box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 650


def draw_three(house: PartyHouse, *, waiting: int = 1) -> None:
    """Two images with a person by ann, and one or more that wait."""
    for name in ("astronaut", "chelsea"):
        house.add_image(name)
        house.draw_by_client(CAT_BOX if name == "chelsea" else PERSON)
    house.add_images(waiting)
