"""The organiser's board: counts, tables, shares, leases to take back."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, tzinfo
from io import StringIO
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from flask import make_response, request
from pydantic import Field

from annotate_ui.errors import NotFoundError
from annotate_ui.organise.board import format_interval, load_board
from annotate_ui.organise.hours import Bin
from annotate_ui.organise.live_settings import load_shares, save_qa_settings
from annotate_ui.organise.people import display_name, list_people
from annotate_ui.visit import Visit
from annotate_ui.work.leases import HELD_STATES, read_number
from annotate_ui.work.tasks import take_back
from catalog.states import LeaseKind
from qa.agreement import make_matrix, summarise_classes, summarise_people
from qa.intervals import Interval
from qa.work import load_blind_pairs

from .answers import Json, format_moment, pick, save_or_head
from .queue import FirstSet
from .schemas import Reply, Routes, Told, VersionBody
from .told import ClassName, Shares, Word

blueprint = Routes("board", __name__, url_prefix="/board")

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class SharesBody(VersionBody):
    """Shares of images; other live settings of checking stay as they are."""

    double_share: _Share
    gold_share: _Share
    training_images: Annotated[int, Field(ge=0, le=100)]


class Reason(Told):
    """Images that were discarded for a reason."""

    reason: str
    display: str
    images: int


class Hold(Told):
    """An image that a person has in hand, or reserved and did not open."""

    lease_id: int
    image_id: int
    person_id: int
    kind: str
    is_opened: bool
    since: datetime
    last_sign_at: datetime


class Hour(Told):
    """An hour, as in 2026-01-31 12, and what was done in it."""

    hour: str
    annotated: int
    discarded: int
    checked: int
    returned: int


class Progress(Told):
    """Bars of equal length; those that are days begin at midnight in the zone."""

    bin_secs: float
    bins: list[Bin]
    zone: str


class Forecast(Told):
    """Hours of the party at its pace until the target is met; null without an estimate."""

    hours: float | None
    low_hours: float | None
    high_hours: float | None


class ClassLine(Word):
    """A class against its target."""

    images: int
    objects: int
    target: int
    forecast: Forecast


class PersonLine(Told):
    """A person's work; `corrected` is the share of images that checkers changed or returned."""

    id: int
    name: str
    role: str
    seen_at: datetime | None
    slowed_at: datetime | None
    images: int
    checked: int
    active_secs: float
    per_hour: float | None
    corrected: Interval | None
    is_ended: bool


class ClassSecs(Told):
    """Seconds that drawing an object of a class took: quartiles."""

    class_name: ClassName
    display: str
    objects: int
    quarter_secs: float
    median_secs: float
    three_quarter_secs: float


class CampaignLine(Told):
    """A campaign, and how many of its images are at which stage."""

    name: str
    by: str
    at: datetime
    text: str
    images: int
    stages: dict[str, int]


class Pause(Told):
    """A host that is not asked until then."""

    host: str
    until: datetime


class Jobs(Told):
    """What rows tell of collecting: what was done last and when, not what runs."""

    photos: dict[str, int]
    target_images: int
    fetching: int
    searched_at: datetime | None
    fetched_at: datetime | None
    images: int
    to_hash: int
    to_compare: int
    duplicates: int
    compared_at: datetime | None
    pauses: list[Pause]


class Board(Told):
    """Everything on the board's first view, at one moment."""

    at: datetime
    images: dict[str, int]
    discarded: list[Reason]
    holds: list[Hold]
    shares: Shares
    first: list[FirstSet]
    wanted_classes: list[str]
    progress: Progress
    per_hour: float | None
    checks_per_hour: float | None
    classes: list[ClassLine]
    people: list[PersonLine]
    hours: list[Hour]
    class_secs: list[ClassSecs]
    campaigns: list[CampaignLine]
    findings: dict[str, int]
    jobs: Jobs


class PersonBoth(Told):
    """How much of what either drew a person and others both drew."""

    id: int
    name: str
    both: Interval | None


class ClassBoth(Word):
    """The same for a class."""

    both: Interval


class Cell(Told):
    """Two people's agreement on images that both drew blind."""

    first_id: int
    first: str
    second_id: int
    second: str
    images: int
    both: Interval
    mean_overlap: float | None


_AGREEMENT = {"people": list[PersonBoth], "classes": list[ClassBoth], "cells": list[Cell]}


@blueprint.on_get("", told=Board)
def show_board(visit: Visit) -> Reply:
    """Where the party stands; `?zone=Europe/Zurich` says where days begin."""
    return load_board(visit, _get_zone())


@blueprint.on_get("/agreement", told=_AGREEMENT)
def show_agreement(visit: Visit) -> Reply:
    """Who agrees with whom."""
    return _load_agreement(visit)


@blueprint.on_get("/<name>.csv", told=str)
def send_table(visit: Visit, name: str) -> Reply:
    """One plot's numbers: images, classes, people, hours, progress, seconds or agreement."""
    if name not in TABLES:
        raise NotFoundError(f"Unknown table. Tables: {', '.join(TABLES)}.")
    found = _load_agreement(visit) if name == "agreement" else load_board(visit, _get_zone())
    rows = TABLES[name](found)
    response = make_response(format_csv(rows))
    response.content_type = "text/csv; charset=utf-8"
    moment = format_moment(visit.at).replace(":", "")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}-{moment}.csv"'
    return response


@blueprint.on_put("/shares", told=Shares)
def put_shares(visit: Visit, body: SharesBody) -> Reply:
    """The shares that hold from now on."""

    def save() -> Json:
        save_qa_settings(visit, body.model_dump(exclude={"base"}), base=body.base)
        return load_shares(visit)

    return save_or_head(save, lambda: load_shares(visit))


@blueprint.on_post("/people/<int:person_id>/leases/<int:lease_id>/take-back")
def take_lease_back(visit: Visit, person_id: int, lease_id: int) -> Reply:
    """Nothing; the image is where it came from, and work that comes later is taken if it fits."""
    kind, image_id = read_number(lease_id)
    if kind not in HELD_STATES:
        raise NotFoundError("This page does not exist.")
    take_back(visit, person_id, LeaseKind(kind), image_id)
    return {}


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
            pick(cell, "first_id", "second_id", "images", "both", "mean_overlap")
            | {"first": names[cell.first_id], "second": names[cell.second_id]}
            for cell in cells
            if cell.both.count
        ],
    }


Rows = list[Json]

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def _choose(
    rows: Iterable[Json], columns: str, of: Callable[[Json], Json] = lambda _row: {}
) -> Rows:
    """The named columns of each row, and those that `of` makes of it."""
    return [{key: one[key] for key in columns.split()} | of(one) for one in rows]


def _value(interval: Interval | None) -> float | None:
    return interval.value if interval else None


def _list_images(board: Json) -> Rows:
    states = [
        {"state": state, "reason": "", "images": count} for state, count in board["images"].items()
    ]
    discarded = {"state": "discarded"}
    return states + [discarded | row for row in _choose(board["discarded"], "reason images")]


TABLES: dict[str, Callable[[Json], Rows]] = {
    "images": _list_images,
    "classes": lambda board: _choose(
        board["classes"], "name images objects target", lambda one: one["forecast"]
    ),
    "people": lambda board: _choose(
        board["people"],
        "name role images checked active_secs per_hour seen_at",
        lambda one: {"corrected": _value(one["corrected"])},
    ),
    "hours": lambda board: board["hours"],
    "progress": lambda board: [vars(one) for one in board["progress"]["bins"]],
    "seconds": lambda board: _choose(
        board["class_secs"], "class objects quarter_secs median_secs three_quarter_secs"
    ),
    "agreement": lambda agreement: _choose(
        agreement["cells"],
        "first_id first second_id second images both mean_overlap",
        lambda one: {"both": _value(one["both"])},
    ),
}


def format_csv(rows: Rows) -> str:
    """The rows as CSV with a line of heads; empty where there are none."""
    text = StringIO()
    if rows:
        writer = csv.DictWriter(text, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _disarm(value) for key, value in row.items()} for row in rows)
    return text.getvalue()


def _disarm(value: Any) -> Any:
    """A name that a spreadsheet would take for a formula, as text; a moment as JSON has it."""
    if isinstance(value, datetime):
        return format_moment(value)
    is_formula = isinstance(value, str) and value.startswith(_FORMULA_STARTS)
    return f"'{value}" if is_formula else value
