"""What a target will take, before anything is fetched: calls, hours, bytes.

Each figure is what the catalogue has learnt, once it has seen enough, else a stated assumption.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from catalog.settings import CollectSettings
from catalog.states import SEARCHED, PhotoState
from catalog.tables import Image, Photo, Query

from .call_budget import Rate
from .survival import ENOUGH, Figure, load_survival

ASSUMED_CALLS_PER_DRAW = 2.0
ASSUMED_LOST_SHARE = 0.05
ASSUMED_BYTES = 110_000
ASSUMED_SECS_PER_FILE = 0.3
_PAUSE_SECS = 10.0
_NEWEST = 500


@dataclass(frozen=True)
class Experience:
    """What one image costs."""

    calls_per_photo: Figure
    images_per_photo: Figure
    bytes_per_image: Figure
    images_per_sec: Figure
    usable_per_image: Figure


@dataclass(frozen=True)
class Forecast:
    """What is still missing, and what it will take; target and images count usable ones.

    `classes` are the targets of the classes.
    """

    target: int
    images: int
    missing: int
    waiting: int
    photos: int
    calls: int
    hours: float
    bytes: int
    experience: Experience
    classes: Mapping[str, int] = field(default_factory=dict)


def make_forecast(
    experience: Experience, *, target: int, images: int, waiting: int, calls_per_hour: int
) -> Forecast:
    """The forecast; photos that were found and wait need no further calls."""
    missing = max(0, target - images)
    fetched = math.ceil(missing / max(0.01, experience.usable_per_image.value) - 1e-9)
    photos = math.ceil(fetched / max(0.01, experience.images_per_photo.value))
    calls = math.ceil(max(0, photos - waiting) * experience.calls_per_photo.value)
    calling_secs = Rate(calls_per_hour).needed_secs(calls)
    fetching_secs = fetched / experience.images_per_sec.value
    hours = max(calling_secs, fetching_secs) / 3600
    size_bytes = math.ceil(fetched * experience.bytes_per_image.value)
    left = (target, images, missing, waiting)
    return Forecast(*left, photos, calls, hours, size_bytes, experience)


def load_experience(session: Session, settings: CollectSettings, workers: int) -> Experience:
    """What earlier runs of the party saw, or what is assumed."""
    found, waiting = _count(session), count_waiting(session)
    is_searched = Photo.source.in_(SEARCHED), Photo.state == PhotoState.FETCHED
    images = session.scalar(select(func.count(func.distinct(Photo.image_id))).where(*is_searched))
    images, ended = images or 0, found - waiting
    mean_bytes = session.scalar(select(func.avg(Image.bytes))) or 0
    calls = session.scalar(select(func.sum(Query.searches))) or 0
    rate = _load_rate(session)
    assumed_calls = ASSUMED_CALLS_PER_DRAW / settings.photos_per_search
    figures = (
        (found >= ENOUGH, calls / max(1, found), assumed_calls),
        (ended >= ENOUGH, images / max(1, ended), 1 - ASSUMED_LOST_SHARE),
        (images >= ENOUGH, float(mean_bytes), ASSUMED_BYTES),
        (rate is not None, rate or 0.0, workers / ASSUMED_SECS_PER_FILE),
    )
    a_photo, kept, size, speed = (
        Figure(seen if enough else it, enough) for enough, seen, it in figures
    )
    return Experience(a_photo, kept, size, speed, load_survival(session).share)


def count_waiting(session: Session) -> int:
    """How many photos were found and not yet fetched."""
    return _count(session, Photo.state == PhotoState.FOUND)


def describe(forecast: Forecast) -> str:
    """The forecast in a few lines that say what was learnt and what is assumed."""
    one = forecast.experience
    calls, kept, size, rate, usable = (
        (figure.value, "learnt" if figure.is_learnt else "assumed")
        for figure in (
            one.calls_per_photo, one.images_per_photo, one.bytes_per_image, one.images_per_sec,
            one.usable_per_image,
        )
    )  # fmt: skip
    classes = ", ".join(f"{name} {count}" for name, count in forecast.classes.items())
    return (
        f"Target: {forecast.target:,} usable images. Have {forecast.images:,}, "
        f"{forecast.waiting:,} photos queued, {forecast.missing:,} to fetch.\n"
        f"  usable  {usable[0]:.0%} of fetched images (no near-duplicates, not discarded; "
        f"{usable[1]})\n"
        + (f"  classes {classes}\n" if len(set(forecast.classes.values())) > 1 else "")
        + f"  calls   {forecast.calls:,}  ({calls[0]:.2f} a photo, {calls[1]}; "
        f"{kept[0]:.0%} of the photos become images, {kept[1]})\n"
        f"  hours   {forecast.hours:.1f}  ({rate[0]:.1f} images a second, {rate[1]}, "
        "within the hourly quota)\n"
        f"  bytes   {forecast.bytes / 1e9:.2f} GB  ({size[0] / 1000:.0f} kB an image, {size[1]})\n"
        "Nothing was fetched."
    )


def _count(session: Session, *are_counted: ColumnElement[bool]) -> int:
    is_searched = select(func.count()).select_from(Photo).where(Photo.source.in_(SEARCHED))
    return session.scalar(is_searched.where(*are_counted)) or 0


def _load_rate(session: Session) -> float | None:
    """The images a second of the newest ones, without the pauses between runs."""
    moments = session.scalars(
        select(Photo.fetched_at)
        .where(Photo.source.in_(SEARCHED), Photo.fetched_at.is_not(None))
        .order_by(Photo.id.desc())
        .limit(_NEWEST)
    ).all()
    at = sorted(moment for moment in moments if moment is not None)
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(at)]
    working = [gap for gap in gaps if gap < _PAUSE_SECS]
    return len(working) / sum(working) if len(working) >= ENOUGH and sum(working) > 0 else None
