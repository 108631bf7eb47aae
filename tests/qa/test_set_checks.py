from dataclasses import replace

import numpy as np
import pytest

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.states import View
from qa.checks import run_person_checks
from qa.findings import CheckedImage, Finding, PartyWork, SeenTwice
from qa.set_checks import estimate_box_biases

from .making import VOC2012, image_of, settings_with, thing

SETTINGS = settings_with()
NAMES = {1: "ann", 2: "bob", 3: "eve", 4: "zoe"}


def grown(item: AnnotatedObject, share: float) -> AnnotatedObject:
    across = round(item.box.width_px * share / 2)
    down = round(item.box.height_px * share / 2)
    xmin, ymin, xmax, ymax = item.box.xyxy
    return replace(item, box=Box(xmin - across, ymin - down, xmax + across, ymax + down))


def scene(number: int, share: float, rng: np.random.Generator) -> tuple[AnnotatedObject, ...]:
    """Two cars, drawn with one pixel of tremble and enlarged by the share."""
    cars = []
    for left in (60, 280):
        wobble = rng.integers(-1, 2, size=4)
        corners = np.array([left + number % 7, 100, left + 150, 220 + number % 11]) + wobble
        xmin, ymin, xmax, ymax = corners.tolist()
        cars.append(grown(thing("car", (xmin, ymin, xmax, ymax), view=View.LEFT), share))
    return image_of(*cars).objects


def seen_by(shares: dict[int, float], images: int, seed: int = 0) -> list[SeenTwice]:
    """Every image by two people, each pair in rotation; boxes are too large by a person's share."""
    rng = np.random.default_rng(seed)
    people = sorted(shares)
    pairs = [(a, b) for a in people for b in people if a < b]
    return [
        SeenTwice(number, a, b, scene(number, shares[a], rng), scene(number, shares[b], rng))
        for number in range(images)
        for a, b in [pairs[number % len(pairs)]]
    ]


def run(work: PartyWork, check: str, **settings: float) -> list[Finding]:
    findings = run_person_checks(work, VOC2012, settings_with(**settings))
    return [finding for finding in findings if finding.check == check]


@pytest.mark.parametrize(
    ("shares", "person_id", "word"),
    [({1: 0.0, 2: 0.0, 3: 0.2, 4: 0.0}, 3, "larger"), ({1: 0.0, 2: -0.12, 3: 0.0}, 2, "smaller")],
)
def test_only_the_person_with_loose_or_tight_boxes_is_named(
    shares: dict[int, float], person_id: int, word: str
) -> None:
    pairs = seen_by(shares, images=120)
    [finding] = run(PartyWork(NAMES, (), tuple(pairs)), "box_size_bias")
    assert (finding.person_id, finding.image_id) == (person_id, None)
    assert NAMES[person_id] in finding.message
    assert word in finding.message


def test_few_objects_or_small_differences_name_no_one() -> None:
    few = seen_by({1: 0.0, 2: 0.0, 3: 0.2}, images=9)
    assert run(PartyWork(NAMES, (), tuple(few)), "box_size_bias") == []
    even = seen_by({1: 0.0, 2: 0.01, 3: 0.0}, images=200)
    assert run(PartyWork(NAMES, (), tuple(even)), "box_size_bias") == []
    assert run(PartyWork(NAMES, (), tuple(even)), "box_size_bias", box_size_bias=0.004) != []


def test_boxes_with_varying_errors_name_no_one() -> None:
    """They are larger on average, but not significantly."""
    rng = np.random.default_rng(0)
    pairs = [
        SeenTwice(number, 1, 2, scene(number, 0.0, rng), scene(number, share, rng))
        for number, share in enumerate([0.7, -0.25] * 20)
    ]
    [_ann, bob] = estimate_box_biases(pairs, least_overlap=SETTINGS.qa.match_overlap)
    assert bob.log_size > np.log1p(SETTINGS.qa.box_size_bias)
    assert bob.objects >= SETTINGS.qa.person_min_objects
    assert run(PartyWork(NAMES, (), tuple(pairs)), "box_size_bias") == []


def test_the_estimated_bias_equals_the_simulated_one() -> None:
    biases = estimate_box_biases(seen_by({1: 0.0, 2: 0.0, 3: 0.2}, 150), least_overlap=0.5)
    by_person = {bias.person_id: bias for bias in biases}
    assert by_person[3].log_size == pytest.approx(np.log(1.2), abs=0.02)
    assert by_person[1].log_size == pytest.approx(0, abs=0.01)
    assert by_person[3].objects == 200


def drawn_by(person_id: int, count: int, *classes: str) -> list[CheckedImage]:
    """Images by one person; the first class is on every image, the others on every fourth."""
    images = []
    for number in range(count):
        shown = classes if number % 4 == 0 else classes[:1]
        objects = [thing(name, (10, 10, 90, 90)) for name in shown]
        images.append(image_of(*objects, person_id=person_id))
    return images


def test_a_class_that_one_person_never_marks_is_found() -> None:
    images = drawn_by(1, 60, "car", "bird") + drawn_by(2, 60, "car", "bird")
    images += drawn_by(3, 60, "car")
    [finding] = run(PartyWork(NAMES, tuple(images), ()), "class_never_marked")
    assert finding.person_id == 3
    assert finding.message == ("eve marked no bird in 60 images; about 15 were expected.")


def test_few_images_do_not_show_that_a_person_never_marks_a_class() -> None:
    images = drawn_by(1, 60, "car", "bird") + drawn_by(3, 20, "car")
    assert run(PartyWork(NAMES, tuple(images), ()), "class_never_marked") == []
    alone = PartyWork(NAMES, tuple(drawn_by(1, 500, "car")), ())
    assert run(alone, "class_never_marked") == []
