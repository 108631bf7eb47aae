"""The board: entries of a competition with intervals, ranks, and what each team lets be seen."""

from __future__ import annotations

import functools
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session, defer, joinedload

from catalog.refusals import InvalidError, NotFoundError
from catalog.sentences import say
from vockit.evaluate.comparing import CompetitionComparison, compare_entries, describe_ranks
from vockit.format.plural import format_count

from . import people, showing, submissions
from .database import load_frozen
from .folder import Challenge
from .quota import OF_METHOD
from .scoring import load_evidence
from .showing import Scored, View
from .tables import Edition, Method, Scoring, Submission
from .values import Board, BoardRow, EditionLine, Interval, Part, ScoringState, State

ANONYMOUS = "anonymous"
NO_MEAN = "No mean: "
"""How the note of an entry begins that lacks classes; it tells nothing of who made it."""
_COMPARISONS_KEPT = 64
_COMPARING = threading.Lock()
_NOTHING = Interval(None)


def load_board(
    session: Session,
    challenge: Challenge,
    competition: str,
    now: datetime,
    *,
    team_id: int | None = None,
    edition: int | None = None,
    is_closing: bool = False,
) -> Board:
    """The published entries of a competition, the best first; with `team_id` its private ones too.

    It has no row before the phase allows scores. Of an older `edition` it is as it was. With
    `is_closing` it is the final board of the challenge, without the rolling server's entries.
    Raises NotFoundError for a competition or an edition that there is not.
    """
    if competition not in load_frozen(session).competitions:
        raise NotFoundError(say("There is no competition {name} here.", name=competition))
    chosen = _find_edition(session, edition)
    view = showing.find_view(session, now, is_closing=is_closing)
    scored = [] if view is None else _load_scored(session, chosen.id, competition, view)
    if is_closing:
        scored = [
            entry for entry in scored if (entry.submission.period or "").startswith(OF_METHOD)
        ]
    visible = [entry for entry in scored if _is_visible(entry.submission, team_id)]
    # From here on nothing but the ladder reads `scored`: what is private leaves no trace.
    rows: list[BoardRow] = []
    sentences: tuple[str, ...] = ()
    if view is not None:
        shown = showing.climb(scored, view)
        moved = _measure_moves(session, chosen, competition, view, visible)
        seen = {entry.submission.id for entry in visible}
        rows = [_make_row(entry, shown, view, moved, seen) for entry in visible]
        rows, sentences = _compare(challenge, chosen.id, competition, view, rows, visible)
    return Board(
        competition=competition,
        task=visible[0].task if visible else "",
        part=view.part if view else Part.WHOLE,
        edition=chosen.id,
        evaluator=chosen.evaluator,
        classes=list(dict.fromkeys(name for entry in visible for name in entry.numbers["classes"])),
        rows=sorted(rows, key=_sort_key),
        ranks=sentences,
        people=people.load_people(
            challenge.truth_folder(chosen.truth_folder),
            chosen.evaluator,
            competition,
            view.part if view else None,
        ),
    )


def _sort_key(row: BoardRow) -> tuple[bool, float, int]:
    score = row.mean.score
    return score is None, -(score or 0.0), row.submission_id


def _find_edition(session: Session, number: int | None) -> Edition:
    """The edition of that number, the newest without one; only one that is shown."""
    editions = select(Edition).where(Edition.published_at.is_not(None))
    if number is not None:
        editions = editions.where(Edition.id == number)
    edition = session.scalar(editions.order_by(Edition.id.desc()).limit(1))
    if edition is None:
        raise NotFoundError(say("There is no edition {number} of the board.", number=number or 0))
    return edition


def _load_scored(
    session: Session, edition_id: int, competition: str, view: View, *, team_id: int | None = None
) -> list[Scored]:
    """What was scored in a competition, of one team or all, in the order of confirmation."""
    rows = (
        select(Scoring)
        .join(Scoring.submission)
        .where(Scoring.edition_id == edition_id, Scoring.state == ScoringState.DONE)
        .order_by(Submission.confirmed_at, Submission.id)
        .options(
            joinedload(Scoring.submission).options(
                defer(Submission.verdict),
                joinedload(Submission.team),
                joinedload(Submission.method),
            )
        )
    )
    if team_id is not None:
        rows = rows.where(Submission.team_id == team_id)
    scored = []
    for scoring in session.scalars(rows):
        parts = (scoring.results or {}).get("parts", {})
        numbers = parts.get(view.part.value, {}).get(competition)
        if numbers is not None:
            notes = (scoring.results or {}).get("notes", [])
            scored.append(Scored(scoring.submission, numbers | {"notes": notes}))
    return scored


def _is_visible(submission: Submission, team_id: int | None) -> bool:
    return not _is_private(submission) or submission.team_id == team_id


def _is_private(submission: Submission) -> bool:
    return submission.published_at is None or submission.hidden_at is not None


def _make_row(
    entry: Scored,
    shown: Mapping[int, int],
    view: View,
    moved: Mapping[int, float],
    seen: Collection[int],
) -> BoardRow:
    """The row of an entry; without numbers where it is disqualified or moves no score.

    Its note names no entry but those that the reader has `seen`.
    """
    submission = entry.submission
    method = submission.method
    notes = [*entry.numbers["notes"], *_describe_missing(entry)]
    is_itself = shown[submission.id] == submission.id
    if not is_itself:
        best = shown[submission.id]
        number = f", entry {best}" if best in seen else ""
        notes.append(
            f"Not more than {view.find_step(submission):g} points above the team's best{number}, "
            "so that no number moves."
        )
    notes += describe_own_images(method)
    has_numbers = is_itself and submission.disqualified_for is None
    return BoardRow(
        submission_id=submission.id,
        team=submission.team.name,
        method=method.name,
        method_id=method.id,
        confirmed_at=submission.confirmed_at or submission.began_at,
        mean=entry.mean if has_numbers else _NOTHING,
        classes=entry.classes if has_numbers else {},
        ranks=None,
        is_near_best=False,
        moved=moved.get(submission.id) if has_numbers else None,
        training=method.training,
        training_data=method.training_data,
        mask_source=method.mask_source,
        notes=tuple(notes),
        disqualified_for=submission.disqualified_for or "",
        is_private=_is_private(submission),
    )


def describe_own_images(method: Method) -> list[str]:
    """What the comparison of a method's own images with the test images found."""
    if method.own_images is None:
        return []
    if method.overlaps is None:
        images = format_count(method.own_images, "own image")
        state = "could not be" if method.overlap_fault else "are not yet"
        return [f"{images} {state} compared with the test images."]
    return [f"Own images that look like test images: {method.overlaps:,} of {method.own_images:,}."]


def _describe_missing(entry: Scored) -> list[str]:
    """Why an entry has no mean, as evaluate says it; nothing of one that has all classes."""
    missing = entry.numbers["missing"]
    if not missing:
        return []
    wanted = {*entry.numbers["classes"], *missing}
    names = ", ".join(missing)
    return [f"{NO_MEAN}{len(wanted) - len(missing)} of {len(wanted)} classes; missing: {names}"]


def _measure_moves(
    session: Session, edition: Edition, competition: str, view: View, visible: Sequence[Scored]
) -> dict[int, float]:
    """By how many percent points each mean differs from the one shown in the edition before."""
    before = session.scalar(
        select(Edition)
        .where(Edition.id < edition.id, Edition.published_at.is_not(None))
        .order_by(Edition.id.desc())
        .limit(1)
    )
    if before is None:
        return {}
    scored = _load_scored(session, before.id, competition, view)
    shown = showing.climb(scored, view)
    earlier = {
        entry.submission.id: entry.mean.score
        for entry in scored
        if shown[entry.submission.id] == entry.submission.id
    }
    moves = {}
    for entry in visible:
        old = earlier.get(entry.submission.id)
        new = entry.mean.score
        if old is not None and new is not None:
            moves[entry.submission.id] = round(new - old, 1)
    return moves


@dataclass(frozen=True)
class _Evidence:
    """The file of one entry's replicates, and what the entry is called in sentences."""

    name: str
    path: Path
    changed_ns: int


def _compare(
    challenge: Challenge,
    edition_id: int,
    competition: str,
    view: View,
    rows: Sequence[BoardRow],
    visible: Sequence[Scored],
) -> tuple[list[BoardRow], tuple[str, ...]]:
    """The rows with ranks and what is not separated from the best, and sentences on the tests.

    One that has no mean has no rank either.
    """
    evidence = dict[int, _Evidence]()
    for row in rows:
        path = challenge.evidence_path(row.submission_id, edition_id)
        if row.mean.score is not None and path.is_file():
            name = f"{row.team}: {row.method} ({row.submission_id})"
            evidence[row.submission_id] = _Evidence(name, path, path.stat().st_mtime_ns)
    task = visible[0].task if visible else ""
    comparison = _compare_files(tuple(evidence.values()), task, competition, view.part)
    if comparison is None:
        return [replace(row, is_near_best=row.submission_id in evidence) for row in rows], ()
    mean = comparison.mean
    compared = []
    for row in rows:
        name = evidence[row.submission_id].name if row.submission_id in evidence else ""
        compared.append(replace(row, ranks=mean.ranks.get(name), is_near_best=name in mean.best))
    return compared, tuple(describe_ranks(comparison))


def _compare_files(
    evidence: tuple[_Evidence, ...], task: str, competition: str, part: Part
) -> CompetitionComparison | None:
    """The comparison of these entries; None where there are not two that can be compared.

    One request makes it, and those that come meanwhile wait for it.
    """
    with _COMPARING:
        return _compare_once(evidence, task, competition, part)


@functools.lru_cache(maxsize=_COMPARISONS_KEPT)
def _compare_once(
    evidence: tuple[_Evidence, ...], task: str, competition: str, part: Part
) -> CompetitionComparison | None:
    entries = {entry.name: load_evidence(entry.path, part, competition) for entry in evidence}
    if len(entries) < 2:
        return None
    comparison = compare_entries(task, competition, entries, means_alone=True)
    return comparison if isinstance(comparison, CompetitionComparison) else None


def load_result(
    session: Session, challenge: Challenge, team_id: int, submission_id: int, now: datetime
) -> Mapping[str, BoardRow]:
    """A team's own result by competition; empty before it is scored or the phase allows scores."""
    submission = submissions.get(session, team_id, submission_id)
    view = showing.find_view(session, now)
    if view is None or submission.state is not State.SCORED:
        return {}
    edition = _find_edition(session, None)
    results = dict[str, BoardRow]()
    for competition in submission.competitions:
        scored = _load_scored(session, edition.id, competition, view, team_id=team_id)
        shown = showing.climb(scored, view)  # a team's ladder counts its own entries alone
        for entry in scored:
            if entry.submission.id == submission_id:
                results[competition] = _make_row(entry, shown, view, {}, shown)
    return results


def load_history(
    session: Session, challenge: Challenge, competition: str, now: datetime
) -> Sequence[BoardRow]:
    """The published entries of a competition in the order of time."""
    rows = load_board(session, challenge, competition, now).rows
    return sorted(rows, key=lambda row: (row.confirmed_at, row.submission_id))


def publish(session: Session, team_id: int, submission_id: int, now: datetime) -> None:
    """Show a team's scored submission on the board; raises InvalidError for one without scores."""
    submission = submissions.get(session, team_id, submission_id)
    if submission.state is not State.SCORED:
        raise InvalidError(say("Only a scored submission can be on the board."))
    submission.published_at = submission.published_at or now


def withdraw(session: Session, team_id: int, submission_id: int) -> None:
    """Take a team's entry from the board; its quota stays taken."""
    submissions.get(session, team_id, submission_id).published_at = None


def make_anonymous_code(session: Session, team_id: int, submission_id: int, *, code: str) -> str:
    """The code of the address that shows a private entry without names; the earlier one if any."""
    submission = submissions.get(session, team_id, submission_id)
    if submission.state is not State.SCORED:
        raise InvalidError(say("Only a scored submission has an address for reviewers."))
    submission.anonymous_code = submission.anonymous_code or code
    return submission.anonymous_code


def end_anonymous_code(session: Session, team_id: int, submission_id: int) -> None:
    """Let the anonymous address of an entry lead nowhere."""
    submissions.get(session, team_id, submission_id).anonymous_code = None


def get_anonymous(session: Session, code: str) -> Submission:
    """The submission behind an anonymous address; raises NotFoundError."""
    submission = session.scalar(select(Submission).where(Submission.anonymous_code == code))
    if not code or submission is None:
        raise NotFoundError(say("There is no entry at this address."))
    return submission


def find_anonymous(
    session: Session, challenge: Challenge, code: str, now: datetime
) -> Mapping[str, BoardRow]:
    """The result behind an anonymous address, without names; raises NotFoundError."""
    submission = get_anonymous(session, code)
    rows = load_result(session, challenge, submission.team_id, submission.id, now)
    return {
        competition: replace(
            row,
            team=ANONYMOUS,
            method=ANONYMOUS,
            training_data="",
            notes=tuple(note for note in row.notes if note.startswith(NO_MEAN)),
        )
        for competition, row in rows.items()
    }


def list_editions(session: Session) -> Sequence[EditionLine]:
    """All editions of the board, the newest first."""
    return [
        EditionLine(
            number=edition.id,
            evaluator=edition.evaluator,
            release_digest=edition.release_digest,
            reason=edition.reason,
            began_at=edition.began_at,
            published_at=edition.published_at,
        )
        for edition in session.scalars(select(Edition).order_by(Edition.id.desc()))
    ]
