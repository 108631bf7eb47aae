"""The statistics as a page, figures and files."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, make_response, request
from flask.typing import ResponseReturnValue

from annotate_ui.errors import NotFoundError
from annotate_ui.organise.statistics_cache import TABLE_FORMS, load_counted
from annotate_ui.roles import allowed
from annotate_ui.visit import Visit
from catalog.states import Role

statistics = Blueprint("statistics", __name__, url_prefix="/statistics")


def describe_statistics(visit: Visit) -> dict[str, Any]:
    """The tables and figures of the papers, of all finished work, for the template."""
    counted = load_counted(visit, is_fresh="again" in request.args)
    return {
        "counted": counted,
        "at": visit.at,
        "forms": TABLE_FORMS,
        "pictures": counted.statistics.picture_names(),
    }


@statistics.get("/<name>.svg")
@allowed(Role.ORGANISER)
def figure(visit: Visit, name: str) -> ResponseReturnValue:
    """One figure."""
    counted = load_counted(visit)
    names = counted.statistics.picture_names()
    if name not in names:
        raise NotFoundError(f"There is no such figure; there are {', '.join(names)}.")
    response = make_response(counted.picture(name))
    response.content_type = "image/svg+xml"
    # A figure is our own drawing, whose styles are inline; nothing in it may run or load.
    response.headers["Content-Disposition"] = f'inline; filename="{name}.svg"'
    return response


@statistics.get("/tables.<form>")
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
