"""Which images meet: the nearest by hashes, and those that share rare words."""

import numpy as np
import pytest

from dedup import candidates
from dedup.candidates import (
    Census,
    WordIndex,
    count_holders,
    find_by_hashes,
    make_view_table,
)
from dedup.constants import LEAST_STOPPED, NEAREST_BY_HASHES, NEAREST_BY_WORDS
from dedup.signature.hashes import TURNS

MAX_BITS = 10


def views_of(*hashes: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
    """An image of these hashes; the turns that are not named are far from all others."""
    random = np.random.default_rng(sum(hashes) % 1000 + 7)
    rest = random.integers(1 << 62, 1 << 63, len(TURNS) - len(hashes), np.uint64)
    return np.concatenate([np.array(hashes, np.uint64), rest])


def find(
    images: dict[int, np.ndarray[tuple[int, ...], np.dtype[np.uint64]]], new: list[int]
) -> list[list[int]]:
    table = make_view_table(list(images), list(images.values()))
    rows = find_by_hashes(table, np.array(new), np.array(list(images)), MAX_BITS)
    return [[int(value) for value in row] for row in rows]


def test_near_hashes_meet_with_their_distance_and_far_ones_do_not() -> None:
    images = {3: views_of(0b0), 8: views_of(0b111), 9: views_of((1 << 40) - 1)}
    assert find(images, [3, 8, 9]) == [[3, 8, 0, 0, 3]]


def test_the_lower_id_comes_first_whichever_is_new() -> None:
    images = {3: views_of(0b0), 8: views_of(0b1)}
    assert find(images, [8]) == find(images, [3]) == [[3, 8, 0, 0, 1]]


def test_images_that_were_all_matched_before_do_not_meet_again() -> None:
    assert find({3: views_of(0b0), 8: views_of(0b1)}, []) == []


def test_a_turned_image_meets_the_one_that_lies_upright() -> None:
    turned = views_of((1 << 40) - 1, 0b11)  # its mirrored view is near the other's whole
    assert find({1: views_of(0b0), 2: turned}, [1, 2]) == [[1, 2, 0, 1, 2]]


def test_an_image_meets_only_the_nearest_few() -> None:
    codes = [sum(1 << (5 * number + bit) for bit in range(5)) for number in range(10)]
    images = {number: views_of(code) for number, code in enumerate(codes)}  # 10 bits apart
    rows = find(images | {30: views_of(0)}, list(range(10)))
    assert [row[:2] for row in rows].count([0, 30]) == 1
    assert sum(30 in row[:2] for row in rows) >= NEAREST_BY_HASHES
    assert all(sum(number in row[:2] for row in rows) >= NEAREST_BY_HASHES for number in range(10))
    assert len(rows) < 10 * 11 // 2


def test_of_equal_images_each_meets_the_first() -> None:
    rows = find({number: views_of(5) for number in (1, 2, 3, 4)}, [1, 2, 3, 4])
    assert [row[:2] for row in rows] == [[1, 2], [1, 3], [1, 4]]


def test_equal_images_that_are_not_in_the_base_each_meet_it() -> None:
    images = {1: views_of(4), 8: views_of(5), 9: views_of(5)}
    table = make_view_table(list(images), list(images.values()))
    rows = find_by_hashes(table, np.array([8, 9]), np.array([1]), MAX_BITS)
    assert [list(map(int, row[:2])) for row in rows] == [[1, 8], [1, 9]]


def test_a_census_knows_which_of_some_images_are_new() -> None:
    census = Census(np.array([2, 5, 9]), np.array([True, False, True]))
    assert census.find_new([9, 5, 7]) == {5: False, 9: True}


def make_words(row: list[int]) -> np.ndarray:
    return np.array([row, row], np.uint16).T


def make_index(words: list[list[int]]) -> tuple[WordIndex, list[np.ndarray]]:
    lists = [make_words(row) for row in words]
    holders = count_holders(lists)
    return WordIndex(np.arange(len(words)), [lists], holders, holders, len(words)), lists


def test_images_that_share_most_words_are_nearest_first() -> None:
    index, lists = make_index([[1, 2, 3, 4], [1, 2, 3, 9], [1, 7, 8, 9], [50, 51, 52, 53]])
    pairs = list(index.find_nearest(np.array([0]), lists[:1], {}))
    assert [(query, other) for query, other, _ in pairs] == [(0, 1), (0, 2)]
    assert pairs[0][2] > pairs[1][2]
    assert len(pairs) <= NEAREST_BY_WORDS


def test_an_image_that_was_tried_is_left_out_and_no_image_is_its_own_neighbour() -> None:
    index, lists = make_index([[1, 2, 3, 4], [1, 2, 3, 9], [1, 7, 8, 9]])
    pairs = list(index.find_nearest(np.array([0]), lists[:1], {0: {1}}))
    assert [(query, other) for query, other, _ in pairs] == [(0, 2)]


def test_words_that_very_many_images_hold_say_nothing() -> None:
    words = [[1, 10_000 + number] for number in range(2 * LEAST_STOPPED)]
    index, lists = make_index(words)
    assert list(index.find_nearest(np.array([0]), lists[:1], {})) == []


@pytest.mark.parametrize(("most_read", "others"), [(1, []), (2, [1]), (4, [1]), (5, [1, 2])])
def test_of_an_images_words_the_rarest_are_read_up_to_a_number_of_holders(
    monkeypatch: pytest.MonkeyPatch, most_read: int, others: list[int]
) -> None:
    monkeypatch.setattr(candidates, "MOST_HOLDERS_READ", most_read)
    index, lists = make_index([[7, 3], [7, 3], [3]])  # two hold the 7, three hold the 3
    pairs = index.find_nearest(np.array([0]), lists[:1], {})
    assert sorted(other for _, other, _ in pairs) == others


def test_an_image_that_went_since_its_words_were_counted_is_not_found() -> None:
    lists = [make_words(row) for row in ([50, 51], [1, 2, 3, 4], [1, 2, 3, 9])]
    holders = count_holders(lists)
    left = [lists[0], make_words([]), lists[2]]
    index = WordIndex(np.arange(3), [left], holders, holders, 3)
    assert list(index.find_nearest(np.array([2]), lists[2:], {})) == []


def test_each_image_counts_once_as_a_holder_of_a_word() -> None:
    holders = count_holders([np.array([[4, 4], [4, 6]], np.uint16), np.array([[4, 9]], np.uint16)])
    assert {word: int(holders[word]) for word in (4, 6, 9, 10)} == {4: 2, 6: 1, 9: 1, 10: 0}
