"""Revisions as rows: loading them, and adding one that follows another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import bindparam, insert, select
from sqlalchemy.orm import Session, joinedload, selectinload

from catalog.decisions import decide
from catalog.refusals import NotFoundError, refuse
from catalog.sentences import say
from catalog.states import Beside, DecisionKind, ImageState
from catalog.tables import Annotation, Image, Object, Part
from catalog.transitions import move_head
from qa.difficulty import load_difficult_keys
from work.bodies import ObjectBody, Xyxy
from work.visit import Visit

from .suggestions import Handled, judge_suggestions, list_rejected, store_rejections

_OBJECTS = TypeAdapter(tuple[ObjectBody, ...])

# Statements of every save are made once: making one takes longer than SQLite takes to run it.
_OF_NUMBER = (
    select(Image).where(Image.id == bindparam("image_id")).options(joinedload(Image.annotation))
)
_WHOLE = (
    select(Annotation)
    .where(Annotation.id == bindparam("annotation_id"))
    .options(selectinload(Annotation.objects).selectinload(Object.parts))
    .execution_options(populate_existing=True)
)
_OF_SUGGESTION = ("suggestion_id", "suggested")
_ALL_ALIKE = {"render_nulls": True}
"""Else objects with a point and those without are stored by different statements."""


def get_image(session: Session, image_id: int) -> Image:
    """The image with its newest revision; raises NotFoundError where there is none."""
    image = session.scalar(_OF_NUMBER, {"image_id": image_id})
    if image is None:
        raise NotFoundError(say("Image {image_id} does not exist.", image_id=image_id))
    return image


def load_revision(session: Session, annotation_id: int | None) -> Annotation | None:
    """A revision with its objects and their parts, in few queries however many there are."""
    return session.scalar(_WHOLE, {"annotation_id": annotation_id})


def load_head(session: Session, image: Image) -> Annotation | None:
    """The image's newest revision, whole, or None where there is none yet."""
    return load_revision(session, image.annotation_id)


def find_parent(
    session: Session, image: Image, parent_id: int | None, field: str = "parent_id"
) -> Annotation | None:
    """The revision that a save started from; raises InvalidError where it is another image's.

    None also where it is gone: an older draft, or lost by a restore. Then the work started from
    something else than the newest revision, if there is any.
    """
    parent = session.get(Annotation, parent_id) if parent_id is not None else None
    if parent is not None and parent.image_id != image.id:
        refuse(field, say("the image has no revision {parent_id}", parent_id=parent.id))
    return parent


def read_kept(visit: Visit, revision: Annotation | None) -> Mapping[str, ObjectBody]:
    """The objects of the revision that work started from, by key: they may stay as they are."""
    whole = load_revision(visit.session, revision.id) if revision is not None else None
    return {item.key: item for item in read_objects(whole)} if whole is not None else {}


def read_objects(annotation: Annotation) -> tuple[ObjectBody, ...]:
    """The objects of a revision as a save sends them, without what organisers say of them."""
    stored = tuple(_read_object(item) for item in annotation.objects)
    return _OBJECTS.validate_python(stored, strict=False)


def _read_object(item: Object) -> dict[str, Any]:
    """An object as a save sends it."""
    is_pointed = item.point_x is not None
    return {
        "key": item.object_key,
        "class": item.class_id,
        "box": item.box.xyxy,
        "view": item.view,
        "truncated": item.truncated,
        "occluded": item.occluded,
        "unsure": item.unsure,
        "group_of": item.group_of,
        "actions": tuple(item.actions),
        "point": (item.point_x, item.point_y) if is_pointed else None,
        "parts": tuple({"part": part.word, "box": part.box.xyxy} for part in item.parts),
        "drawn_secs": item.drawn_secs,
        "suggestion_id": item.suggestion_id,
    }


def add_revision(
    visit: Visit,
    image: Image,
    parent: Annotation | None,
    objects: Sequence[ObjectBody],
    step: tuple[ImageState, ImageState | None] | None,
    *,
    rejected: Sequence[int] | None = None,
    **values: Any,
) -> Annotation:
    """The visitor's new revision; objects that are difficult stay so.

    Without `rejected`, the suggestions that the parent rejects stay so.
    With a `step` it is the image's newest, which goes from the one state to the other, if any. It
    is stale without one, or where the parent is the newest no more or the image left that state.
    Raises IntegrityError where there is a save of its save_key already, and InvalidError where an
    object or the `rejected` name a suggestion of another image.
    """
    parent_id = parent.id if parent else None
    if rejected is None:
        rejected = list_rejected(visit.session, parent_id)
    handled = judge_suggestions(visit, image.id, parent_id, objects, rejected)
    difficult = set[str]()
    if step is not None:  # else it displaces nothing: blind work has other objects
        difficult = load_difficult_keys(visit.session, image.id)
    annotation = Annotation(
        image_id=image.id,
        person_id=visit.person.id,
        parent_id=parent_id,
        saved_at=visit.at,
        beside=Beside.CONFLICT if step is None else None,
        **values,
    )
    visit.session.add(annotation)
    visit.session.flush()
    _store_objects(visit.session, annotation, objects, difficult, handled)
    store_rejections(visit.session, annotation.id, handled.rejected)
    if step is not None:
        is_newest = move_head(
            visit.session,
            image.id,
            *step,
            parent_id=parent_id,
            head_id=annotation.id,
            at=visit.at,
            reason=annotation.discard_reason,
        )
        annotation.beside = None if is_newest else Beside.CONFLICT
        if is_newest and step[1] is not None:
            _note_drawn(visit, annotation)
    return annotation


def _store_objects(
    session: Session,
    annotation: Annotation,
    objects: Sequence[ObjectBody],
    difficult: set[str],
    handled: Handled,
) -> None:
    """Store the objects of a new revision, with one statement for each table.

    Row by row, a save of 1,000 objects would keep the others from saving for several times as long.
    """
    if not objects:
        return
    rows = [
        _list_columns(item)
        | {"annotation_id": annotation.id, "number": number}
        | {"difficult": item.group_of or item.key in difficult}
        | dict(zip(_OF_SUGGESTION, handled.objects.get(item.key, (None, None)), strict=True))
        for number, item in enumerate(objects, start=1)
    ]
    session.execute(insert(Object), rows, execution_options=_ALL_ALIKE)
    of_revision = Object.annotation_id == annotation.id
    object_ids = session.scalars(select(Object.id).where(of_revision).order_by(Object.number))
    parts = [
        {"object_id": object_id, "number": place, "word": part.part} | _name_sides(part.box)
        for object_id, item in zip(object_ids.all(), objects, strict=True)
        for place, part in enumerate(item.parts, start=1)
    ]
    if parts:
        session.execute(insert(Part), parts)


def _note_drawn(visit: Visit, annotation: Annotation) -> None:
    """Write that the image was finished, or discarded, by this revision."""
    is_discard = annotation.discard_reason is not None
    decide(
        visit.session,
        annotation.image_id,
        DecisionKind.DISCARDED if is_discard else DecisionKind.DRAWN,
        at=visit.at,
        person=visit.person,
        annotation_id=annotation.id,
        reason=annotation.discard_reason,
    )


def _list_columns(item: ObjectBody) -> dict[str, Any]:
    """The values that an object's row has from its author, without those of its parts."""
    kept = ("class_id", "view", "truncated", "occluded", "unsure", "group_of", "drawn_secs")
    point_x, point_y = item.point or (None, None)
    values = {name: getattr(item, name) for name in kept}
    values |= {"object_key": item.key, "actions": list(item.actions)}
    return values | _name_sides(item.box) | {"point_x": point_x, "point_y": point_y}


def _name_sides(xyxy: Xyxy) -> dict[str, int]:
    return dict(zip(("xmin", "ymin", "xmax", "ymax"), xyxy, strict=True))
