"""The board: entries by competition with intervals, their history, files, anonymous entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.tables.base import MAX_ID
from challenge import board, curves, phases, showing
from challenge.database import load_frozen
from challenge.tables import Team
from challenge.values import Board, BoardRow
from web.guard import open_to_everyone

from .board_files import FORMS
from .chart import Bar, lay_out
from .layout import show
from .service import current_service, find_visitor

boards = Blueprint("boards", __name__)

_PUBLIC = "published entries are for everyone; a team's private ones are for the team alone"


@boards.get("/board")
@open_to_everyone(_PUBLIC)
def show_first() -> ResponseReturnValue:
    """The board of the first competition."""
    return _show_board("", None)


@boards.get("/board/<competition>")
@open_to_everyone(_PUBLIC)
def show_board(competition: str) -> ResponseReturnValue:
    """Entries class by class and as a mean, of the newest edition or of the one of the query."""
    return _show_board(competition, _read_edition())


@boards.get("/board/<competition>/curves")
@open_to_everyone(_PUBLIC)
def show_curves(competition: str) -> ResponseReturnValue:
    """Precision by recall of published entries, class by class, once the labels are published."""
    service = current_service()
    with service.catalogue.reading() as database:
        competitions = _get_competitions(database, competition)
        lines = curves.load_curves(database, service.challenge, competition, service.now())
        asked = request.args.get("class", "")
        return show(
            "curves.html",
            database,
            competition=competition,
            competitions=competitions,
            lines=lines,
            chosen=asked if asked in lines else next(iter(lines), ""),
            are_shown=curves.are_shown(database),
        )


@boards.get("/board/<competition>/history")
@open_to_everyone(_PUBLIC)
def show_history(competition: str) -> ResponseReturnValue:
    """Published entries in the order of time, and the editions of the board."""
    service = current_service()
    with service.catalogue.reading() as database:
        competitions = _get_competitions(database, competition)
        return show(
            "history.html",
            database,
            competition=competition,
            competitions=competitions,
            rows=board.load_history(database, service.challenge, competition, service.now()),
            editions=board.list_editions(database),
        )


@boards.get("/board/<competition>.<form>")
@open_to_everyone(_PUBLIC)
def send_file(competition: str, form: str) -> ResponseReturnValue:
    """The published entries as CSV, LaTeX or JSON; a private entry is in none of them."""
    if form not in FORMS:
        raise NotFoundError(say("Unknown format. Formats: {forms}.", forms=list(FORMS)))
    service = current_service()
    with service.catalogue.reading() as database:
        _get_competitions(database, competition)
        shown = board.load_board(
            database,
            service.challenge,
            competition,
            service.now(),
            edition=_read_edition(),
            is_closing=_is_closing(),
        )
    mimetype, write = FORMS[form]
    name = f"{competition}-edition-{shown.edition}.{form}"
    return Response(
        write(shown),
        content_type=f"{mimetype}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@boards.get("/anonymous/<code>")
@open_to_everyone("reviewers of a paper have no link; the address cannot be guessed")
def show_anonymous(code: str) -> ResponseReturnValue:
    """A private entry without the names of its team and method."""
    service = current_service()
    with service.catalogue.reading() as database:
        now = service.now()
        rows = board.find_anonymous(database, service.challenge, code, now)
        submission = None if rows else board.get_anonymous(database, code)
        return show(
            "anonymous.html",
            database,
            rows=rows,
            classes=list_classes(rows),
            absence=submission and showing.find_absence(database, submission, now),
        )


def list_classes(rows: Mapping[str, BoardRow]) -> Mapping[str, Sequence[str]]:
    """The classes of each competition of an entry."""
    return {name: list(row.classes) for name, row in rows.items()}


def _show_board(competition: str, edition: int | None) -> str:
    service = current_service()
    now = service.now()
    with service.catalogue.reading() as database:
        competitions = _get_competitions(database, competition)
        competition = competition or competitions[0]
        visitor = find_visitor(database)
        shown = board.load_board(
            database,
            service.challenge,
            competition,
            now,
            team_id=visitor.id if isinstance(visitor, Team) else None,
            edition=edition,
            is_closing=_is_closing(),
        )
        return show(
            "board.html",
            database,
            board=shown,
            competition=competition,
            competitions=competitions,
            bars=_list_bars(shown),
            editions=board.list_editions(database),
            forms=list(FORMS),
            asked_edition=edition,
            is_rescoring=showing.is_rescoring(database),
            is_closing=_is_closing(),
            phase=phases.current(database, now),
            dates=phases.load_dates(database),
            showing=phases.SHOWING,
        )


def _list_bars(shown: Board) -> Sequence[Bar]:
    return lay_out([(row.method, row.team, row.mean) for row in shown.rows])


def _read_edition() -> int | None:
    """The edition that the query names; raises NotFoundError for a number that none can have."""
    number = request.args.get("edition", type=int)
    if number is not None and not 0 < number <= MAX_ID:
        raise NotFoundError(say("There is no edition {number} of the board.", number=number))
    return number


def _is_closing() -> bool:
    """Whether the final board of the challenge is asked for, which the rolling server keeps."""
    return "final" in request.args


def _get_competitions(database: Session, competition: str) -> Sequence[str]:
    """All competitions; raises NotFoundError where the one asked for is none of them."""
    competitions = load_frozen(database).competitions
    if competition and competition not in competitions:
        raise NotFoundError(
            say("This challenge has no such competition. It has: {names}.", names=[*competitions])
        )
    return competitions
