"""What a page showed is what its saves count on: other people, other windows, a restored party."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import Browser, expect
from sqlalchemy import select, update

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import Party, open_party
from catalog.states import ImageState, Role, Verdict
from catalog.tables import BlindTask, Image, Lease, Person
from operate.backup import restore_backup, write_backup
from qa.gold import choose_gold
from tests.browser import take_picture

from . import party_page as do
from .party_page import CAT, NOW, PERSON, Box, PartyHouse

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

STALE = ("status of 409",)
STOPPED = ("status of 409", "status of 400")  # the token of another session, too
THIRD: Box = (20, 20, 120, 160)


def names_of(house: PartyHouse, image: Image) -> list[str]:
    """Who saved each revision of the image."""
    with house.party.catalogue.reading() as session:
        people = dict(session.execute(select(Person.id, Person.name)).tuples().all())
    return [people[row.person_id] for row in house.revisions(image)]


def test_what_one_person_draws_is_never_saved_for_who_signed_in_next(house: PartyHouse) -> None:
    image = house.add_image()
    ann = house.make_link("ann")
    bob = house.make_link("bob")
    with house.signed_in_by(ann, allowing=STOPPED) as page:
        do.wait_for_work(page)
        do.drag_box(page, PERSON)
        do.wait_for_saved(page)
        tab = page.context.new_page()
        do.enter(tab, bob)
        do.wait_for_screen(tab, "empty")
        do.drag_box(page, CAT)
        dialog = page.get_by_test_id("stopped-dialog")
        expect(dialog).to_contain_text("bob signed in in this browser")
        take_picture(page, "stopped")
        assert names_of(house, image) == ["ann"]
        tab.goto(page.url)
        do.wait_for_screen(tab, "empty")  # bob's page shows and sends nothing of ann's journal
        do.enter(tab, ann)
        do.wait_for_work(tab)
        do.expect_boxes(tab, PERSON, CAT)
        do.wait_for_saved(tab)
        dialog.get_by_test_id("reload").click()
        do.wait_for_work(page)
        do.expect_boxes(page, PERSON, CAT)
    assert set(names_of(house, image)) == {"ann"}
    assert do.boxes_of(house.head(image)) == [PERSON, CAT]


def test_a_blind_copy_in_two_windows_asks_which_is_right(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON, name="zoe")
    with house.party.catalogue.writing() as session:
        zoe = session.scalars(select(Person.id).where(Person.name == "zoe")).one()
        choose_gold(session, image.id, person_id=zoe, at=NOW, is_training=True)
        session.query(Person).update({"seen_at": NOW})
    give_training(house)
    with house.at_work("ann", allowing=STALE, at="/annotate") as first:
        second = first.context.new_page()
        second.goto(first.url)
        do.wait_for_work(second)
        do.drag_box(first, PERSON)
        do.wait_for_saved(first)
        do.drag_box(second, CAT)
        dialog = second.get_by_test_id("conflict-dialog")
        expect(dialog.get_by_test_id("version-theirs")).to_contain_text("1 object")
        dialog.get_by_test_id("conflict-both").click()
        do.expect_boxes(second, CAT, PERSON)
        do.wait_for_saved(second)
    with house.party.catalogue.reading() as session:
        answer_id = session.scalars(select(BlindTask.annotation_id)).one()
    (answer,) = [row for row in house.revisions(image) if row.id == answer_id]
    assert do.boxes_of(answer) == [CAT, PERSON]


def give_training(house: PartyHouse) -> None:
    with house.client("olga", Role.ORGANISER) as olga:
        shares = olga.send("GET", "/api/v1/gold")["shares"]
        wanted = {name: value for name, value in shares.items() if name != "number"}
        wanted |= {"base": shares["number"], "training_images": 1}
        olga.send("PUT", "/api/v1/board/shares", wanted)


def test_a_correction_of_an_older_revision_asks_before_it_is_sent(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON)
    with house.at_work("chris", Role.CHECKER, allowing=STALE, at="/check") as page:
        do.press(page, "Tab")
        do.press(page, "Space")  # the person is right, as the first revision has it
        do.drag_box(page, CAT)
        do.expect_boxes(page, PERSON, CAT)
        old_id = house.head(image).id
        page.goto("about:blank")
        redraw(house, image, THIRD)
        page.goto(f"{house.base_url}/check?image={image.id}")
        dialog = page.get_by_test_id("conflict-dialog")
        expect(dialog.get_by_test_id("version-mine")).to_contain_text("2 objects")
        expect(dialog.get_by_test_id("version-theirs")).to_contain_text("1 object")
        dialog.get_by_test_id("conflict-theirs").click()
        do.expect_boxes(page, THIRD)
        do.send_verdict(page)
        do.wait_for_screen(page, "empty")
    (review,) = house.reviews()
    assert review.annotation_id != old_id
    assert (review.annotation_id, review.verdict) == (house.head(image).id, Verdict.ACCEPT)
    assert [verdict["judged"] for verdict in review.object_verdicts] == [False]


def test_a_verdict_that_meets_a_newer_revision_shows_both(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON)
    with house.at_work("chris", Role.CHECKER, allowing=STALE, at="/check") as page:
        do.drag_box(page, CAT)
        redraw(house, image, THIRD)
        with house.party.catalogue.writing() as session:  # chris has it again, in another window
            session.execute(update(Image).values(state=ImageState.CHECKING))
            chris = session.scalars(select(Person.id).where(Person.name == "chris")).one()
            times = dict.fromkeys(("acquired_at", "opened_at", "heartbeat_at"), datetime.now(UTC))
            whose = {"image_id": image.id, "person_id": chris, "kind": "check"}
            ends = {"returns_to": ImageState.ANNOTATED, "expires_at": NOW.replace(year=2099)}
            session.add(Lease(**whose, **times, **ends))
        do.send_verdict(page)
        dialog = page.get_by_test_id("conflict-dialog")
        expect(dialog.get_by_test_id("version-mine")).to_contain_text("2 objects")
        dialog.get_by_test_id("conflict-both").click()
        do.expect_boxes(page, PERSON, CAT, THIRD)
        do.send_verdict(page)
        do.wait_for_screen(page, "empty")
    (review,) = house.reviews()
    assert review.verdict is Verdict.FIXED
    assert do.boxes_of(house.head(image)) == [PERSON, CAT, THIRD]


def redraw(house: PartyHouse, image: Image, box: Box) -> None:
    """Ann draws the image anew, once nobody has it."""
    with house.party.catalogue.writing() as session:
        session.execute(update(Lease).values(expires_at=NOW))
    with house.client("ann") as ann:
        task = ann.send("POST", "/api/v1/tasks/annotate", {"image_id": image.id})["task"]
        looks = {"class": "person", "view": "Frontal", "truncated": False, "occluded": False}
        ann.save(task, [{"key": "new", "box": list(box), **looks}])


class Switch:
    """One address at which one party is served after another."""

    def __init__(self, app: "WSGIApplication") -> None:
        self.app = app

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        return self.app(environ, start_response)


def test_a_page_at_work_meets_a_restored_party(
    party: Party, chromium: Browser, photographs: Path, tmp_path: Path
) -> None:
    switch = Switch(create_app(party))
    with serving(switch) as base_url:
        house = PartyHouse(party, base_url, chromium, photographs)
        image = house.add_image()
        link = house.make_link("ann")
        with house.signed_in_by(link, allowing=STALE) as page:
            do.wait_for_work(page)
            do.drag_box(page, PERSON)
            do.wait_for_saved(page)
            write_backup(party, tmp_path / "party.tar", lambda _count: None)
            do.drag_box(page, CAT)
            do.wait_for_saved(page)
            restore_backup(tmp_path / "party.tar", tmp_path / "again")
            with open_party(tmp_path / "again") as again:
                switch.app = create_app(again)
                restored = replace(house, party=again)
                draw_on_device(restored, link)
                do.drag_box(page, (400, 400, 480, 480))
                dialog = page.get_by_test_id("conflict-dialog")
                expect(dialog.get_by_test_id("version-mine")).to_contain_text("3 objects")
                expect(dialog.get_by_test_id("version-theirs")).to_contain_text("2 objects")
                take_picture(page, "conflict-restored")
                dialog.get_by_test_id("conflict-both").click()
                do.wait_for_saved(page)
                do.finish_last(page)
                do.wait_for_saved(page)
                head = restored.head(image)
                boxes = [PERSON, CAT, (400, 400, 480, 480), THIRD]
                assert (do.boxes_of(head), head.is_finished) == (boxes, True)
                kept = [do.boxes_of(row) for row in restored.revisions(image)]
                assert [PERSON, THIRD] in kept, "the other device's box is kept"


def draw_on_device(house: PartyHouse, link: str) -> None:
    """The same person draws on another device, which knows nothing of the lost work."""
    with house.signed_in_by(link) as device:
        do.wait_for_work(device)
        do.expect_boxes(device, PERSON)
        do.drag_box(device, THIRD)
        do.wait_for_saved(device)
