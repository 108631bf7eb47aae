"""Uploads that nobody goes on with stand in nobody's way; those that arrive are left alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from catalog.refusals import HeldError, InvalidError
from challenge import submissions, upload_files
from challenge.folder import Challenge
from challenge.values import State

from .contests import OPEN, join, send

LONG_QUIET = OPEN + timedelta(seconds=submissions.QUIET_SECS)


def begin(challenge: Challenge, entrant: tuple[int, int], now: datetime = OPEN) -> int:
    """An upload of one byte, which arrived then."""
    with challenge.catalogue.writing() as session:
        number = submissions.begin(session, challenge, *entrant, "a.tgz", now).id
    submissions.append(challenge, entrant[0], number, 0, [b"x"])
    set_time(challenge, number, now)
    return number


def set_time(challenge: Challenge, number: int, at: datetime) -> None:
    os.utime(upload_files.part_path(challenge, number), (at.timestamp(), at.timestamp()))


def load_state(challenge: Challenge, team_id: int, number: int) -> State:
    with challenge.catalogue.reading() as session:
        return submissions.get(session, team_id, number).state


def test_a_new_upload_takes_the_place_of_the_one_that_is_quiet_for_longest(
    challenge: Challenge,
) -> None:
    entrant = join(challenge)
    first, second, *_ = [begin(challenge, entrant) for _ in range(submissions.MOST_OPEN)]
    set_time(challenge, first, OPEN + timedelta(seconds=60))
    _, verdict = send(challenge, entrant, now=LONG_QUIET)
    assert verdict.is_good
    assert load_state(challenge, entrant[0], second) is State.CANCELLED
    assert load_state(challenge, entrant[0], first) is State.UPLOADING
    assert not upload_files.part_path(challenge, second).exists()


def test_uploads_that_arrive_just_now_are_named_with_the_way_to_cancel_one(
    challenge: Challenge,
) -> None:
    entrant = join(challenge)
    numbers = [begin(challenge, entrant) for _ in range(submissions.MOST_OPEN)]
    with pytest.raises(HeldError) as error:
        send(challenge, entrant, now=LONG_QUIET - timedelta(seconds=30))
    said = str(error.value)
    assert "submissions 1, 2, 3, 4, 5. " in said
    assert "try again in 30 s" in said
    assert f"/api/v1/submissions/{numbers[0]}/cancel" in said
    send(challenge, join(challenge, "bob"), now=LONG_QUIET - timedelta(seconds=30))


def test_a_slow_upload_does_not_give_way_while_a_request_adds_to_it(challenge: Challenge) -> None:
    entrant = join(challenge)
    slow, *others = [begin(challenge, entrant) for _ in range(submissions.MOST_OPEN)]
    for number in others:
        set_time(challenge, number, OPEN + timedelta(seconds=60))

    def arrive_slowly() -> Iterator[bytes]:
        with pytest.raises(HeldError, match="are under way"):
            send(challenge, entrant, now=LONG_QUIET)
        yield b"y"

    assert submissions.append(challenge, entrant[0], slow, 1, arrive_slowly()) == 2


def test_an_upload_that_is_cancelled_takes_no_more_bytes(challenge: Challenge) -> None:
    entrant = join(challenge)
    number = begin(challenge, entrant)

    def cancel_meanwhile() -> Iterator[bytes]:
        with challenge.catalogue.writing() as session:
            submissions.cancel(session, challenge, entrant[0], number, OPEN)
        yield b"y"
        pytest.fail("a second piece was read")

    with pytest.raises(InvalidError, match="has ended"):
        submissions.append(challenge, entrant[0], number, 1, cancel_meanwhile())
    assert list((challenge.folder / "uploads").iterdir()) == []


def test_what_a_piece_left_of_a_cancelled_upload_is_deleted_after_a_day(
    challenge: Challenge,
) -> None:
    entrant = join(challenge)
    number = begin(challenge, entrant)
    with challenge.catalogue.writing() as session:
        submissions.cancel(session, challenge, entrant[0], number, OPEN)
    left = upload_files.part_path(challenge, number)
    left.write_bytes(b"x")
    set_time(challenge, number, OPEN)
    submissions.end_abandoned(challenge, OPEN + timedelta(hours=23))
    assert left.exists()
    submissions.end_abandoned(challenge, OPEN + timedelta(hours=25))
    assert not left.exists()
