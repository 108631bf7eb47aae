"""Nothing is lost: a cut network, a killed tab, a lost sign-in, two tabs, two people."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error, Page, expect

from catalog.states import ImageState
from tests.browser import take_picture

from .party_page import (
    CAT,
    PERSON,
    PartyHouse,
    boxes_of,
    drag,
    drag_box,
    enter,
    expect_boxes,
    find_corners,
    finish,
    open_page,
    select_class,
    stop_clock,
    wait_for_saved,
    wait_for_screen,
    wait_for_work,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NO_NETWORK = ("ERR_INTERNET_DISCONNECTED",)
SIGNED_OUT = ("status of 401",)
STALE = ("status of 409",)


def test_a_cut_network_loses_nothing_and_the_work_goes_up_by_itself(house: PartyHouse) -> None:
    images = {image.id: image for image in (house.add_image(), house.add_image("cameraman"))}
    with house.signed_in("ann", allowing=NO_NETWORK) as page:
        wait_for_work(page)
        first = images.pop(find_image_id(page))
        drag_box(page, PERSON)
        wait_for_saved(page)
        page.context.set_offline(True)
        drag_box(page, CAT)
        select_class(page, "cat")
        wait_for_saved(page, "offline")
        take_picture(page, "offline")
        finish(page)
        wait_for_saved(page, "offline")
        assert boxes_of(house.head(first)) == [PERSON]
        page.context.set_offline(False)
        [second] = images.values()
        expect(page.locator(f"body[data-ready=true][data-image='{second.id}']")).to_be_visible()
        drag_box(page, CAT)
        wait_for_saved(page)
    assert boxes_of(house.head(first)) == [PERSON, CAT]
    assert house.head(first).is_finished
    assert boxes_of(house.head(second)) == [CAT]


def test_a_tab_killed_between_gesture_and_save_comes_back_with_the_work(house: PartyHouse) -> None:
    image = house.add_image()
    with house.signed_in("ann") as page:
        wait_for_work(page)
        corners = find_corners(page, PERSON)
        stop_clock(page)  # or a slow machine saves before the tab is killed
        drag(page, *corners)
        page.keyboard.press("f")
        assert house.revisions(image) == []
        kill(page)
        assert house.revisions(image) == []
        again = page.context.new_page()
        page.close()
        again.clock.resume()
        again.goto(f"{house.base_url}/annotate")
        wait_for_work(again)
        rows = expect_boxes(again, PERSON)
        expect(rows).to_have_attribute("data-view", "Frontal")
        wait_for_saved(again)
        take_picture(again, "restored")
    [revision] = house.revisions(image)
    assert boxes_of(revision) == [PERSON]


def kill(page: Page) -> None:
    """End the tab's process as a crash does: no handler of the page runs any more."""
    with pytest.raises(Error, match="crash"):
        page.goto("chrome://crash")


def test_signed_out_in_the_middle_the_work_waits_for_the_link(house: PartyHouse) -> None:
    image = house.add_image()
    link = house.make_link("ann")
    with house.signed_in_by(link, allowing=SIGNED_OUT) as page:
        wait_for_work(page)
        drag_box(page, PERSON)
        wait_for_saved(page)
        page.context.clear_cookies()
        drag_box(page, CAT)
        expect(page.get_by_test_id("signed-out-dialog")).to_be_visible()
        take_picture(page, "signed-out")
        assert boxes_of(house.head(image)) == [PERSON]
        other = page.context.new_page()
        other.route("**/api/v1/**", lambda _route: None)  # it signs in, and is no second window
        enter(other, link)
        other.wait_for_url("**/annotate")
        other.close()
        page.get_by_test_id("signed-in-again").click()
        expect(page.get_by_test_id("signed-out-dialog")).to_have_count(0)
        wait_for_saved(page)
        expect_boxes(page, PERSON, CAT)
    assert boxes_of(house.head(image)) == [PERSON, CAT]


@pytest.mark.parametrize("chosen", ["mine", "theirs"])
def test_of_two_tabs_on_one_image_neither_loses_its_work(house: PartyHouse, chosen: str) -> None:
    image = house.add_image()
    with house.signed_in("ann", allowing=STALE) as first:
        wait_for_work(first)
        second = first.context.new_page()
        second.goto(first.url)
        wait_for_work(second)
        drag_box(first, PERSON)
        wait_for_saved(first)
        drag_box(second, CAT)
        dialog = second.get_by_test_id("conflict-dialog")
        expect(dialog.get_by_test_id("version-mine")).to_contain_text("1 object")
        expect(dialog.get_by_test_id("version-theirs")).to_contain_text("1 object")
        take_picture(second, "conflict")
        dialog.get_by_test_id(f"conflict-{chosen}").click()
        expect_boxes(second, CAT if chosen == "mine" else PERSON)
        wait_for_saved(second)
        if chosen == "theirs":
            second.keyboard.press("Control+z")
            expect_boxes(second, CAT)
            wait_for_saved(second)
    theirs, stale, settled = house.revisions(image)
    assert (boxes_of(theirs), theirs.is_stale) == ([PERSON], False)
    assert (boxes_of(stale), stale.is_stale) == ([CAT], True)
    assert (boxes_of(settled), settled.parent_id) == ([CAT], theirs.id)


def test_two_people_never_get_one_image(house: PartyHouse) -> None:
    images = [house.add_image(), house.add_image("cameraman")]
    with house.signed_in("ann") as ann, house.signed_in("ben") as ben:
        wait_for_work(ann)
        wait_for_work(ben)
        assert {find_image_id(ann), find_image_id(ben)} == {image.id for image in images}
        with house.signed_in("cleo") as cleo:
            wait_for_screen(cleo, "empty")
        open_page(ann, "/annotate")
        wait_for_work(ann)
        drag_box(ann, CAT)
        finish(ann)
        wait_for_screen(ann, "empty")
    states = {house.state(image) for image in images}
    assert states == {ImageState.ANNOTATED, ImageState.ANNOTATING}


def find_image_id(page: Page) -> int:
    return int(page.locator("body").get_attribute("data-image") or 0)
