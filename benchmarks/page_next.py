"""Milliseconds from "finish" to the next image shown, and what two visits ask for, in Chromium.

From the click that confirms to the frame in which the next image is painted and ready, with and
without images reserved ahead, and with a network that takes a while for every answer.

    python -m benchmarks.page_next --images 20
    python -m benchmarks.page_next --visits
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import expect, sync_playwright

from tests.browser import QUIET, find_chromium
from tests.journey.party_page import drag_box, finish, wait_for_saved, wait_for_work

from .page_gestures import party_page

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
    parser.add_argument("--visits", action="store_true", help="only a first and a second visit")
    given = parser.parse_args()
    if given.visits:
        with tempfile.TemporaryDirectory() as folder:
            count_visits(Path(folder) / "party")
        return
    print(f"load average {os.getloadavg()[0]:.1f}; goal: under {GOAL_MS:.0f} ms")
    for ahead, latency_ms in ((2, 0), (2, 150), (0, 0), (0, 150)):
        with tempfile.TemporaryDirectory() as folder:
            found = measure(Path(folder) / "party", given.images, ahead, latency_ms)
        print(
            f"  {ahead} ahead, {latency_ms:3} ms for every answer: median "
            f"{statistics.median(found):6.1f} ms, max {max(found):6.1f} ms of {len(found)}"
        )


def measure(folder: Path, images: int, ahead: int, latency_ms: int) -> list[float]:
    """The milliseconds of each change of image, as the page itself measured them."""
    expect.set_options(timeout=60_000)  # other work may keep the machine busy
    values = {"annotate": {"images_ahead": ahead}}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        with party_page(folder, browser, values, images=images + 4, delay_ms=latency_ms) as page:
            page.evaluate(WATCH)
            for number in range(images):
                wait_for_work(page)
                wait_for_saved(page)
                drag_box(page, BOX)
                finish(page)
                page.locator(f"body[data-taken='{number + 1}']").wait_for()
            found: list[float] = page.evaluate("window.taken")
        browser.close()
    return found


def count_visits(folder: Path) -> None:
    """Print the requests, bytes and milliseconds of a first and a second visit."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        with party_page(folder, browser, {}, images=3) as page:
            cookies, url = page.context.storage_state(), page.url
            visitor = browser.new_context(storage_state=cookies).new_page()
            network = visitor.context.new_cdp_session(visitor)
            network.send("Network.enable")
            for visit in ("first", "second"):
                asked: dict[str, int] = {}
                bytes_of: dict[str, float] = {}
                network.on("Network.responseReceived", partial(_note_response, asked))
                network.on("Network.loadingFinished", partial(_note_end, bytes_of))
                began = time.perf_counter()
                visitor.goto(url)
                wait_for_work(visitor)
                secs = time.perf_counter() - began
                received = sum(bytes_of[it] for it in asked if it in bytes_of)
                print(
                    f"{visit} visit: {len(asked)} requests over {len(set(asked.values()))} "
                    f"connections, {received / 1000:.0f} kB, "
                    f"{1000 * secs:.0f} ms"
                )
                visitor.goto("about:blank")
        browser.close()


def _note_response(asked: dict[str, int], event: dict[str, Any]) -> None:
    """Note a request that left the browser, and its connection."""
    response = event["response"]
    is_kept = response.get("fromDiskCache") or response.get("fromPrefetchCache")
    if response["url"].startswith("http") and not is_kept:
        asked[event["requestId"]] = response["connectionId"]


def _note_end(bytes_of: dict[str, float], event: dict[str, Any]) -> None:
    bytes_of[event["requestId"]] = event["encodedDataLength"]


if __name__ == "__main__":
    main()
