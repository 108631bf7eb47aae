"""What the organiser's board and wall show: counts, progress, who is at work, the latest work."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session, joinedload, selectinload

from catalog.sentences import Sentence, say, say_number
from catalog.states import SEARCHED, ImageState, LeaseKind, PhotoState, Source
from catalog.tables import (
    Annotation,
    Campaign,
    Duplicate,
    HostPause,
    Image,
    Lease,
    Person,
    Photo,
    Remark,
    Search,
    Signature,
)
from collect.forecast import load_survival
from qa.check_list import enabled_checks
from qa.counts import (
    ClassProgress,
    ClassSecs,
    PersonProgress,
    StateCounts,
    load_class_progress,
    load_class_secs,
    load_people_progress,
    load_state_counts,
    load_wall,
    plan_class_targets,
)
from qa.finding_rows import count_open
from qa.findings import Severity

from .blind import select_hidden
from .campaigns import load_open_progress
from .hours import HOUR_SECS, Bin, Progress, gather_bins, load_minutes, load_progress, measure_pace
from .image_actions import RETURNABLE
from .leases import number_lease
from .queue_plan import QueuePlan, load_plan
from .shown import version_of_lease
from .stuck import Stuck, list_stuck
from .visit import Visit


@dataclass(frozen=True)
class Hold:
    """An image that a person has in hand, or reserved and did not open."""

    image_id: int
    person_id: int
    kind: LeaseKind
    since: datetime
    last_sign_at: datetime
    is_opened: bool
    version: str

    @property
    def lease_id(self) -> int:
        """The number by which pages name the lease."""
        return number_lease(self.kind, self.image_id)


@dataclass(frozen=True)
class Pause:
    """A host that is not asked until then."""

    host: str
    until: datetime


@dataclass(frozen=True)
class Jobs:
    """What rows tell of collecting: what was done last and when, not what runs.

    `photos` are those that searches found, by state; `imported` ones are counted apart. `usable` is
    what `collect` compares with the target. `images` are those that dedup compares: neither broken
    nor taken down. Images that came in with labels are to be hashed and compared like any other.
    """

    photos: Mapping[str, int]
    imported: int
    usable: int
    target_images: int
    fetching: int
    searched_at: datetime | None
    fetched_at: datetime | None
    images: int
    to_hash: int
    to_compare: int
    duplicates: int
    compared_at: datetime | None
    pauses: Sequence[Pause]


@dataclass(frozen=True)
class Board:
    """Everything on the board's first view, at one moment; rates are per hour of work."""

    at: datetime
    counts: StateCounts
    holds: Sequence[Hold]
    plan: QueuePlan
    progress: Progress
    zone: tzinfo
    hours: Sequence[Bin]
    per_hour: float
    checks_per_hour: float
    classes: Sequence[ClassProgress]
    people: Sequence[tuple[Person, PersonProgress]]
    class_secs: Sequence[ClassSecs]
    campaigns: Sequence[tuple[Campaign, dict[str, int]]]
    stuck: Sequence[Stuck]
    findings: Mapping[Severity, int]
    jobs: Jobs


@dataclass(frozen=True)
class WallEntry:
    """A finished revision with the remarks on it; `may_return`: it can go back to its author."""

    annotation: Annotation
    image: Image
    remarks: Sequence[Remark]
    may_return: bool


def load_board(visit: Visit, zone: tzinfo) -> Board:
    """The board as it is now; days of progress are the zone's.

    What is counted over all images may be some seconds old in a large party.
    """
    session = visit.session
    counted = count_party(visit, zone)
    people = {person.id: person for person in session.scalars(select(Person))}
    return Board(
        at=visit.at,
        counts=counted.counts,
        holds=_list_holds(visit),
        plan=load_plan(session, visit.party.classes),
        progress=counted.progress,
        zone=zone,
        hours=counted.hours,
        per_hour=counted.per_hour,
        checks_per_hour=counted.checks_per_hour,
        classes=counted.classes,
        people=[(people[line.person_id], line) for line in counted.people],
        class_secs=counted.class_secs,
        campaigns=load_open_progress(session),
        stuck=list_stuck(session),
        findings=counted.findings,
        jobs=counted.jobs,
    )


@dataclass(frozen=True)
class CountedParty:
    """What takes longer, the more images the party holds; without rows."""

    counts: StateCounts
    progress: Progress
    hours: Sequence[Bin]
    per_hour: float
    checks_per_hour: float
    classes: Sequence[ClassProgress]
    people: Sequence[PersonProgress]
    class_secs: Sequence[ClassSecs]
    findings: Mapping[Severity, int]
    jobs: Jobs


def count_party(visit: Visit, zone: tzinfo) -> CountedParty:
    """The counts of the board, for everybody who asks; may be some seconds old in a large party."""
    key = ("board", visit.party.classes_number, str(zone))
    return visit.share(key, lambda visit: _count(visit, zone))


def _count(visit: Visit, zone: tzinfo) -> CountedParty:
    session = visit.session
    at = visit.at
    counts = load_state_counts(session, at=at)
    minutes = load_minutes(session)
    hours = gather_bins(minutes, HOUR_SECS).bins
    per_hour = measure_pace(minutes, at=at)
    targets = plan_class_targets(visit.party.settings, visit.party.preset.class_names)
    checks = [check.name for check in enabled_checks(visit.settings)]
    return CountedParty(
        counts=counts,
        progress=load_progress(minutes, zone),
        hours=hours,
        per_hour=per_hour,
        checks_per_hour=measure_pace(minutes, at=at, count=lambda minute: minute.checked),
        classes=load_class_progress(session, targets, per_hour=per_hour),
        people=load_people_progress(session),
        class_secs=load_class_secs(session),
        findings=count_open(session, checks),
        jobs=_load_jobs(visit, counts.images),
    )


def _list_holds(visit: Visit) -> list[Hold]:
    """What people have in hand, blind tasks like any other; what ran out waits to be swept."""
    is_there = Lease.image.has(Image.state != ImageState.TAKEN_DOWN)
    leases = select(Lease).where(Lease.expires_at > visit.at, is_there)
    return [
        Hold(
            image_id=lease.image_id,
            person_id=lease.person_id,
            kind=LeaseKind.ANNOTATE if lease.kind is LeaseKind.BLIND else lease.kind,
            since=lease.acquired_at,
            last_sign_at=lease.heartbeat_at,
            is_opened=lease.opened_at is not None,
            version=version_of_lease(lease),
        )
        for lease in visit.session.scalars(leases.order_by(Lease.person_id, Lease.id))
    ]


def describe_ago(moment: datetime, at: datetime) -> Sentence:
    """How long ago a moment was, in the largest fitting unit."""
    secs = int(max((at - moment).total_seconds(), 0))
    if secs >= 86_400:
        return say_number(secs // 86_400, "{count} day ago", "{count} days ago")
    if secs >= 3600:
        return say_number(secs // 3600, "{count} hour ago", "{count} hours ago")
    if secs >= 60:
        return say_number(secs // 60, "{count} minute ago", "{count} minutes ago")
    return say("just now")


def _load_jobs(visit: Visit, images: Mapping[ImageState, int]) -> Jobs:
    """Photos by state against the target, images to hash and to compare, and last signs."""
    session = visit.session
    at = visit.at
    is_searched = Photo.source.in_(SEARCHED)
    counted = session.execute(
        select(Photo.state, func.count()).where(is_searched).group_by(Photo.state)
    )
    photos = dict(counted.tuples().all())
    is_imported = Photo.source.not_in(SEARCHED), Photo.state == PhotoState.FETCHED
    claimed = (Photo.state == PhotoState.FOUND, Photo.claimed_until_at > at)
    pauses = select(HostPause).where(HostPause.until_at > at).order_by(HostPause.host)
    labelled_to_hash, labelled_to_compare = _count_labelled(session)
    return Jobs(
        photos={state.value: photos.get(state, 0) for state in PhotoState},
        imported=session.scalar(select(func.count()).where(*is_imported)) or 0,
        usable=load_survival(session).images,
        target_images=visit.party.settings.collect.target_images,
        fetching=session.scalar(select(func.count()).where(*claimed)) or 0,
        searched_at=session.scalar(select(func.max(Search.searched_at))),
        fetched_at=session.scalar(select(func.max(Photo.fetched_at)).where(is_searched)),
        images=sum(images.values()) - sum(images[state] for state in _NOT_COMPARED),
        to_hash=images[ImageState.FETCHED] + labelled_to_hash,
        to_compare=images[ImageState.HASHED] + labelled_to_compare,
        duplicates=images[ImageState.DUPLICATE],
        compared_at=session.scalar(select(func.max(Duplicate.decided_at))),
        pauses=[Pause(pause.host, pause.until_at) for pause in session.scalars(pauses)],
    )


_NOT_COMPARED = ImageState.BROKEN, ImageState.TAKEN_DOWN
_WITH_LABELS = Source.VOC, Source.DATASET
"""Images of these come in annotated, and meet the others only at the next dedup."""


def _count_labelled(session: Session) -> tuple[int, int]:
    """How many images that came with labels were never hashed, and how many met no other yet."""
    is_hashed = Image.phash_64.is_not(None)
    with_labels = select(Photo.image_id).where(Photo.source.in_(_WITH_LABELS))
    waiting = ImageState.FETCHED, ImageState.HASHED
    counts = session.execute(
        select(
            func.count(case((~is_hashed, 1))),
            func.count(case((is_hashed & Signature.is_compared.is_(False), 1))),
        )
        .select_from(Image)
        .outerjoin(Signature, Signature.image_id == Image.id)
        .where(Image.id.in_(with_labels), Image.state.not_in((*waiting, *_NOT_COMPARED)))
    )
    to_hash, to_compare = counts.tuples().one()
    return to_hash, to_compare


def load_wall_entries(visit: Visit, *, limit: int, before_id: int | None = None) -> list[WallEntry]:
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
    about = (Remark.annotation_id.in_(ids), Remark.set_aside_at.is_(None))
    remarks = session.scalars(select(Remark).where(*about).order_by(Remark.id)).all()
    return [
        WallEntry(
            annotation=annotation,
            image=image,
            remarks=[remark for remark in remarks if remark.annotation_id == annotation.id],
            may_return=image.annotation_id == annotation.id and image.state in RETURNABLE,
        )
        for annotation, image in session.execute(shown).tuples()
    ]
