"""Drawing in a real browser: by keyboard, four points or two clicks, at any zoom, in the dark."""

import math
import re
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect

from catalog.states import ImageState
from catalog.tables import Duplicate, Image
from tests.browser import take_picture

from . import party_page as do
from .party_page import CAT, NOW, PERSON, Box, PartyHouse

INPUTS_AT_MOST = 10
FILTER = re.compile("filter")
CUT_CLASS_NAMES = """[...document.querySelectorAll(".class-name")]
    .filter((name) => name.scrollWidth > name.clientWidth).map((name) => name.textContent)"""
ZOOM_PER_UNIT = 0.0018  # of the wheel


def press_often(page: Page, key: str, times: int) -> None:
    for _ in range(times):
        page.keyboard.press(key)


def test_a_photograph_is_annotated_by_keyboard_alone(house: PartyHouse) -> None:
    image = house.add_image()
    with house.at_work("ann") as page:
        page.keyboard.press("w")
        press_often(page, "Shift+ArrowLeft", 10)
        press_often(page, "Shift+ArrowUp", 5)
        page.keyboard.press("Enter")
        press_often(page, "Shift+ArrowRight", 12)
        press_often(page, "Shift+ArrowDown", 8)
        press_often(page, "ArrowRight", 3)
        take_picture(page, "drawing-by-keyboard")
        page.keyboard.press("Enter")
        do.expect_boxes(page, (157, 207, 279, 286))  # from the middle of 512 x 512
        page.keyboard.press("m")
        page.keyboard.type("dog")
        do.press(page, "Enter", "r", "Alt+ArrowRight")
        rows = do.expect_boxes(page, (157, 207, 280, 286))
        expect(rows).to_have_attribute("data-class", "dog")
        do.tap(page, "d")
        page.keyboard.press("Enter")
        do.wait_for_screen(page, "empty")
    head = house.head(image)
    assert do.boxes_of(head) == [(157, 207, 280, 286)]
    assert [(row.class_name, row.view) for row in head.objects] == [("dog", "Rear")]
    assert house.state(image) == ImageState.ANNOTATED


@dataclass
class CountedInputs:
    """Counts inputs: a drag is one, and so is a key, however long it is held."""

    page: Page
    count: int = 0

    def drag(self, box: Box) -> None:
        self.count += 1
        do.drag_box(self.page, box)

    def press(self, key: str) -> None:
        self.count += 1
        self.page.keyboard.press(key)

    def hold_until_ready(self, key: str) -> None:
        self.count += 1
        self.page.keyboard.down(key)
        expect(self.page.locator("[data-testid=finish-dialog][data-held=true]")).to_be_visible()
        take_picture(self.page, "finish-checklist")
        self.page.keyboard.up(key)


def test_the_standard_task_takes_ten_inputs(house: PartyHouse) -> None:
    images = {image.id: image for image in (house.add_image(), house.add_image("cameraman"))}
    first = (40, 60, 200, 400)
    second = (220, 50, 300, 410)
    third = (320, 200, 460, 390)
    with house.at_work("ann") as page:
        image_id = int(page.locator("body").get_attribute("data-image") or 0)
        cat_key = page.locator("button[data-class=cat]").get_attribute("aria-keyshortcuts")
        inputs = CountedInputs(page)
        inputs.drag(first)  # the class used last is person
        inputs.press("f")
        inputs.drag(second)
        inputs.press("q")
        inputs.press("t")
        inputs.drag(third)
        inputs.press((cat_key or "").replace("Shift+", "Shift+Digit"))
        inputs.press("e")
        inputs.press("o")
        inputs.hold_until_ready("d")
        do.wait_for_other(page, image_id)
        do.wait_for_work(page)
        do.wait_for_saved(page)
    assert inputs.count <= INPUTS_AT_MOST
    rows = house.head(images[image_id]).objects
    assert [(row.class_name, row.view, row.truncated, row.occluded) for row in rows] == [
        ("person", "Frontal", False, False),
        ("person", "Left", True, False),
        ("cat", "Right", False, True),
    ]
    assert do.boxes_of(house.head(images[image_id])) == [first, second, third]
    assert house.state(images[image_id]) == ImageState.ANNOTATED


def zoom_to(page: Page, scale: float, middle: tuple[float, float]) -> None:
    """Turn the wheel over a point of the image until the scale is reached."""
    stage = page.get_by_test_id("stage")
    before = str(stage.get_attribute("data-scale"))
    page.mouse.move(*do.place_on_screen(page, middle))
    page.mouse.wheel(0, -math.log(scale / float(before)) / ZOOM_PER_UNIT)
    expect(stage).not_to_have_attribute("data-scale", before)


@pytest.mark.parametrize("scale", [0.37, 4.0])
def test_a_box_has_the_same_integers_at_any_zoom(house: PartyHouse, scale: float) -> None:
    box = (203, 151, 330, 262)
    image = house.add_image()
    with house.at_work("ann") as page:
        zoom_to(page, scale, (266, 206))
        assert do.find_view(page).scale == pytest.approx(scale, rel=0.02)
        do.drag_box(page, box)
        do.expect_boxes(page, box)
        do.wait_for_saved(page)
        take_picture(page, f"zoom-{round(scale * 100)}")
    assert do.boxes_of(house.head(image)) == [box]


def test_a_thousand_boxes_remain_usable(house: PartyHouse) -> None:
    image = house.add_image()
    corners = [(12 * x, 20 * y) for x in range(40) for y in range(25)][:-1]
    many = [(1 + x, 1 + y, 10 + x, 17 + y) for x, y in corners]
    with house.client("ann") as client:
        task = client.take("annotate")
        assert task is not None
        client.save(task, [make_object(n, box) for n, box in enumerate(many)], finish=False)
    with house.signed_in("ann") as page:
        do.expect_body(page, "[data-ready=true]")
        page.keyboard.press("w")
        do.drag_box(page, PERSON)
        page.keyboard.press("ArrowRight")
        moved = (PERSON[0] + 1, PERSON[1], PERSON[2] + 1, PERSON[3])
        last = page.get_by_test_id("object").last
        expect(last).to_have_attribute("data-box", ",".join(map(str, moved)))
        expect(last).to_be_in_viewport()
        page.keyboard.press(".")
        expect(page.get_by_test_id("object").first).to_be_in_viewport()
        page.keyboard.press("w")
        do.drag_box(page, CAT)
        notice = page.get_by_test_id("notice")
        expect(notice).to_have_text("This image has the maximum of 1000 objects.")
        do.wait_for_saved(page)
        take_picture(page, "thousand-boxes")
        assert page.evaluate(CUT_CLASS_NAMES) == []
    assert do.boxes_of(house.head(image)) == [*many, moved]


def make_object(number: int, box: Box) -> dict[str, object]:
    name = ("person", "diningtable", "pottedplant")[number % 3]
    plain = {"view": "Unspecified", "truncated": False, "occluded": False}
    return {"key": f"box-{number}", "class": name, "box": list(box), **plain}


def link_as_event(house: PartyHouse, image: Image, other: Image) -> None:
    """Link two moments of one event, as dedup does."""
    ids = {"image_id": image.id, "kept_image_id": other.id}
    with house.party.catalogue.writing() as session:
        session.add(Duplicate(**ids, relation="same_event", decided_how="time", decided_at=NOW))


def test_a_key_copies_the_boxes_of_the_last_image_of_an_event(house: PartyHouse) -> None:
    images = house.add_images(3)
    with house.signed_in("ann") as page:
        drawn: dict[int, Box] = {}
        do.draw_and_finish(page, drawn)
        do.wait_for_work(page)
        page.keyboard.press("b")
        expect(page.get_by_test_id("notice")).to_contain_text("no other moment")
        [before] = drawn.items()
        open_id = do.find_image_id(page)
        first = next(image for image in images if image.id == before[0])
        hub = next(image for image in images if image.id not in (before[0], open_id))
        link_as_event(house, first, hub)
        link_as_event(house, next(image for image in images if image.id == open_id), hub)
        page.keyboard.press("b")
        do.expect_boxes(page, before[1])
        expect(page.get_by_test_id("notice")).to_contain_text("1 box copied")
        page.keyboard.press("b")
        expect(page.get_by_test_id("notice")).to_contain_text("on this image already")
        do.expect_boxes(page, before[1])
        do.press(page, ".", "ArrowRight")  # adjusted
        page.keyboard.press("b")
        expect(page.get_by_test_id("notice")).to_contain_text("on this image already")
        page.keyboard.press("Control+z")
        do.expect_boxes(page, before[1])
        look = page.get_by_test_id("object").locator(".swatch")
        expect(look).to_have_attribute("data-hue", "0")
        do.drag_box(page, CAT)
        page.keyboard.press(":")
        expect(look.nth(1)).to_have_attribute("data-hue", "1")  # one class, two colours
        do.press(page, "Control+z", "Control+z")
        do.expect_boxes(page)


@pytest.mark.parametrize("key", ["d", "Space", "x"])
def test_a_box_is_finished_before_the_question_that_counts_it(house: PartyHouse, key: str) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        do.drag_box(page, PERSON)
        start, end = do.find_corners(page, CAT)
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end)
        do.tap(page, key)
        if key == "x":
            expect(page.get_by_test_id("discard-dialog")).to_contain_text("2 boxes are marked")
        else:
            count = page.locator("[data-testid=finish-dialog] li[data-class=person]")
            expect(count).to_have_attribute("data-count", "2")
        page.mouse.move(start[0], end[1])
        page.mouse.up()
        page.keyboard.press("Escape")
        do.expect_boxes(page, PERSON, CAT)


def click_at(page: Page, *places: tuple[float, float]) -> None:
    for place in places:
        page.mouse.click(*do.place_on_screen(page, place))


def draw_by(page: Page, drawing: str) -> None:
    """Press the switch until it shows this drawing mode and the server has stored it."""
    while page.locator("body").get_attribute("data-drawing") != drawing:
        with page.expect_response("**/me/preferences"):
            page.keyboard.press(";")
    expect(page.get_by_test_id("draw.mode")).to_have_attribute("data-drawing", drawing)


def test_four_points_draw_a_box_and_the_mode_is_remembered(house: PartyHouse) -> None:
    image = house.add_image()
    with house.at_work("ann") as page:
        draw_by(page, "extremes")
        left = PERSON[0] - 1
        top = PERSON[1] - 1
        right = PERSON[2]
        bottom = PERSON[3]
        click_at(page, (120, top), (left, 350), (300, 480))
        take_picture(page, "drawing-by-four-points")
        hint = page.get_by_test_id("stage-hint")
        expect(hint).to_contain_text("3 of 4")
        page.keyboard.press("Escape")
        expect(hint).to_contain_text("2 of 4")
        click_at(page, (200, bottom), (right, 240))
        do.expect_boxes(page, PERSON)
        expect(hint).to_be_hidden()
        do.wait_for_saved(page)
    with house.signed_in("ann", at="/annotate") as elsewhere:
        expect(elsewhere.locator("body")).to_have_attribute("data-drawing", "extremes")
    with house.signed_in("ben", at="/annotate") as page:
        expect(page.locator("body")).to_have_attribute("data-drawing", "drag")
    assert do.boxes_of(house.head(image)) == [PERSON]


def test_brightening_a_picture_does_not_affect_the_next_one(house: PartyHouse) -> None:
    house.add_image("cameraman")
    house.add_image("chelsea")
    with house.at_work("ann") as page:
        before = page.locator("body").get_attribute("data-image")
        picture = page.locator("canvas[data-layer=picture]")
        do.press(page, "]", "]", "}")
        expect(picture).to_have_attribute("style", "filter: brightness(132%) contrast(115%);")
        for layer in ("boxes", "cursor"):
            canvas = page.locator(f"canvas[data-layer={layer}]")
            expect(canvas).not_to_have_attribute("style", FILTER)
        page.get_by_test_id("light.show").click()
        page.get_by_test_id("light-brightness").fill("7.5")
        expect(picture).to_have_attribute("style", "filter: brightness(180%) contrast(115%);")
        take_picture(page, "light-card")
        page.get_by_test_id("card:light.reset").click()
        expect(picture).to_have_attribute("style", "filter: none;")
        do.press(page, "]", "x", "1")
        do.wait_for_other(page, before)
        do.wait_for_work(page)
        expect(picture).to_have_attribute("style", "filter: none;")
