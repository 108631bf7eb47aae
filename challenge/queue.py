"""The queue of scorings: leases with a heartbeat, one retry, then failed with a reason.

New submissions come before those that are scored again for a new edition of the board.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, delete, func, select, update
from sqlalchemy.orm import Session

from . import quota
from .tables import Edition, Scoring, Submission
from .values import ScoringState, State

LEASE = timedelta(seconds=60)
MOST_ATTEMPTS = 2
STOPPED = "Its scoring was stopped twice on the server's side; confirm it again."


@dataclass(frozen=True)
class Job:
    """A scoring that a worker holds."""

    scoring_id: int
    submission_id: int
    edition_id: int
    truth_folder: str
    worker: str
    attempt: int


def enqueue(session: Session, submission_id: int, now: datetime) -> None:
    """Queue a submission for the newest edition; one that failed there begins anew."""
    edition_id = session.scalars(select(func.max(Edition.id))).one()
    session.execute(
        delete(Scoring).where(
            Scoring.submission_id == submission_id, Scoring.edition_id == edition_id
        )
    )
    session.add(
        Scoring(
            submission_id=submission_id,
            edition_id=edition_id,
            state=ScoringState.QUEUED,
            attempts=0,
            queued_at=now,
        )
    )
    session.flush()


def withdraw(session: Session, submission_id: int) -> bool:
    """Whether a queued scoring was taken out of the queue; not one that runs."""
    gone = delete(Scoring).where(
        Scoring.submission_id == submission_id, Scoring.state == ScoringState.QUEUED
    )
    return bool(session.execute(gone).rowcount)  # type: ignore[attr-defined]


def _select_queued() -> Select[tuple[int]]:
    """The queued scorings in the order in which they are taken."""
    is_again = Submission.state != State.QUEUED
    return (
        select(Scoring.id)
        .join(Scoring.submission)
        .where(Scoring.state == ScoringState.QUEUED)
        .order_by(is_again, Scoring.id)
    )


def find_place(session: Session, submission_id: int) -> tuple[int, bool]:
    """The place of a new submission in the queue, from 1, 0 for none; whether it runs."""
    newest = select(Scoring).where(Scoring.submission_id == submission_id)
    scoring = session.scalar(newest.order_by(Scoring.id.desc()).limit(1))
    if scoring is None or scoring.state is not ScoringState.QUEUED:
        return 0, scoring is not None and scoring.state is ScoringState.RUNNING
    queued = session.scalars(_select_queued()).all()
    return queued.index(scoring.id) + 1, False


def take(session: Session, worker: str, now: datetime) -> Job | None:
    """The next scoring, leased to the worker; None where there is none.

    A lease that ran out is queued again first, or has failed.
    """
    release_expired(session, now)
    for scoring_id in session.scalars(_select_queued().limit(5)).all():
        taken = (
            update(Scoring)
            .where(Scoring.id == scoring_id, Scoring.state == ScoringState.QUEUED)
            .values(
                state=ScoringState.RUNNING,
                attempts=Scoring.attempts + 1,
                worker=worker,
                leased_until=now + LEASE,
            )
        )
        if session.execute(taken).rowcount:  # type: ignore[attr-defined]
            scoring = session.get_one(Scoring, scoring_id, populate_existing=True)
            return Job(
                scoring_id=scoring_id,
                submission_id=scoring.submission_id,
                edition_id=scoring.edition_id,
                truth_folder=scoring.edition.truth_folder,
                worker=worker,
                attempt=scoring.attempts,
            )
    return None


def heartbeat(session: Session, job: Job, now: datetime) -> bool:
    """Whether the worker still holds the scoring; its lease is renewed then."""
    return _update_held(session, job, leased_until=now + LEASE)


def finish(session: Session, job: Job, results: Mapping[str, Any], now: datetime) -> bool:
    """Store the results; False, and nothing is stored, where the lease went to another."""
    done = _update_held(
        session,
        job,
        state=ScoringState.DONE,
        results=dict(results),
        finished_at=now,
        leased_until=None,
        reason=None,
    )
    if done:
        submission = session.get_one(Submission, job.submission_id, populate_existing=True)
        if submission.state is State.QUEUED:
            submission.state = State.SCORED
            submission.ended_at = now
        _follow(session, job, now)
        publish_complete(session, job.edition_id, now)
    return done


def _follow(session: Session, job: Job, now: datetime) -> None:
    """Queue what was scored for the edition that began meanwhile, which would lack it."""
    newest = session.scalars(select(func.max(Edition.id))).one()
    there = select(Scoring.id).where(
        Scoring.submission_id == job.submission_id, Scoring.edition_id == newest
    )
    if session.scalar(there) is None:
        enqueue(session, job.submission_id, now)


def fail(
    session: Session, job: Job, reason: str, now: datetime, *, is_final: bool, is_of_server: bool
) -> bool:
    """Queue the scoring again, once, or let it fail; False where the lease went to another.

    One that failed for want of the server's means is no failure of its team.
    """
    if not _update_held(session, job, leased_until=now):
        return False
    ended = _end_attempt(session, job.scoring_id, reason, now, is_final=is_final)
    if ended is not None and not is_of_server:
        quota.note_failure(session, ended, now)
    return True


def give_up(session: Session, job: Job) -> None:
    """Queue the scoring again as if it had not been taken, where the server is stopped."""
    _update_held(
        session,
        job,
        state=ScoringState.QUEUED,
        attempts=job.attempt - 1,
        worker=None,
        leased_until=None,
    )


def release_all(session: Session, now: datetime) -> None:
    """Queue what runs once more, since the only worker has just begun; see release_expired."""
    running = select(Scoring.id).where(Scoring.state == ScoringState.RUNNING)
    for scoring_id in session.scalars(running.order_by(Scoring.id)).all():
        _end_attempt(session, scoring_id, STOPPED, now, is_final=False)


def release_expired(session: Session, now: datetime) -> None:
    """Queue scorings whose worker is gone once more; one that was before has failed."""
    expired = select(Scoring.id).where(
        Scoring.state == ScoringState.RUNNING, Scoring.leased_until < now
    )
    for scoring_id in session.scalars(expired.order_by(Scoring.id)).all():
        _end_attempt(session, scoring_id, STOPPED, now, is_final=False)


def _update_held(session: Session, job: Job, **values: Any) -> bool:
    held = update(Scoring).where(
        Scoring.id == job.scoring_id,
        Scoring.state == ScoringState.RUNNING,
        Scoring.worker == job.worker,
        Scoring.attempts == job.attempt,
    )
    return bool(session.execute(held.values(**values)).rowcount)  # type: ignore[attr-defined]


def _end_attempt(
    session: Session, scoring_id: int, reason: str, now: datetime, *, is_final: bool
) -> Submission | None:
    """Queue a running scoring again, or let it and its submission fail; the quota goes back.

    The submission that failed with it, if one did.
    """
    scoring = session.get_one(Scoring, scoring_id, populate_existing=True)
    is_over = is_final or scoring.attempts >= MOST_ATTEMPTS
    scoring.state = ScoringState.FAILED if is_over else ScoringState.QUEUED
    scoring.reason = reason
    scoring.worker = None
    scoring.leased_until = None
    if not is_over:
        return None
    scoring.finished_at = now
    submission = scoring.submission
    has_failed = submission.state is State.QUEUED
    if has_failed:
        submission.state = State.FAILED
        submission.reason = reason
        submission.ended_at = now
        quota.give_back(session, submission.id)
    session.flush()
    publish_complete(session, scoring.edition_id, now)
    return submission if has_failed else None


def publish_complete(session: Session, edition_id: int, now: datetime) -> None:
    """Show an edition once nothing of it waits or runs."""
    session.flush()
    open_states = (ScoringState.QUEUED, ScoringState.RUNNING)
    left = select(Scoring.id).where(
        Scoring.edition_id == edition_id, Scoring.state.in_(open_states)
    )
    if session.scalar(left.limit(1)) is None:
        session.execute(
            update(Edition)
            .where(Edition.id == edition_id, Edition.published_at.is_(None))
            .values(published_at=now)
        )
