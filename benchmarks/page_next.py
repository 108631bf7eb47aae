"""Milliseconds from "finish" to the next image shown, and what two visits ask for, in Chromium.

From the click that confirms to the frame in which the next image is painted and ready, with and
without images reserved ahead, and with a network that takes a while for every answer.

    python -m benchmarks.page_next --images 200 --ahead 2 --delay-ms 0 150
    python -m benchmarks.page_next --visits
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Page, expect, sync_playwright

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import make_party, open_party
from catalog.states import Role
from simulate.demo_people import make_link
from tests.browser import QUIET, find_chromium
from tests.journey.party_page import (
    drag_box,
    enter,
    finish,
    list_addresses,
    wait_for_saved,
    wait_for_work,
)

from .page_gestures import party_page
from .serve_load import fill_pool

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
    parser.add_argument("--ahead", type=int, nargs="*", default=[2, 0], help="reserved images")
    parser.add_argument("--delay-ms", type=int, nargs="*", default=[0, 150], help="of each answer")
    parser.add_argument("--visits", action="store_true", help="only a first and a second visit")
    given = parser.parse_args()
    if given.visits:
        with tempfile.TemporaryDirectory() as folder:
            count_visits(Path(folder) / "party")
        return
    for ahead, delay_ms in product(given.ahead, given.delay_ms):
        with tempfile.TemporaryDirectory() as folder:
            times_ms = measure(Path(folder) / "party", given.images, ahead, delay_ms)
        print(
            f"  {ahead} ahead, {delay_ms:3} ms for every answer: p50 "
            f"{statistics.median(times_ms):6.1f} ms, p95 {np.quantile(times_ms, 0.95):6.1f} ms, "
            f"max {max(times_ms):6.1f} ms of {len(times_ms)}"
        )


def measure(folder: Path, images: int, ahead: int, latency_ms: int) -> list[float]:
    """The milliseconds of each change of image, as the page itself measured them."""
    expect.set_options(timeout=60_000)  # other work may keep the machine busy
    # Nobody is held up for being fast.
    values = {"annotate": {"images_ahead": ahead, "images_per_minute": 1000}}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        with party_page(folder, browser, values, images=images + 4, delay_ms=latency_ms) as page:
            page.evaluate(WATCH)
            for number in range(images):
                wait_for_work(page)
                wait_for_saved(page)
                drag_box(page, BOX)
                finish(page)
                page.locator(f"body[data-taken='{number + 1}']").wait_for(timeout=60_000)
            times: list[float] = page.evaluate("window.taken")
        browser.close()
    return times


def count_visits(folder: Path) -> None:
    """Print the requests and bytes of a first and a second visit of each page, by an organiser."""
    make_party(folder, name="Benchmark", preset="voc2012", values={})
    with (
        sync_playwright() as playwright,
        open_party(folder) as party,
        serving(create_app(party)) as base_url,
    ):
        fill_pool(party, 3)
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        host = browser.new_page()
        enter(host, base_url + make_link(party, "olga", Role.ORGANISER))
        for name, path in list_addresses().items():
            visitor = browser.new_context(storage_state=host.context.storage_state()).new_page()
            visitor.set_default_navigation_timeout(120_000)  # other work may keep the machine busy
            visits = [count_visit(visitor, base_url + path) for _ in range(2)]
            print(
                f"| {name} | "
                + " | ".join(f"{len(visit)}, {sum(visit) / 1000:.0f}" for visit in visits)
            )
            visitor.context.close()
        browser.close()


def count_visit(visitor: Page, url: str) -> list[float]:
    """The bytes of each answer that a visit waits for."""
    network = visitor.context.new_cdp_session(visitor)
    network.send("Network.enable")
    asked: dict[str, int] = {}
    bytes_of: dict[str, float] = {}
    network.on("Network.responseReceived", partial(_note_response, asked))
    finished = "Network.loadingFinished"
    network.on(
        finished, lambda event: bytes_of.update({event["requestId"]: event["encodedDataLength"]})
    )
    visitor.goto(url, wait_until="networkidle")
    network.detach()
    visitor.goto("about:blank")
    return [bytes_of.get(request_id, 0) for request_id in asked]


def _note_response(asked: dict[str, int], event: dict[str, Any]) -> None:
    """Note a request that left the browser, and its connection."""
    response = event["response"]
    is_kept = response.get("fromDiskCache") or response.get("fromPrefetchCache")
    if response["url"].startswith("http") and not is_kept:
        asked[event["requestId"]] = response["connectionId"]


if __name__ == "__main__":
    main()
