"""The original as its copy would show it, whatever was done to all of its levels alike."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dedup.verify.tones import Toned, match_tones

from .test_registration import make_scene

Levels = NDArray[np.uint8]


def paint(seed: int) -> Levels:
    levels: Levels = np.clip(make_scene(seed), 0, 255).astype(np.uint8)
    return levels


def change(scene: Levels, gain: float, offset: float = 0) -> Levels:
    levels: Levels = np.clip(np.rint(scene * gain + offset), 0, 255).astype(np.uint8)
    return levels


def match(first: Levels, second: Levels) -> tuple[Toned, float]:
    toned = match_tones(first, second)
    return toned, float(toned.unexplained[0])


@settings(max_examples=25)
@given(levels=st.lists(st.integers(0, 255), min_size=256, max_size=256), seed=st.integers(0, 9))
def test_any_rising_curve_is_found(levels: list[int], seed: int) -> None:
    scene = paint(seed)
    copy = np.array(sorted(levels), np.uint8)[scene]
    toned, unexplained = match(scene, copy)
    assert np.array_equal(toned.first, toned.second)
    assert unexplained == pytest.approx(float(np.ptp(copy) == 0), abs=1e-9)


@settings(max_examples=15)
@given(seed=st.integers(0, 99), other=st.integers(100, 199))
def test_the_curve_of_two_scenes_never_falls(seed: int, other: int) -> None:
    first, second = paint(seed), paint(other)
    toned, unexplained = match(first, second)
    source, shown = (
        (second, toned.second) if np.array_equal(toned.first, first) else (first, toned.first)
    )
    by_level = [np.unique(shown[source == level]) for level in np.unique(source)]
    assert all(len(shades) == 1 for shades in by_level)
    assert all(one[0] <= other[0] for one, other in pairwise(by_level))
    assert 0 < unexplained <= 1


@pytest.mark.parametrize("gain", [1.4, 1.8, 2.5])
def test_what_became_white_is_told_from_the_original(gain: float) -> None:
    scene = paint(1)
    for pair in ((scene, change(scene, gain)), (change(scene, gain), scene)):
        toned, unexplained = match(*pair)
        assert unexplained == pytest.approx(0, abs=1e-9)
        assert np.array_equal(toned.first, change(scene, gain))


def test_a_negative_is_no_copy() -> None:
    _, unexplained = match(paint(2), 255 - paint(2))
    assert unexplained == pytest.approx(1)


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_plain_sheet_explains_nothing_and_is_explained_by_nothing(level: int) -> None:
    sheet = np.full((1, 64, 64), level, np.uint8)
    assert match(paint(3), sheet)[1] == 1
    assert match(sheet, paint(3))[1] == 1
    assert match(sheet, sheet)[1] == 1


def test_many_pairs_give_what_each_alone_gives() -> None:
    first = np.concatenate([paint(seed) for seed in range(5)])
    second = np.concatenate([change(paint(seed), 0.5 + seed / 3, 9) for seed in range(5)])
    together = match_tones(first, second)
    for number in range(5):
        one = slice(number, number + 1)
        alone = match_tones(first[one], second[one])
        assert np.array_equal(alone.first, together.first[one])
        assert np.array_equal(alone.second, together.second[one])
        assert alone.unexplained == together.unexplained[one]
