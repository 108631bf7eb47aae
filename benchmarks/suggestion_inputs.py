"""Counts the inputs of each act on the real annotation page, as the page itself counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, expect
from sqlalchemy import func, select

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import Party, make_party, open_party
from catalog.states import Role
from catalog.tables import Annotation
from simulate.demo_people import make_link
from tests.journey import party_page as do
from tests.suggesting import suggest

from .serve_load import fill_pool

BOXES = ((20, 20, 110, 110), (140, 30, 230, 120), (260, 40, 350, 130), (60, 160, 150, 250))
CLASS_KEYS = ("2", "1", "2", "1")
VIEW_KEY = "e"
CORRECTION_PX = 9

Work = Callable[[Page], None]


def count_inputs(folder: Path, browser: Browser, *, has_views: bool) -> dict[str, float]:
    """The inputs of drawing, accepting, correcting and rejecting a box, and of finishing.

    Every second box that is drawn needs the key of its class, since the class drawn last stays.
    `has_views` says whether people give each object its view.
    """
    people = _People([VIEW_KEY] if has_views else [])
    by_hand: dict[str, Work] = {
        "one": people.draw_one,
        "all": people.draw_all,
        "named": people.draw_named,
    }
    suggested: dict[str, Work] = {
        "accept": people.accept,
        "correct": people.correct,
        "reject": people.reject,
    }
    settings = {"suggestions": {"withheld": 0.0}}
    make_party(folder, name="Benchmark", preset="voc2012", values=settings)
    with open_party(folder) as party:
        fill_pool(party, len(by_hand) + len(suggested))
        for image_id in range(1, len(suggested) + 1):
            suggest(party, image_id, BOXES)
        with _annotation_page(party, browser) as page:
            counts = _work_through(party, page, by_hand, suggested)
    boxes = len(BOXES)
    plain = (counts["all"] - counts["one"]) / (boxes - 1)
    finish = counts["one"] - plain
    name = (counts["named"] - counts["all"]) / boxes
    handled = {act: (counts[act] - finish) / boxes for act in ("accept", "correct")}
    reject = (counts["reject"] - counts["one"]) / boxes
    return {"draw": plain + name / 2, **handled, "reject": reject, "finish": finish}


@contextmanager
def _annotation_page(party: Party, browser: Browser) -> Iterator[Page]:
    link = make_link(party, "ann", Role.ANNOTATOR)
    with serving(create_app(party)) as base_url:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        do.enter(page, base_url + link)
        page.goto(f"{base_url}/annotate")  # past the guidelines that new people begin with
        yield page
        page.close()


def _work_through(
    party: Party, page: Page, by_hand: dict[str, Work], suggested: dict[str, Work]
) -> dict[str, int]:
    """The inputs of an image for each piece of work, in whichever order the images come."""
    waiting = {False: list(by_hand.items()), True: list(suggested.items())}
    images = dict[str, int]()
    while waiting[False] or waiting[True]:
        do.wait_for_work(page)
        image_id = do.find_image_id(page)
        name, work = waiting[image_id <= len(suggested)].pop()
        images[name] = image_id
        work(page)
        page.keyboard.down("d")
        expect(page.locator("[data-testid=finish-dialog][data-held=true]")).to_be_visible()
        page.keyboard.up("d")
        do.wait_for_other(page, image_id)
        do.wait_for_saved(page)
    inputs = select(func.sum(Annotation.inputs))
    with party.catalogue.reading() as session:
        return {
            name: session.scalar(inputs.where(Annotation.image_id == image_id)) or 0
            for name, image_id in images.items()
        }


@dataclass(frozen=True)
class _People:
    """What people do on the page; `view` are the keys for the view of an object."""

    view: Sequence[str]

    def draw_one(self, page: Page) -> None:
        do.drag_box(page, (200, 200, 300, 300))
        do.press(page, *self.view)

    def draw_all(self, page: Page) -> None:
        for box in BOXES:
            do.drag_box(page, box)
            do.press(page, *self.view)

    def draw_named(self, page: Page) -> None:
        for box, key in zip(BOXES, CLASS_KEYS, strict=True):
            do.drag_box(page, box)
            do.press(page, key, *self.view)

    def accept(self, page: Page) -> None:
        """A view accepts a suggestion and goes on; so does the key without one."""
        for _box in BOXES:
            do.press(page, *(self.view or "n"))

    def correct(self, page: Page) -> None:
        for box in BOXES:
            _left_top, corner = do.find_corners(page, box)
            do.drag(page, corner, (corner[0] + CORRECTION_PX, corner[1] + CORRECTION_PX))
            do.press(page, *(self.view or "n"))

    def reject(self, page: Page) -> None:
        for _box in BOXES:
            page.keyboard.press("Shift+N")
        self.draw_one(page)
