"""A real Chromium for the browser tests, and pages that fail the test when they raise an error."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright import sync_api

ARTEFACTS = Path(__file__).parents[1] / "artefacts"
VIEWPORT = {"width": 1280, "height": 720}
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


@contextmanager
def browsing(
    browser: sync_api.Browser, *, allowing: tuple[str, ...] = (), **options: object
) -> Iterator[sync_api.Page]:
    """A page in its own profile; an error raised or a request refused in any tab fails the test.

    `allowing` lists parts of messages that the test itself causes, as by cutting the network.
    """
    context: sync_api.BrowserContext = browser.new_context(viewport=VIEWPORT, **options)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    context.on("console", lambda message: _note_error(message, errors))
    try:
        yield context.new_page()
    finally:
        context.close()
    assert [text for text in errors if not any(part in text for part in allowing)] == [], errors


def _note_error(message: sync_api.ConsoleMessage, errors: list[str]) -> None:
    if message.type == "error":
        errors.append(message.text)


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


def take_picture(page: sync_api.Page, name: str) -> None:
    """Keep a screenshot among the artefacts, where VOCPARTY_TEST_PICTURES asks for them."""
    if os.environ.get("VOCPARTY_TEST_PICTURES"):
        ARTEFACTS.mkdir(exist_ok=True)
        page.screenshot(path=ARTEFACTS / f"{name}.png")
