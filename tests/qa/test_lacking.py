"""Labels that images lack, estimated from images that two annotated blind, in made worlds."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.qa_lacking import (
    AFTER,
    BEFORE,
    PARTIES,
    WORLDS,
    estimate,
    make_party,
    measure_recall,
)
from catalog.annotated import AnnotatedObject
from catalog.box import Box
from qa.agreement import measure_all
from qa.findings import SeenTwice
from qa.lacking import MissingLabels, estimate_lacking, subtract_added
from qa.matching import match_pairs
from vockit.report.intervals import Interval

CLASSES = ("car", "cat", "dog")
SIDES_PX = (12, 24, 48, 96)
SEEN = {12: 0.5, 24: 0.75, 48: 0.9, 96: 0.97}
"""How often a person finds an object of that side; its class says nothing of its size."""
Scene = tuple[AnnotatedObject, ...]


def make_scene(rng: np.random.Generator) -> Scene:
    sides = rng.choice(SIDES_PX, size=1 + rng.poisson(2)).tolist()
    return tuple(
        AnnotatedObject(
            number=place,
            key=f"o{place}",
            class_name=CLASSES[int(rng.integers(len(CLASSES)))],
            box=Box(200 * place, 1, 200 * place + side - 1, side),
        )
        for place, side in enumerate(sides, start=1)
    )


def draw(scene: Scene, rng: np.random.Generator) -> Scene:
    drawn = [item for item in scene if rng.random() < SEEN[item.box.width_px]]
    return tuple(replace(item, number=number) for number, item in enumerate(drawn, start=1))


def make_pairs(scenes: list[Scene], rng: np.random.Generator) -> list[SeenTwice]:
    return [
        SeenTwice(number, 1, 2, draw(scene, rng), draw(scene, rng))
        for number, scene in enumerate(scenes, start=1)
    ]


@pytest.mark.parametrize(("images", "doubled", "runs"), [(300, 15, 60), (1000, 50, 25)])
def test_the_interval_of_labels_lacking_holds_the_truth(
    images: int, doubled: int, runs: int
) -> None:
    """A twentieth of the images was annotated twice; the truth is of all of them."""
    held = 0
    for seed in range(runs):
        rng = np.random.default_rng([45, seed])
        scenes = [make_scene(rng) for _ in range(images)]
        pairs = make_pairs(scenes[:doubled], rng)
        others = sum(len(scene) - len(draw(scene, rng)) for scene in scenes[doubled:])
        lacking = others + sum(
            len(scene) - len(pair.first) for scene, pair in zip(scenes, pairs, strict=False)
        )
        matched = match_pairs(pairs, CLASSES, least_overlap=0.5)
        estimate = estimate_lacking(matched.images)
        assert estimate.low <= estimate.value <= estimate.high
        held += estimate.low * images <= lacking <= estimate.high * images
    assert held / runs >= 0.9


@pytest.mark.slow
def test_the_interval_holds_the_truth_before_and_after_checking() -> None:
    """Classes, sizes and people differ; docs/measurements/qa.md has 150 runs of each world."""
    parties = [estimate(make_party(WORLDS[1], *PARTIES[0], seed)) for seed in range(50)]
    for stage in (BEFORE, AFTER):
        assert sum(by_stage[stage].holds for by_stage in parties) / len(parties) >= 0.9


def test_what_a_second_person_found_lifts_the_share_of_objects_that_images_have() -> None:
    """The checker draws what the second person found and the image lacks, and nothing else."""
    recalls = measure_recall(make_party(WORLDS[0], 300, 300, seed=45))
    assert recalls["drawn once"] < 0.88
    assert recalls["drawn once, findings fixed"] > 0.94
    assert recalls["and checked, findings fixed"] > recalls["and checked"] + 0.015


def test_a_class_that_people_see_less_often_than_others_is_not_counted_as_they_are() -> None:
    """Of 40 images each shows two cars, which both found, and a cat, of which each found 40 %."""
    cars = [make_object(1, "car"), make_object(2, "car")]
    cat = make_object(3, "cat")
    of_eight = [(1, 1), (1, 1), (1, 0), (1, 0), (1, 0), (0, 1), (0, 1), (0, 1)]
    pairs = [
        SeenTwice(number, 1, 2, (*cars, *[cat] * first), (*cars, *[cat] * second))
        for number, (first, second) in enumerate(of_eight * 5, start=1)
    ]
    lacking = estimate_lacking(match_pairs(pairs, CLASSES, least_overlap=0.5).images)
    cats = 40 / (1 - 0.6**2)
    truth = (cats - 25) / 40
    assert lacking.low < truth < lacking.high
    assert lacking.value == pytest.approx(truth, rel=0.2)


def make_object(number: int, class_name: str) -> AnnotatedObject:
    """One of 55 pixels, apart from those of other numbers."""
    box = Box(200 * number, 1, 200 * number + 54, 55)
    return AnnotatedObject(number=number, key=f"o{number}", class_name=class_name, box=box)


def test_objects_that_are_small_for_both_are_not_counted_half() -> None:
    """With the median of the found sizes as the only cut, more than a tenth would be missing."""
    rng = np.random.default_rng(7)
    scenes = [make_scene(rng) for _ in range(4000)]
    matched = match_pairs(make_pairs(scenes, rng), CLASSES, least_overlap=0.5)
    missed = measure_all(matched).missed
    really = sum(map(len, scenes)) - missed.seen
    assert missed.low <= really <= missed.high
    assert missed.missed == pytest.approx(really, rel=0.1)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.6, 0.8, 0.95])
@pytest.mark.parametrize("side_px", [8, 50, 300, 1500])
@pytest.mark.parametrize(("images", "tolerance"), [(1000, 0.01), (15, 0.1)])
def test_of_objects_that_are_alike_the_estimate_is_that_of_lincoln_and_petersen(
    images: int, tolerance: float, side_px: int, share: float
) -> None:
    rng = np.random.default_rng(3)
    scene = tuple(
        AnnotatedObject(place, f"o{place}", "cat", Box(left, 1, left + side_px - 1, side_px))
        for place, left in enumerate(range(1, 8000, 2000), start=1)
    )
    sights = rng.random((images, 2, len(scene))) < share
    pairs = [
        SeenTwice(
            number,
            1,
            2,
            *(
                tuple(item for item, is_there in zip(scene, seen, strict=True) if is_there)
                for seen in sees
            ),
        )
        for number, sees in enumerate(sights, start=1)
    ]
    value = estimate_lacking(match_pairs(pairs, CLASSES, least_overlap=0.5).images).value
    drawn = int(sights.sum())
    both = int(sights.all(axis=1).sum())
    expected = (drawn**2 / (4 * both) - drawn / 2) / images
    assert value == pytest.approx(expected, rel=tolerance)


def test_where_nothing_lacks_few_images_leave_room_for_some() -> None:
    scene = (AnnotatedObject(1, "a", "cat", Box(1, 1, 50, 50)),)
    pairs = [SeenTwice(number, 1, 2, scene, scene) for number in range(1, 11)]
    matched = match_pairs(pairs, CLASSES, least_overlap=0.5)
    none = estimate_lacking(matched.images)
    assert (none.value, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(0.369)
    assert math.isnan(estimate_lacking(matched.images[:1]).value)


def test_what_checkers_added_is_subtracted_with_its_own_error() -> None:
    lacking = MissingLabels(1.0, 0.6, 1.6)
    left = subtract_added(lacking, Interval(0.4, 0.1, 0.8, 50))
    assert left.value == pytest.approx(0.6)
    assert left.low == pytest.approx(0.6 - math.hypot(0.4, 0.4))
    assert left.high == pytest.approx(0.6 + math.hypot(0.6, 0.3))
    assert subtract_added(lacking, Interval(2.0, 1.9, 2.1, 50)).value == 0
