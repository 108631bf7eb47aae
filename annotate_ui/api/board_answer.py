"""What the board shows at one moment, as an answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, tzinfo
from math import isfinite

from pydantic import ConfigDict

from catalog.preset import ClassSpec, Preset
from catalog.states import ImageState, LeaseKind, Role
from catalog.tables import Campaign, Person
from qa.counts import ClassProgress, PersonProgress
from qa.counts import ClassSecs as DrawnSecs
from vockit.report.intervals import Interval
from web.language import translate
from work.board import load_board
from work.campaigns import describe_campaign
from work.hours import Bin
from work.live_settings import load_shares
from work.queue_plan import FirstSet
from work.visit import Visit

from .answers import format_interval
from .names import PersonName, Term, show_name
from .schemas import Answer, ClassId


class Shares(Answer):
    """Settings of checking that the board sets, and the number of their version."""

    number: int
    double_share: float
    gold_share: float
    training_images: int


class Reason(Answer):
    """A reason, and how many images were discarded for it."""

    reason: str
    display: Term
    images: int


class Hold(Answer):
    """An image that a person has in hand, or reserved and did not open."""

    model_config = ConfigDict(from_attributes=True)

    lease_id: int
    image_id: int
    person_id: int
    kind: LeaseKind
    is_opened: bool
    since: datetime
    last_sign_at: datetime
    version: str


class Hour(Answer):
    """An hour, as in 2026-01-31 12, and what was done in it."""

    hour: str
    annotated: int
    discarded: int
    checked: int
    returned: int


class Progress(Answer):
    """Bars of equal length; those that are days begin at midnight in the zone."""

    bin_secs: float
    bins: list[Bin]
    zone: str


class Forecast(Answer):
    """Hours of the party at its pace until the target is met; null without an estimate."""

    hours: float | None
    low_hours: float | None
    high_hours: float | None


class ClassLine(Answer):
    """A class against its target; `name` is its name in a release."""

    id: str
    name: str
    display: Term
    synonyms: tuple[Term, ...]
    images: int
    objects: int
    target: int
    forecast: Forecast


class PersonLine(PersonName):
    """A person's work; checkers changed or returned the share `fixed` of images."""

    role: Role
    seen_at: datetime | None
    slowed_at: datetime | None
    images: int
    checked: int
    active_secs: float
    per_hour: float | None
    fixed: Interval | None
    is_ended: bool


class ClassSecs(Answer):
    """Seconds that drawing an object of a class took: quartiles."""

    class_id: ClassId
    name: str
    display: Term
    objects: int
    quarter_secs: float
    median_secs: float
    three_quarter_secs: float


class CampaignLine(Answer):
    """A campaign, and how many of its images are at which stage."""

    id: int
    name: str
    made_by: str
    text: str
    at: datetime
    images: int
    stages: dict[str, int]


class StuckLine(Answer):
    """An image that no queue gives out, and why."""

    image_id: int
    state: ImageState
    reason: str


class Pause(Answer):
    """A host that is not asked until then."""

    model_config = ConfigDict(from_attributes=True)

    host: str
    until: datetime


class Jobs(Answer):
    """What rows tell of collecting: what was done last and when, not what runs."""

    model_config = ConfigDict(from_attributes=True)

    photos: dict[str, int]
    imported: int
    usable: int
    target_images: int
    fetching: int
    images: int
    to_hash: int
    to_compare: int
    duplicates: int
    searched_at: datetime | None
    fetched_at: datetime | None
    compared_at: datetime | None
    pauses: list[Pause]


class Board(Answer):
    """Everything on the board's first view, at one moment."""

    at: datetime
    images: dict[str, int]
    discarded: list[Reason]
    holds: list[Hold]
    shares: Shares
    first: list[FirstSet]
    wanted_classes: list[str]
    progress: Progress
    per_hour: float | None
    checks_per_hour: float | None
    classes: list[ClassLine]
    people: list[PersonLine]
    hours: list[Hour]
    class_secs: list[ClassSecs]
    campaigns: list[CampaignLine]
    stuck: list[StuckLine]
    findings: dict[str, int]
    jobs: Jobs


def make_board(visit: Visit, zone: tzinfo) -> Board:
    """Where the party stands; days begin at midnight in the zone."""
    board = load_board(visit, zone)
    preset = visit.party.preset
    specs = {spec.name: spec for spec in preset.classes}
    return Board(
        at=board.at,
        images={state.value: count for state, count in board.counts.images.items()},
        discarded=_list_reasons(preset, board.counts.discarded),
        holds=[Hold.model_validate(hold) for hold in board.holds],
        shares=load_shares_answer(visit),
        first=list(board.plan.first),
        wanted_classes=list(board.plan.wanted_classes),
        progress=Progress(
            bin_secs=board.progress.bin_secs,
            bins=list(board.progress.bins),
            zone=str(board.zone),
        ),
        per_hour=board.per_hour,
        checks_per_hour=board.checks_per_hour,
        classes=[_make_class_line(specs[line.class_name], line) for line in board.classes],
        people=[_make_person_line(person, line) for person, line in board.people],
        hours=[_make_hour(hour) for hour in board.hours],
        class_secs=[_make_class_secs(preset, line) for line in board.class_secs],
        campaigns=[_make_campaign(campaign, stages) for campaign, stages in board.campaigns],
        stuck=[
            StuckLine(image_id=stuck.image_id, state=stuck.state, reason=translate(stuck.reason))
            for stuck in board.stuck
        ],
        findings={str(severity): count for severity, count in board.findings.items()},
        jobs=Jobs.model_validate(board.jobs),
    )


def _list_reasons(preset: Preset, discarded: Mapping[str, int]) -> list[Reason]:
    """The reasons of discarded images, the most frequent first."""
    ordered = sorted(discarded.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        Reason(reason=key, display=preset.reason_displays.get(key, key), images=count)
        for key, count in ordered
    ]


def _make_class_line(spec: ClassSpec, line: ClassProgress) -> ClassLine:
    forecast = line.forecast
    return ClassLine(
        id=spec.key,
        name=spec.name,
        display=spec.display,
        synonyms=spec.synonyms,
        images=line.images,
        objects=line.objects,
        target=line.target,
        forecast=Forecast(
            hours=_only_finite(forecast.hours),
            low_hours=_only_finite(forecast.low_hours),
            high_hours=_only_finite(forecast.high_hours),
        ),
    )


def _only_finite(hours: float) -> float | None:
    return hours if isfinite(hours) else None


def _make_person_line(person: Person, line: PersonProgress) -> PersonLine:
    return PersonLine(
        id=person.id,
        name=show_name(person),
        role=person.role,
        seen_at=person.seen_at,
        slowed_at=person.slowed_at,
        images=line.images,
        checked=line.checked,
        active_secs=line.active_secs,
        per_hour=line.per_hour,
        fixed=format_interval(line.corrected),
        is_ended=person.ended_at is not None,
    )


def _make_hour(hour: Bin) -> Hour:
    return Hour(
        hour=f"{hour.start_at:%Y-%m-%d %H}",
        annotated=hour.annotated,
        discarded=hour.discarded,
        checked=hour.checked,
        returned=hour.returned,
    )


def _make_class_secs(preset: Preset, line: DrawnSecs) -> ClassSecs:
    return ClassSecs(
        class_id=line.class_id,
        name=line.class_name,
        display=preset.class_displays.get(line.class_name, line.class_name),
        objects=line.objects,
        quarter_secs=line.quarter_secs,
        median_secs=line.median_secs,
        three_quarter_secs=line.three_quarter_secs,
    )


def _make_campaign(campaign: Campaign, stages: dict[str, int]) -> CampaignLine:
    return CampaignLine(
        id=campaign.id,
        name=campaign.name,
        made_by=campaign.made_by,
        text=translate(describe_campaign(campaign)),
        at=campaign.made_at,
        images=sum(stages.values()),
        stages=stages,
    )


def load_shares_answer(visit: Visit) -> Shares:
    """The shares in force, with the number of their version."""
    return Shares.model_validate(load_shares(visit))
