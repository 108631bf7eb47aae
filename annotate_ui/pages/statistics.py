"""The statistics of all finished work as a page, figures and files, counted when asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue

from annotate_ui.guard import allowed
from catalog.refusals import NotFoundError
from catalog.sentences import say
from qa.statistics import (
    MOST_CLASSES,
    Statistics,
    keep_classes,
    list_largest,
    take_statistics,
)
from qa.statistics_files import format_all_csv, format_all_latex, format_all_text, format_document
from qa.statistics_pictures import draw_picture, list_pictures
from qa.tables import CountedImage, load_finished
from vockit.report.report_page import embed
from web.language import choose_language, find_translator, translate
from work.visit import Visit

statistics = Blueprint("statistics", __name__, url_prefix="/statistics")

KEPT_SECS = 60.0
OLDEST_SECS = 3600.0
"""Of the page, which says when it was counted."""

TABLE_FORMS: dict[str, tuple[str, str, Callable[[Statistics], str]]] = {
    "txt": (say("text"), "text/plain", format_all_text),
    "csv": ("CSV", "text/csv", lambda counted: "\n".join(format_all_csv(counted).values())),
    "tex": ("LaTeX", "text/plain", lambda counted: "\n".join(format_all_latex(counted).values())),
    "json": (
        "JSON",
        "application/json",
        lambda counted: json.dumps(format_document(counted), indent=2, ensure_ascii=False),
    ),
}
"""The ways to write the tables down: title, type and function of each."""


def describe_statistics(visit: Visit) -> dict[str, Any]:
    """The tables and figures of the papers, of all finished work, for the template.

    Of many classes, those with most objects; `find` in the query chooses others.
    """
    page = visit.share(
        ("statistics page", choose_language(), visit.party.classes_number),
        partial(_draw, find_translator()),
        most_secs=KEPT_SECS,
        oldest_secs=OLDEST_SECS,
    )
    classes = len(page.statistics.class_names)
    find = request.args.get("find", "") if classes > MOST_CLASSES else ""
    shown = page.shown
    pictures = page.pictures
    if find:
        shown = keep_classes(page.statistics, list_largest(page.statistics, find))
        pictures = _draw_pictures(shown) if shown.class_names else {}
    return {
        "statistics": shown,
        "classes": classes,
        "find": find,
        "images": page.images,
        "counted_at": page.counted_at,
        "at": visit.at,
        "pictures": pictures,
        "forms": {key: title for key, (title, *_) in TABLE_FORMS.items()},
    }


@statistics.get("/<name>.svg")
@allowed()
def figure(visit: Visit, name: str) -> ResponseReturnValue:
    """One figure."""
    counted = replace(_count(visit), translate=translate)
    names = list_pictures(counted)
    if name not in names:
        raise NotFoundError(say("Unknown figure. Figures: {names}.", names=list(names)))
    # A figure is our own drawing, whose styles are inline; nothing in it may run or load.
    return _send(draw_picture(counted, name), "image/svg+xml", f"{name}.svg")


@statistics.get("/tables.<form>")
@allowed()
def tables(visit: Visit, form: str) -> ResponseReturnValue:
    """All tables as text, CSV, LaTeX or JSON."""
    if form not in TABLE_FORMS:
        raise NotFoundError(say("Unknown format. Formats: {forms}.", forms=list(TABLE_FORMS)))
    _, mimetype, format_tables = TABLE_FORMS[form]
    return _send(format_tables(_count(visit)), f"{mimetype}; charset=utf-8", f"statistics.{form}")


@dataclass(frozen=True)
class _Page:
    """What the page shows of one moment, in one language."""

    statistics: Statistics
    shown: Statistics  # its part that fits on the page
    images: int
    counted_at: datetime
    pictures: dict[str, str]


def _draw(translate_word: Callable[[str], str], visit: Visit) -> _Page:
    """The figures are part of the page, so that the objects are counted once."""
    images = load_finished(visit.session)
    counted = replace(_take(visit, images), translate=translate_word)
    shown = keep_classes(counted, list_largest(counted))
    return _Page(counted, shown, len(images), visit.at, _draw_pictures(shown))


def _draw_pictures(shown: Statistics) -> dict[str, str]:
    return {name: embed(draw_picture(shown, name)) for name in list_pictures(shown)}


def _count(visit: Visit) -> Statistics:
    """The statistics in English, for a file that is stored: not older than KEPT_SECS."""
    return visit.share(
        ("statistics", visit.party.classes_number),
        lambda visit: _take(visit, load_finished(visit.session)),
        most_secs=KEPT_SECS,
        oldest_secs=KEPT_SECS,
    )


def _take(visit: Visit, images: Sequence[CountedImage]) -> Statistics:
    party = visit.party
    return take_statistics(images, party.preset, subject=party.settings.name)


def _send(data: str | bytes, content_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f'inline; filename="{name}"'}
    return Response(data, content_type=content_type, headers=headers)
