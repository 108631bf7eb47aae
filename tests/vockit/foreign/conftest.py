"""A release of nine images, as a tree and in other formats."""

from pathlib import Path

import pytest

from catalog.party import make_party, open_party
from tests.exporting import export_release
from tests.party_rows import CAT as DRAWN_CAT
from tests.party_rows import DOG, NOW, PERSON, add_image, add_people
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import TreeContent, load_tree


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a release of nine images, which no test changes."""
    folder = tmp_path_factory.mktemp("release")
    make_party(folder / "party", name="Test party", preset="voc2012")
    with open_party(folder / "party") as party:
        with party.catalogue.writing() as session:
            add_people(session)
            for number in range(1, 10):
                drawn = (
                    [DRAWN_CAT] * (number < 7) + [DOG] * (4 < number < 7) + [PERSON] * (number > 6)
                )
                add_image(session, party, number, drawn)
        export_release(party, folder / "out", year=2026, at=NOW)
    return folder / "out"


@pytest.fixture(scope="session")
def content(release: Path) -> TreeContent:
    return load_tree(release)


@pytest.fixture(scope="session")
def coco(content: TreeContent, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("coco") / "out"
    convert_tree(content, folder, "coco")
    return folder


@pytest.fixture(scope="session")
def yolo(content: TreeContent, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("yolo") / "out"
    convert_tree(content, folder, "yolo", with_difficult=True)
    return folder


@pytest.fixture(scope="session")
def open_images(content: TreeContent, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("open-images") / "out"
    convert_tree(content, folder, "open-images", with_difficult=True)
    return folder
