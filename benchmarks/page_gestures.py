"""Milliseconds from a gesture to its paint on the annotation page, with 10, 200 and 1,000 boxes.

A party is served on this machine, one photograph carries the boxes, and a real Chromium gets real
presses. A time runs from the event's own time stamp to the first task after the frame in which it
was painted; frames come every 16.7 ms, so about half of one is waiting. Beside it stands the
processor time that the page's thread spent meanwhile, which other work on the machine does not
lengthen: scripts, styles, layout and the orders to paint, without the rasterising itself.

    python -m benchmarks.page_gestures --boxes 10 200 1000 --rounds 20
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.new_party import make_party
from catalog.party import Party, open_party
from catalog.states import ImageState, Role
from catalog.tables import Image
from simulate.demo_people import make_link
from simulate.party_client import PartyClient
from simulate.photographs import make_demo_photographs

Times = dict[str, list[tuple[float, float]]]
"""By gesture: milliseconds until the paint, and of processor time."""

GOAL_MS = 50
PHOTOGRAPH, WIDTH, HEIGHT = "astronaut", 512, 512
QUIET = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

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
    """Measure and print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boxes", type=int, nargs="*", default=[10, 200, 1000])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    found: dict[int, Times] = {}
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        for number in given.boxes:
            with party_page(Path(folder) / str(number), browser, number) as page:
                found[number] = measure(page, given.rounds)
        browser.close()
    print(json.dumps(summarise(found)) if given.json else format_table(found))


@contextmanager
def party_page(folder: Path, browser: Browser, boxes: int) -> Iterator[Page]:
    """The annotation page with an image that carries this many boxes."""
    values = {"annotate": {"max_objects": boxes + 1}}
    make_party(folder, name="bench", preset="voc2012", values=values)
    with open_party(folder) as party, serving(create_app(party), threads=8) as base_url:
        add_photograph(party, folder / "photographs")
        link = make_link(party, "ann", Role.ANNOTATOR)
        add_boxes(base_url, link, boxes)
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        page.add_init_script(CLOCK)
        page.goto(base_url + link)
        page.get_by_role("button", name="Go in").press("Enter")
        page.locator("body[data-ready=true]").wait_for()
        yield page
        context.close()


def add_photograph(party: Party, folder: Path) -> None:
    """Put one real photograph into the pool."""
    folder.mkdir()
    make_demo_photographs(folder)
    data = (folder / f"{PHOTOGRAPH}.jpg").read_bytes()
    now = datetime.now(UTC)
    with party.catalogue.writing() as session:
        session.add(
            Image(
                sha256=party.store.put(data),
                width=WIDTH,
                height=HEIGHT,
                bytes=len(data),
                stored_at=now,
                state=ImageState.POOL,
                state_at=now,
            )
        )


def add_boxes(base_url: str, link: str, number: int) -> None:
    """Save a draft with this many boxes as the person of the link."""
    client = PartyClient(base_url)
    client.sign_in(link)
    task = client.take("annotate")
    assert task is not None
    client.save(task, [make_object(n, number) for n in range(number)], finish=False)
    client.close()


def make_object(index: int, number: int) -> dict[str, Any]:
    """One of `number` objects on a grid, no two boxes the same."""
    columns = max(round(number**0.5), 1)
    step = (WIDTH - 20) // columns
    left, top = 10 + index % columns * step, 10 + index // columns * step
    side = max(step - 3, 4)
    return {
        "key": f"box-{index}",
        "class": ("person", "car", "pottedplant", "dog")[index % 4],
        "box": [left, top, min(left + side, WIDTH), min(top + side, HEIGHT)],
        "view": ("Unspecified", "Left")[index % 2],
        "truncated": False,
        "occluded": index % 3 == 0,
    }


@dataclass
class Hand:
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
        return 1000 * next(float(one["value"]) for one in metrics if one["name"] == "TaskDuration")


def measure(page: Page, rounds: int) -> Times:
    """The times of every gesture; the first round is thrown away."""
    devtools = page.context.new_cdp_session(page)
    devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
    hand = Hand(page, devtools)
    frame = page.get_by_test_id("stage").bounding_box()
    assert frame is not None
    x, y = frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] / 2
    for number in range(rounds + 1):
        perform(hand, (x + number % 7 * 3, y + number % 5 * 3))
        if number == 0:
            hand.times.clear()
    return hand.times


def perform(hand: Hand, at: tuple[float, float]) -> None:
    """One round of gestures, which leaves as many boxes as there were."""
    x, y = at
    hand.page.keyboard.press("w")
    hand.drag("draw", (x, y), (x + 120, y + 90))
    hand.press("class", "3")
    hand.press("view", "e")
    hand.press("occluded", "o")
    hand.press("nudge", "ArrowRight")
    hand.press("one edge", "Alt+ArrowDown")
    hand.press("undo", "Control+z")
    right, bottom = find_corner(hand.page)
    hand.drag("resize", (right, bottom), (right + 40, bottom + 30))
    hand.press("delete", "Delete")
    hand.press("next object", ".")
    hand.wheel("zoom", -200)
    hand.wheel("zoom", 200)
    hand.press("hide boxes", "y")
    hand.press("show boxes", "y")
    hand.page.keyboard.press("Escape")


def find_corner(page: Page) -> tuple[float, float]:
    """Where the lower right corner of the selected box lies in the window."""
    stage = page.get_by_test_id("stage")
    frame = stage.bounding_box()
    assert frame is not None
    scale, left, top = (
        float(stage.get_attribute(f"data-{name}") or "nan") for name in ("scale", "x", "y")
    )
    row = page.locator("[data-testid=object][aria-selected=true]")
    box = [int(value) for value in (row.get_attribute("data-box") or "").split(",")]
    return frame["x"] + left + box[2] * scale, frame["y"] + top + box[3] * scale


def summarise(found: dict[int, Times]) -> dict[int, dict[str, dict[str, float]]]:
    """Milliseconds of each gesture: to the paint, and of processor time."""
    return {
        number: {name: summarise_one(times) for name, times in gestures.items()}
        for number, gestures in found.items()
    }


def summarise_one(times: list[tuple[float, float]]) -> dict[str, float]:
    """Median and 95th percentile until the paint, median and worst processor time."""
    painted, busy = zip(*times, strict=True)
    return {
        "median": round(statistics.median(painted), 1),
        "p95": round(statistics.quantiles(painted, n=20, method="inclusive")[-1], 1),
        "busy": round(statistics.median(busy), 1),
        "busiest": round(max(busy), 1),
    }


def format_table(found: dict[int, Times]) -> str:
    """The summary as a table in Markdown: median / 95th percentile, processor time / its worst."""
    summary = summarise(found)
    names = list(next(iter(summary.values())))
    head = "| gesture | " + " | ".join(f"{number:,} boxes" for number in summary) + " |"
    lines = [head, "|---|" + "---|" * len(summary)]
    for name in names:
        cells = (
            "{median:.0f} / {p95:.0f}, {busy:.0f} / {busiest:.0f}".format(**summary[number][name])
            for number in summary
        )
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
