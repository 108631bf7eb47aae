"""The wall of the latest annotations, and remarks to those who drew them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from flask import request
from pydantic import AliasChoices, Field

from annotate_ui.guard import EVERYBODY
from catalog.states import ImageState
from catalog.tables import Image, Person, Remark
from work.board import WallEntry, load_wall_entries
from work.bodies import Body, Comment, ObjectKey
from work.image_actions import return_to_author
from work.leases import lock_work
from work.remarks import acknowledge, get_finished, list_unseen, write_remark
from work.revision_rows import get_image
from work.shown import version_of_image
from work.visit import Visit

from .addresses import image_url
from .answers import answer_each
from .drawn import Drawn, list_boxed
from .names import PersonName, Term, show_name
from .schemas import Answer, NoAnswer, Now, Reply, Routes, Shown, VersionBody, parse_number

blueprint = Routes("wall", __name__)

PAGE = 24
Text = Annotated[Comment, Field(min_length=1)]


class RemarkBody(Body):
    """A remark on a revision, or on one object of it."""

    text: Text
    object_key: ObjectKey | None = None


class ReturnBody(VersionBody):
    """Why an image goes back to its author."""

    comment: Text


class WallRemark(Answer):
    """A remark on a revision."""

    text: str
    is_seen: bool


class WallItem(Drawn):
    """A finished revision."""

    annotation_id: int
    image_id: int
    saved_at: datetime
    author: PersonName
    discarded: Term | None
    state: ImageState
    version: str
    may_return: bool
    remarks: list[WallRemark]


class Wall(Answer):
    """The latest finished revisions, the newest first."""

    at: datetime
    items: list[WallItem]


class NewRemark(Answer):
    """A remark that was written."""

    id: int


class ReturnedImage(Answer):
    """The state of an image that went back to its author."""

    state: ImageState


class RemarkAnswer(Answer):
    """A remark to the visitor about an image."""

    id: int
    image_id: int
    object_key: str | None
    text: str
    written_at: datetime
    seen_at: datetime | None
    from_name: Annotated[
        str, Field(validation_alias=AliasChoices("from_name", "from"), serialization_alias="from")
    ]
    image_url: str


class Remarks(Answer):
    """The remarks to the visitor that wait."""

    remarks: list[RemarkAnswer]


@blueprint.on_get("/wall", answers=Wall)
def show(visit: Visit) -> Reply:
    """The latest 24 finished revisions, the newest first; `?before=ID` goes on."""
    before_id = parse_number(request.args, "before")
    entries = load_wall_entries(visit, limit=PAGE, before_id=before_id)
    items = answer_each(
        visit, entries, lambda entry: _make_item(visit, entry), lambda entry: entry.image.id
    )
    visit.shown.update(entry.image.id for entry in entries)
    return Wall(at=visit.at, items=items)


@blueprint.on_post(
    "/annotations/<int:annotation_id>/remarks", shows=Shown("annotation_id"), answers=NewRemark
)
def post_remark(visit: Visit, annotation_id: int, body: RemarkBody) -> Reply:
    """The remark, on its way to the author."""
    remark = write_remark(visit, annotation_id, body.text, body.object_key)
    return NewRemark(id=remark.id), 201


def _load_now(visit: Visit, annotation_id: int) -> Now:
    """The image of the revision as it is now, which no one else changes; raises NotFoundError."""
    image_id = get_finished(visit.session, annotation_id).image_id
    lock_work(visit, [image_id])
    image = get_image(visit.session, image_id)
    visit.session.refresh(image)
    return Now(version_of_image(image), ReturnedImage(state=image.state))


@blueprint.on_post(
    "/annotations/<int:annotation_id>/return",
    shows=Shown("version", _load_now),
    answers=ReturnedImage,
)
def post_return(visit: Visit, annotation_id: int, body: ReturnBody) -> Reply:
    """The image's state: it is back with its author, as a checker would return it."""
    return ReturnedImage(state=return_to_author(visit, annotation_id, body.comment).state)


@blueprint.on_get("/remarks", *EVERYBODY, answers=Remarks)
def show_remarks(visit: Visit) -> Reply:
    """The remarks to oneself that are not acknowledged yet."""
    unseen = list_unseen(visit.session, visit.person.id)
    return Remarks(remarks=[make_remark(*row) for row in unseen])


@blueprint.on_post("/remarks/<int:remark_id>/seen", *EVERYBODY)
def post_seen(visit: Visit, remark_id: int) -> Reply:
    """Nothing; the remark does not come again."""
    acknowledge(visit, remark_id)
    return NoAnswer()


def make_remark(remark: Remark, image: Image, writer: Person) -> RemarkAnswer:
    """A remark as its reader sees it."""
    return RemarkAnswer(
        id=remark.id,
        image_id=remark.image_id,
        object_key=remark.object_key,
        text=remark.text,
        written_at=remark.written_at,
        seen_at=remark.seen_at,
        from_name=show_name(writer),
        image_url=image_url(image.sha256),
    )


def _make_item(visit: Visit, entry: WallEntry) -> WallItem:
    drawn = entry.annotation
    image = entry.image
    reasons = visit.party.preset.reason_displays
    return WallItem(
        image_url=image_url(image.sha256),
        width=image.width,
        height=image.height,
        objects=list_boxed(drawn),
        annotation_id=drawn.id,
        image_id=drawn.image_id,
        saved_at=drawn.saved_at,
        author=PersonName.model_validate(drawn.person),
        discarded=reasons.get(drawn.discard_reason or "", drawn.discard_reason),
        state=image.state,
        version=version_of_image(image),
        may_return=entry.may_return,
        remarks=[
            WallRemark(text=remark.text, is_seen=remark.seen_at is not None)
            for remark in entry.remarks
        ],
    )
