"""Faults that the tests of `verify` plant in a tree, and the files in which they do."""

from dataclasses import replace
from pathlib import Path

from tests.exporting import verify_tree
from tests.trees import OBJECTS, SETS, Damage
from vockit.format.records import VocAction, VocPoint

Planted = tuple[str, int, str]
"""File, line and rule of a violation."""

ONE = "Annotations/2012_000001.xml"
PICTURE = "JPEGImages/2012_000001.jpg"
MAIN = "ImageSets/Main"
ACTION = "ImageSets/Action"
THREE = "Annotations/2012_000003.xml"
SIX = "Annotations/2012_000006.xml"
POINTED = [replace(item, point=VocPoint(9, 9)) for item in OBJECTS["2012_000003"]]
GREYS = [grey for grey in range(256) for _ in range(3)]
WALKS = VocAction("walking", True)
DANCES = VocAction("dancing", False)

TRAIN, VAL, TRAINVAL, TEST = (f"{MAIN}/{name}.txt" for name in SETS)
CAT_TRAIN, CAT_VAL, DOG_VAL = (f"{MAIN}/{name}.txt" for name in ("cat_train", "cat_val", "dog_val"))
LAYOUT_TRAIN, LAYOUT_TRAINVAL = (f"ImageSets/Layout/{name}.txt" for name in ("train", "trainval"))
CATS = CAT_TRAIN, f"{MAIN}/cat_trainval.txt"
DOGS = [f"{MAIN}/dog_{name}.txt" for name in SETS]
ACTIONS = [f"{ACTION}/{name}.txt" for name in ("train", "val")]
WALKING_TRAIN, WALKING_VAL = (f"{ACTION}/walking_{name}.txt" for name in ("train", "val"))
SEGMENTED = "ImageSets/Segmentation/train.txt"
STRAY = (
    f"{MAIN}/README.txt",
    "notes.txt",
    "JPEGImages/Thumbs.db",
    "Annotations/2012_000009.xml.orig",
    "ImageSets/Layout/cat_train.txt",
)
THIRD_PICTURE = "JPEGImages/2012_000003.jpg"
FOURTH_PICTURE = "JPEGImages/2012_000004.jpg"
NEW = "Annotations/2012_000009.xml"
NEW_PICTURE = "JPEGImages/2012_000009.jpg"
MASK = "SegmentationObject/2012_000001.png"
CLASS_MASK = "SegmentationClass/2012_000001.png"


def list_planted(root: Path) -> list[Planted]:
    """The violations of a tree."""
    return [
        (str(Path(violation.file).relative_to(root)), violation.line, violation.rule)
        for violation in verify_tree(root)
    ]


def in_each(rule: str, *paths: str) -> list[Planted]:
    """The same fault in the first line of each of these files."""
    return [(path, 1, rule) for path in paths]


def in_file(path: str, *rules: str) -> list[Planted]:
    """Faults of the first line of one file."""
    return [(path, 1, rule) for rule in rules]


def check_damage(tree: Path, damage: Damage, planted: list[Planted]) -> None:
    """Fail unless the damage gives these violations and no other."""
    damage(tree)
    assert sorted(set(list_planted(tree))) == sorted(set(planted))
