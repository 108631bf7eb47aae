"""A finger on a tablet, in a real browser: drawing, gripping, and two fingers that zoom."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser import browsing, take_picture

from . import party_page as do
from .fingers import Place, hold_pen, swipe, touch
from .party_page import CAT, Box, PartyHouse


@contextmanager
def tablet(
    house: PartyHouse, width: int = 1280, height: int = 720
) -> Iterator[tuple[Page, CDPSession]]:
    """A page that is touched, and the fingers that touch it."""
    with browsing(house.chromium, has_touch=True, is_mobile=height != 720) as page:
        page.set_viewport_size({"width": width, "height": height})
        do.sign_in(page, house.make_link("ann"))
        do.wait_for_work(page)
        fingers = page.context.new_cdp_session(page)
        yield page, fingers
        fingers.detach()


def corner(page: Page, x: float, y: float, off_px: float = 0) -> Place:
    """Where a corner of the pixels lies in the window, or a little below and right of it."""
    place = do.place_on_screen(page, (x, y))
    return place[0] + off_px, place[1] + off_px


@pytest.mark.parametrize(
    ("width", "height", "least_px"), [(1280, 720, 28), (844, 390, 44), (390, 844, 44)]
)
def test_a_finger_draws_a_box_moves_its_corner_and_names_the_class(
    house: PartyHouse, width: int, height: int, least_px: int
) -> None:
    image = house.add_image()
    with tablet(house, width, height) as (page, fingers):
        swipe(fingers, corner(page, CAT[0] - 1, CAT[1] - 1), corner(page, CAT[2], CAT[3]))
        do.expect_boxes(page, CAT)
        swipe(fingers, corner(page, CAT[2], CAT[3], 17), corner(page, CAT[2] + 40, CAT[3] + 30, 17))
        larger: Box = (CAT[0], CAT[1], CAT[2] + 40, CAT[3] + 30)
        do.expect_boxes(page, larger)
        chip = page.locator("button[data-class=cat]")
        assert chip.evaluate("it => it.offsetHeight") >= least_px
        chip.tap()
        expect(page.get_by_test_id("object")).to_have_attribute("data-class", "cat")
        do.wait_for_saved(page)
        take_picture(page, "tablet")
    assert do.boxes_of(house.head(image)) == [larger]


def test_a_pen_draws_like_a_mouse_and_later_two_fingers_only_zoom(house: PartyHouse) -> None:
    house.add_image()
    with tablet(house) as (page, pen):
        start = corner(page, CAT[0] - 1, CAT[1] - 1)
        end = corner(page, CAT[2], CAT[3])
        for kind, place in (("Pressed", start), ("Moved", end), ("Released", end)):
            hold_pen(pen, kind, place)
        do.expect_boxes(page, CAT)
        before = do.find_view(page).scale
        x, y = do.place_on_screen(page, (256, 256))
        touch_later = partial(
            touch, pen, at=time.time() + 5
        )  # the browser may repeat the pen's place
        touch_later("Start", (x - 40, y))
        touch_later("Start", (x - 40, y), (x + 40, y))
        for spread in (60, 90, 120):
            touch_later("Move", (x - spread, y), (x + spread, y))
        touch_later("End")
        assert do.find_view(page).scale == pytest.approx(3 * before, rel=0.02)
        assert do.place_on_screen(page, (256, 256)) == pytest.approx((x, y), abs=2)
        do.expect_boxes(page, CAT)


@pytest.mark.parametrize("palm_comes", ["before the pen", "while it draws", "just after it"])
def test_the_palm_next_to_a_pen_neither_draws_nor_zooms(house: PartyHouse, palm_comes: str) -> None:
    house.add_image()
    with tablet(house) as (page, pen):
        palm = (corner(page, 300, 480), corner(page, 340, 490), corner(page, 350, 500))
        before = do.find_view(page).scale
        if palm_comes == "before the pen":
            touch(pen, "Start", palm[0])
            touch(pen, "Move", palm[1])
        hold_pen(pen, "Pressed", corner(page, CAT[0] - 1, CAT[1] - 1))
        if palm_comes == "while it draws":
            touch(pen, "Start", palm[0])
            touch(pen, "Move", palm[1])
            touch(pen, "Move", palm[2])
        hold_pen(pen, "Moved", corner(page, CAT[2], CAT[3]))
        just_after = time.time()  # by the times of the events, however slow the browser is
        hold_pen(pen, "Released", corner(page, CAT[2], CAT[3]), at=just_after)
        touch_then = partial(touch, pen, at=just_after)
        if palm_comes == "just after it":
            touch_then("Start", palm[0])
            touch_then("Start", palm[0], palm[2])
            touch_then("Move", palm[1], palm[2])
        touch_then("Move", palm[2])
        touch_then("End")
        do.expect_boxes(page, CAT)
        assert do.find_view(page).scale == before


def test_a_palm_that_the_browser_takes_back_leaves_the_pen_its_box(house: PartyHouse) -> None:
    house.add_image()
    with tablet(house) as (page, pen):
        hold_pen(pen, "Pressed", corner(page, CAT[0] - 1, CAT[1] - 1))
        touch(pen, "Start", corner(page, 300, 480))
        touch(pen, "Cancel")
        hold_pen(pen, "Moved", corner(page, CAT[2], CAT[3]))
        hold_pen(pen, "Released", corner(page, CAT[2], CAT[3]))
        do.expect_boxes(page, CAT)
