"""Milliseconds until the annotation page is ready, on a first and on a second visit, in Chromium.

The browser delays each answer of the network, as a router some rooms away does. A first visit
has nothing stored; a second one has all files of the first.

    python -m benchmarks.page_load --rounds 10
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, StorageState, sync_playwright

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import make_party, open_party
from catalog.states import Role
from simulate.demo_people import make_link
from tests.browser import QUIET, find_chromium
from tests.journey.party_page import enter

from .serve_load import fill_pool

READY = "body[data-screen=work][data-ready=true]"
NOTE_READY = """() => new MutationObserver(() => {
  if (document.body?.dataset.ready === "true") window.readyMs ??= performance.now();
}).observe(document, { attributes: true, childList: true, subtree: true })"""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--latencies-ms", type=int, nargs="*", default=[0, 20])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        for latency_ms, firsts, seconds in measure(Path(folder) / "party", browser, options):
            print(
                f"  {latency_ms:3} ms of delay: first visit {statistics.median(firsts):5.0f} ms, "
                f"second visit {statistics.median(seconds):5.0f} ms"
            )
        browser.close()


def measure(
    folder: Path, browser: Browser, options: argparse.Namespace
) -> list[tuple[int, list[float], list[float]]]:
    """Of each delay, the milliseconds of all first and of all second visits."""
    make_party(folder, name="Benchmark", preset="voc2012", values={})
    with open_party(folder) as party, serving(create_app(party)) as base_url:
        fill_pool(party, 3)
        host = browser.new_page()
        enter(host, base_url + make_link(party, "ann", Role.ANNOTATOR))
        signed_in = host.context.storage_state()
        host.close()
        visit_twice(browser, signed_in, base_url, 0)  # the server reads its files once
        measured = []
        for latency_ms in options.latencies_ms:
            visits = [
                visit_twice(browser, signed_in, base_url, latency_ms) for _ in range(options.rounds)
            ]
            firsts = [first for first, _second in visits]
            seconds = [second for _first, second in visits]
            measured.append((latency_ms, firsts, seconds))
    return measured


def visit_twice(
    browser: Browser, signed_in: StorageState, base_url: str, latency_ms: int
) -> tuple[float, float]:
    """The milliseconds of a first and of a second visit by a browser that has nothing stored."""
    context = browser.new_context(storage_state=signed_in)
    page = context.new_page()
    page.add_init_script(f"({NOTE_READY})()")
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    limits = {"offline": False, "downloadThroughput": -1, "uploadThroughput": -1}
    network.send("Network.emulateNetworkConditions", {**limits, "latency": latency_ms})
    first = visit(page, f"{base_url}/annotate")
    page.goto("about:blank")
    second = visit(page, f"{base_url}/annotate")
    context.close()
    return first, second


def visit(page: Page, url: str) -> float:
    """The milliseconds from the start of the navigation until the image can be worked on."""
    page.goto(url)
    page.locator(READY).wait_for()
    ready_ms: float = page.evaluate("window.readyMs")
    return ready_ms


if __name__ == "__main__":
    main()
