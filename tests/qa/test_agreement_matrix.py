from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from benchmarks.qa_annotators import CLASSES, Slips, make_truth, pair_up
from qa.agreement_groups import measure_people
from qa.agreement_matrix import MatrixCell, make_matrix, share, summarise_people
from qa.matched import match_pairs
from qa.subjects import SeenTwice


def matrix(pairs: Sequence[SeenTwice]) -> list[MatrixCell]:
    return make_matrix(
        ((pair.first_id, pair.second_id), share(pair.first, pair.second, 0.3)) for pair in pairs
    )


def test_the_matrix_says_what_the_full_measurement_says() -> None:
    rng = np.random.default_rng(1)
    truth = make_truth(60, rng)
    pairs = pair_up(truth[:30], Slips(missed=0.1), Slips(missed=0.2), rng, (1, 2))
    pairs += pair_up(truth[30:], Slips(missed=0.3), Slips(), rng, (3, 1))
    matched = match_pairs(pairs, CLASSES, least_overlap=0.3)
    for cell, full in zip(matrix(pairs), measure_people(matched, rounds=1000), strict=True):
        assert (cell.first_id, cell.second_id) == full.people
        assert cell.images == full.images == 30
        assert cell.both.value == pytest.approx(full.both.value)
        ends = (full.both.low, full.both.high)
        assert (cell.both.low, cell.both.high) == pytest.approx(ends, abs=0.01)
        assert cell.mean_overlap == pytest.approx(full.mean_overlap.value)


def test_a_persons_agreement_is_over_all_they_share_images_with() -> None:
    rng = np.random.default_rng(2)
    truth = make_truth(40, rng)
    pairs = pair_up(truth[:20], Slips(), Slips(), rng, (1, 2))
    pairs += pair_up(truth[20:], Slips(), Slips(missed=0.5), rng, (1, 3))
    people = summarise_people(matrix(pairs))
    assert people[2].value == 1
    assert people[3].value < people[1].value < 1
    assert people[1].count == people[2].count + people[3].count


def test_without_doubles_there_is_no_matrix() -> None:
    assert matrix([]) == []
    assert summarise_people([]) == {}
