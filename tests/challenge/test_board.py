"""The board shows what a phase and a team let be seen, with what chance explains of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from catalog.refusals import InvalidError, NotFoundError
from challenge import board
from challenge.folder import Challenge
from challenge.tables import Contest
from challenge.values import Board, BoardRow, MethodFields, Part

from .contests import AFTER, FIELDS, LATER, OPEN, enter, join, make_results, score_all


@pytest.fixture(autouse=True)
def _score_here(score_here: None) -> None:
    """Score in this process."""


def show(challenge: Challenge, now: datetime = AFTER, **words: Any) -> Board:
    with challenge.catalogue.reading() as session:
        return board.load_board(session, challenge, "comp3", now, **words)


def result(
    challenge: Challenge, team_id: int, submission_id: int, now: datetime = AFTER
) -> dict[str, BoardRow]:
    with challenge.catalogue.reading() as session:
        return dict(board.load_result(session, challenge, team_id, submission_id, now))


def publish(challenge: Challenge, team_id: int, submission_id: int) -> None:
    with challenge.catalogue.writing() as session:
        board.publish(session, team_id, submission_id, AFTER)


def enter_three(challenge: Challenge) -> dict[str, tuple[int, int]]:
    """Three teams with published entries, of falling quality: team and submission of each."""
    entered = {}
    for seed, (name, wrong) in enumerate((("ann", 0.0), ("bob", 0.4), ("chris", 1.0))):
        entrant = join(challenge, name)
        entered[name] = entrant[0], enter(challenge, entrant, make_results(seed, wrong))
    score_all(challenge)
    for team_id, submission_id in entered.values():
        publish(challenge, team_id, submission_id)
    return entered


def test_the_board_has_the_best_first_with_intervals_and_ranks(challenge: Challenge) -> None:
    enter_three(challenge)
    shown = show(challenge)
    assert [row.team for row in shown.rows] == ["ann", "bob", "chris"]
    assert (shown.task, shown.part, shown.classes) == ("detection", Part.WHOLE, ["cat", "person"])
    first, _, last = shown.rows
    assert first.mean.score == 100.0
    assert last.mean.score == 0.0
    assert (first.ranks, last.ranks) == ((1.0, 1.5), (3.0, 3.0))
    assert first.is_near_best
    assert not last.is_near_best
    assert any("Friedman" in sentence for sentence in shown.ranks)


def test_no_score_is_shown_before_the_challenge_closes_not_to_the_team_either(
    challenge: Challenge,
) -> None:
    team_id, submission_id = enter_three(challenge)["ann"]
    assert show(challenge, OPEN).rows == []
    assert result(challenge, team_id, submission_id, OPEN) == {}
    assert result(challenge, team_id, submission_id)["comp3"].mean.score == 100.0


def test_a_private_entry_is_seen_by_its_team_alone(challenge: Challenge) -> None:
    ann = join(challenge, "ann")
    bob = join(challenge, "bob")
    submission_id = enter(challenge, ann)
    score_all(challenge)
    assert show(challenge).rows == []
    assert show(challenge, team_id=bob[0]).rows == []
    (row,) = show(challenge, team_id=ann[0]).rows
    assert row.is_private
    with pytest.raises(NotFoundError):
        result(challenge, bob[0], submission_id)
    publish(challenge, ann[0], submission_id)
    assert len(show(challenge, team_id=bob[0]).rows) == 1
    with challenge.catalogue.writing() as session:
        board.withdraw(session, ann[0], submission_id)
    assert show(challenge).rows == []


def test_a_private_entry_leaves_no_trace_in_what_the_board_says(challenge: Challenge) -> None:
    ann = join(challenge, "ann")
    best = enter(challenge, ann, make_results(1, 0.0), LATER)
    worse = enter(challenge, ann, make_results(2, 0.9), LATER)
    score_all(challenge)
    nothing = show(challenge, LATER)
    assert (nothing.rows, nothing.classes, nothing.task) == ([], [], "")
    publish(challenge, ann[0], worse)
    (row,) = show(challenge, LATER).rows
    assert row.notes == (
        "Not more than 1.8 points above the team's best, so that no number moves.",
    )
    by_ann = show(challenge, LATER, team_id=ann[0]).rows
    assert any(f"the team's best, entry {best}, so" in "".join(row.notes) for row in by_ann)


def test_only_what_is_scored_can_be_published(challenge: Challenge) -> None:
    team_id, _ = entrant = join(challenge)
    submission_id = enter(challenge, entrant)
    with pytest.raises(InvalidError):
        publish(challenge, team_id, submission_id)


def test_an_anonymous_address_shows_an_entry_without_a_name(challenge: Challenge) -> None:
    fields = MethodFields("name-of-lab", mask_source=FIELDS.mask_source)
    team_id, _ = entrant = join(challenge, "lab", fields)
    submission_id = enter(challenge, entrant)
    score_all(challenge)
    with challenge.catalogue.writing() as session:
        code = board.make_anonymous_code(session, team_id, submission_id, code="a-code")
        assert board.make_anonymous_code(session, team_id, submission_id, code="other") == code
        rows = board.find_anonymous(session, challenge, code, AFTER)
        assert rows["comp3"].mean.score is not None
        assert "lab" not in repr(rows)
        assert board.find_anonymous(session, challenge, code, OPEN) == {}
        board.end_anonymous_code(session, team_id, submission_id)
        for gone in (code, "", "nothing"):
            with pytest.raises(NotFoundError):
                board.find_anonymous(session, challenge, gone, AFTER)


def test_a_score_of_the_rolling_server_moves_by_more_than_a_step_alone(
    challenge: Challenge,
) -> None:
    team_id, _ = entrant = join(challenge)
    first = enter(challenge, entrant, make_results(1, 0.4), LATER)
    worse = enter(challenge, entrant, make_results(2, 0.9), LATER)
    better = enter(challenge, entrant, make_results(3, 0.0), LATER + timedelta(days=7))
    score_all(challenge)
    at = LATER + timedelta(days=8)
    assert result(challenge, team_id, first, at)["comp3"].mean.score is not None
    unmoved = result(challenge, team_id, worse, at)["comp3"]
    assert (unmoved.mean.score, unmoved.classes) == (None, {})
    assert f"entry {first}, so that no number moves" in unmoved.notes[-1]
    assert result(challenge, team_id, better, at)["comp3"].mean.score == 100.0
    with challenge.catalogue.writing() as session:
        session.query(Contest).update({"step": 0.0})
    assert result(challenge, team_id, worse, at)["comp3"].mean.score is not None


def test_with_a_public_part_the_board_shows_it_until_the_challenge_closes(
    challenge: Challenge,
) -> None:
    public = "\n".join(f"2012_{number:06}" for number in (1, 2, 3, 6, 7, 10))
    (challenge.folder / "truths" / "public-images.txt").write_text(public)
    with challenge.catalogue.writing() as session:
        session.query(Contest).update({"public_share": 0.5})
    team_id, _ = enter_three(challenge)["bob"]
    while_open = show(challenge, OPEN)
    assert (while_open.part, len(while_open.rows)) == (Part.PUBLIC, 3)
    closed = show(challenge, AFTER)
    assert closed.part is Part.WHOLE
    scores = {row.team: row.mean.score for row in while_open.rows}
    assert scores != {row.team: row.mean.score for row in closed.rows}
    enter(challenge, (team_id, 2), make_results(1), LATER)
    score_all(challenge)
    assert show(challenge, LATER).part is Part.PUBLIC
    final = show(challenge, LATER, is_closing=True)
    assert (final.part, final.rows) == (Part.WHOLE, closed.rows)


def test_a_competition_that_is_not_here_is_not_found(challenge: Challenge) -> None:
    for name, edition in (("comp9", None), ("comp3", 7)):
        with challenge.catalogue.reading() as session, pytest.raises(NotFoundError):
            board.load_board(session, challenge, name, AFTER, edition=edition)


def test_a_method_that_lacks_a_class_has_no_mean(challenge: Challenge) -> None:
    files = make_results()
    del files["Main/comp3_det_test_person.txt"]
    team_id, _ = entrant = join(challenge)
    submission_id = enter(challenge, entrant, files)
    score_all(challenge)
    row = result(challenge, team_id, submission_id)["comp3"]
    assert row.mean.score is None
    assert list(row.classes) == ["cat"]
    assert "No mean: 1 of 2 classes; missing: person" in row.notes
    with challenge.catalogue.writing() as session:
        code = board.make_anonymous_code(session, team_id, submission_id, code="a-code")
        rows = board.find_anonymous(session, challenge, code, AFTER)
        assert rows["comp3"].notes == ("No mean: 1 of 2 classes; missing: person",)
    publish(challenge, team_id, submission_id)
    (shown,) = show(challenge).rows
    assert (shown.ranks, shown.is_near_best) == (None, False)


def test_history_is_in_the_order_of_time(challenge: Challenge) -> None:
    enter_three(challenge)
    with challenge.catalogue.reading() as session:
        rows = board.load_history(session, challenge, "comp3", AFTER)
    assert [row.team for row in rows] == ["ann", "bob", "chris"]
    assert [row.submission_id for row in rows] == sorted(row.submission_id for row in rows)
