"""The guidelines: read by everybody, written by organisers, every version kept."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.errors import NotFoundError
from annotate_ui.organise.guidelines import (
    Guidelines,
    find_guidelines,
    list_guidelines,
    load_guidelines,
    render_guidelines,
    save_guidelines,
)
from annotate_ui.organise.live_settings import SettingStaleError
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.visit import Visit
from catalog.states import Role

from .answers import Json, format_moment, format_person, format_stale_setting
from .schemas import MAX_ID, GuidelinesBody, PreviewBody, parse_body

blueprint = Blueprint("guidelines", __name__, url_prefix="/guidelines")


@blueprint.get("")
@allowed(*EVERYBODY)
def show_guidelines(visit: Visit) -> ResponseReturnValue:
    """The version that holds."""
    return _format(load_guidelines(visit.session, visit.party))


@blueprint.put("")
@allowed(Role.ORGANISER)
def put_guidelines(visit: Visit) -> ResponseReturnValue:
    """The new version; of two that started from the same one, the second gets a conflict."""
    body = parse_body(GuidelinesBody, request.get_data())
    try:
        return _format(save_guidelines(visit, body.markdown, base=body.base))
    except SettingStaleError as error:
        head = _format(load_guidelines(visit.session, visit.party))
        return format_stale_setting(error, head)


@blueprint.post("/preview")
@allowed(Role.ORGANISER)
def preview_guidelines(visit: Visit) -> ResponseReturnValue:
    """How a text would look; nothing is saved."""
    body = parse_body(PreviewBody, request.get_data())
    return {"html": render_guidelines(body.markdown)}


@blueprint.get("/versions")
@allowed(Role.ORGANISER)
def show_versions(visit: Visit) -> ResponseReturnValue:
    """Who saved which version and when, newest first."""
    return {
        "versions": [
            {
                "number": version.number,
                "set_at": format_moment(version.set_at),
                "person": format_person(version.person),
            }
            for version in list_guidelines(visit.session)
        ]
    }


@blueprint.get(f"/versions/<int(max={MAX_ID}):number>")
@allowed(Role.ORGANISER)
def show_version(visit: Visit, number: int) -> ResponseReturnValue:
    """One version; 0 is what the party came with."""
    found = find_guidelines(visit.session, visit.party, number)
    if found is None:
        raise NotFoundError(f"There is no version {number} of the guidelines.")
    return _format(found)


def _format(guidelines: Guidelines) -> Json:
    return {
        "number": guidelines.number,
        "markdown": guidelines.markdown,
        "html": guidelines.html,
    }
