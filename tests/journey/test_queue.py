"""The queue as people see it: fast, steered by the organiser, and clear when it ends."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect
from sqlalchemy import select

from catalog.states import ImageState, Role
from catalog.tables import Image, Lease, Person, StuckImage
from tests.browser import take_picture

from . import party_page as do
from .party_page import CAT, HOSTILE, PERSON, Box, PartyHouse

CONFLICT = ("status of 409",)
GONE = ("status of 404",)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def test_the_next_image_appears_before_the_server_answers(house: PartyHouse) -> None:
    images = {image.id: image for image in house.add_images(4)}
    drawn: dict[int, Box] = {}
    held: list[Route] = []
    with house.at_work("ann") as page:
        do.wait_for_ahead(page, 2)
        page.route("**/api/v1/**", lambda route: held.append(route))
        with page.expect_request("**/revisions"):
            do.draw_and_finish(page, drawn)
        do.wait_for_work(page)
        do.wait_for_saved(page, "saving")
        for route in held:
            route.continue_()
        page.unroute("**/api/v1/**")
        do.wait_for_saved(page)
        do.draw_and_finish(page, drawn)
        do.wait_for_work(page)
        do.wait_for_saved(page)
    for image_id, box in drawn.items():
        assert do.boxes_of(house.head(images[image_id])) == [box]


def test_the_next_task_and_picture_are_asked_for_while_ends_are_on_their_way(
    house: PartyHouse,
) -> None:
    images = house.add_images(5)
    drawn: dict[int, Box] = {}
    held: list[Route] = []
    with house.at_work("ann") as page:
        do.wait_for_ahead(page, 2)
        page.route("**/revisions", lambda route: held.append(route))
        for _ in images[1:]:
            do.draw_and_finish(page, drawn)
        do.wait_for_work(page)  # the fifth image, before the end of the first is saved
        assert len(held) == 1
        do.wait_for_saved(page, "saving")
        for route in held:
            route.continue_()
        page.unroute("**/revisions")
        do.draw_and_finish(page, drawn)
        do.wait_for_screen(page, "empty")
    assert {house.state(image) for image in images} == {ImageState.ANNOTATED}


def test_a_checker_gets_the_next_image_with_the_verdict(house: PartyHouse) -> None:
    house.add_images(2)
    for shift in (0, 40):
        house.draw_by_client((31 + shift, 21, 202, 250))
    held: list[Route] = []
    with house.at_work("chris", Role.CHECKER) as page:
        first = do.find_image_id(page)
        page.route("**/reviews", lambda route: held.append(route))
        with page.expect_response("**/tasks/check") as asked:
            do.send_verdict(page)
        task = asked.value.json()["task"]
        assert task["image_id"] != first
        do.expect_body(page, f"[data-image='{first}']")
        for route in held:
            route.continue_()
        page.unroute("**/reviews")
        do.expect_body(page, f"[data-ready=true][data-image='{task['image_id']}']")
        do.send_verdict(page)
        do.wait_for_screen(page, "empty")
    assert len(house.reviews()) == 2


def test_a_late_answer_does_not_reopen_a_finished_image(house: PartyHouse) -> None:
    images = house.add_images(3)
    drawn: dict[int, Box] = {}
    held: list[Route] = []
    with house.at_work("ann") as page:
        do.wait_for_ahead(page, 2)
        page.route("**/tasks/annotate", lambda route: held.append(route))
        with page.expect_request("**/tasks/annotate"):
            do.draw_and_finish(page, drawn)
        do.draw_and_finish(page, drawn)  # its end waits for what was asked when it was opened
        do.wait_for_saved(page, "saving")
        for route in held:
            route.continue_()
        page.unroute("**/tasks/annotate")
        do.wait_for_saved(page)
        while len(drawn) < len(images):
            do.draw_and_finish(page, drawn)
        do.wait_for_screen(page, "empty")
    assert {house.state(image) for image in images} == {ImageState.ANNOTATED}


@pytest.mark.parametrize("late", ["the picture", "the answer"])
def test_what_comes_late_does_not_take_the_page_from_the_image_at_work(
    house: PartyHouse, late: str
) -> None:
    images = {image.id: image for image in house.add_images(3 if late == "the picture" else 2)}
    drawn: dict[int, Box] = {}
    held: list[Route] = []

    def hold_late(route: Route) -> None:
        url = route.request.url
        body = route.request.post_data or ""
        is_picture = route.request.method == "GET" and "/images/" in url
        is_task = url.endswith("/tasks/annotate") and "image_id" not in body
        is_late = is_picture if late == "the picture" else is_task
        is_known = any(image.sha256 in url for image in known)
        held.append(route) if is_late and not is_known else route.continue_()

    with house.at_work("ann") as page:
        do.draw_and_finish(page, drawn)
        do.wait_for_work(page)
        drawn[do.find_image_id(page)] = PERSON
        known = [images[image_id] for image_id in drawn]
        earlier = list(drawn)[0 if late == "the picture" else 1]  # without an image, the last one
        do.drag_box(page, PERSON)
        do.wait_for_saved(page)
        page.route("**/*", hold_late)
        if late == "the picture":
            do.open_work(page, "/annotate")
        do.finish(page)
        do.expect_body(page, "[data-ready=false]")
        page.keyboard.press("a")
        do.expect_body(page, f"[data-ready=true][data-image='{earlier}']")
        do.drag_box(page, CAT)
        assert len(held) >= 1
        for route in held:
            route.continue_()
        page.unroute("**/*")
        do.wait_for_answers(page)
        do.wait_for_saved(page)
        do.expect_boxes(page, drawn[earlier], CAT)
        assert do.find_image_id(page) == earlier


def test_a_person_can_go_back_to_earlier_images_and_forward_again(house: PartyHouse) -> None:
    images = {image.id: image for image in house.add_images(4)}
    drawn: dict[int, Box] = {}
    with house.signed_in("ann") as page:
        do.draw_and_finish(page, drawn)
        do.draw_and_finish(page, drawn)
        do.wait_for_work(page)
        third = do.find_image_id(page)
        do.drag_box(page, PERSON)
        first, second = drawn
        for image_id in (second, first):
            page.keyboard.press("a")
            do.expect_body(page, f"[data-image='{image_id}']")
            do.wait_for_work(page)
        do.expect_boxes(page, drawn[first])
        do.drag_box(page, CAT)
        do.finish(page)
        expect(page.locator(f"body[data-image='{first}']")).to_have_count(0)
        do.wait_for_work(page)
        assert do.find_image_id(page) == second  # opened last, and not changed
        do.tap(page, "d")
        do.expect_body(page, f"[data-image='{third}']")
        do.wait_for_work(page)
        do.expect_boxes(page, PERSON)
        do.wait_for_saved(page)
    assert do.boxes_of(house.head(images[first])) == [drawn[first], CAT]
    assert house.state(images[first]) is ImageState.ANNOTATED


def test_the_organiser_sets_rare_class_mode_and_one_key_discards(house: PartyHouse) -> None:
    images = {image.id: image for image in house.add_images(3)}
    with (
        house.signed_in("olga", Role.ORGANISER, at="/queue") as olga,
        house.signed_in("ann") as ann,
    ):
        olga.get_by_test_id("wanted:sheep").check()
        olga.get_by_test_id("wanted:cow").check()
        olga.get_by_test_id("set-choice").select_option("class:sheep")
        olga.get_by_test_id("set-add").click()
        take_picture(olga, "queue-page")
        olga.get_by_test_id("plan-save").click()
        expect(olga.get_by_test_id("plan-state")).to_have_text("Saved.")
        do.open_work(ann, "/annotate")
        first = do.find_image_id(ann)
        expect(ann.get_by_test_id("wanted-classes")).to_contain_text("sheep")
        take_picture(ann, "rare-class-mode")
        do.drag_box(ann, PERSON)
        do.select_class(ann, "sheep")
        ann.keyboard.press("Shift+X")
        expect(ann.get_by_test_id("notice")).to_contain_text("The image stays")
        do.select_class(ann, "person")
        do.tap(ann, "d")
        expect(ann.get_by_test_id("doubts")).to_contain_text("No wanted class is marked")
        do.press(ann, "Escape", "Shift+X")
        ann.keyboard.press("Enter")  # it has a box
        expect(ann.locator(f"body[data-image='{first}']")).to_have_count(0)
        do.wait_for_work(ann)
        do.wait_for_saved(ann)
        expect(ann.get_by_test_id("notice")).to_contain_text("no wanted class")
        assert house.state(images[first]) is ImageState.DISCARDED
        assert house.head(images[first]).discard_reason == "no_wanted_class"
        olga.get_by_test_id("wanted:sheep").uncheck()
        olga.get_by_test_id("wanted:cow").uncheck()
        olga.get_by_test_id("plan-save").click()
        expect(olga.get_by_test_id("plan-state")).to_have_text("Saved.")
        do.open_work(ann, "/annotate")
        expect(ann.get_by_test_id("wanted")).to_be_hidden()


def test_two_organisers_never_overwrite_each_other_unseen(house: PartyHouse) -> None:
    with house.signed_in("olga", Role.ORGANISER, allowing=CONFLICT, at="/queue") as first:
        second = first.context.new_page()
        second.goto(first.url)
        expect(second.get_by_test_id("wanted:cow")).to_be_visible()  # it has read the old plan
        first.get_by_test_id("wanted:sheep").check()
        first.get_by_test_id("plan-save").click()
        expect(first.get_by_test_id("plan-state")).to_have_text("Saved.")
        second.get_by_test_id("wanted:cow").check()
        second.get_by_test_id("plan-save").click()
        expect(second.get_by_test_id("plan-conflict")).to_contain_text("Wanted: sheep.")
        second.get_by_test_id("plan-save").click()
        expect(second.get_by_test_id("plan-state")).to_have_text("Saved.")
        first.reload()
        expect(first.get_by_test_id("wanted:cow")).to_be_checked()
        held: list[Route] = []
        first.route("**/api/v1/queue", lambda route: held.append(route))
        first.get_by_test_id("wanted:horse").check()
        with first.expect_request("**/api/v1/queue"):
            first.get_by_test_id("plan-save").click()
        first.get_by_test_id("wanted:dog").check()  # while the answer is on its way
        for route in held:
            route.continue_()
        do.wait_for_answers(first)
        expect(first.get_by_test_id("wanted:dog")).to_be_checked()
        expect(first.get_by_test_id("plan-state")).to_have_text("Not saved yet.")


def test_a_class_marked_unsure_reaches_the_checker(house: PartyHouse) -> None:
    [image] = house.add_images(1)
    with house.at_work("ann") as ann:
        do.drag_box(ann, PERSON)
        ann.keyboard.press("u")
        do.tap(ann, "d")
        ann.get_by_test_id("unsure:sheep").click()
        ann.get_by_test_id("unsure:cow").click()
        ann.get_by_test_id("unsure:cow").click()
        do.wait_for_saved(ann)
        with ann.expect_response("**/revisions"):
            ann.get_by_test_id("finish-back").click()
        do.wait_for_saved(ann)
        assert house.head(image).unsure_classes == ["sheep"]
        ann.reload()
        do.wait_for_work(ann)
        do.tap(ann, "d")
        expect(ann.get_by_test_id("unsure:sheep")).to_have_attribute("aria-pressed", "true")
        ann.get_by_test_id("finish-confirm").click()
        do.wait_for_screen(ann, "empty")
    head = house.head(image)
    assert (head.unsure_classes, head.objects[0].unsure) == (["sheep"], True)
    with house.at_work("chris", Role.CHECKER, at="/check") as chris:
        expect(chris.get_by_test_id("author")).to_contain_text("ann")
        expect(chris.get_by_test_id("unsure-of")).to_contain_text("sheep")
        do.tap(chris, "d")
        expect(chris.get_by_test_id("unsure:sheep")).to_be_visible()


def test_edited_guidelines_reach_people_at_work(house: PartyHouse) -> None:
    house.add_images(3)
    drawn: dict[int, Box] = {}
    with (
        house.signed_in("olga", Role.ORGANISER, allowing=CONFLICT) as olga,
        house.signed_in("ann") as ann,
    ):
        do.wait_for_work(ann)
        do.open_page(olga, "/guidelines")
        olga.get_by_role("link", name="Edit the guidelines").click()
        expect(olga.get_by_test_id("markdown")).to_be_visible()
        other = olga.context.new_page()
        other.goto(olga.url)
        expect(other.get_by_test_id("markdown")).to_be_visible()  # it has read the old words
        text = f"# Ours\n\n{HOSTILE}\n\n### person\n\nFaces **too**.\n\n### cat\n\nNo lions."
        olga.get_by_test_id("markdown").fill(text)
        expect(olga.get_by_test_id("preview")).to_contain_text(HOSTILE)
        take_picture(olga, "guidelines-editor")
        olga.get_by_test_id("editor-save").click()
        expect(olga.get_by_test_id("editor-state")).to_have_text("Saved.")
        other.get_by_test_id("markdown").fill("other words")
        other.get_by_test_id("editor-save").click()
        expect(other.get_by_test_id("theirs")).to_have_value(text)
        other.get_by_test_id("editor-take").click()
        other.get_by_test_id("sure-yes").click()  # "other words" give way
        expect(other.get_by_test_id("markdown")).to_have_value(text)
        expect(other.get_by_test_id("preview")).to_contain_text("No lions")
        do.draw_and_finish(ann, drawn)
        do.wait_for_work(ann)
        ann.keyboard.press("g")
        guide = ann.locator("#guide")
        expect(guide).to_contain_text("No lions")
        expect(guide).to_contain_text(HOSTILE)
        expect(ann.get_by_test_id("guide-class")).to_contain_text("Faces too")
        do.select_class(ann, "cat")
        expect(ann.get_by_test_id("guide-class")).to_contain_text("No lions")
        ann.get_by_test_id("guide-search").fill("lions")
        expect(guide.locator("section", has_text="Faces")).to_be_hidden()
        assert ann.title() != "owned"


def test_the_editor_keeps_typed_text_and_names_headings_twice(house: PartyHouse) -> None:
    with house.signed_in("olga", Role.ORGANISER, at="/guidelines/edit") as olga:
        text = olga.get_by_test_id("markdown")
        said = olga.get_by_test_id("editor-twice")
        typed = "# Bus\n\nminibuses too\n\n## bus\n\nnot trams\n"
        text.fill(typed)
        expect(said).to_have_text(
            "Two sections are named “bus”. Only the first is shown at the image."
        )
        do.take_sizes(olga, "guidelines-edit")
        olga.get_by_test_id("editor-save").click()
        first = olga.get_by_test_id("version:1")
        expect(first).to_be_visible()
        asked_first = "**/versions/1"
        with olga.expect_response(asked_first), do.holding(olga, asked_first):
            first.click()
            olga.get_by_test_id("version:0").click()
            expect(text).not_to_have_value(typed)
        typed += "not coaches\n"
        text.fill(typed)  # the answer to an earlier click changes nothing
        expect(text).to_have_value(typed)
        olga.get_by_test_id("version:0").click()
        olga.get_by_test_id("sure-back").click()
        expect(text).to_have_value(typed)
        olga.get_by_test_id("version:0").click()
        olga.get_by_test_id("sure-yes").click()
        expect(text).not_to_have_value(typed)
        expect(said).to_be_hidden()
        olga.get_by_test_id("version:0").click()  # nothing was typed since
        expect(olga.get_by_test_id("sure-dialog")).to_have_count(0)


def test_an_image_that_cannot_be_shown_is_left_to_organisers(house: PartyHouse) -> None:
    images = {image.id: image for image in house.add_images(4)}
    with house.client("ann") as client:
        task = client.take("annotate")
    assert task is not None
    broken = images.pop(task["image_id"])
    remove_file(house, broken)
    drawn: dict[int, Box] = {}
    with house.signed_in_by(house.make_link("ann"), allowing=GONE) as page:
        do.wait_for_screen(page, "broken")
        page.get_by_test_id("message-skip").click()
        for _ in images:  # the broken one, first in the queue, is not in the way again
            do.draw_and_finish(page, drawn)
        do.wait_for_screen(page, "empty")  # the broken one is not given out again
        do.wait_for_saved(page)
    kept = {key: do.boxes_of(house.head(image)) for key, image in images.items()}
    assert kept == {image_id: [box] for image_id, box in drawn.items()}
    assert house.revisions(broken) == []
    with house.party.catalogue.reading() as session:
        assert session.scalars(select(StuckImage.image_id)).all() == [broken.id]


def test_going_back_to_a_broken_image_does_not_skip_it(house: PartyHouse) -> None:
    images = {image.id: image for image in house.add_images(3)}
    drawn: dict[int, Box] = {}
    with house.signed_in("ann", allowing=GONE) as page:
        page.route("**/*", lambda route: route.continue_())  # so that nothing is kept
        do.draw_and_finish(page, drawn)
        do.wait_for_work(page)
        do.wait_for_saved(page)
        remove_file(house, images[min(drawn)])
        page.reload()
        do.wait_for_work(page)
        for _ in range(2):
            page.keyboard.press("a")
            do.wait_for_screen(page, "broken")
            page.get_by_test_id("message-skip").click()
            do.wait_for_work(page)


def test_a_person_away_too_long_is_told_and_loses_nothing(house: PartyHouse) -> None:
    [image] = house.add_images(1)
    with house.signed_in("ann", allowing=CONFLICT) as ann, house.client("ben") as ben:
        do.wait_for_work(ann)
        with house.party.catalogue.writing() as session:
            session.query(Lease).update({"expires_at": LONG_AGO})
        task = ben.take("annotate")
        assert task is not None
        assert task["image_id"] == image.id
        do.drag_box(ann, PERSON)
        do.wait_for_screen(ann, "lease_lost")
        ben.save(task, [])
    revisions = [(do.boxes_of(row), row.is_stale) for row in house.revisions(image)]
    assert revisions == [([PERSON], True), ([], False)]


def test_a_message_to_a_checker_stays_until_it_is_read(house: PartyHouse) -> None:
    house.add_images(2)
    house.draw_by_client(PERSON)
    house.draw_by_client(PERSON)
    with house.at_work("chris", Role.CHECKER, allowing=CONFLICT) as page:
        with house.client("cora", Role.CHECKER), house.party.catalogue.writing() as session:
            cora = session.scalars(select(Person).where(Person.name == "cora")).one()
            session.query(Lease).update({"person_id": cora.id})
        do.tap(page, "d")
        page.get_by_test_id("verdict-send").click()
        do.wait_for_screen(page, "lease_lost")
        with page.expect_event("console", lambda said: said.text == "back"):
            page.context.set_offline(True)
            page.context.set_offline(False)
            page.evaluate("() => setTimeout(() => console.log('back'), 1000)")
        do.wait_for_screen(page, "lease_lost")
        page.get_by_test_id("message-again").click()
        do.wait_for_work(page)


def test_active_seconds_are_stored_with_image_and_object(house: PartyHouse) -> None:
    [image] = house.add_images(1)
    with house.at_work("ann") as page:
        corners = do.find_corners(page, PERSON)
        do.stop_clock(page)
        do.drag(page, *corners)
        do.skip_time(page, 8)
        page.keyboard.press("f")
        do.skip_time(page, 45)  # away: longer than a pause at work
        page.keyboard.press("t")
        do.skip_time(page, 5)
        page.keyboard.press("o")
        do.skip_time(page, 2)
        do.wait_for_saved(page)
        do.finish(page)
        page.clock.resume()
        do.wait_for_screen(page, "empty")
    seconds = sum(row.active_secs for row in house.revisions(image))
    assert seconds == pytest.approx(15)
    assert house.head(image).objects[0].drawn_secs == pytest.approx(13)


def remove_file(house: PartyHouse, image: Image) -> None:
    root = Path(house.party.folder) / house.party.settings.images
    [path] = root.rglob(image.sha256)
    path.unlink()
