"""The statistics of all finished work as a page, figures and files.

They read every object and take seconds on a large party, so each serving process keeps its last
count for some minutes, and pages say when it was made.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from flask import Blueprint, current_app, make_response, request
from flask.typing import ResponseReturnValue
from flask.wrappers import Response

from annotate_ui.errors import NotFoundError
from annotate_ui.roles import allowed
from annotate_ui.visit import Visit
from qa.statistic_images import load_finished
from qa.statistics import (
    Statistics,
    draw_picture,
    format_all_csv,
    format_all_latex,
    format_all_text,
    format_document,
    take_statistics,
)

statistics = Blueprint("statistics", __name__, url_prefix="/statistics")

KEPT = timedelta(minutes=10)
_NAME = "vocparty statistics"


@dataclass(frozen=True)
class Counted:
    """Statistics, the moment at which they were true, and the pictures drawn so far."""

    statistics: Statistics
    images: int
    counted_at: datetime
    classes_number: int
    pictures: dict[str, bytes] = field(default_factory=dict)


TABLE_FORMS: dict[str, tuple[str, str, Callable[[Statistics], str]]] = {
    "txt": ("text", "text/plain", format_all_text),
    "csv": ("CSV", "text/csv", lambda of: "\n".join(format_all_csv(of).values())),
    "tex": ("LaTeX", "text/plain", lambda of: "\n".join(format_all_latex(of).values())),
    "json": (
        "JSON",
        "application/json",
        lambda of: json.dumps(format_document(of), indent=2, ensure_ascii=False),
    ),
}
"""The ways to write the tables down: title, type and function of each."""


def describe_statistics(visit: Visit) -> dict[str, Any]:
    """The tables and figures of the papers, of all finished work, for the template."""
    counted = load_counted(visit, is_fresh="again" in request.args)
    return {
        "counted": counted,
        "at": visit.at,
        "forms": {key: title for key, (title, *_) in TABLE_FORMS.items()},
        "pictures": counted.statistics.picture_names(),
    }


@statistics.get("/<name>.svg")
@allowed()
def figure(visit: Visit, name: str) -> ResponseReturnValue:
    """One figure."""
    counted = load_counted(visit)
    names = counted.statistics.picture_names()
    if name not in names:
        raise NotFoundError(f"Unknown figure. Figures: {', '.join(names)}.")
    if name not in counted.pictures:
        counted.pictures[name] = draw_picture(counted.statistics, name)
    # A figure is our own drawing, whose styles are inline; nothing in it may run or load.
    return _send(counted.pictures[name], "image/svg+xml", f"{name}.svg")


@statistics.get("/tables.<form>")
@allowed()
def tables(visit: Visit, form: str) -> ResponseReturnValue:
    """All tables as text, CSV, LaTeX or JSON."""
    if form not in TABLE_FORMS:
        raise NotFoundError(f"Unknown format. Formats: {', '.join(TABLE_FORMS)}.")
    _, mimetype, format_tables = TABLE_FORMS[form]
    text = format_tables(load_counted(visit).statistics)
    return _send(text, f"{mimetype}; charset=utf-8", f"statistics.{form}")


def load_counted(visit: Visit, *, is_fresh: bool = False) -> Counted:
    """The last count, unless it is older than KEPT or shall be fresh."""
    kept: Counted | None = current_app.extensions.get(_NAME)
    is_new = kept and visit.at - kept.counted_at < KEPT
    if kept and is_new and not is_fresh and kept.classes_number == visit.party.classes_number:
        return kept
    images = load_finished(visit.session)
    found = take_statistics(images, visit.party.preset, of=visit.party.settings.name)
    counted = Counted(found, len(images), visit.at, visit.party.classes_number)
    current_app.extensions[_NAME] = counted
    return counted


def _send(data: str | bytes, content_type: str, name: str) -> Response:
    response = make_response(data)
    response.content_type = content_type
    response.headers["Content-Disposition"] = f'inline; filename="{name}"'
    return response
