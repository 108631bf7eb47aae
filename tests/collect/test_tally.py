"""What one run fetched and lost, counted, and its summary in words."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from collect.claims import Outcome
from collect.errors import PhotoBrokenError, PhotoError, PhotoGoneError, Reason
from collect.tally import Tally, format_left_out, format_summary

GONE = PhotoGoneError(Reason.DELETED, "410")
BROKEN = PhotoBrokenError(Reason.FOREIGN_ADDRESS, "ftp://example.org/1.jpg")

Counted = Sequence[tuple[Outcome, PhotoError | None]]


def tally_of(*outcomes: tuple[Outcome, PhotoError | None]) -> Tally:
    tally = Tally()
    for outcome, fault in outcomes:
        tally.count(outcome, fault)
    return tally


@pytest.mark.parametrize(
    ("outcomes", "summary"),
    [
        ([], "Fetched 0; gone 0; broken 0; identical files 0."),
        (
            [(Outcome.FETCHED, None), (Outcome.SAME_BYTES, None), (Outcome.LATE, None)],
            "Fetched 1; gone 0; broken 0; identical files 1.",
        ),
        (
            [(Outcome.LOST, GONE), (Outcome.LOST, BROKEN)],
            "Fetched 0; gone 1 (deleted 1); broken 1 (foreign address 1); identical files 0.",
        ),
        (
            [(Outcome.DOUBTED, GONE), (Outcome.RESTS, GONE)],
            "Fetched 0; gone 0; broken 0; identical files 0; to be asked for again 1 (deleted 1).",
        ),
    ],
    ids=["nothing", "fetched", "lost", "doubted"],
)
def test_the_summary_counts_each_outcome_once(outcomes: Counted, summary: str) -> None:
    assert format_summary(tally_of(*outcomes)) == summary


def test_a_photo_that_waited_is_counted_as_lost_once_that_is_believed() -> None:
    tally = tally_of((Outcome.DOUBTED, GONE))
    tally.count_believed(Outcome.LOST, GONE)
    assert (tally.waiting, tally.gone) == ({}, {Reason.DELETED: 1})


def test_a_copy_that_is_doubted_is_no_identical_file_any_more() -> None:
    tally = tally_of((Outcome.SAME_BYTES, None))
    tally.count_taken_back(GONE)
    assert (tally.same_bytes, tally.waiting) == (0, {Reason.DELETED: 1})


def test_a_reason_of_more_than_half_of_the_photographs_is_told_with_an_example() -> None:
    tally = tally_of((Outcome.LOST, GONE), (Outcome.LOST, GONE), (Outcome.FETCHED, None))
    assert tally.describe_main_reason().startswith("2 of 3 photographs ended for one reason: ")
    assert "410" in tally.describe_main_reason()
    tally.count(Outcome.FETCHED)
    assert tally.describe_main_reason() == ""


def test_photographs_that_the_settings_do_not_allow_are_a_main_reason_too() -> None:
    tally = Tally()
    tally.barred["their licence is not allowed"] += 3
    assert tally.describe_main_reason() == (
        "3 of 3 photographs were not fetched: their licence is not allowed."
    )


def test_results_that_were_left_out_are_told_by_reason_with_their_first_page() -> None:
    tally = Tally(left_out={"page/1": "too small", "page/2": "no size", "page/3": "too small"})
    tally.barred["their licence is not allowed"] += 2
    assert format_left_out(tally).splitlines() == [
        "Skipped 2 (page/1, for example): too small.",
        "Skipped 1 (page/2, for example): no size.",
        "Not fetched, but kept in the queue: 2 (their licence is not allowed).",
    ]
