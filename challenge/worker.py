"""The process that scores what is queued, and the keeper that starts it again if it ends."""

from __future__ import annotations

import fcntl
import io
import logging
import multiprocessing
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import wait
from pathlib import Path
from types import FrameType

import numpy as np
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from catalog.errors import CatalogueError
from collect.interrupts import serve_parent
from vockit.errors import SettingsError, WriteError
from vockit.format.threads import Thread, starting_deaf
from vockit.format.whole_file import write_whole

from . import editions, own_images, queue, scoring, submissions
from .folder import TRUTHS, Challenge, open_challenge
from .limited import LimitError, Limits, MachineError, RefusedWorkError, run_limited, sweep
from .making import PUBLIC_IMAGES
from .queue import Job
from .scoring import Entrant, Measured
from .tables import Submission
from .verdicts import Task, Upload

Clock = Callable[[], datetime]
LOCK_FILE = "worker.lock"
LEAST_FREE_BYTES = 50_000_000
"""For replicates, rows and the log of the database; a full disk is no fault of a submission."""
_BEAT_SECS = 10.0
_IDLE_SECS = 0.5
_AGAIN_SECS = 2.0
_SWEEP_EVERY = timedelta(minutes=10)
_log = logging.getLogger(__name__)


class LeaseGone(Exception):
    """The scoring went to another worker, or was cancelled."""


class Stopped(Exception):
    """The server is stopped."""


class Keeper:
    """Runs the worker of a challenge as a child process, for use in a `with` block of serve.

    The process ends with the block, or with this process; one that was killed is started again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._is_over = threading.Event()
        self._thread = Thread(target=self._keep, daemon=True)
        self._process: multiprocessing.process.BaseProcess | None = None

    @property
    def pid(self) -> int | None:
        """The number of the process that works now."""
        return self._process.pid if self._process else None

    def __enter__(self) -> Keeper:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _keep(self) -> None:
        context = multiprocessing.get_context("spawn")
        while not self._is_over.is_set():
            process = context.Process(target=run_worker, args=(self._folder,))
            with starting_deaf():
                process.start()
            self._process = process
            while not _has_ended(process, _IDLE_SECS) and not self._is_over.is_set():
                pass
            if not _has_ended(process):
                process.terminate()
                if not _has_ended(process, _BEAT_SECS):
                    process.kill()
            process.join()
            self._is_over.wait(_AGAIN_SECS)


def _has_ended(process: multiprocessing.process.BaseProcess, within_secs: float = 0.0) -> bool:
    """Whether a process ends within these seconds.

    `is_alive` holds one for alive for ever whose end gunicorn was told of, which asks about all
    processes of the server.
    """
    return bool(wait([process.sentinel], within_secs))


def run_worker(folder: Path) -> None:
    """Score what is queued until the process is stopped; one worker at a time has a folder."""
    serve_parent()
    signal.signal(signal.SIGTERM, _stop)
    try:
        with _hold_alone(folder / LOCK_FILE), open_challenge(folder) as challenge:
            _work(challenge, lambda: datetime.now(UTC))
    except Stopped:
        pass


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise Stopped


@contextmanager
def _hold_alone(path: Path) -> Iterator[None]:
    """Raises SettingsError where another process holds the file."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SettingsError(f"Another process scores what {path.parent} has.") from error
        yield


def _work(challenge: Challenge, clock: Clock) -> None:
    """Score for ever. What another worker left is queued again; a lost database is waited for."""
    sweep(challenge.temporary)
    begin(challenge, clock)
    swept_at = clock()
    while True:
        try:
            if clock() - swept_at > _SWEEP_EVERY:
                submissions.end_abandoned(challenge, clock())
                own_images.sweep(challenge, clock())
                swept_at = clock()
            if not has_room(challenge) or not do_next(challenge, clock):
                time.sleep(_IDLE_SECS)
        except (SQLAlchemyError, CatalogueError) as error:
            _log.warning("The database of the challenge does not answer: %s", error)
            time.sleep(_AGAIN_SECS)


def do_next(challenge: Challenge, clock: Clock) -> bool:
    """Score what is queued, else compare own images; False where nothing was done."""
    return score_next(challenge, clock) or own_images.compare_next(challenge)


def has_room(challenge: Challenge) -> bool:
    """Whether the disk takes the results of a scoring; on a full one, what is queued waits."""
    return shutil.disk_usage(challenge.folder).free >= LEAST_FREE_BYTES


def begin(challenge: Challenge, clock: Clock) -> None:
    """Queue again what a worker that is gone had begun, and all for another evaluator."""
    with challenge.catalogue.writing() as session:
        queue.release_all(session, clock())
    editions.rescore_for_evaluator(challenge, clock())


def score_next(challenge: Challenge, clock: Clock) -> bool:
    """Score the next submission of the queue; False where there is none."""
    worker = f"process {os.getpid()}"
    with challenge.catalogue.writing() as session:
        job = queue.take(session, worker, clock())
        if job is None:
            return False
        task, upload, entrant = _load_work(session, challenge, job)
    try:
        measured = _measure(challenge, job, task, upload, entrant, clock)
        _store_evidence(challenge, job, measured)
    except LeaseGone:
        return True
    except Stopped:
        with challenge.catalogue.writing() as session:
            queue.give_up(session, job)
        raise
    except (RefusedWorkError, LimitError, MachineError, WriteError) as error:
        _log.warning("Submission %s was not scored: %s", job.submission_id, error)
        with challenge.catalogue.writing() as session:
            is_final = isinstance(error, RefusedWorkError)
            is_of_server = isinstance(error, MachineError | WriteError)
            reason = str(error)
            now = clock()
            queue.fail(session, job, reason, now, is_final=is_final, is_of_server=is_of_server)
        return True
    with challenge.catalogue.writing() as session:
        queue.finish(session, job, measured.results, clock())
    return True


def _load_work(session: Session, challenge: Challenge, job: Job) -> tuple[Task, Upload, Entrant]:
    submission = session.get_one(Submission, job.submission_id)
    tree = challenge.truth_folder(job.truth_folder)
    task = submissions.make_task(session, tree)
    path = challenge.upload_path(submission.id)
    upload = Upload(path, submission.file_name, submissions.make_caps(challenge))
    method = submission.method
    return task, upload, Entrant(method.name, method.detectors)


def _measure(
    challenge: Challenge, job: Job, task: Task, upload: Upload, entrant: Entrant, clock: Clock
) -> Measured:
    """The numbers of an upload, of which the lease is renewed meanwhile."""
    if not upload.path.is_file():
        raise RefusedWorkError("Its file is gone from this server; send it again.")
    beaten_at = time.monotonic()

    def beat() -> None:
        nonlocal beaten_at
        if time.monotonic() - beaten_at < _BEAT_SECS:
            return
        beaten_at = time.monotonic()
        with challenge.catalogue.writing() as session:
            if not queue.heartbeat(session, job, clock()):
                raise LeaseGone

    limits = challenge.settings.limits
    measured: Measured = run_limited(
        scoring.measure,
        task,
        upload,
        read_public_images(challenge),
        entrant,
        limits=Limits(
            secs=limits.scoring_secs,
            memory_bytes=limits.memory_bytes,
            file_bytes=limits.unpacked_bytes,
            is_patient=True,
        ),
        temporary=challenge.temporary,
        beat=beat,
    )
    return measured


def read_public_images(challenge: Challenge) -> frozenset[str]:
    """The images of the public part; none where the whole set is shown."""
    path = challenge.folder / TRUTHS / PUBLIC_IMAGES
    return frozenset(path.read_text("utf-8").split()) if path.is_file() else frozenset()


def _store_evidence(challenge: Challenge, job: Job, measured: Measured) -> None:
    """Write the replicates for the board before the row says that there are results."""
    file = io.BytesIO()
    np.savez(file, **measured.evidence)  # type: ignore[arg-type]
    path = challenge.evidence_path(job.submission_id, job.edition_id)
    write_whole(path, file.getvalue(), mode=0o600)
