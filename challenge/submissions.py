"""Submissions: an upload in pieces, its verdict by form, then a confirmation that takes quota."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from .folder import Challenge
from .tables import Submission
from .values import Progress, Verdict


def begin(
    session: Session, team_id: int, method_id: int, file_name: str, now: datetime
) -> Submission:
    """A new upload of a team, of no byte yet.

    Raises ForbiddenError out of the phases that take submissions, TooManyError after too many
    failures of the day or with too many uploads open.
    """
    raise NotImplementedError


def append(challenge: Challenge, submission_id: int, offset: int, pieces: Iterable[bytes]) -> int:
    """Add bytes to an upload; how many it has then. Call it outside of a transaction.

    Raises StaleError where `offset` is not how many there are, InvalidError for too large a file,
    UnavailableError where the disk is full: what is there stays.
    """
    raise NotImplementedError


def check(challenge: Challenge, team_id: int, submission_id: int, now: datetime) -> Verdict:
    """The verdict on a whole upload, in the words of `vockit check-results`.

    It costs no quota, and is given again for one that has it. Call it outside of a transaction.
    """
    raise NotImplementedError


def receive(
    challenge: Challenge,
    team_id: int,
    method_id: int,
    file_name: str,
    pieces: Iterable[bytes],
    now: datetime,
) -> tuple[int, Verdict]:
    """The number of a new submission sent at once, and its verdict; as begin, append and check."""
    raise NotImplementedError


def confirm(session: Session, team_id: int, submission_id: int, now: datetime) -> Progress:
    """Take one result of the quota for a checked upload, and queue it; done already, as it is.

    Raises ForbiddenError out of the phases, TooManyError without quota, InvalidError where the
    upload was refused or the method may not enter its competitions.
    """
    raise NotImplementedError


def cancel(session: Session, team_id: int, submission_id: int, now: datetime) -> None:
    """Let an upload or a queued submission go: it costs nothing. HeldError while it is scored."""
    raise NotImplementedError


def get(session: Session, team_id: int, submission_id: int) -> Submission:
    """The submission of that number, if it is the team's; raises NotFoundError."""
    raise NotImplementedError


def list_of_team(session: Session, team_id: int) -> Sequence[Submission]:
    """A team's submissions, the newest first."""
    raise NotImplementedError


def load_verdict(submission: Submission) -> Verdict | None:
    """The verdict that was stored with a submission, None before it was checked."""
    raise NotImplementedError


def load_progress(session: Session, submission: Submission) -> Progress:
    """The state of a submission, its place in the queue, and why it failed if it did."""
    raise NotImplementedError
