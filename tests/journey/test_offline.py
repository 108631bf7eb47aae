"""Nothing is lost when network, session, server or browser fail in the middle of the queue."""

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Dialog, Error, Page, Route, ViewportSize, expect

from catalog.states import ImageState
from catalog.tables import EndedLease, Image
from tests.annotate_ui.serve_commands import run_as_group
from tests.browser import PATIENCE_MS, QUIET, START_MS, browsing, find_chromium, take_picture
from tests.warm import Warm

from . import party_page as do
from .party_page import CAT, PERSON, Box, PartyHouse

NO_NETWORK = ("ERR_INTERNET_DISCONNECTED",)
NO_SERVER = ("net::ERR_",)  # refused, reset or cut off in the middle
SIGNED_OUT = ("status of 401",)
STALE = ("status of 409",)
CUT_SECS = 20.0  # longer than the longest pause between two attempts


def expect_finished(house: PartyHouse, drawn: dict[int, Box]) -> None:
    """Every image has exactly what was drawn on it, finished, and no other revision was kept."""
    with house.party.catalogue.reading() as session:
        leases = session.query(EndedLease).filter_by(how="finished").all()
        assert sorted(lease.image_id for lease in leases) == sorted(drawn)
    for image_id, box in drawn.items():
        image = find_image(house, image_id)
        assert image.state is ImageState.ANNOTATED
        head = house.head(image)
        assert (do.boxes_of(head), head.is_finished) == ([box], True)
        assert not any(revision.is_stale for revision in house.revisions(image))


def find_image(house: PartyHouse, image_id: int) -> Image:
    with house.party.catalogue.reading() as session:
        return session.get_one(Image, image_id)


def test_ten_images_survive_a_network_cut_in_the_middle(house: PartyHouse) -> None:
    house.add_images(10)
    drawn: dict[int, Box] = {}
    with house.signed_in("ann", allowing=NO_NETWORK) as page:
        for _ in range(4):
            do.draw_and_finish(page, drawn)
        do.wait_for_work(page)
        do.wait_for_saved(page)
        expect(page.get_by_test_id("status-left")).to_have_text("5 left")
        do.wait_for_ahead(page, 2)
        page.clock.install()
        page.context.set_offline(True)
        do.draw_and_finish(page, drawn)
        do.draw_and_finish(page, drawn)
        do.wait_for_saved(page, "offline")
        expect(page.get_by_test_id("save-state")).to_contain_text("finished image")
        take_picture(page, "offline-queue")
        do.draw_and_finish(page, drawn)
        do.wait_for_screen(page, "ending")
        take_picture(page, "screen-offline-ending")
        do.skip_time(page, CUT_SECS)
        assert len(drawn) == 7
        page.context.set_offline(False)
        while len(drawn) < 10:
            do.draw_and_finish(page, drawn)
        do.wait_for_screen(page, "empty")
    expect_finished(house, drawn)


@pytest.mark.parametrize("cut", ["before the box", "over the draft", "after the draft", "never"])
def test_a_discard_keeps_its_boxes_if_the_network_is_cut(house: PartyHouse, cut: str) -> None:
    image = house.add_image()
    held: list[Route] = []
    with house.at_work("ann", allowing=NO_SERVER) as page:
        if cut == "over the draft":
            page.route("**/revisions", lambda route: held.append(route))
        if cut == "before the box":
            page.context.set_offline(True)
        do.drag_box(page, PERSON)
        if cut == "over the draft":
            do.wait_for_saved(page, "saving")
        if cut == "after the draft":
            do.wait_for_saved(page)
            page.context.set_offline(True)
        do.drag_box(page, CAT)
        do.press(page, "x", "1", "Enter")
        for route in held:
            route.abort()
        page.unroute("**/revisions")
        if cut in ("before the box", "after the draft"):
            do.wait_for_saved(page, "offline")
        page.context.set_offline(False)
        do.wait_for_screen(page, "empty")
        do.wait_for_saved(page)
        page.keyboard.press("a")
        do.wait_for_work(page)
        do.expect_boxes(page, PERSON, CAT)
    *drafts, discarded = house.revisions(image)
    assert (do.boxes_of(discarded), discarded.discard_reason) == ([PERSON, CAT], "no_object")
    assert do.boxes_of(drafts[-1]) == [PERSON, CAT]
    assert not any(draft.is_stale or draft.is_finished for draft in drafts)


def test_images_finished_after_a_sign_out_wait_for_the_link(house: PartyHouse) -> None:
    house.add_images(4)
    link = house.make_link("ann")
    drawn = dict[int, Box]()
    with house.signed_in_by(link, allowing=SIGNED_OUT) as page:
        do.wait_for_work(page)
        page.context.clear_cookies()
        with do.holding(page, "**/revisions"):  # or the question comes while the test still draws
            do.draw_and_finish(page, drawn)
        expect(page.get_by_test_id("signed-out-dialog")).to_be_visible()
        do.wait_for_saved(page, "signed_out")
        other = page.context.new_page()
        other.route("**/api/v1/**", lambda _route: None)  # it signs in, and is no second window
        do.enter(other, link)
        other.wait_for_url("**/annotate")
        other.close()
        expect(page.get_by_test_id("signed-out-dialog")).to_have_count(0)
        while len(drawn) < 4:
            do.draw_and_finish(page, drawn)
        do.wait_for_screen(page, "empty")
    expect_finished(house, drawn)


def test_a_save_whose_answer_was_lost_is_sent_again_and_saved_once(house: PartyHouse) -> None:
    house.add_images(3)
    drawn: dict[int, Box] = {}
    lost: list[str] = []

    def lose_answer(route: Route) -> None:
        if len(lost) < 4:
            lost.append(route.request.url)
            route.fetch()  # the server has it
            route.abort()
        else:
            route.continue_()

    with house.at_work("ann", allowing=("ERR_FAILED",)) as page:
        page.route("**/revisions", lose_answer)
        while len(drawn) < 3:
            do.draw_and_finish(page, drawn)
        # each lost answer is waited for longer than the one before
        do.expect_body(page, "[data-screen=empty]")
    assert len(lost) == 4
    expect_finished(house, drawn)


def test_closing_a_page_with_unsent_work_warns(house: PartyHouse) -> None:
    house.add_images(2)
    asked: list[str] = []

    def stay(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.dismiss()

    drawn: dict[int, Box] = {}
    with house.at_work("ann", allowing=NO_NETWORK) as page:
        page.on("dialog", stay)
        page.context.set_offline(True)
        do.draw_and_finish(page, drawn)
        do.wait_for_saved(page, "offline")
        with page.expect_event("dialog"):
            page.close(run_before_unload=True)
        expect(page.locator("body")).to_be_visible()
        page.context.set_offline(False)
        do.wait_for_saved(page)
        page.remove_listener("dialog", stay)
        assert asked == ["beforeunload"]
    assert len(drawn) == 1
    expect_finished(house, drawn)


@contextmanager
def own_server(house: PartyHouse, port: int) -> Iterator[tuple[str, Warm]]:
    """The party served by a process that the test may kill, at an address that none else uses."""
    words = ["serve", "--party", str(house.party.folder)]
    process = Warm([*words, "--host", "127.0.0.77", "--port", str(port)], main=run_as_group)
    try:
        yield process.read_output(r"http://[\d.]+:\d+(?=\D)"), process
    finally:
        if process.poll() is None:
            os.killpg(process.process_id, signal.SIGKILL)
        process.communicate()


def test_no_work_is_lost_when_the_server_is_killed(house: PartyHouse) -> None:
    images = {image.id: image for image in house.add_images(3)}
    drawn: dict[int, Box] = {}
    with own_server(house, 0) as (base_url, server):
        port = int(base_url.rpartition(":")[2])
        away = replace(house, base_url=base_url)
        with away.signed_in_by(away.make_link("ann"), allowing=NO_SERVER) as page:
            do.wait_for_work(page)
            first = do.find_image_id(page)
            do.drag_box(page, PERSON)
            do.wait_for_saved(page)
            do.wait_for_ahead(page, 2)
            os.killpg(server.process_id, signal.SIGKILL)
            server.wait()
            do.drag_box(page, CAT)
            do.wait_for_saved(page, "offline")
            do.finish(page)
            do.draw_and_finish(page, drawn)
            do.wait_for_saved(page, "offline")
            with own_server(house, port):
                do.wait_for_saved(page)
                do.draw_and_finish(page, drawn)
                do.wait_for_screen(page, "empty")
    assert do.boxes_of(house.head(images[first])) == [PERSON, CAT]
    assert house.head(images[first]).is_finished
    for image_id, box in drawn.items():
        assert do.boxes_of(house.head(images[image_id])) == [box]
        assert house.head(images[image_id]).is_finished


JOURNAL_IS_WRITTEN = """async () => {
  const [{ name }] = await indexedDB.databases();
  const settle = (request) => new Promise((resolve) => (request.onsuccess = resolve));
  const opening = indexedDB.open(name);
  await settle(opening);
  const store = opening.result.transaction("work", "readwrite").objectStore("work");
  await settle(store.count());  // comes behind whatever was to be written before it
  opening.result.close();
}"""


@contextmanager
def own_browser(house: PartyHouse, profile: Path) -> Iterator[BrowserContext]:
    """A browser with a profile on the disk, which the test may kill."""
    launch = house.chromium.browser_type.launch_persistent_context
    path = find_chromium()
    window = ViewportSize(width=1280, height=720)
    context = launch(profile, executable_path=path, args=QUIET, viewport=window, timeout=START_MS)
    context.set_default_timeout(PATIENCE_MS)
    try:
        yield context
    finally:
        with suppress(Error):  # it was killed, which the driver may learn of while closing
            context.close()


def kill_browser(profile: Path) -> None:
    """Kill every process of the browser with this profile, like a crash of the machine."""
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f"--user-data-dir={profile}".encode() in entry.read_bytes():
                os.kill(int(entry.parent.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended with its parent


def test_no_work_is_lost_when_the_browser_is_killed(house: PartyHouse, tmp_path: Path) -> None:
    images = {image.id: image for image in house.add_images(3)}
    link = house.make_link("ann")
    profile = tmp_path / "profile"
    drawn = dict[int, Box]()
    with own_browser(house, profile) as context:
        page = context.new_page()
        do.sign_in(page, link)
        do.wait_for_work(page)
        do.wait_for_ahead(page, 2)
        context.set_offline(True)
        do.draw_and_finish(page, drawn)
        do.wait_for_work(page)
        second = do.find_image_id(page)
        do.drag_box(page, PERSON)
        do.wait_for_saved(page, "offline")
        page.evaluate(JOURNAL_IS_WRITTEN)
        assert all(house.revisions(image) == [] for image in images.values())
        kill_browser(profile)
    with own_browser(house, profile) as context:
        page = context.new_page()
        do.sign_in(page, link)
        do.wait_for_work(page)
        assert do.find_image_id(page) == second
        do.wait_for_saved(page)
        expect(page.get_by_test_id("object")).to_have_count(1)
    [first] = drawn
    assert do.boxes_of(house.head(images[first])) == [drawn[first]]
    assert house.head(images[first]).is_finished
    assert house.state(images[first]) is ImageState.ANNOTATED
    assert do.boxes_of(house.head(images[second])) == [PERSON]
    assert house.state(images[second]) is ImageState.ANNOTATING


def test_no_work_is_lost_when_a_tab_is_killed_before_the_save(house: PartyHouse) -> None:
    image = house.add_image()
    with house.at_work("ann") as page:
        corners = do.find_corners(page, PERSON)
        do.stop_clock(page)  # or a slow machine saves before the tab is killed
        do.drag(page, *corners)
        page.keyboard.press("f")
        assert house.revisions(image) == []
        kill(page)
        assert house.revisions(image) == []
        again = page.context.new_page()
        page.close()
        again.clock.resume()
        again.goto(f"{house.base_url}/annotate")
        do.wait_for_work(again)
        rows = do.expect_boxes(again, PERSON)
        expect(rows).to_have_attribute("data-view", "Frontal")
        do.wait_for_saved(again)
        take_picture(again, "restored")
    [revision] = house.revisions(image)
    assert do.boxes_of(revision) == [PERSON]


def kill(page: Page) -> None:
    """Kill the tab's process like a crash: no handler of the page runs any more."""
    with pytest.raises(Error, match="crash"):
        page.goto("chrome://crash")


@pytest.mark.parametrize("chosen", ["mine", "theirs", "both"])
def test_two_tabs_on_one_image_both_keep_their_work(house: PartyHouse, chosen: str) -> None:
    image = house.add_image()
    with house.at_work("ann", allowing=STALE) as first:
        second = first.context.new_page()
        second.goto(first.url)
        do.wait_for_work(second)
        for window in (first, second):
            expect(window.get_by_test_id("notice")).to_contain_text("in another window")
        do.drag_box(first, PERSON)
        do.wait_for_saved(first)
        do.drag_box(second, CAT)
        dialog = second.get_by_test_id("conflict-dialog")
        expect(dialog.get_by_test_id("version-mine")).to_contain_text("1 object")
        expect(dialog.get_by_test_id("version-theirs")).to_contain_text("1 object")
        take_picture(second, "conflict")
        dialog.get_by_test_id(f"conflict-{chosen}").click()
        chosen_boxes = {"mine": [CAT], "theirs": [PERSON], "both": [CAT, PERSON]}[chosen]
        do.expect_boxes(second, *chosen_boxes)
        do.wait_for_saved(second)
        if chosen == "theirs":
            second.keyboard.press("Control+z")
            do.expect_boxes(second, CAT)
            do.wait_for_saved(second)
    theirs, stale, settled = house.revisions(image)
    assert (do.boxes_of(theirs), theirs.is_stale) == ([PERSON], False)
    assert (do.boxes_of(stale), stale.is_stale) == ([CAT], True)
    kept = [CAT, PERSON] if chosen == "both" else [CAT]
    assert (do.boxes_of(settled), settled.parent_id) == (kept, theirs.id)


def test_a_conflict_takes_the_place_of_a_question_and_not_its_enter(house: PartyHouse) -> None:
    house.add_image()
    held: list[Route] = []
    with house.at_work("ann", allowing=STALE) as first:
        second = first.context.new_page()
        second.goto(first.url)
        do.wait_for_work(second)
        do.drag_box(first, PERSON)
        do.wait_for_saved(first)
        second.route("**/revisions", lambda route: held.append(route))
        with second.expect_request("**/revisions"):
            do.drag_box(second, CAT)
        do.tap(second, "d")
        expect(second.get_by_test_id("finish-dialog")).to_be_visible()
        pressed_at = time.time()
        held[0].continue_()
        second.unroute("**/revisions")
        conflict = second.get_by_test_id("conflict-dialog")
        expect(conflict).to_be_visible()
        expect(second.locator("dialog[open]")).to_have_count(1)
        keys = second.context.new_cdp_session(second)
        enter = {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}
        for kind in ("keyDown", "keyUp"):
            late = enter | {"type": kind, "timestamp": pressed_at}
            keys.send("Input.dispatchKeyEvent", late)
        expect(conflict).to_be_visible()
        second.get_by_test_id("conflict-both").click()
        do.expect_boxes(second, CAT, PERSON)
        second.close()
        do.open_work(first, "/annotate")
        expect(first.get_by_test_id("notice")).not_to_contain_text("another window")


def test_the_word_of_another_window_goes_when_that_is_closed_or_goes_on(house: PartyHouse) -> None:
    house.add_images(2)
    with house.at_work("ann") as first:
        for leave in ("close", "kill", "go on"):
            second = first.context.new_page()
            second.goto(first.url)
            do.wait_for_work(second)
            expect(first.get_by_test_id("notice")).to_contain_text("in another window")
            if leave == "close":
                second.close(run_before_unload=True)
            elif leave == "kill":
                kill(second)
            else:
                do.press(second, "x", "1")
            expect(first.get_by_test_id("notice")).not_to_contain_text("in another window")


HUNG = {
    "open": "IDBFactory.prototype.open = () => ({});",
    "keep": "IDBObjectStore.prototype.put = () => ({ transaction: null });",
    "find": "IDBObjectStore.prototype.get = () => ({});",
}


@pytest.mark.parametrize("call", HUNG)
def test_a_browser_database_that_never_answers_stops_nothing(house: PartyHouse, call: str) -> None:
    image = house.add_image()
    with browsing(house.chromium) as first:
        page = first.context.new_page()
        page.add_init_script(HUNG[call])
        do.sign_in(page, house.make_link("ann"))
        do.wait_for_work(page)
        notice = page.get_by_test_id("notice")
        if call != "keep":
            expect(notice).to_contain_text("cannot keep unsent work")
        do.drag_box(page, PERSON)
        if call == "keep":
            expect(notice).to_contain_text("cannot keep unsent work")
        do.wait_for_saved(page)
        assert do.boxes_of(house.head(image)) == [PERSON]
        do.finish_last(page)
        do.wait_for_saved(page)
    assert house.state(image) is ImageState.ANNOTATED


def test_the_page_waits_while_another_process_writes(house: PartyHouse) -> None:
    image = house.add_image()
    with house.at_work("ann", allowing=("status of 503",)) as page:
        lock = sqlite3.connect(house.party.folder / "catalogue.db", isolation_level=None)
        with closing(lock):
            lock.execute("BEGIN IMMEDIATE")
            do.drag_box(page, PERSON)
            do.wait_for_saved(page, "busy")
            state = page.get_by_test_id("save-state")
            expect(state).to_have_text("Busy. Saved on this computer; will sync")
            take_picture(page, "busy")
            lock.execute("ROLLBACK")
        do.wait_for_saved(page)
    assert do.boxes_of(house.head(image)) == [PERSON]
