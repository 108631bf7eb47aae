"""A real Chromium for the browser tests, and pages that fail the test when they raise an error."""

import functools
import os
import random
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright import sync_api

ARTEFACTS = Path(__file__).parents[1] / "artefacts"
VIEWPORT = sync_api.ViewportSize(width=1280, height=720)
PATIENCE_MS = 60_000  # for machines slower than ours; nothing waits longer than it must
START_MS = 180_000
sync_api.expect.set_options(timeout=PATIENCE_MS)
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first shell has no windows and needs a quarter of the processor time of the others."""
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-gpu-watchdog",  # it ends what a busy machine lets stand still for seconds
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
MISSING = (
    "NO CHROMIUM: the browser tests did not run. Install it once: sudo apt-get install chromium "
    "(or set VOCPARTY_CHROMIUM to the path of one)."
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[sync_api.Browser]:
    """One browser for the whole run; missing, it fails in CI and is skipped elsewhere."""
    path = find_chromium()
    if path is None and os.environ.get("CI"):
        pytest.fail(MISSING)
    if path is None:
        pytest.skip(MISSING)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET, timeout=START_MS)
        yield browser
        browser.close()


def find_chromium() -> str | None:
    """The path of a Chromium that starts, or None."""
    for name in (os.environ.get("VOCPARTY_CHROMIUM", ""), *NAMES):
        path = shutil.which(name) if name else None
        if path and _starts(path):
            return path
    return None


def _starts(path: str) -> bool:
    done = subprocess.run(
        [path, "--version"], capture_output=True, check=False, timeout=START_MS / 1000
    )
    return done.returncode == 0


@dataclass(eq=False)
class Profile:
    """A context that tests use one after another: the pages' files stay in its cache, nothing else.

    Files of the pages have a digest in their address and never change; images differ for each
    sign-in, and all other answers are not to be stored. The first tab stays open: it has the files
    in memory, so that a page takes half the processor time that it takes in a new tab.
    """

    context: sync_api.BrowserContext
    host: sync_api.Page
    """An empty page, which keeps the profile at hand while no test uses it."""
    tab: sync_api.Page | None = None
    """The first page of each test."""
    errors: list[str] = field(default_factory=list)
    origins: set[str] = field(default_factory=set)
    """All that its pages have visited since it was cleared."""

    def open_page(self) -> sync_api.Page:
        """The first page of a test."""
        self.errors.clear()
        if self.tab is None:
            self.tab = self.context.new_page()
        return self.tab

    def clear(self) -> bool:
        """Close or empty all pages, forget what they stored; return whether a test may use it."""
        if self.host.evaluate("'__pwClock' in globalThis"):  # a clock is installed for good
            return False
        for page in self.context.pages:
            if page not in {self.host, self.tab}:
                page.close()
        sites = [origin for origin in self.origins if origin.startswith("http")]
        if self.tab is not None and (len(sites) > 1 or not _empty(self.tab)):
            # only a page of a site empties what the tab stores for that site
            self.tab.close()
            self.tab = None
        self.context.set_offline(False)
        self.context.clear_cookies()
        network = self.context.new_cdp_session(self.host)
        while self.origins:
            everything = {"origin": self.origins.pop(), "storageTypes": "all"}
            network.send("Storage.clearDataForOrigin", everything)
        network.detach()
        return True

    def _watch(self, page: sync_api.Page) -> None:
        page.on("framenavigated", lambda frame: self.origins.add(_find_origin(frame.url)))


def _empty(tab: sync_api.Page) -> bool:
    """Show an empty page of the same site, as a new tab would; return whether that was possible.

    One of another site, as about:blank, would take a new process and its memory along.
    """
    try:
        if tab.url.startswith("http"):
            with tab.expect_navigation():
                tab.evaluate(OPEN_EMPTY_PAGE)
            tab.evaluate("sessionStorage.clear()")
    except sync_api.Error:  # it crashed, was closed or was just leaving
        return False
    tab.unroute_all(behavior="ignoreErrors")
    tab.mouse.move(-1, -1)  # out of the window
    tab.set_viewport_size(VIEWPORT)
    tab.emulate_media(color_scheme="light", forced_colors="none")
    return tab.url.startswith(("blob:", "about:"))


OPEN_EMPTY_PAGE = """() => {
  const page = new Blob(["<!doctype html><title>Empty</title>"], { type: "text/html" });
  location.assign(URL.createObjectURL(page));
}"""


def _find_origin(url: str) -> str:
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


def _make_profile(browser: sync_api.Browser, options: dict[str, object]) -> Profile:
    context = browser.new_context(viewport=VIEWPORT, **options)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    profile = Profile(context, context.new_page())
    context.on("page", profile._watch)
    context.on("weberror", lambda error: profile.errors.append(str(error.error)))
    context.on("console", lambda message: _note_error(message, profile.errors))
    return profile


_free: dict[tuple[sync_api.Browser, str], list[Profile]] = {}
"""The profiles that no test uses now, by browser and options."""


@contextmanager
def browsing(
    browser: sync_api.Browser,
    *,
    allowing: tuple[str, ...] = (),
    is_first: bool = False,
    **options: object,
) -> Iterator[sync_api.Page]:
    """A page in its own profile; an error raised or a request refused in any tab fails the test.

    The profile is that of a browser which was here before and deleted cookies and data of the site:
    it has the files of the pages. With `is_first` it has nothing. `allowing` lists parts of
    messages that the test itself causes, as by cutting the network. Later tests get the same page:
    a test takes back the listeners that it added, and uses a page of its own for init scripts.
    """
    free = _free.setdefault((browser, repr(sorted(options.items()))), [])
    profile = free.pop() if free and not is_first else _make_profile(browser, options)
    is_reusable = False
    try:
        yield profile.open_page()
        is_reusable = profile.clear()
    finally:
        if is_reusable:
            free.append(profile)
        else:
            profile.context.close()
    errors = [text for text in profile.errors if not any(part in text for part in allowing)]
    assert errors == [], profile.errors


def _note_error(message: sync_api.ConsoleMessage, errors: list[str]) -> None:
    if message.type == "error":
        errors.append(message.text)


@functools.cache
def find_port() -> int:
    """The port for all parties that this process serves one after another: profiles know its files.

    It lies below those that systems give out by themselves, so that it stays free in between.
    """
    ports = range(20_000, 30_000)
    for port in random.sample(ports, len(ports)):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise AssertionError(f"no port is free from {ports.start} to {ports.stop - 1}")


def wait_until(page: sync_api.Page, question: str, argument: object = None) -> None:
    """Wait until a JavaScript function, which is called at every frame, returns true.

    Playwright's own wait evaluates text, which the security policy of the pages forbids.
    """
    page.evaluate(ASK_EACH_FRAME % (question, PATIENCE_MS), argument)


ASK_EACH_FRAME = """argument => new Promise((done, fail) => {
  const question = %s;
  const look = () => (question(argument) ? done() : requestAnimationFrame(look));
  look();
  setTimeout(() => fail(new Error(`never came true: ${question}`)), %d);
})"""


def press_twice(button: sync_api.Locator) -> int:
    """Press it twice before any answer; return how often its form was sent."""
    button.page.wait_for_load_state()  # its scripts have run
    sent: int = button.evaluate(PRESS_TWICE)
    return sent


PRESS_TWICE = """button => {
  let sent = 0;
  addEventListener("submit", (event) => (sent += event.defaultPrevented ? 0 : 1));
  button.click();
  button.click();
  return sent;
}"""


def take_picture(page: sync_api.Page, name: str) -> None:
    """Keep a screenshot among the artefacts, where pictures are asked for."""
    if wants_pictures():
        ARTEFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTEFACTS / f"{name}.png")


def wants_pictures() -> bool:
    """Whether VOCPARTY_TEST_PICTURES asks for screenshots."""
    return bool(os.environ.get("VOCPARTY_TEST_PICTURES"))
