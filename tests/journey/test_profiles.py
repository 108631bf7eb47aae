"""What a browser takes along from one test to the next: the files of the pages, nothing else."""

import time

import pytest
from playwright.sync_api import Error, Page

from tests.browser import browsing, wait_until

from .party_page import PartyHouse

STORE = """async () => {
  localStorage.setItem("word", "kept");
  sessionStorage.setItem("word", "kept");
  await (await caches.open("kept")).put("/kept", new Response("word"));
  const opening = indexedDB.open("kept", 1);
  await new Promise((done) => (opening.onsuccess = done));
}"""
LIST_STORED = """async () => [
  ...Object.keys(localStorage), ...Object.keys(sessionStorage), ...(await caches.keys()),
  ...(await indexedDB.databases()).map((database) => database.name)]"""
COUNT_FETCHED = """() => performance.getEntriesByType("resource")
  .filter((file) => file.name.includes("/static/") && file.transferSize > 0).length"""
WAIT_A_MOMENT = "() => new Promise((done) => setTimeout(() => done(Date.now()), 1))"


def visit(page: Page, house: PartyHouse) -> int:
    """How many files of the sign-in page came over the network."""
    page.goto(f"{house.base_url}/enter/unknown")
    fetched: int = page.evaluate(COUNT_FETCHED)
    return fetched


def test_the_next_test_finds_the_files_of_the_pages_and_nothing_else(house: PartyHouse) -> None:
    with house.signed_in("ann", allowing=("404", "ERR_INTERNET_DISCONNECTED")) as page:
        context = page.context
        visit(page, house)
        page.evaluate(STORE)
        assert set(page.evaluate(LIST_STORED)) >= {"word", "kept"}
        context.new_page()
        context.set_offline(True)
    with browsing(house.chromium, allowing=("404",)) as page:
        assert page.context is context
        assert context.cookies() == []
        assert visit(page, house) == 0
        assert page.evaluate(LIST_STORED) == []
    with browsing(house.chromium, is_first=True, allowing=("404",)) as page:
        assert page.context is not context
        assert visit(page, house) > 0


HOVERED_AFTER_A_FRAME = """() => new Promise((tell) => requestAnimationFrame(() =>
  setTimeout(() => tell(document.querySelectorAll(":hover").length), 50)))"""
IS_DARK = "matchMedia('(prefers-color-scheme: dark), (forced-colors: active)').matches"


def test_the_next_test_finds_the_page_as_a_new_one_would_be(house: PartyHouse) -> None:
    with house.signed_in("ann", at="/guidelines", allowing=("ERR_FAILED",)) as page:
        page.emulate_media(color_scheme="dark", forced_colors="active")
        page.set_viewport_size({"width": 390, "height": 844})
        page.mouse.move(100, 100)
        wait_until(page, "() => document.querySelectorAll(':hover').length > 0")
        page.route("**/enter/**", lambda route: route.abort())
        tab = page
    with browsing(house.chromium, allowing=("404",)) as page:
        assert page is tab
        visit(page, house)
        assert page.evaluate("[innerWidth, innerHeight]") == [1280, 720]
        assert not page.evaluate(IS_DARK)
        assert page.evaluate(HOVERED_AFTER_A_FRAME) == 0


def test_a_tab_that_crashed_is_not_used_again(house: PartyHouse) -> None:
    with house.signed_in("ann", at="/guidelines") as page:
        tab = page
        with pytest.raises(Error, match="crash"):
            page.goto("chrome://crash")
    with browsing(house.chromium, allowing=("404",)) as page:
        assert page is not tab
        visit(page, house)


def test_what_a_tab_stored_on_a_site_that_it_left_is_forgotten(house: PartyHouse) -> None:
    with browsing(house.chromium, allowing=("404",)) as page:
        visit(page, house)
        page.evaluate(STORE)
        page.goto(f"{house.base_url}/healthz".replace("127.0.0.1", "localhost"))
    with browsing(house.chromium, allowing=("404",)) as page:
        visit(page, house)
        assert page.evaluate(LIST_STORED) == []


def test_two_browsers_at_a_time_share_nothing(house: PartyHouse) -> None:
    with house.signed_in("ann") as ann, house.signed_in("bob") as bob:
        assert ann.context is not bob.context
        ann.evaluate(STORE)
        assert "kept" not in bob.evaluate(LIST_STORED)


def test_time_that_one_test_stopped_passes_in_the_next(house: PartyHouse) -> None:
    with browsing(house.chromium) as page:
        page.clock.install(time=0)
        page.clock.pause_at(1000)
    with browsing(house.chromium) as page:
        assert page.evaluate(WAIT_A_MOMENT) / 1000 == pytest.approx(time.time(), abs=60)


def test_an_error_fails_the_test_that_raised_it_and_not_the_next(house: PartyHouse) -> None:
    with (
        pytest.raises(AssertionError, match="It broke"),
        browsing(house.chromium) as page,
    ):
        page.evaluate("console.error('It broke.')")
    with pytest.raises(KeyError), browsing(house.chromium) as page:
        context = page.context
        raise KeyError
    with browsing(house.chromium) as page:
        assert page.context is not context, "a profile that a test left by an error was used again"
