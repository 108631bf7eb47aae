"""Checks and scorings run in processes of their own, with limits, and start again when killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from challenge.folder import Challenge
from challenge.limited import LimitError, Limits, MachineError, RefusedWorkError, run_limited, sweep
from challenge.tables import Submission
from challenge.values import State
from challenge.worker import Keeper
from vockit.errors import UserError

from .contests import enter, join

LIMITS = Limits(secs=30, memory_bytes=500_000_000, file_bytes=1_000_000)


def write_much() -> None:
    import tempfile

    Path(tempfile.gettempdir(), "file").write_bytes(bytes(2_000_000))


def take_much() -> int:
    return len(np.ones(10**9))


def refuse() -> None:
    raise UserError("a sentence")


def end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (refuse, RefusedWorkError, "a sentence"),
        (end, LimitError, "status -9"),
        (take_much, MachineError, "short of memory"),
    ],
)
def test_a_call_that_fails_ends_in_a_sentence(
    tmp_path: Path, call: Callable[[], object], kind: type[UserError], words: str
) -> None:
    with pytest.raises(kind, match=words):
        run_limited(call, limits=LIMITS, temporary=tmp_path / "tmp")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_call_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    limits = Limits(secs=0.02, memory_bytes=LIMITS.memory_bytes, file_bytes=1)
    with pytest.raises(LimitError, match=r"more than 0\.1 s"):
        run_limited(time.sleep, 60, limits=limits, temporary=tmp_path)


def test_folders_of_processes_that_are_gone_are_swept(tmp_path: Path) -> None:
    for name in (f"{os.getpid()}-mine", "999999999-theirs"):
        (tmp_path / name).mkdir()
    sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [f"{os.getpid()}-mine"]


def wait_for(is_so: Callable[[], object]) -> None:
    ends_at = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < ends_at
        time.sleep(0.05)


def test_a_worker_that_is_killed_is_started_again_and_scores_what_waits(
    challenge: Challenge,
) -> None:
    submission_id = enter(challenge, join(challenge))

    def is_scored() -> bool:
        with challenge.catalogue.reading() as session:
            return session.get_one(Submission, submission_id).state is State.SCORED

    with Keeper(challenge.folder) as keeper:
        wait_for(lambda: keeper.pid)
        first = keeper.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(first, 0)  # as gunicorn does of each process of the server that ends
        wait_for(lambda: keeper.pid not in (None, first))
        wait_for(is_scored)
        last = keeper.pid
    assert last is not None
    assert not Path(f"/proc/{last}").exists()
