"""What an organiser does; each action is a row of the log.

Reasons stay in the log and on the board for good: they name no person.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy.orm import Session

from catalog.refusals import NotFoundError, refuse
from catalog.sentences import say

from . import log, methods, phases, quota, teams
from .editions import rescore
from .publishing import publish_end
from .tables import QuotaGrant, Submission
from .values import Deed, Phase

__all__ = ["add_quota", "disqualify", "extend", "hide", "publish_end", "rescore", "show"]

MOST_REASON = 500
MOST_MORE = 1_000


def hide(session: Session, submission_id: int, reason: str, now: datetime) -> None:
    """Take an entry from the board; its team still sees it."""
    reason = _clean_reason(reason)
    _get(session, submission_id).hidden_at = now
    log.append(session, Deed.HIDE, now, submission_id=submission_id, details={"reason": reason})


def show(session: Session, submission_id: int, reason: str, now: datetime) -> None:
    """Take back `hide` and `disqualify`."""
    reason = _clean_reason(reason)
    submission = _get(session, submission_id)
    submission.hidden_at = submission.disqualified_for = None
    log.append(session, Deed.SHOW, now, submission_id=submission_id, details={"reason": reason})


def disqualify(session: Session, submission_id: int, reason: str, now: datetime) -> None:
    """Leave an entry on the board without numbers, with the reason for all to read."""
    reason = _clean_reason(reason)
    _get(session, submission_id).disqualified_for = reason
    log.append(
        session, Deed.DISQUALIFY, now, submission_id=submission_id, details={"reason": reason}
    )


def _get(session: Session, submission_id: int) -> Submission:
    submission = session.get(Submission, submission_id)
    if submission is None:
        raise NotFoundError(say("There is no submission {number}.", number=submission_id))
    return submission


def _clean_reason(reason: str) -> str:
    return teams.clean_line(reason, "reason", MOST_REASON)


def extend(session: Session, dates: Mapping[Phase, datetime], now: datetime) -> None:
    """Give phases other dates."""
    before = phases.load_dates(session)
    phases.set_dates(session, dates)
    for phase, begins_at in dates.items():
        earlier = phases.format_moment(before[phase]) if phase in before else "never"
        words = {"phase": phase.value, "before": earlier, "now": phases.format_moment(begins_at)}
        log.append(session, Deed.EXTEND, now, details=words)


def add_quota(
    session: Session, team_id: int, period: str, more: int, reason: str, now: datetime
) -> None:
    """More results for a team, in a week such as 2026-W40 or for a method such as method-3."""
    teams.get_team(session, team_id)
    reason = _clean_reason(reason)
    if not quota.is_week(period):
        number = period.removeprefix(quota.OF_METHOD)
        if number == period or not number.isdecimal() or len(number) > 9:
            refuse("period", say("expected a week such as 2026-W40, or method-3"))
        methods.get_method(session, team_id, int(number))
    if not 1 <= more <= MOST_MORE:
        refuse("more", say("expected a number from 1 to {most}", most=MOST_MORE))
    session.add(QuotaGrant(team_id=team_id, period=period, more=more, granted_at=now))
    words = {"period": period, "more": str(more), "reason": reason}
    log.append(session, Deed.QUOTA, now, team_id=team_id, details=words)
