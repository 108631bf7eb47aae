"""The images of a tree as the release that an import records."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

from export.form import FileForm
from export.importing.releases import find_style
from export.importing.source_tree import get_tree, read_tree_splits
from export.importing.taken import TakenImage, TreeRelease
from export.importing.tree_image import NOWHERE, Stored, StoredFile, TreeImage
from export.voc.records import VocSource
from tests.export.trees import make_tree

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
FILE = StoredFile("a" * 64, 500, 375, 10_000)


def make_taken(folder: str) -> TakenImage:
    form = FileForm(find_style(2012), folder, VocSource())
    image = TreeImage("2012_000001", "2012_000001.xml", FILE, (), form, NOWHERE, {}, None)
    return TakenImage(image, Stored(1, 1, is_new=True))


def add(release: TreeRelease, folders: Sequence[str]) -> None:
    """Take in the images of a share, whose forms nobody has any more afterwards."""
    release.add([make_taken(folder) for folder in folders])


def test_an_image_has_its_own_form_where_those_before_are_gone(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    release = TreeRelease(get_tree(root), read_tree_splits(root), 2012, NOW)
    shares = [[f"VOC {share} {number}" for number in range(200)] for share in range(5)]
    for folders in shares:
        add(release, folders)
    assert [image.form.folder for image in release.images] == list(chain(*shares))
