"""Outlines in a real browser: drawn by clicks, kept through a reload, finished, checked."""

import io
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image as Picture
from PIL import ImageDraw
from playwright.sync_api import Page, Request, Route, expect
from sqlalchemy import select, update

from catalog.states import Role, SegmentState, Suggested, SuggestionKind
from catalog.tables import Image, Object, Segment, SegmentChoice, Suggestion
from tests.browser import take_picture
from tests.rows import load_rows
from tests.suggesting import NOON, suggest
from tests.work.detectors.pair_models import run_here, write_pair
from vockit.foreign.datasets.run_lengths import pack_run_lengths
from vockit.format.rings import Mask, fill, unpack_rings
from work.detectors import outlining
from work.detectors.limits import Limits
from work.detectors.outline_files import keep_pair
from work.segment import pointing
from work.suggest.values import SetInfo

from . import party_page as do
from .fingers import hold_pen, swipe, touch
from .party_page import CAT, NOW, PERSON, Box, PartyHouse

Corners = Sequence[tuple[float, float]]
HALF_VOID_PX = 3
DISC: Box = (121, 101, 400, 380)


def choose(house: PartyHouse, *boxes: Box) -> None:
    """An image with these people on it, checked and chosen to be segmented."""
    house.draw_and_accept(*boxes)
    choose_image(house)


def choose_disc(house: PartyHouse) -> None:
    """The picture of a disc with its box, checked and chosen."""
    picture = Picture.new("RGB", (512, 512), (40, 70, 120))
    left, top, right, bottom = DISC
    corners = (left - 1, top - 1, right - 1, bottom - 1)
    ImageDraw.Draw(picture).ellipse(corners, fill=(220, 160, 60))
    file = io.BytesIO()
    picture.save(file, "PNG")
    image = house.store_image(file.getvalue(), "astronaut")
    with house.party.catalogue.writing() as session:
        session.add(do.make_photo(image, "disc", "A disc"))
    house.draw_by_client(DISC)
    house.accept_by_client()
    choose_image(house)


def choose_image(house: PartyHouse) -> None:
    """The only image is to be segmented."""
    with house.party.catalogue.writing() as session:
        image_id = session.scalars(select(Image.id)).one()
        session.add(SegmentChoice(image_id=image_id, chosen_at=NOW))


def newest(house: PartyHouse) -> list[Segment]:
    """The outlines of the image's newest drawing that became its head."""
    with house.party.catalogue.reading() as session:
        drawing = session.scalars(select(SegmentChoice)).one().segmentation
        return list(drawing.segments) if drawing else []


def state(house: PartyHouse) -> SegmentState:
    (state,) = load_rows(house.party, select(SegmentChoice.state))
    return state


def click_corners(page: Page, corners: Corners) -> None:
    view = do.find_view(page)
    for x, y in corners:
        page.mouse.click(view.left + x * view.scale, view.top + y * view.scale)


def outline(page: Page, corners: Corners) -> None:
    click_corners(page, corners)
    do.expect_body(page, f"[data-corners='{len(corners)}']")
    page.keyboard.press("Enter")
    do.expect_body(page, "[data-corners='0']")


def rectangle(box: Box) -> Corners:
    left = box[0] - 1
    top = box[1] - 1
    right = box[2]
    bottom = box[3]
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def ellipse(box: Box, corners: int) -> Corners:
    left = box[0] - 1
    top = box[1] - 1
    right = box[2]
    bottom = box[3]
    turns = [2 * math.pi * at / corners for at in range(corners)]
    across = (right - left) / 2
    down = (bottom - top) / 2
    return [
        (left + across * (1 + math.cos(turn)), top + down * (1 + math.sin(turn))) for turn in turns
    ]


def draw_mask(box: Box, size: tuple[int, int]) -> Mask:
    picture = Picture.new("L", size)
    ImageDraw.Draw(picture).ellipse((box[0] - 1, box[1] - 1, box[2] - 1, box[3] - 1), fill=1)
    mask: Mask = np.asarray(picture) == 1
    return mask


def test_two_objects_are_outlined_finished_and_checked(house: PartyHouse) -> None:
    choose(house, PERSON, CAT)
    with house.at_work("ann", at="/segment") as page:
        take_picture(page, "segment-start")
        outline(page, rectangle(PERSON))
        page.keyboard.press("Enter")
        click_corners(page, rectangle(CAT)[:3])
        do.expect_body(page, "[data-corners='3']")
        page.reload()
        do.wait_for_work(page)
        expect(page.get_by_test_id("object").first).to_have_attribute("data-drawn", "true")
        page.get_by_test_id("object").nth(1).click()
        do.expect_body(page, "[data-corners='3']")
        click_corners(page, rectangle(CAT)[3:])
        page.keyboard.press("Enter")
        do.wait_for_saved(page)
        take_picture(page, "segment-drawn")
        do.tap(page, "d")
        expect(page.get_by_test_id("go-to")).to_have_count(0)
        page.keyboard.press("Enter")
        do.wait_for_screen(page, "nothing_to_segment")
        take_picture(page, "segment-empty")
        expect(page.get_by_role("button", name="Add void region")).to_have_count(0)
        do.wait_for_saved(page)
        do.tap(page, "a")
        do.wait_for_work(page)
        expect(page.get_by_test_id("object").first).to_have_attribute("data-drawn", "true")
        do.tap(page, "a")
        expect(page.get_by_text("There is no previous image.")).to_be_visible()
        do.tap(page, "d")
        page.keyboard.press("Enter")
        do.wait_for_screen(page, "nothing_to_segment")
        do.wait_for_saved(page)
    person, cat = newest(house)
    assert [person.rings, cat.rings] == [
        [[value for corner in rectangle(box) for value in corner]] for box in (PERSON, CAT)
    ]
    assert cat.depth > person.depth
    assert state(house) is SegmentState.DRAWN
    with house.at_work("chris", Role.CHECKER, at="/segment/check") as page:
        take_picture(page, "segment-check")
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("finish-dialog")).to_have_count(0)
        do.tap(page, "d")
        page.keyboard.press("Enter")
        do.wait_for_screen(page, "nothing_drawn")
    assert state(house) is SegmentState.CHECKED


def test_findings_are_shown_before_finishing_and_returns_say_why(house: PartyHouse) -> None:
    choose(house, PERSON, CAT)
    with house.at_work("ann", at="/segment") as page:
        outline(page, rectangle((PERSON[0], PERSON[1], PERSON[2] - 200, PERSON[3])))
        do.tap(page, "d")
        doubts = page.get_by_test_id("doubts").locator("li")
        first = "1 person: Differs from its box by 54 % of a side."
        expect(doubts).to_have_text([first, "2 person: No visible pixels."])
        take_picture(page, "segment-findings")
        page.get_by_test_id("go-to").nth(1).click()
        outline(page, rectangle(CAT))
        do.finish(page)
        do.wait_for_screen(page, "nothing_to_segment")
        do.wait_for_saved(page)
    with house.at_work("chris", Role.CHECKER, at="/segment/check") as page:
        page.keyboard.press("x")
        page.get_by_test_id("comment").fill("The legs are missing.\nThe tail too.")
        page.get_by_test_id("comment").press("Enter")
        do.send_verdict(page)
        do.wait_for_screen(page, "nothing_drawn")
    assert state(house) is SegmentState.RETURNED
    with house.at_work("ann", at="/segment") as page:
        comment = page.get_by_test_id("review-comment")
        expect(comment).to_contain_text("The legs are missing.")
        assert comment.inner_text() == "1 person: The legs are missing.\nThe tail too."


def test_a_drawing_finished_offline_is_sent_when_online(house: PartyHouse) -> None:
    choose(house, CAT)
    with house.at_work("ann", allowing=("ERR_INTERNET_DISCONNECTED",), at="/segment") as page:
        page.context.set_offline(True)
        outline(page, rectangle(CAT))
        do.finish(page)
        do.wait_for_screen(page, "ending")
        page.context.set_offline(False)
        do.wait_for_screen(page, "nothing_to_segment")
        do.wait_for_saved(page)
    assert state(house) is SegmentState.DRAWN


@pytest.mark.parametrize("chosen", ["mine", "theirs"])
def test_a_person_chooses_between_two_windows_that_drew(house: PartyHouse, chosen: str) -> None:
    choose(house, CAT)
    moved = (CAT[0] + 10, CAT[1] + 10, *CAT[2:])
    with house.at_work("ann", allowing=("status of 409",), at="/segment") as page:
        other = page.context.new_page()
        other.goto(page.url)
        do.wait_for_work(other)
        outline(other, rectangle(moved))
        do.wait_for_saved(other)
        outline(page, rectangle(CAT))
        page.get_by_test_id("conflict-dialog").get_by_test_id(f"conflict-{chosen}").click()
        do.wait_for_saved(page)
    kept = CAT if chosen == "mine" else moved
    expected = [value for corner in rectangle(kept) for value in corner]
    assert newest(house)[0].rings == [expected]


def test_a_mask_outlined_by_clicks_equals_the_mask_outside_void(house: PartyHouse) -> None:
    choose(house, PERSON, CAT)
    with house.at_work("ann", at="/segment") as page:
        for box in (PERSON, CAT):
            outline(page, ellipse(box, 32))
            page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        do.wait_for_saved(page)
    size = (512, 512)
    drawn = np.zeros(size, np.int8)
    for label, segment in enumerate(newest(house), start=1):
        drawn[fill(unpack_rings(segment.rings), *size)] = label
    truth = np.zeros(size, np.int8)
    for label, box in enumerate((PERSON, CAT), start=1):
        truth[draw_mask(box, size)] = label
    void = np.zeros(size, np.bool_)
    for dx in range(-HALF_VOID_PX, HALF_VOID_PX + 1):
        for dy in range(-HALF_VOID_PX, HALF_VOID_PX + 1):
            void |= np.roll(truth, (dx, dy), (0, 1)) != truth
    for label in (1, 2):
        ours, theirs = ((array == label) & ~void for array in (drawn, truth))
        assert (ours & theirs).sum() / (ours | theirs).sum() >= 0.98


def test_an_outline_that_follows_the_edge_needs_four_clicks(house: PartyHouse) -> None:
    choose_disc(house)
    with house.at_work("ann", at="/segment") as page:
        page.keyboard.press("w")
        expect(page.get_by_test_id("wire")).to_have_attribute("aria-pressed", "true")
        do.expect_body(page, "[data-tool=wire][data-edges=found]")
        clicks = ellipse(DISC, 4)
        for draw_round in (draw_round_by_finger, draw_round_by_pen):
            draw_round(page, clicks)
            expect(page.get_by_test_id("object")).to_have_attribute("data-drawn", "true")
            do.wait_for_saved(page)
            assert likeness(house) > 0.97
            do.press(page, "Backspace")
            expect(page.get_by_test_id("object")).to_have_attribute("data-drawn", "false")
        click_corners(page, clicks[:3])
        expect(page.get_by_test_id("now")).to_contain_text("follows the edge")
        count_corners = "Number(document.body.dataset.corners)"
        three = page.evaluate(count_corners)
        take_picture(page, "segment-wire")
        for size in ((1280, 720), (1366, 650)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            rail = page.locator("#rail").evaluate("rail => [rail.scrollHeight, rail.clientHeight]")
            assert rail[0] <= rail[1], "every tool is in view"
        page.keyboard.press("Escape")
        two = page.evaluate(count_corners)
        assert 4 < two < three
        page.keyboard.press("Control+z")
        assert page.evaluate(count_corners) == three
        page.reload()
        do.wait_for_work(page)
        page.get_by_test_id("object").click()
        do.expect_body(page, f"[data-corners='{three}']")
        page.keyboard.press("w")
        do.expect_body(page, "[data-edges=found]")
        click_corners(page, (clicks[3], clicks[0]))
        expect(page.get_by_test_id("object")).to_have_attribute("data-drawn", "true")
        do.wait_for_saved(page)
    (ring,) = newest(house)[0].rings
    assert len(ring) / 2 < 80
    assert likeness(house) > 0.97


def draw_round_by_finger(page: Page, corners: Corners) -> None:
    """A finger slides to each corner, and the line is fixed where it lifts; a tap closes it."""
    fingers = page.context.new_cdp_session(page)
    places = [do.place_on_screen(page, place) for place in corners]
    for place in places:
        swipe(fingers, (place[0] + 30, place[1] + 20), place)
    touch(fingers, "Start", places[0])
    touch(fingers, "End")
    fingers.detach()


def draw_round_by_pen(page: Page, corners: Corners) -> None:
    """A pen hovers over each corner and is pressed on it, then on the first one again."""
    pen = page.context.new_cdp_session(page)
    for place in [*corners, corners[0]]:
        at = do.place_on_screen(page, place)
        hold_pen(pen, "Moved", at, is_down=False)
        hold_pen(pen, "Pressed", at)
        hold_pen(pen, "Released", at)
    pen.detach()


def likeness(house: PartyHouse) -> float:
    """Intersection over union of what was drawn with the disc."""
    drawn = fill(unpack_rings(newest(house)[0].rings), 512, 512)
    truth = draw_mask(DISC, (512, 512))
    return float((drawn & truth).sum() / (drawn | truth).sum())


def test_an_outline_is_drawn_moved_and_undone_by_keys_alone(house: PartyHouse) -> None:
    choose(house, CAT)
    with house.at_work("ann", at="/segment") as page:
        press = page.keyboard.press
        for key in ("c", "Shift+ArrowRight", "c", "Shift+ArrowDown", "c", "Enter"):
            press(key)
        expect(page.get_by_test_id("object")).to_have_attribute("data-drawn", "true")
        for key in ("n", "n", "ArrowRight", "ArrowRight", "Control+z"):
            press(key)
        do.wait_for_saved(page)
        assert [len(ring) for ring in newest(house)[0].rings] == [6]
        x, y, right, top, *_ = newest(house)[0].rings[0]
        assert (right - x, top - y) == (11, 0)
        press("?")
        expect(page.get_by_test_id("keys")).to_contain_text("Cut a hole")
        take_picture(page, "segment-keys")


def test_a_proposal_is_stored_only_when_accepted(house: PartyHouse) -> None:
    choose(house, PERSON)
    with house.at_work("ann", at="/segment") as page:
        for key in ("Escape", "Enter"):
            expect(page.get_by_test_id("object")).to_have_attribute("data-drawn", "false")
            page.keyboard.press("g")
            do.expect_body(page, "[data-tool=proposal]")
            with page.expect_response("**/proposals") as answer:
                click_corners(page, [(215, 150)])
            assert '"add":[[' in (answer.value.request.post_data or "")
            page.keyboard.press(key)
            do.expect_body(page, "[data-tool=outline]")
        do.wait_for_saved(page)
    assert len(newest(house)[0].rings[0]) >= 6


def test_a_proposal_never_replaces_what_a_person_drew(house: PartyHouse) -> None:
    choose(house, CAT)
    with house.at_work("ann", at="/segment") as page:
        page.keyboard.press("g")
        do.expect_body(page, "[data-tool=proposal]")
        page.keyboard.press("Escape")
        outline(page, rectangle(CAT))
        do.wait_for_saved(page)
        drawn = newest(house)[0].rings
        asked = list[str]()

        def note(request: Request) -> None:
            asked.append(request.url)

        page.on("request", note)
        page.keyboard.press("g")
        expect(page.get_by_text("a proposal never replaces what was drawn")).to_be_visible()
        take_picture(page, "segment-proposal-on-drawn")
        page.keyboard.press("Enter")
        do.wait_for_saved(page)
        page.remove_listener("request", note)
        assert not any("proposals" in url for url in asked)
    assert newest(house)[0].rings == drawn


def test_an_outline_drawn_while_a_proposal_is_computed_stays(house: PartyHouse) -> None:
    choose(house, CAT)
    with house.at_work("ann", at="/segment") as page:
        held = list[Route]()
        page.route("**/proposals", lambda route: held.append(route))
        with page.expect_request("**/proposals"):
            page.keyboard.press("g")
        outline(page, rectangle(CAT))
        with page.expect_response("**/proposals"):
            held[0].continue_()
        do.press(page, *["Control+z"] * 5)
        expect(page.get_by_test_id("object")).to_have_attribute("data-drawn", "false")
        do.expect_body(page, "[data-tool=outline]")
        do.press(page, *["Control+y"] * 5, "Enter")
        do.wait_for_saved(page)
    assert newest(house)[0].rings == [[value for corner in rectangle(CAT) for value in corner]]


def test_a_proposal_that_is_the_box_is_called_uncertain(house: PartyHouse) -> None:
    choose(house, (1, 1, 512, 512))
    with house.at_work("ann", at="/segment") as page:
        expect(page.get_by_test_id("uncertain")).to_be_hidden()
        page.keyboard.press("g")
        do.expect_body(page, "[data-tool=proposal]")
        expect(page.get_by_test_id("uncertain")).to_be_visible()
        take_picture(page, "segment-uncertain")
        page.keyboard.press("Escape")
        expect(page.get_by_test_id("uncertain")).to_be_hidden()


def test_brush_hole_and_void_region_are_stored_and_can_be_fixed(house: PartyHouse) -> None:
    choose(house, CAT)
    inner = (CAT[0] + 20, CAT[1] + 20, CAT[0] + 59, CAT[1] + 59)
    region = (20, 20, 69, 69)
    with house.at_work("ann", at="/segment") as page:
        outline(page, rectangle(CAT))
        page.keyboard.press("h")
        outline(page, rectangle(inner))
        page.keyboard.press("e")
        click_corners(page, [(CAT[0] + 80, CAT[1] + 80)])
        do.press(page, "Escape", "v")
        outline(page, rectangle(region))
        take_picture(page, "segment-void")
        do.finish(page)
        do.wait_for_screen(page, "nothing_to_segment")
        do.wait_for_saved(page)
    cat, void = newest(house)
    assert (cat.object_key, void.object_key) == ("k0", None)
    filled = fill(unpack_rings(cat.rings), 512, 512)
    erased = 124 * 132 - 40 * 40 - filled.sum()
    assert 100 < erased < 125, "a disc of 12 pixels"
    with house.at_work("chris", Role.CHECKER, at="/segment/check") as page:
        page.get_by_test_id("object").nth(1).click()
        view = do.find_view(page)
        page.mouse.move(view.left + 19 * view.scale, view.top + 19 * view.scale)
        page.mouse.down()
        page.mouse.move(view.left + 9 * view.scale, view.top + 9 * view.scale, steps=3)
        page.mouse.up()
        page.reload()
        do.wait_for_work(page)
        do.tap(page, "d")
        expect(page.get_by_test_id("outcome")).to_have_attribute("data-verdict", "fixed")
        page.get_by_test_id("verdict-send").click()
        do.wait_for_screen(page, "nothing_drawn")
    assert newest(house)[1].rings == [[9, 9, 69, 19, 69, 69, 19, 69]]
    assert state(house) is SegmentState.CHECKED


def suggest_disc(house: PartyHouse) -> None:
    """The disc's box was accepted as a model suggested it, with the mask of its left half."""
    mask = np.zeros((512, 512), np.bool_)
    rows, columns = np.mgrid[0:512, 0:512]
    mask[(rows - 240) ** 2 + (columns - 260) ** 2 <= 140**2] = True
    mask[:, 300:] = False
    flat = mask.ravel(order="F")
    ends = np.flatnonzero(np.diff(flat)) + 1
    counts = pack_run_lengths(np.diff([0, *ends.tolist(), flat.size]).tolist())
    with house.party.catalogue.reading() as session:
        image_id = session.scalars(select(Image.id)).one()
    [number] = suggest(house.party, image_id, [DISC])
    with house.party.catalogue.writing() as session:
        session.get_one(Suggestion, number).mask = counts
        made = {"suggestion_id": number, "suggested": Suggested.ACCEPTED}
        session.execute(update(Object).values(**made))


def test_an_outline_of_a_model_is_shown_accepted_rejected_and_corrected(house: PartyHouse) -> None:
    choose_disc(house)
    suggest_disc(house)
    with house.at_work("ann", at="/segment") as page:
        page.set_viewport_size({"width": 1366, "height": 650})
        now = page.get_by_test_id("now")
        expect(now).to_contain_text("Suggested by a model.")
        take_picture(page, "segment-suggested")
        drawn = page.get_by_test_id("object")
        expect(drawn).to_have_attribute("data-drawn", "false")
        page.keyboard.press("Enter")
        expect(drawn).to_have_attribute("data-drawn", "true")
        page.keyboard.press("Control+z")
        expect(now).to_contain_text("Suggested by a model.")
        page.get_by_test_id("step.back").click()
        expect(now).to_contain_text("Outline the")
        expect(page.get_by_test_id("proposal-answers")).to_be_hidden()
        expect(drawn).to_have_attribute("data-drawn", "false")
        page.reload()
        do.wait_for_work(page)
        expect(now).to_contain_text("Suggested by a model.")
        click_corners(page, [(380, 240)])  # no stroke
        expect(drawn).to_have_attribute("data-drawn", "false")
        do.drag(page, *(do.place_on_screen(page, at) for at in ((290, 240), (380, 240))))
        expect(drawn).to_have_attribute("data-drawn", "true")
        do.wait_for_saved(page)
    [segment] = newest(house)
    pixels = fill(unpack_rings(segment.rings), 512, 512)
    assert pixels[240, 200]  # of the mask
    assert pixels[240, 370]  # of the stroke
    assert not pixels[340, 340]


def test_a_click_proposes_an_outline_of_the_partys_model(
    house: PartyHouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outlining, "run_pair", run_here)
    info = SetInfo(model="sam", version="1", sha256="5" * 64, kind=SuggestionKind.OUTLINE)
    set_id = keep_pair(house.party, write_pair(tmp_path), info, Limits(), NOON)
    choose_disc(house)
    with house.at_work("ann", at="/segment") as page:
        model = page.get_by_test_id("outline-model")
        expect(model).to_have_attribute("data-state", "ready", timeout=30_000)
        do.tap(page, "k")
        expect(page.get_by_test_id("model.click")).to_have_attribute("aria-pressed", "true")
        now = page.get_by_test_id("now")
        click_corners(page, [(260, 240)])
        expect(now).to_contain_text("Proposed by the model.")
        take_picture(page, "segment-clicked")
        drawn = page.get_by_test_id("object")
        expect(drawn).to_have_attribute("data-drawn", "false")
        page.keyboard.press("Escape")
        expect(now).to_contain_text("Click on the")
        click_corners(page, [(260, 240)])
        expect(now).to_contain_text("Proposed by the model.")
        page.keyboard.press("Enter")
        expect(drawn).to_have_attribute("data-drawn", "true")
        do.wait_for_saved(page)
    for desk in pointing._desks.values():
        desk.stop()
    [segment] = newest(house)
    assert segment.suggestion_set_id == set_id
    pixels = fill(unpack_rings(segment.rings), 512, 512)
    assert pixels[240, 260]
    assert not pixels[240, 340]
