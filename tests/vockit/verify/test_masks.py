"""Masks have the size, labels and colours of the format, and agree with the boxes."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.trees import CAT_LABEL, OBJECTS, Damage, annotation, mask_bytes, put, write
from vockit.format.records import VocBox
from vockit.verify.check import check_folder

from .planted import CLASS_MASK, GREYS, MASK, ONE, Planted, check_damage, list_planted


def damage_pixels(png: bytes) -> bytes:
    """The PNG with changed bytes in its pixel data."""
    place = png.index(b"IDAT") + 6
    return png[:place] + bytes(8) + png[place + 8 :]


PLANTED: list[tuple[Damage, list[Planted]]] = [
    # masks
    (put(MASK, "no picture"), [(MASK, 1, "mask")]),
    (put(MASK, mask_bytes()[:-20]), [(MASK, 1, "mask")]),
    (put(MASK, damage_pixels(mask_bytes())), [(MASK, 1, "mask")]),
    (put(MASK, mask_bytes(mode="L")), [(MASK, 1, "mask")]),
    (put(MASK, mask_bytes(61, 40)), [(MASK, 1, "mask-size")]),
    (put(MASK, mask_bytes(label=2)), [(MASK, 1, "mask-label")]),
    (put(MASK, mask_bytes(label=21)), [(MASK, 1, "mask-label")]),
    (put(MASK, mask_bytes(border_px=4)), [(MASK, 1, "mask-void")]),
    (put(CLASS_MASK, mask_bytes(label=20)), [(CLASS_MASK, 1, "mask-class")]),
    (put(CLASS_MASK, mask_bytes(label=0)), [(CLASS_MASK, 1, "mask-class")]),
    (put(MASK, mask_bytes(label=0)), [(CLASS_MASK, 1, "mask-class"), (MASK, 1, "mask-object")]),
    (put(MASK, mask_bytes(palette=GREYS)), [(MASK, 1, "mask-palette")]),
    (put(MASK, mask_bytes(transparency=0)), [(MASK, 1, "mask-palette")]),
    (put(MASK, mask_bytes(mode="RGB")), [(MASK, 1, "mask")]),
    (put(CLASS_MASK, mask_bytes(label=21)), [(CLASS_MASK, 1, "mask-label")]),
]


@pytest.mark.parametrize(("damage", "planted"), PLANTED)
def test_each_fault_alone_is_found(tree: Path, damage: Damage, planted: list[Planted]) -> None:
    check_damage(tree, damage, planted)


def test_the_label_map_says_which_labels_masks_have(tree: Path) -> None:
    others = "".join(f"animal{number}:0,0,0::\n" for number in range(25))
    label_map = f"background:0,0,0::\n{others}cat:0,0,0::\nperson:0,0,0::phoning,walking\n"
    (tree / "labelmap.txt").write_text(label_map)
    write(tree / CLASS_MASK, mask_bytes(label=26))
    assert CLASS_MASK not in {path for path, _, _ in list_planted(tree)}
    write(tree / CLASS_MASK, mask_bytes(label=28))
    assert (CLASS_MASK, 1, "mask-label") in list_planted(tree)


def test_faults_that_real_voc_masks_have_are_warnings(tree: Path) -> None:
    for path, label in ((CLASS_MASK, CAT_LABEL), (MASK, 1)):
        write(tree / path, mask_bytes(label=label, border_px=0))
    cat = replace(OBJECTS["2012_000001"][0], box=VocBox(23, 3, 50, 30))
    write(tree / ONE, annotation("2012_000001", (cat,)))
    (report,) = check_folder(tree)
    assert [violation.rule for violation in report.violations] == ["mask-box", "mask-no-void"]
    assert report.errors == ()
    assert "object 1 (cat) has pixels 7 px outside its box" in report.violations[0].message
