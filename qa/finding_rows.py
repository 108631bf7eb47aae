"""The queue of findings: kept from run to run, judged by people, closed when they are mended."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, case, func, or_, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from catalog.states import FindingVerdict
from catalog.tables import Finding as FindingRow
from catalog.tables import Image

from .errors import StaleFindingError, UnknownFindingError
from .findings import Finding, Severity
from .intervals import Interval, estimate_share
from .load import LOADED_STATES

_CHUNK = 5000


@dataclass(frozen=True)
class Kept:
    """What a run changed in the queue: rows that are new, came back, or are mended."""

    new: int
    reopened: int
    mended: int


NOTHING_KEPT = Kept(0, 0, 0)


@dataclass(frozen=True)
class CheckRecord:
    """What people said of one check's findings so far; `precision` is the share that was right."""

    check: str
    open: int
    right: int
    wrong: int
    mended: int
    precision: Interval


@dataclass(frozen=True)
class Place:
    """A place in the order of the queue: by severity, whether judged, check, badness and id."""

    rank: int
    is_judged: int
    check: str
    mildness: float
    finding_id: int


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
    is as it was; one of mended does not outlive the finding's return. What is no longer found is
    mended. `image_ids` says that only these images were looked at.
    """
    rows = _load_rows(session, ran, image_ids)
    news = {found.key: found for found in findings if found.key not in rows}
    reopened = 0
    for found in findings:
        row = rows.get(found.key)
        if row is not None:
            reopened += _refresh(row, found)
    _insert(session, [_row_values(found, at) for found in news.values()])
    found_keys = {found.key for found in findings}
    mended = 0
    for key, row in rows.items():
        if key not in found_keys and row.verdict in (None, FindingVerdict.RIGHT):
            row.verdict = FindingVerdict.MENDED
            row.judged_at = at
            mended += 1
    session.flush()
    return Kept(len(news), reopened, mended)


def judge_finding(
    session: Session,
    finding_id: int,
    verdict: FindingVerdict | None,
    *,
    person_id: int,
    at: datetime,
    seen: Collection[FindingVerdict | None] | None = None,
) -> FindingRow:
    """The finding with a person's verdict, of which the last one counts; None takes it back.

    `seen` holds what the person saw before they judged; None where they do not care. Raises
    UnknownFindingError where there is no such finding, StaleFindingError where another verdict
    holds by now.
    """
    row = session.get(FindingRow, finding_id, with_for_update=True, populate_existing=True)
    if row is None:
        raise UnknownFindingError(f"There is no finding {finding_id}.")
    if seen is not None and row.verdict not in seen:
        raise StaleFindingError("Somebody else judged this finding in between.")
    row.verdict = verdict
    row.person_id, row.judged_at = (None, None) if verdict is None else (person_id, at)
    session.flush()
    return row


def list_findings(
    session: Session,
    *,
    checks: Collection[str] | None = None,
    severity: Severity | None = None,
    image_id: int | None = None,
    past: Place | None = None,
    after: int = 0,
    limit: int = 100,
) -> list[FindingRow]:
    """Open findings to be judged: the gravest first, then those of each check, the worst first.

    Checks follow one another by name, so overlaps of classes that look alike (confusable_overlap)
    come before those of others (other_class_overlap). `past` goes on behind a place of this order,
    whatever was judged meanwhile; `after` leaves out as many from the start.
    """
    conditions = [is_open()]
    if checks is not None:
        conditions.append(FindingRow.check_name.in_(checks))
    if severity is not None:
        conditions.append(FindingRow.severity == severity.value)
    if image_id is not None:
        conditions.append(FindingRow.image_id == image_id)
    order = (_severity_rank(), _is_judged(), FindingRow.check_name, -FindingRow.badness)
    if past is not None:
        conditions.append(tuple_(*order, FindingRow.id) > tuple_(*astuple(past)))
    statement = select(FindingRow).where(*conditions).order_by(*order, FindingRow.id)
    return list(session.scalars(statement.offset(after).limit(limit)))


def find_place(row: FindingRow) -> Place:
    """Where the row stands in the order of list_findings now."""
    rank = Severity(row.severity).rank
    return Place(rank, int(row.verdict is not None), row.check_name, -row.badness, row.id)


def count_open(session: Session) -> dict[Severity, int]:
    """How many findings of each severity are open."""
    rows = session.execute(
        select(FindingRow.severity, func.count()).where(is_open()).group_by(FindingRow.severity)
    )
    counts = dict(rows.tuples().all())
    return {severity: counts.get(severity.value, 0) for severity in Severity}


def load_check_records(session: Session, checks: Sequence[str]) -> list[CheckRecord]:
    """What became of the findings of each of these checks, in their order.

    A finding that disappeared because somebody changed the annotation counts as right.
    """
    rows = session.execute(
        select(FindingRow.check_name, FindingRow.verdict, func.count())
        .where(_is_of_finished_work())
        .group_by(FindingRow.check_name, FindingRow.verdict)
    )
    counts = {(check, verdict): count for check, verdict, count in rows.tuples()}
    return [_make_record(check, counts) for check in checks]


def is_open() -> ColumnElement[bool]:
    """Whether a finding waits: not judged, or judged right and still there."""
    waits = or_(FindingRow.verdict.is_(None), FindingRow.verdict == FindingVerdict.RIGHT)
    return waits & _is_of_finished_work()


def _is_of_finished_work() -> ColumnElement[bool]:
    """Whether the image is one that checks look at; others were discarded, returned, taken down."""
    finished = select(Image.id).where(Image.state.in_(LOADED_STATES))
    return or_(FindingRow.image_id.is_(None), FindingRow.image_id.in_(finished))


def _is_judged() -> ColumnElement[int]:
    return case((FindingRow.verdict.is_(None), 0), else_=1)


def _severity_rank() -> ColumnElement[int]:
    return case({word.value: word.rank for word in Severity}, value=FindingRow.severity)


def _make_record(check: str, counts: dict[tuple[str, FindingVerdict | None], int]) -> CheckRecord:
    right, wrong, mended = (
        counts.get((check, verdict), 0)
        for verdict in (FindingVerdict.RIGHT, FindingVerdict.WRONG, FindingVerdict.MENDED)
    )
    open_count = counts.get((check, None), 0) + right
    precision = estimate_share(right + mended, right + mended + wrong)
    return CheckRecord(check, open_count, right, wrong, mended, precision)


def _load_rows(
    session: Session, ran: Collection[str], image_ids: Collection[int] | None
) -> dict[str, FindingRow]:
    """The rows that this run speaks about, by key; of images that checks look at."""
    statement = select(FindingRow).where(FindingRow.check_name.in_(sorted(ran)))
    if image_ids is not None:
        statement = statement.where(FindingRow.image_id.in_(sorted(image_ids)))
    else:
        statement = statement.where(_is_of_finished_work())
    return {row.finding_key: row for row in session.scalars(statement)}


def _refresh(row: FindingRow, found: Finding) -> int:
    """Bring a row to what is said now; 1 where that opened it again."""
    is_same = row.subject_sha256 == found.subject_sha256
    is_back = row.verdict is FindingVerdict.MENDED or (
        row.verdict is FindingVerdict.WRONG and not is_same
    )
    row.message, row.severity = found.message, found.severity.value
    row.object_number, row.badness = found.object_number, found.badness
    row.annotation_id = found.annotation_id
    row.subject_sha256 = found.subject_sha256
    if is_back:
        row.verdict, row.person_id, row.judged_at = None, None, None
    return int(is_back)


def _insert(session: Session, rows: Sequence[dict[str, Any]]) -> None:
    """Insert the rows; one that another run put in meanwhile is left as it is."""
    dialects: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
    make = dialects[session.get_bind().dialect.name]
    for start in range(0, len(rows), _CHUNK):
        statement = make(FindingRow).on_conflict_do_nothing(index_elements=["finding_key"])
        session.execute(statement, rows[start : start + _CHUNK])


def _row_values(found: Finding, at: datetime) -> dict[str, Any]:
    return {
        "finding_key": found.key,
        "check_name": found.check,
        "severity": found.severity.value,
        "image_id": found.image_id,
        "annotation_id": found.annotation_id,
        "object_key": found.object_key,
        "object_number": found.object_number,
        "about_person_id": found.person_id,
        "subject_sha256": found.subject_sha256,
        "message": found.message,
        "badness": found.badness,
        "found_at": at,
    }
