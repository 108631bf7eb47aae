"""What the organiser's board and wall show: counts, progress, who is at work, the latest work."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, tzinfo
from math import isfinite
from operator import itemgetter

from sqlalchemy import func, select
from sqlalchemy.orm import joinedload, selectinload

from annotate_ui.api.answers import Json, format_drawn, format_person, pick, tell_each
from annotate_ui.api.queue import format_plan, load_plan
from catalog.states import ImageState, LeaseKind, PhotoState
from catalog.tables import (
    Annotation,
    Duplicate,
    HostPause,
    Image,
    Lease,
    Person,
    Photo,
    Remark,
    Search,
)
from operate.stuck import list_stuck
from qa.counts import (
    load_class_progress,
    load_class_secs,
    load_people_progress,
    load_state_counts,
    load_wall,
    plan_class_targets,
)
from qa.finding_rows import count_open
from vockit.report.intervals import Interval
from web.language import translate
from work.visit import Visit

from .blind import list_held_blind, select_hidden
from .campaigns import describe_campaign, load_open_progress
from .hours import HOUR_SECS, gather_bins, load_minutes, load_progress, measure_pace
from .image_actions import RETURNABLE
from .leases import number_lease
from .live_settings import load_shares


def load_board(visit: Visit, zone: tzinfo) -> Json:
    """The board as it is now, in one answer; days of progress are the zone's."""
    session, preset, at = visit.session, visit.party.preset, visit.at
    counts, plan = load_state_counts(session, at=at), format_plan(load_plan(session))
    minutes = load_minutes(session)
    hours = gather_bins(minutes, HOUR_SECS).bins
    per_hour = measure_pace(hours, at=at)
    targets = plan_class_targets(visit.party.settings, preset.class_names)
    classes = load_class_progress(session, targets, per_hour=per_hour)
    people = {person.id: person for person in session.scalars(select(Person))}
    return {
        "at": at,
        "images": {state.value: count for state, count in counts.images.items()},
        "discarded": [
            {"reason": key, "display": preset.reason_displays.get(key, key), "images": count}
            for key, count in sorted(counts.discarded.items(), key=lambda it: (-it[1], it[0]))
        ],
        "holds": _load_holds(visit),
        "shares": load_shares(visit),
        **{name: plan[name] for name in ("first", "wanted_classes")},
        "progress": pick(load_progress(minutes, zone), "bin_secs", "bins") | {"zone": str(zone)},
        "per_hour": per_hour,
        "checks_per_hour": measure_pace(hours, at=at, of=lambda hour: hour.checked),
        "classes": [
            {
                "name": one.class_name,
                "display": preset.class_displays[one.class_name],
                **pick(one, "images", "objects", "target"),
                "forecast": {
                    name: value if isfinite(value) else None
                    for name, value in vars(one.forecast).items()
                },
            }
            for one in classes
        ],
        "people": [
            format_person(person := people[one.person_id])
            | pick(person, "role", "seen_at", "slowed_at")
            | pick(one, "images", "checked", "active_secs", "per_hour")
            | {"corrected": format_interval(one.corrected), "is_ended": person.ended_at is not None}
            for one in load_people_progress(session)
        ],
        "hours": [
            {"hour": f"{hour.start_at:%Y-%m-%d %H}"}
            | pick(hour, "annotated", "discarded", "checked", "returned")
            for hour in hours
        ],
        "class_secs": [
            {
                "class": it.class_name,
                "display": preset.class_displays.get(it.class_name, it.class_name),
            }
            | pick(it, "objects", "quarter_secs", "median_secs", "three_quarter_secs")
            for it in load_class_secs(session)
        ],
        "campaigns": [
            {
                **pick(one, "name", by="made_by", at="made_at"),
                "text": describe_campaign(one),
                "images": sum(stages.values()),
                "stages": stages,
            }
            for one, stages in load_open_progress(session)
        ],
        "stuck": [
            pick(one, "image_id", "state") | {"reason": translate(one.reason)}
            for one in list_stuck(session)
        ],
        "findings": {str(severity): count for severity, count in count_open(session).items()},
        "jobs": _load_jobs(visit, counts.images),
    }


def _load_holds(visit: Visit) -> list[Json]:
    """What people have in hand, blind tasks like any other; what ran out waits to be swept."""
    leases = select(Lease).where(Lease.expires_at > visit.at).order_by(Lease.id)
    held = [
        pick(it, "image_id", "person_id", "kind", since="acquired_at", last_sign_at="heartbeat_at")
        | {"is_opened": it.opened_at is not None}
        for it in visit.session.scalars(leases)
    ]
    lease_time = timedelta(seconds=visit.party.settings.annotate.lease_secs)
    held += [
        pick(it, "image_id", "person_id", since="taken_at")
        | {"kind": LeaseKind.ANNOTATE, "is_opened": True}
        | {"last_sign_at": max(it.expires_at - lease_time, it.taken_at)}
        for it in list_held_blind(visit.session, at=visit.at)
    ]
    for it in held:
        it["lease_id"] = number_lease(it["kind"], it["image_id"])
    return sorted(held, key=itemgetter("person_id"))


def format_interval(interval: Interval) -> Interval | None:
    """An estimate with its interval of 95 %, or None where nothing is known."""
    return interval if interval.count else None


def describe_ago(moment: datetime, at: datetime) -> str:
    """How long ago a moment was, in the largest fitting unit."""
    secs = max((at - moment).total_seconds(), 0)
    for unit, length_secs in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        count = int(secs // length_secs)
        if count:
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now"


def _load_jobs(visit: Visit, images: Mapping[ImageState, int]) -> Json:
    """Photos by state against the target, images to hash and to compare, and last signs."""
    session, at = visit.session, visit.at
    counted = session.execute(select(Photo.state, func.count()).group_by(Photo.state))
    photos = dict(counted.tuples().all())
    claimed = (Photo.state == PhotoState.FOUND, Photo.claimed_until_at > at)
    pauses = select(HostPause).where(HostPause.until_at > at).order_by(HostPause.host)
    return {
        "photos": {state.value: photos.get(state, 0) for state in PhotoState},
        "target_images": visit.party.settings.collect.target_images,
        "fetching": session.scalar(select(func.count()).where(*claimed)) or 0,
        "searched_at": session.scalar(select(func.max(Search.searched_at))),
        "fetched_at": session.scalar(select(func.max(Photo.fetched_at))),
        "images": sum(images.values()),
        "to_hash": images[ImageState.FETCHED],
        "to_compare": images[ImageState.HASHED],
        "duplicates": images[ImageState.DUPLICATE],
        "compared_at": session.scalar(select(func.max(Duplicate.decided_at))),
        "pauses": [pick(pause, "host", until="until_at") for pause in session.scalars(pauses)],
    }


def show_wall(visit: Visit, *, limit: int, before_id: int | None = None) -> list[Json]:
    """The latest finished revisions, the newest first, in few queries however many there are."""
    session = visit.session
    hidden = frozenset(session.scalars(select_hidden(visit)))
    wall = load_wall(session, limit=limit, before_id=before_id)
    ids = [item.annotation_id for item in wall if item.image_id not in hidden]
    shown = (
        select(Annotation, Image)
        .join(Image, Image.id == Annotation.image_id)
        .where(Annotation.id.in_(ids))
        .order_by(Annotation.id.desc())
        .options(joinedload(Annotation.person), selectinload(Annotation.objects))
    )
    reasons = visit.party.preset.reason_displays
    about = (Remark.annotation_id.in_(ids), Remark.set_aside_at.is_(None))
    remarks = session.scalars(select(Remark).where(*about).order_by(Remark.id)).all()

    def tell_item(row: tuple[Annotation, Image]) -> Json:
        drawn, image = row
        return {
            **pick(drawn, "image_id", "saved_at", annotation_id="id"),
            **format_drawn(image, drawn),
            "author": format_person(drawn.person),
            "discarded": reasons.get(drawn.discard_reason or "", drawn.discard_reason),
            "state": image.state,
            "may_return": image.annotation_id == drawn.id and image.state in RETURNABLE,
            "remarks": [
                {"text": remark.text, "is_seen": remark.seen_at is not None}
                for remark in remarks
                if remark.annotation_id == drawn.id
            ],
        }

    rows = session.execute(shown).tuples()
    return tell_each(visit, rows, tell_item, lambda row: row[1].id)
