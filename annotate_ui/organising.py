"""The organiser's pages beside the board: wall, people, statistics; and everybody's training."""

from __future__ import annotations

from flask import Blueprint, make_response, render_template, request
from flask.typing import ResponseReturnValue

from catalog.states import Role
from qa.statistics_files import picture_names

from .errors import NotFoundError
from .roles import EVERYBODY, allowed
from .statistics_cache import TABLE_FORMS, load_counted
from .visit import Visit

organising = Blueprint("organising", __name__)


@organising.get("/wall")
@allowed(Role.ORGANISER)
def wall(visit: Visit) -> ResponseReturnValue:
    """The latest annotations."""
    return render_template("wall.html", person=visit.person)


@organising.get("/people")
@allowed(Role.ORGANISER)
def people(visit: Visit) -> ResponseReturnValue:
    """Who may come in, as what, and by which link."""
    return render_template("people.html", person=visit.person)


@organising.get("/training")
@allowed(*EVERYBODY)
def training(visit: Visit) -> ResponseReturnValue:
    """The guidelines step by step, with examples."""
    return render_template("training.html", person=visit.person)


@organising.get("/statistics")
@allowed(Role.ORGANISER)
def statistics(visit: Visit) -> ResponseReturnValue:
    """The tables and figures of the papers, of all finished work."""
    counted = load_counted(visit, is_fresh="again" in request.args)
    return render_template(
        "statistics.html",
        person=visit.person,
        counted=counted,
        at=visit.at,
        forms=TABLE_FORMS,
        pictures=picture_names(counted.statistics),
    )


@organising.get("/statistics/<name>.svg")
@allowed(Role.ORGANISER)
def figure(visit: Visit, name: str) -> ResponseReturnValue:
    """One figure."""
    counted = load_counted(visit)
    names = picture_names(counted.statistics)
    if name not in names:
        raise NotFoundError(f"There is no such figure; there are {', '.join(names)}.")
    response = make_response(counted.picture(name))
    response.content_type = "image/svg+xml"
    # A figure is our own drawing, whose styles are inline; nothing in it may run or load.
    response.headers["Content-Disposition"] = f'inline; filename="{name}.svg"'
    return response


@organising.get("/statistics/tables.<form>")
@allowed(Role.ORGANISER)
def tables(visit: Visit, form: str) -> ResponseReturnValue:
    """All tables as text, CSV, LaTeX or JSON."""
    if form not in TABLE_FORMS:
        raise NotFoundError(f"There is no such form; there are {', '.join(TABLE_FORMS)}.")
    made = TABLE_FORMS[form]
    response = make_response(made.format(load_counted(visit).statistics))
    response.content_type = f"{made.mimetype}; charset=utf-8"
    response.headers["Content-Disposition"] = f'inline; filename="statistics.{form}"'
    return response
