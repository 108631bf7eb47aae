"""Milliseconds from "finish" to the next image shown, in Chromium.

From the click that confirms to the frame in which the next image is painted and ready, with and
without images reserved ahead, and with a network that takes a while for every answer.

    python -m benchmarks.page_next --images 20
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

GOAL_MS = 100.0
BOX = (30, 30, 250, 200)
WATCH = """() => {
  const { body } = document;
  addEventListener("click", (event) => {
    const button = event.target.closest("[data-testid=finish-confirm]");
    if (button) window.pressed = { at: event.timeStamp, image: body.dataset.image };
  }, true);
  window.taken = [];
  new MutationObserver(() => {
    const { pressed } = window;
    const isNext = body.dataset.ready === "true" && body.dataset.image !== pressed?.image;
    if (!pressed || !isNext) return;
    window.pressed = null;
    requestAnimationFrame(() => {
      const channel = new MessageChannel();  // after the paint
      channel.port1.onmessage = () => {
        body.dataset.taken = window.taken.push(performance.now() - pressed.at);
      };
      channel.port2.postMessage(null);
    });
  }).observe(body, { attributes: true });
}"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=20, help="of each case")
    given = parser.parse_args()
    print(f"load average {os.getloadavg()[0]:.1f}; goal: under {GOAL_MS:.0f} ms")
    for ahead, latency_ms in ((2, 0), (2, 150), (0, 0), (0, 150)):
        with tempfile.TemporaryDirectory() as folder:
            found = measure(Path(folder) / "party", given.images, ahead, latency_ms)
        print(
            f"  {ahead} ahead, {latency_ms:3} ms for every answer: median "
            f"{statistics.median(found):6.1f} ms, max {max(found):6.1f} ms of {len(found)}"
        )


def measure(folder: Path, images: int, ahead: int, latency_ms: int) -> list[float]:
    """The milliseconds of each change of image."""
    from playwright.sync_api import sync_playwright

    from annotate_ui.app import create_app
    from annotate_ui.serving import serving
    from benchmarks.party_load import fill_pool
    from catalog.new_party import make_party
    from catalog.party import open_party
    from catalog.states import Role
    from simulate.demo_people import make_link
    from tests.browser import QUIET, find_chromium

    values: Any = {"annotate": {"images_ahead": ahead}}
    make_party(folder, name="Benchmark", preset="voc2012", values=values)
    with ExitStack() as stack:
        party = stack.enter_context(open_party(folder))
        fill_pool(party, images + 4)
        link = make_link(party, "ann", Role.ANNOTATOR)
        app = delay(create_app(party), latency_ms / 1000)
        base_url = stack.enter_context(serving(app, threads=6))
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        found = go_through(page, base_url + link, images)
        browser.close()
        return found


def delay(app: Any, secs: float) -> Any:
    """The application behind a network that takes this long."""

    def delayed(environ: Any, start_response: Any) -> Any:
        time.sleep(secs)
        return app(environ, start_response)

    return delayed if secs else app


def go_through(page: Any, link: str, images: int) -> list[float]:
    """The milliseconds that the page itself measured."""
    from playwright.sync_api import expect

    from tests.journey.party_page import drag_box, enter, finish, wait_for_saved, wait_for_work

    expect.set_options(timeout=60_000)  # other work may keep the machine busy
    enter(page, link)
    wait_for_work(page)
    page.evaluate(WATCH)
    for number in range(images):
        wait_for_work(page)
        wait_for_saved(page)
        drag_box(page, BOX)
        finish(page)
        page.locator(f"body[data-taken='{number + 1}']").wait_for()
    found: list[float] = page.evaluate("window.taken")
    return found


if __name__ == "__main__":
    main()
