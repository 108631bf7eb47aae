"""The map between two pictures is the one that most of their features agree on."""

import numpy as np
import pytest
from PIL import Image

from dedup.constants import CERTAIN_AGREEING, LEAST_AGREEING
from dedup.signature.features import Features
from dedup.verify.registration import MIRROR, apply_map, fit_map, register
from tests.dedup.finder import sign, sign_original
from tests.dedup.photographs import originals

SQUARE = 1.0, 1.0


def scatter(count: int, seed: int = 1) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.random.default_rng(seed).uniform(0, 1, (count, 2)).astype(np.float32)


def test_a_quarter_of_a_photograph_is_laid_where_it_was_cut_out() -> None:
    image = originals()["astronaut"]
    quarter = image.crop((image.width // 2, 0, image.width, image.height // 2))
    best = register(sign(quarter).features, sign_original("astronaut").features)[0]
    corners = apply_map(best.first_to_second, np.array([(0.0, 0.0), (1.0, 1.0)]))
    assert corners == pytest.approx(np.array([(0.5, 0.0), (1.0, 0.5)]), abs=0.01)
    assert best.inliers >= LEAST_AGREEING


def test_a_mirrored_photograph_is_laid_over_the_original_by_the_mirror() -> None:
    image = originals()["astronaut"]
    mirrored = sign(image.transpose(Image.Transpose.FLIP_LEFT_RIGHT))
    best = register(mirrored.features, sign_original("astronaut").features)[0]
    assert best.first_to_second == pytest.approx(MIRROR, abs=0.01)


def take_symmetrical(count: int) -> Features:
    """Features of a picture that looks the same in the mirror."""
    whole = sign_original("astronaut").features
    half = Features(whole.points[: count // 2], whole.descriptors[: count // 2], SQUARE[0])
    return Features(
        np.concatenate([half.points, half.mirrored.points]),
        np.concatenate([half.descriptors, half.mirrored.descriptors]),
        SQUARE[0],
    )


@pytest.mark.parametrize(
    ("agreeing", "has_mirrored"), [(CERTAIN_AGREEING - 2, True), (CERTAIN_AGREEING, False)]
)
def test_the_mirrored_picture_is_matched_only_below_a_certain_number_of_features(
    agreeing: int, *, has_mirrored: bool
) -> None:
    picture = take_symmetrical(agreeing)
    maps = register(picture, picture)
    assert max(fit.inliers for fit in maps) == agreeing
    is_mirrored = [np.linalg.det(fit.first_to_second) < 0 for fit in maps]
    assert any(is_mirrored) == has_mirrored
    assert not all(is_mirrored)


def test_the_map_on_which_most_features_agree_comes_first() -> None:
    maps = register(sign_original("coffee").features, sign_original("coffee").features)
    counts = [registration.inliers for registration in maps]
    assert counts == sorted(counts, reverse=True)
    assert maps[0].first_to_second == pytest.approx(np.eye(3), abs=1e-3)


def test_pictures_without_features_have_no_map() -> None:
    nothing = Features(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.uint8), 1.0)
    assert register(nothing, sign_original("coffee").features) == []
    assert register(sign_original("coffee").features, nothing) == []


def test_fewer_points_than_must_agree_make_no_map() -> None:
    points = scatter(LEAST_AGREEING - 1)
    assert fit_map(points, points, SQUARE) == []


def test_points_that_lie_at_random_make_no_map() -> None:
    assert fit_map(scatter(60, seed=1), scatter(60, seed=2), SQUARE) == []


def test_a_map_that_turns_the_picture_inside_out_is_left_out() -> None:
    points = scatter(60)
    folded = points * np.array([-1, 1], np.float32) + np.array([1, 0], np.float32)
    assert fit_map(points, points * 0.5, SQUARE) != []
    assert fit_map(points, folded, SQUARE) == []


def test_coordinates_of_pictures_of_other_shapes_run_from_0_to_1() -> None:
    points = scatter(60)
    for aspects in ((1.0, 2.0), (0.5, 1.5)):
        for registration in fit_map(points, points, aspects):
            assert registration.first_to_second == pytest.approx(np.eye(3), abs=0.01)
