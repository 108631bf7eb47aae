"""Crops of gold images: right and wrong ones, which nobody can take for the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.annotated import AnnotatedObject
from catalog.box import Box, overlap
from catalog.states import Said
from work.questions.gold_crops import DIFFERS, MOST_SHARE, GoldObject, choose_crop

SIZE = (500, 375)


def gold_of(
    *items: tuple[str, tuple[int, int, int, int]], difficult: bool = False
) -> list[GoldObject]:
    """The objects of one gold image."""
    made = [
        AnnotatedObject(
            number=number,
            key=f"k{number}",
            class_name=name,
            class_id=name,
            box=Box(*xyxy),
            difficult=difficult,
        )
        for number, (name, xyxy) in enumerate(items, start=1)
    ]
    return [GoldObject(7, SIZE, item, made) for item in made]


@st.composite
def boxes(draw: st.DrawFn) -> tuple[int, int, int, int]:
    xmin = draw(st.integers(1, SIZE[0] - 1))
    ymin = draw(st.integers(1, SIZE[1] - 1))
    return xmin, ymin, draw(st.integers(xmin, SIZE[0])), draw(st.integers(ymin, SIZE[1]))


@given(
    st.lists(st.tuples(st.sampled_from(["cat", "dog"]), boxes()), min_size=1, max_size=4),
    st.integers(0, 2**40),
)
def test_a_right_crop_is_an_object_and_a_wrong_one_overlaps_none_by_half(
    items: list[tuple[str, tuple[int, int, int, int]]], lot: int
) -> None:
    gold = gold_of(*items)
    crop = choose_crop(gold, "cat", lot)
    cats = [Box(*xyxy) for name, xyxy in items if name == "cat"]
    if crop is None:
        return
    assert crop.box.is_inside(*SIZE)
    assert crop.box.area_px <= MOST_SHARE * SIZE[0] * SIZE[1]
    if crop.known is Said.RIGHT:
        assert crop.box in cats
    else:
        assert all(overlap(crop.box, cat) < DIFFERS for cat in cats)


@pytest.mark.parametrize("known", [Said.RIGHT, Said.PART, Said.LARGE, Said.SEVERAL, Said.WRONG])
def test_every_answer_is_the_known_one_of_some_crop(known: Said) -> None:
    gold = gold_of(("cat", (150, 150, 220, 200)), ("cat", (300, 160, 360, 240)))
    crops = {crop.known for lot in range(60) if (crop := choose_crop(gold, "cat", lot))}
    assert known in crops


def test_right_and_wrong_crops_are_about_as_many() -> None:
    gold = gold_of(("cat", (150, 150, 220, 200)), ("dog", (300, 160, 360, 240)))
    crops = [choose_crop(gold, "cat", lot) for lot in range(100)]
    assert sum(crop is not None and crop.known is Said.RIGHT for crop in crops) == 50


def test_an_object_of_another_class_is_wrong_and_a_difficult_one_is_never_right() -> None:
    dog = gold_of(("dog", (150, 150, 220, 200)))
    crop = choose_crop(dog, "cat", 0)
    assert crop is not None
    assert (crop.known, crop.object_key) == (Said.WRONG, "k1")
    difficult = gold_of(("cat", (150, 150, 220, 200)), difficult=True)
    crops = [choose_crop(difficult, "cat", lot) for lot in range(40)]
    assert Said.RIGHT not in {crop.known for crop in crops if crop}
    assert choose_crop([], "cat", 3) is None


def test_a_crop_as_large_as_its_image_is_not_asked() -> None:
    whole = gold_of(("cat", (1, 1, *SIZE)))
    crops = [choose_crop(whole, "cat", lot) for lot in range(40)]
    assert {crop.known for crop in crops if crop} <= {Said.PART}
    most = gold_of(("cat", (100, 75, 400, 300)))  # one too large would be the whole image
    assert Said.LARGE not in {
        crop.known for lot in range(60) if (crop := choose_crop(most, "cat", lot))
    }
