"""Submissions: an upload in pieces, its verdict by form, then a confirmation that takes quota."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalog.refusals import (
    HeldError,
    InvalidError,
    NotFoundError,
    StaleError,
    UnavailableError,
)
from catalog.sentences import say
from vockit.evaluate.members import Caps
from vockit.format.whole_file import sync_path

from . import methods, phases, queue, quota, upload_files, verdicts
from .database import load_frozen
from .folder import Challenge
from .limited import LimitError, Limits, MachineError, RefusedWorkError, run_limited
from .tables import Edition, Submission
from .values import Progress, State, Verdict
from .verdicts import Task, Upload

MOST_OPEN = 5
"""Uploads of one team that wait for their last byte."""
QUIET_SECS = 120
"""After so long without a byte, an upload gives way to a new one where MOST_OPEN are open."""
MOST_WAITING = 10
"""Checked uploads of one team that wait to be confirmed; each keeps its room on the disk."""
OPEN = (State.UPLOADING, State.REFUSED, State.CHECKED)
_MOST_FILE_NAME = 100


def begin(
    session: Session,
    challenge: Challenge,
    team_id: int,
    method_id: int,
    file_name: str,
    now: datetime,
) -> Submission:
    """A new upload of a team, of no byte yet.

    Where MOST_OPEN are open, the one that is quiet for longest is cancelled for it. Raises
    ForbiddenError out of the phases that take submissions, TooManyError after too many failures of
    the day, HeldError with too many uploads that arrive just now or are not confirmed.
    """
    phases.require_submitting(session, now)
    methods.get_method(session, team_id, method_id)
    quota.refuse_failures(session, team_id, now)
    _refuse_waiting(session, team_id)
    _make_way(session, challenge, team_id, now)
    submission = Submission(
        team_id=team_id,
        method_id=method_id,
        state=State.UPLOADING,
        file_name=_clean_name(file_name),
        bytes=0,
        competitions=[],
        began_at=now,
    )
    session.add(submission)
    session.flush()
    return submission


def _refuse_waiting(session: Session, team_id: int) -> None:
    waiting = _list_in(session, team_id, State.CHECKED)
    if len(waiting) >= MOST_WAITING:
        raise HeldError(
            say(
                "{most} uploads of your team wait to be confirmed: submissions {numbers}. Confirm "
                "or cancel one on its page, or by a POST to /api/v1/submissions/{first}/cancel.",
                most=MOST_WAITING,
                numbers=[submission.id for submission in waiting],
                first=waiting[0].id,
            )
        )


def _make_way(session: Session, challenge: Challenge, team_id: int, now: datetime) -> None:
    """Cancel the open upload that is quiet for longest, if there are as many as may be."""
    open_ones = _list_in(session, team_id, State.UPLOADING)
    if len(open_ones) < MOST_OPEN:
        return
    heard = {
        submission.id: upload_files.find_last_byte(challenge, submission.id) or submission.began_at
        for submission in open_ones
    }
    quietest = min(open_ones, key=lambda submission: heard[submission.id])
    left_secs = math.ceil(QUIET_SECS - (now - heard[quietest.id]).total_seconds())
    if left_secs > 0 or upload_files.is_in_use(challenge, quietest.id):
        raise HeldError(
            say(
                "{most} uploads of your team are under way: submissions {numbers}. Wait for one, "
                "try again in {secs} s, or cancel one on its page or by a POST to "
                "/api/v1/submissions/{first}/cancel.",
                most=MOST_OPEN,
                numbers=[submission.id for submission in open_ones],
                secs=max(left_secs, 5),
                first=quietest.id,
            )
        )
    _end_upload(session, challenge, quietest, now)


def _list_in(session: Session, team_id: int, state: State) -> Sequence[Submission]:
    """A team's submissions in a state, the oldest first."""
    sent = select(Submission).where(Submission.team_id == team_id, Submission.state == state)
    return session.scalars(sent.order_by(Submission.id)).all()


def _clean_name(file_name: str) -> str:
    """The last part of a file's name, on one line and not too long."""
    last = file_name.replace("\\", "/").rpartition("/")[2]
    kept = "".join(letter for letter in last if letter.isprintable()).strip()
    return kept[:_MOST_FILE_NAME] or "the upload"


def append(
    challenge: Challenge, team_id: int, submission_id: int, offset: int, pieces: Iterable[bytes]
) -> int:
    """Add bytes to a team's upload; how many it has then. Call it outside of a transaction.

    Raises StaleError where `offset` is not how many there are, HeldError while another request
    adds some, InvalidError for too large a file, UnavailableError where the disk is full: what is
    there stays.
    """
    _refuse_ended(challenge, team_id, submission_id)
    with upload_files.open_part(challenge, submission_id) as file:
        try:
            _refuse_ended(challenge, team_id, submission_id)  # by a check that was quicker
        except InvalidError:
            upload_files.part_path(challenge, submission_id).unlink(missing_ok=True)
            raise
        return upload_files.add(challenge, file, offset, pieces)


def _refuse_ended(challenge: Challenge, team_id: int, submission_id: int) -> None:
    with challenge.catalogue.reading() as session:
        if get(session, team_id, submission_id).state is not State.UPLOADING:
            raise upload_files.make_ended_error()


def check(challenge: Challenge, team_id: int, submission_id: int, now: datetime) -> Verdict:
    """The verdict on a whole upload, in the words of `vockit check-results`.

    It costs no quota, and is given again for one that has it. Call it outside of a transaction.
    Raises HeldError while another request adds to the upload or checks it: what is stored is what
    was checked.
    """
    with challenge.catalogue.reading() as session:
        submission = get(session, team_id, submission_id)
        if submission.state is State.CHECKED:
            return verdicts.load(submission.verdict or {})
        _refuse_cancelled(submission)
        if submission.state not in OPEN:
            raise InvalidError(say("This submission was checked, and is behind that."))
        file_name = submission.file_name
        newest = select(Edition.truth_folder).order_by(Edition.id.desc()).limit(1)
        lists = challenge.list_folder(session.scalars(newest).one())
        task = make_task(session, lists)
    part = upload_files.part_path(challenge, submission_id)
    if not part.exists():
        raise InvalidError(say("Nothing was sent yet, or it was refused: send the file."))
    with upload_files.open_part(challenge, submission_id):
        sync_path(part)
        verdict = _judge(challenge, task, part, file_name)
        sha256 = upload_files.digest_file(part)  # takes seconds, in which others may write
        with challenge.catalogue.writing() as session:
            submission = get(session, team_id, submission_id)
            _settle(challenge, submission, verdict, sha256, now)
    return verdict


def _refuse_cancelled(submission: Submission) -> None:
    if submission.state is State.CANCELLED:
        raise InvalidError(say("This submission was cancelled; send the file again."))


def _settle(
    challenge: Challenge, submission: Submission, verdict: Verdict, sha256: str, now: datetime
) -> None:
    """Store the verdict, and keep the file where it is good; not of what was cancelled meanwhile.

    A refused file is sent again anyway, and takes no room meanwhile.
    """
    if submission.state not in OPEN:
        return
    part = upload_files.part_path(challenge, submission.id)
    submission.state = State.CHECKED if verdict.is_good else State.REFUSED
    submission.verdict = verdicts.store(verdict)
    submission.competitions = sorted(verdict.competitions or {})
    submission.checked_at = now
    submission.bytes = part.stat().st_size
    submission.sha256 = sha256
    if not verdict.is_good:
        part.unlink()
        return
    path = challenge.upload_path(submission.id)
    part.replace(path)
    sync_path(path.parent)


def make_task(session: Session, tree: Path) -> Task:
    """What an upload is held against: the tree, by the rules that are frozen."""
    frozen = load_frozen(session)
    return Task(
        tree=tree,
        image_set=frozen.image_set,
        rules=frozen.rules,
        competitions=frozen.competitions,
    )


def _judge(challenge: Challenge, task: Task, path: Path, file_name: str) -> Verdict:
    limits = challenge.settings.limits
    upload = Upload(path, file_name, make_caps(challenge))
    try:
        verdict: Verdict = run_limited(
            verdicts.judge,
            task,
            upload,
            limits=Limits(limits.check_secs, limits.memory_bytes, limits.unpacked_bytes),
            temporary=challenge.temporary,
        )
    except (LimitError, RefusedWorkError) as error:
        return Verdict(reason=f"{file_name} could not be checked: {error}")
    except MachineError as error:
        raise UnavailableError(say("{reason}", reason=str(error))) from error
    return verdict


def make_caps(challenge: Challenge) -> Caps:
    """What an archive may hold here."""
    limits = challenge.settings.limits
    return Caps(
        total_bytes=limits.unpacked_bytes, members=limits.members, secs=float(limits.check_secs)
    )


def receive(
    challenge: Challenge,
    team_id: int,
    method_id: int,
    file_name: str,
    pieces: Iterable[bytes],
    now: datetime,
) -> tuple[int, Verdict]:
    """The number of a new submission sent at once, and its verdict; as begin, append and check.

    What is cut off on the way is gone.
    """
    with challenge.catalogue.writing() as session:
        submission_id = begin(session, challenge, team_id, method_id, file_name, now).id
    try:
        append(challenge, team_id, submission_id, 0, pieces)
        return submission_id, check(challenge, team_id, submission_id, now)
    except BaseException:
        with challenge.catalogue.writing() as session:
            _end_upload(session, challenge, get(session, team_id, submission_id), now)
        raise


def confirm(session: Session, team_id: int, submission_id: int, now: datetime) -> Progress:
    """Take one result of the quota for a checked upload, and queue it; done already, as it is.

    One that failed may be confirmed again. Raises ForbiddenError out of the phases, TooManyError
    without quota, InvalidError where the upload was refused or the method may not enter its
    competitions.
    """
    submission = get(session, team_id, submission_id)
    if submission.state in (State.QUEUED, State.SCORED):
        return load_progress(session, submission)
    _refuse_cancelled(submission)
    if submission.state not in (State.CHECKED, State.FAILED):
        raise InvalidError(say("Only an upload that can be scored is confirmed."))
    phase = phases.require_submitting(session, now)
    quota.refuse_failures(session, team_id, now)
    mismatch = methods.find_mismatch(submission.method, submission.competitions)
    if mismatch is not None:
        raise InvalidError(mismatch, field="method")
    changed = (
        update(Submission)
        .where(Submission.id == submission.id, Submission.state == submission.state)
        .values(state=State.QUEUED, confirmed_at=now, reason=None, ended_at=None)
    )
    if not session.execute(changed).rowcount:  # type: ignore[attr-defined]
        raise StaleError(say("This submission was changed in between; look at it again."))
    period = quota.name_period(phase, submission.method_id, now)
    quota.take(session, submission, period, now)
    session.refresh(submission)
    submission.period = period
    queue.enqueue(session, submission.id, now)
    return load_progress(session, submission)


def cancel(
    session: Session, challenge: Challenge, team_id: int, submission_id: int, now: datetime
) -> None:
    """Let an upload or a queued submission go: it costs nothing. HeldError while it is scored."""
    submission = get(session, team_id, submission_id)
    if submission.state is State.CANCELLED:
        return
    if submission.state is State.QUEUED and not queue.withdraw(session, submission.id):
        raise HeldError(say("This submission is being scored just now."))
    if submission.state not in (*OPEN, State.QUEUED):
        raise InvalidError(say("This submission has ended, so that nothing can be cancelled."))
    quota.give_back(session, submission.id)
    _end_upload(session, challenge, submission, now)


def _end_upload(
    session: Session, challenge: Challenge, submission: Submission, now: datetime
) -> None:
    if submission.state in (*OPEN, State.QUEUED):
        submission.state = State.CANCELLED
        submission.ended_at = now
        session.flush()
        for path in (
            upload_files.part_path(challenge, submission.id),
            challenge.upload_path(submission.id),
        ):
            path.unlink(missing_ok=True)


def end_abandoned(challenge: Challenge, now: datetime) -> int:
    """Cancel uploads that nobody went on with for the hours of the settings; how many.

    What a piece left that arrived while its upload was cancelled goes too.
    """
    oldest = now - timedelta(hours=challenge.settings.limits.upload_hours)
    with challenge.catalogue.writing() as session:
        abandoned = session.scalars(
            select(Submission).where(
                Submission.state == State.UPLOADING, Submission.began_at < oldest
            )
        ).all()
        for submission in abandoned:
            _end_upload(session, challenge, submission, now)
        arriving = select(Submission.id).where(Submission.state == State.UPLOADING)
        upload_files.sweep(challenge, set(session.scalars(arriving)), oldest)
    return len(abandoned)


def get(session: Session, team_id: int, submission_id: int) -> Submission:
    """The submission of that number, if it is the team's; raises NotFoundError."""
    submission = session.get(Submission, submission_id)
    if submission is None or submission.team_id != team_id:
        raise NotFoundError(say("There is no submission {number}.", number=submission_id))
    return submission


def list_of_team(session: Session, team_id: int) -> Sequence[Submission]:
    """A team's submissions, the newest first."""
    rows = select(Submission).where(Submission.team_id == team_id).order_by(Submission.id.desc())
    return session.scalars(rows).all()


def list_all(session: Session) -> Sequence[Submission]:
    """The submissions of all teams, the newest last."""
    return session.scalars(select(Submission).order_by(Submission.id)).all()


def load_verdict(submission: Submission) -> Verdict | None:
    """The verdict that was stored with a submission, None before it was checked."""
    return None if submission.verdict is None else verdicts.load(submission.verdict)


def load_progress(session: Session, submission: Submission) -> Progress:
    """The state of a submission, its place in the queue, and why it failed if it did."""
    place, is_running = queue.find_place(session, submission.id)
    return Progress(
        state=submission.state,
        place=place,
        is_running=is_running,
        reason=submission.reason or "",
    )
