"""Threads that follow one another end as one thread would."""

from __future__ import annotations

import threading
from typing import cast

import pytest

from collect.worker import Worker
from collect.worker_threads import _Line


class EndlessWorker:
    """Has always more to do."""

    def run(self, most: int) -> bool:
        return most > 0


def test_where_no_thread_can_follow_the_fault_is_told_and_nobody_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = threading.Thread.start

    def start_once(thread: threading.Thread) -> None:
        if threading.current_thread() is not threading.main_thread():
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_once)
    line = _Line(cast(Worker, EndlessWorker()), "collect_0")
    line.start()
    line.join()
    with pytest.raises(RuntimeError, match="new thread"):
        line.ended.result(0)
