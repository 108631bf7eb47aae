"""What the automatic checks found, and people's word on it."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import request
from pydantic import Field, FiniteFloat, TypeAdapter
from sqlalchemy import ColumnElement, select

from catalog.refusals import NotFoundError, refuse
from catalog.sentences import say
from catalog.states import FindingVerdict, Role
from catalog.tables import Finding, Image, Object, Person
from qa import finding_rows
from qa.check_list import CHECKS, LIVE_NAME, check_names, enabled_checks
from qa.finding_rows import Place
from qa.findings import Finding as QaFinding
from qa.findings import Severity
from web.language import translate
from work.blind import select_hidden
from work.bodies import Body
from work.live_settings import load_number, save_qa_settings
from work.shown import version_of_finding
from work.visit import Visit

from .addresses import crop_url, image_url
from .answers import Share, answer_each, format_share
from .names import Term, show_name
from .schemas import (
    MAX_ID,
    Answer,
    Base,
    Now,
    Reply,
    Routes,
    Shown,
    Version,
    parse_choice,
    parse_number,
)

blueprint = Routes("findings", __name__, url_prefix="/findings")
MOST = 60
_Number = Annotated[int, Field(ge=-MAX_ID, le=MAX_ID)]
_PLACE = TypeAdapter(tuple[_Number, _Number, str, FiniteFloat, _Number])
_CHECKS = {check.name: check for check in CHECKS}


class FindingVerdictBody(Body):
    """Null takes a verdict back; `version` is that of the finding as the sender saw it."""

    verdict: Literal["right", "wrong"] | None
    version: Version


class SwitchesBody(Body):
    """The checks that are off from now on."""

    base: Base
    switched_off: Annotated[tuple[str, ...], Field(max_length=100)]


class Hint(Answer):
    """A hint of the automatic checks, which blocks nothing."""

    check: str
    severity: str
    message: str
    object_key: str | None


class OpenFinding(Hint):
    """A finding that waits for a checker."""

    id: int
    verdict: str | None
    version: str


class CheckAnswer(Answer):
    """A check and its record; precision is (right + fixed) of all judged.

    `open` counts by severity what the page lists, so none on released images unless it lists these.
    """

    name: str
    severity: str
    display: Term
    explanation: Term
    open: dict[Severity, int]
    right: int
    wrong: int
    fixed: int
    precision: Share
    is_on: bool


class FindingAnswer(OpenFinding):
    """A finding of the queue."""

    image_id: int | None
    picture_url: str | None


class FindingsPage(Answer):
    """At most 60 findings; `?past=` with `next` goes on behind them."""

    findings: list[FindingAnswer]
    next: str | None
    checks: list[CheckAnswer]
    number: int


class JudgedFinding(Answer):
    """A finding as it is now, who judged it, and the record of its check."""

    verdict: str | None
    version: str
    message: str
    judged_by: str | None
    check: CheckAnswer


class SwitchesAnswer(Answer):
    """Which checks are off, and the number of that version."""

    number: int
    switched_off: list[str]


@blueprint.on_get("", Role.CHECKER, answers=FindingsPage)
def show_findings(visit: Visit) -> Reply:
    """Open findings of the checks that are on, the gravest first, and the record of every check.

    `?check=`, `?severity=` and `?image_id=` choose. Those on released images come with
    `?released=1` alone, those on images that one annotates blind not at all.
    """
    on = [check.name for check in enabled_checks(visit.settings)]
    check = parse_choice(request.args, "check", check_names())
    severity = parse_choice(request.args, "severity", Severity)
    image_id = parse_number(request.args, "image_id")
    shown = _is_shown(visit)
    if image_id is None:
        is_released = finding_rows.is_of_released()
        shown &= is_released if "released" in request.args else ~is_released
    rows = finding_rows.list_findings(
        visit.session,
        checks=on if check is None else [check],
        severity=Severity(severity) if severity else None,
        image_id=image_id,
        past=parse_place(),
        where=shown,
        limit=MOST + 1,
    )
    visit.shown.update(row.image_id for row in rows[:MOST] if row.image_id is not None)
    open_counts = finding_rows.count_open_of_checks(visit.session, shown)
    records = finding_rows.load_check_records(visit.session, check_names())
    return FindingsPage(
        findings=answer_each(
            visit,
            rows[:MOST],
            lambda row: _make_finding(visit, row),
            lambda row: row.image_id or 0,
        ),
        next=format_place(rows[MOST - 1]) if len(rows) > MOST else None,
        checks=[_make_check(record, open_counts, record.check in on) for record in records],
        number=load_number(visit.session, LIVE_NAME),
    )


def _load_now(visit: Visit, finding_id: int) -> Now:
    """The finding as it is now, locked; raises NotFoundError where there is none."""
    row = visit.session.get(Finding, finding_id, with_for_update=True, populate_existing=True)
    if row is None:
        raise NotFoundError(say("Finding {finding_id} does not exist.", finding_id=finding_id))
    return Now(version_of_finding(row), _make_judged(visit, row))


@blueprint.on_post(
    "/<int:finding_id>/verdict",
    Role.CHECKER,
    shows=Shown("version", _load_now),
    answers=JudgedFinding,
)
def post_verdict(visit: Visit, finding_id: int, body: FindingVerdictBody) -> Reply:
    """The record of the finding's check after the verdict."""
    verdict = FindingVerdict(body.verdict) if body.verdict else None
    row = finding_rows.judge_finding(
        visit.session, finding_id, verdict, person_id=visit.person.id, at=visit.at
    )
    return _make_judged(visit, row)


def _make_judged(visit: Visit, row: Finding) -> JudgedFinding:
    judge = visit.session.get(Person, row.person_id or 0)  # none where a correction spoke
    return JudgedFinding(
        verdict=row.verdict,
        version=version_of_finding(row),
        message=translate(row.sentence),
        judged_by=show_name(judge) if judge else None,
        check=_load_check(visit, row),
    )


@blueprint.on_put("/switches", shows=Shown("base"), answers=SwitchesAnswer)
def put_switches(visit: Visit, body: SwitchesBody) -> Reply:
    """Which checks are off from now on."""
    names = list(body.switched_off)
    saved = save_qa_settings(visit, {"switched_off": names}, base=body.base, field="switched_off")
    return SwitchesAnswer(number=saved.number, switched_off=names)


def make_hint(finding: QaFinding) -> Hint:
    """A finding of checks that just ran."""
    return Hint(
        check=finding.check,
        severity=finding.severity,
        message=translate(finding.message),
        object_key=finding.object_key,
    )


def make_open_finding(row: Finding) -> OpenFinding:
    """A finding of the queue, to be judged."""
    return OpenFinding(
        check=row.check_name,
        severity=row.severity,
        message=translate(row.sentence),
        object_key=row.object_key,
        id=row.id,
        verdict=row.verdict,
        version=version_of_finding(row),
    )


def _make_finding(visit: Visit, row: Finding) -> FindingAnswer:
    """A finding of the queue with its picture."""
    return FindingAnswer(
        check=row.check_name,
        severity=row.severity,
        message=translate(row.sentence),
        object_key=row.object_key,
        id=row.id,
        verdict=row.verdict,
        version=version_of_finding(row),
        image_id=row.image_id,
        picture_url=_name_picture(visit, row),
    )


def _load_check(visit: Visit, row: Finding) -> CheckAnswer:
    """The check's record; what is open of it is counted on released images where the row's is one.

    Else it is counted on the others, so that the page goes on to count what it lists.
    """
    of_released = finding_rows.is_of_released()
    is_released = visit.session.scalar(select(of_released).where(Finding.id == row.id))
    shown = _is_shown(visit) & (of_released if is_released else ~of_released)
    open_counts = finding_rows.count_open_of_checks(visit.session, shown)
    (record,) = finding_rows.load_check_records(visit.session, [row.check_name])
    return _make_check(record, open_counts, record.check not in visit.settings.qa.switched_off)


def _is_shown(visit: Visit) -> ColumnElement[bool]:
    """Whether a finding is not on an image that the visitor annotates blind."""
    return Finding.image_id.is_(None) | Finding.image_id.not_in(select_hidden(visit))


def format_place(row: Finding) -> str:
    """The row's place in the order of the findings, as an answer gives it in `next`."""
    return "~".join(map(str, finding_rows.find_place(row)))


def parse_place() -> Place | None:
    """The place that `?past=` names, as an earlier answer gave it in `next`."""
    word = request.args.get("past")
    if word is None:
        return None
    try:
        place = _PLACE.validate_python(word.split("~"))
        if place[2] not in check_names():
            raise ValueError
    except ValueError:
        refuse("past", say("expected what an answer gave as next"))
    return place


def _name_picture(visit: Visit, row: Finding) -> str | None:
    """The crop with the box of the object that is spoken of, else the whole image."""
    if row.image_id is None:
        return None
    image = visit.session.get_one(Image, row.image_id)
    of_head = select(Object).where(Object.annotation_id == image.annotation_id)
    item = visit.session.scalar(of_head.where(Object.object_key == row.object_key))
    if item is None:
        return image_url(image.sha256)
    return crop_url(image.sha256, item.box, is_framed=True)


def _make_check(
    record: finding_rows.CheckRecord, open_counts: finding_rows.OpenCounts, is_on: bool
) -> CheckAnswer:
    check = _CHECKS[record.check]
    return CheckAnswer(
        name=check.name,
        severity=check.severity,
        display=check.name.replace("_", " "),
        explanation=check.explanation,
        open=finding_rows.count_by_severity(open_counts, [check.name]),
        right=record.right,
        wrong=record.wrong,
        fixed=record.fixed,
        precision=format_share(record.precision),
        is_on=is_on,
    )
