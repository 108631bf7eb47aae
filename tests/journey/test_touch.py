"""A finger on a tablet, in a real browser: drawing, gripping, and two fingers that zoom."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser import browsing, take_picture

from . import party_page as do
from .party_page import CAT, Box, PartyHouse

Place = tuple[float, float]


@contextmanager
def tablet(
    house: PartyHouse, width: int = 1280, height: int = 720
) -> Iterator[tuple[Page, CDPSession]]:
    """A page that is touched, and the fingers that touch it."""
    with browsing(house.chromium, has_touch=True, is_mobile=height != 720) as page:
        page.set_viewport_size({"width": width, "height": height})
        do.enter(page, house.make_link("ann"))
        do.wait_for_work(page)
        yield page, page.context.new_cdp_session(page)


def touch(fingers: CDPSession, kind: str, *places: Place) -> None:
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
    fingers.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})


def corner(page: Page, x: float, y: float, off_px: float = 0) -> Place:
    """Where a corner of the pixels lies in the window, or a little below and right of it."""
    place = do.place_on_screen(page, (x, y))
    return place[0] + off_px, place[1] + off_px


def swipe(fingers: CDPSession, start: Place, end: Place) -> None:
    touch(fingers, "Start", start)
    for step in range(1, 5):
        x, y = (a + (b - a) * step / 4 for a, b in zip(start, end, strict=True))
        touch(fingers, "Move", (x, y))
    touch(fingers, "End")


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


def test_a_pen_draws_like_a_mouse_and_two_fingers_only_zoom(house: PartyHouse) -> None:
    house.add_image()
    with tablet(house) as (page, pen):
        start, end = corner(page, CAT[0] - 1, CAT[1] - 1), corner(page, CAT[2], CAT[3])
        for kind, (x, y) in (("Pressed", start), ("Moved", end), ("Released", end)):
            event = {"type": f"mouse{kind}", "x": x, "y": y, "button": "left", "buttons": 1}
            pen.send("Input.dispatchMouseEvent", event | {"clickCount": 1, "pointerType": "pen"})
        do.expect_boxes(page, CAT)
        before = do.find_view(page).scale
        x, y = do.place_on_screen(page, (256, 256))
        touch(pen, "Start", (x - 40, y))
        touch(pen, "Start", (x - 40, y), (x + 40, y))
        for spread in (60, 90, 120):
            touch(pen, "Move", (x - spread, y), (x + spread, y))
        touch(pen, "End")
        assert do.find_view(page).scale == pytest.approx(3 * before, rel=0.02)
        assert do.place_on_screen(page, (256, 256)) == pytest.approx((x, y), abs=2)
        do.expect_boxes(page, CAT)
