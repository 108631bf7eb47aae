"""Presses that come too early, or again before the server has answered."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Page, expect
from sqlalchemy import select

from catalog.states import Role
from catalog.tables import Invitation, LiveSetting, Remark
from tests.browser import browsing, press_twice
from tests.rows import load_rows

from . import party_page as do
from .party_page import PERSON, PartyHouse


@contextmanager
def unanswered(page: Page, url: str) -> Iterator[None]:
    """Nothing of this address is answered within the block; all of it is after the block."""
    with do.holding(page, url):
        yield
    do.wait_for_answers(page)


def count_versions(house: PartyHouse, name: str) -> int:
    return len(load_rows(house.party, select(LiveSetting.number).where(LiveSetting.name == name)))


def test_a_plan_and_guidelines_that_are_saved_twice_at_once_have_one_new_version(
    house: PartyHouse,
) -> None:
    with house.signed_in("olga", Role.ORGANISER, at="/queue") as olga:
        olga.get_by_test_id("wanted:dog").check()
        with unanswered(olga, "**/api/v1/queue"):
            olga.get_by_test_id("plan-save").dblclick()
        expect(olga.get_by_test_id("plan-state")).to_have_text("Saved.")
        expect(olga.get_by_test_id("plan-conflict")).to_be_hidden()
        do.open_page(olga, "/guidelines/edit")
        text = olga.get_by_test_id("markdown")
        text.fill("# Rules")
        with unanswered(olga, "**/api/v1/guidelines"):
            olga.get_by_test_id("editor-save").click()
            text.fill("# Rules of the party")
            olga.get_by_test_id("editor-save").click()
        expect(olga.get_by_test_id("editor-state")).to_have_text("Saved.")
        expect(olga.get_by_test_id("version:2")).to_be_visible()
        expect(olga.get_by_test_id("editor-conflict")).to_be_hidden()
    assert [count_versions(house, name) for name in ("queue", "guidelines")] == [1, 2]


def test_a_button_pressed_twice_changes_one_thing(house: PartyHouse) -> None:
    house.add_image()
    house.draw_by_client(PERSON)
    with house.signed_in("olga", Role.ORGANISER, at="/people") as olga:
        with unanswered(olga, "**/api/v1/party-codes"):
            olga.get_by_test_id("door-open").dblclick()
        expect(olga.get_by_test_id("door-close")).to_be_visible()
        do.open_page(olga, "/wall")
        with unanswered(olga, "**/remarks"):
            olga.get_by_test_id("talk").dblclick()
        said = olga.get_by_test_id("said")
        expect(said).to_contain_text("ann")
        do.open_page(olga, "/board")
        share = olga.get_by_test_id("gold_share")
        expect(share).not_to_have_value("")  # the shares that hold are there
        share.fill("7")
        with unanswered(olga, "**/api/v1/board/shares"):
            olga.get_by_test_id("shares-save").dblclick()
        expect(said).not_to_be_empty()
        expect(said).not_to_have_class("said refusal")
    assert len(load_rows(house.party, select(Invitation.id))) == 1
    assert len(load_rows(house.party, select(Remark.id))) == 1


def test_a_form_that_was_answered_is_not_sent_again_while_the_list_is_on_its_way(
    house: PartyHouse,
) -> None:
    with house.signed_in("olga", Role.ORGANISER, at="/people") as olga:
        name = olga.get_by_test_id("invite-name")
        offer = olga.get_by_test_id("door-open")
        expect(offer).to_be_visible()
        with do.holding(olga, "**/api/v1/people", "GET"):
            name.fill("mia")
            name.press("Enter")
            expect(olga.get_by_test_id("link-card")).to_be_visible()
            expect(name).to_have_value("")
            offer.press("Enter")
            expect(offer).to_be_hidden()
        expect(olga.get_by_test_id("door-close")).to_be_visible()
        expect(olga.get_by_test_id("said")).to_be_empty()


def test_a_form_that_the_browser_sends_is_sent_once(house: PartyHouse) -> None:
    link = house.make_link("ann")
    with browsing(house.chromium) as page:
        page.goto(link)
        assert press_twice(page.get_by_role("button", name="Continue")) == 1
        page.wait_for_url("**/annotate")
        do.open_page(page, "/guidelines")
        with page.expect_navigation():
            assert press_twice(page.get_by_role("button", name="Sign out")) == 1
        page.goto(link)
        page.get_by_role("button", name="Continue").press("Enter")
        page.wait_for_url("**/annotate")


def test_a_form_is_not_shown_before_the_page_listens_to_it(house: PartyHouse) -> None:
    with house.signed_in("olga", Role.ORGANISER) as olga:
        invite = olga.get_by_test_id("invite")
        with do.holding(olga, "**/people_page.js"):
            olga.goto(f"{house.base_url}/people", wait_until="commit")
            expect(invite).to_be_attached()
            expect(invite).to_be_hidden()  # pressed now, it would only load the page again
            late = olga.get_by_text("This page is not loaded whole.")
            expect(late).to_be_hidden()
            olga.evaluate("document.getAnimations().forEach((waiting) => waiting.finish())")
            expect(late).to_be_visible()
        olga.get_by_test_id("invite-name").fill("mia")
        expect(late).to_be_hidden()
        invite.click()
        expect(olga.get_by_test_id("link-card")).to_be_visible()
