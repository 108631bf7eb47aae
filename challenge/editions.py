"""Editions of the board: everything scored again, after a new evaluator or a corrected release."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection
from datetime import datetime
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from vockit.evaluate.curves import Rules
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.truth import Truth, find_root, open_truth
from vockit.format.plural import format_count

from . import log, queue
from .database import load_contest, load_frozen
from .folder import LISTS, TRUTHS, Challenge
from .making import choose_competitions, name_evaluator, seal_truth, write_lists
from .people import keep_figures, keep_people
from .tables import Edition, Scoring, Submission
from .teams import clean_line
from .values import Deed, ScoringState, State

_log = logging.getLogger(__name__)


def rescore(challenge: Challenge, reason: str, now: datetime, truth: Path | None = None) -> int:
    """A new edition of the board, in which all is scored again; its number.

    `truth` is a corrected release. The board shows the edition when all is scored, and keeps the
    old ones. Raises EvaluateError for a release that is not of this challenge.
    """
    reason = clean_line(reason, "reason", 500)
    number = None
    if truth is None:
        _measure_people(challenge)
    else:
        number = _add_truth(challenge, truth)
    with challenge.catalogue.writing() as session:
        newest = get_newest(session)
        edition = Edition(
            evaluator=name_evaluator(),
            release_digest=newest.release_digest,
            truth_folder=newest.truth_folder if number is None else str(number),
            reason=reason,
            began_at=now,
        )
        session.add(edition)
        session.flush()
        _queue_all(session, edition, now)
        load_contest(session).evaluator = edition.evaluator
        words = {"reason": reason, "evaluator": edition.evaluator, "edition": str(edition.id)}
        log.append(session, Deed.RESCORE, now, details=words)
        queue.publish_complete(session, edition.id, now)
        return edition.id


def rescore_for_evaluator(challenge: Challenge, now: datetime) -> int | None:
    """A new edition where another evaluator scored the newest one; else None."""
    with challenge.catalogue.reading() as session:
        before = get_newest(session).evaluator
    if before == name_evaluator():
        return None
    return rescore(challenge, f"{name_evaluator()} in place of {before}", now)


def get_newest(session: Session) -> Edition:
    """The edition that is scored now."""
    return session.scalars(select(Edition).order_by(Edition.id.desc()).limit(1)).one()


def _measure_people(challenge: Challenge) -> None:
    """Keep what people reach by this evaluator; an edition may do without, if it refuses them."""
    with challenge.catalogue.reading() as session:
        frozen = load_frozen(session)
        sealed = challenge.truth_folder(get_newest(session).truth_folder)
    try:
        keep_figures(sealed, frozen.image_set, Rules(frozen.rules), name_evaluator())
    except EvaluateError as error:
        _log.warning("The board is without people as a method: %s", error)


def _queue_all(session: Session, edition: Edition, now: datetime) -> None:
    """Queue all that is scored, and what waits for the edition before, once each."""
    before = session.scalars(select(func.max(Edition.id)).where(Edition.id < edition.id)).one()
    waiting = select(Scoring).where(
        Scoring.edition_id == before, Scoring.state == ScoringState.QUEUED
    )
    for scoring in session.scalars(waiting).all():
        session.delete(scoring)
    session.flush()
    sent = select(Submission).where(Submission.state.in_([State.SCORED, State.QUEUED]))
    running = set(
        session.scalars(select(Scoring.submission_id).where(Scoring.state == ScoringState.RUNNING))
    )
    for submission in session.scalars(sent.order_by(Submission.id)).all():
        if submission.state is State.SCORED or submission.id not in running:
            queue.enqueue(session, submission.id, now)


def _add_truth(challenge: Challenge, release: Path) -> int:
    """Seal a corrected release next to the earlier ones, and make its lists; its number."""
    with challenge.catalogue.reading() as session:
        frozen = load_frozen(session)
        earlier = open_truth(
            challenge.truth_folder(get_newest(session).truth_folder), frozen.image_set
        )
    truth = open_truth(find_root(release), frozen.image_set, Rules(frozen.rules))
    choose_competitions(truth, frozen.competitions)
    if truth.root.resolve().name != frozen.release:
        raise EvaluateError(f"{truth.root} is not {frozen.release}, which this challenge is of.")
    if unknown := sorted(truth.images.keys() - earlier.images.keys()):
        raise EvaluateError(
            f"{truth.root} has {len(unknown):,} images in {frozen.image_set} that this challenge "
            f"never had, such as {unknown[0]}: name a corrected release, not another one."
        )
    _refuse_other_people(truth, earlier, frozen.competitions)
    numbers = [int(path.name) for path in (challenge.folder / TRUTHS).iterdir() if path.is_dir()]
    number = max(numbers) + 1
    try:
        seal_truth(truth, challenge.truth_folder(str(number)))
        write_lists(truth, challenge.list_folder(str(number)))
        keep_people(truth, challenge.truth_folder(str(number)), name_evaluator())
    except BaseException:
        for kind in (TRUTHS, LISTS):
            shutil.rmtree(challenge.folder / kind / str(number), ignore_errors=True)
        raise
    return number


def _refuse_other_people(truth: Truth, earlier: Truth, competitions: Collection[str]) -> None:
    """Raise EvaluateError where other people are asked about than participants were given.

    Each entry was made for those: one that names a person who is gone could not be scored.
    """
    changed = set[tuple[str, int]]()
    if not {"comp7", "comp8"}.isdisjoint(competitions):
        changed |= truth.layout_persons ^ earlier.layout_persons
    if not {"comp9", "comp10", "comp11", "comp12"}.isdisjoint(competitions):
        changed |= truth.action_persons ^ earlier.action_persons
    others = sorted(key for key in changed if key[0] not in truth.identity.withdrawn)
    if others:
        image_id, number = others[0]
        raise EvaluateError(
            f"{truth.root} asks about {format_count(len(others), 'person', 'persons')} more or "
            f"fewer than participants were given, such as person {number} of {image_id}. Withdraw "
            "such an image, and export the release again."
        )
