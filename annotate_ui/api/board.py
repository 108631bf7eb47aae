"""The organiser's board: counts, tables, shares, leases to take back."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated

from flask import Blueprint, make_response, request
from flask.typing import ResponseReturnValue
from pydantic import Field

from annotate_ui.errors import NotFoundError
from annotate_ui.organise.board import find_zone, format_interval, load_board
from annotate_ui.organise.board_tables import TABLES, format_csv
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
