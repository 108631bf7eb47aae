"""Images, objects and revisions as answers hold them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from catalog.annotated import GROUP_OF
from catalog.states import Suggested
from catalog.tables import Annotation, Image, Object
from work.bodies import Xyxy
from work.suggestions import list_rejected
from work.visit import Visit

from .addresses import image_url
from .schemas import Answer, ClassId


class Picture(Answer):
    """Where an image is found, and its size."""

    image_url: str
    width: int
    height: int


class BoxedObject(Answer):
    """An object as pictures with boxes show it; made of a row or of these fields."""

    key: str
    class_id: ClassId
    box: Xyxy

    @model_validator(mode="before")
    @classmethod
    def _read_row(cls, row: Any) -> Any:
        return describe_boxed(row) if isinstance(row, Object) else row


class Drawn(Picture):
    """An image with the objects of one revision."""

    objects: list[BoxedObject]


class PartAnswer(Answer):
    """A part of an object; `part` is the id of what it is."""

    part: str
    box: Xyxy


class DrawnObject(Answer):
    """An object of a revision; organisers judge whether it is difficult.

    Class, view, actions and parts are ids of words, some of which count as another one today
    (`moved` of the party). `suggestion_id` is the suggestion that it was made of, `suggested` how.
    Made of a row or of these fields.
    """

    key: str
    class_id: ClassId
    box: Xyxy
    view: str
    truncated: bool
    occluded: bool
    unsure: bool = False
    actions: tuple[str, ...] = ()
    point: tuple[int, int] | None = None
    parts: tuple[PartAnswer, ...] = ()
    drawn_secs: float = 0.0
    difficult: bool
    group_of: bool = False
    suggestion_id: int | None = None
    suggested: Suggested | None = None

    @model_validator(mode="before")
    @classmethod
    def _read_row(cls, row: Any) -> Any:
        return describe_object(row) if isinstance(row, Object) else row


class Revision(Answer):
    """One saved revision; boxes are VOC's, with both ends inside.

    `rejected` are suggestions that its author rejected, told to who annotates. Made of a row or of
    these fields.
    """

    id: int
    parent_id: int | None
    saved_at: datetime
    discard_reason: str | None
    unsure_classes: list[str]
    finished: bool
    comment: str
    objects: list[DrawnObject]
    rejected: list[int] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _read_row(cls, row: Any) -> Any:
        return describe_revision(row) if isinstance(row, Annotation) else row


class Change(Answer):
    """An object that differs; it `moved` where only box, point or parts do.

    Made of a value of these fields.
    """

    model_config = ConfigDict(from_attributes=True)

    key: str
    kind: Literal["added", "removed", "moved", "changed"]
    fields: list[str]
    before: DrawnObject | None
    after: DrawnObject | None


def make_drawn(image: Image, revision: Annotation | None) -> Drawn:
    """An image with the objects that a revision of it has."""
    return Drawn(
        image_url=image_url(image.sha256),
        width=image.width,
        height=image.height,
        objects=list_boxed(revision),
    )


def add_rejected(visit: Visit, revision: Revision) -> None:
    """Add to a revision the suggestions that its author rejected, for who goes on with it."""
    if rejected := list_rejected(visit.session, revision.id):
        revision.rejected = rejected


def list_boxed(revision: Annotation | None) -> list[BoxedObject]:
    """The objects of a revision with their boxes; none without a revision."""
    objects = revision.objects if revision else ()
    return [BoxedObject.model_validate(item) for item in objects]


def describe_boxed(item: Object) -> dict[str, Any]:
    """The key, the id of the class as it counts today, and the box of an object."""
    return {"key": item.object_key, "class": item.class_today, "box": list(item.box.xyxy)}


def describe_object(item: Object) -> dict[str, Any]:
    """All that was drawn and said of an object."""
    suggestion = {"suggestion_id": item.suggestion_id, "suggested": item.suggested}
    return {
        **describe_boxed(item),
        **(suggestion if item.suggestion_id is not None else {}),
        **({GROUP_OF: True} if item.group_of else {}),
        "view": item.view,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "difficult": item.difficult,
        "unsure": item.unsure,
        "drawn_secs": item.drawn_secs,
        "actions": list(item.actions),
        "point": None if item.point_x is None else [item.point_x, item.point_y],
        "parts": [{"part": part.word, "box": list(part.box.xyxy)} for part in item.parts],
    }


def describe_revision(annotation: Annotation) -> dict[str, Any]:
    """A revision with its objects."""
    return {
        "id": annotation.id,
        "parent_id": annotation.parent_id,
        "saved_at": annotation.saved_at,
        "discard_reason": annotation.discard_reason,
        "unsure_classes": annotation.unsure_classes,
        "finished": annotation.is_finished,
        "comment": annotation.comment or "",
        "objects": [describe_object(item) for item in annotation.objects],
    }
