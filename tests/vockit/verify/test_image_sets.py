"""Lists of images agree with the files and with one another."""

from pathlib import Path

import pytest

from tests.exporting import verify_tree
from tests.party_rows import jpeg_bytes
from tests.trees import OBJECTS, Damage, annotation, drop, drop_folder, put, write

from .planted import (
    ACTION,
    ACTIONS,
    FOURTH_PICTURE,
    MAIN,
    NEW_PICTURE,
    TEST,
    THIRD_PICTURE,
    THREE,
    TRAIN,
    TRAINVAL,
    VAL,
    Planted,
    check_damage,
    in_each,
    in_file,
    list_planted,
)


def rename(path: str, name: str) -> Damage:
    return lambda root: (root / path).rename((root / path).with_name(name))


PLANTED: list[tuple[Damage, list[Planted]]] = [
    # the sets
    (rename(THIRD_PICTURE, "2012_000003.JPG"), [(VAL, 1, "picture-missing")]),
    (drop(THREE), [(VAL, 1, "annotation-missing")]),
    (drop("Annotations/2012_000004.xml"), []),  # then the test set is not released
    (put(VAL, "2012_000003"), [(VAL, 1, "final-newline")]),
    (put(VAL, "2012_000003\r\n"), [(VAL, 1, "line-end")]),
    (put(VAL, "2012_000003\n\n"), [(VAL, 2, "blank-line")]),
    (put(VAL, "2012_000003 1\n"), in_file(VAL, "columns", "line-missing")),
    (put(TRAIN, "2012_000002\n2012_000001\n"), [(TRAIN, 2, "ascending")]),
    (put(VAL, "2012_000003\n2012_000003\n"), [(VAL, 2, "listed-twice")]),
    (put(TRAINVAL, "2012_000001\n2012_000002\n"), [(TRAINVAL, 2, "line-missing")]),
    (put(TRAIN, "2012_000002\n"), [(TRAIN, 1, "line-missing")]),
    (put(f"{ACTION}/train.txt", ""), [(f"{ACTION}/train.txt", 1, "line-missing")]),
    (put(VAL, "\ufeff2012_000003\n"), [(VAL, 1, "bom")]),
    (put(VAL, "2012_000002\n2012_000003\n"), in_file(VAL, "class-file-images", "two-sets")),
    (put(TEST, "2012_000003\n2012_000004\n"), in_file(TEST, "class-file-images", "two-sets")),
    (drop(VAL), [(VAL, 1, "set-missing")]),
    (drop(TEST), [(FOURTH_PICTURE, 1, "unlisted")]),
    (drop_folder(MAIN), [(".", 1, "folder-missing"), (FOURTH_PICTURE, 1, "unlisted")]),
    (put(NEW_PICTURE, jpeg_bytes(9)), [(NEW_PICTURE, 1, "unlisted")]),
    (
        drop_folder("JPEGImages"),
        in_each("picture-missing", *ACTIONS, TEST, TRAIN, VAL)
        + in_file(".", "folder-missing")
        + [(TRAIN, 2, "picture-missing")],
    ),
]


@pytest.mark.parametrize(("damage", "planted"), PLANTED)
def test_each_fault_alone_is_found(tree: Path, damage: Damage, planted: list[Planted]) -> None:
    check_damage(tree, damage, planted)


def test_a_partly_released_test_set_is_named(tree: Path) -> None:
    write(tree / MAIN / "test.txt", "2012_000004\n2012_000007\n")
    write(tree / MAIN / "cat_test.txt", "2012_000004  1\n2012_000007 -1\n")
    write(tree / MAIN / "person_test.txt", "2012_000004 -1\n2012_000007 -1\n")
    write(tree / "JPEGImages/2012_000007.jpg", jpeg_bytes(7))
    assert list_planted(tree) == [(f"{MAIN}/test.txt", 2, "annotation-missing")]


WRONG_IDS = ["2012_1", "abcd_efghij", "cats-and-dogs", "2012_000001x1y", "2012_00001"]


@pytest.mark.parametrize("image_id", WRONG_IDS)
def test_an_id_that_the_kit_cannot_parse_is_named(tree: Path, image_id: str) -> None:
    objects = OBJECTS["2012_000003"]
    (tree / "JPEGImages" / "2012_000003.jpg").rename(tree / "JPEGImages" / f"{image_id}.jpg")
    write(tree / f"Annotations/{image_id}.xml", annotation(image_id, objects))
    write(tree / f"{MAIN}/val.txt", f"{image_id}\n")
    assert (f"{MAIN}/val.txt", 1, "id") in list_planted(tree)


def test_a_hostile_id_reads_nothing_outside_the_tree(tree: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside.jpg", jpeg_bytes(3)[:-2])
    write(tree / MAIN / "val.txt", "../../../outside\n2012_000003\x00\n" + "x" * 5000 + "\n")
    violations = verify_tree(tree)
    assert violations
    assert all(Path(violation.file).is_relative_to(tree) for violation in violations)
