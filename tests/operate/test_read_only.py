"""A party that this account may only read: commands that read work, and no one calls it damaged."""

import os
from pathlib import Path

import pytest

from tests.annotate_ui.house import House

from .conftest import dump_files

READING = (
    "progress",
    "people list",
    "images",
    "release list",
    "classes list",
    "progress --json",
    "tables",
    "source list",
    "queries suggest cat",
    "dedup --json",
    "people undo ann --dry-run",
)
WRITING = (
    "people add zoe --role annotator",
    "classes rename cat kitty",
    "collected",
    "queries list",
    "qa",
    "agreement",
    "serve --port 0",
)


@pytest.fixture
def frozen(small: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """The party for an account that may write nothing in its folder, which root always may."""
    small.party.catalogue.close()
    folder = small.party.folder
    asked = os.access

    def access(path: str | Path, mode: int) -> bool:
        is_inside = folder in (Path(path), *Path(path).parents)
        return not (mode & os.W_OK and is_inside) and asked(path, mode)

    monkeypatch.setattr(os, "access", access)
    return small


@pytest.mark.parametrize("line", READING)
def test_commands_that_read_work_and_change_no_file(frozen: House, line: str) -> None:
    before = dump_files(frozen.party.folder)
    done = frozen.run(*line.split())
    assert done.exit_code in (0, 1), done.output
    assert "Error" not in done.output
    assert dump_files(frozen.party.folder) == before


@pytest.mark.parametrize("line", WRITING)
def test_commands_that_write_say_so_and_change_nothing(frozen: House, line: str) -> None:
    before = dump_files(frozen.party.folder)
    done = frozen.run(*line.split())
    assert done.exit_code == 1
    assert "Error: The disk of the catalogue is read-only." in done.output
    assert "this command stores what it finds or changes" in done.output
    assert dump_files(frozen.party.folder) == before


def test_doctor_says_whose_the_party_is_and_not_that_it_is_damaged(frozen: House) -> None:
    done = frozen.run("doctor", "--port", "0")
    assert done.exit_code == 1
    assert "ERROR    access: " in done.output
    assert "catalogue.db cannot be written here" in done.output
    assert "images cannot be written here" in done.output
    assert "amaged" not in done.output
    assert "restore" not in done.output
    assert "ok       catalogue: SQLite finds no fault" in done.output
