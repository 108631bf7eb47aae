"""The wall of the latest annotations, and remarks to those who drew them."""

from __future__ import annotations

from typing import Annotated

from flask import request
from pydantic import Field

from annotate_ui.organise.board import Shown, show_wall
from annotate_ui.organise.image_actions import return_to_author
from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit
from annotate_ui.work.blind import list_hidden
from annotate_ui.work.remarks import acknowledge, list_unseen, write_remark

from .answers import Json, format_drawn, format_person, pick
from .schemas import Body, Comment, ObjectKey, Reply, Routes, parse_number

blueprint = Routes("wall", __name__)

PAGE = 24
Text = Annotated[Comment, Field(min_length=1)]


class RemarkBody(Body):
    """POST /annotations/ID/remarks."""

    text: Text
    object_key: ObjectKey | None = None


class ReturnBody(Body):
    """POST /annotations/ID/return."""

    comment: Text


@blueprint.on_get("/wall")
def show(visit: Visit) -> Reply:
    """The latest finished revisions."""
    items = show_wall(visit.session, limit=PAGE, before_id=parse_number(request.args, "before"))
    hidden = list_hidden(visit)
    shown = [_format(one) for one in items if one.image.id not in hidden]
    return {"at": visit.at, "items": shown}


@blueprint.on_post("/annotations/<int:annotation_id>/remarks")
def post_remark(visit: Visit, annotation_id: int, body: RemarkBody) -> Reply:
    """The remark, on its way to the author."""
    return {"id": write_remark(visit, annotation_id, body.text, body.object_key).id}, 201


@blueprint.on_post("/annotations/<int:annotation_id>/return")
def post_return(visit: Visit, annotation_id: int, body: ReturnBody) -> Reply:
    """The image's state: it is back with its author."""
    return {"state": return_to_author(visit, annotation_id, body.comment).state}


@blueprint.on_get("/remarks", *EVERYBODY)
def show_remarks(visit: Visit) -> Reply:
    """The remarks to oneself that are not acknowledged yet."""
    return {"remarks": list_unseen(visit.session, visit.person.id)}


@blueprint.on_post("/remarks/<int:remark_id>/seen", *EVERYBODY)
def post_seen(visit: Visit, remark_id: int) -> Reply:
    """Nothing; the remark does not come again."""
    acknowledge(visit, remark_id)
    return {}


def _format(shown: Shown) -> Json:
    annotation = shown.annotation
    return {
        "annotation_id": annotation.id,
        **pick(annotation, "image_id", "saved_at"),
        **format_drawn(shown.image, annotation),
        "author": format_person(annotation.person),
        "is_discarded": annotation.discard_reason is not None,
        "state": shown.image.state,
        "may_return": shown.may_return,
        "remarks": [
            {"text": remark.text, "is_seen": remark.seen_at is not None} for remark in shown.remarks
        ],
    }
