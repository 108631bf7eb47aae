"""Pictures of every page of a party, at the sizes of laptops, a large screen and a phone.

PYTHONPATH=. .venv/bin/python .ci/screenshots.py PARTY FOLDER [light|dark] [PAGE ...]
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import open_party
from catalog.states import Role
from simulate.demo_people import make_link
from tests.browser import QUIET, browsing, find_chromium
from tests.journey.party_page import enter, list_addresses

SIZES = ((1280, 720), (1366, 650), (1920, 1080), (390, 844))
PHONE = {"is_mobile": True, "has_touch": True}


def main(party_folder: str, folder: str, scheme: str = "light", *names: str) -> None:
    """Write FOLDER/PAGE-WIDTHxHEIGHT.png for each page and size."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    with open_party(Path(party_folder)) as party, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        with serving(create_app(party)) as base_url:
            addresses = {
                name: path for name, path in list_addresses().items() if name in names or not names
            }
            for size in SIZES:
                phone = PHONE if size[0] < 500 else {}
                with browsing(browser, color_scheme=scheme, **phone) as page:
                    enter(page, base_url + make_link(party, "olga", Role.ORGANISER))
                    page.set_viewport_size({"width": size[0], "height": size[1]})
                    for name, path in addresses.items():
                        page.goto(base_url + path, wait_until="networkidle")
                        keep(page, Path(folder) / f"{name}-{size[0]}x{size[1]}")
        browser.close()


def keep(page: Page, path: Path) -> None:
    """The window, and the whole page where it is longer than the window."""
    page.screenshot(path=path.with_suffix(".png"))
    if page.evaluate("document.documentElement.scrollHeight > innerHeight + 40"):
        page.screenshot(path=path.with_name(f"{path.name}-whole.png"), full_page=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
