"""Which class and query a draw is about: by what is missing and what queries were worth."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect.balance import (
    RELOAD_DRAWS,
    Balanced,
    Record,
    Standing,
    average_worth,
    mean_worth,
    plan_targets,
    sample_worth,
)
from collect.sampling import Keyword, seeded_generator

TABBY, MEW, EWE = Keyword(1, "cat", "tabby"), Keyword(2, "cat", "mew"), Keyword(3, "sheep", "ewe")
KEYWORDS = {"cat": [TABBY, MEW], "sheep": [EWE]}


def choose_many(chooser: Balanced, count: int = 4000) -> Counter[Keyword]:
    return Counter(chooser.choose(seeded_generator(1, n), KEYWORDS) for n in range(count))


@pytest.mark.parametrize(
    ("wanted", "target", "expected"),
    [
        ({}, 90, {"a": 30, "b": 30, "c": 30}),
        ({"a": 50}, 90, {"a": 50, "b": 20, "c": 20}),
        ({"a": 50, "b": 60}, 90, {"a": 50, "b": 60, "c": 0}),
        ({"a": 1, "b": 2, "c": 3}, 90, {"a": 1, "b": 2, "c": 3}),
    ],
)
def test_classes_without_a_target_of_their_own_share_the_rest(
    wanted: dict[str, int], target: int, expected: dict[str, float]
) -> None:
    assert plan_targets(["a", "b", "c"], wanted, target) == expected


def test_a_class_is_drawn_in_proportion_to_what_it_misses() -> None:
    standing = Standing({"cat": 60, "sheep": 0})
    drawn = choose_many(Balanced({"cat": 90, "sheep": 90}, lambda: standing))
    assert drawn[EWE] == pytest.approx(3000, abs=150)


def test_images_that_wait_count_by_what_their_query_was_worth() -> None:
    records = {1: Record(judged=96, useful=48, waiting=100)}
    chooser = Balanced({"cat": 100, "sheep": 100}, lambda: Standing({"cat": 48}, records))
    chooser.choose(random.Random(0), KEYWORDS)
    assert chooser.expected("cat", KEYWORDS["cat"]) == pytest.approx(48 + 100 * 0.5, abs=1)


def test_a_class_that_has_enough_is_not_drawn_while_others_miss_some() -> None:
    standing = Standing({"cat": 90, "sheep": 89})
    assert set(choose_many(Balanced({"cat": 90, "sheep": 90}, lambda: standing))) == {EWE}


def test_where_nothing_is_missing_classes_are_alike() -> None:
    drawn = choose_many(Balanced({"cat": 0, "sheep": 0}, Standing))
    assert drawn[EWE] == pytest.approx(2000, abs=150)


def test_a_query_that_was_worth_more_is_drawn_more_and_no_query_never() -> None:
    records = {1: Record(200, 180), 2: Record(200, 4)}
    drawn = choose_many(Balanced({"cat": 9, "sheep": 0}, lambda: Standing({}, records)))
    assert drawn[TABBY] > 5 * drawn[MEW]
    assert drawn[MEW] > 4000 * 0.04
    assert drawn[EWE] == 0


def test_an_untried_query_is_worth_what_its_class_is_on_average() -> None:
    records = [Record(100, 20), Record()]
    average = average_worth(records)
    assert average == pytest.approx(0.2, abs=0.01)
    assert mean_worth(records[1], average) == average
    rng = random.Random(2)
    samples = [sample_worth(rng, records[1], average) for _ in range(4000)]
    assert sum(samples) / len(samples) == pytest.approx(average, abs=0.02)
    assert max(samples) > 0.6  # little is known of it


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 2**32))
def test_a_sampled_worth_is_a_share(judged: int, useful: int, seed: int) -> None:
    record = Record(judged, min(useful, judged))
    average = average_worth([record])
    assert 0 < average < 1
    assert 0 <= sample_worth(random.Random(seed), record, average) <= 1


def test_what_a_run_finds_itself_counts_at_once_and_the_rest_from_time_to_time() -> None:
    loads: list[int] = []

    def load() -> Standing:
        loads.append(1)
        return Standing()

    chooser = Balanced({"cat": 10, "sheep": 10}, load)
    chooser.choose(random.Random(0), KEYWORDS)
    chooser.count_found(EWE, 40)
    drawn = Counter(chooser.choose(seeded_generator(2, n), KEYWORDS) for n in range(100))
    assert drawn[EWE] == 0
    for number in range(RELOAD_DRAWS):
        chooser.choose(seeded_generator(3, number), KEYWORDS)
    assert len(loads) == 2


def test_the_same_seed_and_standing_give_the_same_draws() -> None:
    standing = Standing({"cat": 3}, {1: Record(10, 5), 3: Record(4, 1, 7)})
    first = choose_many(Balanced({"cat": 9, "sheep": 9}, lambda: standing), 50)
    assert first == choose_many(Balanced({"cat": 9, "sheep": 9}, lambda: standing), 50)
