"""How many of its pixels a picture needs for what it shows."""

import io
from random import Random

import numpy as np
import pytest
from PIL import Image

from benchmarks.transformations import add_noise
from dedup.constants import MORE_REAL_PX
from dedup.signature.origin import measure_real_px
from tests.dedup.photographs import jpeg, originals, resize


def count_real_px(image: Image.Image) -> int:
    return measure_real_px(np.asarray(image.convert("L")))


@pytest.mark.parametrize("name", ["astronaut", "china", "coffee"])
def test_an_enlarged_photograph_has_few_more_real_pixels_than_before(name: str) -> None:
    small = resize(originals()[name], 0.5)
    large = small.resize((small.width * 3, small.height * 3), Image.Resampling.BICUBIC)
    assert count_real_px(large) < 1.5 * count_real_px(small)


@pytest.mark.parametrize("name", ["astronaut", "china", "coffee"])
def test_a_photograph_made_smaller_has_fewer_real_pixels(name: str) -> None:
    image = originals()[name]
    assert count_real_px(resize(image, 0.5)) < count_real_px(image)


def test_no_picture_has_more_real_pixels_than_pixels_or_less_than_one() -> None:
    noise = np.random.default_rng(1).integers(0, 256, (90, 120), np.uint8)
    assert 0.6 * 90 * 120 < measure_real_px(noise) <= 90 * 120
    for shape in ((1, 1), (15, 40), (33, 2)):
        assert 1 <= measure_real_px(np.zeros(shape, np.uint8)) <= shape[0] * shape[1]


@pytest.mark.parametrize(("deviation_levels", "most_times"), [(6, 1.01), (12, 1.3)])
@pytest.mark.parametrize("name", ["astronaut", "camera", "china", "coffee", "flower", "rocket"])
def test_little_noise_adds_no_real_pixels_and_much_noise_adds_few(
    name: str, deviation_levels: float, most_times: float
) -> None:
    image = Image.open(io.BytesIO(jpeg(originals()[name].convert("RGB"))))
    noisy = add_noise(deviation_levels)(image, Random(1))
    noisy = Image.open(io.BytesIO(jpeg(noisy)))
    assert count_real_px(noisy) <= most_times * count_real_px(image)


@pytest.mark.parametrize("deviation_levels", [4, 8, 12, 20])
@pytest.mark.parametrize("name", ["moon", "rocket", "retina", "grass", "chelsea"])
def test_a_noisy_photograph_has_more_real_pixels_than_its_copies(
    name: str, deviation_levels: float
) -> None:
    """Making it smaller, or JPEG of a low quality, takes noise away."""
    image = originals()[name].convert("RGB")
    image = Image.open(io.BytesIO(jpeg(add_noise(deviation_levels)(image, Random(1)))))
    noisy = count_real_px(image)
    smaller = Image.open(io.BytesIO(jpeg(resize(image, 0.7))))
    assert noisy >= MORE_REAL_PX * count_real_px(smaller)
    for quality in (50, 20, 10):
        copy = Image.open(io.BytesIO(jpeg(image, quality)))
        assert MORE_REAL_PX * noisy > count_real_px(copy)


def test_a_photograph_without_noise_keeps_its_real_pixels() -> None:
    """A chequered picture of details of two pixels, with plain places as photographs have them."""
    levels = np.full((256, 256), 90, np.uint8)
    levels[::4, 96:160] = levels[1::4, 96:160] = 200
    assert measure_real_px(levels) > 0.2 * levels.size
