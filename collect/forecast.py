"""What a target will take, before anything is fetched: usable images, calls, hours, bytes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.at_rest import count_at_rest
from catalog.party import Party
from catalog.states import SEARCHED, ImageState, PhotoState
from catalog.tables import Image, Photo
from vockit.errors import SettingsError
from vockit.format.plural import format_count

from .asking import Rate
from .query_yield import plan_targets
from .strata import choose_classes

ENOUGH = 50
"""Photos or images from which on a share is taken from the catalogue, not assumed."""
_S = ImageState
_WAITING = (_S.FETCHED, _S.HASHED)
_POOL = (_S.POOL,)
_DONE = (_S.ANNOTATED, _S.RETURNED, _S.CHECKED, _S.RELEASED)


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
    count = Counter(count_at_rest(session))
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


ASSUMED_LOST_SHARE = 0.05
ASSUMED_BYTES = 110_000
ASSUMED_SECS_PER_FILE = 0.3
_PAUSE_SECS = 10.0
_NEWEST = 500


@dataclass(frozen=True)
class Experience:
    """What one image costs."""

    images_per_photo: Figure
    bytes_per_image: Figure
    images_per_sec: Figure
    usable_per_image: Figure


@dataclass(frozen=True)
class Rehearsed:
    """The calls of a run, and the photos that it finds; `is_dry` where searches have no more.

    Of its `queries`, `unasked` were never asked before. Searches that are `is_local` are of a file.
    """

    calls: int = 0
    found: int = 0
    is_dry: bool = False
    queries: int = 0
    unasked: int = 0
    is_local: bool = False

    @property
    def is_first(self) -> bool:
        """Whether no query was ever asked, so that nothing is known of them."""
        return 0 < self.queries == self.unasked


@dataclass(frozen=True)
class Forecast:
    """What is still missing, and what it will take; target and images count usable ones.

    Where no query was ever asked, `calls` holds if queries find plenty and `most_calls` if they
    find little; it is None where searches may then end before the target.
    """

    target: int
    images: int
    missing: int
    waiting: int
    photos: int
    calls: int
    most_calls: int | None
    hours: float
    bytes: int
    experience: Experience
    searches: Rehearsed
    classes: Mapping[str, int] = field(default_factory=dict)  # their targets
    barred: int = 0  # photos in the queue that the settings do not allow now
    fetched: int = 0  # images to fetch, so that as many as are missing can be used

    @property
    def exit_status(self) -> int:
        """0 where the target can be reached, 1 where searches have too few new photographs."""
        return 1 if self.searches.is_dry else 0


def count_photos(experience: Experience, target: int, images: int) -> int:
    """How many photos must be asked for, so that there are `target` usable images."""
    fetched = Survival(images, experience.usable_per_image).count_to_fetch(target)
    return math.ceil(fetched / max(0.01, experience.images_per_photo.value))


def make_forecast(
    experience: Experience,
    *,
    target: int,
    images: int,
    waiting: int,
    calls_per_hour: int,
    plenty: Rehearsed,
    sparse: Rehearsed,
) -> Forecast:
    """The forecast from two rehearsals, which differ in what queries find that were never asked."""
    fetched = Survival(images, experience.usable_per_image).count_to_fetch(target)
    most_calls = None if sparse.is_dry and not plenty.is_dry else max(plenty.calls, sparse.calls)
    calling_secs = Rate(calls_per_hour).needed_secs(plenty.calls)
    fetching_secs = fetched / experience.images_per_sec.value
    return Forecast(
        target=target,
        images=images,
        missing=max(0, target - images),
        waiting=waiting,
        photos=count_photos(experience, target, images),
        calls=plenty.calls,
        most_calls=most_calls,
        hours=max(calling_secs, fetching_secs) / 3600,
        bytes=math.ceil(fetched * experience.bytes_per_image.value),
        experience=experience,
        searches=plenty,
        fetched=fetched,
    )


def load_experience(session: Session, workers: int) -> Experience:
    """What earlier runs of the party saw, or what is assumed."""
    is_searched = Photo.source.in_(SEARCHED)
    is_fetched = Photo.state == PhotoState.FETCHED
    count = session.scalar(select(func.count()).where(is_searched)) or 0
    of_photos = select(func.count(func.distinct(Photo.image_id))).where(is_searched, is_fetched)
    images = session.scalar(of_photos) or 0
    ended = count - count_waiting(session)
    mean_bytes = session.scalar(select(func.avg(Image.bytes))) or 0
    rate = _load_rate(session)

    def learn(is_enough: bool, seen: float, assumed: float) -> Figure:
        return Figure(seen if is_enough else assumed, is_enough)

    return Experience(
        images_per_photo=learn(ended >= ENOUGH, images / max(1, ended), 1 - ASSUMED_LOST_SHARE),
        bytes_per_image=learn(images >= ENOUGH, float(mean_bytes), ASSUMED_BYTES),
        images_per_sec=learn(rate is not None, rate or 0.0, workers / ASSUMED_SECS_PER_FILE),
        usable_per_image=load_survival(session).share,
    )


def count_waiting(session: Session) -> int:
    """How many photos were found and not yet fetched, whether the settings allow them or not."""
    is_found = Photo.source.in_(SEARCHED), Photo.state == PhotoState.FOUND
    return session.scalar(select(func.count()).where(*is_found)) or 0


def describe(forecast: Forecast) -> str:
    """The forecast in a few lines that say what was learnt and what is assumed."""
    known = forecast.experience
    kept = known.images_per_photo
    size = known.bytes_per_image
    rate = known.images_per_sec
    usable = known.usable_per_image
    barred = (
        f" ({forecast.barred:,} more that the settings do not allow)" if forecast.barred else ""
    )
    more = " or more" if forecast.searches.is_first else ""
    targets = ", ".join(f"{name} {count}" for name, count in forecast.classes.items())
    classes = f"  classes {targets}\n" if len(set(forecast.classes.values())) > 1 else ""
    return (
        f"Target: {forecast.target:,} usable images. Have {forecast.images:,}, "
        f"{forecast.waiting:,} photos queued{barred}, {forecast.missing:,} missing: "
        f"{forecast.fetched:,} to fetch.\n"
        f"  usable  {usable.value:.0%} of fetched images (no near-duplicates, not discarded; "
        f"{usable.origin})\n"
        f"{classes}"
        f"  photos  {forecast.photos:,}  ({kept.value:.0%} of them become images, {kept.origin})\n"
        f"  calls   {_describe_calls(forecast)}\n"
        f"  hours   {forecast.hours:.1f}{more}  ({rate.value:.1f} images a second, {rate.origin}, "
        "within the hourly quota)\n"
        f"  bytes   {forecast.bytes / 1e9:.2f} GB  ({size.value / 1000:.0f} kB an image, "
        f"{size.origin})\n"
        "Nothing was fetched."
    )


def _describe_calls(forecast: Forecast) -> str:
    """How many calls the run makes, what that rests on, and whether its searches find enough."""
    searches = forecast.searches
    calls = f"{forecast.calls:,}"
    most = forecast.most_calls
    if searches.is_dry:
        return (
            f"{calls}, and then searches find nothing new: about {searches.found:,} photographs. "
            "Widen first_date, last_date, licences or photos_per_owner in party.toml"
        )
    if searches.is_local:
        return f"{calls}  (searches are of the tables of the party)"
    if not searches.unasked:
        return f"{calls}  (from what earlier searches found)"
    unasked = f"{searches.unasked:,} of {format_count(searches.queries, 'query', 'queries')}"
    text = f"{unasked} {'was' if searches.unasked == 1 else 'were'} never asked"
    if not searches.is_first:
        return f"{calls}  ({text} and counted like the others)"
    little = "searches may end before the target" if most is None else f"{most:,}"
    return f"{calls} or more  ({text}; if they find little: {little}; if nothing: more)"


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
