"""The organiser's board: counts, tables, shares, leases to take back."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from datetime import tzinfo
from io import StringIO
from typing import Annotated, Any

from flask import Blueprint, make_response, request
from flask.typing import ResponseReturnValue
from pydantic import Field

from annotate_ui.errors import NotFoundError
from annotate_ui.organise.board import find_zone, format_interval, load_board
from annotate_ui.organise.live_settings import SettingStaleError, load_shares, save_shares
from annotate_ui.organise.people import display_name, list_people
from annotate_ui.roles import allowed
from annotate_ui.security import unseal
from annotate_ui.visit import Visit
from annotate_ui.work.blind import FIRST_LEASE_ID, take_blind_back
from annotate_ui.work.leases import take_back
from catalog.states import Role
from qa.agreement_matrix import load_agreement_matrix, summarise_people
from qa.switches import apply_live_settings

from .answers import Json, format_moment, format_stale_setting
from .schemas import MAX_ID, Body, EmptyBody, parse_body

blueprint = Blueprint("board", __name__, url_prefix="/board")

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class SharesBody(Body):
    """PUT /board/shares."""

    base: Annotated[int, Field(ge=0, le=MAX_ID)]
    double_share: Share
    gold_share: Share
    training_images: Annotated[int, Field(ge=0, le=100)]


@blueprint.get("")
@allowed(Role.ORGANISER)
def show_board(visit: Visit) -> ResponseReturnValue:
    """Where the party stands."""
    return load_board(visit, _get_zone())


@blueprint.get("/agreement")
@allowed(Role.ORGANISER)
def show_agreement(visit: Visit) -> ResponseReturnValue:
    """Who agrees with whom."""
    return _load_agreement(visit)


@blueprint.get("/<name>.csv")
@allowed(Role.ORGANISER)
def send_table(visit: Visit, name: str) -> ResponseReturnValue:
    """One plot's numbers."""
    if name == "agreement":
        rows = [one | {"both": one["both"]["value"]} for one in _load_agreement(visit)["cells"]]
    elif name in TABLES:
        rows = list(TABLES[name](load_board(visit, _get_zone())))
    else:
        raise NotFoundError(f"There is no such table; there are {', '.join(TABLES)}, agreement.")
    response = make_response(format_csv(rows))
    response.content_type = "text/csv; charset=utf-8"
    moment = format_moment(visit.at).replace(":", "")
    response.headers["Content-Disposition"] = f'attachment; filename="{name}-{moment}.csv"'
    return response


@blueprint.put("/shares")
@allowed(Role.ORGANISER)
def put_shares(visit: Visit) -> ResponseReturnValue:
    """The shares that hold from now on."""
    body = parse_body(SharesBody, request.get_data())
    try:
        return save_shares(visit, body.model_dump(exclude={"base"}), base=body.base)
    except SettingStaleError as error:
        return format_stale_setting(error, load_shares(visit))


@blueprint.post(f"/leases/<int(max={MAX_ID}):lease_id>/take-back")
@allowed(Role.ORGANISER)
def take_lease_back(visit: Visit, lease_id: int) -> ResponseReturnValue:
    """Nothing; the image is where it came from."""
    parse_body(EmptyBody, request.get_data())
    number = unseal(lease_id)
    if number >= FIRST_LEASE_ID:
        take_blind_back(visit, number)
    else:
        take_back(visit, number)
    return {}


def _get_zone() -> tzinfo:
    return find_zone(request.args.get("zone", "UTC"))


def _load_agreement(visit: Visit) -> Json:
    names = {person.id: display_name(person) for person in list_people(visit.session)}
    settings = apply_live_settings(visit.session, visit.party.settings)
    cells = load_agreement_matrix(visit.session, settings.qa)
    return {
        "people": [
            {"id": person_id, "name": names[person_id], "both": format_interval(interval)}
            for person_id, interval in summarise_people(cells).items()
        ],
        "cells": [
            {
                "first_id": cell.first_id,
                "first": names[cell.first_id],
                "second_id": cell.second_id,
                "second": names[cell.second_id],
                "images": cell.images,
                "both": format_interval(cell.both),
                "mean_overlap": cell.mean_overlap,
            }
            for cell in cells
            if cell.both.count
        ],
    }


Rows = Sequence[Json]

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def _list_classes(board: Json) -> Rows:
    keys = ("name", "images", "objects", "target")
    return [{key: one[key] for key in keys} | one["forecast"] for one in board["classes"]]


def _list_people(board: Json) -> Rows:
    keys = ("name", "role", "images", "checked", "active_secs", "per_hour", "seen_at")
    return [
        {key: one[key] for key in keys} | {"corrected": (one["corrected"] or {}).get("value")}
        for one in board["people"]
    ]


def _list_seconds(board: Json) -> Rows:
    keys = ("class", "objects", "quarter_secs", "median_secs", "three_quarter_secs")
    return [{key: one[key] for key in keys} for one in board["class_secs"]]


def _list_images(board: Json) -> Rows:
    states = [
        {"state": state, "reason": "", "images": count} for state, count in board["images"].items()
    ]
    reasons = [
        {"state": "discarded", "reason": one["reason"], "images": one["images"]}
        for one in board["discarded"]
    ]
    return [*states, *reasons]


TABLES: dict[str, Callable[[Json], Rows]] = {
    "images": _list_images,
    "classes": _list_classes,
    "people": _list_people,
    "hours": lambda board: board["hours"],
    "progress": lambda board: board["progress"]["bins"],
    "seconds": _list_seconds,
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
    """A name that a spreadsheet would take for a formula, as text."""
    is_formula = isinstance(value, str) and value.startswith(_FORMULA_STARTS)
    return f"'{value}" if is_formula else value
