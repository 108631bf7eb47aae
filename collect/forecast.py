"""What a target will take, before anything is fetched: usable images, calls, hours, bytes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.settings import CollectSettings
from catalog.states import SEARCHED, ImageState, PhotoState
from catalog.tables import Image, Photo, Query
from vockit.errors import SettingsError

from .asking import Rate
from .query_yield import plan_targets
from .strata import choose_classes

ENOUGH = 50
"""Photos or images from which on a share is taken from the catalogue, not assumed."""
_S = ImageState
_WAITING = (_S.FETCHED, _S.HASHED)
_POOL = (_S.POOL, _S.ANNOTATING)
_DONE = (_S.ANNOTATED, _S.CHECKING, _S.RETURNED, _S.CHECKED, _S.RELEASED)


@dataclass(frozen=True)
class Figure:
    """A number and where it comes from."""

    value: float
    is_learnt: bool

    @property
    def origin(self) -> str:
        """Where it comes from, in a word."""
        return "learnt" if self.is_learnt else "assumed"


@dataclass(frozen=True)
class Survival:
    """The usable images of a party, expected, and which share of what is fetched becomes one."""

    images: int
    share: Figure

    def count_to_fetch(self, target: int) -> int:
        """How many images must be fetched, so that there are `target` usable ones."""
        return math.ceil(max(0, target - self.images) / max(0.01, self.share.value) - 1e-9)


def load_survival(session: Session) -> Survival:
    """What the states of the party's images say; without enough of them all are usable."""
    rows = session.execute(select(Image.state, func.count()).group_by(Image.state))
    count = Counter(dict(rows.tuples().all()))
    waiting, pool, done = (
        sum(count[state] for state in states) for states in (_WAITING, _POOL, _DONE)
    )
    judged = done + count[_S.DISCARDED]
    single = _share(pool + judged, pool + judged + count[_S.DUPLICATE])
    kept = _share(done, judged)
    share = Figure(single.value * kept.value, single.is_learnt or kept.is_learnt)
    return Survival(round(done + pool * kept.value + waiting * share.value), share)


def check_targets(party: Party) -> None:
    """Raise SettingsError for targets of unknown classes, or that are more than the whole."""
    settings = party.settings.collect
    choose_classes(party.preset, tuple(settings.class_targets))
    if (total := sum(settings.class_targets.values())) > settings.target_images:
        raise SettingsError(
            f"collect.class_targets add up to {total}, more than target_images = "
            f"{settings.target_images}; raise target_images or lower the targets of classes."
        )


def plan_party_targets(party: Party, classes: Sequence[str], target: int) -> dict[str, float]:
    """How many of the target's images shall show each of the classes, all of them where none."""
    names = tuple(choose_classes(party.preset, classes))
    settings = party.settings.collect
    return plan_targets(names, settings.class_targets, settings.target_images, target)


def _share(some: int, whole: int) -> Figure:
    return Figure(some / whole, True) if whole >= ENOUGH else Figure(1.0, False)


ENOUGH_DRAWS = 10
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
    """What is still missing, and what it will take; target and images count usable ones."""

    target: int
    images: int
    missing: int
    waiting: int
    photos: int
    calls: int
    hours: float
    bytes: int
    experience: Experience
    classes: Mapping[str, int] = field(default_factory=dict)  # their targets
    barred: int = 0  # photos in the queue that the settings do not allow now
    fetched: int = 0  # images to fetch, so that as many as are missing can be used


def make_forecast(
    experience: Experience, *, target: int, images: int, waiting: int, calls_per_hour: int
) -> Forecast:
    """The forecast; photos that were found and wait need no further calls."""
    fetched = Survival(images, experience.usable_per_image).count_to_fetch(target)
    photos = math.ceil(fetched / max(0.01, experience.images_per_photo.value))
    calls = math.ceil(max(0, photos - waiting) * experience.calls_per_photo.value)
    calling_secs = Rate(calls_per_hour).needed_secs(calls)
    fetching_secs = fetched / experience.images_per_sec.value
    hours = max(calling_secs, fetching_secs) / 3600
    size_bytes = math.ceil(fetched * experience.bytes_per_image.value)
    missing = max(0, target - images)
    return Forecast(
        target=target,
        images=images,
        missing=missing,
        waiting=waiting,
        photos=photos,
        calls=calls,
        hours=hours,
        bytes=size_bytes,
        experience=experience,
        fetched=fetched,
    )


def load_experience(
    session: Session, settings: CollectSettings, workers: int, photos_per_draw: int | None = None
) -> Experience:
    """What earlier runs of the party saw, or what is assumed.

    `photos_per_draw` is how many the run takes of a draw, photos_per_search for None: a short run
    takes fewer, so each of them costs more calls.
    """
    is_searched = Photo.source.in_(SEARCHED)
    is_fetched = Photo.state == PhotoState.FETCHED
    count = session.scalar(select(func.count()).where(is_searched)) or 0
    of_photos = select(func.count(func.distinct(Photo.image_id))).where(is_searched, is_fetched)
    images = session.scalar(of_photos) or 0
    ended = count - count_waiting(session)
    mean_bytes = session.scalar(select(func.avg(Image.bytes))) or 0
    of_queries = select(func.sum(Query.searches), func.sum(Query.draws))
    calls, draws = (total or 0 for total in session.execute(of_queries).one())
    is_drawn = draws >= ENOUGH_DRAWS or count >= ENOUGH
    calls_per_draw = calls / draws if draws >= ENOUGH_DRAWS else ASSUMED_CALLS_PER_DRAW
    least_calls = calls_per_draw / (photos_per_draw or settings.photos_per_search)
    rate = _load_rate(session)

    def learn(is_enough: bool, seen: float, assumed: float) -> Figure:
        return Figure(seen if is_enough else assumed, is_enough)

    return Experience(
        learn(is_drawn, max(least_calls, calls / max(1, count)), least_calls),
        learn(ended >= ENOUGH, images / max(1, ended), 1 - ASSUMED_LOST_SHARE),
        learn(images >= ENOUGH, float(mean_bytes), ASSUMED_BYTES),
        learn(rate is not None, rate or 0.0, workers / ASSUMED_SECS_PER_FILE),
        load_survival(session).share,
    )


def count_waiting(session: Session) -> int:
    """How many photos were found and not yet fetched, whether the settings allow them or not."""
    is_found = Photo.source.in_(SEARCHED), Photo.state == PhotoState.FOUND
    return session.scalar(select(func.count()).where(*is_found)) or 0


def describe(forecast: Forecast) -> str:
    """The forecast in a few lines that say what was learnt and what is assumed."""
    calls, kept, size, rate, usable = vars(forecast.experience).values()
    barred = (
        f" ({forecast.barred:,} more that the settings do not allow)" if forecast.barred else ""
    )
    classes = ", ".join(f"{name} {count}" for name, count in forecast.classes.items())
    unknown = (
        ""
        if calls.is_learnt
        else "          and more where searches find nothing or too much: "
        "how many, the first draws will tell\n"
    )
    return (
        f"Target: {forecast.target:,} usable images. Have {forecast.images:,}, "
        f"{forecast.waiting:,} photos queued{barred}, {forecast.missing:,} missing: "
        f"{forecast.fetched:,} to fetch.\n"
        f"  usable  {usable.value:.0%} of fetched images (no near-duplicates, not discarded; "
        f"{usable.origin})\n"
        + (f"  classes {classes}\n" if len(set(forecast.classes.values())) > 1 else "")
        + f"  calls   {forecast.calls:,}  ({calls.value:.2f} a photo, {calls.origin}; "
        f"{kept.value:.0%} of the photos become images, {kept.origin})\n"
        f"{unknown}"
        f"  hours   {forecast.hours:.1f}  ({rate.value:.1f} images a second, {rate.origin}, "
        "within the hourly quota)\n"
        f"  bytes   {forecast.bytes / 1e9:.2f} GB  ({size.value / 1000:.0f} kB an image, "
        f"{size.origin})\n"
        "Nothing was fetched."
    )


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
