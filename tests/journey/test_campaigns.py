"""Campaigns and changes of classes while the pages are open."""

from playwright.sync_api import expect

from catalog.states import Role
from catalog.tables import Image
from operate.words import rename_word
from tests.browser import take_picture

from . import party_page as do
from .party_page import CAT, NOW, PERSON, PartyHouse


def test_a_campaign_has_the_images_that_were_confirmed_and_none_that_matches_later(
    house: PartyHouse,
) -> None:
    house.draw_and_accept(PERSON)
    with house.signed_in("olga", Role.ORGANISER, at="/images?class=person") as olga:
        do.tick_all(olga)
        olga.get_by_test_id("action").select_option("annotate_again")
        olga.get_by_test_id("campaign-name").fill("views-again")
        olga.get_by_test_id("campaign-fields").fill("view")
        olga.get_by_test_id("act").click()
        expect(olga.get_by_test_id("sure-yes")).to_be_visible()
        house.add_images(1)
        house.draw_by_client(PERSON)
        olga.get_by_test_id("sure-yes").click()
        said = "1 of 1 images will be annotated again in the campaign views-again."
        expect(olga.get_by_test_id("said")).to_have_text(said)


def test_an_organiser_starts_a_campaign_and_follows_its_progress(house: PartyHouse) -> None:
    house.draw_and_accept(PERSON)
    house.add_images(1)
    house.draw_by_client(PERSON, CAT)
    with (
        house.signed_in("olga", Role.ORGANISER, at="/images?class=person") as olga,
        house.signed_in("ann") as ann,
    ):
        expect(olga.get_by_test_id("count")).to_have_text("2 images")
        do.tick_all(olga)
        olga.get_by_test_id("action").select_option("annotate_again")
        olga.get_by_test_id("campaign-name").fill("views-again")
        olga.get_by_test_id("campaign-fields").fill("view, occluded")
        olga.get_by_test_id("words").fill("Frontal means both eyes.")
        do.take_sizes(olga, "images-again")
        olga.get_by_test_id("search").fill("class:cat")  # not searched for
        olga.get_by_test_id("act").click()
        olga.get_by_test_id("sure-yes").click()
        said = "2 of 2 images will be annotated again in the campaign views-again."
        expect(olga.get_by_test_id("said")).to_have_text(said)
        do.open_work(ann, "/annotate")
        text = "Check view and occluded again. Frontal means both eyes."
        expect(ann.get_by_test_id("campaign-text")).to_have_text(text)
        take_picture(ann, "annotate-again")
        image_id = do.find_image_id(ann)
        do.finish(ann)
        expect(ann.locator(f"body[data-image='{image_id}']")).to_have_count(0)
        do.open_page(olga, "/board")
        done = olga.get_by_test_id("campaign:views-again:done")
        waits = olga.get_by_test_id("campaign:views-again:check")
        expect(done).to_have_text("0")
        expect(waits).to_have_text("1")
        do.take_sizes(olga, "board-campaign")
        with house.signed_in("chris", Role.CHECKER, at=do.BLANK) as chris:
            for width, height in ((1366, 650), (1280, 720)):
                chris.set_viewport_size({"width": width, "height": height})
                do.open_work(chris, "/check")
                expect(chris.get_by_test_id("campaign-text")).to_be_visible()
                take_picture(chris, f"check-again-{width}")
            do.send_verdict(chris)
            do.wait_for_screen(chris, "empty")
        expect(done).to_have_text("1")
        expect(olga.get_by_test_id("campaign:views-again:all")).to_have_text("2")
        done.click()
        expect(olga.get_by_test_id("count")).to_have_text("1 image")
        expect(olga.get_by_test_id(f"image:{image_id}")).to_be_visible()
        olga.go_back()
        olga.get_by_test_id("end:views-again").click()
        olga.get_by_test_id("sure-yes").click()
        expect(olga.get_by_test_id("said")).to_have_text("Campaign views-again has ended.")
        expect(olga.get_by_test_id("campaign:views-again")).to_have_count(0)


def test_an_open_page_follows_a_renamed_class(house: PartyHouse) -> None:
    house.add_images(2)
    with house.at_work("ann") as ann:
        image_id = do.find_image_id(ann)
        do.select_class(ann, "sofa")
        do.drag_box(ann, CAT)
        do.expect_boxes(ann, CAT)
        with house.party.catalogue.writing() as session:
            rename_word(session, house.party, "sofa", "couch", made_by="olga", at=NOW)
        do.finish(ann)
        expect(ann.locator(f"body[data-image='{image_id}']")).to_have_count(0)
        do.wait_for_work(ann)
        expect(ann.get_by_role("radio", name="couch", exact=True)).to_be_visible()
        expect(ann.get_by_role("radio", name="sofa", exact=True)).to_have_count(0)
    with house.party.catalogue.reading() as session:
        head = session.get_one(Image, image_id).annotation
        assert head is not None
        assert [item.class_name for item in head.objects] == ["couch"]
