"""The page of those who run the challenge: teams, entries, dates, quotas, editions, the log."""

from __future__ import annotations

from flask import Blueprint, redirect, request, url_for
from flask.typing import ResponseReturnValue

from catalog.refusals import InvalidError
from catalog.sentences import say
from challenge import board, log, organiser, phases, quota, submissions, teams
from challenge.database import load_contest, load_frozen
from challenge.tables import Submission, Team
from challenge.values import Phase, State
from web.guard import Outside, allowed
from web.service import make_link

from . import layout
from .service import ChallengeVisit, Role

organising = Blueprint("organising", __name__, url_prefix="/organise")

PUBLISHED = "published"
"""The folder below the challenge's that the end is written to."""
MOST_LOG = 200
MOST_MORE = 100
MOST_REASON = 500


@organising.get("")
@allowed(Role.ORGANISER)
def show(visit: ChallengeVisit) -> ResponseReturnValue:
    """Everything that an organiser sees and does."""
    return _show(visit)


@organising.post("/teams")
@allowed(Role.ORGANISER)
def invite(visit: ChallengeVisit) -> ResponseReturnValue:
    """The page with the link of a new team, which is shown this once."""
    token = visit.tokens()
    name = request.form.get("name", "")
    contact = request.form.get("contact", "")
    team = teams.invite(visit.session, name, contact, token=token, now=visit.at)
    return _show(visit, team=team, link=make_link("signin.show_link", token=token))


@organising.post("/teams/<int:number>/link")
@allowed(Role.ORGANISER)
def renew_link(visit: ChallengeVisit, number: int) -> ResponseReturnValue:
    """The page with a new link of the team; the earlier one is void."""
    token = visit.tokens()
    team = teams.renew_link(visit.session, number, token=token, now=visit.at)
    return _show(visit, team=team, link=make_link("signin.show_link", token=token))


@organising.post("/teams/<int:number>/quota")
@allowed(Role.ORGANISER)
def add_quota(visit: ChallengeVisit, number: int) -> ResponseReturnValue:
    """The way back, with more results for the team in a period."""
    more = request.form.get("more", type=int)
    if more is None or not 1 <= more <= MOST_MORE:
        raise InvalidError(say("Add 1 to {most} results.", most=MOST_MORE), field="more")
    organiser.add_quota(
        visit.session, number, _read_line("period"), more, _read_line("reason"), visit.at
    )
    return _go_back()


@organising.post("/entries/<int:number>/<word>")
@allowed(Role.ORGANISER)
def decide(visit: ChallengeVisit, number: int, word: str) -> ResponseReturnValue:
    """The way back, with an entry hidden, disqualified or shown again."""
    acts = {
        "hide": organiser.hide,
        "disqualify": organiser.disqualify,
        "show": organiser.show,
    }
    if word not in acts:
        raise InvalidError(say("This page is out of date. Reload it and try again."))
    acts[word](visit.session, number, _read_line("reason"), visit.at)
    return _go_back()


@organising.post("/phases")
@allowed(Role.ORGANISER)
def extend(visit: ChallengeVisit) -> ResponseReturnValue:
    """The way back, with a phase that begins at another moment."""
    phase = request.form.get("phase", "")
    if phase not in {*phases.DATED}:
        raise InvalidError(say("This page is out of date. Reload it and try again."))
    moment = phases.parse_moment(_read_line("begins"))
    organiser.extend(visit.session, {Phase(phase): moment}, visit.at)
    return _go_back()


@organising.post("/rescore")
@allowed(Role.ORGANISER, only_reads=True)
def rescore(visit: ChallengeVisit) -> Outside:
    """The way back, with a new edition of the board in which all is scored again."""
    challenge = visit.challenge
    reason = _read_line("reason")
    at = visit.at

    def act() -> ResponseReturnValue:
        organiser.rescore(challenge, reason, at)
        return _go_back()

    return Outside(act)


@organising.post("/end")
@allowed(Role.ORGANISER, only_reads=True)
def publish_end(visit: ChallengeVisit) -> Outside:
    """The way back, with the labels and the board written to the folder of the challenge."""
    if request.form.get("sure") != load_frozen(visit.session).release:
        raise InvalidError(say("Type the name of the release to publish its labels."), field="sure")
    challenge = visit.challenge
    at = visit.at

    def act() -> ResponseReturnValue:
        organiser.publish_end(challenge, challenge.folder / PUBLISHED, at)
        return _go_back()

    return Outside(act)


def list_entries(visit: ChallengeVisit) -> list[Submission]:
    """The submissions of all teams that were confirmed, the newest first."""
    listed = [
        submission
        for team in teams.list_teams(visit.session)
        for submission in submissions.list_of_team(visit.session, team.id)
        if submission.confirmed_at is not None
    ]
    return sorted(listed, key=lambda submission: -submission.id)


def _show(visit: ChallengeVisit, *, team: Team | None = None, link: str = "") -> str:
    dates = phases.load_dates(visit.session)
    return layout.show(
        "organise.html",
        visit.session,
        person=visit.owner,
        frozen=load_frozen(visit.session),
        ended_at=load_contest(visit.session).ended_at,
        dates=dates,
        dated=phases.DATED,
        phase=phases.find_phase(dates, visit.at),
        teams=teams.list_teams(visit.session),
        entries=list_entries(visit),
        scored=State.SCORED,
        editions=board.list_editions(visit.session),
        log=list(reversed(log.read_log(visit.session)))[:MOST_LOG],
        week=quota.name_period(Phase.ROLLING, 0, visit.at),
        new_team=team,
        link=link,
    )


def _read_line(field: str) -> str:
    return teams.clean_line(request.form.get(field, ""), field, MOST_REASON)


def _go_back() -> ResponseReturnValue:
    return redirect(url_for("organising.show"), code=303)
