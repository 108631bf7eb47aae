"""One photograph through a real browser: drawn by one person, accepted by another, released."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, Page, expect
from sqlalchemy import select

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Role, Source
from catalog.tables import Image, Photo, Review
from export.release import export_release
from simulate.demo_people import make_link
from simulate.photographs import make_demo_photographs
from tests.browser import browsing, take_picture

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
HOSTILE = "<script>document.title='owned'</script><b onmouseover=alert(1)>cats & dogs</b>"
PERSON = (31, 21, 402, 500)
CAT = (210, 300, 333, 431)

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def photograph(party: Party, tmp_path: Path) -> Image:
    """A real photograph in the pool, under a hostile title."""
    make_demo_photographs(tmp_path / "photographs")
    data = (tmp_path / "photographs" / "astronaut.jpg").read_bytes()
    image = Image(
        sha256=party.store.put(data),
        width=512,
        height=512,
        bytes=len(data),
        stored_at=NOW,
        state=ImageState.POOL,
        state_at=NOW,
    )
    photo = Photo(
        source=Source.FLICKR,
        source_id="90000000001",
        state=PhotoState.FETCHED,
        title=HOSTILE,
        owner_id="1@N99",
        owner_name=HOSTILE,
        page_url="https://www.flickr.com/photos/1@N99/90000000001",
        found_at=NOW,
        image=image,
    )
    with party.catalogue.writing() as session:
        session.add(photo)
    return image


@pytest.fixture
def base_url(party: Party) -> Iterator[str]:
    with serving(create_app(party), threads=6) as url:
        yield url


@contextmanager
def signed_in(
    chromium: Browser, party: Party, base_url: str, name: str, role: Role
) -> Iterator[Page]:
    with browsing(chromium) as page:
        page.goto(base_url + make_link(party, name, role))
        page.get_by_role("button", name="Go in").click()
        yield page


def wait_for_work(page: Page) -> None:
    expect(page.locator("body[data-screen=work][data-ready=true]")).to_be_visible()


def drag_box(page: Page, box: tuple[int, int, int, int]) -> None:
    """Drag along the pixel edges of a VOC box: xmin's left edge is at xmin - 1."""
    stage = page.get_by_test_id("stage")
    frame = stage.bounding_box()
    assert frame is not None
    scale, left, top = (
        float(stage.get_attribute(f"data-{name}") or "nan") for name in ("scale", "x", "y")
    )
    edges = [box[0] - 1, box[1] - 1, box[2], box[3]]
    across = [frame["x"] + left + edge * scale for edge in edges[0::2]]
    down = [frame["y"] + top + edge * scale for edge in edges[1::2]]
    page.mouse.move(across[0], down[0])
    page.mouse.down()
    page.mouse.move(sum(across) / 2, sum(down) / 2)
    page.mouse.move(across[1], down[1])
    page.mouse.up()


def select_class(page: Page, name: str) -> None:
    page.locator(f"button[data-class={name}]").click()


def annotate(page: Page) -> None:
    """Two boxes with classes and flags; the keys are those of the page's own overview."""
    wait_for_work(page)
    drag_box(page, PERSON)
    select_class(page, "person")
    page.keyboard.press("f")  # frontal
    page.keyboard.press("t")  # truncated
    drag_box(page, CAT)
    select_class(page, "cat")
    page.keyboard.press("q")  # left
    page.keyboard.press("o")  # occluded
    rows = page.get_by_test_id("object")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_have_attribute("data-box", ",".join(map(str, PERSON)))
    expect(rows.nth(1)).to_have_attribute("data-box", ",".join(map(str, CAT)))
    expect(page.locator("body[data-saved=saved]")).to_be_visible()
    take_picture(page, "journey-annotated")
    page.keyboard.press("d")
    page.get_by_test_id("finish-confirm").click()
    expect(page.locator("body[data-screen=empty]")).to_be_visible()


def accept(page: Page) -> None:
    page.goto(page.url.rpartition("/")[0] + "/check")
    wait_for_work(page)
    expect(page.get_by_test_id("object")).to_have_count(2)
    take_picture(page, "journey-checked")
    page.keyboard.press("d")
    page.get_by_test_id("verdict-send").click()
    expect(page.locator("body[data-screen=empty]")).to_be_visible()


def test_what_was_drawn_in_the_browser_is_in_the_released_xml(
    party: Party, photograph: Image, base_url: str, chromium: Browser, tmp_path: Path
) -> None:
    with signed_in(chromium, party, base_url, "ann", Role.ANNOTATOR) as page:
        annotate(page)
        assert page.title() != "owned"
    with signed_in(chromium, party, base_url, "chris", Role.CHECKER) as page:
        accept(page)

    release = tmp_path / "release"
    export_release(party, release, year=2026, at=NOW)
    [xml] = release.rglob("Annotations/*.xml")
    objects = ElementTree.parse(xml).getroot().findall("object")
    assert [read_object(item) for item in objects] == [
        {"name": "person", "pose": "Frontal", "truncated": "1", "occluded": "0", "box": PERSON},
        {"name": "cat", "pose": "Left", "truncated": "0", "occluded": "1", "box": CAT},
    ]
    [jpeg] = release.rglob("JPEGImages/*.jpg")
    assert jpeg.read_bytes() == party.store.get(photograph.sha256)
    with party.catalogue.reading() as session:
        review = session.scalars(select(Review)).one()
        assert (review.person.name, review.annotation.person.name) == ("chris", "ann")


def read_object(item: ElementTree.Element) -> dict[str, object]:
    words = {tag: item.findtext(tag) for tag in ("name", "pose", "truncated", "occluded")}
    box = tuple(
        int(item.findtext(f"bndbox/{tag}") or 0) for tag in ("xmin", "ymin", "xmax", "ymax")
    )
    return {**words, "box": box}


def test_nobody_is_let_in_without_a_link_and_an_annotator_does_not_check(
    party: Party, photograph: Image, base_url: str, chromium: Browser
) -> None:
    with browsing(chromium) as page:
        answer = page.request.get(f"{base_url}/images/{photograph.sha256}.jpg")
        assert answer.status == 401
    with signed_in(chromium, party, base_url, "ann", Role.ANNOTATOR) as page:
        wait_for_work(page)
        assert page.request.get(f"{base_url}/check").status == 403
