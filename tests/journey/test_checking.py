"""Checking in a real browser: returned with a comment, mended in place, discarded, hostile text."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from catalog.states import ImageState, Role, Verdict
from tests.browser import take_picture

from .party_page import (
    CAT,
    HOSTILE,
    PERSON,
    PartyHouse,
    boxes_of,
    drag_box,
    expect_boxes,
    finish,
    open_page,
    wait_for_saved,
    wait_for_screen,
    wait_for_work,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MENDED = (PERSON[0] + 1, PERSON[1], PERSON[2] + 1, PERSON[3])


def draw(page: Page, *boxes: tuple[int, int, int, int]) -> None:
    wait_for_work(page)
    for box in boxes:
        drag_box(page, box)
        page.keyboard.press("f")
    wait_for_saved(page)


def conclude(page: Page, verdict: str) -> None:
    page.keyboard.press("d")
    expect(page.get_by_test_id("outcome")).to_have_attribute("data-verdict", verdict)
    take_picture(page, f"verdict-{verdict}")
    page.get_by_test_id("verdict-send").click()


def test_returned_work_comes_first_to_its_author_and_is_accepted_once_mended(
    house: PartyHouse,
) -> None:
    image = house.add_image(title=HOSTILE)
    moved = (CAT[0] + 1, CAT[1], CAT[2] + 1, CAT[3])
    with house.signed_in("ann") as ann:
        draw(ann, PERSON, CAT)
        finish(ann)
        wait_for_screen(ann, "empty")
        for name in ("cameraman", "chelsea"):
            house.add_image(name)
        with house.signed_in("chris", Role.CHECKER) as chris:
            open_page(chris, "/check")
            wait_for_work(chris)
            chris.keyboard.press("Space")
            chris.keyboard.press("x")
            chris.keyboard.type(HOSTILE)
            take_picture(chris, "checker-comment")
            chris.keyboard.press("Enter")
            conclude(chris, "returned")
            wait_for_screen(chris, "empty")
        assert house.state(image) == ImageState.RETURNED
        open_page(ann, "/annotate")
        wait_for_work(ann)
        assert ann.locator("body").get_attribute("data-image") == str(image.id)
        rows = expect_boxes(ann, PERSON, CAT)
        expect(rows.nth(1)).to_have_attribute("data-verdict", "reject")
        expect(ann.locator("#review-note")).to_contain_text(HOSTILE)
        assert ann.title() != "owned"
        take_picture(ann, "returned")
        ann.keyboard.press(",")  # the last object
        ann.keyboard.press("ArrowRight")
        expect_boxes(ann, PERSON, moved)
        finish(ann)
        expect(ann.locator(f"body[data-ready=true]:not([data-image='{image.id}'])")).to_be_visible()
    with house.signed_in("chris", Role.CHECKER) as chris:
        open_page(chris, "/check")
        wait_for_work(chris)
        conclude(chris, "accept")
        wait_for_screen(chris, "empty")
    assert house.state(image) == ImageState.CHECKED
    assert boxes_of(house.head(image)) == [PERSON, moved]
    returned, accepted = house.reviews()
    assert (returned.verdict, accepted.verdict) == (Verdict.RETURNED, Verdict.ACCEPT)
    assert [item["comment"] for item in returned.object_verdicts] == ["", HOSTILE]


def test_a_checker_mends_in_place_and_the_authors_revision_stays(house: PartyHouse) -> None:
    image = house.add_image()
    with house.signed_in("ann") as ann:
        draw(ann, PERSON)
        finish(ann)
        wait_for_screen(ann, "empty")
    with house.signed_in("chris", Role.CHECKER) as chris:
        open_page(chris, "/check")
        wait_for_work(chris)
        chris.keyboard.press("ArrowRight")
        expect_boxes(chris, MENDED)
        conclude(chris, "mended")
        wait_for_screen(chris, "empty")
    head = house.head(image)
    assert (boxes_of(head), head.person.name) == ([MENDED], "chris")
    own = next(row for row in house.revisions(image) if row.id == head.parent_id)
    assert (boxes_of(own), own.is_finished) == ([PERSON], True)
    assert house.state(image) == ImageState.CHECKED


def test_an_image_is_discarded_with_a_reason_by_two_keys(house: PartyHouse) -> None:
    image = house.add_image()
    with house.signed_in("ann") as page:
        wait_for_work(page)
        page.keyboard.press("x")
        expect(page.get_by_test_id("discard-dialog")).to_be_visible()
        take_picture(page, "discard")
        page.keyboard.press("1")
        wait_for_screen(page, "empty")
    head = house.head(image)
    assert head.discard_reason == house.party.preset.discard_reasons[0].key
    assert head.objects == []
    assert house.state(image) == ImageState.DISCARDED


def test_titles_are_text_whatever_they_hold(house: PartyHouse) -> None:
    house.add_image(title=HOSTILE)
    with house.signed_in("ann") as page:
        wait_for_work(page)
        expect(page.get_by_test_id("status-credit")).to_contain_text(HOSTILE)
        expect(page.locator("#status b, #status script")).to_have_count(0)
        assert page.title() != "owned"
