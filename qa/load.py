"""Revisions read from the catalogue as subjects of checks, in few queries however many they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, exists, func, select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject, AnnotatedPart, replace_words
from catalog.at_rest import rests_in
from catalog.box import Box
from catalog.session import in_parts
from catalog.states import BlindKind, ImageState, SuggestionKind
from catalog.tables import (
    Annotation,
    BlindTask,
    Image,
    Object,
    Part,
    Photo,
    Suggestion,
    SuggestionRejection,
    SuggestionSet,
)
from catalog.words import NamesOfKinds, load_moved

from .findings import CheckedImage, SuggestedObject
from .searched import load_searched

LOADED_STATES = (ImageState.ANNOTATED, ImageState.CHECKED, ImageState.RELEASED)
"""Finished work, also while a person has it open; what was returned is not finished."""

_PASSED = (ImageState.CHECKED, ImageState.RELEASED)
SURE = 0.8
"""From this confidence on a detector's suggestion may question a checked image."""
_HOUR_LENGTH = len("2026-01-31 12")

Objects = dict[int, tuple[AnnotatedObject, ...]]  # of each revision, in order
_OBJECT_COLUMNS = (
    Object.id,
    Object.annotation_id,
    Object.number,
    Object.object_key,
    Object.class_id,
    Object.class_name,
    Object.xmin,
    Object.ymin,
    Object.xmax,
    Object.ymax,
    Object.view,
    Object.truncated,
    Object.occluded,
    Object.difficult,
    Object.group_of,
    Object.actions,
    Object.point_x,
    Object.point_y,
)


@dataclass(frozen=True)
class _ObjectQueries:
    """The objects of some revisions, and the parts of these objects."""

    objects: Select[Any]
    parts: Select[Any]


@dataclass(frozen=True)
class _ImageQueries:
    """All that is read about checked images: one query for each kind of row."""

    heads: Select[Any]
    objects: _ObjectQueries
    origins: Select[Any]
    active_secs: Select[Any]
    drawn_blind: Select[Any]
    objects_drawn_blind: _ObjectQueries
    suggested: Select[Any]


def load_checked_images(
    session: Session, image_ids: Sequence[int] | None = None
) -> list[CheckedImage]:
    """Every annotated or checked image, or these few, with its newest revision, in order of ids."""
    queries = _make_queries(of_few=image_ids is not None)
    values = {} if image_ids is None else {"image_ids": image_ids}
    heads = session.execute(queries.heads, values).all()
    if not heads:
        return []
    origins = _load_origins(session, queries, values)
    active_secs = dict(session.execute(queries.active_secs, values).tuples().all())
    drawn_blind = _load_drawn_blind(session, queries, values)
    suggested = _load_suggested(session, queries, values)
    searched = load_searched(
        session, {row.id: row.annotation_id for row in heads if row.id in suggested}
    )
    objects = _load_objects(session, queries.objects, values)
    images = []
    for row in heads:
        owner, taken_hour = origins.get(row.id, (None, None))
        image = CheckedImage(
            image_id=row.id,
            width_px=row.width,
            height_px=row.height,
            objects=objects.get(row.annotation_id, ()),
            active_secs=active_secs.get(row.id),
            annotation_id=row.annotation_id,
            person_id=row.person_id,
            owner=owner,
            taken_hour=taken_hour,
            drawn_blind=drawn_blind.get(row.id, ()),
            suggested=tuple(suggested.get(row.id, ())),
            searched=searched.get(row.id, frozenset()),
        )
        images.append(image)
    return images


@cache
def _make_queries(*, of_few: bool) -> _ImageQueries:
    """The queries for all images, or for those of `image_ids`; made once, since each save asks."""
    conditions = [rests_in(LOADED_STATES), Annotation.discard_reason.is_(None)]
    if of_few:
        conditions.append(Image.id.in_(bindparam("image_ids", expanding=True)))
    heads = (
        select(
            Image.id,
            Image.width,
            Image.height,
            Annotation.id.label("annotation_id"),
            Annotation.person_id,
        )
        .join(Annotation, Annotation.id == Image.annotation_id)
        .where(*conditions)
    )
    chosen = heads.with_only_columns(Image.id)
    revisions = heads.with_only_columns(Annotation.id)
    drawn_blind = _select_drawn_blind(chosen)
    blind_revisions = drawn_blind.with_only_columns(Annotation.id).order_by(None)
    return _ImageQueries(
        heads=heads.order_by(Image.id),
        objects=_select_objects(Object.annotation_id.in_(revisions)),
        origins=_select_origins(chosen),
        active_secs=_select_active_secs(chosen),
        drawn_blind=drawn_blind,
        objects_drawn_blind=_select_objects(Object.annotation_id.in_(blind_revisions)),
        suggested=_select_suggested(heads),
    )


def make_checked_image(
    session: Session, image: Image, annotation: Annotation, *, active_secs: float | None = None
) -> CheckedImage:
    """One revision of an image, both as they are loaded."""
    moved = load_moved(session)
    objects = tuple(
        _make_object(item, (AnnotatedPart(part.word, part.box) for part in item.parts), moved)
        for item in annotation.objects
    )
    return CheckedImage(
        image_id=image.id,
        width_px=image.width,
        height_px=image.height,
        objects=objects,
        active_secs=active_secs,
        annotation_id=annotation.id,
        person_id=annotation.person_id,
    )


def load_objects(session: Session, condition: ColumnElement[bool]) -> Objects:
    """The objects of the revisions that fulfil a condition on Object, in order, by revision."""
    return _load_objects(session, _select_objects(condition), {})


def _select_objects(condition: ColumnElement[bool]) -> _ObjectQueries:
    parts = (
        select(Part.object_id, Part.word, Part.xmin, Part.ymin, Part.xmax, Part.ymax)
        .join(Object, Part.object_id == Object.id)
        .where(condition)
        .order_by(Part.object_id, Part.number)
    )
    objects = (
        select(*_OBJECT_COLUMNS).where(condition).order_by(Object.annotation_id, Object.number)
    )
    return _ObjectQueries(objects, parts)


def _load_objects(session: Session, queries: _ObjectQueries, values: Mapping[str, Any]) -> Objects:
    parts: dict[int, list[AnnotatedPart]] = defaultdict(list)
    for object_id, word, *xyxy in session.execute(queries.parts, values).tuples():
        parts[object_id].append(AnnotatedPart(word, Box(*xyxy)))
    moved = load_moved(session)
    objects: dict[int, list[AnnotatedObject]] = defaultdict(list)
    for row in session.execute(queries.objects, values):
        objects[row.annotation_id].append(_make_object(row, parts.get(row.id, ()), moved))
    return {annotation_id: tuple(items) for annotation_id, items in objects.items()}


def load_objects_of(session: Session, annotation_ids: Sequence[int]) -> Objects:
    """The objects of these revisions, however many."""
    objects: Objects = {}
    for some in in_parts(sorted(set(annotation_ids))):
        objects |= load_objects(session, Object.annotation_id.in_(some))
    return objects


def _make_object(row: Any, parts: Iterable[AnnotatedPart], moved: NamesOfKinds) -> AnnotatedObject:
    """An object from its row, of the ORM or of a query of its columns, with words of today."""
    has_point = row.point_x is not None and row.point_y is not None
    item = AnnotatedObject(
        number=row.number,
        key=row.object_key,
        class_name=row.class_name,
        class_id=row.class_id,
        box=Box(row.xmin, row.ymin, row.xmax, row.ymax),
        view=row.view,
        truncated=row.truncated,
        occluded=row.occluded,
        difficult=row.difficult,
        group_of=row.group_of,
        actions=tuple(row.actions),
        point_xy=(row.point_x, row.point_y) if has_point else None,
        parts=tuple(parts),
    )
    return replace_words(item, moved) if any(moved.values()) else item


def _select_origins(chosen: Select[Any]) -> Select[Any]:
    columns = (Photo.source, Photo.owner_id, Photo.taken_at_text, Photo.taken_at_unknown)
    of_images = select(Photo.image_id, *columns).where(Photo.image_id.in_(chosen))
    return of_images.order_by(Photo.id.desc())


def _load_origins(
    session: Session, queries: _ImageQueries, values: Mapping[str, Any]
) -> dict[int, tuple[str | None, str | None]]:
    """The owner and the hour of each image; of several photos the first counts."""
    return {
        image_id: (
            f"{source.value}:{owner}" if owner else None,
            None if is_unknown else (taken or "")[:_HOUR_LENGTH] or None,
        )
        for image_id, source, owner, taken, is_unknown in session.execute(queries.origins, values)
    }


def _select_active_secs(chosen: Select[Any]) -> Select[Any]:
    """Seconds over all revisions of each image; none of an imported annotation."""
    return (
        select(Annotation.image_id, func.sum(Annotation.active_secs))
        .where(Annotation.is_stale.is_(False), Annotation.image_id.in_(chosen))
        .group_by(Annotation.image_id)
        .having(func.sum(Annotation.active_secs) > 0)
    )


def _select_drawn_blind(chosen: Select[Any]) -> Select[Any]:
    """What a second person drew blind; answers on gold images do not count."""
    return (
        select(BlindTask.image_id, Annotation.id)
        .join(Annotation, Annotation.id == BlindTask.annotation_id)
        .where(
            BlindTask.kind == BlindKind.DOUBLE,
            BlindTask.finished_at.is_not(None),
            Annotation.discard_reason.is_(None),
            BlindTask.image_id.in_(chosen),
        )
        .order_by(BlindTask.id)
    )


def _load_drawn_blind(
    session: Session, queries: _ImageQueries, values: Mapping[str, Any]
) -> Objects:
    """What a second person drew blind, by image."""
    revisions = session.execute(queries.drawn_blind, values).tuples().all()
    if not revisions:
        return {}
    objects = _load_objects(session, queries.objects_drawn_blind, values)
    return {image_id: objects.get(revision_id, ()) for image_id, revision_id in revisions}


def _select_suggested(heads: Select[Any]) -> Select[Any]:
    """What detectors are sure of in images that passed, and what nobody has decided on.

    On images for one task alone nobody draws all. A suggestion is decided where someone rejected it
    whose work was not undone, or the newest revision has an object of it. Boxes that people draw
    class by class are no detector's: their confidence is none.
    """
    passed = heads.where(rests_in(_PASSED), Annotation.taster.is_(None))
    is_accepted = exists().where(
        Object.suggestion_id == Suggestion.id,
        Object.annotation_id.in_(passed.with_only_columns(Annotation.id)),
    )
    is_rejected = exists().where(
        SuggestionRejection.suggestion_id == Suggestion.id,
        Annotation.id == SuggestionRejection.annotation_id,
        Annotation.set_aside_at.is_(None),
    )
    return (
        select(
            Suggestion.image_id,
            Suggestion.id,
            SuggestionSet.model,
            Suggestion.class_name,
            Suggestion.xmin,
            Suggestion.ymin,
            Suggestion.xmax,
            Suggestion.ymax,
            Suggestion.confidence,
        )
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(
            Suggestion.image_id.in_(passed.with_only_columns(Image.id)),
            Suggestion.confidence >= SURE,
            SuggestionSet.is_shown,
            SuggestionSet.kind != SuggestionKind.DRAWN,
            ~is_accepted,
            ~is_rejected,
        )
        .order_by(Suggestion.confidence.desc(), Suggestion.id)
    )


def _load_suggested(
    session: Session, queries: _ImageQueries, values: Mapping[str, Any]
) -> defaultdict[int, list[SuggestedObject]]:
    """What detectors are sure of by image, the surest first."""
    suggested = defaultdict[int, list[SuggestedObject]](list)
    for image_id, number, model, name, *xyxy, confidence in session.execute(
        queries.suggested, values
    ).tuples():
        row = SuggestedObject(number, model, name, Box(*xyxy), confidence)
        suggested[image_id].append(row)
    return suggested
