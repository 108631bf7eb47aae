"""Fixtures of the journeys: one set of photographs, and a served party for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import Party
from simulate.photographs.originals import open_original
from tests.browser import find_port

from .party_page import PartyHouse

FOLDER = Path(__file__).parent
ORIGINALS = {"astronaut": "astronaut", "chelsea": "chelsea", "cameraman": "camera"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every journey takes seconds, and nearly all drive a browser."""
    for item in items:
        if item.path.parent == FOLDER:
            item.add_marker(pytest.mark.slow)
            if "chromium" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with whole originals of the demo's photographs, made once."""
    folder = tmp_path_factory.mktemp("photographs")
    for name, original in ORIGINALS.items():
        open_original(f"skimage:{original}.png").save(folder / f"{name}.jpg", quality=92)
    return folder


@pytest.fixture
def house(party: Party, chromium: Browser, photographs: Path) -> Iterator[PartyHouse]:
    with serving(create_app(party), port=find_port()) as base_url:
        yield PartyHouse(party, base_url, chromium, photographs)
