"""What is queued is scored as `vocparty evaluate` scores it, once, whatever ends a worker."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from challenge import queue, quota, scoring, submissions, worker
from challenge.folder import Challenge
from challenge.limited import LimitError, RefusedWorkError
from challenge.tables import Scoring, Submission
from challenge.values import Part, ScoringState, State
from challenge.worker import score_next
from vockit.errors import WriteError
from vocparty import main

from .contests import OPEN, enter, join, make_results, pack, score_all


@pytest.fixture(autouse=True)
def _score_here(score_here: None) -> None:
    """Score in this process."""


def load_results(challenge: Challenge, submission_id: int) -> Any:
    with challenge.catalogue.reading() as session:
        return session.query(Scoring).filter_by(submission_id=submission_id).one().results


def load_state(challenge: Challenge, submission_id: int) -> tuple[State, str | None]:
    with challenge.catalogue.reading() as session:
        submission = session.get_one(Submission, submission_id)
        return submission.state, submission.reason


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_scores_are_those_of_evaluate(
    challenge: Challenge, release: Path, tmp_path: Path, seed: int
) -> None:
    files = make_results(seed)
    submission_id = enter(challenge, join(challenge), files)
    score_all(challenge)
    assert load_state(challenge, submission_id) == (State.SCORED, None)
    results = load_results(challenge, submission_id)["parts"]["whole"]
    archive = tmp_path / "results.tar.gz"
    archive.write_bytes(pack(files))
    words = ["evaluate", str(release), "--set", "test", "--results", str(archive), "--json"]
    tasks = json.loads(CliRunner().invoke(main, words).stdout)["tasks"]
    compared = 0
    for task, competition in (("classification", "comp1"), ("detection", "comp3")):
        for name, score in tasks[task][competition]["classes"].items():
            shown = results[competition]["classes"][name]
            assert shown[0] == round(100 * score["ap"], 1)
            assert shown[1] <= shown[0] <= shown[2]
            compared += 1
    segmentation = tasks["segmentation"]["comp5"]
    for name, score in segmentation["classes"].items():
        assert results["comp5"]["classes"][name][0] == round(score["iou_percent"], 1)
        compared += 1
    assert results["comp5"]["mean"][0] == round(segmentation["mean"], 1)
    assert compared == 7


def test_what_is_stored_holds_no_image_and_no_more_than_a_decimal(challenge: Challenge) -> None:
    submission_id = enter(challenge, join(challenge))
    score_all(challenge)
    text = json.dumps(load_results(challenge, submission_id))
    assert "2012_" not in text

    def list_numbers(value: Any) -> list[float]:
        if isinstance(value, dict):
            return [number for inner in value.values() for number in list_numbers(inner)]
        if isinstance(value, list):
            return [number for inner in value for number in list_numbers(inner)]
        return [value] if isinstance(value, float) else []

    numbers = list_numbers(json.loads(text))
    assert len(numbers) > 20
    assert all(number == round(number, 1) for number in numbers)


def test_a_scoring_that_ends_by_itself_is_tried_once_more_and_then_fails(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    team_id, method_id = entrant = join(challenge)
    submission_id = enter(challenge, entrant)

    def end(*_arguments: object, **_limits: object) -> None:
        raise LimitError("It took more than 900 s and was ended.")

    monkeypatch.setattr(worker, "run_limited", end)
    assert score_next(challenge, lambda: OPEN)
    assert load_state(challenge, submission_id) == (State.QUEUED, None)
    assert score_next(challenge, lambda: OPEN)
    assert not score_next(challenge, lambda: OPEN)
    state, reason = load_state(challenge, submission_id)
    assert (state, reason) == (State.FAILED, "It took more than 900 s and was ended.")
    with challenge.catalogue.reading() as session:
        left = quota.load_quota(session, team_id, f"method-{method_id}", OPEN)
    assert (left.used, left.failures_today) == (0, 1)


def test_replicates_that_the_disk_does_not_take_end_an_attempt_and_not_the_worker(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission_id = enter(challenge, join(challenge))

    def refuse(*_arguments: object, **_more: object) -> None:
        raise WriteError("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "write_whole", refuse)
        assert score_next(challenge, lambda: OPEN)
    assert load_state(challenge, submission_id) == (State.QUEUED, None)
    score_all(challenge)
    assert load_state(challenge, submission_id) == (State.SCORED, None)


def test_a_failed_submission_is_confirmed_again(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    entrant = join(challenge)
    submission_id = enter(challenge, entrant)

    def fail(*_arguments: object, **_limits: object) -> None:
        raise RefusedWorkError("no")

    with monkeypatch.context() as patch:
        patch.setattr(worker, "run_limited", fail)
        score_all(challenge)
    assert load_state(challenge, submission_id)[0] is State.FAILED
    with challenge.catalogue.writing() as session:
        submissions.confirm(session, entrant[0], submission_id, OPEN)
    score_all(challenge)
    assert load_state(challenge, submission_id) == (State.SCORED, None)


def test_a_lease_that_ran_out_goes_to_another_worker_and_the_first_one_stores_nothing(
    challenge: Challenge,
) -> None:
    submission_id = enter(challenge, join(challenge))
    with challenge.catalogue.writing() as session:
        first = queue.take(session, "first", OPEN)
        assert first is not None
        assert queue.take(session, "second", OPEN + timedelta(seconds=59)) is None
        assert queue.heartbeat(session, first, OPEN + timedelta(seconds=30))
        second = queue.take(session, "second", OPEN + timedelta(seconds=91))
        assert second is not None
        assert second.submission_id == submission_id
        assert not queue.finish(session, first, {"parts": {}}, OPEN)
        assert not queue.heartbeat(session, first, OPEN)
        assert queue.finish(session, second, {"parts": {}}, OPEN)


def test_after_two_workers_that_are_gone_a_submission_fails_with_a_reason(
    challenge: Challenge,
) -> None:
    team_id, method_id = entrant = join(challenge)
    submission_id = enter(challenge, entrant)
    for _ in range(2):
        with challenge.catalogue.writing() as session:
            assert queue.take(session, "killed", OPEN) is not None
        worker.begin(challenge, lambda: OPEN)
    assert load_state(challenge, submission_id) == (State.FAILED, queue.STOPPED)
    with challenge.catalogue.reading() as session:
        left = quota.load_quota(session, team_id, f"method-{method_id}", OPEN)
    assert (left.used, left.failures_today) == (0, 0)  # the server was stopped, not the method


def test_the_place_in_the_queue_counts_those_before(challenge: Challenge) -> None:
    entered = [enter(challenge, join(challenge, name)) for name in ("ann", "bob", "chris")]
    with challenge.catalogue.writing() as session:
        places = [queue.find_place(session, number) for number in entered]
        assert places == [(1, False), (2, False), (3, False)]
        queue.take(session, "worker", OPEN)
        places = [queue.find_place(session, number) for number in entered]
        assert places == [(0, True), (1, False), (2, False)]


def test_a_stopped_server_takes_no_attempt(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission_id = enter(challenge, join(challenge))

    def stop(*_arguments: object, **_limits: object) -> None:
        raise worker.Stopped

    monkeypatch.setattr(worker, "run_limited", stop)
    for _ in range(3):
        with pytest.raises(worker.Stopped):
            score_next(challenge, lambda: OPEN)
    with challenge.catalogue.reading() as session:
        row = session.query(Scoring).filter_by(submission_id=submission_id).one()
        assert (row.state, row.attempts) == (ScoringState.QUEUED, 0)


def test_detections_are_scored_on_a_release_without_a_list_of_segmented_images(
    challenge: Challenge,
) -> None:
    files = {name: data for name, data in make_results().items() if name.startswith("Main/")}
    submission_id = enter(challenge, join(challenge), files)
    truth = challenge.folder / "truths" / "1" / "VOCdevkit" / "VOC2012"
    (truth / "ImageSets" / "Segmentation" / "test.txt").unlink()
    score_all(challenge)
    assert load_state(challenge, submission_id) == (State.SCORED, None)


def test_a_truth_that_cannot_be_read_is_named_in_the_log_and_not_to_the_team(
    challenge: Challenge, caplog: pytest.LogCaptureFixture
) -> None:
    submission_id = enter(challenge, join(challenge))
    truth = challenge.folder / "truths" / "1" / "VOCdevkit" / "VOC2012"
    (truth / "ImageSets" / "Segmentation" / "test.txt").unlink()
    score_all(challenge)
    assert load_state(challenge, submission_id) == (State.FAILED, scoring.FAULT)
    assert "no truth to score segmentation" in caplog.text


def test_results_with_persons_that_the_truth_lacks_fail_without_a_word_of_them(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission_id = enter(challenge, join(challenge))
    truth = challenge.folder / "truths" / "1" / "VOCdevkit" / "VOC2012"
    (truth / "Annotations" / "2012_000003.xml").write_text("<annotation>secret</annotation>")
    score_all(challenge)
    state, reason = load_state(challenge, submission_id)
    assert state is State.FAILED
    assert reason == scoring.FAULT


def test_a_public_part_is_scored_as_a_set_of_its_own(
    challenge: Challenge, release: Path, tmp_path: Path
) -> None:
    public = [f"2012_{number:06}" for number in (1, 2, 3, 6, 7, 10)]
    (challenge.folder / "truths" / "public-images.txt").write_text("\n".join(public))
    files = make_results()
    submission_id = enter(challenge, join(challenge), files)
    score_all(challenge)
    parts = load_results(challenge, submission_id)["parts"]
    root = tmp_path / "VOCdevkit" / "VOC2012"
    shutil.copytree(release, root)
    for path in (root / "ImageSets/Main").glob("*test.txt"):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if line.split()[0] in public))
    for name, data in files.items():
        if name.startswith("Main"):
            lines = data.decode().splitlines(keepends=True)
            place = tmp_path / "mine" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("".join(line for line in lines if line.split()[0] in public))
    words = ["evaluate", str(root), "--set", "test", "--results", str(tmp_path / "mine"), "--json"]
    tasks = json.loads(CliRunner().invoke(main, words).stdout)["tasks"]
    for task, competition in (("classification", "comp1"), ("detection", "comp3")):
        for name, score in tasks[task][competition]["classes"].items():
            shown = parts[str(Part.PUBLIC)][competition]["classes"][name][0]
            assert shown == round(100 * score["ap"], 1)
    assert parts["public"] != parts["whole"]
