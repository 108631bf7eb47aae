"""What leaves the preset is shown as retired, on the pages of annotators and of checkers."""

from dataclasses import replace

from playwright.sync_api import Page, expect

from catalog.states import Role, WordKind
from operate.words import apply_edits, rename_word

from . import party_page as do
from .party_page import NOW, Box, PartyHouse
from .test_parts_actions import HEAD, PERSON, draw_part, press

OTHER: Box = (420, 30, 480, 200)


def retire(house: PartyHouse) -> None:
    """Take a view, a part and an action out of the preset's file."""
    preset = house.party.file_preset
    preset = replace(
        preset,
        views=tuple(view for view in preset.views if view.key != "Left"),
        parts=tuple(part for part in preset.parts if part.key != "head"),
        actions=tuple(action for action in preset.actions if action.key != "walking"),
    )
    party = replace(house.party, preset=preset, file_preset=preset)
    with house.party.catalogue.writing() as session:
        assert apply_edits(session, party, made_by="olga", at=NOW) == 3


def expect_retired(page: Page) -> None:
    """The selected person has all three, and they are told to be retired."""
    view = page.get_by_test_id("view:Left")
    expect(view).to_contain_text("Left (retired)")
    expect(view).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_test_id("part:head")).to_contain_text("head (retired) 1/1")
    expect(page.get_by_test_id("part:head")).to_be_disabled()
    expect(page.get_by_test_id("action:walking")).to_contain_text("walking (retired)")


def test_retired_words_stay_on_their_object_and_are_offered_for_no_other(
    house: PartyHouse,
) -> None:
    image = house.add_image()
    with house.at_work("ann") as page:
        do.drag_box(page, PERSON)
        press(page, "view:Left")
        draw_part(page, "head", HEAD)
        press(page, "action:walking")
        do.wait_for_saved(page)
        retire(house)
        page.reload()
        do.wait_for_work(page)
        page.keyboard.press(".")
        expect_retired(page)
        page.keyboard.press("w")
        do.drag_box(page, OTHER)
        expect(page.get_by_test_id("view:Rear")).to_be_visible()
        for gone in ("view:Left", "part:head", "action:walking"):
            expect(page.get_by_test_id(gone)).to_have_count(0)
        do.wait_for_saved(page)
        do.finish_last(page)
    with house.party.catalogue.writing() as session:
        view = WordKind.VIEW
        rename_word(session, house.party, "Rear", "Back", kind=view, made_by="olga", at=NOW)
    with house.at_work("chris", Role.CHECKER, at="/check") as page:
        expect_retired(page)
        expect(page.get_by_test_id("view:Rear")).to_contain_text("Back")
        do.send_verdict(page)
        do.wait_for_screen(page, "empty")
    assert [item.view for item in house.head(image).objects] == ["Left", "Unspecified"]
