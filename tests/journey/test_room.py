"""Room for what matters: rectangles on the pages at the sizes on which people work."""

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from catalog.states import Role
from catalog.tables import Image, SegmentChoice
from tests.browser import browsing, take_picture

from . import party_page as do
from .party_page import Box, PartyHouse
from .test_touch import tablet

SIZES = ((1366, 650), (1280, 720), (1024, 600), (1000, 650))
ZOOMED = (911, 433)  # 1366 × 650 at 150 %
PEOPLE: tuple[Box, ...] = tuple((20 + 55 * n, 1, 70 + 55 * n, 200 + 30 * n) for n in range(8))
VISIBLE_ROWS = """list => {
  const { top, bottom } = list.getBoundingClientRect();
  return [...list.children].filter((row) => {
    const place = row.getBoundingClientRect();
    return place.top >= top - 1 && place.bottom <= Math.min(bottom, innerHeight) + 1;
  }).length;
}"""
IS_WHOLE = """element => {
  const { top, left, bottom, right, width, height } = element.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  const isInside = top >= 0 && left >= 0 && bottom <= innerHeight + 1 && right <= innerWidth + 1;
  const isSeen = element.contains(document.elementFromPoint(x, y));
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
  const isCut = scrollWidth > clientWidth + 1 || scrollHeight > clientHeight + 1;
  return width > 0 && isInside && isSeen && !isCut;
}"""


def draft(house: PartyHouse, *boxes: Box) -> None:
    """An image on which ann has drawn these people, not finished."""
    house.add_image()
    looks = {"class": "person", "view": "Unspecified", "truncated": False, "occluded": False}
    objects = [{"key": f"k{n}", "box": list(box), **looks} for n, box in enumerate(boxes)]
    with house.client("ann") as author:
        task = author.take("annotate")
        assert task is not None
        author.save(task, objects, finish=False, active_secs=30.0)


def resize(page: Page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    do.find_view(page)


def test_six_rows_of_objects_are_in_view_while_a_person_is_selected(house: PartyHouse) -> None:
    draft(house, *PEOPLE)
    with house.at_work("ann") as page:
        for size in (*SIZES, ZOOMED):
            resize(page, size)
            page.get_by_test_id("object").nth(3).click()
            expect(page.get_by_test_id("view:Left")).to_be_visible()
            take_picture(page, f"room-person-{size[0]}")
            rows = page.get_by_test_id("objects").evaluate(VISIBLE_ROWS)
            assert rows >= 6, (size, rows)


def test_with_few_objects_the_palette_takes_the_room_that_is_free(house: PartyHouse) -> None:
    draft(house, *PEOPLE[:2])
    with house.at_work("ann") as page:
        classes = page.locator("[data-testid^='class:']")
        expect(classes).to_have_count(20)
        for size in (*SIZES, ZOOMED):
            resize(page, size)
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")
            expect(page.locator("[data-testid=object][aria-selected=true]")).to_have_count(0)
            take_picture(page, f"room-few-{size[0]}")
            for chip in classes.all():
                assert chip.evaluate(IS_WHOLE), (size, chip.inner_text())
            page.get_by_test_id("object").first.click()
            expect(page.get_by_test_id("view:Left")).to_be_visible()
            take_picture(page, f"room-few-person-{size[0]}")
            seen = sum(chip.evaluate(IS_WHOLE) for chip in classes.all())
            assert seen >= (8 if size == ZOOMED else 20), (size, seen)


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_outlines_leave_room_for_what_to_do_the_objects_and_every_tool(
    house: PartyHouse, language: str
) -> None:
    house.draw_and_accept(*PEOPLE)
    with house.party.catalogue.writing() as session:
        image_id = session.scalars(select(Image.id)).one()
        session.add(SegmentChoice(image_id=image_id, chosen_at=do.NOW))
    with browsing(house.chromium, locale=language) as page:
        do.sign_in(page, house.make_link("ann"), "/segment")
        do.wait_for_work(page)
        page.keyboard.press("w")
        for size in (*SIZES, ZOOMED):
            resize(page, size)
            take_picture(page, f"room-outline-{language}-{size[0]}")
            for name in ("now", "propose", "void.new", "image.finish"):
                assert page.get_by_test_id(name).last.evaluate(IS_WHOLE), (size, name)
            rows = page.get_by_test_id("objects").evaluate(VISIBLE_ROWS)
            assert rows >= 6, (size, rows)
            rail = page.locator("#rail")
            is_cut = rail.evaluate("rail => rail.scrollHeight > rail.clientHeight")
            assert not is_cut or size == ZOOMED, size


@pytest.mark.parametrize("size", [(390, 844), (412, 915)])
def test_a_phone_shows_class_view_and_six_objects_of_a_selected_person(
    house: PartyHouse, size: tuple[int, int]
) -> None:
    draft(house, *PEOPLE)
    with tablet(house, *size) as (page, _):
        page.get_by_test_id("object").first.tap()
        page.locator(".panel").evaluate("panel => panel.scrollTo(0, 0)")
        take_picture(page, f"room-person-{size[0]}")
        for name in ("class:person", "view:Frontal"):
            assert page.get_by_test_id(name).evaluate(IS_WHOLE), name
        above = page.get_by_test_id("image.finish").last.bounding_box()
        assert above is not None
        rows = [row for row in page.get_by_test_id("object").all() if row.evaluate(IS_WHOLE)]
        assert sum((row.bounding_box() or above)["y"] + 44 <= above["y"] for row in rows) >= 6


def test_a_phone_on_its_side_keeps_class_and_view_in_view_as_objects_are_selected(
    house: PartyHouse,
) -> None:
    draft(house, *PEOPLE)
    with tablet(house, 844, 390) as (page, _):
        for place in range(len(PEOPLE)):
            page.keyboard.press(".")
            selected = page.get_by_test_id("object").nth(place)
            expect(selected).to_have_attribute("aria-selected", "true")
            do.find_view(page)
            for name in ("class:person", "view:Frontal"):
                assert page.get_by_test_id(name).evaluate(IS_WHOLE), (place, name)
        take_picture(page, "room-side")


def test_class_and_view_stay_in_view_after_a_box(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        for number, size in enumerate((*SIZES, ZOOMED)):
            resize(page, size)
            page.keyboard.press("Escape")
            do.drag_box(page, (40 + 20 * number, 40, 200, 300))
            expect(page.get_by_test_id("object")).to_have_count(number + 1)
            take_picture(page, f"room-drawn-{size[0]}")
            for name in ("class:person", "view:Left", "view:Unspecified"):
                chip = page.get_by_test_id(name)
                assert chip.evaluate(IS_WHOLE), (size, name)
                expect(chip.locator("kbd")).to_be_visible()


def test_the_finish_question_shows_every_class_and_its_foot_without_scrolling(
    house: PartyHouse,
) -> None:
    draft(house, *PEOPLE[:2])
    with house.at_work("ann") as page:
        for size in (*SIZES, ZOOMED):
            resize(page, size)
            do.tap(page, "d")
            expect(page.get_by_test_id("finish-confirm")).to_be_visible()
            take_picture(page, f"room-finish-{size[0]}")
            expect_whole(page, "finish-back", "finish-confirm")
            page.keyboard.press("Escape")


def test_a_phone_shows_every_class_and_the_foot_of_the_finish_question(house: PartyHouse) -> None:
    draft(house, *PEOPLE[:2])
    with tablet(house, 390, 844) as (page, _):
        page.get_by_test_id("image.finish").last.tap()
        expect(page.locator("[data-testid=checklist] li")).to_have_count(20)
        take_picture(page, "room-finish-390")
        expect_whole(page, "finish-back", "finish-confirm")


def test_the_checker_says_what_is_missing_and_sees_every_class(house: PartyHouse) -> None:
    house.add_image()
    house.draw_by_client(*PEOPLE[:2])
    with house.at_work("chris", Role.CHECKER, at="/check") as page:
        for size in (*SIZES, ZOOMED, (390, 844)):
            resize(page, size)
            do.tap(page, "d")
            page.locator("input[value=no]").check()
            expect(page.get_by_test_id("image-comment")).to_be_visible()
            take_picture(page, f"room-missing-{size[0]}")
            expect_whole(page, "verdict-back", "verdict-send", "image-comment")
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")
            expect(page.get_by_test_id("verdict-dialog")).to_have_count(0)


def expect_whole(page: Page, *names: str) -> None:
    """Every class of the checklist and these are in view, nothing cut."""
    lines = page.locator("[data-testid=checklist] li")
    expect(lines).to_have_count(20)
    for line in lines.all():
        assert line.evaluate(IS_WHOLE), (page.viewport_size, line.inner_text())
    for name in names:
        assert page.get_by_test_id(name).evaluate(IS_WHOLE), (page.viewport_size, name)


def test_the_checker_reads_each_finding_whole(house: PartyHouse) -> None:
    house.add_image()
    house.draw_by_client(*PEOPLE[:3], (33, 1, 70, 200))
    with house.at_work("chris", Role.CHECKER, at="/check") as page:
        for size in (*SIZES, (768, 1024)):
            resize(page, size)
            page.get_by_test_id("object").nth(0).click()
            take_picture(page, f"room-check-{size[0]}")
            lines = page.get_by_test_id("found")
            assert lines.count() >= 1
            for line in lines.all():
                line.scroll_into_view_if_needed()
                sentence = line.locator("p")
                assert sentence.evaluate(IS_WHOLE), (size, sentence.inner_text())
                width, row = sentence.evaluate("p => [p.offsetWidth, p.parentElement.clientWidth]")
                assert width >= 0.9 * (row - 20), (size, width, row)
            assert page.get_by_test_id("objects").evaluate(VISIBLE_ROWS) >= 4, size
