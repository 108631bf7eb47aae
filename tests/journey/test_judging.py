"""The difficult pass and the queue of findings in a real browser, by keyboard alone."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, Request, Response, Route, expect
from sqlalchemy import select

import annotate_ui.api.findings
from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.states import ImageState, Role, Source
from catalog.tables import Difficulty, Finding, Image, LiveSetting, Person, Photo, Query
from tests.browser import take_picture
from tests.exporting import export_release
from tests.rows import load_rows

from . import party_page as do
from .party_page import CAT, NOW, PERSON, PartyHouse

pytestmark = [pytest.mark.browser, pytest.mark.slow]
MORE = "**/api/v1/findings?*past=*"
VERDICT = "**/api/v1/findings/*/verdict"


def test_difficult_set_by_key_is_in_the_released_xml(house: PartyHouse, tmp_path: Path) -> None:
    house.draw_and_accept(PERSON, CAT)
    with house.signed_in("olga", Role.ORGANISER, at="/difficult") as olga:
        olga.get_by_test_id("class-person").click()
        tiles = olga.get_by_test_id("tile")
        expect(tiles).to_have_count(2)
        with house.signed_in("oscar", Role.ORGANISER, at="/difficult") as oscar:  # one sitting
            expect(oscar.get_by_test_id("class-person")).to_contain_text("taken by olga")
            expect(oscar.get_by_test_id("class-person")).to_be_disabled()
        do.press(olga, "ArrowRight", "d")
        expect(olga.locator(".tile.difficult")).to_have_count(1)
        do.take_both(olga, "difficult-grid")
        olga.keyboard.press("v")
        expect(tiles).to_have_count(1)
        do.take_both(olga, "difficult-one")
        do.press(olga, "v", "Space")
        expect(olga.get_by_test_id("empty")).to_contain_text("This class is done")
        fix_first(olga)
        do.open_page(olga, "/difficult")
        expect(olga.get_by_test_id("class-person")).to_contain_text("1")
        olga.get_by_test_id("class-person").click()
        expect(tiles).to_have_count(1)  # only what was changed since, still as it was judged
        expect(tiles).to_contain_text("changed since")
        expect(olga.locator(".tile.difficult")).to_have_count(1)
        do.take_both(olga, "difficult-changed")
        olga.keyboard.press("Space")
        expect(olga.get_by_test_id("empty")).to_contain_text("This class is done")
    export_release(house.party, tmp_path / "release", year=2026, at=NOW)
    [xml] = (tmp_path / "release").rglob("Annotations/*.xml")
    words = [item.findtext("difficult") for item in ElementTree.parse(xml).findall("object")]
    assert words == ["1", "0"]  # the person is the larger one, so the second crop


def fix_first(olga: Page) -> None:
    """Move the first object of the first image by a pixel, on the checking page."""
    do.open_work(olga, "/check?image=1")
    olga.keyboard.press("ArrowRight")
    do.tap(olga, "d")
    expect(olga.get_by_test_id("outcome")).to_have_attribute("data-verdict", "fixed")
    olga.keyboard.press("Enter")
    expect(olga.locator("body:not([data-image='1'])")).to_be_visible()


def test_judging_stops_when_another_organiser_took_the_class(house: PartyHouse) -> None:
    house.draw_and_accept(PERSON, CAT)
    with house.signed_in("olga", Role.ORGANISER, allowing=("409",), at="/difficult") as olga:
        expect(olga.get_by_test_id("class-person")).to_be_visible()
        with olga.expect_response("**/api/v1/difficult"):  # the list that comes behind the class
            olga.get_by_test_id("class-person").click()
        expect(olga.get_by_test_id("tile")).to_have_count(2)
        hand_over(house, "chris")
        olga.keyboard.press("d")
        expect(olga.get_by_test_id("said")).to_contain_text("took this class meanwhile")
        expect(olga.get_by_test_id("tile")).to_have_count(0)
        expect(olga.get_by_test_id("class-person")).to_contain_text("taken by chris")
    assert load_rows(house.party, select(Difficulty)) == []


def hand_over(house: PartyHouse, name: str) -> None:
    """Give the class that was taken to another organiser, as after an expired hold."""
    with house.party.catalogue.writing() as session:
        person = session.scalars(select(Person).where(Person.name == name)).one()
        value = {"until": (datetime.now(UTC) + timedelta(minutes=9)).isoformat()}
        looks = {"person_id": person.id, "set_at": NOW}
        is_hold = LiveSetting.name.startswith("difficult.")
        hold = session.scalars(select(LiveSetting).where(is_hold)).one()
        session.add(LiveSetting(name=hold.name, number=hold.number + 1, value=value, **looks))


def test_findings_are_judged_by_key_and_a_check_can_be_switched_off(house: PartyHouse) -> None:
    house.draw_and_accept(PERSON, (33, 21, 402, 500))
    with house.signed_in("olga", Role.ORGANISER, at="/findings") as olga:
        expect(olga.get_by_test_id("tile").first).to_be_visible()
        check = olga.get_by_test_id("check-same_class_overlap")
        check.click()
        expect(check).to_have_attribute("aria-current", "true")  # its findings are there
        expect(olga.get_by_test_id("tile")).to_have_count(1)
        do.take_both(olga, "findings")
        number = check.locator(".number")
        for severity, count in (("hint", "0"), ("all", "1")):
            olga.get_by_test_id(f"severity-{severity}").click()
            expect(number).to_have_text(count)
        expect(olga.get_by_test_id("tile")).to_have_count(1)
        olga.keyboard.press("w")
        expect(number).to_have_text("0")
        expect(olga.get_by_test_id("severity-warning")).to_have_text("warning 0")
        expect(olga.get_by_test_id("check-same_class_overlap")).to_contain_text("0 of 1 real")
        olga.get_by_test_id("switch-same_class_overlap").uncheck()
        expect(olga.get_by_test_id("said")).to_contain_text('"same class overlap" is off')
        olga.reload()
        expect(olga.get_by_test_id("switch-same_class_overlap")).not_to_be_checked()


def test_a_long_queue_loads_in_parts(house: PartyHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(annotate_ui.api.findings, "MOST", 2)
    boxes = [(1, 20 + 90 * number, 60, 80 + 90 * number) for number in range(5)]
    house.draw_and_accept(*boxes)
    held = list[Route]()
    is_held = {MORE}

    def hold(pattern: str, route: Route) -> None:
        if pattern in is_held:
            held.append(route)
        else:
            route.continue_()

    with house.signed_in("olga", Role.ORGANISER, at=do.BLANK) as olga:
        # Now, since what is asked right after a route is made may slip by.
        for pattern in (MORE, VERDICT):
            olga.route(pattern, partial(hold, pattern))
        do.open_page(olga, "/findings?severity=hint")
        tiles = olga.get_by_test_id("tile")
        expect(tiles).to_have_count(2)
        expect(olga.get_by_test_id("severity-hint")).to_have_attribute("aria-pressed", "true")
        record = olga.get_by_test_id("check-border_not_truncated")
        listed = f"{house.base_url}/api/v1/findings"
        past = olga.request.get(listed, params={"severity": "hint"}).json()["next"]
        page_before = olga.request.get(listed, params={"severity": "hint", "past": past})
        with olga.expect_request(MORE):
            olga.keyboard.press("w")  # near the end of what is here the next ones come
        expect(record).to_contain_text("0 of 1 real")
        is_held.clear()
        held.pop().fulfill(response=page_before)  # what was read before the verdict comes after it
        expect(tiles).to_have_count(4)
        expect(record).to_contain_text("0 of 1 real")
        olga.get_by_test_id("more").click()
        expect(tiles).to_have_count(5)
        expect(olga.get_by_test_id("more")).to_be_hidden()
        do.take_both(olga, "findings-many")
        olga.keyboard.press("u")
        expect(olga.get_by_test_id("said")).to_contain_text("Undone")
        expect(record).to_contain_text("not judged yet")
        expect(olga.locator(".tile[aria-current]")).to_have_count(1)
        olga.keyboard.press("u")
        expect(olga.get_by_test_id("said")).to_contain_text("Nothing to undo")
        is_held.add(VERDICT)
        with olga.expect_request(VERDICT):
            olga.keyboard.press("r")
        for key in ("w", "o"):  # the second word, and the way to the image, wait for their turn
            olga.keyboard.press(key)
        is_held.clear()
        for route in held:
            route.continue_()
        do.wait_for_work(olga)
    with house.party.catalogue.reading() as session:
        verdicts = session.scalars(select(Finding.verdict))
        assert sorted(filter(None, verdicts)) == ["right", "wrong"]


def test_another_organisers_verdict_is_shown_and_not_overwritten(house: PartyHouse) -> None:
    house.draw_and_accept(PERSON, (33, 21, 402, 500))
    with house.signed_in(
        "olga", Role.ORGANISER, allowing=("409",), at="/findings?check=same_class_overlap"
    ) as olga:
        expect(olga.get_by_test_id("tile")).to_have_count(1)
        with house.signed_in(
            "oscar", Role.ORGANISER, at="/findings?check=same_class_overlap"
        ) as oscar:
            expect(oscar.get_by_test_id("tile")).to_have_count(1)
            oscar.keyboard.press("r")
            expect(oscar.get_by_test_id("said")).to_contain_text("real problem")
        olga.keyboard.press("w")
        expect(olga.get_by_test_id("said")).to_contain_text("oscar gave another verdict meanwhile")
        expect(olga.locator(".tile .mark")).to_have_text("real problem")
        expect(olga.get_by_test_id("check-same_class_overlap")).to_contain_text("1 of 1 real")
        olga.keyboard.press("o")  # to fix it, and back to the queue
        do.wait_for_work(olga)
        do.press(olga, "n", "Delete")
        do.tap(olga, "d")
        olga.keyboard.press("Enter")
        expect(olga.get_by_test_id("empty")).to_contain_text("No open findings of this kind")
        check = olga.get_by_test_id("check-same_class_overlap")
        expect(check).to_have_attribute("aria-current", "true")
        expect(check).to_contain_text("1 of 1 real")


def test_verdicts_that_fail_leave_the_page_as_the_server_has_it(house: PartyHouse) -> None:
    house.draw_and_accept(PERSON, (33, 21, 402, 500))
    held: list[Route] = []
    with house.signed_in(
        "olga", Role.ORGANISER, allowing=("net::ERR_",), at="/findings?check=same_class_overlap"
    ) as olga:
        mark = olga.locator(".tile .mark")
        expect(mark).to_have_text("warning")
        olga.route(VERDICT, lambda route: held.append(route))
        with olga.expect_request(VERDICT):
            olga.keyboard.press("r")
        olga.keyboard.press("w")
        expect(mark).to_have_text("false alarm")
        olga.route(VERDICT, lambda route: route.abort())
        held[0].abort()
        do.wait_for_answers(olga)
        expect(mark).to_have_text("warning")
        do.open_page(olga, "/difficult")
        olga.get_by_test_id("class-person").click()
        expect(olga.get_by_test_id("tile")).to_have_count(2)
        held.clear()
        olga.route("**/judgements", lambda route: held.append(route))
        with olga.expect_request("**/judgements"):
            olga.keyboard.press("d")
        olga.keyboard.press("d")
        olga.keyboard.press("d")
        expect(olga.locator(".tile.difficult")).to_have_count(1)
        olga.route("**/judgements", lambda route: route.abort())
        held[0].abort()
        expect(olga.locator(".tile.difficult")).to_have_count(0)
        do.open_page(olga, "/people")
        olga.route("**/role", lambda route: route.abort())
        role = olga.get_by_test_id("role:ann")
        role.select_option("checker")
        expect(role).to_have_value("annotator")
    assert load_rows(house.party, select(Difficulty)) == []


@pytest.mark.parametrize(
    ("path", "key", "choice"),
    [("/findings", "w", "severity-warning"), ("/pairs", "b", "check-same_class_overlap")],
)
def test_another_choice_is_asked_for_behind_the_verdict_that_is_under_way(
    house: PartyHouse, path: str, key: str, choice: str
) -> None:
    house.draw_and_accept(PERSON, (33, 21, 402, 500))
    calls = list[str]()
    with house.signed_in("olga", Role.ORGANISER, at=f"{path}?check=same_class_overlap") as olga:
        expect(olga.get_by_test_id("tile")).to_have_count(1)
        expect_pictures(olga)
        do.wait_for_answers(olga)

        def note_answer(answer: Response) -> None:
            if answer.request.method == "POST":
                calls.append("POST answered")

        def note_request(asked: Request) -> None:
            if asked.method == "GET" and asked.resource_type == "fetch":
                calls.append("GET asked")

        olga.on("response", note_answer)
        olga.on("request", note_request)
        with do.holding(olga, f"**/api/v1{path}/**"):
            olga.keyboard.press(key)
            expect(olga.locator(".tile.judged")).to_have_count(1)
            olga.get_by_test_id(choice).click()
        expect(olga.locator(".tile")).to_have_count(0)  # asked for before, it came back
        olga.remove_listener("response", note_answer)
        olga.remove_listener("request", note_request)
    assert calls[:2] == ["POST answered", "GET asked"]


def test_empty_findings_and_cluster_pages_say_what_to_run(house: PartyHouse) -> None:
    words = {"findings": "vocparty qa", "clusters": "Run vocparty dedup"}
    with house.signed_in("olga", Role.ORGANISER, at=do.BLANK) as olga:
        for page, word in words.items():
            do.open_page(olga, f"/{page}")
            expect(olga.get_by_test_id("empty")).to_contain_text(word)
            take_picture(olga, f"{page}-empty")


def wait_for_pictures(page: Page) -> None:
    """Wait until all tiles have their pictures: before that, nothing is answered."""
    page.evaluate(
        "Promise.all([...document.querySelectorAll('#tiles img')].map((img) => img.decode()))"
    )


def test_thumbnails_ask_for_a_class_and_empty_images_are_discarded(house: PartyHouse) -> None:
    images = house.add_images(30)
    with house.party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="cat", keyword="kitten")
        session.add(query)
        session.flush()
        for photo in session.scalars(select(Photo)):
            photo.query_id = query.id
    settings = house.party.settings
    asking = replace(settings, annotate=replace(settings.annotate, presence_pass=True))
    with (
        serving(create_app(replace(house.party, settings=asking))) as base_url,
        replace(house, base_url=base_url).signed_in("ann", at="/presence") as ann,
    ):
        expect(ann.get_by_test_id("class-cat")).to_contain_text(str(len(images)))
        ann.get_by_test_id("class-cat").click()
        tiles = ann.get_by_test_id("tile")
        expect(tiles).to_have_count(24)
        tiles.nth(0).click()
        ann.keyboard.press("ArrowRight")
        do.tap(ann, "x")
        expect(ann.locator(".mark")).to_have_text(["shown", "shown"])
        do.take_both(ann, "presence")
        wait_for_pictures(ann)
        ann.keyboard.press("Space")
        expect(ann.get_by_test_id("question")).to_contain_text("another class")
        expect(tiles).to_have_count(22)
        do.tap(ann, "x")
        do.take_both(ann, "presence-other")
        asked = list[str]()

        def note(request: Request) -> None:
            asked.append(request.url)

        ann.on("request", note)
        with do.holding(ann, "**/presence/classes/*"):
            with ann.expect_request("**/presence/classes/*"):
                ann.keyboard.press("Space")
            do.press(ann, "Space", "Space", "x", "u")  # while the answers are on their way
            sent = [url for url in asked if "/presence/classes/" in url]
        ann.remove_listener("request", note)
        expect(ann.get_by_test_id("said")).to_have_text("24 images saved, 21 of them discarded.")
        assert len(sent) == 1
        expect(tiles).to_have_count(6)
        do.tap(ann, "u")
        expect(ann.get_by_test_id("said")).to_have_text("24 answers undone.")
        expect(tiles).to_have_count(24)
        tiles.nth(0).click()
        wait_for_pictures(ann)
        do.press(ann, "Space", "Space")
        expect(tiles).to_have_count(6)
        do.open_work(ann, "/annotate")
        expect(ann.locator("#status")).to_contain_text("Seen on this image: cat.")
        take_picture(ann, "presence-annotate")
    with house.party.catalogue.reading() as session:
        states = list(session.scalars(select(Image.state)))
    assert states.count(ImageState.DISCARDED) == 23


def test_pairs_are_decided_by_key_and_taken_back(house: PartyHouse) -> None:
    house.draw_and_accept(PERSON, (33, 21, 402, 500))
    with house.signed_in("olga", Role.ORGANISER, allowing=("409",), at="/pairs") as olga:
        tile = olga.get_by_test_id("tile")
        waiting = olga.get_by_test_id("waiting")
        expect_crops(olga)
        expect(waiting).to_have_text("1 pair waits")
        olga.set_viewport_size({"width": 1280, "height": 720})
        assert olga.evaluate(ROWS_SEEN_WHOLE) == 3
        for key, kept in (("1", "left kept"), ("2", "right kept"), ("b", "both kept")):
            olga.keyboard.press(key)
            expect(tile).to_contain_text(kept)
            expect(waiting).to_have_text("0 pairs wait")
            olga.keyboard.press("u")
            expect(waiting).to_have_text("1 pair waits")
        with house.signed_in("oscar", Role.ORGANISER, at="/pairs") as oscar:
            expect_crops(oscar)
            oscar.keyboard.press("s")
            expect(oscar.get_by_test_id("waiting")).to_have_text("0 pairs wait")
        olga.keyboard.press("b")
        expect(olga.get_by_test_id("said")).to_contain_text("Another person decided")
        expect(tile).to_contain_text("kept")
        do.open_page(olga, "/pairs")
        expect(olga.get_by_test_id("empty")).to_contain_text("No pair waits")
        expect(olga.get_by_test_id("confused")).to_contain_text("1 of 1 pairs")


ROWS_SEEN_WHOLE = """() => {
    const gap = parseFloat(getComputedStyle(document.querySelector("#tiles")).rowGap);
    const seen = document.querySelector("#tiles").clientHeight - 6;
    const row = document.querySelector("#tiles .tile").offsetHeight;
    return Math.floor((seen + gap) / (row + gap));
}"""
"""How many rows of pairs fit into the window without scrolling."""


def expect_crops(page: Page) -> None:
    """Wait for both crops of the only pair."""
    expect(page.get_by_test_id("tile").locator("img")).to_have_count(2)
    expect_pictures(page)


def expect_pictures(page: Page) -> None:
    """Wait for all pictures that the page has, since nothing is decided unseen."""
    for picture in page.get_by_test_id("tile").locator("img").all():
        expect(picture).to_have_js_property("complete", value=True)
