"""Parties with eight checked images, and releases without a drawn histogram."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.party import Party, open_party
from tests.exporting import export_release
from tests.party_rows import NOW, stock

from .blind_releases import Folders, run

DRAWN = "export.accompanying_files.datasheet.draw_class_histogram"


@pytest.fixture(scope="session")
def stocked_template(party_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a stocked party on SQLite, to be copied for each test."""
    folder = Path(shutil.copytree(party_template, tmp_path_factory.mktemp("stocked") / "party"))
    with open_party(folder) as party:
        stock(party)
    return folder


@pytest.fixture
def stocked(stocked_template: Path, tmp_path: Path) -> Iterator[Party]:
    """A stocked party on SQLite."""
    with open_party(Path(shutil.copytree(stocked_template, tmp_path / "party"))) as party:
        yield party


@pytest.fixture
def any_stocked(any_party: Party) -> Party:
    """A stocked party, once on SQLite and once on PostgreSQL."""
    return stock(any_party)


@pytest.fixture(scope="session")
def stocked_release(stocked_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A full release of a stocked party, which no test changes."""
    folder = tmp_path_factory.mktemp("release")
    with open_party(Path(shutil.copytree(stocked_template, folder / "party"))) as party:
        export_release(party, folder / "out", year=2026, at=NOW)
    return folder / "out"


@pytest.fixture
def released(stocked: Party, tmp_path: Path) -> Folders:
    """The blind release and, from its record, the open one."""
    party = ("--party", stocked.folder, "--year", 2026)
    run("export", tmp_path / "blind", "--blind", *party)
    run("export", tmp_path / "open", "--open", *party)
    return tmp_path / "blind", tmp_path / "open"


@pytest.fixture(autouse=True)
def _draw_nothing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip drawings, half a second for each of another title; only two modules look at them."""
    if request.path.stem not in ("test_accompanying_files", "test_anywhere"):
        draw_nothing(monkeypatch)


def draw_nothing(patch: pytest.MonkeyPatch) -> None:
    """Releases without a drawn histogram."""
    patch.setattr(DRAWN, lambda *args: b"<svg/>")
