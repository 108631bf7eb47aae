"""Boxes of annotated images carried over to waiting ones of the same event, as suggestions.

Near-duplicates that are linked show one scene. The local features that dedup keeps of both tell
where each object went: those around the object, where enough of them agree, else all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session, aliased

from catalog.at_rest import rests_in
from catalog.states import ImageState, SuggestionKind
from catalog.tables import Duplicate, Image, Object, Suggestion, SuggestionSet
from dedup.pairs import Relation
from dedup.signature.features import Features
from dedup.signature_rows import load_known
from dedup.verify.registration import Registration, apply_map, register
from work.suggest.values import Detection

MODEL = "boxes of linked images"
_FINISHED = (ImageState.ANNOTATED, ImageState.CHECKED, ImageState.RELEASED)
_MARGIN = 0.25
"""The share of a box's sides by which features around it count as the object's."""
_MOST_GROWTH = 4.0
"""A box that is carried over by a map has between a quarter and four times its area."""
_LEAST_INSIDE = 0.5
Box = tuple[float, float, float, float]
"""Left, top, right and bottom edge as shares of the picture's width and height."""


@dataclass(frozen=True)
class Link:
    """A waiting image, and the annotated one of the same event that is most like it."""

    waiting_id: int
    size_wh: tuple[int, int]
    annotated_id: int
    annotated_size_wh: tuple[int, int]
    annotation_id: int


def list_links(session: Session) -> list[Link]:
    """A link for each waiting image that has one and no carried box yet."""
    waiting = aliased(Image)
    annotated = aliased(Image)
    carried = (
        select(Suggestion.id)
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(
            Suggestion.image_id == waiting.id,
            SuggestionSet.model == MODEL,
            SuggestionSet.kind == SuggestionKind.PARTY,
            SuggestionSet.withdrawn_at.is_(None),
        )
    )
    rows = session.execute(
        select(waiting, annotated)
        .select_from(Duplicate)
        .join(waiting, _is_of_pair(waiting))
        .join(annotated, _is_of_pair(annotated))
        .where(
            Duplicate.relation == Relation.SAME_EVENT,
            Duplicate.undone_at.is_(None),
            waiting.state == ImageState.POOL,
            waiting.taster.is_(None),
            annotated.id.in_(select(Image.id).where(rests_in(_FINISHED))),
            annotated.annotation_id.is_not(None),
            ~carried.exists(),
        )
        .order_by(waiting.id, Duplicate.similarity.desc().nulls_last(), annotated.id)
    ).tuples()
    return [_link(*next(links)) for _, links in groupby(rows, key=lambda row: row[0].id)]


def _is_of_pair(image: type[Image]) -> ColumnElement[bool]:
    return or_(image.id == Duplicate.image_id, image.id == Duplicate.kept_image_id)


def _link(waiting: Image, annotated: Image) -> Link:
    return Link(
        waiting_id=waiting.id,
        size_wh=(waiting.width, waiting.height),
        annotated_id=annotated.id,
        annotated_size_wh=(annotated.width, annotated.height),
        annotation_id=annotated.annotation_id or 0,
    )


def carry_boxes(
    session: Session, links: Sequence[Link], advance: Callable[[int], None]
) -> Iterator[Detection]:
    """The boxes that each waiting image gets."""
    for link in links:
        known = load_known(session, np.array([link.waiting_id, link.annotated_id]))
        if len(known) == 2:
            features = {image_id: shown.features for image_id, shown in known.items()}
            yield from _carry_all(session, link, features)
        advance(1)


def _carry_all(
    session: Session, link: Link, features: Mapping[int, Features]
) -> Iterator[Detection]:
    source = features[link.annotated_id]
    target = features[link.waiting_id]
    whole = _choose(register(source, target))
    sides = np.array(link.annotated_size_wh * 2, np.float64)
    chosen = select(Object).where(Object.annotation_id == link.annotation_id).order_by(Object.id)
    for item in session.scalars(chosen):
        xmin, ymin, xmax, ymax = item.box.xyxy
        box = np.array([xmin - 1, ymin - 1, xmax, ymax]) / sides
        carried = carry_box(source, target, tuple(box.tolist()), whole)
        if carried is not None:
            edges = np.array(carried[0]) * (link.size_wh * 2)
            yield link.waiting_id, item.class_name, tuple(edges.tolist()), carried[1], None


def carry_box(
    source: Features, target: Features, box: Box, whole: Registration | None
) -> tuple[Box, float] | None:
    """The box in the other picture, and the share of features that agree on it; or None.

    `whole` is the map that all features agree on, if there is one.
    """
    near = _cut(source, box)
    local = _choose(register(near, target))
    for registration, count in ((local, len(near.points)), (whole, len(source.points))):
        if registration is None:
            continue
        edges = _lay(box, registration.first_to_second)
        if edges is not None:
            return edges, min(1.0, registration.inliers / max(count, 1))
    return None


def _cut(features: Features, box: Box) -> Features:
    """The features in a box with some margin."""
    left, top, right, bottom = box
    across = (right - left) * _MARGIN
    down = (bottom - top) * _MARGIN
    x, y = features.points.T
    inside: NDArray[np.bool_] = (
        (x >= left - across) & (x <= right + across) & (y >= top - down) & (y <= bottom + down)
    )
    return Features(features.points[inside], features.descriptors[inside], features.aspect)


def _choose(registrations: Sequence[Registration]) -> Registration | None:
    """The first that mirrors nothing; `register` gives the one first on which most agree."""
    upright = (
        registration
        for registration in registrations
        if np.linalg.det(registration.first_to_second[:2, :2]) > 0
    )
    return next(upright, None)


def _lay(box: Box, first_to_second: NDArray[np.floating]) -> Box | None:
    """The box around where a map lays its corners; None where that cannot be the object's."""
    left, top, right, bottom = box
    corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    laid = apply_map(first_to_second, corners)
    if not np.isfinite(laid).all():
        return None
    low = laid.min(axis=0)
    high = laid.max(axis=0)
    seen_low = np.clip(low, 0, 1)
    seen_high = np.clip(high, 0, 1)
    area = float(np.prod(high - low))
    growth = area / ((right - left) * (bottom - top))
    is_inside = float(np.prod(seen_high - seen_low)) >= _LEAST_INSIDE * area
    if not (1 / _MOST_GROWTH <= growth <= _MOST_GROWTH and is_inside):
        return None
    return float(seen_low[0]), float(seen_low[1]), float(seen_high[0]), float(seen_high[1])
