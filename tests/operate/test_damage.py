"""What each command says of a party with a damaged catalogue or image."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from catalog.migrate import current_revision
from tests.annotate_ui.house import House
from vocparty import main

PAGE = 4096


def overwrite_pages(path: Path) -> None:
    with path.open("r+b") as file:
        for page in range(2, path.stat().st_size // PAGE):
            file.seek(page * PAGE)
            file.write(b"\xa5" * 512)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "pages": overwrite_pages,
    "header": lambda path: path.write_bytes(b"no database" + path.read_bytes()[11:]),
    "half": lambda path: os.truncate(path, path.stat().st_size // 2),
    "empty": lambda path: os.truncate(path, 0),
    "gone": os.remove,
}


def read(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


COMMANDS = (
    "progress",
    "people list",
    "people add zoe --role annotator",
    "qa",
    "dedup",
    "images",
    "collected",
    "collect --plan",
    "import folder {images}",
    "takedown --blocked",
    "classes list",
    "release list",
    "export {folder}/out --year 2026",
    "serve --port 0",
    "agreement",
    "tables",
    "backup {folder}/../zoo.tar",
    "move --to sqlite:///new.db --folder {folder}/../new",
    "init {folder}",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_every_command_reports_a_damaged_catalogue_unchanged(small: House, damage: str) -> None:
    folder = small.party.folder
    small.party.catalogue.close()
    catalogue = folder / "catalogue.db"
    DAMAGES[damage](catalogue)
    before = read(catalogue)
    for words in COMMANDS:
        arguments = words.format(folder=folder, images=folder / "images").split()
        named = arguments if words.startswith("init") else [*arguments, "--party", str(folder)]
        done = CliRunner().invoke(main, named)
        assert done.exit_code == 1, (words, done.output)
        *_, sentence = done.output.strip().splitlines()
        assert sentence.startswith("Error: The catalogue "), (words, done.output)
        assert "vocparty restore" in sentence or "vocparty doctor" in sentence, sentence
        assert read(catalogue) == before, words
    examined = small.run("doctor", "--repair")
    assert examined.exit_code == 1
    assert "ERROR    catalogue: " in examined.output
    assert read(catalogue) == before


def test_pages_of_a_running_party_report_a_damaged_catalogue(small: House) -> None:
    ann = small.enter(small.add_person("zoe"))
    small.party.catalogue.close()
    overwrite_pages(small.party.folder / "catalogue.db")
    answer = ann.post("/api/v1/tasks/annotate")
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "unavailable")
    assert "The catalogue is damaged; nothing was saved" in answer.text
    assert "The catalogue is damaged" in ann.get("/annotate").text


def test_text_that_damage_made_unreadable_is_told_as_damage(small: House) -> None:
    """A flipped bit leaves text that is no UTF-8; SQLite finds no fault in it."""
    olga = small.olga()
    damaged = "UPDATE person SET name = CAST(x'61ff6e61' AS TEXT) WHERE id = 1"
    with small.party.catalogue.writing() as session:
        session.execute(text(damaged))
    listed = small.run("people", "list")
    assert listed.exit_code == 1
    assert "Error: The catalogue is damaged: Could not decode to UTF-8" in listed.output
    assert "vocparty doctor" in listed.output
    answer = olga.get("/api/v1/people")
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "unavailable")
    assert "The catalogue is damaged; nothing was saved" in answer.text


def test_an_init_that_was_killed_can_be_repeated(small: House, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    (folder / "party.toml").write_text('name = "New"\n')
    (folder / "catalogue.db").touch()
    assert CliRunner().invoke(main, ["init", str(folder)]).exit_code == 0
    assert current_revision(small.party.catalogue) is not None


@pytest.mark.parametrize("kept", [0, 1_000])
def test_a_truncated_image_is_not_sent_and_then_replaced(small: House, kept: int) -> None:
    digest = next(small.party.store.digests())
    data = small.party.store.get(digest)
    path = small.party.store.local_path(digest)
    assert path is not None
    os.truncate(path, kept)
    answer = small.enter(small.add_person("zoe")).get(f"/images/{digest}.jpg")
    assert answer.status_code == 404
    assert "file is damaged" in answer.text
    assert small.party.store.put(data) == digest
    assert small.party.store.get(digest) == data
