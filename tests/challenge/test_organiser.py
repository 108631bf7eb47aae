"""What an organiser does is logged; a new edition scores all again; the end opens the labels."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import text
from sqlalchemy.exc import DatabaseError

from catalog.refusals import ForbiddenError, InvalidError, NotFoundError, TooManyError
from challenge import board, editions, log, organiser, phases, queue, quota, teams, worker
from challenge.folder import Challenge
from challenge.tables import Action
from challenge.values import Board, Deed, Phase
from vockit.evaluate.errors import EvaluateError
from vocparty import main

from .contests import (
    AFTER,
    CLOSED,
    FIELDS,
    IDS,
    LATER,
    OPEN,
    enter,
    join,
    make_results,
    score_all,
    send,
)


@pytest.fixture(autouse=True)
def _score_here(score_here: None) -> None:
    """Score in this process."""


def list_deeds(challenge: Challenge) -> list[Deed]:
    with challenge.catalogue.reading() as session:
        return [line.deed for line in log.read_log(session)]


def enter_published(challenge: Challenge, name: str = "ann", seed: int = 0) -> int:
    team_id, _ = entrant = join(challenge, name)
    submission_id = enter(challenge, entrant, make_results(seed))
    score_all(challenge)
    with challenge.catalogue.writing() as session:
        board.publish(session, team_id, submission_id, AFTER)
    return submission_id


def load_board(challenge: Challenge, now: datetime = AFTER, edition: int | None = None) -> Board:
    with challenge.catalogue.reading() as session:
        return board.load_board(session, challenge, "comp3", now, edition=edition)


def test_a_hidden_entry_is_off_the_board_and_comes_back(challenge: Challenge) -> None:
    submission_id = enter_published(challenge)
    with challenge.catalogue.writing() as session:
        organiser.hide(session, submission_id, "a question is open", AFTER)
    assert load_board(challenge).rows == []
    with challenge.catalogue.writing() as session:
        organiser.show(session, submission_id, "answered", AFTER)
    assert len(load_board(challenge).rows) == 1
    assert list_deeds(challenge)[-2:] == [Deed.HIDE, Deed.SHOW]


def test_a_disqualified_entry_has_its_reason_in_place_of_numbers(challenge: Challenge) -> None:
    submission_id = enter_published(challenge)
    with challenge.catalogue.writing() as session, pytest.raises(InvalidError):
        organiser.disqualify(session, submission_id, "  ", AFTER)
    with challenge.catalogue.writing() as session:
        organiser.disqualify(session, submission_id, "trained on the test set", AFTER)
    (row,) = load_board(challenge).rows
    assert (row.mean.score, row.classes) == (None, {})
    assert row.disqualified_for == "trained on the test set"


def test_the_log_can_only_be_appended_to(any_challenge: Challenge) -> None:
    join(any_challenge)
    for change in ("UPDATE action SET deed = 'hide'", "DELETE FROM action"):
        with suppress(DatabaseError), any_challenge.catalogue.writing() as session:
            session.execute(text(change))
    assert list_deeds(any_challenge) == [Deed.INVITE]


def test_an_extended_phase_takes_submissions_and_is_logged(challenge: Challenge) -> None:
    entrant = join(challenge)
    until = CLOSED + timedelta(days=3)
    with challenge.catalogue.writing() as session:
        organiser.extend(session, {Phase.CLOSED: until}, OPEN)
    send(challenge, entrant, now=AFTER)
    with challenge.catalogue.writing() as session:
        assert phases.current(session, until) is Phase.CLOSED
        with pytest.raises(InvalidError, match="rolling would begin before closed"):
            organiser.extend(session, {Phase.CLOSED: LATER + timedelta(days=9)}, OPEN)


def test_added_quota_holds_in_its_period_alone(challenge: Challenge) -> None:
    team_id, method_id = entrant = join(challenge)
    period = f"method-{method_id}"
    enter(challenge, entrant)
    with challenge.catalogue.writing() as session:
        organiser.add_quota(session, team_id, period, 1, "our fault", OPEN)
    enter(challenge, entrant)
    with pytest.raises(TooManyError):
        enter(challenge, entrant)
    for wrong in ("2026-W54", "2026-w40", "method-99", "method-x", "ever"):
        with challenge.catalogue.writing() as session, pytest.raises((InvalidError, NotFoundError)):
            organiser.add_quota(session, team_id, wrong, 1, "x", OPEN)
    assert quota.is_week("2026-W53")


def test_an_erased_team_keeps_scores_and_no_name(challenge: Challenge) -> None:
    enter_published(challenge, "Ann Example")
    with challenge.catalogue.writing() as session:
        team = teams.find_team(session, "ann example")
        teams.erase(session, team.id, AFTER)
    (row,) = load_board(challenge).rows
    assert row.team == "erased team 1"
    assert row.mean.score is not None
    with challenge.catalogue.engine.connect() as connection:
        kept = [
            str(value)
            for table in Action.metadata.sorted_tables
            for values in connection.execute(table.select())
            for value in values
        ]
    assert not any("example" in value.lower() or FIELDS.name == value for value in kept)


def correct(release: Path, folder: Path, withdrawn: str) -> Path:
    """A release with one box less wrong, and one image withdrawn."""
    root = Path(shutil.copytree(release, folder / "VOCdevkit" / "VOC2012"))
    for path in (root / "ImageSets/Main").glob("*test.txt"):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith(withdrawn)))
    manifest = {"year": 2012, "digest": "0" * 64, "withdrawn": [withdrawn], "images": []}
    (folder / "release.json").write_text(json.dumps(manifest))
    return root


def test_a_corrected_release_gives_a_new_edition_that_shows_what_moved(
    challenge: Challenge, release: Path, tmp_path: Path
) -> None:
    enter_published(challenge, "ann", 0)
    enter_published(challenge, "bob", 5)
    before = load_board(challenge)
    root = correct(release, tmp_path / "new", IDS[-1])
    number = organiser.rescore(challenge, "image 12 was withdrawn", AFTER, root)
    assert load_board(challenge) == before
    score_all(challenge, AFTER)
    after = load_board(challenge)
    assert (before.edition, after.edition) == (1, number)
    scores = {row.submission_id: row.mean.score for row in before.rows}
    for row in after.rows:
        assert row.mean.score is not None
        assert row.moved == round(row.mean.score - (scores[row.submission_id] or 0), 1)
    assert any(row.moved for row in after.rows)
    assert load_board(challenge, edition=1).rows == before.rows


def test_a_new_edition_has_what_was_being_scored_when_it_began(challenge: Challenge) -> None:
    enter_published(challenge, "ann")
    team_id, _ = entrant = join(challenge, "bob")
    submission_id = enter(challenge, entrant, make_results(5))
    with challenge.catalogue.writing() as session:
        job = queue.take(session, "worker", OPEN)
    assert job is not None
    assert job.submission_id == submission_id
    number = organiser.rescore(challenge, "another look", AFTER)
    with challenge.catalogue.writing() as session:
        assert queue.finish(session, job, {"notes": [], "parts": {}}, AFTER)
    score_all(challenge, AFTER)
    with challenge.catalogue.writing() as session:
        board.publish(session, team_id, submission_id, AFTER)
    shown = load_board(challenge)
    assert (shown.edition, {row.team for row in shown.rows}) == (number, {"ann", "bob"})


def test_a_withdrawn_image_is_refused_like_one_that_never_was(
    challenge: Challenge, release: Path, tmp_path: Path
) -> None:
    entrant = join(challenge)
    organiser.rescore(challenge, "withdrawn", OPEN, correct(release, tmp_path / "new", IDS[-1]))
    messages = set()
    for image_id in (IDS[-1], "2012_999999"):
        files = {"Main/comp3_det_test_cat.txt": f"{image_id} 0.5 1 1 9 9\n".encode()}
        _, verdict = send(challenge, entrant, files)
        messages.add(str(verdict).replace(image_id, "ID"))
    assert len(messages) == 1


def test_another_release_is_no_correction(challenge: Challenge, tmp_path: Path) -> None:
    from .contests import make_release, write

    root = make_release(tmp_path / "other")
    listed = (root / "ImageSets/Main/test.txt").read_text()
    write(root / "ImageSets/Main/test.txt", f"{listed}2012_000099\n")
    with pytest.raises(EvaluateError, match="never had, such as 2012_000099"):
        organiser.rescore(challenge, "another", AFTER, root)
    assert [path.name for path in (challenge.folder / "truths").iterdir()] == ["1"]


def test_another_evaluator_scores_everything_again(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter_published(challenge)
    worker.begin(challenge, lambda: AFTER)
    assert load_board(challenge).edition == 1
    monkeypatch.setattr(editions, "name_evaluator", lambda: "vockit 9")
    worker.begin(challenge, lambda: AFTER)
    score_all(challenge, AFTER)
    shown = load_board(challenge)
    assert (shown.edition, shown.evaluator, len(shown.rows)) == (2, "vockit 9", 1)
    worker.begin(challenge, lambda: AFTER)
    assert load_board(challenge).edition == 2


def test_the_end_opens_what_recomputes_each_number_of_the_board(
    challenge: Challenge, tmp_path: Path
) -> None:
    enter_published(challenge, "ann", 1)
    target = tmp_path / "published"
    with pytest.raises(ForbiddenError):
        organiser.publish_end(challenge, target, OPEN)
    assert organiser.publish_end(challenge, target, AFTER) > len(IDS)
    document = json.loads((target / "board.json").read_text())
    compared = 0
    for shown in document["boards"]:
        for row in shown["rows"]:
            archive = target / "results" / row["results"]
            words = ["--set", "test", "--results", str(archive), "--json"]
            said = CliRunner().invoke(main, ["evaluate", str(target / "truth"), *words])
            scores = json.loads(said.stdout)["tasks"][shown["task"]][shown["competition"]]
            for name, interval in row["classes"].items():
                score = scores["classes"][name]
                number = score["iou_percent"] if "iou_percent" in score else 100 * score["ap"]
                assert interval["score"] == round(number, 1)
                compared += 1
    assert compared == 7
    with pytest.raises(ForbiddenError, match="labels are published"):
        send(challenge, join(challenge, "late"), now=LATER)
