"""The verification page by keyboard alone: two people answer, and who draws finds their boxes."""

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import select

from catalog.states import QuestionKind, Role, Said
from catalog.tables import Person, Question, QuestionAnswer
from tests.browser import take_picture
from tests.suggesting import suggest

from . import party_page as do
from .party_page import PERSON, Box, PartyHouse

BOXES: list[Box] = [(10 + 30 * place, 40, 110 + 30 * place, 160) for place in range(13)]
MOST_INPUTS = 1.2
"""For each box, with the key that begins a class."""


@pytest.fixture
def _no_lottery(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("work.suggestions", "work.questions.waiting"):
        monkeypatch.setattr(f"{module}.is_withheld", lambda *_: False)


def wait_for_crops(page: Page, count: int) -> None:
    """Wait until so many crops are there: keys before that answer nothing."""
    expect(page.get_by_test_id("tile")).to_have_count(count)
    expect(page.locator("#tiles")).to_have_attribute("aria-busy", "false")
    have_come = "(crops) => Promise.all(crops.map((crop) => crop.decode().catch(() => null)))"
    page.locator("#tiles img").evaluate_all(have_come)


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
    with house.signed_in("ben", at=do.BLANK) as ben:
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
    with house.signed_in("eve", at=do.BLANK) as eve:
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
        eve.keyboard.press("2")
        expect(eve.get_by_test_id("empty")).to_be_visible()
    assert read_answers(house, QuestionKind.MORE) == [Said.YES]
    assert sorted(read_answers(house, QuestionKind.BOX)) == [Said.RIGHT] * 24 + [Said.WRONG]
    with house.at_work("ann") as ann:
        expect(ann.locator("#status")).to_contain_text("12 boxes here already")
        expect(ann.locator("#status")).to_contain_text("Seen without a box: person.")
        take_picture(ann, "verify-drawn")
        do.expect_boxes(ann, *BOXES[1:])
        expect(ann.get_by_test_id("suggestions-left")).to_have_text("1 left")
    assert house.revisions(image) == []  # nothing was drawn, so nothing is saved


def answer_gold(house: PartyHouse, image_id: int, name: str, said: Said) -> None:
    """Six answers of a person about wrong boxes of a gold image."""
    house.make_link(name, Role.ANNOTATOR)
    with house.party.catalogue.writing() as session:
        person = session.scalars(select(Person).where(Person.name == name)).one()
        for number in range(6):
            question = Question(
                kind=QuestionKind.BOX,
                image_id=image_id,
                class_id="cat",
                known=Said.WRONG,
                object_key=f"k{number}",
                person_id=person.id,
                asked_at=do.NOW,
                **dict(zip(("xmin", "ymin", "xmax", "ymax"), PERSON, strict=True)),
            )
            session.add(question)
            session.flush()
            answered = {"said": said, "answered_at": do.NOW, "took_ms": 700}
            session.add(QuestionAnswer(question_id=question.id, **answered))


def test_the_board_names_who_says_yes_to_everything_and_takes_that_back(house: PartyHouse) -> None:
    image = house.add_image()
    answer_gold(house, image.id, "eager", Said.RIGHT)
    answer_gold(house, image.id, "careful", Said.PART)
    with house.signed_in("olga", Role.ORGANISER, at="/board") as olga:
        expect(olga.get_by_test_id("suspect")).to_have_count(1)
        expect(olga.get_by_test_id("suspect")).to_contain_text("eager calls too many wrong boxes")
        olga.get_by_test_id("suspect").scroll_into_view_if_needed()
        take_picture(olga, "verify-board")
        row = olga.get_by_role("row").filter(has_text="eager").filter(has_text="100 %")
        row.get_by_role("button", name="Take back").click()
        olga.get_by_test_id("sure-yes").click()
        expect(olga.get_by_test_id("suspect")).to_have_count(0)
    assert read_answers(house, QuestionKind.BOX) == [Said.PART] * 6


@pytest.mark.usefixtures("_no_lottery")
def test_an_answer_that_the_server_did_not_get_is_asked_again(house: PartyHouse) -> None:
    suggest(house.party, house.add_image().id, BOXES[:2])
    with house.signed_in("ben", at=do.BLANK, allowing=("ERR_FAILED",)) as ben:
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


@pytest.mark.usefixtures("_no_lottery")
def test_an_old_page_shows_what_is_asked_now_before_an_answer_counts(house: PartyHouse) -> None:
    suggest(house.party, house.add_image().id, BOXES[:2])
    with house.signed_in("ben", at=do.BLANK, allowing=("409",)) as ben:
        begin(ben)
        wait_for_crops(ben, 2)
        shown = ben.locator("#tiles img").first.get_attribute("src")
        with house.party.catalogue.writing() as session:  # its number is another crop's by now
            question = session.scalars(select(Question).order_by(Question.id)).first()
            assert question is not None
            question.xmax += 60
        ben.keyboard.press("1")
        expect(ben.get_by_test_id("said")).to_contain_text("This changed since your page showed it")
        expect(ben.locator("#tiles img").first).not_to_have_attribute("src", shown or "")
        expect(ben.locator(".mark")).to_have_count(0)
        assert read_answers(house, QuestionKind.BOX) == []
        wait_for_crops(ben, 2)
        do.press(ben, "1", "5")
        expect(ben.get_by_test_id("empty")).to_be_visible()
    assert read_answers(house, QuestionKind.BOX) == [Said.RIGHT, Said.WRONG]
