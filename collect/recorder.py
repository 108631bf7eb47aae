"""One process's writes to the catalogue: what several threads have ready is one transaction.

A commit waits for the disk. A thread that comes while another one commits waits for its turn, and
whoever is next takes along all that came meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from catalog.session import Catalogue

T = TypeVar("T")


@dataclass
class _Job:
    key: str
    work: Callable[[Session], Any]
    result: Any = None
    error: BaseException | None = None
    is_done: bool = False


@dataclass
class Recorder:
    """The only way in which the threads of a process write; what returned is durable."""

    catalogue: Catalogue
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: list[_Job] = field(default_factory=list)

    def run(self, work: Callable[[Session], T], key: str = "") -> T:
        """What `work` returns, done in a transaction with others'; what raises is undone alone.

        Works that lock rows of other processes, such as new images, come in the order of their
        keys, so that two processes never wait for each other both ways.
        """
        job = _Job(key, work)
        with self._lock:
            self._waiting.append(job)
        with self._turn:
            if not job.is_done:
                self._run_waiting()
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    def run_alone(self, work: Callable[[Session], T]) -> T:
        """What `work` returns, done in a transaction of its own."""
        with self._turn, self.catalogue.writing() as session:
            return work(session)

    def _run_waiting(self) -> None:
        with self._lock:
            jobs, self._waiting = sorted(self._waiting, key=lambda job: job.key), []
        try:
            with self.catalogue.writing() as session:
                for job in jobs:
                    _run_job(session, job)
        except BaseException as error:
            for job in jobs:
                job.error = error
            raise
        finally:
            for job in jobs:
                job.is_done = True


def _run_job(session: Session, job: _Job) -> None:
    try:
        with session.begin_nested():
            job.result = job.work(session)
    except Exception as error:
        job.error = error
