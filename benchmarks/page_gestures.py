"""Milliseconds from a gesture to its paint: with many boxes, outlines, suggestions or classes.

A party is served on this machine, one photograph carries the boxes, and a real Chromium gets real
presses. A time runs from the time stamp of the event to the first task after the frame in which it
was painted; frames come every 16.7 ms, so about half of one is waiting. The
second figure is the processor time that the page's thread spent meanwhile, which other work on the
machine does not lengthen: scripts, styles, layout and the orders to paint, without the rasterising.

    python -m benchmarks.page_gestures --boxes 10 200 1000 --rounds 20
    python -m benchmarks.page_gestures --boxes 30 --corners 200
    python -m benchmarks.page_gestures --suggestions 200 --rounds 20
    python -m benchmarks.page_gestures --classes 20 1000 --boxes 10 --rounds 20
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from sqlalchemy import select

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, Role
from catalog.tables import Annotation, Image, Segment, Segmentation, SegmentChoice
from simulate.demo_people import make_link
from simulate.party_client import PartyClient
from tests.browser import QUIET, find_chromium
from tests.journey.party_page import enter, find_view, wait_for_work
from tests.journey.test_segmenting import ellipse
from tests.many_classes import write_preset
from tests.suggesting import suggest

from .serve_load import IMAGE_WH, fill_pool

Times = dict[str, list[tuple[float, float]]]  # ms until the paint, and of processor time

Perform = Callable[["Presser", tuple[float, float]], None]

CLOCK = """
window.gestureClock = (() => {
  let wanted = null, settle = null, taken = null;
  const channel = new MessageChannel();
  let started = 0;
  channel.port1.onmessage = () => settle(performance.now() - started);
  const note = (event) => {
    if (event.type !== wanted) return;
    wanted = null;
    started = event.timeStamp;
    requestAnimationFrame(() => channel.port2.postMessage(0));
  };
  for (const type of ["keydown", "pointermove", "pointerup", "wheel"]) {
    window.addEventListener(type, note, { capture: true, passive: true });
  }
  return {
    arm(type) { wanted = type; taken = new Promise((resolve) => (settle = resolve)); },
    taken: () => taken,
  };
})();
"""


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boxes", type=int, nargs="*", default=[10, 200, 1000])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--corners", type=int, help="of the outline of each box: /segment instead")
    parser.add_argument("--suggestions", type=int, help="compared with as many boxes, key by key")
    parser.add_argument("--classes", type=int, nargs="*", help="of presets, compared key by key")
    given = parser.parse_args()
    measured: dict[int, Times] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        if given.suggestions:
            print(compare_suggestions(Path(folder), browser, given.suggestions, given.rounds))
            return
        for number in given.classes or ():
            place = Path(folder) / str(number)
            with party_page(place, browser, {}, boxes=given.boxes[0], classes=number) as page:
                measured[number] = measure(page, given.rounds, perform_classes)
        if given.classes:
            print(format_table(measured, "classes"))
            return
        for number in given.boxes:
            values = {"annotate": {"max_objects": number + 1}}
            place = Path(folder) / str(number)
            corners = given.corners or 0
            with party_page(place, browser, values, boxes=number, corners=corners) as page:
                measured[number] = measure(
                    page, given.rounds, perform_outlines if corners else perform
                )
        browser.close()
    print(format_table(measured))


def compare_suggestions(folder: Path, browser: Browser, number: int, rounds: int) -> str:
    """The keys on as many suggestions as boxes, and how many times as long one takes."""
    values = {"annotate": {"max_objects": 2 * number}, "suggestions": {"withheld": 0.0}}
    with party_page(folder / "boxes", browser, values, boxes=number) as page:
        on_boxes = measure(page, rounds, perform_keys)
    with party_page(folder / "suggestions", browser, values, suggestions=number) as page:
        on_suggestions = measure(page, rounds, perform_suggestions)
    medians = [
        [
            statistics.median(ms[place] for times in of_page.values() for ms in times)
            for place in (0, 1)
        ]
        for of_page in (on_boxes, on_suggestions)
    ]
    ratios = [f"{second / first:.2f}" for first, second in zip(*medians, strict=True)]
    return "\n\n".join(
        [
            f"{number} boxes\n{format_table({number: on_boxes})}",
            f"{number} suggestions\n{format_table({number: on_suggestions})}",
            f"Median key, ms until the paint and of the processor: {medians}, ratios {ratios}",
        ]
    )


@contextmanager
def party_page(
    folder: Path,
    browser: Browser,
    values: Any,
    *,
    images: int = 1,
    boxes: int = 0,
    corners: int = 0,
    suggestions: int = 0,
    classes: int = 0,
    delay_ms: int = 0,
) -> Iterator[Page]:
    """A new party's page; the first image carries boxes or outlines.

    Once it is shown, every answer is late.
    """
    is_late = threading.Event()
    text = write_classes(classes) if classes else None
    preset = "many.toml" if classes else "voc2012"
    make_party(folder, name="Benchmark", preset=preset, preset_text=text, values=values)
    with open_party(folder) as party:
        fill_pool(party, images)
        if suggestions:
            boxes_of = [tuple(make_object(n, suggestions)["box"]) for n in range(suggestions)]
            suggest(party, 1, boxes_of)
        link = make_link(party, "ann", Role.ANNOTATOR)
        with serving(delay(create_app(party), delay_ms / 1000, is_late)) as base_url:
            if boxes:
                add_boxes(base_url, link, boxes, is_finished=corners > 0)
            if corners:
                add_outlines(party, boxes, corners)
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.add_init_script(CLOCK)
            enter(page, base_url + link)
            # past the guidelines that new people begin with
            page.goto(base_url + ("/segment" if corners else "/annotate"))
            wait_for_work(page)
            is_late.set()
            yield page
            page.close()


def write_classes(count: int) -> str:
    """A preset with so many classes, those of the boxes among them."""
    drawn = [f'[[classes]]\nname = "{name}"\n' for name in ("person", "car", "dog")]
    return "\n".join([write_preset(count - len(drawn)), *drawn])


def delay(app: Any, secs: float, is_late: threading.Event) -> Any:
    """The application behind a network that takes this long from the event on."""

    def delayed(environ: Any, start_response: Any) -> Any:
        if is_late.is_set():
            time.sleep(secs)
        return app(environ, start_response)

    return delayed if secs else app


def add_boxes(base_url: str, link: str, number: int, *, is_finished: bool) -> None:
    """Save this many boxes as the person of the link."""
    client = PartyClient(base_url)
    client.sign_in(link)
    task = client.take("annotate")
    assert task is not None
    client.save(task, [make_object(n, number) for n in range(number)], finish=is_finished)
    client.close()


def add_outlines(party: Party, number: int, corners: int) -> None:
    """Choose the image, as if it were checked, with a draft of an ellipse in each box."""
    with party.catalogue.writing() as session:
        image = session.scalars(select(Image)).one()
        at = image.stored_at
        image.state = ImageState.CHECKED
        ids = {"image_id": image.id, "annotation_id": image.annotation_id}
        person_id = session.scalars(select(Annotation.person_id)).one()
        drawn = Segmentation(**ids, person_id=person_id, save_key="a", created_at=at)
        for index in range(number):
            box = make_object(index, number)["box"]
            ring = [round(value) for corner in ellipse(box, corners) for value in corner]
            key = f"box-{index}"
            drawn.segments.append(Segment(object_key=key, depth=index, rings=[ring]))
        session.add(drawn)
        session.flush()
        session.add(SegmentChoice(**ids, chosen_at=at, segmentation_id=drawn.id))


def make_object(index: int, number: int) -> dict[str, Any]:
    """One of `number` objects on a grid, no two boxes the same."""
    columns = max(round(number**0.5), 1)
    step = (min(IMAGE_WH) - 20) // columns
    left = 10 + index % columns * step
    top = 10 + index // columns * step
    side = max(step - 3, 4)
    box = [left, top, min(left + side, IMAGE_WH[0]), min(top + side, IMAGE_WH[1])]
    looks = {
        "view": ("Unspecified", "Left")[index % 2],
        "class": ("person", "car", "dog")[index % 3],
    }
    return {"key": f"box-{index}", "box": box, "truncated": False, "occluded": False, **looks}


@dataclass
class Presser:
    """Presses that are timed, each under the name of its gesture."""

    page: Page
    devtools: CDPSession
    times: Times = field(default_factory=dict)

    def press(self, name: str, key: str) -> None:
        """Time a key from its press."""
        self._time(name, "keydown", lambda: self.page.keyboard.press(key))

    def drag(self, name: str, start: tuple[float, float], end: tuple[float, float]) -> None:
        """A drag in six moves: those and the end are timed apart."""
        mouse = self.page.mouse
        mouse.move(*start)
        mouse.down()
        for step in range(1, 7):
            x, y = (a + (b - a) * step / 6 for a, b in zip(start, end, strict=True))
            self._time(f"{name}: move", "pointermove", partial(mouse.move, x, y))
        self._time(f"{name}: let go", "pointerup", mouse.up)

    def wheel(self, name: str, units: float) -> None:
        """Time a turn of the wheel at the pointer."""
        self._time(name, "wheel", lambda: self.page.mouse.wheel(0, units))

    def _time(self, name: str, event: str, act: Callable[[], object]) -> None:
        self.page.evaluate("type => gestureClock.arm(type)", event)
        before = self._thread_ms()
        act()
        taken_ms = self.page.evaluate("gestureClock.taken()")
        self.times.setdefault(name, []).append((taken_ms, self._thread_ms() - before))

    def _thread_ms(self) -> float:
        metrics = self.devtools.send("Performance.getMetrics")["metrics"]
        return 1000 * next(
            float(metric["value"]) for metric in metrics if metric["name"] == "TaskDuration"
        )


def measure(page: Page, rounds: int, perform: Perform) -> Times:
    """The times of every gesture; the first round is thrown away."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    presser = Presser(page, devtools)
    frame = page.get_by_test_id("stage").bounding_box()
    assert frame is not None
    x = frame["x"] + frame["width"] / 2
    y = frame["y"] + frame["height"] / 2
    for number in range(rounds + 1):
        perform(presser, (x + number % 7 * 3, y + number % 5 * 3))
        if number == 0:
            presser.times.clear()
    return presser.times


def perform(presser: Presser, at: tuple[float, float]) -> None:
    """One round of gestures, which leaves as many boxes as there were."""
    x, y = at
    presser.page.keyboard.press("w")
    presser.drag("draw", (x, y), (x + 120, y + 90))
    presser.press("class", "3")
    presser.press("view", "e")
    presser.press("occluded", "o")
    presser.press("nudge", "ArrowRight")
    presser.press("one edge", "Alt+ArrowDown")
    presser.press("undo", "Control+z")
    right, bottom = find_corner(presser.page)
    presser.drag("resize", (right, bottom), (right + 40, bottom + 30))
    presser.press("delete", "Delete")
    presser.press("next object", ".")
    presser.wheel("zoom", -200)
    presser.wheel("zoom", 200)
    presser.page.keyboard.press("Escape")


def perform_classes(presser: Presser, at: tuple[float, float]) -> None:
    """One round of choosing classes, which leaves as many boxes as there were."""
    x, y = at
    presser.page.keyboard.press("w")
    presser.drag("draw", (x, y), (x + 120, y + 90))
    presser.press("class by digit", "1")
    presser.press("to the search", "m")
    presser.press("first letter", "b")
    presser.press("second letter", "a")
    presser.press("take the first match", "Enter")
    presser.press("undo", "Control+z")
    presser.press("next object", ".")
    presser.press("previous object", ",")
    presser.press("delete", "Delete")


def perform_keys(presser: Presser, _at: tuple[float, float]) -> None:
    """One round of keys on boxes, which leaves them as they were."""
    presser.press("next object", ".")
    presser.press("nudge", "ArrowRight")
    presser.press("undo", "Control+z")
    presser.press("delete", "Delete")
    presser.press("undo", "Control+z")
    presser.press("hide", "y")
    presser.press("show", "y")


def perform_suggestions(presser: Presser, _at: tuple[float, float]) -> None:
    """One round of keys on suggestions, which leaves them as they were."""
    presser.press("accept", "n")
    presser.press("undo", "Control+z")
    presser.press("nudge", "ArrowRight")
    presser.press("undo", "Control+z")
    presser.press("reject", "Shift+N")
    presser.press("undo", "Control+z")
    presser.press("hide", "Shift+S")
    presser.press("show", "Shift+S")


def perform_outlines(presser: Presser, at: tuple[float, float]) -> None:
    """One round of gestures on outlines, which leaves them as they were."""
    presser.press("next object", ".")
    corner = find_corner(presser.page)
    far = (corner[0] + 20 + at[0] % 7, corner[1] + 20)
    presser.press("next corner", "n")
    presser.press("nudge corner", "ArrowRight")
    presser.press("undo", "Control+z")
    presser.press("brush", "b")
    presser.drag("brush", corner, far)
    presser.press("brush off", "b")
    presser.press("undo", "Control+z")
    presser.press("piece", "p")
    presser.drag("freehand", corner, far)
    presser.press("drop", "Escape")
    presser.press("forward", "f")
    presser.wheel("zoom", -200)
    presser.wheel("zoom", 200)


def find_corner(page: Page) -> tuple[float, float]:
    """Where the lower right corner of the selected box lies in the window."""
    view = find_view(page)
    row = page.locator("[data-testid=object][aria-selected=true]")
    box = [int(value) for value in (row.get_attribute("data-box") or "").split(",")]
    return view.left + box[2] * view.scale, view.top + box[3] * view.scale


def format_table(measured: dict[int, Times], what: str = "boxes") -> str:
    """Medians as a table in Markdown: milliseconds until the paint, of the processor."""
    head = "| gesture | " + " | ".join(f"{number:,} {what}" for number in measured) + " |"
    lines = [head, "|---|" + "---|" * len(measured)]
    for name in next(iter(measured.values())):
        times = (zip(*gestures[name], strict=True) for gestures in measured.values())
        cells = (", ".join(f"{statistics.median(values):.0f}" for values in both) for both in times)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
