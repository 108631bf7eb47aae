"""Features are strong places from all over a picture; their words survive what copies suffer."""

import numpy as np
import pytest
from PIL import Image

from dedup.constants import LEAST_AGREEING, MOST_FEATURES
from dedup.signature.features import (
    find_features,
    hash_words,
    pack_features,
    unpack_features,
)
from tests.dedup.finder import sign, sign_original
from tests.dedup.photographs import originals, resize


def test_an_even_picture_has_no_features_and_no_words() -> None:
    features = find_features(np.full((240, 320), 128, np.uint8))
    assert len(features.points) == len(features.descriptors) == 0
    assert hash_words(features.descriptors).shape == (0, 2)
    assert features.aspect == pytest.approx(320 / 240)


def test_a_picture_has_no_more_features_than_are_kept_and_all_lie_in_it() -> None:
    points = sign_original("astronaut").features.points
    assert LEAST_AGREEING <= len(points) <= MOST_FEATURES
    assert points.min() >= 0
    assert points.max() <= 1


def test_one_corner_full_of_letters_does_not_take_all_features() -> None:
    image = originals()["coffee"].copy()
    page = originals()["page"].resize((image.width // 4, image.height // 4))
    image.paste(page, (0, 0))
    points = sign(image).features.points
    is_in_corner = (points < 0.25).all(axis=1)
    assert is_in_corner.mean() < 0.5


def test_mirroring_twice_gives_the_features_back() -> None:
    features = sign_original("coffee").features
    twice = features.mirrored.mirrored
    assert twice.points == pytest.approx(features.points, abs=1e-6)
    assert np.array_equal(twice.descriptors, features.descriptors)


def test_the_mirrored_features_share_the_words_of_the_mirrored_picture() -> None:
    image = originals()["astronaut"]
    words = set(
        hash_words(
            sign(image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)).features.descriptors
        ).ravel()
    )
    mirrored = set(hash_words(sign_original("astronaut").features.mirrored.descriptors).ravel())
    as_it_is = set(hash_words(sign_original("astronaut").features.descriptors).ravel())
    assert len(words & mirrored) > 2 * len(words & as_it_is)


def test_a_smaller_copy_shares_words_that_another_photograph_does_not() -> None:
    words = {
        name: set(hash_words(sign_original(name).features.descriptors).ravel())
        for name in ("astronaut", "coffee")
    }
    copy = sign(resize(originals()["astronaut"], 0.7))
    words_of_copy = set(hash_words(copy.features.descriptors).ravel())
    assert len(words_of_copy & words["astronaut"]) > 3 * len(words_of_copy & words["coffee"])


def test_packed_features_are_the_same_but_for_rounding() -> None:
    features = sign_original("china").features
    unpacked = unpack_features(pack_features(features))
    assert unpacked.points == pytest.approx(features.points, abs=1e-4)
    assert np.array_equal(unpacked.descriptors, features.descriptors)
    assert unpacked.aspect == pytest.approx(features.aspect)
