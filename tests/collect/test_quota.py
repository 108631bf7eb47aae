"""Places towards the target."""

from __future__ import annotations

import random
import threading

import pytest

from collect.quota import Quota


def make(target: int, fetched: int = 0) -> tuple[Quota, list[int]]:
    shown: list[int] = []
    return Quota(target, fetched, shown.append), shown


def test_there_are_as_many_places_as_images_are_missing() -> None:
    quota, shown = make(target=3, fetched=1)
    for _ in range(2):
        assert quota.reserve()
    quota.settle(is_fetched=True)
    quota.settle(is_fetched=True)
    assert not quota.reserve()
    assert sum(shown) == 2


def test_a_place_that_was_not_filled_is_given_out_again() -> None:
    quota, shown = make(target=1)
    for _ in range(5):
        assert quota.reserve()
        quota.settle(is_fetched=False)
    assert shown == []


def test_a_target_that_is_reached_already_gives_no_place() -> None:
    assert not make(target=3, fetched=3)[0].reserve()


def test_what_other_processes_fetched_takes_places_too() -> None:
    quota, shown = make(target=5)
    quota.correct(4)
    assert quota.reserve()
    quota.correct(5)
    quota.settle(is_fetched=False)
    assert not quota.reserve()
    assert sum(shown) == 5


@pytest.mark.parametrize("seed", range(5))
def test_threads_that_fail_at_random_reach_the_target_exactly(seed: int) -> None:
    quota, shown = make(target=50)
    rng, lock = random.Random(seed), threading.Lock()

    def work() -> None:
        while quota.reserve():
            with lock:
                is_fetched = rng.random() < 0.4
            quota.settle(is_fetched=is_fetched)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(shown) == 50


def test_a_stop_wakes_those_who_wait_for_the_last_place() -> None:
    quota, _shown = make(target=1)
    assert quota.reserve()
    answers: list[bool] = []
    waiting = threading.Thread(target=lambda: answers.append(quota.reserve()))
    waiting.start()
    quota.stop()
    waiting.join()
    assert answers == [False]
