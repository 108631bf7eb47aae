"""A team in a real browser: from its personal link to the board, by keyboard where it can."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.browser import browsing, press_twice
from tests.challenge.contests import AFTER, make_results, pack, score_all
from web.serving import serve_in_thread

from .house import House

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(autouse=True)
def _score_here(score_here: None) -> None:
    """Score in this process."""


def test_a_team_comes_by_its_link_sends_results_and_sees_them_on_the_board(
    house: House, chromium: Browser, tmp_path: Path
) -> None:
    house.team()
    good = tmp_path / "results.tar.gz"
    broken = tmp_path / "broken.tar.gz"
    good.write_bytes(pack(make_results()))
    broken.write_bytes(good.read_bytes()[:400])
    with serve_in_thread(house.app) as base_url, browsing(chromium) as page:
        page.goto(f"{base_url}/enter/token%20of%20ann")
        expect(page.get_by_role("button", name="Continue")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_test_id("phase")).to_have_text("Submissions open")
        page.get_by_test_id("add-method").focus()
        page.keyboard.press("Enter")
        page.get_by_label("Name").fill("second")
        assert press_twice(page.locator("form.fields button")) == 1
        page.locator("#method").select_option(label="second")
        page.get_by_label("File").set_input_files(broken)
        page.get_by_role("button", name="Send and check").press("Enter")
        expect(page.get_by_test_id("verdict")).to_contain_text("broken.tar.gz")
        expect(page.get_by_test_id("state")).to_have_text("refused by its format")

        held = list[Route]()
        page.route("**/team_page.js", lambda route: held.append(route))
        with page.expect_request("**/team_page.js"):
            page.get_by_role("link", name="Your team").click()
        form = page.locator("#send")
        expect(form).to_be_attached()
        expect(form).to_be_hidden()  # sent now, it would only load the page again
        late = page.get_by_text("This page is not loaded whole.")
        expect(late).to_be_hidden()
        page.evaluate("document.getAnimations().forEach((waiting) => waiting.finish())")
        expect(late).to_be_visible()
        held.pop().continue_()
        expect(form).to_be_visible()
        expect(late).to_be_hidden()
        page.get_by_label("File").set_input_files(good)
        page.get_by_role("button", name="Send and check").press("Enter")
        expect(page.get_by_test_id("verdict")).to_contain_text("comp1, comp3, comp5")
        expect(page.get_by_test_id("mismatch")).to_contain_text("comp5 asks whether")
        page.get_by_role("link", name="Edit the method").press("Enter")
        page.get_by_label("segmentations").check()
        page.get_by_role("button", name="Save method").press("Enter")
        page.get_by_role("link", name="2", exact=True).click()
        page.get_by_role("button", name="Confirm and score").press("Enter")
        expect(page.get_by_test_id("state")).to_contain_text("place 1 in the queue")
        score_all(house.challenge)
        expect(page.get_by_test_id("state")).to_have_text("scored")
        expect(page.get_by_text("The phase does not show scores yet")).to_be_visible()

        house.at = AFTER
        page.reload()
        mean = page.get_by_test_id("mean").nth(1).inner_text().split()[0]
        page.get_by_role("button", name="Publish on the board").press("Enter")
        page.get_by_role("button", name="Sign out").press("Enter")
        page.get_by_role("link", name="Board").click()
        page.get_by_role("link", name="comp3", exact=True).click()
        row = page.get_by_test_id("board").get_by_role("row", name="second")
        expect(row).to_contain_text(mean)
        expect(row).to_contain_text("ann")
