"""Which labels a tree's classes have."""

from pathlib import Path

from vockit.foreign.label_map import find_classes, read_renumbering
from vockit.format.tree import VOC_CLASSES


def test_a_label_map_of_its_own_comes_before_the_classes_of_voc(tmp_path: Path) -> None:
    held = {"cat", "dog"}
    assert find_classes(tmp_path, held) == VOC_CLASSES
    (tmp_path / "labelmap.txt").write_text("background:0,0,0::\ndog:1,1,1::\ncat:2,2,2::\n")
    assert find_classes(tmp_path, held) == ("dog", "cat")
    assert find_classes(tmp_path, {"cat", "bird"}) is None


def test_a_background_on_a_later_line_renumbers_the_masks(tmp_path: Path) -> None:
    assert read_renumbering(tmp_path) is None
    (tmp_path / "labelmap.txt").write_text("cat:1,1,1::\nbackground:0,0,0::\ndog:2,2,2::\n")
    numbers = read_renumbering(tmp_path)
    assert numbers is not None
    assert numbers[[0, 1, 2, 255]].tolist() == [1, 0, 2, 255]
    assert find_classes(tmp_path, {"cat"}) == ("cat", "dog")
    (tmp_path / "labelmap.txt").write_text("background:0,0,0::\ncat:1,1,1::\n")
    assert read_renumbering(tmp_path) is None
