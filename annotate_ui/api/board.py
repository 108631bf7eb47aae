"""The organiser's board: counts, tables, shares, leases to take back."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from io import StringIO
from math import isfinite
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from flask import Response, request
from pydantic import ConfigDict, Field

from catalog.preset import Preset
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.states import ImageState, LeaseKind, Role
from catalog.tables import Campaign, Person
from qa.agreement import make_matrix, summarise_classes, summarise_people
from qa.counts import ClassProgress, PersonProgress
from qa.counts import ClassSecs as DrawnSecs
from qa.work import load_blind_pairs
from vockit.report.intervals import Interval
from web.language import translate
from work.board import load_board
from work.bodies import Body
from work.campaigns import describe_campaign
from work.hours import Bin
from work.leases import read_number
from work.live_settings import SHARES, load_shares, save_qa_settings
from work.people import list_people
from work.queue_plan import FirstSet
from work.stuck import settle_image
from work.tasks import give_back
from work.visit import Visit

from .answers import Json, format_moment, save_or_head
from .names import PersonName, Term, show_name
from .schemas import Answer, Base, ClassId, NoAnswer, Reply, Routes

blueprint = Routes("board", __name__, url_prefix="/board")

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Images = Annotated[int, Field(ge=0, le=100)]


class SharesBody(Body):
    """Shares of images, and the number of the version that they started from."""

    base: Base
    double_share: _Share
    gold_share: _Share
    training_images: _Images


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
    """A class against its target."""

    id: str
    display: Term
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
    display: Term
    objects: int
    quarter_secs: float
    median_secs: float
    three_quarter_secs: float


class CampaignLine(Answer):
    """A campaign, and how many of its images are at which stage."""

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


class PersonBoth(PersonName):
    """How much of what either drew a person and others both drew."""

    both: Interval | None


class ClassBoth(Answer):
    """How much of what either of two people drew of a class both drew."""

    id: str
    display: Term
    both: Interval


class Cell(Answer):
    """Two people's agreement on images that both drew blind."""

    first_id: int
    second_id: int
    first: str
    second: str
    both: Interval
    mean_overlap: float | None
    images: int


class AgreementAnswer(Answer):
    """Who agrees with whom."""

    people: list[PersonBoth]
    classes: list[ClassBoth]
    cells: list[Cell]


class SettledImage(Answer):
    """The state of an image that was stuck."""

    state: ImageState


@blueprint.on_get("", answers=Board)
def show_board(visit: Visit) -> Reply:
    """Where the party stands; `?zone=Europe/Zurich` says where days begin."""
    return _make_board(visit)


@blueprint.on_get("/agreement", answers=AgreementAnswer)
def show_agreement(visit: Visit) -> Reply:
    """Who agrees with whom."""
    return _load_agreement(visit)


@blueprint.on_get("/<name>.csv", answers=str)
def send_table(visit: Visit, name: str) -> Reply:
    """One plot's numbers: images, classes, people, hours, progress, seconds or agreement."""
    if name not in TABLES:
        raise NotFoundError(say("Unknown table. Tables: {tables}.", tables=list(TABLES)))
    answer = _load_agreement(visit) if name == "agreement" else _make_board(visit)
    columns, list_rows = TABLES[name]
    moment = format_moment(visit.at).replace(":", "")
    return Response(
        format_csv(columns, list_rows(answer.model_dump(by_alias=True))),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}-{moment}.csv"'},
    )


@blueprint.on_put("/shares", answers=Shares)
def put_shares(visit: Visit, body: SharesBody) -> Reply:
    """The shares of images that hold from now on; other settings of checking stay as they are."""

    def save() -> Shares:
        save_qa_settings(visit, body.model_dump(include=set(SHARES)), base=body.base)
        return _load_shares(visit)

    return save_or_head(save, lambda: _load_shares(visit))


@blueprint.on_post("/people/<int:person_id>/leases/<int:lease_id>/take-back")
def take_lease_back(visit: Visit, person_id: int, lease_id: int) -> Reply:
    """Nothing; the image is where it came from, and work that comes later is taken if it fits."""
    kind, image_id = read_number(lease_id)
    give_back(visit, kind, image_id, of_id=person_id)
    return NoAnswer()


@blueprint.on_post("/stuck/<int:image_id>/settle", answers=SettledImage)
def post_settle(visit: Visit, image_id: int) -> Reply:
    """The state of an image that was stuck: where its own revisions and verdicts say."""
    return SettledImage(state=settle_image(visit.session, image_id, at=visit.at))


def _get_zone() -> tzinfo:
    """The zone that a browser names ("Europe/Zurich"); UTC where this machine does not know it."""
    try:
        return ZoneInfo(request.args.get("zone", "UTC"))
    except (ValueError, KeyError, OSError):  # no name, no such zone, a folder of them
        return UTC


def _make_board(visit: Visit) -> Board:
    board, preset = load_board(visit, _get_zone()), visit.party.preset
    return Board(
        at=board.at,
        images={state.value: count for state, count in board.counts.images.items()},
        discarded=_list_reasons(preset, board.counts.discarded),
        holds=[Hold.model_validate(hold) for hold in board.holds],
        shares=_load_shares(visit),
        first=list(board.plan.first),
        wanted_classes=list(board.plan.wanted_classes),
        progress=Progress(
            bin_secs=board.progress.bin_secs,
            bins=list(board.progress.bins),
            zone=str(board.zone),
        ),
        per_hour=board.per_hour,
        checks_per_hour=board.checks_per_hour,
        classes=[_make_class_line(preset, line) for line in board.classes],
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


def _make_class_line(preset: Preset, line: ClassProgress) -> ClassLine:
    forecast = line.forecast
    return ClassLine(
        id=preset.class_ids[line.class_name],
        display=preset.class_displays[line.class_name],
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
        class_id=preset.class_ids.get(line.class_name, line.class_name),
        display=preset.class_displays.get(line.class_name, line.class_name),
        objects=line.objects,
        quarter_secs=line.quarter_secs,
        median_secs=line.median_secs,
        three_quarter_secs=line.three_quarter_secs,
    )


def _make_campaign(campaign: Campaign, stages: dict[str, int]) -> CampaignLine:
    return CampaignLine(
        name=campaign.name,
        made_by=campaign.made_by,
        text=translate(describe_campaign(campaign)),
        at=campaign.made_at,
        images=sum(stages.values()),
        stages=stages,
    )


def format_interval(interval: Interval) -> Interval | None:
    """An estimate with its interval of 95 %, or None where nothing is known."""
    return interval if interval.count else None


def _load_shares(visit: Visit) -> Shares:
    return Shares.model_validate(load_shares(visit))


def _load_agreement(visit: Visit) -> AgreementAnswer:
    names = {person.id: show_name(person) for person in list_people(visit.session)}
    preset = visit.party.preset
    cells = make_matrix(load_blind_pairs(visit.session), visit.settings.qa.match_overlap)
    return AgreementAnswer(
        people=[
            PersonBoth(id=person_id, name=names[person_id], both=format_interval(interval))
            for person_id, interval in summarise_people(cells).items()
        ],
        classes=[
            ClassBoth(id=preset.class_ids[name], display=preset.class_displays[name], both=interval)
            for name, interval in summarise_classes(cells, preset.class_names).items()
        ],
        cells=[
            Cell(
                first_id=cell.first_id,
                second_id=cell.second_id,
                first=names[cell.first_id],
                second=names[cell.second_id],
                both=cell.both,
                mean_overlap=cell.mean_overlap,
                images=cell.images,
            )
            for cell in cells
            if cell.both.count
        ],
    )


_DONE = "annotated discarded checked returned"
TABLES: dict[str, tuple[str, Callable[[Json], list[Json]]]] = {
    "images": (
        "state reason images",
        lambda board: [
            *({"state": state, "images": count} for state, count in board["images"].items()),
            *({"state": "discarded"} | row for row in board["discarded"]),
        ],
    ),
    "classes": (
        "name images objects target hours low_hours high_hours",
        lambda board: [line | line["forecast"] for line in board["classes"]],
    ),
    "people": (
        "name role images checked active_secs per_hour seen_at fixed",
        lambda board: board["people"],
    ),
    "hours": (f"hour {_DONE}", lambda board: board["hours"]),
    "progress": (
        f"start_at {_DONE}",
        lambda board: board["progress"]["bins"],
    ),
    "seconds": (
        "class objects quarter_secs median_secs three_quarter_secs",
        lambda board: board["class_secs"],
    ),
    "agreement": (
        "first_id first second_id second images both mean_overlap",
        lambda agreement: agreement["cells"],
    ),
}
"""The columns of each table, and its rows of a board or an agreement."""
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def format_csv(columns: str, rows: list[Json]) -> str:
    """The rows as CSV with a line of heads; empty where there are none."""
    text = StringIO()
    if rows:
        names = columns.split()
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _disarm(row.get(name, "")) for name in names} for row in rows)
    return text.getvalue()


def _disarm(value: Any) -> Any:
    """A name that a spreadsheet would take for a formula, as text; a moment as JSON has it."""
    if isinstance(value, datetime):
        return format_moment(value)
    if isinstance(value, dict):  # an interval
        return value["value"]
    is_formula = isinstance(value, str) and value.startswith(_FORMULA_STARTS)
    return f"'{value}" if is_formula else value
