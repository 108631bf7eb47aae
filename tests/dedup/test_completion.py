"""Pairs of copies that are verified besides those that were found near one another."""

from collections.abc import Iterable, Mapping, Sequence

import pytest

from dedup.clusters import Candidate
from dedup.completion import complete_pairs
from dedup.constants import BEST_ROUNDS, COPIES_THAT_ALL_MEET
from dedup.pairs import BY_REGISTRATION, BY_THIRD, Pair, Relation

Ids = tuple[int, int]


def near(first_id: int, second_id: int, relation: Relation = Relation.DUPLICATE) -> Pair:
    return Pair(first_id, second_id, relation, 0.1)


def make_star(count: int) -> list[Pair]:
    """The first of so many images, with each of the others as a copy."""
    return [near(1, image_id) for image_id in range(2, count + 1)]


class Verification:
    """Joins every pair or none; notes what it was asked for, question by question."""

    def __init__(self, *, joins: bool = True) -> None:
        self.asked: list[set[Ids]] = []
        self._joins = joins

    def verify(self, wanted: Iterable[Ids]) -> Mapping[Ids, Pair]:
        self.asked.append(set(wanted))
        return {ids: near(*ids) for ids in self.asked[-1]} if self._joins else {}


class Ranking:
    """Ranks the images of a cluster so that the best of them is, in turn, one of these."""

    def __init__(self, *best_ids: int) -> None:
        self._best_ids = list(best_ids)

    def load_members(self, ids: set[int], _pairs: Sequence[Pair]) -> list[Candidate]:
        best_id = self._best_ids.pop(0) if len(self._best_ids) > 1 else self._best_ids[0]
        return [
            Candidate(image_id, None, 0, is_fixed=False, flaws=int(image_id != best_id))
            for image_id in sorted(ids)
        ]


def complete(pairs: list[Pair], verification: Verification, *best_ids: int) -> dict[Ids, str]:
    """What decided each pair of the answer, which is sorted."""
    pairs = complete_pairs(pairs, verification.verify, Ranking(*best_ids).load_members)
    assert pairs == sorted(pairs, key=lambda pair: pair.ids)
    return {pair.ids: pair.how for pair in pairs}


def test_each_of_a_few_copies_meets_all_others() -> None:
    verification = Verification()
    completed = complete([near(2, 3), near(3, 4), near(1, 2)], verification, 1)
    assert verification.asked == [{(1, 3), (1, 4), (2, 4)}]
    assert completed.keys() == {(1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)}


@pytest.mark.parametrize("relation", [Relation.SAME_EVENT, Relation.COLLAGE])
def test_only_copies_make_a_cluster(relation: Relation) -> None:
    verification = Verification()
    completed = complete([near(1, 2), near(2, 3, relation)], verification, 1)
    assert verification.asked == [set()]
    assert completed.keys() == {(1, 2), (2, 3)}


def test_copies_that_verification_does_not_join_are_linked_where_one_of_them_is_the_best() -> None:
    chain = [near(1, 2), near(2, 3), near(3, 4)]
    completed = complete(chain, Verification(joins=False), 1)
    known = dict.fromkeys([(1, 2), (2, 3), (3, 4)], BY_REGISTRATION)
    assert completed == known | {(1, 3): BY_THIRD, (1, 4): BY_THIRD}


@pytest.mark.parametrize("count", [COPIES_THAT_ALL_MEET, COPIES_THAT_ALL_MEET + 1])
def test_of_many_copies_only_the_best_meets_all_others(count: int) -> None:
    verification = Verification()
    complete(make_star(count), verification, 2)
    with_second = {(2, image_id) for image_id in range(3, count + 1)}
    if count == COPIES_THAT_ALL_MEET:
        [asked] = verification.asked
        assert asked > with_second
    else:
        assert verification.asked == [set(), with_second]


def test_a_copy_that_turns_out_to_be_better_meets_all_others_too_for_a_few_rounds() -> None:
    count = COPIES_THAT_ALL_MEET + BEST_ROUNDS + 2
    verification = Verification()
    complete(make_star(count), verification, *range(count, 1, -1))
    first, *rounds = verification.asked
    assert first == set()
    assert [max(max(ids) for ids in asked) for asked in rounds] == [
        count - number for number in range(BEST_ROUNDS)
    ]
    assert rounds[0] == {(image_id, count) for image_id in range(2, count)}
    assert rounds[1] == {(image_id, count - 1) for image_id in range(2, count - 1)}


def test_a_cluster_whose_members_are_unknown_stays_as_it_is() -> None:
    verification = Verification(joins=False)
    pairs = [near(1, 2), near(2, 3)]
    completed = complete_pairs(pairs, verification.verify, lambda _ids, _pairs: [])
    assert completed == pairs
