"""The command `vocparty import voc`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.party import Party
from catalog.tables import Photo
from tests.export.trees import make_tree, write
from vocparty import main


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "in")


def test_the_command_says_what_came_and_what_stayed_behind(party: Party, root: Path) -> None:
    (root / "Annotations/2012_000003.xml").unlink()
    done = CliRunner().invoke(main, ["import", "voc", str(root), "--party", str(party.folder)])
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "Imported 5 images; skipped 1. They have 8 objects and segmentation masks of 1 image. "
        "The release VOC2012 has 3 train, 1 val, 1 test.\n"
    )
    assert (
        "5 images have no licence, because VOC trees record none. Make sure that you may use them."
        in done.stderr
    )
    assert "Skipped 2012_000003: it has no annotation." in done.stderr
    assert "Changed in 8 files: list: val.txt:1: the line '2012_000003' is left" in done.stderr


def test_nothing_is_said_to_be_changed_in_a_file_that_was_skipped(party: Party, root: Path) -> None:
    path = root / "Annotations/2012_000003.xml"
    path.write_text(path.read_text().replace("\t", "  "))
    (root / "JPEGImages/2012_000003.jpg").write_bytes(b"no picture")
    done = CliRunner().invoke(main, ["import", "voc", str(root), "--party", str(party.folder)])
    assert "Skipped 2012_000003: " in done.stderr
    assert "2012_000003.xml" not in done.stderr


def test_json_holds_every_mend_with_its_place(party: Party, root: Path) -> None:
    path = root / "Annotations/2012_000001.xml"
    write(path, path.read_text().replace("<xmin>2<", "<xmin>2.6<").replace("\t", "  "))
    done = CliRunner().invoke(
        main, ["import", "voc", str(root), "--party", str(party.folder), "--json"]
    )
    document = json.loads(done.stdout)
    assert document["splits"] == {"train": 3, "val": 2, "test": 1}
    mends = {mend["rule"]: mend for mend in document["mends"]}
    assert mends["box"]["message"].endswith("was 2.6, 3, 50, 30 and became 3, 3, 50, 30")
    assert mends["box"]["file"] == str(path)


def test_where_a_licence_is_required_a_tree_stays_out_whole(party: Party, root: Path) -> None:
    words = ["import", "voc", str(root), "--party", str(party.folder)]
    done = CliRunner().invoke(main, [*words, "--require-licence"])
    assert done.exit_code == 2
    assert "A VOC tree records no licence of its photographs" in done.stderr
    with party.catalogue.reading() as session:
        assert session.scalars(select(Photo)).all() == []
