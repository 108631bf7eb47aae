"""The phases of a challenge, whose dates are in UTC: what is open now, and what it allows."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import pairwise

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.refusals import ForbiddenError, InvalidError
from catalog.sentences import say

from .tables import Contest, PhaseDate
from .values import Phase

ORDER = tuple(Phase)
DATED = ORDER[1:]
"""The phases that begin at a date of their own."""
SUBMITTING = (Phase.SUBMISSIONS, Phase.ROLLING)
SHOWING = (Phase.CLOSED, Phase.ROLLING)
"""When numbers of the whole test set are shown."""


def load_dates(session: Session) -> dict[Phase, datetime]:
    """When each phase begins, in order; a phase without a date does not come."""
    dates = {row.phase: row.begins_at for row in session.scalars(select(PhaseDate))}
    return {phase: dates[phase] for phase in DATED if phase in dates}


def find_phase(dates: Mapping[Phase, datetime], now: datetime) -> Phase:
    """The phase at a moment: the last that has begun; a phase begins at its date itself."""
    begun = [phase for phase in DATED if phase in dates and dates[phase] <= now]
    return begun[-1] if begun else Phase.ANNOUNCED


def current(session: Session, now: datetime) -> Phase:
    """The phase at a moment."""
    return find_phase(load_dates(session), now)


def find_closing(session: Session, now: datetime) -> datetime | None:
    """When submissions close that are open now; None where they are not, or have no end."""
    dates = load_dates(session)
    return dates.get(Phase.CLOSED) if find_phase(dates, now) is Phase.SUBMISSIONS else None


def require_submitting(session: Session, now: datetime) -> Phase:
    """The phase, in which submissions are taken; raises ForbiddenError in any other."""
    dates = load_dates(session)
    phase = find_phase(dates, now)
    if phase not in SUBMITTING:
        following = [
            begins_at
            for dated, begins_at in dates.items()
            if dated in SUBMITTING and begins_at > now
        ]
        if following:
            raise ForbiddenError(
                say(
                    "Submissions are not open now; they open at {when}.",
                    when=format_moment(min(following)),
                )
            )
        raise ForbiddenError(say("Submissions are closed."))
    if session.scalar(select(Contest.ended_at)) is not None:
        raise ForbiddenError(
            say("The labels are published, so that nothing more is scored: score it with the kit.")
        )
    return phase


def set_dates(session: Session, dates: Mapping[Phase, datetime]) -> None:
    """Give phases their dates; raises InvalidError unless they follow one another."""
    refuse_disorder(load_dates(session) | dict(dates))
    for phase, begins_at in dates.items():
        session.merge(PhaseDate(phase=phase, begins_at=begins_at.astimezone(UTC)))


def refuse_disorder(dates: Mapping[Phase, datetime]) -> None:
    """Raise InvalidError unless the phases follow one another, and submissions have an end."""
    listed = [(phase, dates[phase]) for phase in DATED if phase in dates]
    for (earlier, begins_at), (later, follows_at) in pairwise(listed):
        if follows_at < begins_at:
            raise InvalidError(
                say(
                    "{later} would begin before {earlier}: {later_at} and {earlier_at}.",
                    later=later.value,
                    earlier=earlier.value,
                    later_at=format_moment(follows_at),
                    earlier_at=format_moment(begins_at),
                ),
                field=later.value,
            )
    if Phase.SUBMISSIONS in dates and Phase.CLOSED not in dates:
        raise InvalidError(say("closed needs a date: when submissions end."), field="closed")


def format_moment(moment: datetime) -> str:
    """The moment in UTC as pages and commands show it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def parse_moment(text: str) -> datetime:
    """A date or a moment of ISO 8601; without a zone it is UTC. Raises InvalidError."""
    try:
        moment = datetime.fromisoformat(text.strip().removesuffix(" UTC"))
    except ValueError:
        raise InvalidError(
            say("expected a date such as 2026-09-30 or 2026-09-30T23:59Z, got {text}", text=text)
        ) from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
