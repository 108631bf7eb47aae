"""A preset's own views, parts, actions and reasons to discard: drawn, checked and released."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from catalog.party import make_party, open_party
from catalog.states import ImageState, Role
from catalog.tables import Image
from tests.annotate_ui.house import Browser, House, error_of, make_jpeg, thing
from tests.exporting import export_release, verify_tree
from vocparty import main

PRESET = """
views = ["Unspecified", "Left", "Right"]
flags = [
    { name = "occluded", display = "occluded", short_rule = "Something is in front of it." },
]

[[classes]]
name = "heron"
has_parts = true
has_actions = true

[[parts]]
name = "beak"
display = "beak"

[[actions]]
name = "standing"
display = "standing"
"""

CHANGED = (
    PRESET.replace('"Right"]', '"Right", "Above"]')
    + """
[[parts]]
name = "wing"
display = "wing"
max_count = 2

[[actions]]
name = "flying"
display = "flying"

[[discard_reasons]]
key = "drawing"
display = "a drawing"
short_rule = "Not a photograph of a bird."
"""
)


def heron(**fields: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"class": "heron", "view": "Left", "actions": ["standing"], "parts": []}
    return thing(**(plain | fields))


FLYING = heron(
    view="Above",
    actions=["flying"],
    parts=[{"part": "wing", "box": [48, 240, 100, 300]}],
)


@contextmanager
def served(folder: Path, preset: str) -> Iterator[House]:
    """The served party of the folder, whose organiser wrote this preset."""
    (folder / "birds.toml").write_text(preset)
    applied = CliRunner().invoke(main, ["classes", "apply", "--yes", "--party", str(folder)])
    assert applied.exit_code == 0, applied.output
    with open_party(folder) as party:
        yield House(party)


def add_photograph(house: House, colour: str) -> None:
    """A photograph of that colour, waiting for its annotation."""
    image_id = house.add_image()
    sha256 = house.party.store.put(make_jpeg(colour))
    with house.party.catalogue.writing() as session:
        session.get_one(Image, image_id).sha256 = sha256


def accept_next(checker: Browser) -> None:
    answer = checker.review(checker.take("check"))
    assert answer.status_code == 201, answer.text


def read_objects(release: Path) -> list[ElementTree.Element]:
    """The objects of all annotation files, by their poses."""
    files = release.rglob("Annotations/*.xml")
    objects = [item for file in files for item in ElementTree.parse(file).iter("object")]
    return sorted(objects, key=lambda item: item.findtext("pose") or "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_party(tmp_path / "birds", name="Birds", preset="birds.toml", preset_text=PRESET)
    return tmp_path / "birds"


def test_words_added_to_the_preset_of_a_party_with_images_are_saved_and_released(
    folder: Path, tmp_path: Path
) -> None:
    with served(folder, PRESET) as house:
        add_photograph(house, "navy")
        ann = house.add_person("ann")
        chris = house.add_person("chris", Role.CHECKER)
        browser = house.enter(ann)
        task = browser.take()
        status, _, field = error_of(browser.save(task, [FLYING]))
        assert (status, field) == (422, "objects.0.view")
        assert browser.save(task, [heron()]).status_code == 201
        accept_next(house.enter(chris))
    with served(folder, CHANGED) as house:
        add_photograph(house, "olive")
        add_photograph(house, "maroon")
        browser = house.enter(ann)
        assert browser.save(browser.take(), [FLYING]).status_code == 201
        discarded = browser.take()
        assert browser.save(discarded, [], discard_reason="drawing").status_code == 201
        assert house.state(discarded["image_id"]) is ImageState.DISCARDED
        accept_next(house.enter(chris))

        export_release(house.party, tmp_path / "release", year=2026, at=house.clock.at)
    above, left = read_objects(tmp_path / "release")
    assert (above.findtext("pose"), left.findtext("pose")) == ("Above", "Left")
    assert above.findtext("part/name") == "wing"
    assert above.findtext("actions/flying") == "1"
    assert left.findtext("actions/flying") == "0"
    assert verify_tree(tmp_path / "release") == []
