"""Threads give what each item comes to, in order, or the first error."""

from __future__ import annotations

import threading

import pytest

from export.threads import ITEMS_AT_ONCE, map_in_threads

MANY = 5 * ITEMS_AT_ONCE + 1


@pytest.mark.parametrize("count", [0, 1, ITEMS_AT_ONCE, MANY])
def test_results_come_in_order(count: int) -> None:
    assert list(map_in_threads(lambda it: it * 2, range(count))) == [it * 2 for it in range(count)]


@pytest.mark.parametrize("count", [3, MANY])
def test_what_one_item_raises_ends_all(count: int) -> None:
    done: list[int] = []
    before = set(threading.enumerate())  # what other tests left

    def work(item: int) -> int:
        if item == 2:
            raise ValueError("wrong")
        done.append(item)
        return item

    with pytest.raises(ValueError, match="wrong"):
        list(map_in_threads(work, range(count)))
    assert 2 not in done
    assert set(threading.enumerate()) <= before


def test_few_items_need_no_thread() -> None:
    names = {*map_in_threads(lambda _: threading.current_thread().name, range(ITEMS_AT_ONCE))}
    assert names == {threading.current_thread().name}
