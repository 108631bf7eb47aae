"""A served party with photographs, and what a person does with a page of it."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urljoin

from playwright.sync_api import Browser, Locator, Page, Route, expect
from sqlalchemy import select

from annotate_ui.pages.views import PAGES
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Role, Source
from catalog.tables import Annotation, Image, Person, Photo, Review
from simulate.demo_people import make_link
from simulate.party_client import PartyClient, find_csrf_token
from tests.browser import browsing, take_picture, wants_pictures
from tests.rows import make_image

Box = tuple[int, int, int, int]

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
HOSTILE = "<script>document.title='owned'</script><b onmouseover=alert(1)>cats & dogs</b>"
PERSON: Box = (31, 21, 402, 500)
CAT: Box = (210, 300, 333, 431)
TAP_SECS = 0.03
BLANK = "/healthz"
"""No page of the party: for tests that prepare their browser before they open one."""


@dataclass(frozen=True)
class PartyHouse:
    """A party that is served, the browser that visits it, and real photographs to add to it."""

    party: Party
    base_url: str
    chromium: Browser
    photographs: Path

    def add_image(self, name: str = "astronaut", title: str = "A photograph") -> Image:
        """A real photograph in the pool, with its Flickr record."""
        image = self.store_image(self._copy(name, name), name)
        with self.party.catalogue.writing() as session:
            session.add(make_photo(image, f"9{name}", title))
        return image

    def store_image(self, data: bytes, name: str) -> Image:
        """A file in the store as an image of the pool, with the size of this photograph."""
        width, height = SIZES[name]
        looks = {"width": width, "height": height, "bytes": len(data)}
        return make_image(self.party.store.put(data), NOW, state=ImageState.POOL, **looks)

    def add_images(self, count: int, title: str = "A photograph") -> list[Image]:
        """Copies of a photograph in the pool, which differ by a comment in the file."""
        images = []
        for number in range(count):
            image = self.store_image(self._copy("astronaut", f"copy {number}"), "astronaut")
            images.append(image)
            with self.party.catalogue.writing() as session:
                session.add(make_photo(image, f"copy{number}", title))
        return images

    def _copy(self, name: str, words: str) -> bytes:
        """A photograph with this comment in the file, which no browser has from an earlier test."""
        data = (self.photographs / f"{name}.jpg").read_bytes()
        comment = f"{words} of {os.environ['PYTEST_CURRENT_TEST'].split(' (')[0]}".encode()
        segment = b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment
        return data[:2] + segment + data[2:]

    def draw_by_client(self, *boxes: Box, name: str = "ann") -> None:
        """An image with these people that this person finished without a browser."""
        looks = {"class": "person", "view": "Frontal", "truncated": False, "occluded": False}
        objects = [
            {"key": f"k{number}", "box": list(box), **looks} for number, box in enumerate(boxes)
        ]
        with self.client(name) as author:
            task = author.take("annotate")
            assert task is not None
            author.save(task, objects, active_secs=30.0)

    def draw_return_and_correct(self) -> None:
        """A person that ann drew, whose image chris returned, and a cat that she added then."""
        self.draw_by_client(PERSON)
        with self.client("chris", Role.CHECKER) as chris:
            held = chris.take("check")
            assert held is not None
            chris.review(held, "returned", comment="Look again.")
        self.draw_by_client(PERSON, CAT)

    def draw_and_accept(self, *boxes: Box) -> None:
        """An image with these people on it, drawn by ann and accepted by chris."""
        self.add_image()
        self.draw_by_client(*boxes)
        self.accept_by_client()

    def accept_by_client(self) -> None:
        """Chris accepts what waits to be checked, without a browser."""
        with self.client("chris", Role.CHECKER) as chris:
            held = chris.take("check")
            assert held is not None
            chris.review(held, "accept")

    @contextmanager
    def signed_in(
        self,
        name: str,
        role: Role = Role.ANNOTATOR,
        *,
        at: str | None = None,
        allowing: tuple[str, ...] = (),
    ) -> Iterator[Page]:
        """A person's browser, on this page or else on the first one of their role."""
        with self.signed_in_by(self.make_link(name, role), at=at, allowing=allowing) as page:
            yield page

    @contextmanager
    def signed_in_by(
        self, link: str, *, at: str | None = None, allowing: tuple[str, ...] = ()
    ) -> Iterator[Page]:
        """The browser of the person whose link it is."""
        with browsing(self.chromium, allowing=allowing) as page:
            sign_in(page, link, at)
            yield page

    @contextmanager
    def at_work(
        self,
        name: str,
        role: Role = Role.ANNOTATOR,
        *,
        at: str | None = None,
        allowing: tuple[str, ...] = (),
    ) -> Iterator[Page]:
        """The same, once the first work is shown."""
        with self.signed_in(name, role, at=at, allowing=allowing) as page:
            wait_for_work(page)
            yield page

    def make_link(self, name: str, role: Role = Role.ANNOTATOR, *, is_new: bool = False) -> str:
        """The address of a personal link; it leads new people to the guidelines."""
        path = make_link(self.party, name, role)
        if not is_new:
            with self.party.catalogue.writing() as session:
                session.query(Person).filter_by(name=name).update({"seen_at": NOW})
        return self.base_url + path

    @contextmanager
    def client(self, name: str, role: Role = Role.ANNOTATOR) -> Iterator[PartyClient]:
        """The same person without a browser, for steps that a test only needs done."""
        client = PartyClient(self.base_url)
        try:
            client.sign_in(make_link(self.party, name, role))
            yield client
        finally:
            client.close()

    def state(self, image: Image) -> ImageState:
        with self.party.catalogue.reading() as session:
            return session.get_one(Image, image.id).state

    def head(self, image: Image) -> Annotation:
        """The newest revision of an image, with its objects."""
        with self.party.catalogue.reading() as session:
            head = session.get_one(Image, image.id).annotation
            assert head is not None
            assert head.person.name
            assert head.objects is not None
            return head

    def revisions(self, image: Image) -> list[Annotation]:
        """All revisions of an image, the first one first, with their objects."""
        rows = select(Annotation).where(Annotation.image_id == image.id).order_by(Annotation.id)
        with self.party.catalogue.reading() as session:
            revisions = list(session.scalars(rows))
            assert all(row.objects is not None for row in revisions)
            return revisions

    def reviews(self) -> list[Review]:
        with self.party.catalogue.reading() as session:
            return list(session.scalars(select(Review).order_by(Review.id)))


SIZES = {"astronaut": (512, 512), "chelsea": (451, 300), "cameraman": (512, 512)}


def make_photo(image: Image, source_id: str, title: str) -> Photo:
    url = "https://www.flickr.com/photos/1@N99/90000000001"
    looks = {"title": title, "owner_id": "1@N99", "owner_name": title, "page_url": url}
    origin = {"source": Source.FLICKR, "source_id": source_id, "found_at": NOW}
    return Photo(state=PhotoState.FETCHED, image=image, **origin, **looks)


def boxes_of(annotation: Annotation) -> list[Box]:
    """The boxes of a revision as the database has them."""
    return [(row.xmin, row.ymin, row.xmax, row.ymax) for row in annotation.objects]


def sign_in(page: Page, link: str, at: str | None = None) -> None:
    """Send what the page of a personal link sends, and open this page or that to which it leads.

    For tests of what comes later: the browser loads one page less than with `enter`, or two.
    """
    shown = page.request.get(link)
    token = find_csrf_token(shown.text())
    answer = page.request.post(link, form={"csrf_token": token}, max_redirects=0)
    assert answer.status == 303, answer.text()
    page.goto(urljoin(link, at or answer.headers["location"]))


def enter(page: Page, link: str) -> None:
    """Open a personal link and sign in by keyboard, so that no pointer is over the page."""
    page.goto(link)
    page.get_by_role("button", name="Continue").press("Enter")
    page.wait_for_url(re.compile(r"^(?!.*/enter/)"))


def open_page(page: Page, path: str) -> None:
    page.goto("/".join(page.url.split("/")[:3]) + path)


def tick_all(page: Page) -> None:
    """Tick all images that the search found, on the page Images."""
    page.locator(".shot input").first.check()
    if page.get_by_test_id("tick-all").is_visible():
        page.get_by_test_id("tick-all").click()
    expect(page.get_by_test_id("bulk")).to_be_visible()


def list_addresses() -> dict[str, str]:
    """Every page that a signed-in organiser can open, by name."""
    others = {"home": "/", "history": "/history?image=1"}
    others |= {"edit": "/guidelines/edit", "practice": "/annotate?practice"}
    return {page.name: page.address for page in PAGES} | others


def expect_body(page: Page, attributes: str) -> None:
    """Wait until the body has these attributes, written as in CSS.

    It is counted: for the error of a `to_be_visible` that finds nothing yet, Playwright describes
    the whole page at each look, which stops a page of a thousand objects for ten seconds.
    """
    expect(page.locator(f"body{attributes}")).to_have_count(1)


def wait_for_work(page: Page) -> None:
    expect_body(page, "[data-screen=work][data-ready=true]")


def open_work(page: Page, path: str) -> None:
    open_page(page, path)
    wait_for_work(page)


def wait_for_other(page: Page, image_id: str | int | None) -> None:
    """Wait until the next image is shown, or none is left."""
    is_next = f"[data-ready=true]:not([data-image='{image_id}'])"
    expect_body(page, f":is({is_next}, [data-screen=empty])")


def wait_for_screen(page: Page, screen: str) -> None:
    expect_body(page, f"[data-screen={screen}]")


def wait_for_saved(page: Page, status: str = "saved") -> None:
    expect_body(page, f"[data-saved={status}]")


@dataclass(frozen=True)
class View:
    """The window position of the image's corner, and screen pixels per image pixel."""

    left: float
    top: float
    scale: float

    def place(self, edges: tuple[float, float]) -> tuple[float, float]:
        """The window position of a corner between image pixels."""
        return self.left + edges[0] * self.scale, self.top + edges[1] * self.scale


def find_view(page: Page) -> View:
    """How the image is shown once all changes are painted, which happens once per frame."""
    left, top, scale = page.get_by_test_id("stage").evaluate(PLACE_AFTER_A_FRAME)
    return View(left, top, scale)


PLACE_AFTER_A_FRAME = """stage => new Promise((tell) => requestAnimationFrame(() => {
  const { left, top } = stage.getBoundingClientRect();
  const { x, y, scale } = stage.dataset;
  tell([left + Number(x), top + Number(y), Number(scale)]);
}))"""


def place_on_screen(page: Page, edges: tuple[float, float]) -> tuple[float, float]:
    """The window position of a corner between image pixels."""
    return find_view(page).place(edges)


def find_corners(page: Page, box: Box) -> tuple[tuple[float, float], tuple[float, float]]:
    """The corners where the pixel edges of a VOC box meet: the left edge is at xmin - 1."""
    view = find_view(page)
    return view.place((box[0] - 1, box[1] - 1)), view.place((box[2], box[3]))


def drag_box(page: Page, box: Box) -> None:
    """Drag along the pixel edges of a VOC box."""
    drag(page, *find_corners(page, box))


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
    page.mouse.move(*end)
    page.mouse.up()


def select_class(page: Page, name: str) -> None:
    page.locator(f"button[data-class={name}]").click()


def expect_boxes(page: Page, *boxes: Box) -> Locator:
    """Wait until the list shows these objects; return its rows."""
    rows = page.get_by_test_id("object")
    expect(rows).to_have_count(len(boxes))
    for number, box in enumerate(boxes):
        expect(rows.nth(number)).to_have_attribute("data-box", ",".join(map(str, box)))
    return rows


def wait_for_answers(page: Page) -> None:
    """Wait until no call is pending, since a jump of the clock would end it."""
    expect(page.locator("html[data-asking]")).to_have_count(0)


def wait_for_ahead(page: Page, count: int) -> None:
    """Wait until this many reserved images are loaded completely."""
    expect_body(page, f"[data-ahead='{count}']")


@contextmanager
def holding(page: Page, url: str, *methods: str) -> Iterator[None]:
    """Hold calls to such an address until the block ends; one that is heard of later goes on.

    Where methods are given, only calls by them are held.

    The block begins well before the call: what is asked right after may slip by.
    """
    held = list[Route]()
    is_over = False

    def hold(route: Route) -> None:
        if is_over or (methods and route.request.method not in methods):
            route.continue_()
        else:
            held.append(route)

    page.route(url, hold)
    yield
    is_over = True
    for route in held:
        route.continue_()


def stop_clock(page: Page) -> None:
    """Stop the browser's clock: time passes only when the test moves it; nothing is painted."""
    page.clock.install()
    wait_for_answers(page)
    page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=1))


def skip_time(page: Page, secs: float) -> None:
    """Let this time pass at once, after pending calls have arrived."""
    wait_for_answers(page)
    page.clock.fast_forward(round(secs * 1000))


def tap(page: Page, key: str) -> None:
    """Press a key briefly by the times of its events, which tell the page a tap from a hold."""
    code, text = ("Space", " ") if key == "Space" else (f"Key{key.upper()}", key)
    event = {"key": text, "code": code, "windowsVirtualKeyCode": ord(text.upper())}
    keys = page.context.new_cdp_session(page)
    at = time.time()
    down = {"type": "keyDown", "text": text, "timestamp": at}
    up = {"type": "keyUp"}
    keys.send("Input.dispatchKeyEvent", event | down)
    keys.send("Input.dispatchKeyEvent", event | up | {"timestamp": at + TAP_SECS})
    keys.detach()


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def finish_last(page: Page) -> None:
    finish(page)
    wait_for_screen(page, "empty")


def send_verdict(page: Page) -> None:
    tap(page, "d")
    page.get_by_test_id("verdict-send").click()


def finish(page: Page) -> None:
    """Tap the key that finishes, then press the button that confirms."""
    tap(page, "d")
    page.get_by_test_id("finish-confirm").click()


def find_image_id(page: Page) -> int:
    return int(page.locator("body").get_attribute("data-image") or 0)


def draw_and_finish(page: Page, drawn: dict[int, Box]) -> None:
    """Draw one box on the open image, another on each image; note it in `drawn`."""
    wait_for_work(page)
    image_id = find_image_id(page)
    assert image_id not in drawn, "an image came twice"
    left = 20 + 12 * len(drawn)
    top = 30 + 7 * len(drawn)
    drawn[image_id] = (left, top, left + 120, top + 150)
    drag_box(page, drawn[image_id])
    finish(page)
    expect(page.locator(f"body[data-image='{image_id}']")).to_have_count(0)


def take_both(page: Page, name: str) -> None:
    """Screenshots in light and dark, where pictures are asked for."""
    for scheme in ("light", "dark") if wants_pictures() else ():
        page.emulate_media(color_scheme=scheme)
        take_picture(page, f"{name}-{scheme}")


def take_sizes(page: Page, name: str) -> None:
    """Screenshots at both sizes that pages are looked at, where pictures are asked for."""
    for width, height in ((1366, 650), (1280, 720)) if wants_pictures() else ():
        page.set_viewport_size({"width": width, "height": height})
        take_picture(page, f"{name}-{width}")
