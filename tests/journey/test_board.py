"""The organiser's pages in a real browser, with thirty people at the party."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Locator, Page, expect
from sqlalchemy import func, insert, select, update

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from benchmarks.qa_party import PEOPLE, START, fill_party
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Role, Source, Verdict
from catalog.tables import Image, Person, Photo, Review
from qa.agreement import make_matrix, summarise_people
from qa.counts import load_people_progress
from qa.work import load_blind_pairs
from tests.browser import take_picture
from vockit.report.intervals import Interval

from . import party_page as do
from .party_page import PERSON, PartyHouse

IMAGES = 600
OBJECTS = 1800
DISCARDED = 7
CORRECTED_EVERY = 7
TO_FETCH = 45
SEEN_MINUTES_AGO = 7


def make_busy(party: Party, *, at: datetime) -> None:
    """Thirty people's images and verdicts; some corrected, some discarded, photos to fetch."""
    fill_party(party, images=IMAGES, objects=OBJECTS)
    reason = party.preset.discard_reasons[0].key
    discarded = {"state": ImageState.DISCARDED, "reason": reason}
    with party.catalogue.writing() as session:
        session.execute(update(Image).where(Image.id <= DISCARDED).values(discarded))
        is_corrected = Review.id % CORRECTED_EVERY == 0
        session.execute(update(Review).where(is_corrected).values(verdict=Verdict.FIXED))
        session.execute(update(Photo).values(fetched_at=START + timedelta(hours=1)))
        session.execute(insert(Photo), [wait_for_fetch(number) for number in range(TO_FETCH)])
        seen_at = at - timedelta(minutes=SEEN_MINUTES_AGO)
        session.execute(update(Person).values(seen_at=seen_at))
        assert session.scalar(select(func.count()).select_from(Person)) == PEOPLE


def wait_for_fetch(number: int) -> dict[str, object]:
    values = {"state": PhotoState.FOUND, "found_at": START}
    return values | {"source": Source.FLICKR, "source_id": f"waiting-{number}"}


def invite(house: PartyHouse) -> None:
    """Thirty people more than those who worked."""
    for number in range(PEOPLE):
        house.make_link(f"person {number:02}")


def fits_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def where_the_groups_stand(page: Page) -> list[list[float]]:
    """Left and top of the four groups of the menu."""
    places = "all => all.map(one => one.getBoundingClientRect()).map(({left, top}) => [left, top])"
    places_of_groups: list[list[float]] = page.locator(".top summary").evaluate_all(places)
    assert len(places_of_groups) == 4
    return places_of_groups


def expect_menu_closes(page: Page) -> None:
    """A group of the menu closes by Escape, and by a click next to it."""
    group = page.locator(".top summary", has_text="Quality")
    group.press("Enter")
    expect(page.locator(".top details[open]")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator(".top details[open]")).to_have_count(0)
    expect(group).to_be_focused()
    group.click()
    expect(page.locator(".top details[open]")).to_have_count(1)
    page.locator("h1").first.click()
    expect(page.locator(".top details[open]")).to_have_count(0)


def test_the_board_shows_the_work_of_thirty_people(house: PartyHouse) -> None:
    at = datetime.now(UTC)  # and so it stays
    make_busy(house.party, at=at)
    with (
        serving(create_app(house.party, now=lambda: at)) as base_url,
        replace(house, base_url=base_url).signed_in("olga", Role.ORGANISER, at="/board") as olga,
    ):
        people = olga.locator("table.people tbody tr")
        expect(people).to_have_count(PEOPLE + 1)
        expect_agreement(house, olga)
        expect_people(house, olga)
        expect_classes(house, olga)
        expect_spreads_and_lines(olga)
        reason = house.party.preset.discard_reasons[0].display
        discards = olga.locator("[data-card=images] .reasons li")
        expect(discards).to_have_count(1)
        expect(discards).to_contain_text(reason)
        expect(discards.locator("a")).to_have_text(str(DISCARDED))
        expect(olga.get_by_test_id("step:discarded")).to_have_text(str(DISCARDED))
        jobs = olga.locator(".card", has_text="Collecting and near-duplicates")
        expect(jobs).to_contain_text(f"{IMAGES} fetched, {TO_FETCH} to fetch")
        usable = str(IMAGES - DISCARDED)
        expect(jobs.locator("progress").first).to_have_attribute("value", usable)
        assert fits_sideways(olga)
        take_picture(olga, "board-thirty")


def expect_people(house: PartyHouse, olga: Page) -> None:
    """Of each of the thirty: images, checked, pace, agreement, corrected, last seen."""
    with house.party.catalogue.reading() as session:
        progress = load_people_progress(session)
        pairs = load_blind_pairs(session)
        least_overlap = house.party.settings.qa.match_overlap
        agreeing = summarise_people(make_matrix(pairs, least_overlap))
    shown = {row[0]: row[2:9] for row in read_rows(olga)}
    for person in [person for person in progress if person.images]:
        assert person.per_hour is not None
        counts = [str(person.images), str(person.checked), str(round(person.per_hour))]
        active, *shares = shown[person.name][3:6]
        assert shown[person.name][:3] == counts
        assert active == f"{round(person.active_secs / 60)} min"
        assert shares == [say_share(agreeing.get(person.person_id)), say_share(person.corrected)]
        assert shown[person.name][6] == f"{SEEN_MINUTES_AGO} min ago"
    assert len(agreeing) > 10


def read_rows(olga: Page) -> list[list[str]]:
    """The table of people, read at one moment."""
    cells = "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    rows: list[list[str]] = olga.locator("table.people tbody tr").evaluate_all(cells)
    return rows


def say_share(share: Interval | None) -> str:
    return f"{int(share.value * 100 + 0.5)} %" if share and share.count else "–"


def expect_classes(house: PartyHouse, olga: Page) -> None:
    """A bar and a target mark for each class; those below their target have a forecast."""
    rows = olga.locator("[data-card=classes] svg g.row")
    expect(rows).to_have_count(len(house.party.preset.class_names))
    for mark in ("rect.objects", "rect.images", "line.target"):
        assert count_wide(rows.locator(mark)) == rows.count()
    for text in rows.locator("text.value").all_text_contents():
        assert re.fullmatch(r"[\d\s]+ / [\d\s]+  (✓|< 1 h|~\d+ h)", text), text
    struck = """rows => rows.filter((row) => {
      const mark = row.querySelector("line.target").getBoundingClientRect();
      return mark.right >= row.querySelector("text.value").getBoundingClientRect().left;
    }).length"""
    assert rows.evaluate_all(struck) == 0, "no mark lies in a number"
    expect(olga.locator("[data-card=classes] svg g.met").first).to_be_attached()
    expect(rows.filter(has_text=re.compile("< 1 h|~")).first).to_be_attached()


def expect_agreement(house: PartyHouse, olga: Page) -> None:
    """One name for each person who annotated twice, and two squares for every pair."""
    with house.party.catalogue.reading() as session:
        cells = make_matrix(load_blind_pairs(session), house.party.settings.qa.match_overlap)
    matrix = olga.locator("[data-card=agreement] svg")
    expect(matrix.locator("rect.cell:has(title)")).to_have_count(2 * len(cells))
    expect(matrix.locator("text.name")).to_have_count(len(summarise_people(cells)))
    expect(matrix.locator("rect.cell title").first).to_contain_text(say_share(cells[0].both))


def expect_spreads_and_lines(olga: Page) -> None:
    """Two lines that rise over time, and a spread with its median for each class."""
    card = olga.locator("[data-card=progress]")
    zone = olga.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    expect(card).to_contain_text(f"time zone {zone}.")
    lines = card.locator("svg polyline")
    expect(lines).to_have_count(2)
    for line in lines.all():
        points = (line.get_attribute("points") or "").split()
        heights = [float(point.split(",")[1]) for point in points]
        assert len(heights) > 2
        assert heights[-1] < heights[0]
    spreads = olga.locator("[data-card=seconds] svg g.row")
    assert spreads.locator("circle.median").count() == spreads.count() > 1


def count_wide(marks: Locator) -> int:
    """How many of the marks are visible."""
    sides = "const {width, height} = one.getBoundingClientRect()"
    seen = f"all => all.filter((one) => {{ {sides}; return Math.max(width, height) > 1; }}).length"
    return int(marks.evaluate_all(seen))


def test_the_board_updates_itself_while_others_work(house: PartyHouse) -> None:
    with house.signed_in("olga", Role.ORGANISER, at="/board") as olga:
        checked = olga.get_by_test_id("step:checked")
        expect(checked).to_have_text("0")
        expect(olga.locator("[data-card=classes] svg title").first).to_be_attached()
        olga.evaluate("() => (window.isSamePage = true)")
        house.draw_and_accept(PERSON)  # elsewhere; nothing is touched here
        expect(checked).to_have_text("1")
        row = olga.locator("table.people tr", has_text="ann")
        expect(row.locator("td").nth(2)).to_have_text("1")
        drawn = olga.locator("[data-card=classes] svg g.row", has_text="person")
        expect(drawn.locator("text.value")).to_contain_text("1 / ")
        assert olga.evaluate("() => window.isSamePage")


OPENED = {
    "/": "Hello, olga",
    "/guidelines": "How to label",
    "/wall": "ann",
    "/people": "person 29",
    "/training": "Draw every object",
    "/statistics": "images (1)",
}


def test_each_organiser_page_opens_and_draws_its_figures(house: PartyHouse) -> None:
    house.draw_and_accept(PERSON)
    invite(house)
    with house.signed_in("olga", Role.ORGANISER) as olga:
        olga.wait_for_url("**/board")
        stood = where_the_groups_stand(olga)
        expect_menu_closes(olga)
        for path, words in OPENED.items():
            do.open_page(olga, path)
            expect(olga.locator("main")).to_contain_text(words)
            expect(olga.get_by_role("heading", level=1).first).to_be_visible()
            assert fits_sideways(olga)
            assert where_the_groups_stand(olga) == stood
            take_picture(olga, f"organiser{path.replace('/', '-')}")
        assert olga.url.endswith("/statistics")
        figures = olga.locator("figure img")
        expect(figures).to_have_count(8)
        for figure in figures.all():
            figure.scroll_into_view_if_needed()
            expect(figure).not_to_have_js_property("naturalWidth", 0)  # first loads matplotlib
