"""The page of a team: its methods, its submissions, what it may still send, and its entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import Blueprint, redirect, url_for
from flask.typing import ResponseReturnValue

from challenge import board, methods, phases, quota, showing, submissions
from challenge.database import load_frozen
from challenge.tables import Method, Submission
from challenge.values import Phase, Progress, Quota, State
from web.guard import allowed
from web.service import make_link

from .layout import format_score, show
from .service import ChallengeVisit, Role

team = Blueprint("team", __name__)

WAITING = (State.QUEUED,)
"""The states that a page asks about again and again."""


@dataclass(frozen=True)
class MethodLine:
    """A method and what may still be scored of it."""

    method: Method
    quota: Quota


@dataclass(frozen=True)
class SubmissionLine:
    """A submission, how far it is, and its score in each competition where the phase shows it."""

    submission: Submission
    progress: Progress
    means: dict[str, str]


@team.get("/team")
@allowed(Role.TEAM)
def show_team(visit: ChallengeVisit) -> ResponseReturnValue:
    """Methods with a way to send results, submissions, and what is left of the quota."""
    phase = phases.current(visit.session, visit.at)
    lines = [
        MethodLine(method, _load_quota(visit, phase, method.id))
        for method in methods.list_methods(visit.session, visit.team_id)
    ]
    return show(
        "team.html",
        visit.session,
        person=visit.owner,
        lines=lines,
        quota=_load_quota(visit, phase, 0),
        phase=phase,
        dates=phases.load_dates(visit.session),
        is_open=phase in phases.SUBMITTING,
        closes_at=phases.find_closing(visit.session, visit.at),
        is_rolling=phase is Phase.ROLLING,
        renews_at=quota.find_next_week(visit.at),
        frozen=load_frozen(visit.session),
        submissions=[
            _describe(visit, submission)
            for submission in submissions.list_of_team(visit.session, visit.team_id)
        ],
        limits=visit.challenge.settings.limits,
        upload_url=make_link("uploads.receive"),
        waiting=WAITING,
    )


@team.get("/submissions/<int:number>")
@allowed(Role.TEAM)
def show_submission(visit: ChallengeVisit, number: int) -> ResponseReturnValue:
    """The verdict of a submission, how far it is, and its results once the phase allows them."""
    submission = submissions.get(visit.session, visit.team_id, number)
    phase = phases.current(visit.session, visit.at)
    period = quota.name_period(phase, submission.method_id, visit.at)
    code = submission.anonymous_code
    return show(
        "submission.html",
        visit.session,
        person=visit.owner,
        submission=submission,
        method=submission.method,
        verdict=submissions.load_verdict(submission),
        progress=submissions.load_progress(visit.session, submission),
        results=board.load_result(visit.session, visit.challenge, visit.team_id, number, visit.at),
        absence=showing.find_absence(visit.session, submission, visit.at),
        quota=quota.load_quota(visit.session, visit.team_id, period, visit.at),
        is_open=phase in phases.SUBMITTING,
        closes_at=phases.find_closing(visit.session, visit.at),
        is_rolling=phase is Phase.ROLLING,
        mismatch=methods.find_mismatch(submission.method, submission.competitions),
        renews_at=quota.find_next_week(visit.at),
        anonymous_url=make_link("boards.show_anonymous", code=code) if code else "",
        waiting=WAITING,
    )


def _confirm(visit: ChallengeVisit, number: int) -> None:
    submissions.confirm(visit.session, visit.team_id, number, visit.at)


def _cancel(visit: ChallengeVisit, number: int) -> None:
    submissions.cancel(visit.session, visit.challenge, visit.team_id, number, visit.at)


def _publish(visit: ChallengeVisit, number: int) -> None:
    board.publish(visit.session, visit.team_id, number, visit.at)


def _withdraw(visit: ChallengeVisit, number: int) -> None:
    board.withdraw(visit.session, visit.team_id, number)


def _make_anonymous(visit: ChallengeVisit, number: int) -> None:
    board.make_anonymous_code(visit.session, visit.team_id, number, code=visit.tokens())


def _end_anonymous(visit: ChallengeVisit, number: int) -> None:
    board.end_anonymous_code(visit.session, visit.team_id, number)


ACTIONS: dict[str, Callable[[ChallengeVisit, int], None]] = {
    "confirm": _confirm,
    "cancel": _cancel,
    "publish": _publish,
    "withdraw": _withdraw,
    "anonymous": _make_anonymous,
    "end_anonymous": _end_anonymous,
}
"""What a team does with a submission, by the last word of the form's address."""


def _make_view(act: Callable[[ChallengeVisit, int], None]) -> Callable[..., ResponseReturnValue]:
    @allowed(Role.TEAM)
    def view(visit: ChallengeVisit, number: int) -> ResponseReturnValue:
        """The way back to the page of the submission."""
        act(visit, number)
        return redirect(url_for("team.show_submission", number=number), code=303)

    return view


for _name, _act in ACTIONS.items():
    team.add_url_rule(
        f"/submissions/<int:number>/{_name.replace('_', '-')}",
        _name,
        _make_view(_act),
        methods=["POST"],
    )


def _load_quota(visit: ChallengeVisit, phase: Phase, method_id: int) -> Quota:
    period = quota.name_period(phase, method_id, visit.at)
    return quota.load_quota(visit.session, visit.team_id, period, visit.at)


def _describe(visit: ChallengeVisit, submission: Submission) -> SubmissionLine:
    results = (
        board.load_result(visit.session, visit.challenge, visit.team_id, submission.id, visit.at)
        if submission.state is State.SCORED
        else {}
    )
    return SubmissionLine(
        submission,
        submissions.load_progress(visit.session, submission),
        {name: format_score(row.mean) for name, row in results.items()},
    )
