"""Working with suggestions in a real browser: keys, a drag, a finger's buttons, a reload."""

import pytest
from playwright.sync_api import expect
from sqlalchemy import select

from catalog.states import Suggested
from catalog.tables import Part, Suggestion
from tests.browser import take_picture
from tests.suggesting import suggest
from work.suggestions import list_rejected

from . import party_page as do
from .party_page import CAT, PERSON, PartyHouse

OTHER = (300, 40, 420, 160)
MOST = (60, 60, 140, 140)
HEAD = (PERSON[0] + 20, PERSON[1] + 10, PERSON[0] + 60, PERSON[1] + 50)


@pytest.fixture
def _no_lottery(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("work.suggestions.is_withheld", lambda *_: False)


@pytest.mark.usefixtures("_no_lottery")
def test_suggestions_are_accepted_corrected_and_rejected_and_a_reload_keeps_that(
    house: PartyHouse,
) -> None:
    image = house.add_image()
    ids = suggest(house.party, image.id, [PERSON, CAT, OTHER, MOST])
    with house.party.catalogue.writing() as session:
        head_of_first = {"part": "head", "box": list(HEAD)}
        session.get_one(Suggestion, ids[0]).parts = [head_of_first]
    with house.at_work("ann") as page:
        now = page.get_by_test_id("suggestion-now")
        expect(now).to_have_text("person 90 %")
        take_picture(page, "suggestions")
        page.keyboard.press("n")  # accepts the first
        do.expect_boxes(page, PERSON)
        page.keyboard.press("ArrowRight")  # corrects the second
        moved = (CAT[0] + 1, CAT[1], CAT[2] + 1, CAT[3])
        do.expect_boxes(page, PERSON, moved)
        page.keyboard.press("n")  # goes on without accepting
        do.expect_boxes(page, PERSON, moved)
        page.keyboard.press("Shift+N")  # rejects the third
        expect(page.get_by_test_id("suggestions-left")).to_have_text("1 left")
        do.wait_for_saved(page)
        page.reload()
        do.wait_for_work(page)
        do.expect_boxes(page, PERSON, moved)
        expect(page.get_by_test_id("suggestions-left")).to_have_text("1 left")
        page.get_by_test_id("suggestion.show").click()
        page.keyboard.press("n")  # shows again what is hidden, and accepts nothing
        do.expect_boxes(page, PERSON, moved)
        page.get_by_test_id("suggestion.reject").click()
        expect(now).to_have_text("All decided")
        page.keyboard.press("Control+z")
        expect(page.get_by_test_id("suggestions-left")).to_have_text("1 left")
        do.wait_for_saved(page)
    head = house.head(image)
    assert [item.suggested for item in head.objects] == [Suggested.ACCEPTED, Suggested.CORRECTED]
    assert [item.suggestion_id for item in head.objects] == ids[:2]
    assert head.suggestions_shown == 4
    assert sum(revision.inputs for revision in house.revisions(image)) >= 4
    with house.party.catalogue.reading() as session:
        assert list_rejected(session, head.id) == [ids[2]]
        assert [part.box.xyxy for part in session.scalars(select(Part))] == [HEAD]
