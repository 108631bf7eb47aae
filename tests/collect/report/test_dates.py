"""The share of recent photographs, their spread over a calendar, and the report's verdict."""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import pytest

from collect.report import figures
from collect.report.dates import (
    DayCount,
    compare_recent,
    describe_shortage,
    find_shortages,
    find_shortages_of_all,
    spread,
)
from collect.strata import Strata, cut_strata, whole_range
from vockit.report.intervals import (
    Draw,
    Recent,
    describe_recent,
    estimate_recent,
    last_third,
)

FIRST = date(2010, 7, 1)
LAST = date(2012, 12, 31)
RANGE_15 = date(2005, 1, 1), date(2019, 12, 31)
YEARS_15 = last_third(*RANGE_15)


def every_day() -> list[DayCount]:
    days = (LAST - FIRST).days + 1
    return [DayCount(FIRST + timedelta(days=offset), False, 1) for offset in range(days)]


@pytest.mark.parametrize(
    ("first", "last", "name", "begin"),
    [
        (date(2005, 1, 1), date(2019, 12, 31), "the last 5 of 15 years", date(2015, 1, 1)),
        (date(2005, 1, 1), date(2026, 5, 4), "the last 7 of 21 years", date(2019, 5, 5)),
        (date(2019, 1, 1), date(2019, 3, 31), "the last 30 of 90 days", date(2019, 3, 2)),
        (date(2019, 1, 1), date(2019, 1, 1), "the last 1 of 1 days", date(2019, 1, 1)),
    ],
)
def test_recent_is_the_last_third_of_all(first: date, last: date, name: str, begin: date) -> None:
    period = last_third(first, last)
    assert (period.name, period.first) == (name, begin)
    assert period.uniform == pytest.approx(((last - begin).days + 1) / ((last - first).days + 1))


def sample(rng: random.Random, share: float, draws: int, each: int) -> Recent:
    """Draws of `each` photographs, which are all recent or all old by chance."""
    drawn = [(each, each * (rng.random() < share)) for _ in range(draws)]
    return estimate(drawn)


def estimate(draws: Sequence[tuple[int, int]]) -> Recent:
    """The share of draws without windows, by their photographs and the recent ones among them."""
    return estimate_recent("photographs", [Draw(None, *draw) for draw in draws], YEARS_15, years=15)


@pytest.mark.parametrize(("draws", "each"), [(300, 1), (40, 10), (12, 7)])
@pytest.mark.parametrize("share", [0.1, 1 / 3, 0.5])
def test_the_interval_holds_the_truth_19_times_in_20(draws: int, each: int, share: float) -> None:
    rng = random.Random(f"{draws} {share}")
    estimates = [sample(rng, share, draws, each) for _ in range(300)]
    held = sum(recent.low <= share <= recent.high for recent in estimates)
    assert held >= 300 * 0.92


@pytest.mark.parametrize(
    ("draws", "says"),
    [
        ([], "Photographs: none with a date in the range yet."),
        ([(10, 10)], "The last 5 of 15 years in 10 photographs of 1 draw: not enough to tell."),
        (
            [(1, n % 2) for n in range(300)],
            "The last 5 of 15 years hold 50% of 300 photographs (44% to 56%); uniform would be "
            "33%. They are more recent than uniform dates.",
        ),
        (
            [(10, 10 * (n % 3 == 0)) for n in range(30)],
            "The last 5 of 15 years hold 33% of 300 photographs (19% to 52%); uniform would be "
            "33%. Not enough to tell whether they are biased: only a bias of 25 points or more "
            "would have shown in 30 draws.",
        ),
        (
            [(1, n % 3 == 0) for n in range(9000)],
            "The last 5 of 15 years hold 33% of 9,000 photographs (32% to 34%); uniform would be "
            "33%. They are uniform to within 5 points.",
        ),
        (
            [(3, 0)] * 40,
            "The last 5 of 15 years hold 0% of 120 photographs (0% to 9%); uniform would be 33%. "
            "They are older than uniform dates.",
        ),
    ],
)
def test_the_recent_share_is_given_with_interval(draws: list[tuple[int, int]], says: str) -> None:
    assert describe_recent(estimate(draws)) == says


def collect(
    seed: int, photographs: int, queries: int, used: float, *, is_rich: bool = False
) -> Recent:
    """A party that draws from the year of which a query has fewest; the later, the more a draw has.

    Of a rich source every draw has ten. One photograph in ten is lost; of the others this share is
    used, whatever its year.
    """
    rng = random.Random(seed)
    counts = defaultdict[int, list[int]](lambda: [0] * 15)
    strata = Strata(whole_range(*RANGE_15), lambda _windows: counts)
    draws = list[Draw]()
    drawn = 0
    while drawn < photographs:
        query_id = rng.randrange(queries)
        year = strata.choose(rng, query_id)
        count = 10 if is_rich else min(10, rng.randint(1, 3 + year))
        strata.add(query_id, year, count)
        drawn += count
        kept = sum(rng.random() < 0.9 * used for _ in range(count))
        draws.append(Draw(year >= 10, kept, kept * (year >= 10)))
    return estimate_recent("photographs", draws, YEARS_15, years=15)


@pytest.mark.parametrize(
    ("photographs", "queries", "used", "most_points"),
    [(600, 4, 1.0, 5.5), (600, 4, 0.3, 9), (2400, 4, 1.0, 2.7), (2400, 4, 0.3, 4.5)],
)
def test_the_interval_of_photographs_drawn_by_year_holds_the_truth_and_is_narrow(
    photographs: int, queries: int, used: float, most_points: float
) -> None:
    """The truth is what such parties have on average; draws alone would say 7 to 14 points."""
    parties = [collect(seed, photographs, queries, used) for seed in range(150)]
    truth = sum(recent.share or 0 for recent in parties) / len(parties)
    assert sum(recent.low <= truth <= recent.high for recent in parties) >= 0.93 * len(parties)
    widths = [100 * (recent.high - recent.low) / 2 for recent in parties]
    assert sum(widths) / len(widths) <= most_points


@pytest.mark.parametrize("photographs", [40, 80, 110, 200, 250, 370, 520, 1000])
def test_the_interval_of_a_run_that_stopped_amid_a_round_of_years_holds_the_truth(
    photographs: int,
) -> None:
    """Which years came first is chance: uniform dates are told to be biased once in 20 runs."""
    runs = [collect(seed, photographs, 4, 1.0, is_rich=True) for seed in range(150)]
    assert sum(run.low <= YEARS_15.uniform <= run.high for run in runs) >= 0.93 * len(runs)
    assert sum(run.is_even is False for run in runs) <= 0.07 * len(runs)


def test_a_party_of_2400_photographs_is_told_to_be_even() -> None:
    assert all(collect(seed, 2400, 4, 1.0).is_even for seed in range(20))


def test_annotated_images_of_which_old_ones_were_passed_over_are_told_to_be_recent() -> None:
    draws = [Draw(year >= 10, 6 if year >= 10 else 2, 6 * (year >= 10)) for year in range(15)] * 9
    recent = estimate_recent("annotated images", draws, YEARS_15, years=15)
    assert (recent.share, recent.is_even) == (0.6, False)
    assert describe_recent(recent).endswith("They are more recent than uniform dates.")


def test_images_of_equal_draws_are_as_even_as_their_count_says() -> None:
    draws = [Draw(year >= 10, 2, 2 * (year >= 10)) for year in range(15)]
    recent = estimate_recent("photographs", draws, YEARS_15, years=15)
    assert (recent.low, recent.share, recent.high) == (1 / 3, 1 / 3, 1 / 3)
    assert recent.is_even


def test_a_few_images_are_not_judged_though_their_draws_are_equal() -> None:
    draws = [Draw(n % 4 == 0, 1, n % 4 == 0) for n in range(20)]
    recent = estimate_recent("photographs", draws, YEARS_15, years=15)
    assert (recent.share, recent.is_even) == (0.25, None)
    assert describe_recent(recent).endswith("are biased: 20 photographs are too few.")


def test_draws_of_which_no_image_is_used_count_too() -> None:
    """Ten of 60 draws brought an image each; that four of them are recent is chance."""
    draws = [Draw(n % 3 == 0, n % 6 in {0, 1}, n % 6 == 0) for n in range(30)]
    draws += [Draw(n % 3 == 0, 0, 0) for n in range(30)]
    recent = estimate_recent("annotated images", draws, YEARS_15, years=15)
    assert recent.low < 0.3
    assert recent.high > 0.7
    assert recent.is_even is None


def test_two_collections_are_compared_by_their_difference_and_its_interval() -> None:
    even = estimate([(1, n % 3 == 0) for n in range(300)])
    recent = estimate([(1, n % 2) for n in range(300)])
    assert compare_recent(("Zoo", "Old"), even, recent) == (
        "Old has 17 points more of its photographs in the last 5 of 15 years than Zoo "
        "(95 % interval -24 to -9 points)."
    )
    alike = compare_recent(("Zoo", "Old"), even, even)
    assert "differ by 0 points" in alike
    assert alike.endswith("not enough to tell which is more recent.")


def test_years_with_far_fewer_photographs_are_reported_as_shortages() -> None:
    windows = cut_strata(whole_range(date(2005, 1, 1), date(2019, 12, 31)))
    counts = [0, 3, 11, 12, 30, 25, 2, *[30] * 8]
    shortages = find_shortages("cat: tabby", counts, windows, 10)
    assert [(shortage.years, shortage.photographs, shortage.uniform) for shortage in shortages] == [
        ("2005 to 2008", 26, 118),
        ("2011", 2, 30),
    ]
    assert describe_shortage(shortages[1]) == (
        "cat: tabby has 2 photographs of 2011; uniform dates would give 30."
    )
    assert find_shortages("cat: tabby", [20] * 7 + [30] * 8, windows, 10) == []


def test_years_that_all_queries_together_have_few_of_are_named() -> None:
    """No query lacks more than a draw, and still there are 3 of 20."""
    windows = cut_strata(whole_range(*RANGE_15))
    counts = [20] * 6 + [3] + [20] * 8
    assert find_shortages("cat: tabby", [2] * 6 + [0] + [2] * 8, windows, 10) == []
    (shortage,) = find_shortages_of_all(counts, windows, 10)
    assert describe_shortage(shortage) == (
        "All queries together have 3 photographs of 2011; uniform dates would give 20."
    )
    assert find_shortages_of_all([20] * 6 + [11] + [20] * 8, windows, 10) == []
    assert find_shortages_of_all([1] * 14 + [0], windows, 10) == []  # too few to tell


def test_years_that_were_not_drawn_from_yet_are_not_short() -> None:
    windows = cut_strata(whole_range(*RANGE_15))
    assert find_shortages_of_all([10] * 6 + [0] * 9, windows, 10) == []


def test_one_photograph_a_day_is_an_even_spread_by_every_calendar() -> None:
    for part in ("year", "month"):
        test = spread(every_day(), FIRST, LAST, part)
        assert test.counts == pytest.approx(test.even)
    assert spread(every_day(), FIRST, LAST, "month").counts[6] == 93  # of three years


@pytest.mark.parametrize(
    ("day", "in_months"),
    [
        (DayCount(date(2011, 1, 1), True, 1), 0),
        (DayCount(date(2011, 5, 1), True, 1), 1),
        (DayCount(date(2011, 1, 1), False, 1), 1),
        (DayCount(date(2009, 1, 2), False, 9), 0),  # outside the range
    ],
)
def test_a_date_without_a_month_is_not_counted_in_months(day: DayCount, in_months: int) -> None:
    assert sum(spread([day], FIRST, LAST, "month").counts) == in_months


def test_two_draws_are_said_to_be_too_few_to_show_a_bias() -> None:
    said = describe_recent(estimate([(1, 1), (1, 0)]))
    assert said.endswith("whether they are biased: 2 draws are too few to show any bias.")


OWNERS = {f"owner {number}": 4 for number in range(25)}
QUERIES = {("cat", "tabby"): 26, ("cat", "mew"): 24, ("dog", "puppy"): 50}
EVEN = figures.Makeup("photographs", OWNERS, QUERIES)
FIGURES = [
    figures.QueryFigures("flickr", name, keyword, name)
    for name, keyword in (*QUERIES, ("dog", "hound"), ("emu", "emu"))
]
RECENT = Recent("photographs", "the last 5 of 15 years", 900, 300, 1 / 3, 0.34, 0.31, 0.37, 0.04)


def judge(recent: Recent, makeup: figures.Makeup, classes: str, dates: str = "upload") -> list[str]:
    counts = Counter[str]()
    for (name, _keyword), count in makeup.queries.items():
        counts[name] += count
    even = dict.fromkeys(classes.split(), makeup.images / len(classes.split()))
    verdicts = [
        figures.judge_dates(recent, dates),
        figures.judge_owners(makeup),
        figures.judge_classes(makeup.sample, counts, even),
        figures.judge_queries(makeup, FIGURES),
    ]
    return figures.format_verdicts(verdicts)


def test_even_distributions_share_one_line() -> None:
    makeup = replace(EVEN, queries=QUERIES | {("dog", "puppy"): 26, ("dog", "hound"): 24})
    assert judge(RECENT, makeup, "cat dog") == [
        "Even: dates of photographs, owners of photographs, classes of photographs, queries of "
        "photographs."
    ]


def test_each_uneven_distribution_has_a_line_with_advice() -> None:
    recent = replace(RECENT, share=0.6, low=0.5, high=0.7)
    makeup = replace(EVEN, owners=OWNERS | {"ann": 40})
    dates, owners, classes, queries = judge(recent, makeup, "cat dog emu", "none")
    assert "They are more recent than uniform dates. Draw by date" in dates
    assert figures.judge_dates(recent).advice.startswith("The source has few of some years")
    assert owners.startswith("Not even: owners of photographs. ann has most, 29% of 140. Lower")
    assert "few of emu 0 (even: 33). Add queries for them" in classes
    assert "Not even: queries of photographs. 100% of dog by 'puppy'. See" in queries


def test_a_map_square_with_many_of_the_images_is_named() -> None:
    spread = {f"{10 * number}.5 -5.0": 10 for number in range(5)}
    assert figures.judge_places(replace(EVEN, places=spread)).is_even
    (line,) = figures.format_verdicts(
        [figures.judge_places(replace(EVEN, places={**spread, "-1.3 36.8": 30}))]
    )
    assert line == (
        "Not even: places of photographs. 38% of 80 with a place are from latitude -10 to 0, "
        "longitude 30 to 40. Add queries in other languages (`vocparty queries suggest CLASS`)."
    )


def test_classes_are_judged_by_their_targets() -> None:
    counts = {"cat": 70, "dog": 20, "emu": 9}
    assert figures.judge_classes("photographs", counts, {"cat": 68, "dog": 22, "emu": 10}).is_even
    verdict = figures.judge_classes("annotated images", counts, {"cat": 33, "dog": 33, "emu": 34})
    assert verdict.finding == "few of emu 9 (even: 34)"
    assert verdict.advice == "Give annotators images of them, or collect more with --class."


def test_a_class_that_has_less_than_half_of_a_small_share_is_told_so() -> None:
    """1 is half of 2, but less than half of 2.4."""
    even = dict.fromkeys([*"abcdefghijklmnopqrs", "cow"], 2.4)
    verdict = figures.judge_classes("photographs", dict.fromkeys(even, 2) | {"cow": 1}, even)
    assert verdict.finding == "few of cow 1 (even: 2.4)"


def test_distributions_with_too_little_data_are_reported_as_unclear() -> None:
    few = figures.Makeup("released images", {"ann": 3}, {("cat", "tabby"): 3})
    unclear = replace(RECENT, subject="released images", low=0.1, high=0.6, detectable=0.4)
    assert judge(unclear, few, "cat") == [
        "Cannot be told yet: dates of released images, owners of released images, classes of "
        "released images, queries of released images."
    ]
    assert figures.format_verdicts([]) == ["No images yet."]
