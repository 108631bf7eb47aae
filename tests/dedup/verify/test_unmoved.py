"""Pairs that agree as they lie are copies, where there is enough to go by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from dedup.pairs import Relation
from dedup.signature.brightness import read_brightness
from dedup.signature.signature import make_signature
from dedup.signature_rows import make_pictures
from dedup.verify.evidence import Evidence, Guesses, gather_evidence
from dedup.verify.unmoved import find_evidence
from dedup.verify.verdicts import doubt, is_copy_unmoved, judge
from tests.dedup.photographs import jpeg

from .test_verdicts import COPY

Picture = Image.Image
Find = Callable[..., dict[int, Evidence]]

UNMOVED = replace(COPY, shift=0.0, whole_bits=10, residual=2.0, textured=4)

CASES: dict[str, tuple[dict[str, object], bool]] = {
    "a copy": ({}, True),
    "of other grain": ({"whole_bits": 80}, False),
    "of a half that shows something else": ({"weakest_half": 0.1, "whole_bits": 40}, False),
    "soft spots on black": ({"details": 12, "textured": 12, "similarity": 0.984}, False),
    "a silhouette": ({"details": 9, "textured": 0, "similarity": 0.999}, False),
    "a disc": ({"details": 7, "textured": 0, "similarity": 1.0}, False),
    "two silhouettes": ({"details": 30, "textured": 0, "similarity": 0.95}, False),
    "what is left of a white sheet": (
        {"details": 1, "tiles": 1, "textured": 22, "similarity": 0.9},
        True,
    ),
    "too little of a white sheet": (
        {"details": 1, "tiles": 1, "textured": 12, "similarity": 0.9},
        False,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_there_is_to_go_by_counts_as_anywhere(name: str) -> None:
    values, expected = CASES[name]
    assert is_copy_unmoved(replace(UNMOVED, **values)) is expected  # type: ignore[arg-type]


@given(
    similarity=st.floats(0.6, 1), details=st.integers(0, 64), textured=st.integers(0, 64),
    whole_bits=st.integers(0, 256),
)  # fmt: skip
def test_doubt_of_what_was_not_moved_goes_by_its_own_threshold(**values: object) -> None:
    evidence = replace(UNMOVED, are_toned=True, **values)  # type: ignore[arg-type]
    assert doubt(evidence) >= doubt(replace(evidence, are_toned=False))
    if not is_copy_unmoved(evidence):
        assert doubt(evidence) == 1


def test_a_copy_that_just_passed_unmoved_is_nearly_all_doubt() -> None:
    just = replace(UNMOVED, similarity=0.76)  # 0.75 is asked, and 0.65 of what was aligned
    assert doubt(just) == pytest.approx(0.63, abs=0.01)
    assert doubt(replace(just, are_toned=True)) == pytest.approx(0.97, abs=0.01)


def paint_leaves(seed: int) -> Picture:
    """Dark leaves before a light wall that has blots everywhere."""
    random = np.random.default_rng(seed)
    blots = random.integers(184, 250, (24, 32), np.uint8)
    picture = Image.fromarray(blots).resize((400, 300), Image.Resampling.BICUBIC)
    draw = ImageDraw.Draw(picture)
    for _ in range(16):
        x, y = int(random.integers(10, 390)), int(random.integers(10, 290))
        width, height = random.integers(8, 30, 2).tolist()
        draw.ellipse((x, y, x + width, y + height), fill=int(random.integers(120, 175)))
    return picture


def paint_spot(width: float, power: float) -> Picture:
    """A soft round spot on black, more or less peaked."""
    y, x = np.mgrid[-1:1:300j, -1:1:400j]
    levels = 250 * np.exp(-((np.hypot(x, y) / width) ** power))
    return Image.fromarray(levels.astype(np.uint8))


def brighten(picture: Picture, gain: float) -> Picture:
    return picture.point(lambda level: min(round(level * gain), 255))


def relate(find: Find, *pictures: Picture, is_drawn: bool = False) -> Relation | None:
    evidence = measure(find, *pictures, is_drawn=is_drawn)
    return None if evidence is None else judge(evidence)


def measure(find: Find, *pictures: Picture, is_drawn: bool = False) -> Evidence | None:
    signatures = [make_signature(read_brightness(jpeg(it))) for it in pictures]
    layouts = [replace(one.layout, is_drawn=is_drawn) for one in signatures]
    table = make_pictures([one.luma for one in signatures], layouts)
    rows: NDArray[np.int64] = np.zeros(1, np.int64)
    codes = np.zeros(1, np.uint8)
    found = find(table, Guesses(rows, rows, rows + 1, codes, codes))
    return found.get(0)


@pytest.mark.parametrize("seed", range(4))
def test_leaves_are_known_when_the_wall_became_white(seed: int) -> None:
    picture = paint_leaves(seed)
    copy = brighten(picture, 1.4)
    for pair in ((picture, copy), (copy, picture)):
        evidence = measure(find_evidence, *pair)
        assert evidence is not None
        assert judge(evidence) is Relation.DUPLICATE
        assert evidence.are_toned


def test_what_alignment_cannot_hold_is_known_by_where_it_lies() -> None:
    pictures = [(paint_leaves(seed), brighten(paint_leaves(seed), 1.4)) for seed in range(4)]
    aligned = {relate(gather_evidence, *pair) for pair in pictures}
    assert Relation.DUPLICATE not in aligned


@pytest.mark.parametrize("seed", range(4))
def test_other_leaves_are_not(seed: int) -> None:
    others = brighten(paint_leaves(seed + 10), 1.4)
    assert relate(find_evidence, paint_leaves(seed), others) is not Relation.DUPLICATE


def test_two_soft_spots_are_not_one_though_a_curve_makes_them_alike() -> None:
    widths = ((0.2, 2.0), (0.3, 6.0), (0.25, 6.0), (0.4, 1.5), (0.7, 1.0))
    spots = [paint_spot(*one) for one in widths]
    for one, other in ((0, 1), (0, 4), (1, 3), (2, 3)):
        assert relate(find_evidence, spots[one], spots[other]) is not Relation.DUPLICATE


def test_a_white_sheet_is_no_copy() -> None:
    white = Image.new("L", (400, 300), 255)
    assert relate(find_evidence, paint_leaves(0), white) is None


def test_of_a_copy_of_another_shape_nothing_is_tried_again() -> None:
    picture = paint_leaves(1)
    copy = brighten(picture, 1.4).resize((400, 400))
    assert relate(find_evidence, picture, copy) is relate(gather_evidence, picture, copy)


def test_pages_and_screens_are_not_tried_again() -> None:
    pages = paint_leaves(2), brighten(paint_leaves(2), 1.4)
    again = relate(find_evidence, *pages, is_drawn=True)
    assert again is relate(gather_evidence, *pages, is_drawn=True)


def test_soft_copies_stay_what_they_were() -> None:
    picture = paint_leaves(3)
    soft = picture.filter(ImageFilter.GaussianBlur(1))
    assert relate(find_evidence, picture, soft) is Relation.DUPLICATE
