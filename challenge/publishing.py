"""The end of a challenge: labels, published results and the board, which anyone can recompute."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.refusals import ForbiddenError
from catalog.sentences import say
from vockit.foreign.folder import new_folder, write_sums

from . import board, log, phases
from .database import load_contest, load_frozen
from .editions import get_newest
from .folder import Challenge
from .tables import Submission
from .values import Board, Deed, State
from .verdicts import find_ending

_README = """# {release}: the labels, the published results and the board of the challenge

`truth` holds the annotation of the set {image_set}, which was held back. `results` holds what teams
sent for the entries that they published. `board.json` holds the board. Its numbers are those of

    vockit evaluate truth --set {image_set} --rules {rules} --results results/FILE

with {evaluator}, rounded to 0.1 %.
"""


def publish_end(challenge: Challenge, target: Path, now: datetime) -> int:
    """End the challenge: write the labels and the board to `target`; how many files.

    Nothing is scored from then on, and scores are shown on the whole set, without steps. Raises
    ForbiddenError before the challenge closed, FolderTakenError where something is at `target`.
    """
    with challenge.catalogue.reading() as session:
        if phases.current(session, now) not in phases.SHOWING:
            raise ForbiddenError(
                say("The labels are published after the challenge closed, which it has not yet.")
            )
    with new_folder(target) as made:
        with challenge.catalogue.reading() as session:
            _write_all(session, challenge, made, now)
        digests = {
            path.relative_to(made).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in made.rglob("*")
            if path.is_file()
        }
        write_sums(made, digests)
    with challenge.catalogue.writing() as session:
        contest = load_contest(session)
        contest.ended_at = contest.ended_at or now
        log.append(session, Deed.PUBLISH, now)
    return len(digests)


def _write_all(session: Session, challenge: Challenge, made: Path, now: datetime) -> None:
    frozen = load_frozen(session)
    edition = get_newest(session)
    for name in ("VOCdevkit", "release.json"):
        source = challenge.truth_folder(edition.truth_folder) / name
        if source.is_dir():
            shutil.copytree(source, made / "truth" / name, copy_function=shutil.copyfile)
        elif source.is_file():
            shutil.copyfile(source, made / "truth" / name)
    results = _copy_results(session, challenge, made / "results")
    load_contest(session).ended_at = now  # what is shown from now on; this session writes nothing
    boards = [
        _shape_board(board.load_board(session, challenge, competition, now), results)
        for competition in frozen.competitions
    ]
    document = json.dumps({"boards": boards}, indent=1, default=str)
    (made / "board.json").write_text(f"{document}\n", "utf-8")
    text = _README.format(
        release=frozen.release,
        image_set=frozen.image_set,
        rules=frozen.rules,
        evaluator=edition.evaluator,
    )
    (made / "README.md").write_text(text, "utf-8")


def _copy_results(session: Session, challenge: Challenge, target: Path) -> dict[int, str]:
    """Copy what published entries were scored from; the names of the files by submission."""
    target.mkdir()
    names = {}
    published = select(Submission).where(
        Submission.state == State.SCORED,
        Submission.published_at.is_not(None),
        Submission.hidden_at.is_(None),
    )
    for submission in session.scalars(published.order_by(Submission.id)):
        source = challenge.upload_path(submission.id)
        if source.is_file():
            name = f"{submission.id}{find_ending(source) or ''}"
            shutil.copyfile(source, target / name)
            names[submission.id] = name
    return names


def _shape_board(shown: Board, results: dict[int, str]) -> dict[str, Any]:
    values = asdict(shown)
    for row in values["rows"]:
        row["results"] = results.get(row["submission_id"])
    return values
