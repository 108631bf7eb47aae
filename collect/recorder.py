"""One process's writes to the catalogue: what several threads have ready is one transaction.

A commit waits for the disk. A thread that comes while another one commits waits for its turn, and
whoever is next takes along all that came meanwhile. Nobody waits for a picture to be recorded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.orm import Session

from catalog.image_store import ImageStore
from catalog.session import Catalogue

from .outcomes import Kept, Outcome, record_kept

T = TypeVar("T")


GATHER_SECS = 0.04
"""A commit costs half a millisecond of processor time and some of waiting, whatever it holds; so
a picture waits for others, but not long: one that is not recorded would be fetched again."""

Done = Callable[[Outcome | None], None]
"""Told what recording a picture came to (see record_kept); None where it failed."""


@dataclass(eq=False)
class _Job:
    """Some work on rows, or a photo that was kept, which goes along with others of its kind."""

    work: Callable[[Session], Any] | None = None
    kept: Kept | None = None
    done: Done | None = None
    result: Any = None
    error: BaseException | None = None
    is_done: bool = False


@dataclass
class Recorder:
    """The only way in which the threads of a process write; what returned is durable."""

    catalogue: Catalogue
    most_gathered: int = 1
    """So many pictures are worth a transaction without waiting GATHER_SECS for more."""
    store: ImageStore | None = None
    """Where the pictures' files are; without it nobody looks whether they are still there."""
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _waiting: list[_Job] = field(default_factory=list)
    _is_gathering: bool = False
    _enough: int = 1

    def run(self, work: Callable[[Session], T]) -> T:
        """What `work` returns, done in a transaction with others'; what raises is undone alone.

        It is called again where another one's raised.
        """
        job = _Job(work)
        with self._changed:
            self._waiting.append(job)
        self._turn.acquire()
        if job.is_done:
            self._turn.release()
        else:
            self._run_waiting()
        if job.error is not None:
            raise job.error
        result: T = job.result
        return result

    def keep(self, kept: Kept, done: Done, most_coming: int) -> None:
        """Record a stored picture: soon, with others, or by the thread that gathers them.

        `most_coming` may come, this one and those that wait already among them.
        `done` is told once the row is durable, in whichever thread recorded it and in its turn;
        where it failed, afterwards. Raises what this thread's own recording raised.
        """
        with self._changed:
            self._waiting.append(_Job(kept=kept, done=done))
            self._enough = min(self.most_gathered, most_coming)
            if self._is_gathering:
                if self._has_enough():
                    self._changed.notify()
                return
            self._is_gathering = True
            self._changed.wait_for(self._has_enough, GATHER_SECS)
        self._turn.acquire()
        self._run_waiting()

    def run_alone(self, work: Callable[[Session], T]) -> T:
        """What `work` returns, done with no rows locked before.

        That needs a transaction of its own, but with SQLite, whose writers are alone anyway.
        """
        if self.catalogue.engine.dialect.name == "sqlite":
            return self.run(work)
        with self._turn, self.catalogue.writing() as session:
            return work(session)

    def read_between(self, read: Callable[[], T]) -> T:
        """What `read` returns while every recorded picture has been told of and no other is."""
        with self._turn:
            return read()

    def _has_enough(self) -> bool:
        return not self._is_gathering or len(self._waiting) >= self._enough

    def _run_waiting(self) -> None:
        """Do what waits and give the turn back, which the caller has taken."""
        jobs: list[_Job] = []
        try:
            with self._changed:
                jobs, self._waiting = self._waiting, []
                self._is_gathering = False
                self._changed.notify()
            if jobs:
                self._run_all(jobs)
        finally:
            self._turn.release()
            for job in jobs:
                if job.done is not None and job.error is not None:
                    job.done(None)

    def _run_all(self, jobs: Sequence[_Job]) -> None:
        left = list(jobs)
        try:
            while left and (failed := self._try_all(left)) is not None:
                left.remove(failed)
        except BaseException as error:
            for job in left:
                job.error = error
            raise
        finally:
            for job in jobs:
                job.is_done = True
        for job in left:
            if job.done is not None:
                job.done(job.result)

    def _try_all(self, jobs: Sequence[_Job]) -> _Job | None:
        """None where all was done; else the first job whose work raised, and nothing was done.

        That is rare, and then the others do theirs anew: savepoints would cost each transaction
        as much as all that it is for.
        """
        job = None
        try:
            with self.catalogue.writing() as session:
                for job in jobs:
                    if job.work is not None:
                        job.result = job.work(session)
                job = None
                self._run_kept(session, jobs)
        except Exception as error:
            if job is None:
                raise
            job.error = error
        return job

    def _run_kept(self, session: Session, jobs: Sequence[_Job]) -> None:
        """All pictures at once; they come last, since they lock what other processes may want."""
        found = [(job, job.kept) for job in jobs if job.kept is not None]
        if not found:
            return
        outcomes = record_kept(session, [kept for _job, kept in found], self.store)
        for (job, _kept), outcome in zip(found, outcomes, strict=True):
            job.result = outcome
