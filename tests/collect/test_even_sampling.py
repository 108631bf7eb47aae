"""Dates and owners of what is drawn from a Flickr full of recent photographs and busy owners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest
from scipy.stats import chisquare

from benchmarks.collect_sampling import FIRST, LAST, NO_CAPS, WAYS, SyntheticFlickr, Way, draw

DRAWS = 160


AS_IN_2007, _WITHOUT_CAPS, OURS, *_ = WAYS


@pytest.fixture(scope="module")
def flickr() -> SyntheticFlickr:
    return SyntheticFlickr(100_000)


def chance_of_years(moments: Sequence[datetime]) -> float:
    """The probability of such differences between five stretches of four years by chance."""
    stretches = Counter((moment.year - FIRST.year) // 4 for moment in moments)
    count = (LAST.year - FIRST.year + 1) // 4
    return float(chisquare([stretches[number] for number in range(count)]).pvalue)


@pytest.mark.slow
def test_without_random_dates_the_newest_prevail_and_with_them_every_year_is_as_likely(
    tmp_path: Path, flickr: SyntheticFlickr
) -> None:
    biased, _owners, _each = draw(tmp_path / "2007", flickr, AS_IN_2007, DRAWS)
    even, _owners, _each = draw(tmp_path / "ours", flickr, OURS, DRAWS)
    assert {moment.year for moment in biased} == {LAST.year}
    assert chance_of_years(biased) < 1e-9
    assert chance_of_years(even) > 0.01
    decembers = [sum(one.month == 12 for one in found) / DRAWS for found in (biased, even)]
    assert decembers[0] > 0.5  # the paper's Christmas trees
    assert decembers[1] < 0.15


FREE = Way("no caps, 10 a search", NO_CAPS)


CAPPED = Way("caps, 10 a search", {"photos_per_owner": 3, "photos_per_owner_and_day": 1})


def share_of_ten(owners: Sequence[str]) -> float:
    return sum(count for _owner, count in Counter(owners).most_common(10)) / len(owners)


@pytest.mark.slow
def test_without_caps_a_few_owners_prevail_and_with_them_none_does(
    tmp_path: Path, flickr: SyntheticFlickr
) -> None:
    free_at, free, _each = draw(tmp_path / "free", flickr, FREE, DRAWS)
    capped_at, capped, _each = draw(tmp_path / "capped", flickr, CAPPED, DRAWS)
    assert max(Counter(free).values()) > 6
    assert max(Counter(capped).values()) <= 3
    assert share_of_ten(capped) < 0.75 * share_of_ten(free)
    assert count_most_of_a_day(free, free_at) > count_most_of_a_day(capped, capped_at) == 1


def count_most_of_a_day(owners: Sequence[str], moments: Sequence[datetime]) -> int:
    days = Counter((owner, at.date()) for owner, at in zip(owners, moments, strict=True))
    return max(days.values())
