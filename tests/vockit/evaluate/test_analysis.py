"""Slices of the objects, and ranks of images."""

from pathlib import Path

import numpy as np
import pytest

from vockit.evaluate.analysis import SIZES_PERCENT, find_telling, measure_by_size, rank_images
from vockit.evaluate.scores import ClassScore, Items
from vockit.evaluate.truth import open_truth

from .small_tree import FAR, make_truth, score_class


def test_objects_and_images_below_the_size_limit_do_not_count(devkit: Path) -> None:
    truth = open_truth(devkit, "val")
    objects = make_truth((0, (1, 1, 10, 10)), (1, (1, 1, 90, 70)))
    scored = score_class(objects, (0, (1, 1, 10, 10)), (1, FAR))
    sizes = measure_by_size(truth, scored, np.array([0.02, 0.8]))
    assert sizes[SIZES_PERCENT.index(2)] == 0.5
    assert sizes[SIZES_PERCENT.index(5)] == 0
    labels = np.array([1, -1, 1])
    confidences = np.array([0.9, 0.5, 0.1])
    items = ClassScore(scored.curve, scored.judged, Items(labels, confidences, np.arange(3)))
    shares = np.array([0.04, 0, 0.01])
    assert measure_by_size(truth, items, shares)[0] == pytest.approx((1 + 2 / 3) / 2)
    assert measure_by_size(truth, items, shares)[2] == 1


def test_images_are_ranked_by_their_median_rank() -> None:
    labels = np.array([1, -1, 1, -1])
    scores = ([0.9, 0.8, 0.1, 0.2], [0.9, 0.7, 0.3, 0.1], [0.1, 0.9, 0.2, 0.0])
    items = [Items(labels, np.array(confidences), np.arange(4)) for confidences in scores]
    medians = rank_images(items)
    assert medians.tolist() == [1, 2, 3, 4]
    telling = find_telling(labels, medians, most=1)
    assert telling == {"easy": [(0, 1.0)], "hard": [(2, 3.0)], "confusing": [(1, 2.0)]}
