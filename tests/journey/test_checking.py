"""Checking in a real browser: returned with a comment, corrected, discarded, hostile text."""

import re
import threading
import time

from playwright.sync_api import Page, expect
from sqlalchemy import select

from catalog.states import FindingVerdict, ImageState, Role, Verdict
from catalog.tables import Annotation, Finding, Origin
from tests.browser import PATIENCE_MS, take_picture

from . import party_page as do
from .party_page import CAT, HOSTILE, PERSON, PartyHouse

CORRECTED = (PERSON[0] + 1, PERSON[1], PERSON[2] + 1, PERSON[3])


def draw(page: Page, *boxes: tuple[int, int, int, int]) -> None:
    do.wait_for_work(page)
    for box in boxes:
        do.drag_box(page, box)
        page.keyboard.press("f")
    do.wait_for_saved(page)


def count_inputs(page: Page) -> None:
    """Start to count key presses and clicks; a held key counts once."""
    page.evaluate(
        """() => {
            window.inputs = 0;
            addEventListener("keydown", (event) => (window.inputs += event.repeat ? 0 : 1), true);
            addEventListener("pointerdown", () => (window.inputs += 1), true);
            addEventListener("wheel", () => (window.inputs += 1), true);
        }"""
    )


def take_inputs(page: Page) -> int:
    """The number of inputs since the last call."""
    taken: int = page.evaluate("() => [window.inputs, (window.inputs = 0)][0]")
    return taken


def conclude(page: Page, verdict: str) -> None:
    do.tap(page, "d")
    expect(page.get_by_test_id("outcome")).to_have_attribute("data-verdict", verdict)
    take_picture(page, f"verdict-{verdict}")
    page.get_by_test_id("verdict-send").click()


def test_returned_work_comes_first_and_is_accepted_once_fixed(house: PartyHouse) -> None:
    image = house.add_image(title=HOSTILE)
    moved = (CAT[0] + 1, CAT[1], CAT[2] + 1, CAT[3])
    with house.signed_in("ann") as ann:
        draw(ann, PERSON, CAT)
        do.finish_last(ann)
        do.open_page(ann, "/guidelines")  # the empty page asks again by itself, for new images too
        for name in ("cameraman", "chelsea"):
            house.add_image(name)
        with house.at_work("chris", Role.CHECKER, at="/check") as chris:
            do.tap(chris, "Space")
            chris.keyboard.press("x")
            chris.keyboard.type(HOSTILE)
            take_picture(chris, "checker-comment")
            chris.keyboard.press("Enter")
            conclude(chris, "returned")
            do.wait_for_screen(chris, "empty")
        assert house.state(image) == ImageState.RETURNED
        do.open_work(ann, "/annotate")
        assert ann.locator("body").get_attribute("data-image") == str(image.id)
        rows = do.expect_boxes(ann, PERSON, CAT)
        expect(rows.nth(1)).to_have_attribute("data-verdict", "reject")
        expect(ann.locator("#review-note")).to_contain_text(HOSTILE)
        expect(ann.get_by_test_id("status-credit")).to_contain_text(HOSTILE)
        expect(ann.locator("#status b, #status script")).to_have_count(0)
        assert ann.title() != "owned"
        take_picture(ann, "returned")
        ann.keyboard.press(",")  # the last object
        ann.keyboard.press("ArrowRight")
        do.expect_boxes(ann, PERSON, moved)
        do.finish(ann)
        do.wait_for_other(ann, image.id)
        do.wait_for_work(ann)
        do.wait_for_saved(ann)
    with house.at_work("chris", Role.CHECKER, at="/check") as chris:
        conclude(chris, "accept")
        do.wait_for_screen(chris, "empty")
    assert house.state(image) == ImageState.CHECKED
    assert do.boxes_of(house.head(image)) == [PERSON, moved]
    returned, accepted = house.reviews()
    assert (returned.verdict, accepted.verdict) == (Verdict.RETURNED, Verdict.ACCEPT)
    assert [item["comment"] for item in returned.object_verdicts] == ["", HOSTILE]


def say_imported(house: PartyHouse, head: Annotation) -> None:
    """Write down the objects of a revision as if they had come with labels of another tool."""
    said = {"place": "labels.json, annotation 7", "attributes": {"hue": HOSTILE}}
    objects = {item.object_key: said for item in head.objects}
    with house.party.catalogue.writing() as session:
        place = "labels.json, image 1"
        origin = Origin(annotation_id=head.id, image_id=head.image_id, form="COCO", place=place)
        origin.objects = objects
        session.add(origin)


def test_a_checkers_fix_keeps_the_revision_of_the_author(house: PartyHouse) -> None:
    image = house.add_image()
    with house.signed_in("ann") as ann:
        draw(ann, PERSON)
        do.finish_last(ann)
    say_imported(house, house.head(image))
    with house.at_work("chris", Role.CHECKER, at="/check") as chris:
        expect(chris.get_by_test_id("origin").locator("dt")).to_have_text("hue")
        expect(chris.get_by_test_id("origin").locator("dd")).to_have_text(HOSTILE)
        expect(chris.get_by_test_id("origin")).to_contain_text(
            "From COCO: labels.json, annotation 7"
        )
        take_picture(chris, "imported-object")
        whole = do.find_view(chris)
        do.press(chris, "+", "+", "Escape", "ArrowRight", ".")
        seen = do.find_view(chris)
        assert seen.scale > whole.scale
        do.tap(chris, "Space")
        do.press(chris, ".", "ArrowRight")
        do.expect_boxes(chris, CORRECTED)
        do.tap(chris, "d")
        expect(chris.get_by_test_id("verdict-dialog")).to_be_visible()
        chris.keyboard.press("n")  # something is missing: the words for it are asked for
        expect(chris.get_by_test_id("outcome")).to_have_attribute("data-verdict", "returned")
        expect(chris.get_by_test_id("image-comment")).to_be_focused()
        chris.keyboard.press("Escape")
        assert do.find_view(chris) == seen  # from looking to mending to the verdict and back
        conclude(chris, "fixed")
        do.wait_for_screen(chris, "empty")
    head = house.head(image)
    assert (do.boxes_of(head), head.person.name) == ([CORRECTED], "chris")
    drawn = next(row for row in house.revisions(image) if row.id == head.parent_id)
    assert (do.boxes_of(drawn), drawn.is_finished) == ([PERSON], True)
    assert house.state(image) == ImageState.CHECKED


def test_a_note_on_an_object_reaches_its_author_without_a_return(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON, CAT)
    house.add_image("chelsea")
    with house.at_work("chris", Role.CHECKER) as chris:
        do.tap(chris, "Space")
        chris.keyboard.press("Shift+X")
        expect(chris.get_by_test_id("comment")).to_be_focused()
        chris.keyboard.type(HOSTILE)
        panel = chris.locator("#review")
        assert panel.evaluate("it => it.scrollWidth <= it.clientWidth")
        do.take_both(chris, "checker-remark")
        chris.keyboard.press("Enter")
        row = chris.get_by_test_id("object").nth(1)
        expect(row).to_have_attribute("data-verdict", "accept")
        expect(row).to_contain_text(HOSTILE)
        chris.keyboard.press(",")  # the last object again: accepting keeps the remark
        expect(chris.get_by_test_id("verdict.remark")).to_have_attribute("aria-pressed", "true")
        do.tap(chris, "Space")
        do.tap(chris, "d")
        expect(chris.get_by_test_id("remarked")).to_contain_text("1 note")
        chris.keyboard.press("Escape")
        conclude(chris, "accept")
        do.wait_for_screen(chris, "empty")
    assert house.state(image) == ImageState.CHECKED
    (review,) = house.reviews()
    assert [item["comment"] for item in review.object_verdicts] == ["", HOSTILE]
    with house.at_work("ann") as ann:
        remark = ann.get_by_test_id("remarks").locator(".remark")
        expect(remark).to_contain_text(HOSTILE)
        expect(remark).to_contain_text("chris")
        assert ann.title() != "owned"


def test_the_sentence_of_the_finding_at_hand_is_seen_whole(house: PartyHouse) -> None:
    house.add_image()
    right = CAT[2] + 2
    bottom = CAT[3] + 2
    house.draw_by_client(CAT, (*CAT[:2], right, bottom))
    with house.at_work("chris", Role.CHECKER) as chris:
        chris.keyboard.press(".")
        sentence = chris.locator(".found-line.current p")
        expect(sentence).to_contain_text("the same class")
        sentence.evaluate("it => it.append(' It is the same sentence in a longer language.')")
        assert sentence.evaluate("it => it.scrollHeight <= it.clientHeight")


def test_an_image_without_findings_takes_at_most_two_inputs(house: PartyHouse) -> None:
    images = [house.add_image(name) for name in ("astronaut", "chelsea", "cameraman")]
    for number in range(len(images)):
        house.draw_by_client((31 + number, 21, 202, 250), (210, 30 + number, 333, 231))
    inputs = []
    with house.at_work("chris", Role.CHECKER) as chris:
        count_inputs(chris)
        for keys in (("Enter",), ("d",), ()):
            image_id = chris.locator("body").get_attribute("data-image")
            if keys:
                do.tap(chris, "d")
                expect(chris.get_by_test_id("verdict-dialog")).to_be_visible()
                for key in keys:
                    chris.keyboard.press(key)
            else:
                chris.keyboard.down("d")
                expect(chris.locator("dialog[data-held=true]")).to_be_visible()
                chris.keyboard.up("d")
            do.wait_for_other(chris, image_id)
            inputs.append(take_inputs(chris))
        do.wait_for_screen(chris, "empty")
    assert inputs == [2, 2, 1]
    assert [house.state(image) for image in images] == [ImageState.CHECKED] * 3
    for review in house.reviews():
        assert (review.verdict, review.is_complete) == (Verdict.ACCEPT, None)
        assert [item["verdict"] for item in review.object_verdicts] == ["accept", "accept"]
        assert [item["judged"] for item in review.object_verdicts] == [False, False]


def test_a_fix_takes_three_inputs(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(CAT)
    right = CAT[2] + 20
    bottom = CAT[3] + 10
    with house.at_work("chris", Role.CHECKER) as chris:
        count_inputs(chris)
        chris.keyboard.press(".")
        expect(chris.locator("body")).to_have_attribute("data-selected", "k0")
        do.drag(
            chris,
            do.place_on_screen(chris, (CAT[2], CAT[3])),
            do.place_on_screen(chris, (right, bottom)),
        )
        do.expect_boxes(chris, (*CAT[:2], right, bottom))
        chris.keyboard.down("d")
        expect(chris.locator("dialog[data-held=true]")).to_be_visible()
        chris.keyboard.up("d")
        do.wait_for_screen(chris, "empty")
        assert take_inputs(chris) == 3
    assert [review.verdict for review in house.reviews()] == [Verdict.FIXED]
    assert do.boxes_of(house.head(image)) == [(*CAT[:2], right, bottom)]


def test_a_second_round_begins_at_what_changed_and_takes_two_inputs(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON, CAT)
    with house.client("chris", Role.CHECKER) as checker:
        held = checker.take("check")
        assert held is not None
        verdict = {"key": "k1", "verdict": "reject", "comment": "The tail is missing."}
        checker.review(held, "returned", objects=[verdict], complete=True)
    with house.client("ann") as author:
        task = author.take("annotate")
        assert task is not None
        sent = ("key", "class", "box", "view", "truncated", "occluded")
        boxed, cat = ({name: item[name] for name in sent} for item in task["annotation"]["objects"])
        author.save(task, [boxed, cat | {"box": [210, 300, 360, 431]}], active_secs=30.0)
    with house.at_work("chris", Role.CHECKER) as chris:
        count_inputs(chris)
        expect(chris.locator("body")).to_have_attribute("data-selected", "k1")
        expect(chris.get_by_test_id("said-before")).to_contain_text("The tail is missing.")
        do.tap(chris, "d")
        expect(chris.get_by_test_id("verdict-dialog")).to_be_visible()
        chris.keyboard.press("Enter")
        do.wait_for_screen(chris, "empty")
        assert take_inputs(chris) == 2
    assert house.state(image) is ImageState.CHECKED


HEIGHTS_OF_CLASSES = """() => {
  const list = document.querySelector("#palette");
  return [list.querySelectorAll("button").length, list.scrollHeight - list.clientHeight];
}"""


def test_findings_are_shown_at_their_objects_and_judged_by_a_key(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON, CAT, (*PERSON[:3], 498))
    with house.at_work("chris", Role.CHECKER) as chris:
        row = chris.get_by_test_id("object").nth(2)
        expect(row).to_have_attribute("data-found", "warning")
        expect(row).to_contain_text("overlaps object 1")
        chris.keyboard.press("n")  # none waits on the first object: on to the one that has it
        expect(chris.locator("body")).to_have_attribute("data-selected", "k2")
        lines = chris.get_by_test_id("found")
        expect(lines).to_have_count(1)
        assert chris.evaluate(HEIGHTS_OF_CLASSES) == [20, 0], "all are in sight"
        do.take_both(chris, "check-findings")
        seen = do.find_view(chris)
        chris.keyboard.press("n")
        expect(lines).to_have_attribute("data-verdict", "wrong")
        expect(row).not_to_have_attribute("data-found", "warning")
        wait_for_verdict(house, FindingVerdict.WRONG)
        lines.get_by_test_id("found-wrong").click()  # taken back
        wait_for_verdict(house, None)
        chris.keyboard.press("Shift+N")
        wait_for_verdict(house, FindingVerdict.RIGHT)
        assert do.find_view(chris) == seen
        chris.keyboard.press("Delete")
        expect(lines).to_have_count(0)
        conclude(chris, "fixed")
        do.wait_for_screen(chris, "empty")
    wait_for_verdict(house, FindingVerdict.FIXED)  # by itself, since the correction removed it
    assert house.state(image) == ImageState.CHECKED


def test_a_hint_after_a_save_names_its_object_and_does_not_block(house: PartyHouse) -> None:
    image = house.add_image()
    twice = (PERSON[0] + 2, PERSON[1], PERSON[2] + 3, PERSON[3])
    with house.signed_in("ann") as ann:
        draw(ann, PERSON, CAT)
        hints = ann.get_by_test_id("hints")
        expect(hints).to_be_empty()
        do.drag_box(ann, twice)
        ann.keyboard.press("f")
        do.wait_for_saved(ann)
        expect(hints).to_have_text("1 hint")
        expect(hints).to_have_attribute("data-severity", "warning")
        expect(hints).to_have_attribute("title", re.compile("overlaps object 1"))
        row = ann.get_by_test_id("object").nth(2)
        expect(row).to_have_attribute("data-found", "warning")
        expect(row).to_contain_text("overlaps object 1")
        expect(ann.get_by_test_id("object").nth(0)).not_to_have_attribute("data-found", "warning")
        expect(ann.get_by_test_id("notice")).to_contain_text("Warning, object 3 (person): ")
        do.take_both(ann, "annotate-hint")
        ann.keyboard.press("Delete")  # gone with its object, before the next save
        expect(hints).to_be_empty()
        ann.keyboard.press("Control+z")
        do.wait_for_saved(ann)
        expect(hints).to_have_text("1 hint")
        do.finish_last(ann)
    assert house.state(image) == ImageState.ANNOTATED
    assert do.boxes_of(house.head(image)) == [PERSON, CAT, twice]


def wait_for_verdict(house: PartyHouse, verdict: FindingVerdict | None) -> None:
    """Wait until the only finding has this verdict; the page shows it without waiting."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while True:
        with house.party.catalogue.reading() as session:
            finding = session.scalars(select(Finding)).one()
        if finding.verdict is verdict:
            return
        assert time.monotonic() < deadline, finding.verdict
        threading.Event().wait(0.05)


def test_a_disagreement_after_two_rounds_is_settled_by_an_organiser(house: PartyHouse) -> None:
    image = house.add_image()
    house.draw_by_client(PERSON, CAT)
    with house.signed_in("ann") as ann, house.client("chris", Role.CHECKER) as chris:
        for words in ("It is a statue.", "Still a statue."):
            held = chris.take("check")
            assert held is not None
            verdict = {"key": "k1", "verdict": "reject", "comment": words}
            chris.review(held, "returned", objects=[verdict], complete=True)
            do.open_work(ann, "/annotate")
            rejected = ann.get_by_test_id("object").nth(1)
            expect(rejected).to_have_attribute("data-verdict", "reject")
            expect(rejected).to_contain_text(words)  # pinned to the object
            do.finish(ann)
            do.wait_for_other(ann, str(image.id))
        assert chris.take("check") is None
        do.open_page(ann, "/feedback")
        unchanged = "You finished it again without a change."
        expect(ann.get_by_test_id("outcomes").locator("article").first).to_contain_text(unchanged)
    with house.signed_in("olga", Role.ORGANISER, at="/disputes") as olga:
        dispute = olga.get_by_test_id(f"dispute:{image.id}")
        for words in ("It is a statue.", "Still a statue.", "drawn by ann", "waits for you"):
            expect(dispute).to_contain_text(words)
        expect(dispute).to_contain_text("finished it again without a change")
        do.take_sizes(olga, "disputes")
        do.take_both(olga, "disputes")
        dispute.get_by_test_id("settle").click()
        do.wait_for_work(olga)
        assert f"/check?image={image.id}" in olga.url
        assert olga.locator("body").get_attribute("data-image") == str(image.id)
        expect(olga.get_by_test_id("said-before")).to_contain_text("Still a statue.")
        do.take_both(olga, "check-disputed")
        conclude(olga, "accept")
        expect(olga.get_by_test_id("empty")).to_contain_text("No disputes")
    assert house.state(image) == ImageState.CHECKED


def test_a_discarded_image_can_be_reopened_with_its_boxes(house: PartyHouse) -> None:
    image = house.add_image()
    with house.at_work("ann") as page:
        page.keyboard.press("x")
        expect(page.get_by_test_id("discard-dialog")).to_be_visible()
        take_picture(page, "discard")
        page.keyboard.press("1")
        do.wait_for_screen(page, "empty")
        page.keyboard.press("a")
        do.wait_for_work(page)
        reason = house.party.preset.discard_reasons[0]
        expect(page.get_by_test_id("notice")).to_contain_text(f"Discarded: {reason.display}.")
        do.take_both(page, "discarded-before")
        do.drag_box(page, PERSON)
        do.press(page, "x", "1")
        expect(page.get_by_test_id("discard-confirm")).to_contain_text("1 box")
        do.take_both(page, "discard-confirm")
        page.keyboard.press("Escape")
        do.wait_for_work(page)
        do.drag_box(page, CAT)
        do.press(page, "x", "1", "Enter")
        do.wait_for_screen(page, "empty")
        page.keyboard.press("a")
        do.wait_for_work(page)
        do.expect_boxes(page, PERSON, CAT)
        head = house.head(image)
        assert (head.discard_reason, do.boxes_of(head)) == (reason.key, [PERSON, CAT])
        do.finish_last(page)
        do.wait_for_saved(page)
    assert house.state(image) == ImageState.ANNOTATED
