"""The page Presence where the party's plan asks the questions, in a real browser."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, Role
from catalog.tables import Presence
from tests.browser import take_picture

from . import party_page as do
from .party_page import PartyHouse
from .test_judging import wait_for_pictures

PRESET = """
name = "pets"
year = 2026

[[classes]]
name = "cat"
words = "a cat"
synonyms = ["kitten"]
examples = ["a cat behind a window"]
has_views = false
"""


@pytest.fixture
def party(tmp_path: Path) -> Iterator[Party]:
    """A new party with one class, which asks one person."""
    folder = tmp_path / "party"
    values = {"questions": {"on": True, "agree": 1}}
    make_party(folder, name="Pets", preset="pets.toml", preset_text=PRESET, values=values)
    with open_party(folder) as party:
        yield party


def load_answers(house: PartyHouse) -> list[tuple[int, bool]]:
    """The image and the answer of those that stand."""
    standing = select(Presence).where(Presence.set_aside_at.is_(None)).order_by(Presence.image_id)
    with house.party.catalogue.reading() as session:
        return [(row.image_id, row.is_yes) for row in session.scalars(standing)]


def send_page(page: Page) -> None:
    """Send the page by key once its pictures are there, and wait for the next one."""
    expect(page.get_by_test_id("tile")).not_to_have_count(0)
    wait_for_pictures(page)
    expect(page.locator("#tiles")).to_have_attribute("aria-busy", "false")
    with page.expect_response("**/presence/questions/take"):
        page.keyboard.press("Space")


def undo_page(page: Page) -> None:
    """Take a page back by key once what was sent before is answered."""
    expect(page.locator("#tiles")).to_have_attribute("aria-busy", "false")
    page.keyboard.press("u")


def test_a_page_of_questions_is_answered_and_taken_back_by_keyboard(house: PartyHouse) -> None:
    images = house.add_images(30)
    with house.signed_in("ann", at="/presence") as ann:
        question = ann.get_by_test_id("question")
        tiles = ann.get_by_test_id("tile")
        expect(question).to_have_text("Which pictures show a cat?")
        expect(tiles).to_have_count(24)
        help_text = ann.get_by_test_id("question-help").locator("dl")
        expect(help_text).to_be_hidden()
        ann.keyboard.press("e")
        expect(help_text).to_contain_text("kitten")
        expect(help_text).to_contain_text("a cat behind a window")
        do.press(ann, "x", "ArrowRight", "ArrowRight", "x")
        expect(ann.locator(".mark")).to_have_text(["shown", "shown"])
        take_picture(ann, "questions")
        send_page(ann)
        said = ann.get_by_test_id("said")
        expect(said).to_have_text("24 images saved, 22 of them discarded.")
        expect(tiles).to_have_count(6)
        send_page(ann)
        expect(ann.get_by_test_id("empty")).to_contain_text("All questions are answered")
        take_picture(ann, "questions-empty")
        assert sum(is_yes for _, is_yes in load_answers(house)) == 2
        undo_page(ann)
        expect(tiles).to_have_count(6)
        undo_page(ann)
        expect(tiles).to_have_count(24)
        expect(said).to_contain_text("24 answers undone.")
        expect(ann.get_by_test_id("undo")).to_have_count(0)
    assert load_answers(house) == []
    assert {house.state(image) for image in images} == {ImageState.POOL}


def test_a_page_stays_as_it_was_marked_while_the_server_cannot_be_reached(
    house: PartyHouse,
) -> None:
    house.add_images(3)
    with house.signed_in("ann", allowing=("ERR_INTERNET_DISCONNECTED",), at="/presence") as ann:
        expect(ann.get_by_test_id("tile")).to_have_count(3)
        ann.get_by_test_id("tile").nth(1).click()
        wait_for_pictures(ann)
        ann.context.set_offline(True)
        ann.keyboard.press("Space")
        expect(ann.get_by_test_id("said")).to_contain_text("The server does not answer.")
        expect(ann.locator(".mark")).to_have_count(1)
        ann.context.set_offline(False)
        send_page(ann)
        expect(ann.get_by_test_id("said")).to_contain_text("3 images saved")
    assert sum(is_yes for _, is_yes in load_answers(house)) == 1


def test_an_organiser_sees_the_answers_about_an_image_and_takes_one_back(
    house: PartyHouse,
) -> None:
    image = house.add_image()
    with house.signed_in("ann", at="/presence") as ann:
        send_page(ann)
        expect(ann.get_by_test_id("said")).to_contain_text("1 of them discarded")
    assert house.state(image) == ImageState.DISCARDED
    with house.signed_in("olga", Role.ORGANISER, at=f"/history?image={image.id}") as olga:
        answers = olga.get_by_test_id("presence-answers")
        expect(answers).to_contain_text("Shows a cat: no ann")
        do.take_both(olga, "presence-answers")
        answers.get_by_role("button", name="Take back").click()
        olga.get_by_test_id("sure-yes").click()
        said = f"These images are no longer discarded: {image.id}."
        expect(olga.get_by_test_id("said")).to_contain_text(said)
        expect(answers).to_contain_text("Taken back by olga")
        expect(answers.get_by_role("button")).to_have_count(0)
    assert house.state(image) == ImageState.POOL
