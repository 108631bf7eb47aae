"""Values of annotation files become values of the catalogue, and what changed is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.box import Box
from catalog.states import View
from export.importing.mending import Mender, UnmendableError
from export.rows import ObjectRow
from export.voc.read import Places
from export.voc.records import Number, VocAction, VocBox, VocImage, VocObject, VocPart, VocPoint

WIDTH, HEIGHT = 60, 40
WHOLE = VocBox(2, 3, 50, 30)


def mend(item: VocObject) -> tuple[ObjectRow, list[str]]:
    mender = Mender("a.xml", WIDTH, HEIGHT, lambda: Places(objects=(7,)))
    (made,) = mender.make_objects(VocImage("a.jpg", (item,)))
    assert all((it.file, it.line) == ("a.xml", 7) for it in mender.mends)
    return made, [it.message for it in mender.mends]


@pytest.mark.parametrize(
    ("given_box", "becomes", "is_told"),
    [
        ((2, 3, 50, 30), (2, 3, 50, 30), False),
        ((1, 1, WIDTH, HEIGHT), (1, 1, WIDTH, HEIGHT), False),
        ((2, 45.7 - 40, 50, 30), (2, 6, 50, 30), True),
        ((2.5, 3.5, 50.49, 30), (3, 4, 50, 30), True),
        ((0, 0, 59, 39), (1, 1, 59, 39), True),
        ((50, 30, 2, 3), (2, 3, 50, 30), True),
        ((-9, 3, 600, 30), (1, 3, WIDTH, 30), True),
    ],
)
def test_a_box_becomes_whole_pixels_inside_the_image(
    given_box: tuple[Number, Number, Number, Number],
    becomes: tuple[int, int, int, int],
    is_told: bool,
) -> None:
    made, told = mend(VocObject("cat", VocBox(*given_box)))
    assert made.box.xyxy == becomes
    assert bool(told) == is_told


@pytest.mark.parametrize("outside", [(61, 1, 70, 9), (-5, 1, 0, 9), (1, 41, 9, 50), (1, -3, 9, 0)])
def test_a_box_without_a_pixel_in_the_image_is_not_invented(
    outside: tuple[int, int, int, int],
) -> None:
    with pytest.raises(UnmendableError, match=r"object 1 .* lies outside the 60 x 40 pixels"):
        mend(VocObject("cat", VocBox(*outside)))


@pytest.mark.parametrize(
    ("pose", "view", "is_told"),
    [
        (None, View.UNSPECIFIED, False),
        ("Left", View.LEFT, False),
        ("frontal", View.FRONTAL, True),
        ("SlightlyLeft", View.UNSPECIFIED, True),
    ],
)
def test_a_pose_becomes_a_view(pose: str | None, view: View, is_told: bool) -> None:
    made, told = mend(VocObject("cat", WHOLE, pose))
    assert made.view is view
    assert bool(told) == is_told


def test_everything_else_stays_as_the_file_has_it() -> None:
    item = VocObject(
        name="person",
        box=WHOLE,
        pose="Rear",
        truncated=True,
        occluded=None,
        difficult=True,
        parts=(VocPart("head", VocBox(1, 1, 5, 5)), VocPart("hand", VocBox(6, 6, 9, 9))),
        actions=(VocAction("walking", True), VocAction("phoning", True), VocAction("other", False)),
        point=VocPoint(12, 13),
    )
    made, told = mend(item)
    assert told == []
    assert (made.truncated, made.occluded, made.difficult) == (True, False, True)
    assert [(part.name, part.box) for part in made.parts] == [
        ("head", Box(1, 1, 5, 5)),
        ("hand", Box(6, 6, 9, 9)),
    ]
    assert made.actions == ("phoning", "walking")
    assert made.point_xy == (12, 13)


numbers = st.one_of(
    st.integers(-10_000, 10_000), st.floats(-1e6, 1e6, allow_nan=False, allow_infinity=False)
)


@given(st.tuples(numbers, numbers, numbers, numbers))
def test_whatever_a_box_says_what_is_stored_is_inside(
    given_box: tuple[Number, Number, Number, Number],
) -> None:
    try:
        made, told = mend(VocObject("cat", VocBox(*given_box)))
    except UnmendableError:
        return
    assert made.box.is_inside(WIDTH, HEIGHT)
    assert bool(told) == (made.box.xyxy != given_box)
