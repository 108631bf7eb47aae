"""What an organiser does in the room: invites and undoes people, comments, and settings."""

import cv2
import numpy as np
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import select

from catalog.states import ImageState, Role, Source
from catalog.tables import Image, Person, Photo, Query
from tests.browser import browsing, take_picture
from work.queue_plan import load_plan

from . import party_page as do
from .party_page import NOW, PERSON, PartyHouse

LOOKS = {"class": "person", "view": "Frontal", "truncated": False, "occluded": False}


def read_code(picture: Locator) -> str:
    """The text of a QR code on the screen, as a phone reads it."""
    expect(picture).to_have_js_property("complete", True)
    pixels = cv2.imdecode(np.frombuffer(picture.screenshot(), dtype=np.uint8), cv2.IMREAD_COLOR)
    assert pixels is not None
    # The other detector finds none in one picture of 200.
    text, _, _ = cv2.QRCodeDetectorAruco().detectAndDecode(pixels)
    return text


def end_link_of(house: PartyHouse, olga: Page, name: str) -> None:
    """By the menu of the row, which stays open while the page asks again who was seen when."""
    seen = olga.locator("tr", has_text=name).locator("td.seen")
    before = seen.inner_text()
    olga.get_by_test_id(f"menu:{name}").click()
    take_picture(olga, "people-menu")
    with house.party.catalogue.writing() as session:
        session.query(Person).filter_by(name=name).update({"seen_at": NOW})
    expect(seen).not_to_have_text(before)
    olga.get_by_test_id(f"end:{name}").click()
    question = olga.get_by_test_id("sure-dialog")
    expect(question).to_contain_text("They are signed out at once")
    olga.get_by_test_id("sure-yes").click()
    expect(olga.get_by_test_id("said")).to_contain_text(name)


def press(button: Locator) -> None:
    """Press by key: rows that move meanwhile would slip from under a pointer."""
    button.press("Enter")


def test_people_sign_up_by_code_and_lose_access_at_once(house: PartyHouse) -> None:
    image = house.add_image()
    with house.signed_in("olga", Role.ORGANISER, at="/people") as olga:
        olga.get_by_test_id("invite-name").fill("mia")
        olga.get_by_test_id("invite").click()
        card = olga.get_by_test_id("link-card")
        expect(card).to_be_visible()
        link = olga.get_by_test_id("link").inner_text()
        assert link.startswith(f"{house.base_url}/enter/")
        assert read_code(card.locator("img.qr")) == link
        olga.evaluate("Object.defineProperty(navigator, 'clipboard', {})")  # as over http
        olga.get_by_test_id("link-copy").click()
        expect(olga.get_by_test_id("link-copy")).to_have_text("Copied.")
        olga.get_by_test_id("link-done").click()
        olga.get_by_test_id("door-open").click()
        door = olga.get_by_test_id("door")
        code = olga.get_by_test_id("code").inner_text().replace(" ", "")
        address = read_code(door.locator("img.qr"))
        assert address == f"{house.base_url}/join?code={code}"
        with browsing(house.chromium, allowing=("401", "404")) as walker:
            walker.goto(address)
            expect(walker.get_by_label("Party code")).to_have_value(code)
            take_picture(walker, "join")
            walker.get_by_label("Your name").fill("Walter")
            walker.get_by_role("button", name="Sign up").click()
            own_link = walker.locator(".link code").inner_text()
            assert read_code(walker.locator("img.qr")) == own_link
            take_picture(walker, "joined")
            do.open_work(walker, "/annotate")
            expect(olga.locator("tr", has_text="Walter")).to_contain_text("by party code")
            take_picture(olga, "people-door")
            end_link_of(house, olga, "Walter")
            do.drag_box(walker, PERSON)
            expect(walker.get_by_test_id("signed-out-dialog")).to_be_visible()
            walker.goto(own_link)
            expect(walker.locator("main")).to_contain_text("This link was revoked")
        assert house.state(image) is ImageState.POOL
        olga.get_by_test_id("door-close").click()
        expect(olga.get_by_test_id("door-open")).to_be_visible()
    with browsing(house.chromium) as late:
        late.goto(address)
        expect(late.locator("main")).to_contain_text("Sign-up is closed")


def test_an_organiser_who_is_alone_is_led_to_the_first_invitation(house: PartyHouse) -> None:
    with house.signed_in("olga", Role.ORGANISER, at="/people") as olga:
        expect(olga.get_by_test_id("empty")).to_contain_text("Only you so far")
        do.take_sizes(olga, "people-alone")
        olga.get_by_test_id("empty").get_by_role("button").click()
        expect(olga.get_by_test_id("invite-name")).to_be_focused()
        olga.keyboard.type("mia")
        olga.keyboard.press("Enter")
        expect(olga.locator("tr", has_text="mia")).to_be_visible()
        expect(olga.get_by_test_id("empty")).to_be_hidden()
        expect(olga.get_by_test_id("find")).to_be_hidden()


def test_the_focus_stays_on_the_role_that_was_set_by_keyboard(house: PartyHouse) -> None:
    for name in ("ann", "bob"):
        house.make_link(name)
    with house.signed_in("olga", Role.ORGANISER, at="/people") as olga:
        olga.get_by_test_id("role:bob").focus()
        olga.keyboard.press("c")
        expect(olga.get_by_test_id("said")).to_contain_text("bob is now checker")
        do.wait_for_answers(olga)
        expect(olga.get_by_test_id("role:bob")).to_have_value("checker")
        expect(olga.get_by_test_id("role:bob")).to_be_focused()


def test_the_people_of_a_large_party_are_found_by_name(house: PartyHouse) -> None:
    for number in range(20):
        house.make_link(f"person {number}")
    with house.signed_in("olga", Role.ORGANISER, at="/people") as olga:
        olga.set_viewport_size({"width": 1366, "height": 650})
        rows = olga.locator("#members tr:visible")
        expect(rows).to_have_count(21)
        last = olga.get_by_test_id("menu:person 19")
        last.click()
        expect(olga.get_by_test_id("undo:person 19")).to_be_in_viewport(ratio=1)
        olga.keyboard.press("Escape")
        expect(olga.get_by_test_id("undo:person 19")).to_be_hidden()
        expect(last).to_be_focused()
        olga.get_by_test_id("find").fill("SON 7")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("person 7")
        olga.get_by_test_id("find").fill("nobody")
        expect(olga.locator("#no-members")).to_have_text("No person has this name.")


def test_an_organiser_looks_up_a_persons_images_and_undoes_them(house: PartyHouse) -> None:
    for name in ("astronaut", "chelsea"):
        house.add_image(name)
        house.draw_by_client((31, 21, 402, 280))
    with house.signed_in("olga", Role.ORGANISER, at="/board") as olga:
        olga.get_by_test_id("step:annotated").click()
        expect(olga.get_by_test_id("count")).to_have_text("2 images")
        expect(olga.get_by_test_id("filter:state")).to_have_text("State: to check×")
        expect(olga.locator(".shot .boxes")).to_have_count(2)
        take_picture(olga, "images")
        olga.set_viewport_size({"width": 1366, "height": 650})
        take_picture(olga, "images-1366")
        olga.locator(".shot input").first.check()
        olga.get_by_test_id("action").select_option("discard")
        olga.get_by_test_id("reason").select_option("poor_quality")
        olga.get_by_test_id("act").click()
        olga.get_by_test_id("sure-yes").click()
        expect(olga.get_by_test_id("said")).to_have_text("1 of 1 images discarded.")
        expect(olga.get_by_test_id("count")).to_have_text("1 image")
        olga.get_by_test_id("undo").click()
        expect(olga.get_by_test_id("said")).to_have_text("1 of 1 images as before.")
        expect(olga.get_by_test_id("count")).to_have_text("2 images")
        do.open_page(olga, "/people")
        olga.get_by_test_id("menu:ann").click()
        olga.get_by_test_id("undo:ann").click()
        question = olga.get_by_test_id("sure-dialog")
        expect(question).to_contain_text("Would undo: 2 revisions of ann")
        do.take_sizes(olga, "people-undo")
        olga.get_by_test_id("sure-yes").click()
        expect(olga.get_by_test_id("said")).to_contain_text("Undone: 2 revisions of ann")
        do.open_page(olga, "/images?state=pool")
        expect(olga.get_by_test_id("count")).to_have_text("2 images")


def practise(page: Page) -> None:
    """Mark the dog, the person and the car of the practice image, with some mistakes."""
    says = page.get_by_test_id("practice-says")
    do.drag_box(page, (250, 250, 600, 580))
    expect(says).to_contain_text("Not close enough")
    page.keyboard.press("Control+z")
    do.drag_box(page, (321, 301, 524, 536))
    expect(says).to_contain_text("click dog in the list")
    do.select_class(page, "dog")
    follow_guide(page, ("View of the dog: click left", "q"), ("truncated", "o"))
    follow_guide(page, ("truncated, not occluded", "o"), ("outside the box (dog)", "t"))
    expect(says).to_have_text("Drag a box around: person.")
    do.tap(page, "d")
    expect(page.get_by_test_id("notice")).to_have_text("Drag a box around: person.")
    expect(page.get_by_test_id("finish-dialog")).to_have_count(0)
    page.keyboard.press("w")
    do.drag_box(page, (86, 125, 243, 554))
    do.select_class(page, "person")
    page.keyboard.press("t")
    follow_guide(page, ("View of the person: click frontal", "f"), ("All of it is inside", "o"))
    follow_guide(page, ("Nothing is in front of it (person)", "o"), ("All of it is inside", "t"))
    take_picture(page, "practice")
    page.keyboard.press("w")
    do.drag_box(page, (525, 193, 764, 256))
    page.get_by_test_id("object").first.click()
    expect(says).to_have_text("Click the box (car) to select it.")
    page.get_by_test_id("object").last.click()
    do.select_class(page, "car")
    follow_guide(page, ("View of the car: click left", "q"), ("outside the box (car)", "t"))
    expect(says).to_contain_text("Click Finish")
    page.keyboard.press("w")
    do.drag_box(page, (330, 310, 520, 530))
    expect(says).to_contain_text("Box 4 in the list is too many")
    page.keyboard.press("Delete")
    page.keyboard.press("x")
    expect(page.get_by_test_id("notice")).to_contain_text("not discarded")
    do.finish(page)


def follow_guide(page: Page, *steps: tuple[str, str]) -> None:
    """Press the key of each step once the guide asks for it."""
    for words, key in steps:
        expect(page.get_by_test_id("practice-says")).to_contain_text(words)
        page.keyboard.press(key)


def test_new_people_see_the_rules_once_and_begin_with_practice(house: PartyHouse) -> None:
    image = house.add_image()
    link = house.make_link("nina", is_new=True)
    with browsing(house.chromium) as nina:
        nina.goto(link)
        nina.get_by_role("button", name="Continue").press("Enter")
        expect(nina.get_by_test_id("step")).to_be_visible()
        assert nina.url.endswith("/training?new=yes")
        begin = nina.get_by_test_id("begin")
        expect(begin).to_be_in_viewport()  # at the first step already, however long it is
        take_picture(nina, "newcomer")
        on = nina.get_by_test_id("next")
        for _ in range(11):
            for width, height in ((390, 844), (844, 390), (1366, 650), (1280, 720)):
                nina.set_viewport_size({"width": width, "height": height})
                expect(on).to_be_in_viewport(ratio=1)
            on.click()
        expect(on).to_have_count(0)
        begin.click()
        nina.wait_for_url("**/annotate?practice")
        do.wait_for_work(nina)
        practise(nina)
        nina.wait_for_url("**/annotate")
        do.wait_for_work(nina)
        assert do.find_image_id(nina) == image.id
        assert house.revisions(image) == []
        nina.goto(link)
        nina.get_by_role("button", name="Continue").press("Enter")
        do.wait_for_work(nina)


def test_a_comment_from_the_wall_reaches_its_author(house: PartyHouse) -> None:
    first = house.add_image()
    house.draw_by_client(PERSON)
    house.add_image("chelsea")
    with (
        house.signed_in("olga", Role.ORGANISER, at=do.BLANK) as olga,
        house.at_work("ann") as ann,
    ):
        do.stop_clock(olga)  # so that the wall looks for nothing by itself
        do.open_page(olga, "/wall")
        shot = olga.locator(".shot")
        expect(shot).to_have_count(1)
        shot.get_by_test_id("comment").click()
        shot.get_by_test_id("words").fill("Mind the left arm.")
        shot.get_by_test_id("send").click()
        expect(olga.get_by_test_id("said")).to_contain_text("ann")
        expect(shot.get_by_test_id("comment")).to_be_focused()  # keys go on where they were
        shot.get_by_test_id("talk").click()
        expect(shot).to_contain_text("come")
        ann.clock.install()
        ann.reload()
        do.wait_for_work(ann)
        remarks = ann.get_by_test_id("remarks")
        expect(remarks).to_contain_text("Mind the left arm.")
        expect(remarks.locator(".remark")).to_have_count(2)
        take_picture(ann, "remark")
        before = ann.request.get(f"{house.base_url}/api/v1/remarks")
        later = {"remarks": before.json()["remarks"][1:]}  # the first was seen in another window
        ann.route("**/api/v1/remarks", lambda route: route.fulfill(json=later))
        remarks.get_by_test_id("remark-seen").last.focus()
        do.skip_time(ann, 15)
        expect(remarks.locator(".remark")).to_have_count(1)
        expect(remarks.get_by_test_id("remark-seen")).to_be_focused()
        ann.unroute("**/api/v1/remarks")
        do.skip_time(ann, 15)
        expect(remarks.locator(".remark")).to_have_count(2)
        for _ in range(2):
            remarks.get_by_test_id("remark-seen").first.click()
        expect(remarks.locator(".remark")).to_have_count(0)
        ann.route("**/api/v1/remarks", lambda route: route.fulfill(response=before))
        with ann.expect_response("**/api/v1/remarks"):
            do.skip_time(ann, 15)
        do.wait_for_answers(ann)  # the one from before shows none of them again
        expect(remarks.locator(".remark")).to_have_count(0)
        shot.get_by_test_id("return").click()
        shot.get_by_test_id("words").fill("The arm is missing.")
        take_picture(olga, "wall-return")
        shot.get_by_test_id("send").click()
        expect(olga.get_by_test_id("said")).to_contain_text("Returned to ann")
        expect(shot.get_by_test_id("talk")).to_be_visible()
        expect(shot.get_by_test_id("return")).to_have_count(0)
    assert house.state(first) is ImageState.RETURNED


def test_images_are_taken_back_and_shares_applied_on_the_board(house: PartyHouse) -> None:
    first = house.add_image()
    house.draw_by_client(PERSON)
    held = house.add_image("chelsea")
    with house.signed_in("olga", Role.ORGANISER, at="/board") as olga, house.at_work("ann") as ann:
        row = olga.locator("tr", has_text="ann")
        chip = row.locator(".chip")
        expect(chip).to_have_count(1)
        olga.get_by_test_id("double_share").fill("100")
        press(chip)
        olga.get_by_test_id("sure-back").click()
        assert house.state(held) is ImageState.ANNOTATING  # a slip of the pointer takes nothing
        press(chip)
        olga.get_by_test_id("sure-yes").click()
        expect(olga.get_by_test_id("said")).to_contain_text("ann")
        expect(chip).to_have_count(0)
        assert house.state(held) is ImageState.POOL
        do.drag_box(ann, (31, 21, 102, 100))
        do.wait_for_saved(ann)  # what she draws on is not lost
        expect(olga.get_by_test_id("double_share")).to_have_value("100")  # nor what was typed
        olga.get_by_test_id("gold_share").fill("7.5")
        olga.get_by_test_id("training_images").fill("0")
        press(olga.get_by_test_id("shares-save"))
        expect(olga.get_by_test_id("said")).to_contain_text("next image")
        olga.reload()
        expect(olga.get_by_test_id("double_share")).to_have_value("100")
        expect(olga.get_by_test_id("gold_share")).to_have_value("7.5")
    with house.client("bob") as bob:
        task = bob.take("annotate")
    assert task is not None
    assert task["image_id"] == first.id  # once more, blind
    assert task["annotation"] is None


def test_gold_priorities_and_wanted_classes_apply_at_once(house: PartyHouse) -> None:
    gold = house.add_image()
    house.draw_by_client(PERSON)
    waiting = {name: house.add_image(name) for name in ("chelsea", "cameraman")}
    ask_for(house, waiting["cameraman"], "sheep")
    with house.signed_in("olga", Role.ORGANISER, at=f"/gold?image={gold.id}") as olga:
        olga.get_by_test_id("gold-gold").check()
        olga.get_by_test_id("gold-save").click()
        expect(olga.get_by_test_id(f"gold:{gold.id}")).to_be_visible()
        do.open_page(olga, "/board")
        expect(olga.locator("#board[data-ready=true]")).to_be_visible()
        said = olga.get_by_test_id("said")
        olga.get_by_test_id("double_share").fill("0")
        olga.get_by_test_id("gold_share").fill("100")
        press(olga.get_by_test_id("shares-save"))
        expect(said).to_contain_text("next image")
        olga.get_by_test_id("add-first").select_option("sheep")
        expect(olga.get_by_test_id("first:class:sheep")).to_be_visible()
        olga.get_by_test_id("add-wanted").select_option("sheep")
        expect(olga.get_by_test_id("wants:sheep")).to_contain_text("sheep wanted")
        olga.locator(".steer").scroll_into_view_if_needed()
        take_picture(olga, "board-steer")
        with house.client("bob") as bob:
            held = bob.take("annotate")
            assert held is not None
            assert (held["image_id"], held["annotation"]) == (gold.id, None)  # gold, unseen
            bob.save(held, [{"key": "k1", "box": list(PERSON), **LOOKS}], active_secs=30.0)
            held = bob.take("annotate")
            assert held is not None
            assert held["image_id"] == waiting["cameraman"].id  # what was asked for as sheep
        with house.party.catalogue.reading() as session:
            assert load_plan(session, house.party.classes).wanted_classes == ("sheep",)
        press(olga.get_by_test_id("wants:sheep"))
        expect(olga.get_by_test_id("wants:sheep")).to_have_count(0)
        olga.reload()
        expect(olga.get_by_test_id("first:class:sheep")).to_be_visible()
        expect(olga.locator(".steer")).to_contain_text("every class is wanted")


def ask_for(house: PartyHouse, image: Image, class_name: str) -> None:
    """Make the image one that a query for this class found."""
    with house.party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id=class_name, keyword=class_name)
        photo = session.scalars(select(Photo).where(Photo.image_id == image.id)).one()
        photo.query = query


def test_a_takedown_is_of_the_images_that_the_question_named(house: PartyHouse) -> None:
    image = house.add_image("astronaut")
    late = house.add_image("chelsea")
    inside_both = (31, 21, 402, 280)
    house.draw_by_client(inside_both)
    shown, late = (image, late) if house.state(image) is ImageState.ANNOTATED else (late, image)
    with house.signed_in("olga", Role.ORGANISER, at="/images?state=annotated") as olga:
        do.tick_all(olga)
        olga.get_by_test_id("action").select_option("take_down")
        olga.get_by_test_id("words").fill("the owner asked")
        olga.get_by_test_id("act").click()
        question = olga.get_by_test_id("sure-dialog")
        expect(question).to_contain_text("Take down: 1 image. Continue? This cannot be undone.")
        house.draw_by_client(inside_both)  # matches the filter by now
        assert house.state(late) is ImageState.ANNOTATED
        olga.get_by_test_id("sure-yes").click()
        expect(olga.get_by_test_id("said")).to_have_text("1 of 1 images taken down.")
    assert (house.state(shown), house.state(late)) == (ImageState.TAKEN_DOWN, ImageState.ANNOTATED)


def test_a_stuck_image_is_put_right_on_the_board(house: PartyHouse) -> None:
    image = house.add_image()
    with house.party.catalogue.writing() as session:
        session.get_one(Image, image.id).state = ImageState.ANNOTATING  # nobody holds it
    with house.signed_in("olga", Role.ORGANISER, at="/board") as olga:
        row = olga.get_by_test_id(f"stuck-image:{image.id}")
        expect(row).to_contain_text("being annotated: it is in use, but no person holds it")
        take_picture(olga, "board-stuck")
        olga.get_by_test_id(f"settle:{image.id}").click()
        expect(olga.get_by_test_id("said")).to_have_text(f"Image {image.id} is back in its queue.")
        expect(row).to_have_count(0)
        assert house.state(image) is ImageState.POOL
