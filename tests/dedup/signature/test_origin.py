"""How many of its pixels a picture needs for what it shows."""

import numpy as np
import pytest
from PIL import Image

from dedup.signature.origin import measure_real_px
from tests.dedup.photographs import originals, resize


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
    assert 0.8 * 90 * 120 < measure_real_px(noise) <= 90 * 120
    assert measure_real_px(np.zeros((1, 1), np.uint8)) == 1
