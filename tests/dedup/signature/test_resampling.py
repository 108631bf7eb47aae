"""Squeezing a picture gives Pillow's own bytes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from dedup.signature.resampling import SIDE_PX, shrink

sides = st.integers(SIDE_PX, 700)


@settings(max_examples=60, deadline=None)
@given(sides, sides, st.integers(0, 9), st.booleans())
def test_every_byte_is_pillow_s(width: int, height: int, seed: int, is_harsh: bool) -> None:
    random = np.random.default_rng(seed)
    levels = random.integers(0, 256, (height, width), dtype=np.uint8)
    if is_harsh:
        levels = np.where(levels > 127, 255, 0).astype(np.uint8)
    side = (SIDE_PX, SIDE_PX)
    expected = np.asarray(Image.fromarray(levels).resize(side, Image.Resampling.HAMMING))
    assert np.array_equal(shrink(levels), expected)
