"""How far each class is, when its target will be met, and how long its objects take."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.settings import Settings
from catalog.tables import Annotation, Image, Object

from .load import LOADED_STATES

TIMED_REVISIONS = 4000


@dataclass(frozen=True)
class Forecast:
    """Hours of the party until a target is met; 0 where it is, infinite where it never will be.

    `low_hours` to `high_hours` is 95 % certain as far as the luck of the draw goes; people's pace
    may change.
    """

    hours: float
    low_hours: float
    high_hours: float


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
    """Images and objects of each class in finished work, and when its target is met."""
    rows = session.execute(
        select(Object.class_name, func.count(), func.count(Object.annotation_id.distinct()))
        .join(Image, Image.annotation_id == Object.annotation_id)
        .where(Image.state.in_(LOADED_STATES))
        .group_by(Object.class_name)
    )
    counts = {name: (images, objects) for name, objects, images in rows.tuples()}
    finished = session.scalar(select(func.count()).where(Image.state.in_(LOADED_STATES))) or 0
    progress = []
    for name, target in targets.items():
        images, objects = counts.get(name, (0, 0))
        forecast = forecast_target(images, target, finished, per_hour)
        progress.append(ClassProgress(name, images, objects, target, forecast))
    return progress


def load_class_secs(session: Session) -> list[ClassSecs]:
    """How long objects take to draw, by class, over the latest TIMED_REVISIONS revisions."""
    latest = (
        select(Annotation.id)
        .where(Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
        .order_by(Annotation.id.desc())
        .limit(TIMED_REVISIONS)
        .subquery()
    )
    rows = session.execute(
        select(Object.class_name, Object.drawn_secs)
        .join(latest, latest.c.id == Object.annotation_id)
        .where(Object.drawn_secs > 0)
    )
    secs: dict[str, list[float]] = {}
    for name, drawn_secs in rows.tuples():
        secs.setdefault(name, []).append(int(drawn_secs * 10) / 10)
    quarters = (0.25, 0.5, 0.75)
    return [
        ClassSecs(name, len(some), *np.quantile(some, quarters, method="inverted_cdf").tolist())
        for name, some in sorted(secs.items())
    ]


def forecast_target(with_class: int, target: int, finished: int, per_hour: float) -> Forecast:
    """How long until `target` images show a class, of which `with_class` of `finished` do now.

    `per_hour` images are finished in an hour. The class's share of images is known from those that
    came so far, as a Poisson count (its exact interval).
    """
    left = target - with_class
    if left <= 0:
        return Forecast(0.0, 0.0, 0.0)
    if per_hour <= 0 or not finished:
        return Forecast(math.inf, math.inf, math.inf)
    from scipy.special import gammaincinv  # takes long, and a server starts without it

    fewest = gammaincinv(with_class, 0.025) if with_class else 0.0
    counts = (with_class, fewest, gammaincinv(with_class + 1, 0.975))
    rate, low, high = (float(count) / finished * per_hour for count in counts)
    return Forecast(_hours(left, rate), _hours(left, high), _hours(left, low))


def _hours(left: int, rate: float) -> float:
    return left / rate if rate > 0 else math.inf
