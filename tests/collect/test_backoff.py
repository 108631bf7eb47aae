"""How long is waited."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collect.backoff import Backoff, parse_retry_after

NOW = datetime(2015, 10, 21, 7, 27, 0, tzinfo=UTC)


@given(st.integers(min_value=1, max_value=10**6), st.randoms(use_true_random=False))
def test_a_wait_doubles_with_each_fault_up_to_the_longest_with_jitter(
    faults: int, jitter: random.Random
) -> None:
    backoff = Backoff(first_secs=1, factor=2, longest_secs=60)
    whole = min(60, 2 ** min(faults - 1, 10))
    assert whole / 2 <= backoff.delay_secs(faults, jitter) <= whole


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", 120),
        (" 0 ", 0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 60),
        ("Wed, 21 Oct 2015 07:28:00 -0000", 60),
        ("Wed, 21 Oct 2015 06:28:00 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("1e9", None),
        ("", None),
        (None, None),
        ("9" * 400, 999_999_999),
    ],
)
def test_retry_after_is_read_in_both_its_forms(value: str | None, expected: float | None) -> None:
    assert parse_retry_after(value, NOW) == expected
