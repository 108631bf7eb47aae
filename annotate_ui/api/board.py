"""The organiser's board: counts, tables, shares, leases to take back."""

from __future__ import annotations

import csv
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from io import StringIO
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from flask import Response, request
from pydantic import Field

from catalog.refusals import NotFoundError
from catalog.states import ImageState
from catalog.tables import Lease, Person
from qa.agreement import MatrixCell, make_matrix, summarise_classes, summarise_people
from qa.counts import ClassProgress, PersonProgress
from qa.counts import ClassSecs as DrawnSecs
from qa.work import load_blind_pairs
from vockit.report.intervals import Interval
from work.board import load_board
from work.hours import Bin
from work.leases import read_number
from work.live_settings import load_shares, save_qa_settings
from work.people import display_name, list_people
from work.queue_plan import FirstSet
from work.stuck import Stuck, settle_image
from work.tasks import give_back
from work.visit import Visit

from .answers import Json, format_moment, save_or_head, tell
from .format_board import format_board, format_interval
from .schemas import Base, Reply, Routes, each, like, shape
from .told import PersonName, Shares, Word

blueprint = Routes("board", __name__, url_prefix="/board")

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Images = Annotated[int, Field(ge=0, le=100)]
Reason = shape("Reason", reason=str, display=str, images=int)
Hold = shape(
    "Hold: an image that a person has in hand, or reserved and did not open.",
    lease_id=int,
    **like(Lease, "image_id person_id kind"),
    is_opened=bool,
    **each(datetime, "since last_sign_at"),
)
Hour = shape(
    "Hour: an hour, as in 2026-01-31 12, and what was done in it.",
    hour=str,
    **like(Bin, "annotated discarded checked returned"),
)
Progress = shape(
    "Progress: bars of equal length; those that are days begin at midnight in the zone.",
    bin_secs=float,
    bins=[Bin],
    zone=str,
)
Forecast = shape(
    "Forecast: hours of the party at its pace until the target is met; null without an estimate.",
    **each(float | None, "hours low_hours high_hours"),
)
ClassLine = shape(
    "ClassLine: a class against its target.",
    Word,
    **like(ClassProgress, "images objects target"),
    forecast=Forecast,
)
PersonLine = shape(
    "PersonLine: a person's work; checkers changed or returned the share `corrected` of images.",
    PersonName,
    **like(Person, "role seen_at slowed_at"),
    **like(PersonProgress, "images checked active_secs per_hour"),
    corrected=Interval | None,
    is_ended=bool,
)
ClassSecs = shape(
    "ClassSecs: seconds that drawing an object of a class took: quartiles.",
    **each(str, "class display"),
    **like(DrawnSecs, "objects quarter_secs median_secs three_quarter_secs"),
)
CampaignLine = shape(
    "CampaignLine: a campaign, and how many of its images are at which stage.",
    **each(str, "name by text"),
    at=datetime,
    images=int,
    stages=dict[str, int],
)
StuckLine = shape(
    "StuckLine: an image that no queue gives out, and why.",
    **like(Stuck, "image_id state reason"),
)
Jobs = shape(
    "Jobs: what rows tell of collecting: what was done last and when, not what runs.",
    photos=dict[str, int],
    **each(int, "target_images fetching images to_hash to_compare duplicates"),
    **each(datetime | None, "searched_at fetched_at compared_at"),
    pauses=[shape("Pause: a host that is not asked until then.", host=str, until=datetime)],
)
Board = shape(
    "Board: everything on the board's first view, at one moment.",
    at=datetime,
    images=dict[str, int],
    discarded=[Reason],
    holds=[Hold],
    shares=Shares,
    first=[FirstSet],
    wanted_classes=list[str],
    progress=Progress,
    **each(float | None, "per_hour checks_per_hour"),
    classes=[ClassLine],
    people=[PersonLine],
    hours=[Hour],
    class_secs=[ClassSecs],
    campaigns=[CampaignLine],
    stuck=[StuckLine],
    findings=dict[str, int],
    jobs=Jobs,
)
PersonBoth = shape(
    "PersonBoth: how much of what either drew a person and others both drew.",
    PersonName,
    both=Interval | None,
)
ClassBoth = shape("ClassBoth: the same for a class.", Word, both=Interval)
Cell = shape(
    "Cell: two people's agreement on images that both drew blind.",
    **like(MatrixCell, "first_id second_id both mean_overlap"),
    **each(str, "first second"),
    images=int,
)


@blueprint.on_get("", told=Board)
def show_board(visit: Visit) -> Reply:
    """Where the party stands; `?zone=Europe/Zurich` says where days begin."""
    return format_board(visit, load_board(visit, _get_zone()))


@blueprint.on_get(
    "/agreement", told={"people": [PersonBoth], "classes": [ClassBoth], "cells": [Cell]}
)
def show_agreement(visit: Visit) -> Reply:
    """Who agrees with whom."""
    return _load_agreement(visit)


@blueprint.on_get("/<name>.csv", told=str)
def send_table(visit: Visit, name: str) -> Reply:
    """One plot's numbers: images, classes, people, hours, progress, seconds or agreement."""
    if name not in TABLES:
        raise NotFoundError(f"Unknown table. Tables: {', '.join(TABLES)}.")
    if name == "agreement":
        found = _load_agreement(visit)
    else:
        found = format_board(visit, load_board(visit, _get_zone()))
    columns, list_rows = TABLES[name]
    moment = format_moment(visit.at).replace(":", "")
    return Response(
        format_csv(columns, list_rows(found)),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}-{moment}.csv"'},
    )


@blueprint.on_put("/shares", told=Shares)
def put_shares(
    visit: Visit, *, base: Base, double_share: _Share, gold_share: _Share, training_images: _Images
) -> Reply:
    """The shares of images that hold from now on; other settings of checking stay as they are."""
    shares = {"double_share": double_share, "gold_share": gold_share}

    def save() -> Json:
        save_qa_settings(visit, shares | {"training_images": training_images}, base=base)
        return load_shares(visit)

    return save_or_head(save, lambda: load_shares(visit))


@blueprint.on_post("/people/<int:person_id>/leases/<int:lease_id>/take-back")
def take_lease_back(visit: Visit, person_id: int, lease_id: int) -> Reply:
    """Nothing; the image is where it came from, and work that comes later is taken if it fits."""
    kind, image_id = read_number(lease_id)
    give_back(visit, kind, image_id, of_id=person_id)
    return {}


@blueprint.on_post("/stuck/<int:image_id>/settle", told={"state": ImageState})
def post_settle(visit: Visit, image_id: int) -> Reply:
    """The state of an image that was stuck: where its own revisions and verdicts say."""
    return {"state": settle_image(visit.session, image_id, at=visit.at)}


def _get_zone() -> tzinfo:
    """The zone that a browser names ("Europe/Zurich"); UTC where this machine does not know it."""
    try:
        return ZoneInfo(request.args.get("zone", "UTC"))
    except (ValueError, KeyError, OSError):  # no name, no such zone, a folder of them
        return UTC


def _load_agreement(visit: Visit) -> Json:
    names = {person.id: display_name(person) for person in list_people(visit.session)}
    settings, preset = visit.settings, visit.party.preset
    cells = make_matrix(load_blind_pairs(visit.session), settings.qa.match_overlap)
    return {
        "people": [
            {"id": person_id, "name": names[person_id], "both": format_interval(interval)}
            for person_id, interval in summarise_people(cells).items()
        ],
        "classes": [
            {"name": name, "display": preset.class_displays[name], "both": interval}
            for name, interval in summarise_classes(cells, preset.class_names).items()
        ],
        "cells": [
            tell(Cell, cell, first=names[cell.first_id], second=names[cell.second_id])
            for cell in cells
            if cell.both.count
        ],
    }


_DONE = "annotated discarded checked returned"
TABLES: dict[str, tuple[str, Callable[[Json], list[Json]]]] = {
    "images": (
        "state reason images",
        lambda board: [
            *({"state": it, "images": count} for it, count in board["images"].items()),
            *({"state": "discarded"} | row for row in board["discarded"]),
        ],
    ),
    "classes": (
        "name images objects target hours low_hours high_hours",
        lambda board: [one | one["forecast"] for one in board["classes"]],
    ),
    "people": (
        "name role images checked active_secs per_hour seen_at corrected",
        lambda board: board["people"],
    ),
    "hours": (f"hour {_DONE}", lambda board: board["hours"]),
    "progress": (
        f"start_at {_DONE}",
        lambda board: [vars(one) for one in board["progress"]["bins"]],
    ),
    "seconds": (
        "class objects quarter_secs median_secs three_quarter_secs",
        lambda board: board["class_secs"],
    ),
    "agreement": (
        "first_id first second_id second images both mean_overlap",
        lambda agreement: agreement["cells"],
    ),
}
"""The columns of each table, and its rows of a board or an agreement."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def format_csv(columns: str, rows: list[Json]) -> str:
    """The rows as CSV with a line of heads; empty where there are none."""
    text = StringIO()
    if rows:
        writer = csv.DictWriter(text, columns.split(), extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _disarm(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def _disarm(value: Any) -> Any:
    """A name that a spreadsheet would take for a formula, as text; a moment as JSON has it."""
    if isinstance(value, datetime):
        return format_moment(value)
    if isinstance(value, Interval):
        return value.value
    is_formula = isinstance(value, str) and value.startswith(_FORMULA_STARTS)
    return f"'{value}" if is_formula else value
