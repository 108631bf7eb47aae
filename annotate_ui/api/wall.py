"""The wall of the latest annotations, and remarks to those who drew them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from flask import request
from pydantic import Field

from catalog.states import ImageState
from catalog.tables import Annotation
from web.guard import EVERYBODY
from work.board import load_wall_entries
from work.bodies import Comment, ObjectKey
from work.image_actions import return_to_author
from work.remarks import acknowledge, list_unseen, write_remark
from work.visit import Visit

from .format_board import format_wall
from .format_history import format_remark
from .schemas import Reply, Routes, like, parse_number, shape
from .told import Drawn, PersonName, RemarkTold

blueprint = Routes("wall", __name__)

PAGE = 24
Text = Annotated[Comment, Field(min_length=1)]


WallItem = shape(
    "WallItem: a finished revision.",
    Drawn,
    annotation_id=int,
    **like(Annotation, "image_id saved_at"),
    author=PersonName,
    discarded=str | None,
    state=ImageState,
    may_return=bool,
    remarks=[shape("Said: a remark on a revision.", text=str, is_seen=bool)],
)


@blueprint.on_get("/wall", told={"at": datetime, "items": [WallItem]})
def show(visit: Visit) -> Reply:
    """The latest 24 finished revisions, the newest first; `?before=ID` goes on."""
    before_id = parse_number(request.args, "before")
    entries = load_wall_entries(visit, limit=PAGE, before_id=before_id)
    return {"at": visit.at, "items": format_wall(visit, entries)}


@blueprint.on_post("/annotations/<int:annotation_id>/remarks", told={"id": int})
def post_remark(
    visit: Visit, annotation_id: int, *, text: Text, object_key: ObjectKey | None = None
) -> Reply:
    """The remark, on its way to the author."""
    return {"id": write_remark(visit, annotation_id, text, object_key).id}, 201


@blueprint.on_post("/annotations/<int:annotation_id>/return", told={"state": ImageState})
def post_return(visit: Visit, annotation_id: int, *, comment: Text) -> Reply:
    """The image's state: it is back with its author, as a checker would return it."""
    return {"state": return_to_author(visit, annotation_id, comment).state}


@blueprint.on_get("/remarks", *EVERYBODY, told={"remarks": [RemarkTold]})
def show_remarks(visit: Visit) -> Reply:
    """The remarks to oneself that are not acknowledged yet."""
    unseen = list_unseen(visit.session, visit.person.id)
    return {"remarks": [format_remark(*row) for row in unseen]}


@blueprint.on_post("/remarks/<int:remark_id>/seen", *EVERYBODY)
def post_seen(visit: Visit, remark_id: int) -> Reply:
    """Nothing; the remark does not come again."""
    acknowledge(visit, remark_id)
    return {}
