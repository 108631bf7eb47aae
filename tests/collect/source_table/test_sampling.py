"""Which photographs a sample keeps: each is equally likely, under the caps of owners."""

from collections import Counter, defaultdict

import pytest
from scipy.special import chdtrc

from collect.source_table.sampling import Rules, choose_lowest, draw_lot

PASSES = 2_000
LEAST_P = 0.001

Row = tuple[str, str]  # owner and day


def make_rules(photos_per_owner: int, photos_per_day: int = 1_000) -> Rules:
    return Rules(
        queries=("cat",),
        licences=None,
        dates="upload",
        seed=0,
        photos_per_month=10,
        photos_per_owner=photos_per_owner,
        photos_per_owner_and_day=photos_per_day,
    )


def sample(rows: list[Row], rules: Rules, seed: int) -> set[int]:
    """The numbers of the rows that a pass with this seed keeps of one month."""
    lots = {draw_lot(seed, "cat", str(number)): number for number in range(len(rows))}
    in_order = [(lot, *rows[lots[lot]]) for lot in sorted(lots)]
    return {lots[lot] for lot in choose_lowest(in_order, rules, rules.photos_per_month)}


def find_p(counts: list[int], kept: list[int]) -> float:
    """How likely counts so uneven are, where each pass kept so many, all equally likely."""
    n = len(counts)
    variance = sum(number / n * (1 - number / n) for number in kept) * n / (n - 1)
    mean = sum(counts) / n
    return float(chdtrc(n - 1, sum((count - mean) ** 2 for count in counts) / variance))


def test_each_photograph_of_a_month_is_equally_likely_without_the_cap() -> None:
    rows = [(f"{number % 7}", "") for number in range(60)]
    counts = Counter[int]()
    for seed in range(PASSES):
        counts.update(sample(rows, make_rules(1_000), seed))
    assert set(counts) == set(range(60))
    assert find_p([counts[number] for number in range(60)], [10] * PASSES) > LEAST_P


def test_each_photograph_of_an_owner_is_equally_likely_with_the_cap() -> None:
    owners = [owner for owner, count in enumerate((40, 12, 6, 2)) for _ in range(count)]
    rows = [(str(owner), "") for owner in owners]
    counts = Counter[int]()
    kept = defaultdict[int, list[int]](list)
    for seed in range(PASSES):
        chosen = sample(rows, make_rules(3), seed)
        counts.update(chosen)
        for owner in set(owners):
            kept[owner].append(sum(owners[number] == owner for number in chosen))
    for owner in set(owners):
        of_owner = [counts[number] for number in range(60) if owners[number] == owner]
        assert max(kept[owner]) <= 3
        assert find_p(of_owner, kept[owner]) > LEAST_P


def test_an_unfair_choice_is_found() -> None:
    counts = [340, 260] * 30
    assert find_p(counts, [10] * 1_800) < LEAST_P


@pytest.mark.parametrize("part", [1, 7, 30])
def test_dropping_what_cannot_win_changes_nothing(part: int) -> None:
    rows = [(f"{number % 4}", f"{number % 3}") for number in range(60)]
    rules = make_rules(4, photos_per_day=2)
    lots = {number: draw_lot(5, "cat", str(number)) for number in range(60)}
    all_rows = sorted((lots[number], *rows[number]) for number in range(60))
    whole = set(choose_lowest(all_rows, rules, 10))
    left: list[tuple[int, str, str]] = []
    for begin in range(0, 60, part):
        left += [(lots[number], *rows[number]) for number in range(begin, min(60, begin + part))]
        kept = set(choose_lowest(sorted(left), rules, 10))
        left = [row for row in left if row[0] in kept]
    assert {row[0] for row in left} == whole
