from __future__ import annotations

import numpy as np
import pytest

from dedup.search.plan import (
    Band,
    Shape,
    Size,
    count_patterns,
    list_shapes,
    make_plan,
    plan_shapes,
)

SAMPLE = np.random.default_rng(0).integers(0, 2**64, (1, 2000), dtype=np.uint64)


def make_size(rows: int) -> Size:
    return Size(rows, rows, is_self=True)


@pytest.mark.parametrize("max_bits", range(0, 64, 3))
def test_every_choice_of_bands_covers_the_distance_and_fits_the_hash(max_bits: int) -> None:
    """A pair escapes every band only by more flips in each than its radius: more than allowed."""
    for shapes in list_shapes(64, max_bits):
        assert sum(shape.radius + 1 for shape in shapes) > max_bits
        assert sum(shape.width for shape in shapes) <= 64


@pytest.mark.parametrize("words", [1, 4])
@pytest.mark.parametrize("max_bits", [0, 3, 10, 31])
@pytest.mark.parametrize("rows", [10, 10**5, 10**6, 10**7])
def test_the_plan_is_exact_and_its_bands_share_no_bit(words: int, max_bits: int, rows: int) -> None:
    sample = np.tile(SAMPLE, (words, 1)) ^ SAMPLE[:, :words].T
    plan = make_plan(sample, make_size(rows), max_bits)
    is_scan = plan.bands == (Band((), 0),)
    assert is_scan or sum(band.radius + 1 for band in plan.bands) > max_bits
    bits = [bit for band in plan.bands for bit in band.bits]
    assert len(bits) == len(set(bits))
    assert set(bits) <= set(range(64 * words))
    assert plan == make_plan(sample, make_size(rows), max_bits)


def test_few_rows_are_scanned_and_many_are_not() -> None:
    scan = (Shape(0, 0),)
    assert plan_shapes(64, make_size(5000), 10, 1) == scan
    assert plan_shapes(64, make_size(10**6), 10, 1) != scan
    assert plan_shapes(64, make_size(10**9), 64, 1) == scan  # all pairs are wanted


def test_more_rows_call_for_wider_bands() -> None:
    widths = [plan_shapes(64, make_size(rows), 10, 1)[0].width for rows in (10**5, 10**6, 10**7)]
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]


def test_patterns_are_all_numbers_of_so_few_bits() -> None:
    for radius in range(7):
        expected = [number for number in range(1 << 6) if number.bit_count() <= radius]
        band = Band((9, 1, 63, 7, 8, 20), radius)
        assert sorted(band.make_patterns().tolist()) == expected
        assert count_patterns(Shape(6, radius)) == len(expected)


def test_a_mask_has_the_bits_of_its_band() -> None:
    mask = Band((0, 63, 65), 1).make_mask(3)
    assert mask.tolist() == [1 | 1 << 63, 2, 0]
