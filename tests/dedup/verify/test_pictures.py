"""What is seen of pictures, against the same in scipy, and at maps that lead nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.ndimage import map_coordinates, uniform_filter

from dedup.signature.maps import IDENTITY, Map
from dedup.verify.pictures import (
    COARSE,
    FINE,
    MIDDLE,
    Floats,
    Level,
    Pictures,
    cut_out,
    overlay,
    pixel_centres,
)
from dedup.verify.registration import (
    CONTRAST_FLOOR_LEVELS,
    affine_changes,
    align,
    correlate,
    normalise,
    similarity_changes,
)

numbers = st.floats(-0.5, 0.5)
changes = st.tuples(*[numbers] * 6).map(
    lambda it: IDENTITY + np.array(it, np.float32).reshape(2, 3)
)


def make_noise(count: int, side_px: int, seed: int = 0) -> Floats:
    random = np.random.default_rng(seed)
    return random.uniform(0, 255, (count, side_px, side_px)).astype(np.float32)


def look(picture: Floats, change: Map, side_px: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """What `overlay` gives, by scipy: the values, and which lie within the picture."""
    x, y = (change @ pixel_centres(side_px)) * len(picture) - 0.5
    inside = (x > -0.5) & (x < len(picture) - 0.5) & (y > -0.5) & (y < len(picture) - 0.5)
    return map_coordinates(picture, [y, x], order=1, mode="nearest"), inside


@given(changes, st.sampled_from([16, 32, 64]))
def test_a_picture_is_seen_through_a_map_as_scipy_sees_it(change: Map, side_px: int) -> None:
    picture = make_noise(1, 32)
    seen = overlay(picture, change[None], side_px)
    values, inside = look(picture[0], change, side_px)
    assert np.abs(seen.values[0] - values).max() < 0.5  # a thousandth of a pixel at the end
    assert (seen.is_inside[0] != inside).mean() < 0.01  # on the very edge


@pytest.mark.parametrize("level", [COARSE, MIDDLE, FINE], ids=["coarse", "middle", "fine"])
def test_a_picture_is_made_smaller_before_it_is_looked_at(level: Level) -> None:
    luma = np.random.default_rng(1).integers(0, 256, (3, 64, 64), np.uint8)
    pictures = Pictures(
        luma, np.ones(3, np.float32), np.zeros((3, 16, 4), np.uint8), np.zeros(3, np.bool_)
    )
    change = np.array([[0.8, 0.05, 0.1], [-0.05, 0.9, 0.04]], np.float32)
    rows = np.array([2, 0])
    found = cut_out(pictures, rows, np.stack([change, change]), level)
    step = 64 // level.picture_px
    small = luma.reshape(3, level.picture_px, step, level.picture_px, step).mean(axis=(2, 4))
    for number, row in enumerate(rows.tolist()):
        values, _ = look(small[row].astype(np.float32), change, level.side_px)
        assert np.abs(found[number].ravel() - values).max() < 0.5


@pytest.mark.parametrize(("side_px", "radius_px"), [(16, 2), (32, 3), (64, 5)])
def test_mean_and_contrast_are_those_of_the_surroundings(side_px: int, radius_px: int) -> None:
    pictures = make_noise(2, side_px)
    for picture, normal in zip(pictures, normalise(pictures, radius_px), strict=True):
        size, wide = 2 * radius_px + 1, picture.astype(float)
        mean = uniform_filter(wide, size, mode="nearest")
        power = uniform_filter(wide**2, size, mode="nearest")
        expected = (wide - mean) / (np.sqrt(power - mean**2) + CONTRAST_FLOOR_LEVELS)
        assert np.abs(normal - expected).max() < 1e-4


def test_agreement_is_the_correlation_where_both_are() -> None:
    template, other = make_noise(1, 32), make_noise(1, 32, seed=5)
    other += template
    change = np.array([[1, 0, 0.25], [0, 1, 0]], np.float32)
    values, inside = look(other[0], change, 32)
    expected = np.corrcoef(values[inside], template[0].ravel()[inside])[0, 1]
    assert correlate(template, other, change[None])[0] == pytest.approx(expected, abs=1e-4)
    assert inside.mean() == 0.75


@pytest.mark.parametrize("make_changes", [similarity_changes, affine_changes])
def test_pixels_change_with_the_numbers_as_the_map_says(
    make_changes: Callable[[Floats], Floats],
) -> None:
    """The middle stays, but for the last two numbers, which shift it across and down."""
    [basis] = make_changes(np.array([1.5], np.float32))
    moved = basis @ np.array([0.5, 0.5, 1])
    assert np.allclose(moved[:-2], 0)
    assert np.allclose(moved[-2:], np.eye(2))


@settings(deadline=None)
@given(st.lists(st.floats(width=32), min_size=6, max_size=6), st.integers(0, 3))
def test_a_map_that_leads_nowhere_reads_no_memory_but_the_picture_s(
    values: list[float], seed: int
) -> None:
    change = np.array(values, np.float32).reshape(1, 2, 3)
    picture = make_noise(1, 16, seed)
    seen = overlay(picture, change)
    is_number = np.isfinite(seen.values)
    assert (seen.values[is_number] <= 256).all()
    align(picture, picture, change, similarity_changes(np.ones(1, np.float32)), 3)
