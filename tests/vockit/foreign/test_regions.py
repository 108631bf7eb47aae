"""The pixels of objects, as masks show them."""

import json
from pathlib import Path

from click.testing import CliRunner

from tests.trees import CAT, HARD_CAT, annotation, make_tree, write
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import load_tree
from vocparty import main


def test_a_difficult_object_gets_the_void_pixels_of_its_box(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    write(root / "Annotations/2012_000001.xml", annotation("2012_000001", (CAT, HARD_CAT)))
    convert_tree(load_tree(root), tmp_path / "out", "coco")
    document = json.loads((tmp_path / "out/annotations/instances_train.json").read_text())
    assert [annotation["area"] for annotation in document["annotations"][:2]] == [100, 300]


def test_an_image_whose_mask_cannot_be_read_is_skipped_and_not_written_as_empty(
    tmp_path: Path,
) -> None:
    root = make_tree(tmp_path / "in")
    write(root / "SegmentationObject/2012_000001.png", b"no PNG")
    out = tmp_path / "out"
    run = CliRunner().invoke(main, ["convert", str(root), str(out), "--to", "yolo-seg"])
    assert run.exit_code == 1, run.output  # no other image has a mask
    assert "Skipped image 2012_000001: its mask cannot be read" in run.output
    assert [path for path in out.rglob("*.txt") if path.stem == "2012_000001"] == []
