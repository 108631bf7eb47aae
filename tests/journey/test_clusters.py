"""An organiser reviews near-duplicates in a real browser, by keyboard alone."""

import re
from collections.abc import Iterator

import pytest
from PIL import Image as Picture
from playwright.sync_api import Page, expect
from sqlalchemy import select

from catalog.states import ImageState, PhotoState, Role, Source
from catalog.tables import Duplicate, Image, PairLabel, Person, Photo
from dedup.jobs import remove_duplicates
from dedup.labels import Verdict, label_pair
from tests.browser import take_picture, wait_until
from tests.dedup.images import NOON, add_file, clock
from tests.dedup.photographs import crop_sides, jpeg

from . import party_page as do
from .party_page import PartyHouse

Pairs = tuple[tuple[int, int], tuple[int, int]]
SHOWS = "wanted => document.querySelector('canvas')?.dataset.ready === wanted"


@pytest.fixture
def pairs(house: PartyHouse) -> Pairs:
    """(kept, removed): a photograph and a crop of it, and two that a rule mixed up."""
    astronaut = Picture.open(house.photographs / "astronaut.jpg")
    kept = add_file(house.party, jpeg(astronaut), size_wh=(512, 512))
    crop = add_file(house.party, jpeg(crop_sides(astronaut, 0.1)), size_wh=(460, 460))
    cat = add_file(house.party, jpeg(Picture.open(house.photographs / "chelsea.jpg")))
    remove_duplicates(house.party, clock=clock)
    other = add_file(house.party, jpeg(Picture.open(house.photographs / "cameraman.jpg")))
    remove_duplicates(house.party, clock=clock)
    mix_up(house, cat, other)
    origin = {"source": Source.FLICKR, "source_id": "7", "found_at": NOON, "image_id": cat}
    looks = {"owner_name": "ann", "page_url": "https://www.flickr.com/photos/1@N99/7"}
    taken = {"taken_at_text": "2012-06-01 12:00:00", "state": PhotoState.FETCHED}
    with house.party.catalogue.writing() as session:
        session.add(Photo(**origin, **looks, **taken))
    return (kept, crop), (cat, other)


def mix_up(house: PartyHouse, kept: int, other: int) -> None:
    """Make one image a duplicate of an unrelated one, as a wrong rule would."""
    with house.party.catalogue.writing() as session:
        session.get_one(Image, other).state = ImageState.DUPLICATE
        decided = {"decided_how": "a wrong rule", "decided_at": NOON}
        pair = {"image_id": other, "kept_image_id": kept, "relation": "duplicate"}
        session.add(Duplicate(similarity=0.71, doubt=0.98, **pair, **decided))


@pytest.fixture
def olga(house: PartyHouse) -> Iterator[Page]:
    with house.signed_in("olga", Role.ORGANISER) as page:
        yield page


def state(house: PartyHouse, image_id: int) -> ImageState:
    with house.party.catalogue.reading() as session:
        return session.get_one(Image, image_id).state


def labels(house: PartyHouse) -> list[tuple[int, int, str, str | None]]:
    """The valid labels: both ids, the person's verdict, and that of the rules."""
    with house.party.catalogue.reading() as session:
        rows = session.scalars(
            select(PairLabel).where(PairLabel.undone_at.is_(None)).order_by(PairLabel.id)
        )
        return [
            (row.first_image_id, row.second_image_id, row.verdict, row.relation) for row in rows
        ]


def expect_pair(page: Page, pair: tuple[int, int], screen: str = "work") -> None:
    do.expect_body(page, f"[data-screen={screen}][data-pair='{pair[0]}-{pair[1]}']")


def open_clusters(page: Page) -> None:
    """Open the page by its link next to the board."""
    do.open_page(page, "/board")
    page.locator("summary", has_text="Quality").press("Enter")
    page.get_by_role("link", name="Near-duplicates").press("Enter")


def test_a_wrong_pair_is_split_and_a_right_one_confirmed_by_keyboard(
    house: PartyHouse, olga: Page, pairs: Pairs
) -> None:
    right, wrong = pairs
    open_clusters(olga)
    expect_pair(olga, wrong)  # the most doubtful first
    expect(olga.get_by_test_id("waiting")).to_contain_text("2 pairs")
    credits = olga.get_by_test_id(f"credits-{wrong[0]}")
    expect(credits).to_contain_text("ann")
    expect(credits).to_contain_text("taken 2012-06-01 12:00:00")
    link = credits.get_by_role("link", name="source: flickr")
    expect(link).to_have_attribute("href", "https://www.flickr.com/photos/1@N99/7")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    take_picture(olga, "clusters-split")
    olga.keyboard.press("?")
    expect(olga.get_by_test_id("help-dialog")).to_contain_text("Confirm the automatic decision")
    olga.keyboard.press("s")  # means nothing while the keys are shown
    olga.keyboard.press("Escape")
    expect(olga.get_by_test_id("help-dialog")).to_be_hidden()
    expect_pair(olga, wrong)
    olga.keyboard.press("s")
    expect_pair(olga, right)
    # The page says why: each side of the crop lacks a tenth, and what of the two agrees.
    measures = olga.locator(".measures")
    expect(measures).to_contain_text(re.compile(r"one shows \d+ % more"))
    expect(measures).to_contain_text(re.compile(r"\d+ features agree"))
    expect(olga.get_by_test_id("said")).to_contain_text("Split")
    assert state(house, wrong[1]) is ImageState.HASHED
    assert labels(house) == [(*wrong, "different", "duplicate")]
    olga.keyboard.press("c")
    do.expect_body(olga, "[data-screen=done]")
    expect(olga.get_by_test_id("precision-duplicate")).to_contain_text("1 of 2")
    assert labels(house)[1:] == [(*right, "duplicate", "duplicate")]
    remove_duplicates(house.party, clock=clock)
    assert state(house, wrong[1]) is ImageState.POOL
    assert state(house, right[1]) is ImageState.DUPLICATE
    olga.reload()
    expect(olga.get_by_test_id("empty")).to_contain_text("All checked")
    look_at_what_was_split(olga, wrong)


def look_at_what_was_split(olga: Page, wrong: tuple[int, int]) -> None:
    """Filter for split pairs; the address keeps the choice."""
    olga.keyboard.press("f")
    expect(olga.get_by_test_id("filter-show")).to_be_focused()
    olga.get_by_test_id("filter-show").select_option("split")
    do.expect_body(olga, f"[data-pair='{wrong[0]}-{wrong[1]}']")
    olga.reload()
    expect(olga.get_by_test_id("filter-show")).to_have_value("split")
    olga.get_by_test_id("filter-relation").select_option("collage")
    expect(olga.get_by_test_id("empty")).to_contain_text("No cluster found")


def test_flicker_and_difference_align_a_crop_with_its_original(
    house: PartyHouse, olga: Page, pairs: Pairs
) -> None:
    right, wrong = pairs
    open_clusters(olga)
    expect_pair(olga, wrong)
    olga.keyboard.press("3")
    unlike = mean_level(olga)
    olga.keyboard.press("ArrowRight")
    expect_pair(olga, right)
    assert mean_level(olga) < unlike / 5
    olga.keyboard.press("2")
    for shown in ("kept", "other"):  # looked for at every frame: each stays for half a second
        wait_until(olga, SHOWS, f"flicker-{shown}")
    olga.keyboard.press("1")
    expect(olga.locator("img.picture")).to_have_count(2)
    take_picture(olga, "clusters-side")


def mean_level(page: Page) -> float:
    """The mean brightness of the middle of the difference: 0 where both agree."""
    page.wait_for_selector("canvas[data-ready=difference-kept]")
    level = page.evaluate(
        """() => {
          const canvas = document.querySelector("canvas");
          const [w, h] = [canvas.width, canvas.height];
          const { data } = canvas.getContext("2d").getImageData(w / 4, h / 4, w / 2, h / 2);
          const levels = data.filter((_, at) => at % 4 < 3);
          return levels.reduce((sum, level) => sum + level, 0) / levels.length;
        }"""
    )
    return float(level)


def test_the_cluster_page_reports_conflicts_and_no_server(house: PartyHouse, pairs: Pairs) -> None:
    right, wrong = pairs
    with house.signed_in("olga", Role.ORGANISER, allowing=("409", "ERR_FAILED")) as olga:
        open_clusters(olga)
        expect_pair(olga, wrong)
        house.make_link("oscar", Role.ORGANISER)
        with house.party.catalogue.writing() as session:
            oscar = session.scalars(select(Person).where(Person.name == "oscar")).one()
            label_pair(session, *wrong, Verdict.DIFFERENT, person_id=oscar.id, at=NOON)
        olga.keyboard.press("c")
        expect(olga.get_by_test_id("said")).to_contain_text("decided meanwhile")
        do.wait_for_answers(olga)
        expect_pair(olga, wrong)  # of which the sentence speaks
        olga.keyboard.press("ArrowRight")
        expect_pair(olga, right)
        olga.route("**/api/v1/clusters?*", lambda route: route.abort())
        open_clusters(olga)
        expect(olga.get_by_test_id("failure")).to_contain_text("does not answer")
        take_picture(olga, "clusters-failure")
        olga.unroute("**/api/v1/clusters?*")
        olga.get_by_test_id("again").press("Enter")
        expect_pair(olga, right)
    assert [row[2] for row in labels(house)] == ["different"]


def test_a_kept_image_with_work_on_it_stays_and_so_does_its_pair_on_the_page(
    house: PartyHouse, pairs: Pairs
) -> None:
    right, wrong = pairs
    for _ in (right, wrong):  # both kept images, in an order by chance
        house.draw_by_client((20, 20, 100, 100))
    with house.signed_in("olga", Role.ORGANISER, allowing=("409",)) as olga:
        open_clusters(olga)
        expect_pair(olga, wrong)
        olga.keyboard.press("ArrowRight")
        expect_pair(olga, right)
        olga.keyboard.press("x")
        expect(olga.get_by_test_id("said")).to_have_text(
            f"People have worked on image {right[0]}, so it stays. Confirm the pair or split it."
        )
        do.wait_for_answers(olga)
        expect_pair(olga, right)
        assert labels(house) == []


def test_a_whole_cluster_can_be_confirmed_and_undone(house: PartyHouse, olga: Page) -> None:
    astronaut = Picture.open(house.photographs / "astronaut.jpg")
    kept = add_file(house.party, jpeg(astronaut), size_wh=(512, 512))
    copies = [add_file(house.party, jpeg(astronaut, quality=50 + number)) for number in range(5)]
    remove_duplicates(house.party, clock=clock)
    open_clusters(olga)
    do.expect_body(olga, "[data-screen=work]")
    olga.keyboard.press("4")
    sheet = olga.get_by_test_id("sheet")
    expect(sheet.locator("img")).to_have_count(6)
    take_picture(olga, "clusters-sheet")
    olga.keyboard.press("Shift+C")
    do.expect_body(olga, "[data-screen=done]")
    assert sorted(labels(house)) == [(kept, copy, "duplicate", "duplicate") for copy in copies]
    olga.keyboard.press("z")
    do.expect_body(olga, "[data-screen=work]")
    expect(sheet.locator(".mark.duplicate")).to_have_count(0)
    assert labels(house) == []


def test_all_linked_images_of_a_cluster_can_be_called_one_photograph(
    house: PartyHouse, olga: Page
) -> None:
    astronaut = Picture.open(house.photographs / "astronaut.jpg")
    kept, *others = (
        add_file(house.party, jpeg(astronaut, quality=50 + number)) for number in range(3)
    )
    with house.party.catalogue.writing() as session:
        for other in others:
            session.get_one(Image, other).state = ImageState.POOL
            pair = {"image_id": other, "kept_image_id": kept, "relation": "same_event"}
            session.add(Duplicate(doubt=0.5, decided_how="a rule", decided_at=NOON, **pair))
        session.get_one(Image, kept).state = ImageState.POOL
    open_clusters(olga)
    join_all = olga.get_by_test_id("join-all")
    expect(join_all).to_contain_text("All 2 same photo")
    olga.keyboard.press("Shift+E")
    do.expect_body(olga, "[data-screen=done]")
    assert sorted(labels(house)) == [(kept, other, "duplicate", "same_event") for other in others]
    olga.keyboard.press("z")
    expect(join_all).to_contain_text("All 2 same photo")  # not before both are taken back
    assert labels(house) == []
