"""The history of an image in a real browser: compared, restored, and seen by its author."""

import pytest
from playwright.sync_api import Page, expect

import work.feedback
from catalog.states import ImageState, Role
from tests.browser import take_picture

from . import party_page as do
from .party_page import CAT, PERSON, PartyHouse


def expect_ready(page: Page, name: str) -> None:
    expect(page.locator(f"#{name}[data-ready=true]")).to_be_visible()


def test_an_earlier_revision_can_be_compared_and_restored(house: PartyHouse) -> None:
    image = house.add_image()
    with house.at_work("ann") as page:
        do.drag_box(page, PERSON)
        do.wait_for_saved(page)
        do.drag_box(page, CAT)
        do.select_class(page, "cat")
        do.finish_last(page)
        page.keyboard.press("a")
        do.wait_for_work(page)
        page.keyboard.press("Delete")
        do.drag_box(page, (20, 20, 60, 60))  # is in the history though it was drawn just now
        page.get_by_test_id("image.history").click()
        expect_ready(page, "history")
        drafts = page.locator("[data-testid='change:added']")
        expect(drafts).to_have_count(1)
        first, *_, newest = house.revisions(image)
        page.get_by_test_id("drafts").check()
        page.get_by_test_id(f"before:{first.id}").check()
        page.get_by_test_id(f"after:{newest.id}").check()
        expect(page.locator(".changes li")).to_have_count(2)
        do.take_sizes(page, "history")
        do.take_both(page, "history")
        page.get_by_test_id(f"restore:{first.id}").click()
        take_picture(page, "history-restore")
        page.get_by_test_id("restore-yes").click()
        do.wait_for_work(page)
        do.expect_boxes(page, PERSON)
        do.finish_last(page)
        do.wait_for_saved(page)
    *_, restored, finished = house.revisions(image)
    assert (do.boxes_of(restored), restored.comment) == ([PERSON], f"Restored revision {first.id}.")
    assert (do.boxes_of(finished), finished.parent_id) == ([PERSON], restored.id)
    assert house.state(image) is ImageState.ANNOTATED


def test_a_checkers_fix_is_shown_to_the_author_and_in_the_history(house: PartyHouse) -> None:
    image = house.add_image()
    with house.signed_in("ann") as ann, house.signed_in("chris", Role.CHECKER) as chris:
        do.wait_for_work(ann)
        do.drag_box(ann, PERSON)
        do.drag_box(ann, CAT)
        do.finish_last(ann)
        do.wait_for_saved(ann)
        do.open_work(chris, "/check")
        chris.get_by_test_id("image.history").click()
        expect_ready(chris, "history")
        expect(chris.get_by_test_id("revisions")).to_contain_text("ann")
        take_picture(chris, "history-checker")
        chris.get_by_test_id("back").click()
        do.wait_for_work(chris)
        do.expect_boxes(chris, PERSON, CAT)
        chris.keyboard.press("Delete")
        do.open_page(ann, "/feedback")
        expect_ready(ann, "feedback")
        expect(ann.get_by_test_id("empty")).to_be_visible()
        take_picture(ann, "feedback-empty")
        do.send_verdict(chris)
        do.wait_for_screen(chris, "empty")
        ann.reload()
        expect_ready(ann, "feedback")
        expect(ann.locator("[data-testid='change:removed']")).to_have_count(1)
        expect(ann.locator("[data-testid^='week:']")).to_contain_text("0 of 1")
        do.take_sizes(ann, "feedback")
        do.take_both(ann, "feedback")
        ann.get_by_test_id("all").click()
        expect_ready(ann, "history")
        expect(ann.get_by_test_id("revisions")).to_contain_text("correction by chris")
        take_picture(ann, "history-corrected")
    assert house.state(image) is ImageState.CHECKED


def test_an_author_sees_what_came_back_large_and_corrects_it(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON, CAT)
    with house.client("chris", Role.CHECKER) as chris:
        task = chris.take("check")
        assert task is not None
        verdict = {"key": "k1", "verdict": "reject", "comment": "It is a statue."}
        words = "Look at the cat again."
        chris.review(task, "returned", objects=[verdict], complete=True, comment=words)
    with house.signed_in("ann", at="/feedback") as ann:
        expect_ready(ann, "feedback")
        expect(ann.get_by_test_id("correct-all")).to_have_text("Correct 1 image")
        for said in ("returned by chris", words, "person: It is a statue."):
            expect(ann.get_by_test_id("outcomes")).to_contain_text(said)
        expect(ann.locator(".boxes .over.marked")).to_have_count(1)
        expect(ann.get_by_test_id("drawn:after")).to_have_count(0)
        assert area_of(ann, "drawn:before") > 350 * 350
        do.take_sizes(ann, "feedback-returned")
        ann.get_by_test_id(f"correct:{image.id}").click()
        do.wait_for_work(ann)
        ann.keyboard.press("Delete")
        do.finish_last(ann)
        do.wait_for_saved(ann)
        do.open_page(ann, "/feedback")
        expect_ready(ann, "feedback")
        expect(ann.get_by_test_id("correct-all")).to_be_hidden()
        expect(ann.get_by_test_id("drawn:after")).to_contain_text("finished again")
        ann.set_viewport_size({"width": 1366, "height": 650})
        assert area_of(ann, "drawn:after") > 250 * 250


def test_older_outcomes_are_listed_once_though_the_button_is_pressed_twice(
    house: PartyHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work.feedback, "PAGE", 1)
    for _ in house.add_images(2):
        house.draw_by_client(PERSON)
    with house.client("chris", Role.CHECKER) as chris:
        for _ in range(2):
            task = chris.take("check")
            assert task is not None
            chris.review(task, "returned", comment="Look again.")
    with house.signed_in("ann", at=do.BLANK) as ann:
        outcomes = ann.locator("[data-testid^='outcome:']")
        with do.holding(ann, "**/feedback?before=*"):
            do.open_page(ann, "/feedback")
            expect(outcomes).to_have_count(1)
            ann.get_by_test_id("older").dblclick()
        expect(ann.get_by_test_id("older")).to_be_hidden()
        do.wait_for_answers(ann)
        expect(outcomes).to_have_count(2)


def area_of(page: Page, test_id: str) -> float:
    """The square pixels of a picture, which must be in view as a whole."""
    expect(page.get_by_test_id(test_id).locator("img")).to_be_in_viewport(ratio=1)
    box = page.get_by_test_id(test_id).locator("img").bounding_box()
    assert box is not None
    return box["width"] * box["height"]
