"""The verification page by keyboard alone: two people answer, and who draws finds their boxes."""

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from catalog.states import QuestionKind, Said
from catalog.tables import Question, QuestionAnswer
from tests.browser import take_picture
from tests.suggesting import suggest

from . import party_page as do
from .party_page import Box, PartyHouse

BOXES: list[Box] = [(10 + 30 * place, 40, 110 + 30 * place, 160) for place in range(13)]
MOST_INPUTS = 1.2
"""For each box, with the key that begins a class."""


@pytest.fixture
def _no_lottery(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("work.suggestions", "work.questions.asking"):
        monkeypatch.setattr(f"{module}.is_withheld", lambda *_: False)


def wait_for_crops(page: Page, count: int) -> None:
    """Wait until so many crops are there: keys before that answer nothing."""
    expect(page.get_by_test_id("tile")).to_have_count(count)
    expect(page.locator("#tiles")).to_have_attribute("aria-busy", "false")
    page.wait_for_load_state("networkidle")


def begin(page: Page) -> None:
    do.open_page(page, "/verify")
    page.get_by_test_id("class-person").click()
    expect(page.get_by_test_id("examples")).to_be_visible()
    take_picture(page, "verify-examples")
    page.keyboard.press("Space")


def read_answers(house: PartyHouse, kind: QuestionKind) -> list[Said]:
    with house.party.catalogue.reading() as session:
        answers = (
            select(QuestionAnswer.said)
            .join(Question, Question.id == QuestionAnswer.question_id)
            .where(Question.kind == kind, QuestionAnswer.set_aside_at.is_(None))
        )
        return list(session.scalars(answers.order_by(QuestionAnswer.id)))


@pytest.mark.usefixtures("_no_lottery")
def test_boxes_that_two_people_call_right_are_drawn_when_the_image_is_opened(
    house: PartyHouse,
) -> None:
    image = house.add_image()
    suggest(house.party, image.id, BOXES)
    with house.signed_in("ben") as ben:
        ben.set_viewport_size({"width": 1280, "height": 720})
        begin(ben)
        wait_for_crops(ben, 12)
        assert ben.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert ben.locator("#tiles").evaluate("(tiles) => tiles.scrollHeight <= tiles.clientHeight")
        ben.keyboard.press("2")
        ben.keyboard.press("ArrowLeft")
        ben.keyboard.press("5")  # corrects the first
        ben.keyboard.press("1")
        expect(ben.get_by_test_id("answered")).to_have_text("2 of 12 answered")
        expect(ben.locator(".mark")).to_have_text(["Wrong", "Right"])
        take_picture(ben, "verify")
        ben.keyboard.press("u")
        expect(ben.locator(".mark")).to_have_text(["Wrong"])
        do.press(ben, *"11111111111")
        wait_for_crops(ben, 1)
        ben.keyboard.press("Control+z")  # the last of the screen before
        wait_for_crops(ben, 2)
        do.press(ben, "1", "1")
        expect(ben.get_by_test_id("empty")).to_contain_text("No box of this class waits for you")
    with house.signed_in("eve") as eve:
        pressed = 1
        begin(eve)
        wait_for_crops(eve, 12)
        for _ in range(12):
            eve.keyboard.press("1")
            pressed += 1
        expect(eve.get_by_test_id("question")).to_contain_text("Is there another one")
        assert pressed / 12 <= MOST_INPUTS
        take_picture(eve, "verify-more")
        wait_for_crops(eve, 1)
        eve.keyboard.press("1")
        expect(eve.get_by_test_id("empty")).to_be_visible()
    assert read_answers(house, QuestionKind.MORE) == [Said.NO]
    assert sorted(read_answers(house, QuestionKind.BOX)) == [Said.RIGHT] * 24 + [Said.WRONG]
    with house.at_work("ann") as ann:
        expect(ann.locator("#status")).to_contain_text("12 boxes here already")
        take_picture(ann, "verify-drawn")
        do.expect_boxes(ann, *BOXES[1:])
        expect(ann.get_by_test_id("suggestions-left")).to_have_text("1 left")
    assert house.revisions(image) == []  # nothing was drawn, so nothing is saved


@pytest.mark.usefixtures("_no_lottery")
def test_an_answer_that_the_server_did_not_get_is_asked_again(house: PartyHouse) -> None:
    suggest(house.party, house.add_image().id, BOXES[:2])
    with house.signed_in("ben", allowing=("ERR_FAILED",)) as ben:
        begin(ben)
        wait_for_crops(ben, 2)
        ben.route("**/questions/*/answer", lambda route: route.abort())
        ben.keyboard.press("1")
        expect(ben.get_by_test_id("said")).to_contain_text("The server does not answer")
        expect(ben.locator(".mark")).to_have_count(0)
        ben.unroute("**/questions/*/answer")
        ben.keyboard.press("ArrowLeft")
        do.press(ben, "1", "5")
        expect(ben.get_by_test_id("empty")).to_be_visible()
    assert read_answers(house, QuestionKind.BOX) == [Said.RIGHT, Said.WRONG]
