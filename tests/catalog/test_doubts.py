"""When one same answer for many is believed: at once of few, of many an hour later."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.doubts import SAID_AGAIN_AFTER, Doubt, are_few, is_said_again, renew_doubt

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
GONE = Doubt("gone", NOON)


@pytest.mark.parametrize(
    ("changed", "asked", "believed"),
    [
        (0, 0, True),
        (1, 1, True),
        (1, 1000, True),
        (2, 2, False),
        (2, 20, False),
        (2, 21, True),
        (99, 1000, True),
        (100, 1000, False),
    ],
)
def test_one_answer_or_less_than_a_tenth_is_believed_at_once(
    changed: int, asked: int, believed: bool
) -> None:
    assert are_few(changed, asked) is believed


@given(st.integers(0, 500), st.integers(0, 500))
def test_what_is_believed_of_many_is_believed_of_fewer(changed: int, asked: int) -> None:
    if are_few(changed + 1, asked):
        assert are_few(changed, asked)
        assert are_few(changed + 1, asked + 1)


@pytest.mark.parametrize(
    ("doubt", "after", "believed"),
    [
        (GONE, SAID_AGAIN_AFTER, True),
        (GONE, 2 * SAID_AGAIN_AFTER, True),
        (GONE, SAID_AGAIN_AFTER - SECOND, False),
        (GONE, timedelta(), False),
        (GONE, -SAID_AGAIN_AFTER, False),
        (Doubt("private", NOON), SAID_AGAIN_AFTER, False),
        (Doubt("gone", None), SAID_AGAIN_AFTER, False),
        (Doubt(), SAID_AGAIN_AFTER, False),
    ],
)
def test_the_same_answer_is_believed_an_hour_later(
    doubt: Doubt, after: timedelta, believed: bool
) -> None:
    assert is_said_again("gone", doubt, NOON + after) is believed


@pytest.mark.parametrize("after", [timedelta(), SECOND, 5 * SAID_AGAIN_AFTER])
def test_the_hour_runs_from_the_first_of_the_same_answers(after: timedelta) -> None:
    assert renew_doubt("gone", GONE, NOON + after) == GONE


@pytest.mark.parametrize("doubt", [Doubt(), Doubt("private", NOON), Doubt("gone", None)])
def test_another_answer_begins_the_hour_anew(doubt: Doubt) -> None:
    assert renew_doubt("gone", doubt, NOON + SECOND) == Doubt("gone", NOON + SECOND)


def test_a_clock_set_back_begins_the_hour_anew() -> None:
    assert renew_doubt("gone", GONE, NOON - SECOND) == Doubt("gone", NOON - SECOND)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_an_answer_is_never_believed_within_an_hour_of_its_doubt(first: int, more: int) -> None:
    began = NOON + timedelta(seconds=first)
    doubt = renew_doubt("gone", Doubt(), began)
    later = began + timedelta(seconds=more)
    assert is_said_again("gone", doubt, later) is (more >= SAID_AGAIN_AFTER.total_seconds())
