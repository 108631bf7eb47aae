"""How far each class is, and how long its objects take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Integer, cast, func, select
from sqlalchemy.orm import Session

from catalog.settings import Settings
from catalog.tables import Annotation, Image, Object

from .forecasts import Forecast, forecast_target
from .load import LOADED_STATES

TIMED_REVISIONS = 4000


@dataclass(frozen=True)
class ClassProgress:
    """How far a class is; `target` counts images, as collect.class_targets does."""

    class_name: str
    images: int
    objects: int
    target: int
    forecast: Forecast


@dataclass(frozen=True)
class ClassSecs:
    """How long objects of a class take to draw, over `objects` that were measured."""

    class_name: str
    objects: int
    quarter_secs: float
    median_secs: float
    three_quarter_secs: float


def plan_class_targets(settings: Settings, class_names: Sequence[str]) -> dict[str, int]:
    """How many images are wanted of each class: those set, and equal shares of the rest."""
    wanted = settings.collect.class_targets
    others = [name for name in class_names if name not in wanted]
    left = max(settings.collect.target_images - sum(wanted.values()), 0)
    share, more = divmod(left, len(others)) if others else (0, 0)
    shares = {name: share + (place < more) for place, name in enumerate(others)}
    return {name: wanted[name] if name in wanted else shares[name] for name in class_names}


def load_class_progress(
    session: Session, targets: Mapping[str, int], *, per_hour: float
) -> list[ClassProgress]:
    """Images and objects of each class in finished work, and when its target is met.

    Images come at random, so a class comes at the party's pace times its share of finished images.
    """
    rows = session.execute(
        select(
            Object.class_name,
            func.count(),
            func.count(Object.annotation_id.distinct()),
        )
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Image.state.in_(LOADED_STATES))
        .group_by(Object.class_name)
    )
    counts = {name: (objects, images) for name, objects, images in rows.tuples()}
    finished = session.scalar(select(func.count()).where(Image.state.in_(LOADED_STATES))) or 0
    return [
        ClassProgress(
            name,
            counts.get(name, (0, 0))[1],
            counts.get(name, (0, 0))[0],
            target,
            forecast_target(counts.get(name, (0, 0))[1], target, finished, per_hour),
        )
        for name, target in targets.items()
    ]


def load_class_secs(session: Session) -> list[ClassSecs]:
    """How long objects take to draw, to a tenth of a second, where it was measured; by names.

    Taken over the latest TIMED_REVISIONS finished revisions, as people get quicker.
    """
    tenths = cast(Object.drawn_secs * 10, Integer)
    latest = (
        select(Annotation.id)
        .where(Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
        .order_by(Annotation.id.desc())
        .limit(TIMED_REVISIONS)
        .subquery()
    )
    rows = session.execute(
        select(Object.class_name, tenths, func.count())
        .join(latest, latest.c.id == Object.annotation_id)
        .where(Object.drawn_secs > 0)
        .group_by(Object.class_name, tenths)
        .order_by(Object.class_name, tenths)
    )
    counts: dict[str, list[tuple[int, int]]] = {}
    for name, value, count in rows.tuples():
        counts.setdefault(name, []).append((value, count))
    return [_make_class_secs(name, np.array(counts[name])) for name in sorted(counts)]


def _make_class_secs(name: str, tenths_counts: NDArray[np.int64]) -> ClassSecs:
    tenths, counts = tenths_counts.T
    objects = int(counts.sum())
    reached = np.cumsum(counts)
    places = [np.searchsorted(reached, share * objects) for share in (0.25, 0.5, 0.75)]
    return ClassSecs(name, objects, *(float(tenths[place]) / 10 for place in places))
