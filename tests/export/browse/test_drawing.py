"""Classes of one image differ in colour, and names keep off each other and in the picture."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from export.browse.gallery import COLOURS, find_colours, find_letter_height, place_labels
from export.formats.tree_images import TreeImage
from voc.records import VocBox, VocImage, VocObject, VocSize
from voc.tree import VOC_CLASSES

NUMBER_OF = {name: number for number, name in enumerate(VOC_CLASSES)}


def image_of(*objects: VocObject, width: int = 500, height: int = 375) -> TreeImage:
    record = VocImage("a.jpg", objects)
    return TreeImage("a", "train", Path("a.jpg"), VocSize(width, height, 3), record)


def test_aeroplane_and_person_differ() -> None:
    box = VocBox(1, 1, 9, 9)
    image = image_of(VocObject("person", box), VocObject("aeroplane", box), VocObject("bird", box))
    colours = find_colours(image, NUMBER_OF)
    assert len(set(colours.values())) == 3
    assert colours["aeroplane"] == 0


@given(st.lists(st.sampled_from(VOC_CLASSES), unique=True, min_size=1))
def test_classes_share_a_colour_only_where_there_are_more_than_colours(names: list[str]) -> None:
    image = image_of(*(VocObject(name, VocBox(1, 1, 9, 9)) for name in names))
    colours = find_colours(image, NUMBER_OF)
    assert set(colours) == set(names)
    assert len(set(colours.values())) == min(len(names), COLOURS)


def test_names_of_two_boxes_at_one_height_do_not_meet() -> None:
    image = image_of(
        VocObject("aeroplane", VocBox(104, 78, 375, 183), "Frontal"),
        VocObject("aeroplane", VocBox(133, 88, 197, 123), "Left", truncated=True),
        VocObject("person", VocBox(1, 1, 30, 60)),
    )
    labels = place_labels(image)
    assert [it.text for it in labels] == ["1 aeroplane Frontal", "2 aeroplane Left T", "3 person"]
    height = find_letter_height(image)
    for first, second in combinations(labels, 2):
        is_beside = abs(first.x - second.x) > 100
        assert is_beside or abs(first.y - second.y) >= height


@given(
    st.integers(1, 5000),
    st.integers(1, 5000),
    st.lists(st.tuples(*[st.integers(-50, 5000)] * 4), max_size=8),
)
def test_names_begin_in_the_picture_whatever_the_boxes_are(
    width: int, height: int, boxes: list[tuple[int, int, int, int]]
) -> None:
    objects = [VocObject("cat", VocBox(*box)) for box in boxes]
    image = image_of(*objects, width=width, height=height)
    labels = place_labels(image)
    assert len(labels) == len(boxes)
    line = find_letter_height(image) * 1.35
    assert all(0 <= it.x <= width and 0 <= it.y <= max(height, line) for it in labels)
