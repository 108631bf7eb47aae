"""Two pictures show one scene if they correlate, also when the frame moved or was zoomed."""

import numpy as np
import pytest
from PIL import Image

from dedup.constants import EVENT_SCENE_SIMILARITY, EVENT_SCENE_SIMILARITY_BY_UPLOAD, LEVELS_SIDE_PX
from dedup.verify.scenes import scene_similarity
from tests.dedup.finder import PHOTOGRAPHS, sign_original
from tests.dedup.photographs import originals


def levels_of(image: Image.Image) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return np.asarray(image.convert("L").resize((LEVELS_SIDE_PX, LEVELS_SIDE_PX)))


def test_a_picture_is_as_similar_to_itself_as_can_be() -> None:
    levels = sign_original("coffee").levels
    assert scene_similarity(levels, levels) == pytest.approx(1.0)


def test_the_order_of_two_pictures_does_not_matter_but_for_the_zoom() -> None:
    first = sign_original("coffee").levels
    second = sign_original("rocket").levels
    assert scene_similarity(first, second) == pytest.approx(
        scene_similarity(second, first), abs=0.2
    )


def test_a_frame_that_moved_by_a_fifth_shows_one_scene() -> None:
    wide = originals()["china"]
    fifth = wide.width // 5
    left, right = (wide.crop((start, 0, start + 4 * fifth, wide.height)) for start in (0, fifth))
    assert scene_similarity(levels_of(left), levels_of(right)) > EVENT_SCENE_SIMILARITY


def test_a_frame_that_was_zoomed_shows_one_scene() -> None:
    wide = originals()["china"]
    side = wide.width // 8, wide.height // 8
    near = wide.crop((*side, wide.width - side[0], wide.height - side[1]))
    assert scene_similarity(levels_of(wide), levels_of(near)) > EVENT_SCENE_SIMILARITY
    assert scene_similarity(levels_of(near), levels_of(wide)) > EVENT_SCENE_SIMILARITY


def test_different_photographs_show_different_scenes() -> None:
    levels = [sign_original(name).levels for name in PHOTOGRAPHS]
    similarities = [
        scene_similarity(first, second)
        for place, first in enumerate(levels)
        for second in levels[:place]
    ]
    assert max(similarities) < EVENT_SCENE_SIMILARITY_BY_UPLOAD


def test_even_light_is_no_scene() -> None:
    ramp = np.tile(np.arange(LEVELS_SIDE_PX, dtype=np.uint8), (LEVELS_SIDE_PX, 1))
    grey = np.full_like(ramp, 90)
    assert scene_similarity(grey, grey) == 0.0
