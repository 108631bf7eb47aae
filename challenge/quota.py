"""Quotas: one scored result for each method, afterwards two for each team and ISO week.

A result is a row whose key is team, period and number: of two requests that want the last one, the
database lets one have it.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from catalog.refusals import TooManyError
from catalog.sentences import say
from catalog.session import insert_or_keep

from .database import load_contest
from .tables import Failure, QuotaGrant, QuotaUse, Submission
from .values import Phase, Quota

OF_METHOD = "method-"
"""How the period begins of a result that is sent before the challenge closes."""


def name_period(phase: Phase, method_id: int, now: datetime) -> str:
    """The period that a result counts in: the method's, or on the rolling server the ISO week."""
    if phase is Phase.ROLLING:
        year, week, _ = now.astimezone(UTC).isocalendar()
        return f"{year}-W{week:02}"
    return f"{OF_METHOD}{method_id}"


def find_next_week(at: datetime) -> datetime:
    """When the next ISO week begins, and with it a new quota on the rolling server."""
    midnight = _find_midnight(at)
    return midnight + timedelta(days=7 - midnight.weekday())


def _find_midnight(at: datetime) -> datetime:
    """When the day in UTC began."""
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def is_week(period: str) -> bool:
    """Whether it names an ISO week, as `name_period` does."""
    try:
        year, week = period.split("-W")
        date.fromisocalendar(int(year), int(week), 1)
    except ValueError:
        return False
    return re.fullmatch(r"\d{4}-W\d{2}", period, re.ASCII) is not None


def count_allowed(session: Session, team_id: int, period: str) -> int:
    """How many results a team may have in a period, with those that the organiser added."""
    contest = load_contest(session)
    base = contest.per_method if period.startswith(OF_METHOD) else contest.per_week
    more = select(func.coalesce(func.sum(QuotaGrant.more), 0)).where(
        QuotaGrant.team_id == team_id, QuotaGrant.period == period
    )
    return base + session.scalars(more).one()


def load_quota(session: Session, team_id: int, period: str, now: datetime) -> Quota:
    """What a team has left in a period, and its failures of the day in UTC."""
    used = select(func.count()).select_from(QuotaUse)
    return Quota(
        period=period,
        used=session.scalars(
            used.where(QuotaUse.team_id == team_id, QuotaUse.period == period)
        ).one(),
        allowed=count_allowed(session, team_id, period),
        failures_today=count_failures(session, team_id, now),
        failures_allowed=load_contest(session).failures_per_day,
    )


def count_failures(session: Session, team_id: int, now: datetime) -> int:
    """How many scorings of a team failed since midnight in UTC, those of one submission too."""
    midnight = _find_midnight(now)
    failed = select(func.count()).select_from(Failure)
    return session.scalars(
        failed.where(
            Failure.team_id == team_id,
            Failure.failed_at >= midnight,
            Failure.failed_at < midnight + timedelta(days=1),
        )
    ).one()


def take(session: Session, submission: Submission, period: str, now: datetime) -> None:
    """Take one of the team's results of the period; raises TooManyError where none is left."""
    allowed = count_allowed(session, submission.team_id, period)
    insert = insert_or_keep(session, QuotaUse, ["team_id", "period", "number"])
    for number in range(1, allowed + 1):
        row = {
            "team_id": submission.team_id,
            "period": period,
            "number": number,
            "submission_id": submission.id,
            "taken_at": now,
        }
        taken = insert.values(**row).returning(QuotaUse.number)
        if session.scalar(taken) is not None:  # PostgreSQL counts no rows here
            return
    is_of_method = period.startswith(OF_METHOD)
    what = "of this method" if is_of_method else f"of your team in {period}"
    raise TooManyError(
        say(
            "{allowed} of {allowed} results {what} are taken; this upload costs nothing and stays "
            "here.",
            allowed=allowed,
            what=what,
        ),
        again_in_secs=None if is_of_method else _count_secs(now, find_next_week(now)),
    )


def _count_secs(now: datetime, until: datetime) -> int:
    return math.ceil((until - now).total_seconds())


def give_back(session: Session, submission_id: int) -> None:
    """Let a submission that failed or was cancelled cost no result."""
    session.execute(delete(QuotaUse).where(QuotaUse.submission_id == submission_id))


def note_failure(session: Session, submission: Submission, now: datetime) -> None:
    """Count a failure of a submission's team."""
    session.add(Failure(team_id=submission.team_id, submission_id=submission.id, failed_at=now))


def refuse_failures(session: Session, team_id: int, now: datetime) -> None:
    """Raise TooManyError where a team had as many failures today as it may have."""
    allowed = load_contest(session).failures_per_day
    if count_failures(session, team_id, now) >= allowed:
        raise TooManyError(
            say(
                "{allowed} submissions of your team failed today, which is as many as a day has. "
                "Failures cost no result; go on after midnight UTC.",
                allowed=allowed,
            ),
            again_in_secs=_count_secs(now, _find_midnight(now) + timedelta(days=1)),
        )
