"""Estimates for simulated people with known error rates, over many seeds."""

from dataclasses import replace

import numpy as np
import pytest

from catalog.box import Box
from catalog.states import View
from qa.agreement import measure_all
from qa.checks import run_image_checks, run_set_checks
from qa.corrections import CheckedWork, Slip, measure_errors
from qa.findings import CheckedImage
from qa.matching import match_pairs
from vockit.report.intervals import Interval

from .annotators import CLASSES, HEIGHT_PX, WIDTH_PX, Slips, annotate, make_truth, pair_up
from .making import VOC2012, settings_with
from .rows import NOON

SEEDS = 200
FIRST = Slips(missed=0.1, loose=0.15)
SECOND = Slips(missed=0.2, loose=0.3)
LEAST_HELD = 0.95
"""The number of missed objects is whole, so its interval is wider than 95 %, never narrower."""


def test_objects_missed_by_both_are_estimated_without_bias() -> None:
    """Too high as often as too low: the mean is 0 within chance, 99 % of the time."""
    held = 0
    errors = []
    for seed in range(SEEDS):
        rng = np.random.default_rng(1000 + seed)
        truth = make_truth(150, rng)
        matched = match_pairs(pair_up(truth, FIRST, SECOND, rng), CLASSES, least_overlap=0.3)
        missed = measure_all(matched).missed
        really = sum(map(len, truth)) - missed.seen
        errors.append(missed.missed - really)
        held += missed.low <= really <= missed.high
    by_chance = 2.58 * np.std(errors) / SEEDS**0.5
    assert by_chance < 0.8
    assert np.mean(errors) == pytest.approx(0, abs=by_chance)
    assert held / SEEDS >= LEAST_HELD


def test_error_rates_are_unbiased_and_their_intervals_hold_the_truth() -> None:
    """With 60 images and one object in thirty wrong, where plain percentiles fail."""
    slips = Slips(missed=0.1, flipped_view=0.08, flipped_flag=0.04)
    truths: dict[str, float] = {
        "both": 0.9 * 0.8 / (1 - 0.1 * 0.2),
        Slip.MISSED: 0.1,
        Slip.VIEW: 0.9 * 0.08,
        Slip.TRUNCATED: 0.9 * 0.04,
    }
    intervals: dict[str, list[Interval]] = {name: [] for name in truths}
    for seed in range(SEEDS):
        rng = np.random.default_rng([1, seed])
        truth = make_truth(60, rng)
        matched = match_pairs(pair_up(truth, FIRST, SECOND, rng), CLASSES, least_overlap=0.3)
        # checked by a person who sees everything
        work = [CheckedWork(1, NOON, annotate(image, slips, rng), image) for image in truth]
        rates = measure_errors(work).rates
        intervals["both"].append(measure_all(matched).both)
        for slip in (name for name in intervals if name != "both"):
            intervals[slip].append(rates[Slip(slip)])
    for name, true_value in truths.items():
        assert np.mean([interval.value for interval in intervals[name]]) == pytest.approx(
            true_value, abs=0.007
        )
        held = np.mean(
            [interval.low <= true_value <= interval.high for interval in intervals[name]]
        )
        assert held == pytest.approx(0.95, abs=2.58 * (0.95 * 0.05 / SEEDS) ** 0.5), name


def clean_images(count: int) -> list[CheckedImage]:
    """Images without errors: views set, nothing truncated, different boxes, enough time."""
    rng = np.random.default_rng(8)
    images = []
    for number, objects in enumerate(make_truth(count, rng), start=1):
        objects = tuple(
            replace(
                item,
                view=View.LEFT,
                truncated=False,
                occluded=False,
                actions=("walking",) if item.class_name == "person" else (),
                box=Box(*(edge + int(rng.integers(0, 14)) for edge in item.box.xyxy)),
            )
            for item in objects
        )
        images.append(CheckedImage(number, WIDTH_PX, HEIGHT_PX, objects, active_secs=30.0))
    return images


def test_no_check_finds_anything_in_clean_images() -> None:
    images = clean_images(300)
    settings = settings_with(confusable_overlap=0.5)
    assert run_image_checks(images, VOC2012, settings) == []
    assert run_set_checks(images, VOC2012, settings) == []
