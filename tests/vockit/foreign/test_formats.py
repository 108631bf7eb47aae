"""Readers of other tools get from a converted tree what the tree says."""

import warnings
from collections import Counter
from pathlib import Path

import pytest

from vockit.errors import FolderTakenError
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import TreeContent

from .expected import Found, expect


@pytest.mark.parametrize("form", ["coco", "yolo", "open_images"])
def test_datumaro_reads_the_converted_tree(
    form: str, content: TreeContent, request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue(form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from datumaro import Dataset

        name = {"coco": "coco_instances"}.get(form, form)
        dataset = Dataset.import_from(str(folder), name)
        categories = next(iter(dataset.categories().values()))
        boxes: Found = Counter(
            (
                item.id.rpartition("/")[2],
                categories[box.label].name,
                tuple(round(number) for number in box.get_bbox()),
            )
            for item in dataset
            for box in item.annotations
            if hasattr(box, "get_bbox")  # Open Images' labels of whole images have none
        )
    assert boxes == expect(content, "train", "val", "test")


def test_a_folder_that_is_not_empty_is_refused(content: TreeContent, tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    with pytest.raises(FolderTakenError, match="is not empty"):
        convert_tree(content, tmp_path, "coco")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
