"""The bins of time that a board counts in, and the pace of work."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest

from tests.qa.rows import NOON
from work.hours import Bin, choose_bin_secs, gather_bins, measure_pace

HOUR = timedelta(hours=1)


def read_utc(moment: str) -> datetime:
    return datetime.fromisoformat(moment).replace(tzinfo=UTC)


def test_time_bins_are_aligned_and_count_everything() -> None:
    moments = ("2026-01-31 12:04", "2026-01-31 12:05", "2026-01-31 12:09", "2026-02-01 00:00")
    rows = [Bin(read_utc(moment), 1, 2, 3, 4) for moment in moments]
    five = gather_bins(rows, 300)
    expected = [("31 12:00", 1), ("31 12:05", 2), ("01 00:00", 1)]
    assert [(f"{bin_.start_at:%d %H:%M}", bin_.annotated) for bin_ in five.bins] == expected
    days = [astuple(bin_)[1:] for bin_ in gather_bins(rows, 86_400).bins]
    assert days == [(3, 6, 9, 12), (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("zone", "starts", "annotated"),
    [
        (UTC, ["30 00:00", "31 00:00"], [2, 3]),
        (timezone(-timedelta(hours=5)), ["30 05:00", "31 05:00"], [4, 1]),
        (timezone(timedelta(hours=5, minutes=30)), ["29 18:30", "30 18:30"], [1, 4]),
        (ZoneInfo("Asia/Tokyo"), ["30 15:00"], [5]),
    ],
)
def test_days_begin_at_midnight_in_the_readers_time_zone(
    zone: tzinfo, starts: list[str], annotated: list[int]
) -> None:
    moments = ("30 18:29", "30 18:30", "31 00:00", "31 04:59", "31 05:00")
    rows = [Bin(read_utc(f"2026-01-{moment}"), 1, 0, 0, 0) for moment in moments]
    days = gather_bins(rows, 86_400, zone).bins
    assert [f"{day.start_at:%d %H:%M}" for day in days] == starts
    assert [day.annotated for day in days] == annotated


EVERY_MINUTE = range(50, 90)
"""Sixty images an hour, from ten to one to half past one."""


@pytest.mark.parametrize(
    ("finished", "opened", "per_hour"),
    [
        ([], 0, 0.0),
        (EVERY_MINUTE, 90, 60.0),  # and neither 40 in two hours nor in an hour and a half
        (range(0, 1440, 20), 1440, 3.0),  # slow work has no breaks
        ([*EVERY_MINUTE, *range(600, 660)], 660, 100 / (39 + 5 + 60) * 60),  # nor has it nights
        (range(60), 2000, 60 / (59 + 5) * 60),  # what ended keeps its pace
        ([0, 0], 0, 24.0),  # it has just begun, and counts as five minutes
        ([*range(100), *range(100, 2000, 10)], 2000, 6.0),  # only the last day counts
    ],
)
def test_the_pace_is_that_of_the_minutes_of_work(
    finished: Iterable[int], opened: int, per_hour: float
) -> None:
    minutes = [
        Bin(NOON + timedelta(minutes=minute), count, 0, 0, 0)
        for minute, count in Counter(finished).items()
    ]
    at = NOON + timedelta(minutes=opened)
    assert measure_pace(minutes, at=at) == pytest.approx(per_hour)


@pytest.mark.parametrize(
    ("length", "bin_secs"),
    [
        (HOUR, 300),
        (6 * HOUR, 300),
        (7 * HOUR, 3600),
        (14 * 24 * HOUR, 3600),
        (14 * 24 * HOUR + HOUR, 86_400),
    ],
)
def test_longer_parties_are_shown_in_longer_time_bins(length: timedelta, bin_secs: int) -> None:
    assert choose_bin_secs(length) == bin_secs


def test_a_day_with_a_clock_change_is_one_bin() -> None:
    moments = ("28 22:59", "28 23:00", "29 00:59", "29 21:59", "29 22:00")  # at 01:00 UTC
    rows = [Bin(read_utc(f"2026-03-{moment}"), 1, 0, 0, 0) for moment in moments]
    days = gather_bins(rows, 86_400, ZoneInfo("Europe/Zurich")).bins
    expected = [("27 23:00", 1), ("28 23:00", 3), ("29 22:00", 1)]
    assert [(f"{day.start_at:%d %H:%M}", day.annotated) for day in days] == expected
