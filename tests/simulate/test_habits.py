"""Simulated people draw and judge with the slips of their habits."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.box import Box, overlap
from catalog.states import Verdict, View
from simulate.habits import HASTY, NEW, Habits, draw_again, draw_objects, judge, judge_finding
from simulate.people import make_object
from simulate.photographs.known import KnownObject

CAT = KnownObject("cat", Box(40, 50, 200, 220), View.FRONTAL)
DOG = KnownObject("dog", Box(250, 1, 400, 300), View.LEFT, truncated=True)
SIZE_WH = (500, 375)


def as_drawn(*items: KnownObject) -> list[dict[str, object]]:
    return [make_object(item, f"object-{index}", 1.0) for index, item in enumerate(items)]


@pytest.mark.parametrize(
    ("drawn", "verdict"),
    [
        ((CAT, DOG), Verdict.ACCEPT),
        ((DOG, CAT), Verdict.ACCEPT),
        ((CAT,), Verdict.RETURNED),
        ((CAT, DOG, replace(CAT, box=Box(1, 300, 30, 330))), Verdict.RETURNED),
        ((CAT, replace(DOG, name="cow")), Verdict.RETURNED),
        ((replace(CAT, view=View.REAR), DOG), Verdict.FIXED),
        ((CAT, replace(DOG, truncated=False)), Verdict.FIXED),
        ((replace(CAT, box=Box(20, 30, 225, 250)), DOG), Verdict.FIXED),
        ((replace(CAT, box=Box(41, 51, 199, 221)), DOG), Verdict.ACCEPT),
    ],
)
def test_the_verdict_fits_what_is_wrong(drawn: tuple[KnownObject, ...], verdict: Verdict) -> None:
    assert judge((CAT, DOG), as_drawn(*drawn)).verdict is verdict


def test_fixed_objects_are_correct_and_keep_their_keys() -> None:
    drawn = as_drawn(replace(DOG, view=View.REAR), replace(CAT, box=Box(20, 30, 225, 250)))
    fixed = judge((CAT, DOG), drawn).fixed
    assert [item["key"] for item in fixed] == ["object-0", "object-1"]
    assert [item["view"] for item in fixed] == ["Left", "Frontal"]
    assert fixed[1]["box"] == [40, 50, 200, 220]


@given(st.integers(0, 10_000))
def test_simulated_boxes_are_inside_the_image(seed: int) -> None:
    for item in draw_objects((CAT, DOG), HASTY, SIZE_WH, random.Random(seed)).values():
        assert item.box.is_inside(*SIZE_WH)


def test_simulated_slips_have_the_rates_of_the_habits() -> None:
    habits = Habits(miss=0.2, wrong_view=0.3, loose=0.25)
    rng = random.Random(1)
    drawn = [tuple(draw_objects((DOG, CAT), habits, SIZE_WH, rng).values()) for _ in range(4000)]
    dogs = [item for items in drawn for item in items if item.name == "dog"]
    cats = [item for items in drawn for item in items if item.name == "cat"]
    assert 1 - len(cats) / 4000 == pytest.approx(0.2, abs=0.03)
    assert sum(cat.view != CAT.view for cat in cats) / len(cats) == pytest.approx(0.3, abs=0.03)
    loose = sum(overlap(dog.box, DOG.box) < 0.85 for dog in dogs) / len(dogs)
    assert loose == pytest.approx(0.25, abs=0.03)


@given(st.integers(0, 10_000))
def test_a_new_simulated_person_draws_every_object_twice(seed: int) -> None:
    rng = random.Random(seed)
    drawn = draw_objects((CAT, DOG), NEW, SIZE_WH, rng)
    again = draw_again(drawn, NEW, SIZE_WH, rng)
    assert again.keys() == drawn.keys()
    assert all(overlap(again[place].box, drawn[place].box) > 0.5 for place in again)
    assert all(item.view is View.UNSPECIFIED for item in (*drawn.values(), *again.values()))
    both = as_drawn(*drawn.values(), *again.values())
    assert judge((CAT, DOG), both).verdict is Verdict.RETURNED


@pytest.mark.parametrize(
    ("check", "object_key", "verdict"),
    [
        ("view_missing", "sim-7-1", "right"),
        ("border_not_truncated", "sim-7-2", "right"),
        ("border_not_truncated", "sim-7-1", "wrong"),
        ("truncated_inside", "sim-7-2", "wrong"),
        ("short_time", None, "right"),
        ("view_missing", "sim-7-3", None),
        ("view_missing", "drawn-by-hand", None),
        ("same_class_overlap", "sim-7-1", None),
    ],
)
def test_a_finding_is_judged_by_the_truth_if_possible(
    check: str, object_key: str | None, verdict: str | None
) -> None:
    finding = {"check": check, "object_key": object_key}
    assert judge_finding(finding, (CAT, DOG)) == verdict
