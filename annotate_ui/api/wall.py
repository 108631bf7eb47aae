"""The wall of the latest annotations, and remarks to those who drew them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from flask import request
from pydantic import Field
from sqlalchemy import select
from sqlalchemy.orm import joinedload, selectinload

from annotate_ui.organise.image_actions import RETURNABLE, return_to_author
from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit
from annotate_ui.work.blind import select_hidden
from annotate_ui.work.remarks import format_remark, select_remarks, write_remark
from catalog.states import ImageState
from catalog.tables import Annotation, Image, Remark
from present.refusals import NotFoundError
from qa.counts import load_wall

from .answers import format_drawn, pick
from .schemas import Comment, ObjectKey, Reply, Routes, like, parse_number, shape
from .told import Drawn, PersonName, RemarkTold

blueprint = Routes("wall", __name__)

PAGE = 24
MAX_SHOWN = 20
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
    session = visit.session
    hidden = frozenset(session.scalars(select_hidden(visit)))
    wall = load_wall(session, limit=PAGE, before_id=before_id)
    ids = [item.annotation_id for item in wall if item.image_id not in hidden]
    shown = (
        select(Annotation, Image)
        .join(Image, Image.id == Annotation.image_id)
        .where(Annotation.id.in_(ids))
        .order_by(Annotation.id.desc())
        .options(joinedload(Annotation.person), selectinload(Annotation.objects))
    )
    reasons = visit.party.preset.reason_displays
    about = (Remark.annotation_id.in_(ids), Remark.set_aside_at.is_(None))
    remarks = session.scalars(select(Remark).where(*about).order_by(Remark.id)).all()
    items = [
        {
            **pick(it, "image_id", "saved_at", annotation_id="id"),
            **format_drawn(image, it),
            "author": it.person,
            "discarded": reasons.get(it.discard_reason or "", it.discard_reason),
            "state": image.state,
            "may_return": image.annotation_id == it.id and image.state in RETURNABLE,
            "remarks": [
                {"text": remark.text, "is_seen": remark.seen_at is not None}
                for remark in remarks
                if remark.annotation_id == it.id
            ],
        }
        for it, image in session.execute(shown).tuples()
    ]
    return {"at": visit.at, "items": items}


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
    unseen = select_remarks(visit.person.id).where(Remark.seen_at.is_(None))
    rows = visit.session.execute(unseen.order_by(Remark.id).limit(MAX_SHOWN))
    return {"remarks": [format_remark(*row) for row in rows.tuples()]}


@blueprint.on_post("/remarks/<int:remark_id>/seen", *EVERYBODY)
def post_seen(visit: Visit, remark_id: int) -> Reply:
    """Nothing; the remark does not come again."""
    remark = visit.session.get(Remark, remark_id)
    if remark is None or remark.to_person_id != visit.person.id:
        raise NotFoundError(f"You have no comment {remark_id}.")
    remark.seen_at = remark.seen_at or visit.at
    return {}
