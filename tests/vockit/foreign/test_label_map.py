"""Which labels a tree's classes have."""

from pathlib import Path

from vockit.foreign.label_map import find_classes
from vockit.format.tree import VOC_CLASSES


def test_a_label_map_of_its_own_comes_before_the_classes_of_voc(tmp_path: Path) -> None:
    held = {"cat", "dog"}
    assert find_classes(tmp_path, held) == VOC_CLASSES
    (tmp_path / "labelmap.txt").write_text("background:0,0,0::\ndog:1,1,1::\ncat:2,2,2::\n")
    assert find_classes(tmp_path, held) == ("dog", "cat")
    assert find_classes(tmp_path, {"cat", "bird"}) is None
