"""The wall of the latest annotations, and remarks to those who drew them."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint, request
from flask.typing import ResponseReturnValue
from pydantic import Field

from annotate_ui.organise.people import display_name
from annotate_ui.organise.wall import Shown, return_from_wall, show_wall
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.visit import Visit
from annotate_ui.work.blind import list_hidden
from annotate_ui.work.remarks import acknowledge, list_unseen, write_remark
from catalog.states import Role

from .answers import Json, format_boxed, format_moment, format_picture, image_url
from .schemas import (
    MAX_ID,
    Body,
    Comment,
    EmptyBody,
    ObjectKey,
    parse_body,
    parse_number,
)

blueprint = Blueprint("wall", __name__)

PAGE = 24
Text = Annotated[Comment, Field(min_length=1)]


class RemarkBody(Body):
    """POST /annotations/ID/remarks."""

    text: Text
    object_key: ObjectKey | None = None


class ReturnBody(Body):
    """POST /annotations/ID/return."""

    comment: Text


@blueprint.get("/wall")
@allowed(Role.ORGANISER)
def show(visit: Visit) -> ResponseReturnValue:
    """The latest finished revisions."""
    items = show_wall(visit.session, limit=PAGE, before_id=parse_number(request.args, "before"))
    hidden = list_hidden(visit)
    shown = [_format(one) for one in items if one.image.id not in hidden]
    return {"at": format_moment(visit.at), "items": shown}


@blueprint.post(f"/annotations/<int(max={MAX_ID}):annotation_id>/remarks")
@allowed(Role.ORGANISER)
def post_remark(visit: Visit, annotation_id: int) -> ResponseReturnValue:
    """The remark, on its way to the author."""
    body = parse_body(RemarkBody, request.get_data())
    return {"id": write_remark(visit, annotation_id, body.text, body.object_key).id}, 201


@blueprint.post(f"/annotations/<int(max={MAX_ID}):annotation_id>/return")
@allowed(Role.ORGANISER)
def post_return(visit: Visit, annotation_id: int) -> ResponseReturnValue:
    """The image's state: it is back with its author."""
    body = parse_body(ReturnBody, request.get_data())
    return {"state": return_from_wall(visit, annotation_id, body.comment).state}


@blueprint.get("/remarks")
@allowed(*EVERYBODY)
def show_remarks(visit: Visit) -> ResponseReturnValue:
    """The remarks to oneself that are not acknowledged yet."""
    return {
        "remarks": [
            {
                "id": remark.id,
                "text": remark.text,
                "from": display_name(writer),
                "written_at": format_moment(remark.written_at),
                "image_id": image.id,
                "image_url": image_url(image.sha256),
                "object_key": remark.object_key,
            }
            for remark, image, writer in list_unseen(visit.session, visit.person.id)
        ]
    }


@blueprint.post(f"/remarks/<int(max={MAX_ID}):remark_id>/seen")
@allowed(*EVERYBODY)
def post_seen(visit: Visit, remark_id: int) -> ResponseReturnValue:
    """Nothing; the remark does not come again."""
    parse_body(EmptyBody, request.get_data())
    acknowledge(visit, remark_id)
    return {}


def _format(shown: Shown) -> Json:
    item = shown.item
    return {
        "annotation_id": item.annotation_id,
        "image_id": item.image_id,
        **format_picture(shown.image),
        "author": {"id": shown.author.id, "name": display_name(shown.author)},
        "saved_at": format_moment(item.saved_at),
        "is_discarded": item.is_discarded,
        "state": item.state,
        "may_return": shown.may_return,
        "objects": [format_boxed(one) for one in shown.objects],
        "remarks": [
            {"text": remark.text, "is_seen": remark.seen_at is not None} for remark in shown.remarks
        ],
    }
