"""Bootstrap, ranks and the comparison of methods."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from evaluate import Rules
from evaluate.curves import Judged, draw_curve
from evaluate.significance import bootstrap_ap, bootstrap_iou, compare, draw_weights, friedman
from vocparty import main

from .test_evaluate import IDS, devkit, write

__all__ = ["devkit"]

rows = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["right", "wrong", "neither"])))


@given(rows=rows, missed=st.lists(st.integers(0, 4), max_size=3), seed=st.integers(0, 99))
@pytest.mark.parametrize("rules", list(Rules))
def test_a_replicate_is_what_repeating_rows_and_objects_gives(
    rules: Rules, rows: list[tuple[int, str]], missed: list[int], seed: int
) -> None:
    images = np.array([image for image, _ in rows], np.int64)
    is_right = np.array([mark == "right" for _, mark in rows], np.bool_)
    is_wrong = np.array([mark == "wrong" for _, mark in rows], np.bool_)
    positives = np.array([*images[is_right], *missed], np.int64)
    judged = Judged(images, is_right, is_wrong, positives)
    weights = draw_weights(5, 4, seed)
    drawn = bootstrap_ap(judged, weights, rules)
    for number in range(4):
        times = weights[:, number].astype(int)
        repeated = Judged(
            np.repeat(images, times[images]),
            np.repeat(is_right, times[images]),
            np.repeat(is_wrong, times[images]),
            np.repeat(positives, times[positives]),
        )
        curve = draw_curve(repeated, rules)
        expected = curve.ap if curve.npos and repeated.is_right.any() else 0.0
        expected = expected if curve.npos else math.nan
        assert drawn[number] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_replicates_of_intersection_over_union_add_up_pixels() -> None:
    pixels = np.array([[[5, 0], [10, 0], [10, 10]], [[2, 8], [2, 10], [4, 8]]])
    weights = np.array([[1.0, 2.0], [1.0, 0.0]])
    drawn = bootstrap_iou(pixels, weights)
    assert drawn[0].tolist() == pytest.approx([100 * 7 / 19, 100 * 10 / 30])
    assert drawn[1].tolist() == pytest.approx([100 * 8 / 20, 0])


def test_the_same_seed_draws_the_same_images_and_each_replicate_draws_as_many() -> None:
    first = draw_weights(7, 50, 3)
    assert np.array_equal(first, draw_weights(7, 50, 3))
    assert set(first.sum(axis=0)) == {7.0}


def test_a_method_that_is_always_ahead_is_separated_and_ranks_first() -> None:
    steps = np.linspace(0, 0.1, 100)
    found = compare(
        {"a": 0.6, "b": 0.5, "c": 0.59}, {"a": 0.6 + steps, "b": 0.5 + steps, "c": 0.7 - steps}
    )
    assert found.best == ("a", "c")
    assert found.behind["b"] == pytest.approx((0.1, 0.1))
    assert found.ranks["b"][1] == 3


def test_the_critical_difference_of_seventeen_methods_on_twenty_classes_is_5_52() -> None:
    rng = np.random.default_rng(0)
    scores = {
        f"m{method}": {f"c{number}": float(rng.random()) for number in range(20)}
        for method in range(17)
    }
    scores["partial"] = {"c1": 0.5}
    found = friedman(scores)
    assert found is not None
    assert found.critical_difference == pytest.approx(5.52, abs=0.005)
    assert found.left_out == ("partial",)
    assert sum(found.mean_ranks.values()) == pytest.approx(17 * 18 / 2)


def test_two_methods_have_no_test_of_ranks() -> None:
    assert friedman({"a": {"x": 1.0, "y": 2.0}, "b": {"x": 1.0, "y": 2.0}}) is None


def test_methods_are_compared_by_the_command(devkit: Path, tmp_path: Path) -> None:
    for name, confidences in {"good": (0.9, 0.1, 0.8), "bad": (0.1, 0.9, 0.2)}.items():
        rows = [f"{it} {value}" for it, value in zip(IDS, confidences, strict=True)]
        write(tmp_path / name / "Main" / "comp1_cls_val_cat.txt", "\n".join(rows) + "\n")
    words = [f"--method={name}={tmp_path / name}" for name in ("good", "bad")]
    printed = CliRunner().invoke(main, ["evaluate", str(devkit), *words])
    assert printed.exit_code == 0, printed.output
    assert re.search(r"good +\* 1\.0000", printed.output)
    as_json = CliRunner().invoke(main, ["evaluate", str(devkit), *words, "--json"])
    document = json.loads(as_json.output)
    [found] = document["comparison"]
    assert found["mean"]["good"]["score"] == 1
    assert found["mean"]["bad"]["score"] < 1
    assert set(document["methods"]["bad"]["tasks"]["classification"]) == {"comp1"}


def test_a_method_without_a_folder_is_wrong_usage(devkit: Path) -> None:
    done = CliRunner().invoke(main, ["evaluate", str(devkit), "--method", "a=nowhere"])
    assert done.exit_code == 2
    assert "must be NAME=DIR" in done.output
