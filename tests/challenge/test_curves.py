"""Curves of published entries: none before the labels are published, those of evaluate then."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from catalog.refusals import NotFoundError
from challenge import board, curves, publishing
from challenge.folder import Challenge
from challenge.scoring import MOST_POINTS, name_curve, thin_curve
from challenge.tables import Scoring
from vockit.evaluate.curves import Curve
from vockit.evaluate.packed import open_results
from vockit.evaluate.scoring import score
from vockit.evaluate.truth import open_truth

from .contests import AFTER, LATER, enter, join, make_results, pack, score_all


@pytest.fixture(autouse=True)
def _score_here(score_here: None) -> None:
    """Score in this process."""


def enter_published(challenge: Challenge, name: str, seed: int, *, is_published: bool) -> int:
    team_id, method_id = join(challenge, name)
    submission_id = enter(challenge, (team_id, method_id), make_results(seed))
    score_all(challenge)
    if is_published:
        with challenge.catalogue.writing() as session:
            board.publish(session, team_id, submission_id, AFTER)
    return submission_id


def end(challenge: Challenge, target: Path) -> None:
    publishing.publish_end(challenge, target, LATER)


def test_no_phase_shows_a_curve_before_the_labels_are_published(
    challenge: Challenge, tmp_path: Path
) -> None:
    enter_published(challenge, "ann", 0, is_published=True)
    with challenge.catalogue.reading() as session:
        for now in (AFTER, LATER):
            assert board.load_board(session, challenge, "comp3", now).rows
            assert curves.load_curves(session, challenge, "comp3", now) == {}
            assert not curves.are_shown(session)
    end(challenge, tmp_path / "out")
    with challenge.catalogue.reading() as session:
        assert set(curves.load_curves(session, challenge, "comp3", LATER)) == {"cat", "person"}
        with pytest.raises(NotFoundError):
            curves.load_curves(session, challenge, "comp99", LATER)
        assert curves.load_curves(session, challenge, "comp5", LATER) == {}


def test_they_are_the_curves_of_evaluate_of_published_entries_alone(
    challenge: Challenge, release: Path, tmp_path: Path
) -> None:
    enter_published(challenge, "ann", 0, is_published=True)
    enter_published(challenge, "ben", 1, is_published=False)
    end(challenge, tmp_path / "out")
    archive = tmp_path / "results.tar.gz"
    archive.write_bytes(pack(make_results(0)))
    with open_results(archive) as folder:
        scores = score(open_truth(release, "test"), folder)
    with challenge.catalogue.reading() as session:
        shown = curves.load_curves(session, challenge, "comp3", LATER)
    for name, scored in scores.tasks["detection"]["comp3"].items():
        (line,) = shown[name]
        assert (line.team, line.method) == ("ann", "prior")
        assert line.score == round(100 * scored.curve.ap, 1)
        known = set(zip(scored.curve.recall.tolist(), scored.curve.precision.tolist(), strict=True))
        assert line.points
        assert set(line.points) <= known
        assert line.points[-1][0] == scored.curve.recall[-1]


def test_nothing_of_a_curve_is_in_the_database_or_on_the_board(challenge: Challenge) -> None:
    submission_id = enter_published(challenge, "ann", 0, is_published=True)
    with challenge.catalogue.reading() as session:
        text = json.dumps([row.results for row in session.query(Scoring)])
    assert "curve" not in text
    with np.load(challenge.evidence_path(submission_id, 1)) as stored:
        assert name_curve("comp3", "cat") in stored.files


def test_a_long_curve_is_thinned_where_recall_moves() -> None:
    right = np.zeros(100_000)
    right[::7] = 1
    hits = np.cumsum(right)
    curve = Curve(hits / right.sum(), hits / np.arange(1, len(right) + 1), 0.5, int(right.sum()))
    thin = thin_curve(curve)
    assert 100 < thin.shape[1] <= MOST_POINTS + 1
    assert thin[0, 0] == curve.recall[0]
    assert thin[0, -1] == 1.0
    nothing = np.array([np.nan])
    assert thin_curve(Curve(nothing, nothing, np.nan, 0)).shape == (2, 0)
