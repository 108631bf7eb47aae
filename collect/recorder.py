"""One process's writes to the catalogue: what several threads have ready is one transaction.

A commit waits for the disk. A thread that comes while another one commits waits for its turn, and
whoever is next takes along all that came meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from catalog.session import Catalogue

from .outcomes import Kept, Outcome, record_kept

T = TypeVar("T")


@dataclass
class _Job:
    """Some work on rows, or a photo that was kept, which goes along with others of its kind."""

    work: Callable[[Session], Any] | None = None
    kept: Kept | None = None
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

    def run(self, work: Callable[[Session], T]) -> T:
        """What `work` returns, done in a transaction with others'; what raises is undone alone."""
        result: T = self._wait_for(_Job(work))
        return result

    def keep(self, kept: Kept) -> Outcome:
        """What recording a stored picture came to: FETCHED, SAME_BYTES or LATE."""
        outcome: Outcome = self._wait_for(_Job(kept=kept))
        return outcome

    def run_alone(self, work: Callable[[Session], T]) -> T:
        """What `work` returns, done in a transaction of its own."""
        with self._turn, self.catalogue.writing() as session:
            return work(session)

    def _wait_for(self, job: _Job) -> Any:
        with self._lock:
            self._waiting.append(job)
        with self._turn:
            if not job.is_done:
                self._run_waiting()
        if job.error is not None:
            raise job.error
        return job.result

    def _run_waiting(self) -> None:
        with self._lock:
            jobs, self._waiting = self._waiting, []
        try:
            with self.catalogue.writing() as session:
                for job in jobs:
                    _run_job(session, job)
                _run_kept(session, jobs)
        except BaseException as error:
            for job in jobs:
                job.error = error
            raise
        finally:
            for job in jobs:
                job.is_done = True


def _run_job(session: Session, job: _Job) -> None:
    if job.work is None:
        return
    try:
        with session.begin_nested():
            job.result = job.work(session)
    except Exception as error:
        job.error = error


def _run_kept(session: Session, jobs: Sequence[_Job]) -> None:
    """All pictures at once; they come last, since they lock rows that other processes may want."""
    found = [(job, job.kept) for job in jobs if job.kept is not None]
    if not found:
        return
    outcomes = record_kept(session, [kept for _job, kept in found])
    for (job, _kept), outcome in zip(found, outcomes, strict=True):
        job.result = outcome
