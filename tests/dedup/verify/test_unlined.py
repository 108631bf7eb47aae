"""What lines across and down do not explain tells two pages of one layout apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dedup.signature.maps import IDENTITY
from dedup.verify.tiles import compare_unlined

Floats = NDArray[np.floating[Any]]


def rule_paper(spacing_px: int = 4) -> Floats:
    """A sheet with lines across and down."""
    page = np.full((64, 64), 230, np.float32)
    page[::spacing_px] = 60
    page[:, ::spacing_px] = 90
    return page


def write_on(page: Floats, seed: int) -> Floats:
    """The page with a spot of ink at a quarter of its places."""
    ink = np.random.default_rng(seed).random(page.shape) < 0.25
    return np.where(ink, np.float32(40), page)


def compare(first: Floats, second: Floats) -> tuple[float, int]:
    found = compare_unlined(first[None], second[None], IDENTITY[None])
    return float(found[0][0]), int(found[1][0])


def test_lines_across_and_down_leave_nothing() -> None:
    stripes = np.full((64, 64), 230, np.float32)
    stripes[::4] = 60
    assert compare(stripes, stripes)[1] == 0
    assert compare(stripes + stripes.T, stripes + stripes.T)[1] == 0


def test_other_writing_on_the_same_lines_is_unlike() -> None:
    first, second = (write_on(rule_paper(), seed) for seed in (1, 2))
    likeness, tiles = compare(first, second)
    assert likeness < 0.4
    assert tiles == 64


@pytest.mark.parametrize("gain", [0.5, 1.0])
def test_the_same_writing_is_alike_however_light_falls_on_it(gain: float) -> None:
    page = write_on(rule_paper(), 1)
    down, across = np.mgrid[0:1:64j, 0:1:64j]
    likeness, tiles = compare(page, gain * page * (1 - 0.2 * across - 0.1 * down))
    assert likeness > 0.95
    assert tiles == 64


def test_tiles_that_lie_beyond_the_other_picture_are_not_counted() -> None:
    page = write_on(rule_paper(), 1)
    beyond = IDENTITY.copy()
    beyond[0, 2] = 0.5
    assert int(compare_unlined(page[None], page[None], beyond[None])[1][0]) == 32
