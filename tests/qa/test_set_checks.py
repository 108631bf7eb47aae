from dataclasses import replace
from typing import Literal

import numpy as np
import pytest

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.settings import ExportSettings
from catalog.states import View
from qa.checks import (
    run_person_checks,
    run_set_checks,
)
from qa.findings import CheckedImage, Finding, PartyWork, SeenTwice, Severity, SuggestedObject
from qa.set_checks import estimate_box_biases

from .making import VOC2012, image_of, names, settings_with, thing
from .objects import BOTTLE, CAR, GROUP, PERSON

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


def test_boxes_copied_from_another_image_are_found() -> None:
    images = [
        image_of(CAR, PERSON, image_id=1),
        image_of(replace(CAR, view=View.REAR), image_id=2),
        image_of(replace(CAR, class_name="bus"), image_id=3),
        image_of(BOTTLE, CAR, image_id=4),
    ]
    copies = run_set_checks(images, VOC2012, SETTINGS)
    assert [(finding.image_id, finding.object_number, finding.check) for finding in copies] == [
        (2, 1, "identical_box"),
        (3, 1, "identical_box"),  # relabelled, but never moved
        (4, 2, "identical_box"),
    ]
    assert all("image 1." in finding.message for finding in copies)


def test_what_another_person_drew_blind_and_the_image_lacks_is_found() -> None:
    near = replace(CAR, key="c", box=Box(110, 100, 310, 200))
    lacking = replace(BOTTLE, number=2, key="b")
    images = [
        image_of(CAR, PERSON, drawn_blind=(near, lacking)),
        image_of(CAR, image_id=8, drawn_blind=(near,)),
        image_of(CAR, image_id=9),
    ]
    [missed] = [
        finding
        for finding in run_set_checks(images, VOC2012, SETTINGS)
        if finding.check == "seen_by_another"
    ]
    assert (missed.image_id, missed.object_key, missed.object_number) == (7, None, None)
    assert "bottle at (400, 100, 420, 160)" in missed.message


def _suggest(
    number: int, class_name: str, xyxy: tuple[int, int, int, int], confidence: float = 0.9
) -> SuggestedObject:
    return SuggestedObject(number, "net", class_name, Box(*xyxy), confidence)


def test_what_lies_in_a_group_of_its_class_is_not_asked_for() -> None:
    group = thing("person", (1, 1, 300, 100), group_of=True, difficult=True)
    inside = replace(PERSON, box=Box(10, 10, 40, 90), key="inside")
    beside = replace(PERSON, box=Box(280, 10, 330, 90), key="beside")
    bottle = replace(BOTTLE, box=Box(50, 10, 70, 60), key="bottle")
    suggested = (_suggest(1, "person", (100, 10, 140, 90)), _suggest(2, "bottle", (5, 5, 30, 60)))
    image = image_of(group, drawn_blind=(inside, beside, bottle), suggested=suggested)
    messages = [finding.message for finding in run_set_checks([image], VOC2012, SETTINGS)]
    assert len(messages) == 3
    assert sum("person at (280, 10, 330, 90)" in message for message in messages) == 1
    assert sum("bottle" in message for message in messages) == 2


def test_what_a_detector_is_sure_of_and_nobody_drew_is_asked_for() -> None:
    bottle_xyxy = (400, 100, 420, 160)
    suggested = (
        _suggest(1, "bottle", bottle_xyxy, 0.93),
        _suggest(2, "bottle", (400, 101, 420, 161)),  # another model's, of the same bottle
        _suggest(3, "bus", (105, 100, 300, 200)),
        _suggest(4, "car", (100, 105, 300, 200)),  # drawn
        _suggest(5, "zebra", (1, 1, 50, 50)),  # no class of the party
    )
    images = [image_of(CAR, PERSON, suggested=suggested), image_of(CAR, image_id=8)]
    asked = [
        finding
        for finding in run_set_checks(images, VOC2012, SETTINGS)
        if finding.check == "suggested_otherwise"
    ]
    assert [(finding.image_id, finding.object_number, finding.message) for finding in asked] == [
        (
            7,
            None,
            "net sees a bottle at (400, 100, 420, 160) (confidence 0.93), where none is drawn. Is "
            "it missing?",
        ),
        (
            7,
            1,
            "net sees a bus here (confidence 0.90), and it is drawn as car. Which one is right?",
        ),
    ]


@pytest.mark.parametrize(
    ("exhaustive", "searched", "asked"),
    [
        ("all", {"car"}, ["bottle", "bus"]),
        ("query", {"car"}, ["bus"]),  # where another object is drawn, it may be this one
        ("query", {"car", "bottle"}, ["bottle", "bus"]),
        ("query", set(), ["bottle", "bus"]),  # people looked for all classes
    ],
)
def test_no_object_is_missed_of_a_class_that_an_image_was_not_asked_about(
    exhaustive: Literal["all", "query"], searched: set[str], asked: list[str]
) -> None:
    suggested = (_suggest(1, "bottle", (400, 100, 420, 160)), _suggest(2, "bus", CAR.box.xyxy))
    image = image_of(CAR, suggested=suggested, searched=frozenset(searched))
    settings = replace(SETTINGS, export=ExportSettings(exhaustive=exhaustive))
    messages = [
        finding.message
        for finding in run_set_checks([image], VOC2012, settings)
        if finding.check == "suggested_otherwise"
    ]
    assert [message.split()[3] for message in messages] == asked


def test_no_object_is_asked_for_whose_class_left_the_preset_since_it_was_drawn_blind() -> None:
    image = image_of(CAR, drawn_blind=(CAR, replace(BOTTLE, number=2, key="b")))
    kept = tuple(item for item in VOC2012.classes if item.name != "bottle")
    assert names(run_set_checks([image], VOC2012, SETTINGS)) == [("seen_by_another", None)]
    assert run_set_checks([image], replace(VOC2012, classes=kept), SETTINGS) == []


def of_hour(*objects: AnnotatedObject, image_id: int, **values: str | None) -> CheckedImage:
    return image_of(
        *objects, image_id=image_id, **({"owner": "ann", "taken_hour": "2007-05-01 14"} | values)
    )


DOG = thing("dog", (20, 20, 200, 200), view=View.LEFT)


CAT = replace(DOG, class_name="cat")


@pytest.mark.parametrize(
    ("images", "image_ids"),
    [
        ([of_hour(DOG, image_id=1), of_hour(DOG, CAR, image_id=2)], []),
        ([of_hour(DOG, CAR, image_id=1), of_hour(CAT, CAR, image_id=2)], [2]),
        ([of_hour(DOG, image_id=1), of_hour(CAR, image_id=2)], [1, 2]),
        ([of_hour(DOG, image_id=1), of_hour(CAT, image_id=2, owner="bob")], []),
        ([of_hour(DOG, image_id=1), of_hour(CAT, image_id=2, taken_hour="2007-05-01 15")], []),
        ([of_hour(DOG, image_id=1), of_hour(CAT, image_id=2, taken_hour=None)], []),
        ([of_hour(DOG, image_id=1), of_hour(image_id=2)], []),
        ([of_hour(DOG, image_id=1), of_hour(DOG, image_id=2), of_hour(CAT, image_id=3)], [3, 3, 3]),
    ],
)
def test_images_of_one_owner_and_hour_should_have_the_same_classes(
    images: list[CheckedImage], image_ids: list[int]
) -> None:
    findings = run_set_checks(images, VOC2012, settings_with(switched_off=["identical_box"]))
    hour = [finding for finding in findings if finding.check == "same_hour_labels"]
    assert sorted(finding.image_id or 0 for finding in hour) == image_ids
    assert len({finding.key for finding in hour}) == len(hour)


def test_missing_actions_are_found_only_if_the_party_marks_actions() -> None:
    silent = [image_of(PERSON, CAR, image_id=1), image_of(PERSON, image_id=2)]
    assert "actions_missing" not in [
        finding.check for finding in run_set_checks(silent, VOC2012, SETTINGS)
    ]
    marked = [image_of(replace(PERSON, actions=("walking",)), GROUP, image_id=3), *silent]
    missing = run_set_checks(marked, VOC2012, SETTINGS)
    missing = [finding for finding in missing if finding.check == "actions_missing"]
    assert [(finding.image_id, finding.object_number) for finding in missing] == [(1, 1), (2, 1)]
    assert {finding.severity for finding in missing} == {Severity.HINT}


def test_equal_boxes_on_one_image_or_along_borders_are_no_copies() -> None:
    whole = thing("cat", (1, 1, 500, 375))
    three_sides = thing("dog", (1, 1, 500, 200))
    images = [image_of(whole, three_sides, image_id=number) for number in (1, 2)]
    assert run_set_checks([*images, image_of(CAR, CAR)], VOC2012, SETTINGS) == []
