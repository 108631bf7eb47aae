from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.annotated import AnnotatedObject
from qa import agreement
from qa.findings import SeenTwice
from qa.matching import compare_objects, match_pairs

from .annotators import CLASSES, Slips, make_truth, pair_up
from .making import image_of, thing


def objects(*items: AnnotatedObject) -> tuple[AnnotatedObject, ...]:
    return image_of(*items).objects


ROW = [thing("person", (10 + 20 * place, 100, 28 + 20 * place, 150)) for place in range(12)]
CROWD = thing("person", (10, 100, 250, 150), group_of=True, difficult=True)
APART = thing("person", (300, 200, 400, 350))


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_group_against_its_members_is_no_disagreement(is_turned: bool) -> None:
    grouped = objects(CROWD, APART, thing("dog", (20, 100, 60, 150)))
    single = objects(*ROW, APART)
    pair = (single, grouped) if is_turned else (grouped, single)
    measured = agreement.measure_all(
        match_pairs([SeenTwice(7, 1, 2, *pair)], CLASSES, least_overlap=0.5)
    )
    counts = measured.first_objects, measured.second_objects, measured.both_objects
    assert counts == ((1, 2, 1) if is_turned else (2, 1, 1))  # the dog is missing


def test_members_count_where_the_group_has_a_partner_or_holds_one_box() -> None:
    in_front = objects(CROWD, ROW[0])
    others = objects(CROWD, *ROW[:3])
    both = compare_objects(in_front, others, least_overlap=0.5)
    assert [len(both.first), len(both.second), len(both.matches)] == [2, 2, 2]
    alone = compare_objects(objects(CROWD), objects(ROW[0]), least_overlap=0.5)
    assert [len(alone.first), len(alone.second), len(alone.matches)] == [1, 1, 0]


def test_an_object_of_a_confused_class_does_not_count_as_missed() -> None:
    seen = [
        SeenTwice(
            number,
            1,
            2,
            objects(thing("dog", (10, 10, 90, 90)), thing("cat", (200, 10, 290, 90))),
            objects(thing("cat", (10, 10, 90, 90)), thing("cat", (200, 10, 290, 90))),
        )
        for number in range(20)
    ]
    for figures in agreement.measure_classes(match_pairs(seen, ("cat", "dog"), least_overlap=0.3)):
        assert figures.missed.missed == 0


def kappa_of(*rows: list[float]) -> float:
    return float(agreement.cohen_kappa(np.array([rows]))[0])


def alpha_of(*rows: list[float]) -> float:
    return float(agreement.krippendorff_alpha(np.array([rows]))[0])


def test_kappa_equals_published_examples() -> None:
    """Two readers of 50 proposals, a textbook's case; and Cohen's own example of 1960, table 1."""
    assert kappa_of([20, 5], [10, 15]) == pytest.approx(0.4)
    assert kappa_of([88, 14, 18], [10, 40, 10], [2, 6, 12]) == pytest.approx(0.492, abs=5e-4)


def test_alpha_equals_published_examples() -> None:
    """Krippendorff 2011, section A (ten articles, two words) and B (twelve, five words)."""
    assert alpha_of([5, 3], [1, 1]) == pytest.approx(0.095, abs=5e-4)
    nominal = [
        [float(word) for word in row] for row in ("11010", "02000", "00300", "01020", "00001")
    ]
    assert alpha_of(*nominal) == pytest.approx(0.692, abs=5e-4)


def test_kappa_and_alpha_are_unknown_if_only_one_value_occurs() -> None:
    for count in (9.0, 0.0):
        assert np.isnan(kappa_of([count, 0], [0, 0]))
        assert np.isnan(alpha_of([count, 0], [0, 0]))


def matrix(pairs: Sequence[SeenTwice]) -> list[agreement.MatrixCell]:
    return agreement.make_matrix(pairs, 0.3)


def test_the_matrix_of_people_agrees_with_the_full_measurement() -> None:
    rng = np.random.default_rng(1)
    truth = make_truth(60, rng)
    pairs = pair_up(truth[:30], Slips(missed=0.1), Slips(missed=0.2), rng, (1, 2))
    pairs += pair_up(truth[30:], Slips(missed=0.3), Slips(), rng, (3, 1))
    matched = match_pairs(pairs, CLASSES, least_overlap=0.3)
    for cell, full in zip(matrix(pairs), agreement.measure_people(matched), strict=True):
        assert (cell.first_id, cell.second_id) == full.people
        assert cell.images == full.images == 30
        assert cell.both.value == pytest.approx(full.both.value)
        assert (cell.both.low, cell.both.high) == (full.both.low, full.both.high)
        assert cell.mean_overlap == pytest.approx(full.mean_overlap.value)


def test_a_persons_agreement_covers_everyone_they_share_images_with() -> None:
    rng = np.random.default_rng(2)
    truth = make_truth(40, rng)
    pairs = pair_up(truth[:20], Slips(), Slips(), rng, (1, 2))
    pairs += pair_up(truth[20:], Slips(), Slips(missed=0.5), rng, (1, 3))
    people = agreement.summarise_people(matrix(pairs))
    assert people[2].value == 1
    assert people[3].value < people[1].value < 1
    assert people[1].count == people[2].count + people[3].count


tables = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=3, max_size=3)


@given(tables)
def test_agreement_is_at_most_1_and_1_if_complete(rows: list[list[int]]) -> None:
    table = np.array([rows], dtype=np.float64)
    for measure in (agreement.cohen_kappa, agreement.krippendorff_alpha):
        values = measure(table)
        assert np.isnan(values[0]) or values[0] <= 1 + 1e-12
    whole = np.diag([3.0, 2.0, 1.0])[None]
    assert agreement.cohen_kappa(whole)[0] == pytest.approx(1)
    assert agreement.krippendorff_alpha(whole)[0] == pytest.approx(1)


def test_actions_and_parts_are_compared_only_for_classes_that_have_them() -> None:
    runner = replace(thing("person", (10, 10, 90, 90)), actions=("running",))
    walker = replace(runner, actions=("walking",))
    dog = thing("dog", (200, 10, 290, 90))
    seen = [
        SeenTwice(1, 1, 2, objects(runner, dog), objects(runner, dog)),
        SeenTwice(2, 1, 2, objects(runner, dog), objects(walker, dog)),
    ]
    fields = {
        field.field: field
        for field in agreement.measure_all(match_pairs(seen, (), least_overlap=0.3)).fields
    }
    assert fields["actions"].share.value == 1 / 2
    assert np.isnan(fields["parts"].share.value)
    assert fields["difficult"].share.value == 1
