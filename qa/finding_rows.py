"""The queue of findings: kept from run to run, judged by people, closed when they are corrected."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, case, func, literal, or_, select, tuple_
from sqlalchemy.orm import Session

from catalog.at_rest import rests_in
from catalog.refusals import NotFoundError
from catalog.sentences import say, take_apart
from catalog.session import in_parts, insert_or_keep
from catalog.states import FindingVerdict, ImageState
from catalog.tables import Finding as FindingRow
from catalog.tables import FindingJudgement, Image, Person
from vockit.report.intervals import Interval, estimate_share

from .findings import Finding, Severity
from .load import LOADED_STATES

_KEPT = ("image_id", "object_key", "other_key")
_REFRESHED = ("message", "object_number", "badness", "annotation_id", "subject_sha256")


@dataclass(frozen=True)
class Kept:
    """What a run changed in the queue: rows that are new, came back, or are corrected."""

    new: int = 0
    reopened: int = 0
    fixed: int = 0


@dataclass(frozen=True)
class CheckRecord:
    """What people said of one check's findings so far; `precision` is the share that was right."""

    check: str
    open: int
    right: int
    wrong: int
    fixed: int
    precision: Interval


Place = tuple[int, int, str, float, int]
"""A place in the order of the queue: severity, whether judged, check, minus badness, id."""
OpenCounts = Mapping[tuple[str, Severity], int]
"""How many findings of each check and severity are open."""


def keep_findings(
    session: Session,
    findings: Sequence[Finding],
    *,
    ran: Collection[str],
    at: datetime,
    image_ids: Collection[int] | None = None,
) -> Kept:
    """Bring the queue to what the checks named in `ran` find now.

    A finding that is there already stays one row. A verdict of wrong holds as long as its subject
    is as it was; one of corrected does not outlive the finding's return. What is no longer found is
    corrected. `image_ids` says that only these images were looked at.
    """
    of_images = _is_of_finished_work()
    if image_ids is not None:
        of_images = FindingRow.image_id.in_(sorted(image_ids))
    ran_here = select(FindingRow).where(FindingRow.check_name.in_(sorted(ran)), of_images)
    rows = {row.finding_key: row for row in session.scalars(ran_here)}
    news = {finding.key: finding for finding in findings if finding.key not in rows}
    reopened = sum(
        _refresh(rows[finding.key], finding) for finding in findings if finding.key in rows
    )
    _insert(session, list(news.values()), at)
    found_keys = {finding.key for finding in findings}
    waiting = (None, FindingVerdict.RIGHT)
    gone = [row for key, row in rows.items() if key not in found_keys and row.verdict in waiting]
    for row in gone:
        row.verdict = FindingVerdict.FIXED
        row.judged_at = at
    session.flush()
    return Kept(len(news), reopened, len(gone))


def judge_finding(
    session: Session,
    finding_id: int,
    verdict: FindingVerdict | None,
    *,
    person_id: int,
    at: datetime,
) -> FindingRow:
    """The finding with a person's verdict, of which the last one counts; None takes it back.

    Raises NotFoundError where there is no such finding.
    """
    row = session.get(FindingRow, finding_id, with_for_update=True, populate_existing=True)
    if row is None:
        raise NotFoundError(say("Finding {finding_id} does not exist.", finding_id=finding_id))
    judgement = FindingJudgement(
        finding_id=row.id,
        verdict=verdict,
        subject_sha256=row.subject_sha256,
        person_id=person_id,
        role=session.get_one(Person, person_id).role,
        judged_at=at,
    )
    session.add(judgement)
    _follow(row, judgement)
    session.flush()
    return row


def set_judgements_aside(session: Session, condition: ColumnElement[bool], *, at: datetime) -> None:
    """Set judgements aside that fulfil the condition; those before them count again."""
    ours = select(FindingJudgement).where(condition, FindingJudgement.set_aside_at.is_(None))
    finding_ids = set[int]()
    for judgement in session.scalars(ours):
        judgement.set_aside_at = at
        finding_ids.add(judgement.finding_id)
    session.flush()
    for some in in_parts(sorted(finding_ids)):
        for row in session.scalars(select(FindingRow).where(FindingRow.id.in_(some))):
            if row.verdict is not FindingVerdict.FIXED:
                _follow(row, _find_judgement(session, row))
    session.flush()


def _find_judgement(session: Session, row: FindingRow) -> FindingJudgement | None:
    """The last judgement that counts of what the finding is about now."""
    counts = (
        FindingJudgement.finding_id == row.id,
        FindingJudgement.subject_sha256 == row.subject_sha256,
        FindingJudgement.set_aside_at.is_(None),
    )
    last = select(FindingJudgement).where(*counts).order_by(FindingJudgement.id.desc())
    return session.scalar(last.limit(1))


def _follow(row: FindingRow, judgement: FindingJudgement | None) -> None:
    """Let the finding have the verdict of the judgement, if there is one."""
    said = judgement if judgement and judgement.verdict else None
    row.verdict = said.verdict if said else None
    row.person_id = said.person_id if said else None
    row.judged_at = said.judged_at if said else None


def list_findings(
    session: Session,
    *,
    checks: Collection[str] | None = None,
    severity: Severity | None = None,
    image_id: int | None = None,
    past: Place | None = None,
    where: ColumnElement[bool] | None = None,
    limit: int = 100,
) -> list[FindingRow]:
    """Open findings to be judged: the gravest first, then those of each check, the worst first.

    Checks follow one another by name, so overlaps of classes that look alike (confusable_overlap)
    come before those of others (other_class_overlap). `past` goes on behind a place of this order,
    whatever was judged meanwhile; `where` is one more condition.
    """
    conditions = [is_open()] if where is None else [is_open(), where]
    if checks is not None:
        conditions.append(FindingRow.check_name.in_(checks))
    if severity is not None:
        conditions.append(FindingRow.severity == severity.value)
    if image_id is not None:
        conditions.append(FindingRow.image_id == image_id)
    rank = case({word.value: word.rank for word in Severity}, value=FindingRow.severity)
    is_judged = case((FindingRow.verdict.is_(None), 0), else_=1)
    order = (rank, is_judged, FindingRow.check_name, -FindingRow.badness)
    if past is not None:
        conditions.append(tuple_(*order, FindingRow.id) > tuple_(*map(literal, past)))
    statement = select(FindingRow).where(*conditions).order_by(*order, FindingRow.id)
    return list(session.scalars(statement.limit(limit)))


def find_place(row: FindingRow) -> Place:
    """Where the row stands in the order of list_findings now."""
    rank = Severity(row.severity).rank
    is_judged = int(row.verdict is not None)
    return rank, is_judged, row.check_name, -row.badness, row.id


def count_open(session: Session, checks: Collection[str]) -> dict[Severity, int]:
    """How many findings of these checks are open; those on released images are left out."""
    return count_by_severity(count_open_of_checks(session, ~is_of_released()), checks)


def count_by_severity(open_counts: OpenCounts, checks: Collection[str]) -> dict[Severity, int]:
    """The counts of these checks, by severity."""
    counts = dict.fromkeys(Severity, 0)
    for (check, severity), count in open_counts.items():
        if check in checks:
            counts[severity] += count
    return counts


def count_open_of_checks(session: Session, where: ColumnElement[bool]) -> OpenCounts:
    """How many open findings of each check and severity fulfil the condition."""
    named = FindingRow.check_name, FindingRow.severity
    counted = select(*named, func.count()).where(is_open(), where).group_by(*named)
    rows = session.execute(counted).tuples()
    return {(check, Severity(severity)): count for check, severity, count in rows}


def load_check_records(session: Session, checks: Sequence[str]) -> list[CheckRecord]:
    """What became of each check's findings; one that a new annotation removed counts as right."""
    rows = session.execute(
        select(FindingRow.check_name, FindingRow.verdict, func.count())
        .where(_is_of_finished_work())
        .group_by(FindingRow.check_name, FindingRow.verdict)
    )
    counts = {(check, verdict): count for check, verdict, count in rows.tuples()}
    words = (None, FindingVerdict.RIGHT, FindingVerdict.WRONG, FindingVerdict.FIXED)
    records = []
    for check in checks:
        new, right, wrong, fixed = (counts.get((check, word), 0) for word in words)
        precision = estimate_share(right + fixed, right + fixed + wrong)
        records.append(CheckRecord(check, new + right, right, wrong, fixed, precision))
    return records


def is_waiting() -> ColumnElement[bool]:
    """Whether a finding is not judged, or judged right and still there."""
    return or_(FindingRow.verdict.is_(None), FindingRow.verdict == FindingVerdict.RIGHT)


def is_open() -> ColumnElement[bool]:
    """Whether a finding waits, and its image is one that checks look at."""
    return is_waiting() & _is_of_finished_work()


def is_of_released() -> ColumnElement[bool]:
    """Whether the finding's image is released: it waits for a correction of that release."""
    released = select(Image.id).where(rests_in([ImageState.RELEASED]))
    return FindingRow.image_id.is_not(None) & FindingRow.image_id.in_(released)


def _is_of_finished_work() -> ColumnElement[bool]:
    """Whether the image is one that checks look at; others were discarded, returned, taken down."""
    finished = select(Image.id).where(rests_in(LOADED_STATES))
    return or_(FindingRow.image_id.is_(None), FindingRow.image_id.in_(finished))


def _refresh(row: FindingRow, finding: Finding) -> int:
    """Bring a row to what is said now; 1 where that opened it again."""
    is_other = row.subject_sha256 != finding.subject_sha256
    was_wrong = row.verdict is FindingVerdict.WRONG
    is_back = row.verdict is FindingVerdict.FIXED or (was_wrong and is_other)
    row.severity = finding.severity.value
    row.message_parts = take_apart(finding.message)
    for name in _REFRESHED:
        setattr(row, name, getattr(finding, name))
    if is_back:
        row.verdict = None
        row.person_id = None
        row.judged_at = None
    return int(is_back)


def _insert(session: Session, findings: Sequence[Finding], at: datetime) -> None:
    """Insert rows; one that another run put in meanwhile is left as it is."""
    rows = [
        {
            "finding_key": finding.key,
            "check_name": finding.check,
            "severity": finding.severity.value,
            "about_person_id": finding.person_id,
            "found_at": at,
            "message_parts": take_apart(finding.message),
            **{name: getattr(finding, name) for name in (*_REFRESHED, *_KEPT)},
        }
        for finding in findings
    ]
    if rows:
        session.execute(insert_or_keep(session, FindingRow, ["finding_key"]), rows)
