"""The class and the query of a draw, by targets and by what queries yielded."""

import random
from collections import Counter

import pytest

from collect.query_yield import Balanced, ClassCounts, Record, plan_targets
from collect.strata import RELOAD_DRAWS, Keyword, seeded_generator

TABBY = Keyword(1, "cat", "tabby")
MEW = Keyword(2, "cat", "mew")
EWE = Keyword(3, "sheep", "ewe")
TWO_OF_CAT = {"cat": [TABBY, MEW], "sheep": [EWE]}


def choose_many(chooser: Balanced, count: int = 4000) -> Counter[Keyword]:
    return Counter(chooser.choose(seeded_generator(1, n), TWO_OF_CAT) for n in range(count))


@pytest.mark.parametrize(
    ("wanted", "target", "expected"),
    [
        ({}, 90, {"a": 30, "b": 30, "c": 30}),
        ({"a": 50}, 90, {"a": 50, "b": 20, "c": 20}),
        ({"a": 50}, 9, {"a": 5, "b": 2, "c": 2}),  # a run of a tenth
        ({"a": 30, "b": 60}, 45, {"a": 15, "b": 30, "c": 0}),
        ({"a": 30, "sofa": 30}, 60, {"a": 30, "b": 15, "c": 15}),  # no sofa is collected
    ],
)
def test_classes_without_a_target_share_the_remaining_images(
    wanted: dict[str, int], target: int, expected: dict[str, float]
) -> None:
    assert plan_targets(["a", "b", "c"], wanted, 90, target) == pytest.approx(expected)


def test_a_class_behind_its_target_is_drawn_first_and_equals_by_target() -> None:
    drawn = choose_many(Balanced({"cat": 90, "sheep": 90}, lambda: ClassCounts({"cat": 60})))
    assert drawn[EWE] / 4000 > 0.98
    level = ClassCounts({"cat": 60, "sheep": 30})  # each has two thirds
    drawn = choose_many(Balanced({"cat": 90, "sheep": 45}, lambda: level))
    assert drawn[EWE] / 4000 == pytest.approx(1 / 3, abs=0.05)


def test_classes_end_up_even_although_searches_of_one_find_fewer_photographs() -> None:
    names = ("a", "b", "c")
    brings = {"a": 10, "b": 3, "c": 7}
    keywords = {name: (Keyword(number, name, name),) for number, name in enumerate(names)}
    for seed in range(20):
        drawn = Counter[str]()
        rng = random.Random(seed)
        chooser = Balanced(plan_targets(names, {}, 300, 300), ClassCounts)
        while drawn.total() < 300:
            keyword = chooser.choose(rng, keywords)
            drawn[keyword.class_name] += brings[keyword.class_name]
            chooser.count_found(keyword, brings[keyword.class_name])
        assert all(85 <= drawn[name] <= 115 for name in names), drawn


def test_waiting_images_count_by_the_yield_of_their_query() -> None:
    records = {1: Record(judged=96, useful=48, waiting=100)}
    chooser = Balanced({"cat": 100, "sheep": 100}, lambda: ClassCounts({"cat": 48}, records))
    chooser.choose(random.Random(0), TWO_OF_CAT)
    assert chooser.expected("cat", TWO_OF_CAT["cat"]) == pytest.approx(48 + 100 * 0.5, abs=1)


def test_a_query_with_a_higher_yield_is_drawn_more_and_none_is_dropped() -> None:
    records = {1: Record(200, 180), 2: Record(200, 4)}
    drawn = choose_many(Balanced({"cat": 9, "sheep": 0}, lambda: ClassCounts({}, records)))
    assert drawn[TABBY] > 5 * drawn[MEW]
    assert drawn[MEW] > 4000 * 0.04
    assert drawn[EWE] == 0


def test_a_runs_own_finds_count_at_once_and_the_catalogue_is_reread_now_and_then() -> None:
    loads: list[int] = []

    def load() -> ClassCounts:
        loads.append(1)
        return ClassCounts()

    chooser = Balanced({"cat": 10, "sheep": 10}, load)
    chooser.choose(random.Random(0), TWO_OF_CAT)
    chooser.count_found(EWE, 40)
    drawn = Counter(chooser.choose(seeded_generator(2, n), TWO_OF_CAT) for n in range(100))
    assert drawn[EWE] == 0
    for number in range(RELOAD_DRAWS):
        chooser.choose(seeded_generator(3, number), TWO_OF_CAT)
    assert len(loads) == 2
