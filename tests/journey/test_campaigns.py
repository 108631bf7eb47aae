"""What was done is asked for again, and classes change, while the pages are open."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from catalog.states import Role
from catalog.tables import Image
from operate.classes import rename_class
from tests.browser import take_picture

from .party_page import (
    CAT,
    NOW,
    PERSON,
    PartyHouse,
    add_images,
    drag_box,
    draw_and_accept,
    draw_by_client,
    expect_boxes,
    find_image_id,
    finish,
    open_page,
    select_class,
    tap,
    wait_for_screen,
    wait_for_work,
)

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_an_organiser_has_images_annotated_again_and_follows_them(house: PartyHouse) -> None:
    draw_and_accept(house, PERSON)
    add_images(house, 1)
    draw_by_client(house, PERSON, CAT)
    with house.signed_in("olga", Role.ORGANISER) as olga, house.signed_in("ann") as ann:
        olga.on("dialog", lambda dialog: dialog.accept())
        open_page(olga, "/images?class=person")
        expect(olga.get_by_test_id("count")).to_have_text("2 images")
        olga.get_by_test_id("action").select_option("annotate_again")
        olga.get_by_test_id("campaign-name").fill("views-again")
        olga.get_by_test_id("campaign-fields").fill("view, occluded")
        olga.get_by_test_id("words").fill("Frontal means both eyes.")
        for width, height in ((1366, 650), (1280, 720)):
            olga.set_viewport_size({"width": width, "height": height})
            take_picture(olga, f"images-again-{width}")
        olga.get_by_test_id("filter:class").select_option("cat")  # not applied
        olga.get_by_test_id("act-all").click()
        expect(olga.get_by_test_id("said")).to_have_text(
            "2 of 2 images will be annotated again in the campaign views-again."
        )
        open_page(ann, "/annotate")
        wait_for_work(ann)
        expect(ann.get_by_test_id("campaign-text")).to_have_text(
            "Check view and occluded again. Frontal means both eyes."
        )
        take_picture(ann, "annotate-again")
        image_id = find_image_id(ann)
        finish(ann)
        expect(ann.locator(f"body[data-image='{image_id}']")).to_have_count(0)
        open_page(olga, "/board")
        done, waits = (
            olga.get_by_test_id(f"campaign:views-again:{stage}") for stage in ("done", "check")
        )
        expect(done).to_have_text("0")
        expect(waits).to_have_text("1")
        for width, height in ((1366, 650), (1280, 720)):
            olga.set_viewport_size({"width": width, "height": height})
            take_picture(olga, f"board-campaign-{width}")
        with house.signed_in("chris", Role.CHECKER) as chris:
            for width, height in ((1366, 650), (1280, 720)):
                chris.set_viewport_size({"width": width, "height": height})
                open_page(chris, "/check")
                wait_for_work(chris)
                expect(chris.get_by_test_id("campaign-text")).to_be_visible()
                take_picture(chris, f"check-again-{width}")
            tap(chris, "d")
            chris.get_by_test_id("verdict-send").click()
            wait_for_screen(chris, "empty")
        expect(done).to_have_text("1")
        expect(olga.get_by_test_id("campaign:views-again:all")).to_have_text("2")
        done.click()
        expect(olga.get_by_test_id("count")).to_have_text("1 image")
        expect(olga.get_by_test_id(f"image:{image_id}")).to_be_visible()
        olga.go_back()
        olga.get_by_test_id("end:views-again").click()
        expect(olga.get_by_test_id("said")).to_have_text("Campaign views-again has ended.")
        expect(olga.get_by_test_id("campaign:views-again")).to_have_count(0)


def test_a_page_that_is_open_follows_a_renamed_class(house: PartyHouse) -> None:
    add_images(house, 2)
    with house.signed_in("ann") as ann:
        wait_for_work(ann)
        image_id = find_image_id(ann)
        select_class(ann, "sofa")
        drag_box(ann, CAT)
        expect_boxes(ann, CAT)
        with house.party.catalogue.writing() as session:
            rename_class(session, house.party, "sofa", "couch", by="olga", at=NOW)
        finish(ann)
        expect(ann.locator(f"body[data-image='{image_id}']")).to_have_count(0)
        wait_for_work(ann)
        expect(ann.locator("button[data-class=couch]")).to_be_visible()
        expect(ann.locator("button[data-class=sofa]")).to_have_count(0)
    with house.party.catalogue.reading() as session:
        head = session.get_one(Image, image_id).annotation
        assert head is not None
        assert [one.class_name for one in head.objects] == ["couch"]
