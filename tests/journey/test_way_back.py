"""From the board to its images, a discard before a checker, and room on the checking page."""

import pytest
from playwright.sync_api import expect

from catalog.states import ImageState, Role, Verdict
from catalog.tables import LiveSetting, Person
from tests.browser import take_picture

from . import party_page as do
from .party_page import CAT, NOW, PERSON, PartyHouse

ROWS_IN_SIGHT = 6
IN_SIGHT = """() => {
  const status = document.querySelector("#status").getBoundingClientRect().top;
  const within = (one) => {
    const { top, bottom, height } = one.getBoundingClientRect();
    const frame = one.closest(".objects")?.getBoundingClientRect() ?? { top: 0, bottom: status };
    return height > 0 && top >= frame.top - 1 && bottom <= Math.min(frame.bottom, status) + 1;
  };
  const count = (what) => [...document.querySelectorAll(what)].filter(within).length;
  const scrolls = [...document.querySelectorAll("#panel, #panel > *")].filter(
    (one) => one.scrollHeight > one.clientHeight + 1
      && getComputedStyle(one).overflowY !== "visible");
  return { objects: count(".object"), verdicts: count(".verdicts .button"),
    end: count("#ending .button"), scrolls: scrolls.map(({ className }) => className) };
}"""


def test_numbers_on_the_board_link_to_images_and_histories(house: PartyHouse) -> None:
    house.draw_and_accept(PERSON)
    house.add_image("chelsea")
    house.draw_by_client((31, 21, 402, 280), (31, 21, 402, 281))
    with house.signed_in("olga", Role.ORGANISER) as olga:
        for link, count in (
            ("[data-card=classes] .row:has-text('person') a:has(.value)", "2 images"),
            ("[data-card=classes] .row:has-text('cat') a:has(.name)", "0 images"),
            ("[data-testid='checked:chris']", "1 image"),
            ("[data-testid='open:warning']", "1 image"),
            ("[data-testid='step:checked']", "1 image"),
        ):
            do.open_page(olga, "/board")
            expect(olga.locator("#board[data-ready=true]")).to_be_visible()
            take_picture(olga, "board-links")
            olga.locator(link).last.click()
            expect(olga.get_by_test_id("count")).to_contain_text(count)
        take_picture(olga, "images-history-link")
        olga.locator("[data-testid^='open:']").focus()
        olga.keyboard.press("Space")
        olga.locator("[data-testid^='history:']").click()
        expect(olga.get_by_test_id("revisions")).to_contain_text("accepted by chris")


def test_a_checker_confirms_a_discard_or_reopens_the_image(house: PartyHouse) -> None:
    bad = house.add_image()
    good = house.add_image("chelsea")
    reason = house.party.preset.discard_reasons[0].display
    with house.signed_in("ann") as ann:
        for _ in range(2):
            do.wait_for_work(ann)
            do.press(ann, "x", "1")
        do.wait_for_screen(ann, "empty")
    share_all_discards(house)
    with house.signed_in("chris", Role.CHECKER, at=do.BLANK) as chris:
        for _ in range(2):
            do.open_work(chris, "/check")
            expect(chris.get_by_test_id("notice")).to_contain_text(reason)
            take_picture(chris, "check-discard")
            if chris.locator("body").get_attribute("data-image") == str(good.id):
                do.drag_box(chris, (31, 21, 302, 250))
            do.send_verdict(chris)
            expect(chris.get_by_test_id("verdict-dialog")).to_have_count(0)
            expect(chris.locator("html[data-asking]")).to_have_count(0)
        do.wait_for_screen(chris, "empty")
    assert (house.state(bad), house.state(good)) == (ImageState.DISCARDED, ImageState.CHECKED)
    verdicts = {row.annotation_id: row.verdict for row in house.reviews()}
    first = {image.id: house.revisions(image)[0].id for image in (bad, good)}
    assert verdicts == {first[bad.id]: Verdict.ACCEPT, first[good.id]: Verdict.FIXED}


def share_all_discards(house: PartyHouse) -> None:
    with house.party.catalogue.writing() as session:
        person = session.query(Person).order_by(Person.id).first()
        assert person is not None
        value = {"discard_share": 1.0, "double_share": 0.0, "gold_share": 0.0}
        session.add(LiveSetting(name="qa", number=1, value=value, person_id=person.id, set_at=NOW))


@pytest.mark.parametrize(("width", "height"), [(1366, 650), (1280, 720)])
def test_the_panel_never_covers_the_status_bar(house: PartyHouse, width: int, height: int) -> None:
    """With actions, a comment, findings and earlier rounds, everything is still visible."""
    house.add_image()
    twice = (PERSON[0] + 2, PERSON[1], PERSON[2] + 3, PERSON[3])
    boxes = [(20 + 40 * at, 30, 50 + 40 * at, 90) for at in range(6)]
    house.draw_by_client(PERSON, CAT, twice, *boxes)
    with house.client("chris", Role.CHECKER) as chris, house.client("ann") as ann:
        held = chris.take("check")
        assert held is not None
        rejected = {"key": "k1", "verdict": "reject", "comment": "It is a statue."}
        chris.review(held, "returned", objects=[rejected], complete=True)
        again = ann.take("annotate")
        assert again is not None
        for item in (objects := again["annotation"]["objects"]):
            del item["difficult"]
        objects[1] |= {"class": "cat", "box": [CAT[0] + 4, *CAT[1:]]}
        ann.save(again, objects, active_secs=30.0)
    with house.signed_in("chris", Role.CHECKER) as page:
        page.set_viewport_size({"width": width, "height": height})
        do.wait_for_work(page)
        expect(page.get_by_test_id("object")).to_have_count(9)
        expect(page.get_by_test_id("change:changed")).to_have_text("person changed to cat: moved")
        changed = page.locator("[data-testid=object][aria-selected=true]")
        expect(changed).to_have_attribute("data-class", "cat")
        page.keyboard.press("Shift+X")
        expect(page.get_by_test_id("comment")).to_be_focused()
        take_picture(page, f"check-full-{width}")
        seen = page.evaluate(IN_SIGHT)
        assert seen["objects"] >= ROWS_IN_SIGHT, seen
        assert (seen["verdicts"], seen["end"]) == (3, 1)
        assert set(seen["scrolls"]) <= {"of-object"}
