"""All fields of a VOC object by keys: drawn, accepted by another person, and released."""

from pathlib import Path
from xml.etree import ElementTree

from playwright.sync_api import Page, expect

from catalog.states import Role
from catalog.tables import Image
from tests.browser import take_picture
from tests.exporting import export_release, verify_tree
from vockit.format.jpeg import strip_jpeg

from . import party_page as do
from .party_page import HOSTILE, NOW, Box, PartyHouse

PERSON: Box = (60, 30, 400, 490)
CHILD: Box = (1, 200, 90, 480)
HEAD: Box = (180, 20, 290, 150)  # leaves the person's box
HANDS: tuple[Box, Box] = ((60, 400, 110, 450), (380, 380, 430, 440))
FEET: tuple[Box, Box] = ((120, 460, 180, 500), (260, 455, 330, 505))
VIEWS = ("Frontal", "Rear", "Left", "Right", "Unspecified")


def press(page: Page, command: str) -> None:
    """Press the key that is shown on the command's chip."""
    cap = page.get_by_test_id(command).locator("kbd").inner_text()
    page.keyboard.press(cap.replace("⇧", "Shift+") if "⇧" in cap else cap.lower())


def draw_part(page: Page, name: str, box: Box) -> None:
    press(page, f"part:{name}")
    expect(page.locator("body")).to_have_attribute("data-armed", "part")
    do.drag_box(page, box)


def set_point(page: Page, pixel: tuple[int, int]) -> None:
    page.keyboard.press("p")
    page.mouse.click(*do.place_on_screen(page, (pixel[0] - 0.5, pixel[1] - 0.5)))


def list_parts(house: PartyHouse, image: Image) -> list[str]:
    """The names of the parts in the newest revision of an image."""
    with house.party.catalogue.reading() as session:
        head = session.get_one(Image, image.id).annotation
        assert head is not None
        return [part.word for drawn in head.objects for part in drawn.parts]


def annotate(page: Page) -> None:
    do.wait_for_work(page)
    do.drag_box(page, PERSON)
    for view in VIEWS:
        press(page, f"view:{view}")
        expect(page.get_by_test_id("object")).to_have_attribute("data-view", view)
    press(page, "view:Frontal")
    for name, boxes in (("head", (HEAD,)), ("hand", HANDS), ("foot", FEET)):
        for box in boxes:
            draw_part(page, name, box)
    press(page, "action:phoning")
    press(page, "action:walking")
    set_point(page, (230, 260))
    press(page, "flag:truncated")
    take_picture(page, "parts-and-actions")
    page.keyboard.press("w")
    do.drag_box(page, CHILD)
    expect(page.get_by_test_id("object").nth(1)).to_have_attribute("data-truncated", "true")
    press(page, "action:walking")
    press(page, "action:other")
    press(page, "flag:occluded")
    set_point(page, (40, 330))


def test_flags_parts_actions_and_points_are_released(house: PartyHouse, tmp_path: Path) -> None:
    photograph = house.add_image(title=HOSTILE)
    with house.signed_in("ann") as page:
        annotate(page)
        assert page.title() != "owned"
        rows = do.expect_boxes(page, PERSON, CHILD)
        expect(rows.nth(1)).to_have_attribute("data-actions", "other")
        do.wait_for_saved(page)
        do.finish_last(page)
    with house.signed_in("chris", Role.CHECKER) as page:
        accept(page)
    export_release(house.party, tmp_path / "release", year=2026, at=NOW)
    [xml] = (tmp_path / "release").rglob("Annotations/*.xml")
    person, child = ElementTree.parse(xml).getroot().findall("object")
    expected = ["Frontal", "1", "0"]
    assert [person.findtext(tag) for tag in ("pose", "truncated", "occluded")] == expected
    expected_of_child = ["Unspecified", "1", "1"]
    assert [child.findtext(tag) for tag in ("pose", "truncated", "occluded")] == expected_of_child
    wanted = [("head", HEAD), *(("hand", box) for box in HANDS), *(("foot", box) for box in FEET)]
    assert [(part.findtext("name"), box_of(part)) for part in person.findall("part")] == wanted
    assert [box_of(item) for item in (person, child)] == [PERSON, CHILD]
    assert actions_of(person) == {"phoning", "walking"}
    assert actions_of(child) == {"other"}
    assert [point_of(item) for item in (person, child)] == [(230, 260), (40, 330)]
    assert verify_tree(tmp_path / "release") == []
    [jpeg] = (tmp_path / "release").rglob("JPEGImages/*.jpg")
    stored = house.party.store.get(photograph.sha256)
    assert jpeg.read_bytes() == strip_jpeg(stored)  # the same picture, without its notes
    [review] = house.reviews()
    head = house.head(photograph)
    assert (review.annotation_id, head.person.name) == (head.id, "ann")


def accept(page: Page) -> None:
    do.open_work(page, "/check")
    do.send_verdict(page)
    do.wait_for_screen(page, "empty")


def box_of(element: ElementTree.Element) -> Box:
    sides = ("xmin", "ymin", "xmax", "ymax")
    xmin, ymin, xmax, ymax = (int(element.findtext(f"bndbox/{side}") or 0) for side in sides)
    return xmin, ymin, xmax, ymax


def actions_of(element: ElementTree.Element) -> set[str]:
    """The actions of the person according to the file."""
    return {item.tag for item in element.findall("actions/*") if item.text == "1"}


def point_of(element: ElementTree.Element) -> tuple[int, int]:
    return int(element.findtext("point/x") or 0), int(element.findtext("point/y") or 0)


def test_a_part_can_be_moved_and_removed_but_not_added_twice(house: PartyHouse) -> None:
    house.add_image()
    with house.at_work("ann") as page:
        do.drag_box(page, PERSON)
        key = page.get_by_test_id("part:head").locator("kbd").inner_text().lower()
        draw_part(page, "head", HEAD)
        row = page.get_by_test_id("object")
        expect(row).to_have_attribute("data-parts", f"head:{','.join(map(str, HEAD))}")
        page.keyboard.press(key)
        sentence = "This object has the maximum number of these parts."
        expect(page.get_by_test_id("notice")).to_have_text(sentence)
        expect(page.get_by_test_id("part:head")).to_be_disabled()
        page.keyboard.press("ArrowRight")
        moved = (HEAD[0] + 1, HEAD[1], HEAD[2] + 1, HEAD[3])
        expect(row).to_have_attribute("data-parts", f"head:{','.join(map(str, moved))}")
        page.keyboard.press("Delete")
        expect(row).to_have_attribute("data-parts", "")
        page.keyboard.press("Control+z")
        expect(row).to_have_attribute("data-parts", f"head:{','.join(map(str, moved))}")
        do.expect_boxes(page, PERSON)
        expect(page.get_by_test_id("flag:truncated")).to_be_visible()
        expect(page.get_by_test_id("flag:difficult")).to_have_count(0)
        page.keyboard.press("?")
        expect(page.locator("[data-command='flag:difficult']")).to_have_count(0)


def test_parts_and_actions_come_back_after_a_wrong_class_even_when_reloaded(
    house: PartyHouse,
) -> None:
    image = house.add_image()
    with house.at_work("ann") as page:
        do.select_class(page, "person")
        do.drag_box(page, PERSON)
        draw_part(page, "head", HEAD)
        press(page, "action:walking")
        set_point(page, (230, 260))
        rows = do.expect_boxes(page, PERSON)
        rows.click()
        do.select_class(page, "motorbike")
        expect(page.get_by_test_id("notice")).to_have_text(
            "Finishing as motorbike drops: head, walking, reference point. "
            "The earlier class brings it back."
        )
        do.wait_for_saved(page)
        assert list_parts(house, image) == []
        do.open_work(page, "/annotate")
        rows.click()
        do.select_class(page, "person")
        expect(rows).to_have_attribute("data-parts", "head:" + ",".join(map(str, HEAD)))
        expect(rows).to_have_attribute("data-actions", "walking")
        expect(rows).to_have_attribute("data-point", "230,260")
        do.wait_for_saved(page)
    assert list_parts(house, image) == ["head"]
