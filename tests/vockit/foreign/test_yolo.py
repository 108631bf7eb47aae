"""YOLO's files of a tree: boxes, outlines, and difficult objects on request."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from ruamel.yaml import YAML

from tests.trees import CAT_LABEL, make_tree, write
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import TreeContent
from vockit.format.masks import format_mask
from vockit.format.rings import fill
from vocparty import main

from .regions import REGIONS


@pytest.mark.parametrize("labels", [region for region, _ in REGIONS], ids=["pieces", "holes"])
def test_yolo_seg_has_one_outline_per_object(tmp_path: Path, labels: NDArray[np.uint8]) -> None:
    root = make_tree(tmp_path)
    write(root / "SegmentationObject/2012_000001.png", format_mask(labels))
    out = tmp_path / "out"
    said = CliRunner().invoke(main, ["convert", str(root), str(out), "--to", "yolo-seg"]).output
    assert "Wrote 1 image with 1 object as yolo-seg" in said
    (line,) = (out / "labels/train/2012_000001.txt").read_text().splitlines()
    number, *shares = line.split()
    assert int(number) == CAT_LABEL - 1
    corners = (np.array(shares, float).reshape(-1, 2) * (60, 40)).round().astype(int)
    assert np.array_equal(fill([list(map(tuple, corners.tolist()))], 60, 40), labels == 1)
    assert [path.name for path in (out / "images/train").iterdir()] == ["2012_000001.jpg"]


def test_yolo_can_hold_difficult_objects(content: TreeContent, yolo: Path, tmp_path: Path) -> None:
    convert_tree(content, tmp_path / "out", "yolo")
    dog = content.classes.index("dog")
    assert not _numbers(tmp_path / "out")[dog]
    assert _numbers(yolo)[dog] == 2
    data = YAML(typ="safe").load((yolo / "data.yaml").read_text())
    assert data["names"][dog] == "dog"
    assert data["val"] == "images/val"


def _numbers(folder: Path) -> Counter[int]:
    files = (folder / "labels").rglob("*.txt")
    return Counter(int(line.split()[0]) for file in files for line in file.read_text().splitlines())
