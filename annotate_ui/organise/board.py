"""What the organiser's board shows: counts, progress and who is at work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from math import isfinite
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from annotate_ui.api.answers import format_moment
from annotate_ui.security import seal
from annotate_ui.visit import Visit
from annotate_ui.work.blind import FIRST_LEASE_ID, list_held_blind
from catalog.states import ImageState, LeaseKind, PhotoState
from catalog.tables import Duplicate, HostPause, Image, Lease, Person, Photo, Search
from qa.class_progress import (
    ClassProgress,
    ClassSecs,
    load_class_progress,
    load_class_secs,
    plan_class_targets,
)
from qa.counts import PersonProgress, StateCounts, load_people_progress, load_state_counts
from qa.finding_rows import count_open
from qa.intervals import Interval

from .campaigns import Progress, describe_campaign, load_open_progress
from .hours import HourProgress, load_hours, load_progress, measure_pace
from .live_settings import load_shares
from .people import display_name
from .queue_plan import format_first, load_plan

Json = dict[str, Any]


@dataclass(frozen=True)
class Hold:
    """A lease that has not run out; not opened, the image is only reserved ahead."""

    lease_id: int
    image_id: int
    person_id: int
    kind: LeaseKind
    is_opened: bool
    acquired_at: datetime
    heartbeat_at: datetime


def find_zone(name: str) -> tzinfo:
    """The zone that a browser names ("Europe/Zurich"); UTC where this machine knows none of it."""
    try:
        return ZoneInfo(name)
    except (ValueError, KeyError, OSError):  # no name, no such zone, a folder of them
        return UTC


def load_board(visit: Visit, zone: tzinfo) -> Json:
    """The board as it is now, in one answer (docs/api.md); days of progress are the zone's."""
    session, preset, at = visit.session, visit.party.preset, visit.at
    counts, plan, hours = load_state_counts(session, at=at), load_plan(session), load_hours(session)
    per_hour = measure_pace(hours, at=at)
    displays = preset.class_displays
    targets = plan_class_targets(visit.party.settings, preset.class_names)
    classes = load_class_progress(session, targets, per_hour=per_hour)
    target_images = visit.party.settings.collect.target_images
    return {
        "at": format_moment(at),
        "images": {state.value: count for state, count in counts.images.items()},
        "discarded": _format_reasons(counts, preset.reason_displays),
        "holds": [_format_hold(hold) for hold in load_holds(visit)],
        "shares": load_shares(visit),
        "first": [format_first(item) for item in plan.first],
        "wanted_classes": list(plan.wanted_classes),
        "progress": _load_progress(session, hours, zone),
        "per_hour": per_hour,
        "classes": [_format_class(one, displays) for one in classes],
        "people": _format_people(session, load_people_progress(session)),
        "hours": [asdict(hour) for hour in hours],
        "class_secs": [_format_secs(one, displays) for one in load_class_secs(session)],
        "campaigns": [_format_campaign(one) for one in load_open_progress(session)],
        "findings": {str(severity): count for severity, count in count_open(session).items()},
        "jobs": load_job_counts(session, target_images=target_images, at=at),
    }


def _load_progress(session: Session, hours: Sequence[HourProgress], zone: tzinfo) -> Json:
    progress = load_progress(session, hours, zone)
    bins = [asdict(one) | {"start_at": format_moment(one.start_at)} for one in progress.bins]
    return {"bin_secs": progress.bin_secs, "zone": str(zone), "bins": bins}


def load_holds(visit: Visit) -> list[Hold]:
    """What people have in hand, blind tasks like any other; what ran out is left out."""
    lease_secs = visit.party.settings.annotate.lease_secs
    blind = [
        Hold(
            FIRST_LEASE_ID + task.id,
            task.image_id,
            task.person_id,
            LeaseKind.ANNOTATE,
            True,
            task.taken_at,
            max(task.expires_at - timedelta(seconds=lease_secs), task.taken_at),
        )
        for task in list_held_blind(visit.session, at=visit.at)
    ]
    return sorted(_load_leases(visit) + blind, key=lambda hold: (hold.person_id, hold.lease_id))


def _load_leases(visit: Visit) -> list[Hold]:
    """The leases that have not run out; one that did only waits to be swept."""
    return [
        Hold(
            lease.id,
            lease.image_id,
            lease.person_id,
            lease.kind,
            lease.opened_at is not None,
            lease.acquired_at,
            lease.heartbeat_at,
        )
        for lease in visit.session.scalars(select(Lease).where(Lease.expires_at > visit.at))
    ]


def format_interval(interval: Interval) -> Json | None:
    """An estimate with its interval of 95 %, or None where nothing is known."""
    if not interval.count:
        return None
    return asdict(interval)


def describe_ago(moment: datetime, at: datetime) -> str:
    """How long ago a moment was, in the largest fitting unit."""
    secs = max((at - moment).total_seconds(), 0)
    for unit, length_secs in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        count = int(secs // length_secs)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def _format_campaign(one: Progress) -> Json:
    campaign = one.campaign
    return {
        "name": campaign.name,
        "by": campaign.made_by,
        "at": format_moment(campaign.made_at),
        "text": describe_campaign(campaign),
        "images": one.images,
        "stages": dict(one.stages),
    }


def _format_reasons(counts: StateCounts, displays: dict[str, str]) -> list[Json]:
    return [
        {"reason": key, "display": displays.get(key, key), "images": count}
        for key, count in sorted(counts.discarded.items(), key=lambda item: (-item[1], item[0]))
    ]


def _format_class(one: ClassProgress, displays: dict[str, str]) -> Json:
    hours = {name: value if isfinite(value) else None for name, value in vars(one.forecast).items()}
    return {
        "name": one.class_name,
        "display": displays[one.class_name],
        "images": one.images,
        "objects": one.objects,
        "target": one.target,
        "forecast": hours,
    }


def _format_secs(one: ClassSecs, displays: dict[str, str]) -> Json:
    return {
        "class": one.class_name,
        "display": displays.get(one.class_name, one.class_name),
        "objects": one.objects,
        "quarter_secs": one.quarter_secs,
        "median_secs": one.median_secs,
        "three_quarter_secs": one.three_quarter_secs,
    }


def _format_people(session: Session, progress: Sequence[PersonProgress]) -> list[Json]:
    people = {person.id: person for person in session.scalars(select(Person))}
    return [_format_person(people[one.person_id], one) for one in progress]


def _format_person(person: Person, one: PersonProgress) -> Json:
    return {
        "id": person.id,
        "name": display_name(person),
        "role": person.role,
        "images": one.images,
        "checked": one.checked,
        "active_secs": one.active_secs,
        "per_hour": one.per_hour,
        "corrected": format_interval(one.corrected),
        "seen_at": format_moment(person.seen_at) if person.seen_at else None,
        "is_ended": person.ended_at is not None,
        "slowed_at": format_moment(person.slowed_at) if person.slowed_at else None,
    }


def _format_hold(hold: Hold) -> Json:
    return {
        "lease_id": seal(hold.lease_id),
        "image_id": hold.image_id,
        "person_id": hold.person_id,
        "kind": hold.kind,
        "is_opened": hold.is_opened,
        "since": format_moment(hold.acquired_at),
        "last_sign_at": format_moment(hold.heartbeat_at),
    }


def load_job_counts(session: Session, *, target_images: int, at: datetime) -> dict[str, Any]:
    """Photos by state against the target, images to hash and to compare, and last signs."""
    photos = _count(session, Photo.state)
    images = _count(session, Image.state)
    fetching = select(func.count()).where(
        Photo.state == PhotoState.FOUND, Photo.claimed_until_at > at
    )
    pauses = select(HostPause).where(HostPause.until_at > at).order_by(HostPause.host)
    return {
        "photos": {state.value: photos.get(state, 0) for state in PhotoState},
        "target_images": target_images,
        "fetching": session.scalar(fetching) or 0,
        "searched_at": _latest(session, Search.searched_at),
        "fetched_at": _latest(session, Photo.fetched_at),
        "images": sum(images.values()),
        "to_hash": images.get(ImageState.FETCHED, 0),
        "to_compare": images.get(ImageState.HASHED, 0),
        "duplicates": images.get(ImageState.DUPLICATE, 0),
        "compared_at": _latest(session, Duplicate.decided_at),
        "pauses": [
            {"host": pause.host, "until": format_moment(pause.until_at)}
            for pause in session.scalars(pauses)
        ],
    }


def _count(session: Session, column: Any) -> dict[Any, int]:
    return dict(session.execute(select(column, func.count()).group_by(column)).tuples().all())


def _latest(session: Session, column: Any) -> str | None:
    moment = session.scalar(select(func.max(column)))
    return format_moment(moment) if moment else None
