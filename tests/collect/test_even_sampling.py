"""Dates and owners of what is drawn from a Flickr full of recent photographs and busy owners."""

from __future__ import annotations

import statistics
from collections import Counter

import pytest

from benchmarks.collect_sampling import (
    NO_CAPS,
    Found,
    Library,
    Way,
    run,
    share_of_ten,
)

GROWING = Library(12_000, growth=20)
OURS = Way("as it is")


def test_a_third_is_of_the_last_third_of_the_years_though_uploads_grew_20_fold() -> None:
    shares = [run(GROWING, OURS, 300, seed).recent_share for seed in range(2)]
    assert statistics.mean(shares) == pytest.approx(1 / 3, abs=0.02)
    assert max(shares) < 1 / 3 + 0.054  # two standard deviations of 300 independent photographs


def test_without_caps_a_few_owners_prevail_and_with_them_none_does() -> None:
    busy = Library(50_000, growth=20, burst=5)
    free = run(busy, Way("no caps", NO_CAPS), 160, 1)
    caps = {"photos_per_owner": 3, "photos_per_owner_and_day": 1}
    capped = run(busy, Way("caps", caps), 160, 1)
    assert max(Counter(free.owners).values()) > 6
    assert max(Counter(capped.owners).values()) <= 3
    assert share_of_ten(capped) < 0.75 * share_of_ten(free)
    assert count_most_of_a_day(free) > count_most_of_a_day(capped) == 1


def count_most_of_a_day(found: Found) -> int:
    days = Counter(
        (owner, at.date()) for owner, at in zip(found.owners, found.moments, strict=True)
    )
    return max(days.values())
