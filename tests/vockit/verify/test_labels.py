"""Lists of classes, layouts and actions say what the annotations say."""

from pathlib import Path

import pytest

from tests.trees import Damage, drop, put

from .planted import (
    CAT_TRAIN,
    CAT_VAL,
    CLASS_MASK,
    DOG_VAL,
    DOGS,
    LAYOUT_TRAIN,
    LAYOUT_TRAINVAL,
    ONE,
    SEGMENTED,
    WALKING_TRAIN,
    WALKING_VAL,
    Planted,
    check_damage,
    in_each,
    in_file,
)

PLANTED: list[tuple[Damage, list[Planted]]] = [
    # the labels
    (drop(CAT_VAL), [(CAT_VAL, 1, "class-file-missing")]),
    (put(CAT_VAL, "2012_000003  1\n"), [(CAT_VAL, 1, "label-disagrees")]),
    (put(CAT_VAL, "2012_000003     -1\n"), []),
    (put(CAT_TRAIN, "2012_000001  1\n2012_000002  0\r\n"), [(CAT_TRAIN, 2, "line-end")]),
    (put(CAT_VAL, "2012_000003  2\n"), [(CAT_VAL, 1, "label")]),
    (put(CAT_VAL, "2012_000003\n"), [(CAT_VAL, 1, "class-file-images"), (CAT_VAL, 1, "columns")]),
    (put(DOG_VAL, "2012_000003 -1\n"), in_each("class-file-missing", *DOGS[:1], *DOGS[2:])),
    # layout, action, segmentation
    *(  # there are two, of which 1 is a cat
        (
            put(LAYOUT_TRAIN, f"2012_000002  {number}\n"),
            in_file(LAYOUT_TRAIN, "object-number", "trainval")
            + in_file(LAYOUT_TRAINVAL, "trainval"),
        )
        for number in (1, 3)
    ),
    (put(WALKING_VAL, "2012_000006  1 -1\n"), [(WALKING_VAL, 1, "label-disagrees")]),
    (put(WALKING_VAL, "2012_000006  1  0\n"), [(WALKING_VAL, 1, "label")]),
    (put(WALKING_TRAIN, "2012_000005  1  1\n"), in_file(WALKING_TRAIN, "action-file-images")),
    (put(WALKING_VAL, ""), [(WALKING_VAL, 1, "action-file-images")]),
    (drop(CLASS_MASK), [(ONE, 14, "segmented"), (SEGMENTED, 1, "mask-missing")]),
]


@pytest.mark.parametrize(("damage", "planted"), PLANTED)
def test_each_fault_alone_is_found(tree: Path, damage: Damage, planted: list[Planted]) -> None:
    check_damage(tree, damage, planted)
