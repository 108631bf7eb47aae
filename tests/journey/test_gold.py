"""Gold and training images in a real browser: choosing, training, feedback, admission."""

from dataclasses import asdict

from playwright.sync_api import Locator, Page, expect
from sqlalchemy import select

from catalog.states import BlindKind, Role
from catalog.tables import Annotation, BlindTask, Image, Person
from qa.gold import GoldScore, choose_gold
from tests.browser import take_picture

from . import party_page as do
from .party_page import CAT, NOW, PERSON, Box, PartyHouse


def choose(page: Page, kind: str, note: str = "") -> None:
    """Fill in the form that makes an image gold."""
    page.get_by_test_id(f"gold-{kind}").check()
    page.get_by_test_id("gold-note").fill(note)
    page.get_by_test_id("gold-save").click()


def finish_with(page: Page, box: Box) -> None:
    """Draw one person and finish."""
    do.wait_for_work(page)
    do.drag_box(page, box)
    page.keyboard.press("f")
    do.wait_for_saved(page)
    do.finish(page)


def test_gold_can_be_chosen_on_the_checking_and_findings_pages(house: PartyHouse) -> None:
    first = house.add_image()
    house.draw_by_client(PERSON, (33, 21, 402, 500))
    with house.at_work("olga", Role.ORGANISER, at=f"/check?image={first.id}") as olga:
        olga.get_by_test_id("make-gold").click()
        expect(olga.get_by_test_id("gold-dialog")).to_be_visible()
        do.take_both(olga, "check-gold")
        choose(olga, "gold")
        expect(olga.get_by_test_id("notice")).to_contain_text("gold image")
        do.open_page(olga, "/findings")
        expect(olga.get_by_test_id("tile").first).to_be_visible()
        olga.keyboard.press("g")
        row = olga.get_by_test_id(f"gold:{first.id}")
        expect(row.get_by_test_id("kind")).to_have_text("Gold")
        choose(olga, "training", "Two of them.")
        expect(row.get_by_test_id("kind")).to_have_text("Training")
        expect(row).to_contain_text("Two of them.")
        olga.get_by_test_id(f"menu:Image {first.id}").click()
        olga.get_by_test_id(f"end:{first.id}").click()
        expect(olga.get_by_test_id("sure-dialog")).to_contain_text("The answers so far are kept.")
        olga.get_by_test_id("sure-yes").click()
        expect(olga.get_by_test_id("empty")).to_contain_text("No gold image yet")
        do.take_sizes(olga, "gold-empty")
        second = house.add_image("chelsea")
        house.draw_by_client((20, 20, 300, 280))
        do.open_page(olga, "/wall")
        olga.get_by_test_id("gold").click()
        expect(olga.get_by_test_id("wished")).to_contain_text(f"Image {second.id}")


def test_new_people_get_training_images_or_are_admitted(house: PartyHouse) -> None:
    images = [house.add_image(name) for name in ("astronaut", "cameraman")]
    for number in range(len(images)):
        house.draw_by_client((PERSON[0] + number, *PERSON[1:]))
    pool = house.add_image("chelsea")
    with house.signed_in("olga", Role.ORGANISER) as olga:
        for image in images:
            do.open_page(olga, f"/gold?image={image.id}")
            choose(olga, "training", "The whole person, please.")
            expect(olga.get_by_test_id(f"gold:{image.id}")).to_be_visible()
        olga.get_by_test_id("training-images").fill("2")
        olga.get_by_test_id("save-shares").click()
        expect(olga.get_by_test_id("too-few")).to_contain_text("no other to try")
        with house.signed_in("ben") as ben:
            assert ben.url.endswith("/training")
            learn_and_try(ben, images)
            do.open_page(olga, "/gold")
            trainee = olga.get_by_test_id("trainee:ben")
            expect(trainee).to_contain_text("1 of 2 passed, 1 failed")
            expect(trainee).to_contain_text("no training image left to try")
            compare_answers(olga, images)
            do.take_sizes(olga, "gold")
            do.take_both(olga, "gold")
            trainee.get_by_test_id("let-begin").click()
            expect(olga.get_by_test_id("said")).to_contain_text("ben can begin")
            ben.reload()
            do.wait_for_work(ben)
            assert ben.locator("body").get_attribute("data-image") == str(pool.id)


def test_a_comparison_that_fails_is_not_pressed_and_one_with_an_earlier_reference_says_so(
    house: PartyHouse,
) -> None:
    image = house.add_image()
    house.draw_return_and_correct()
    answer_by_ben(house, image)
    with house.signed_in("olga", Role.ORGANISER, allowing=("ERR_FAILED",)) as olga:
        is_down = True
        compare = "**/compare/*"
        olga.route(compare, lambda route: route.abort() if is_down else route.continue_())
        do.open_page(olga, "/gold")
        answer = olga.get_by_test_id("answer:ben")
        answer.click()
        expect(olga.get_by_test_id("said")).to_contain_text("The server does not answer.")
        expect(answer).to_have_attribute("aria-pressed", "false")
        is_down = False
        answer.click()
        expect(answer).to_have_attribute("aria-pressed", "true")
        expect(olga.get_by_test_id("said")).to_have_text("")
        before = olga.get_by_test_id("drawn:before")
        expect(before).to_contain_text("the earlier reference of this answer")
        expect(before.locator(".over")).to_have_count(1)
        answer.click()
        expect(before).to_contain_text("reference, chosen by olga")
        expect(before.locator(".over")).to_have_count(2)


def answer_by_ben(house: PartyHouse, image: Image) -> None:
    """Make the image gold as it is now; ben has answered it when its first revision was gold."""
    house.make_link("olga", Role.ORGANISER)
    house.make_link("ben")
    first, *_ = house.revisions(image)
    with house.party.catalogue.writing() as session:
        ids = {person.name: person.id for person in session.scalars(select(Person))}
        choose_gold(session, image.id, person_id=ids["olga"], at=NOW)
        drawn = Annotation(
            image_id=image.id,
            person_id=ids["ben"],
            save_key="answer by ben",
            saved_at=NOW,
            is_finished=True,
            beside="blind",
        )
        session.add(drawn)
        session.flush()
        score = GoldScore(
            found=0, objects=1, drawn=0, classes=0, views=0, flags=0, mean_overlap=None
        )
        answer = BlindTask(
            image_id=image.id,
            person_id=ids["ben"],
            kind=BlindKind.GOLD,
            reference_id=first.id,
            annotation_id=drawn.id,
            taken_at=NOW,
            finished_at=NOW,
            score=asdict(score),
            is_passed=False,
        )
        session.add(answer)


def compare_answers(olga: Page, images: list[Image]) -> None:
    """Look at what ben drew on each image beside the reference, and put one away again."""
    olga.set_viewport_size({"width": 1366, "height": 650})
    answers = olga.get_by_test_id("answer:ben")
    expect(answers).to_have_count(len(images))
    for image in images:
        row = olga.get_by_test_id(f"gold:{image.id}")
        row.get_by_test_id("answer:ben").click()
        expect(row.get_by_test_id("drawn:after")).to_contain_text("drawn by ben")
        expect(row.get_by_test_id("drawn:before")).to_contain_text("reference, chosen by olga")
        for side in ("before", "after"):
            expect(row.get_by_test_id(f"drawn:{side}").locator(".over")).to_have_count(1)
        before, after = (row.get_by_test_id(f"drawn:{side}") for side in ("before", "after"))
        take_picture(olga, f"gold-compared-{image.id}")
        assert widths_of(before, after)[0] > 230
    answers.last.click()
    expect(olga.get_by_test_id("drawn:after")).to_have_count(1)
    expect(answers.last).to_have_attribute("aria-pressed", "false")


def widths_of(*figures: Locator) -> list[float]:
    """How wide the pictures are, which must be equal."""
    boxes = [figure.bounding_box() for figure in figures]
    widths = [box["width"] for box in boxes if box is not None]
    assert len(widths) == len(figures)
    assert max(widths) - min(widths) < 1, widths
    return widths


def learn_and_try(ben: Page, images: list[Image]) -> None:
    """Go through the guidelines to the training images; pass one and fail one."""
    expect(ben.locator("#training[data-ready=true]")).to_be_visible()
    step = ben.get_by_test_id("next")
    while step.count():
        step.click()
    take_picture(ben, "training-last")
    ben.get_by_test_id("begin").click()
    ben.get_by_test_id("practice-skip").click()
    ben.wait_for_url("**/annotate")
    for box, title in ((PERSON, "Passed"), (CAT, "Not passed")):
        do.wait_for_work(ben)
        image_id = ben.locator("body").get_attribute("data-image")
        assert image_id in [str(image.id) for image in images]
        finish_with(ben, box)
        dialog = ben.get_by_test_id("feedback-dialog")
        expect(dialog.get_by_role("heading")).to_have_text(title)
        expect(ben.get_by_test_id("feedback-progress")).to_contain_text("1 of 2")
        expect(ben.get_by_test_id("feedback-note")).to_contain_text("The whole person")
        do.take_both(ben, f"feedback-{title.split()[0].lower()}")
        ben.get_by_test_id("feedback-next").click()
        expect(dialog).to_have_count(0)
        if title == "Passed":
            do.wait_for_other(ben, image_id)
    do.expect_body(ben, "[data-screen=untrained]")
    do.take_both(ben, "untrained")
