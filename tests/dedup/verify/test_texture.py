"""Faint structure is counted where it is the same and runs in more than one direction."""

from __future__ import annotations

import numpy as np
import pytest

from dedup.signature.maps import IDENTITY
from dedup.verify.pictures import Floats
from dedup.verify.tiles import count_textured, measure_residual

SIDE_PX = 64
SAME = IDENTITY[None]


def make_grain(seed: int, deviation_levels: float) -> Floats:
    levels = np.random.default_rng(seed).normal(0, deviation_levels, (1, SIDE_PX, SIDE_PX))
    return levels.astype(np.float32)


def make_shade(bend_levels: float) -> Floats:
    """A sky that is darker at one side and curved."""
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX] / SIDE_PX
    levels: Floats = (120 + 60 * x + bend_levels * (x - y) ** 2)[None].astype(np.float32)
    return levels


def make_stripes(period_px: float) -> Floats:
    levels = 128 + 60 * np.sin(np.arange(SIDE_PX) / period_px)
    return np.repeat(levels[None, :, None], SIDE_PX, axis=2).astype(np.float32)


def count(one: Floats, other: Floats) -> int:
    return int(count_textured(one, other, SAME)[0])


def test_the_faint_grain_of_a_sky_is_structure_everywhere() -> None:
    sky = make_shade(20) + make_grain(1, 1.5)
    assert count(sky, sky * 0.8 + 10) == 64


@pytest.mark.parametrize("bend_levels", [0, 40])
def test_skies_without_grain_and_with_other_grain_have_none(bend_levels: float) -> None:
    sky = make_shade(bend_levels)
    assert count(sky, sky) == 0
    assert count(sky + make_grain(1, 1.5), sky + make_grain(2, 1.5)) <= 2


def test_stripes_agree_with_themselves_and_are_no_structure() -> None:
    assert count(make_stripes(3), make_stripes(3)) == 0


def test_a_copy_differs_by_its_noise_whatever_its_contrast() -> None:
    sky = make_shade(20) + make_grain(1, 8)
    copy = 0.7 * sky + make_shade(-30) + make_grain(2, 1)
    assert measure_residual(sky, copy, SAME)[0] == pytest.approx(1, abs=0.15)


def test_what_lies_outside_counts_for_nothing() -> None:
    sky = make_shade(20) + make_grain(1, 8)
    half = np.array([[[0.5, 0, 0], [0, 1, 0]]], np.float32)
    beyond = np.array([[[1, 0, 2], [0, 1, 0]]], np.float32)
    assert count_textured(sky, sky, beyond)[0] == 0
    assert measure_residual(sky, sky, beyond)[0] == 0
    assert measure_residual(sky, sky, half)[0] > 3
