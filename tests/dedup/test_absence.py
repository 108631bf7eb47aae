from __future__ import annotations

import pytest

from dedup.absence import Absence, Change, Patience

PATIENCE = Patience(notice_secs=5, give_up_secs=60)
Seen = list[tuple[bool, float]]
"""Whether work waited for workers, and at what second."""


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        ([(False, 0), (False, 100)], [None, None]),
        ([(True, 0), (True, 4.9), (True, 5), (True, 6)], [None, None, Change.GONE, None]),
        ([(True, 0), (False, 4), (True, 6), (True, 10)], [None, None, None, None]),
        (
            [(True, 0), (True, 7), (False, 8), (False, 9)],
            [None, Change.GONE, Change.BACK, None],
        ),
        (
            [(True, 0), (True, 7), (False, 8), (True, 50), (True, 59), (True, 109), (True, 110)],
            [None, Change.GONE, Change.BACK, None, Change.GONE, None, Change.GIVEN_UP],
        ),
        ([(True, 0), (True, 60), (True, 61)], [None, Change.GIVEN_UP, None]),
    ],
)
def test_what_is_news_about_workers_is_told_once(seen: Seen, told: list[Change | None]) -> None:
    absence = Absence(PATIENCE)
    assert [absence.see(is_lacking=lacks, now_secs=secs) for lacks, secs in seen] == told


def test_whoever_has_no_patience_gives_up_at_once() -> None:
    assert Absence(Patience(5, 0)).see(is_lacking=True, now_secs=0) is Change.GIVEN_UP
