"""Hashes of a picture in all orientations, and the maps that lead back from each."""

import numpy as np
import pytest
from PIL import Image

from dedup.constants import LEVELS_SIDE_PX
from dedup.signature.hashes import (
    TURNS,
    box_map,
    gradient_quality,
    hash_views,
    hash_whole,
    list_boxes,
    locate_view,
)
from dedup.verify.registration import apply_map
from tests.dedup.finder import sign_original

WHOLE = 0, 0, LEVELS_SIDE_PX, LEVELS_SIDE_PX


def test_each_turn_of_a_picture_is_found_as_it_lies() -> None:
    levels = sign_original("coffee").levels
    views = hash_views(levels, [WHOLE])
    for code, (turn, *_) in enumerate(TURNS):
        picture = Image.fromarray(levels)
        turned = picture if turn is None else picture.transpose(turn)
        assert hash_views(np.asarray(turned), [WHOLE])[0] == views[code]


def test_the_map_of_a_view_leads_from_its_corner_to_that_of_the_image() -> None:
    marked = np.zeros((LEVELS_SIDE_PX, LEVELS_SIDE_PX), np.uint8)
    marked[:16, :16] = 255  # the top left corner of the image
    for code, (turn, *_) in enumerate(TURNS):
        picture = Image.fromarray(marked)
        turned = np.asarray(picture if turn is None else picture.transpose(turn))
        rows, columns = np.nonzero(turned)
        middle = np.array([[columns.mean(), rows.mean()]]) / LEVELS_SIDE_PX
        assert apply_map(locate_view(code, [WHOLE]), middle).max() < 0.125


def test_a_framed_picture_has_a_view_of_what_is_within_the_frame() -> None:
    levels = np.full((LEVELS_SIDE_PX, LEVELS_SIDE_PX), 255, np.uint8)
    inner = np.asarray(Image.fromarray(sign_original("coffee").levels).resize((96, 96)))
    levels[16:112, 16:112] = inner
    boxes = list_boxes(levels)
    assert boxes == [WHOLE, (16, 16, 112, 112)]
    views = hash_views(levels, boxes)
    assert len(views) == len(TURNS) + 1
    assert np.bitwise_count(views[-1] ^ hash_views(inner, [WHOLE])[0]) <= 2
    assert np.array_equal(locate_view(len(TURNS), boxes), box_map(boxes[1]))
    corners = apply_map(box_map(boxes[1]), np.array([(0.0, 0.0), (1.0, 1.0)]))
    assert corners == pytest.approx(np.array([(0.125, 0.125), (0.875, 0.875)]))


def test_the_columns_of_an_image_hold_hashes_of_64_and_256_bits() -> None:
    columns = hash_whole(sign_original("coffee").levels)
    assert (len(columns["phash_64"]), len(columns["phash_256"])) == (16, 64)


def test_flat_pictures_and_noise_have_no_quality_and_photographs_have() -> None:
    noise = np.random.default_rng(1).integers(126, 130, (128, 128), np.uint8)
    assert gradient_quality(np.full((128, 128), 9, np.uint8)) == 0.0
    assert gradient_quality(noise) < 1
    assert gradient_quality(sign_original("astronaut").levels) == 100.0
