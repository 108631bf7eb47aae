"""What suggestions do: the advice by both arms of the lottery, and its intervals."""

import math
import random
import statistics
from collections import Counter
from typing import Any

import pytest

from qa.suggestion_effect import (
    Advice,
    Compared,
    Effort,
    compare_arms,
    describe_effect,
    estimate_ratio,
    measure_arm,
)


def compare(missed: int, extra: int = 0, others: int = 4) -> Compared:
    """An image of which a second person drew so many objects."""
    both = others - missed
    return Compared(
        missed=missed,
        others_objects=others,
        extra=extra,
        objects=both + extra,
        wrong_class=0,
        both_objects=both,
        overlaps=0.9 * both,
    )


def arm(secs: float, missed: int, images: int = 200, extra: int = 0) -> Any:
    """An arm of images with four objects each; of every tenth so many are missed, or extra."""
    efforts = [Effort(secs * (3 + place % 3), 10 + place % 5, 4) for place in range(images)]
    compared = [
        compare(missed if place % 10 == 0 else 0, extra if place % 10 == 0 else 0)
        for place in range(images)
    ]
    return measure_arm(efforts, compared)


@pytest.mark.parametrize(
    ("shown", "withheld", "advice"),
    [
        (arm(1.0, 1), arm(2.0, 1), Advice.KEEP),
        (arm(1.85, 1), arm(2.0, 1), Advice.TOO_SLOW),
        (arm(3.0, 1), arm(2.0, 1), Advice.TOO_SLOW),
        (arm(1.0, 4), arm(2.0, 0), Advice.MISSES_MORE),
        (arm(1.0, 0), arm(2.0, 4), Advice.KEEP),
        (arm(1.0, 1, extra=6), arm(2.0, 1), Advice.EXTRA_MORE),
        (arm(1.0, 1, extra=6), arm(2.0, 1, extra=6), Advice.KEEP),
        (arm(1.0, 1), arm(2.0, 1, extra=6), Advice.KEEP),
        (arm(1.0, 1, images=29), arm(2.0, 1), Advice.WAIT),
        (arm(1.0, 1), arm(2.0, 1, images=29), Advice.WAIT),
        (arm(1.0, 1), arm(2.0, 1, images=0), Advice.WAIT),
    ],
)
def test_suggestions_that_save_little_or_add_errors_are_to_be_switched_off(
    shown: Any, withheld: Any, advice: Advice
) -> None:
    effect = compare_arms(shown, withheld)
    assert effect.advice is advice
    if not math.isnan(effect.saved.value):
        assert effect.saved.value == pytest.approx(1 - shown.secs.value / withheld.secs.value)
        assert effect.saved.low <= effect.saved.value <= effect.saved.high


def make_arm(draw: random.Random, images: int, secs: float, miss: float = 0.1) -> Any:
    """Images whose seconds an object vary around a mean, each compared with a second person's."""
    efforts = []
    compared = []
    for _ in range(images):
        objects = draw.randint(1, 5)
        spent = secs * objects * draw.lognormvariate(-0.125, 0.5)
        efforts.append(Effort(spent, 3 * objects, objects))
        missed = sum(draw.random() < miss for _ in range(objects))
        compared.append(compare(missed, others=objects))
    return measure_arm(efforts, compared)


def count_advice(
    images: tuple[int, int], saved: float, more: float = 0.0, parties: int = 200
) -> Counter[Advice]:
    """What is advised to parties whose suggestions save so much, and miss so much more."""
    draw = random.Random(6)
    return Counter(
        compare_arms(
            make_arm(draw, images[0], 10 * (1 - saved), 0.1 + more), make_arm(draw, images[1], 10)
        ).advice
        for _ in range(parties)
    )


@pytest.mark.parametrize("images", [(8, 2), (40, 10), (120, 30), (400, 100)])
def test_good_suggestions_are_hardly_ever_accused_however_few_images_there_are(
    images: tuple[int, int],
) -> None:
    advice = count_advice(images, saved=0.2)
    assert advice[Advice.TOO_SLOW] + advice[Advice.MISSES_MORE] <= 16  # of 200


def test_suggestions_that_cost_time_or_miss_more_are_named_once_there_are_enough_images() -> None:
    images = (1200, 300)
    assert count_advice(images, 0.0, parties=20)[Advice.TOO_SLOW] >= 18
    assert count_advice(images, 0.3, more=0.1, parties=20)[Advice.MISSES_MORE] >= 18


def test_the_images_that_are_lacking_suffice_for_advice() -> None:
    draw = random.Random(7)
    few = compare_arms(make_arm(draw, 24, 8), make_arm(draw, 6, 10))
    assert (few.advice, few.more_shown, few.more_withheld) == (Advice.WAIT, 6, 24)
    said = "about 6 more with suggestions and 24 more without are needed"
    assert said in describe_effect(few, {})[0]
    unsure = compare_arms(make_arm(draw, 120, 9), make_arm(draw, 30, 10))
    assert unsure.advice is Advice.WAIT
    images = [120 + unsure.more_shown, 30 + unsure.more_withheld]
    assert 60 <= images[1] <= 300
    most = [2 * number for number in images]
    enough = compare_arms(make_arm(draw, most[0], 9), make_arm(draw, most[1], 10))
    assert enough.advice is not Advice.WAIT
    assert (enough.more_shown, enough.more_withheld) == (0, 0)


def test_only_images_that_are_lacking_are_named() -> None:
    draw = random.Random(8)
    lacking = {
        (60, 6): "about 24 more without suggestions needed",
        (6, 60): "about 24 more with suggestions needed",
    }
    for images, said in lacking.items():
        effect = compare_arms(*(make_arm(draw, number, 10) for number in images))
        assert said in describe_effect(effect, {})[0]
    empty = measure_arm([Effort(secs=9, inputs=0, objects=0)] * 60, [])
    assert describe_effect(compare_arms(empty, empty), {}) == ["Too few objects for advice."]


def test_the_interval_of_a_ratio_holds_the_truth_about_95_times_in_100() -> None:
    draw = random.Random(50)
    held = []
    for _ in range(400):
        counts = [draw.randint(1, 8) for _ in range(40)]
        sums = [number * 5 * draw.lognormvariate(-0.125, 0.5) for number in counts]
        interval = estimate_ratio(sums, counts)
        held.append(interval.low <= 5 <= interval.high)
    assert 0.91 <= statistics.mean(held) <= 0.99


def test_a_ratio_of_one_image_has_no_interval_and_of_no_object_is_unknown() -> None:
    single = estimate_ratio([12.0], [4])
    assert single.value == 3
    assert math.isnan(single.low)
    assert estimate_ratio([], []).count == 0
    assert estimate_ratio([5.0], [0]).count == 0
