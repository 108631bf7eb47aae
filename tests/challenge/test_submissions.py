"""An upload gets the verdict of check-results at once; confirming it takes quota."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from catalog.refusals import (
    ForbiddenError,
    HeldError,
    InvalidError,
    NotFoundError,
    StaleError,
    TooManyError,
    UnavailableError,
)
from challenge import methods, queue, quota, submissions, upload_files, verdicts
from challenge.folder import Challenge
from challenge.tables import QuotaUse
from challenge.values import MethodFields, Problem, State, Training
from vockit.foreign.identity import RELEASE_FILE
from vocparty import main

from .contests import (
    CLOSED,
    FIELDS,
    IDS,
    IMAGES,
    LATER,
    OPEN,
    ROLLING,
    SUBMISSIONS,
    enter,
    join,
    make_results,
    pack,
    send,
)


def test_a_good_upload_says_what_would_be_scored_and_costs_nothing(challenge: Challenge) -> None:
    entrant = join(challenge)
    submission_id, verdict = send(challenge, entrant)
    assert verdict.competitions == {
        "comp1": "classification",
        "comp3": "detection",
        "comp5": "segmentation",
    }
    assert verdict.lines[0] == (
        "results.tar.gz can be scored on VOC2012 test by the rules of 2012."
    )
    with challenge.catalogue.reading() as session:
        submission = submissions.get(session, entrant[0], submission_id)
        assert (submission.state, submission.competitions) == (
            State.CHECKED,
            ["comp1", "comp3", "comp5"],
        )
        assert submissions.load_verdict(submission) == verdict
        assert session.query(QuotaUse).count() == 0


def test_the_verdict_has_each_fault_with_file_and_line_in_the_words_of_the_command(
    challenge: Challenge, release: Path, tmp_path: Path
) -> None:
    files = make_results()
    files["Main/comp3_det_test_cat.txt"] = b"nowhere 0.9 1 1 9 9\n" + f"{IDS[0]} 1 2\n".encode()
    _, verdict = send(challenge, join(challenge), files)
    name = "Main/comp3_det_test_cat.txt"
    assert verdict.problems == (
        Problem(name, 2, "expected <id> <confidence> <left> <top> <right> <bottom>, got 3 columns"),
        Problem(name, 1, "expected an image of the set test, got 'nowhere'"),
    )
    archive = tmp_path / "results.tar.gz"
    archive.write_bytes(pack(files))
    words = ["check-results", str(archive), "--release", str(release), "--set", "test"]
    said = CliRunner().invoke(main, words).output
    for problem in verdict.problems:
        assert f"{archive}/{problem.file}:{problem.line}: {problem.message}\n" in said
    assert verdict.reason in said


def test_no_verdict_names_a_path_of_the_server(challenge: Challenge) -> None:
    entrant = join(challenge)
    other = make_results() | {RELEASE_FILE: b"VOC2012 " + b"0" * 64}
    uploads = [pack(other), pack({"x": b""}), b"no archive", pack(make_results())[:200], pack({})]
    for data in uploads:
        _, verdict = submissions.receive(challenge, *entrant, "/a/b/mine.tgz", [data], OPEN)
        assert not verdict.is_good
        shown = json.dumps(verdicts.store(verdict))
        assert "mine.tgz" in shown
        assert not {"/tmp", "/dev", str(challenge.folder)} & set(shown.split("'")), shown
        assert str(challenge.folder) not in shown
        assert "entry." not in shown


def test_a_withdrawn_image_gets_the_answer_of_one_that_never_was(
    challenge: Challenge, release: Path
) -> None:
    text = (challenge.list_folder("1") / RELEASE_FILE).read_text()
    assert len(text.split()) == 2, "no withdrawn image is named"
    said = set()
    for image_id in ("2012_999999", "2012_000098"):
        files = make_results()
        files["Main/comp3_det_test_cat.txt"] += f"{image_id} 0.9 1 1 9 9\n".encode()
        _, verdict = send(challenge, join(challenge, image_id), files)
        said.add(verdict.problems[0].message.replace(image_id, "ID"))
    assert len(said) == 1


@pytest.mark.parametrize("now", [IMAGES, SUBMISSIONS - timedelta(seconds=1), CLOSED])
def test_out_of_its_phases_nothing_is_taken(challenge: Challenge, now: datetime) -> None:
    entrant = join(challenge)
    with pytest.raises(ForbiddenError):
        send(challenge, entrant, now=now)
    submission_id, _ = send(challenge, entrant)
    with challenge.catalogue.writing() as session, pytest.raises(ForbiddenError):
        submissions.confirm(session, entrant[0], submission_id, now)


def test_a_broken_upload_goes_on_where_it_broke(challenge: Challenge) -> None:
    team_id, method_id = join(challenge)
    data = pack(make_results())
    with challenge.catalogue.writing() as session:
        submission_id = submissions.begin(session, challenge, team_id, method_id, "a.tgz", OPEN).id
    assert submissions.append(challenge, team_id, submission_id, 0, [data[:100]]) == 100
    with pytest.raises(StaleError, match="has 100 bytes"):
        submissions.append(challenge, team_id, submission_id, 0, [data])

    def break_off() -> Iterator[bytes]:
        yield data[100:150]
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        submissions.append(challenge, team_id, submission_id, 100, break_off())
    assert upload_files.count_bytes(challenge, submission_id) == 150
    submissions.append(challenge, team_id, submission_id, 150, [data[150:]])
    assert submissions.check(challenge, team_id, submission_id, OPEN).is_good


def test_two_requests_do_not_add_to_one_upload_at_once(challenge: Challenge) -> None:
    team_id, method_id = join(challenge)
    with challenge.catalogue.writing() as session:
        submission_id = submissions.begin(session, challenge, team_id, method_id, "a.tgz", OPEN).id

    def add_meanwhile() -> Iterator[bytes]:
        with pytest.raises(HeldError):
            submissions.append(challenge, team_id, submission_id, 0, [b"theirs"])
        yield b"ours"

    submissions.append(challenge, team_id, submission_id, 0, add_meanwhile())
    assert upload_files.count_bytes(challenge, submission_id) == 4


def test_an_upload_that_nobody_goes_on_with_vanishes(challenge: Challenge) -> None:
    team_id, method_id = join(challenge)
    with challenge.catalogue.writing() as session:
        submission_id = submissions.begin(session, challenge, team_id, method_id, "a.tgz", OPEN).id
    submissions.append(challenge, team_id, submission_id, 0, [b"x"])
    assert submissions.end_abandoned(challenge, OPEN + timedelta(hours=23)) == 0
    assert submissions.end_abandoned(challenge, OPEN + timedelta(hours=25)) == 1
    assert list((challenge.folder / "uploads").iterdir()) == []
    with pytest.raises(InvalidError):
        submissions.append(challenge, team_id, submission_id, 1, [b"x"])


def test_a_full_disk_refuses_uploads_and_loses_none(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    entrant = join(challenge)
    kept, _ = send(challenge, entrant)
    before = challenge.upload_path(kept).read_bytes()
    usage = shutil.disk_usage(challenge.folder)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _place: usage._replace(free=1))
        with pytest.raises(UnavailableError, match="Nothing that was sent before is lost"):
            send(challenge, entrant)
    assert challenge.upload_path(kept).read_bytes() == before
    with challenge.catalogue.writing() as session:
        submissions.confirm(session, entrant[0], kept, OPEN)


def test_a_method_has_one_result_in_the_challenge_and_a_team_two_a_week_afterwards(
    challenge: Challenge,
) -> None:
    entrant = join(challenge)
    team_id = entrant[0]
    enter(challenge, entrant)
    with pytest.raises(TooManyError, match="results of this method are taken"):
        enter(challenge, entrant)
    with challenge.catalogue.writing() as session:
        second = methods.add(
            session, team_id, MethodFields("other", mask_source=FIELDS.mask_source), OPEN
        ).id
    enter(challenge, (team_id, second))
    week = [(team_id, second), entrant]
    for sent in week:
        enter(challenge, sent, now=LATER)
    with pytest.raises(TooManyError, match="of your team in 2026-W42"):
        enter(challenge, entrant, now=LATER)
    enter(challenge, join(challenge, "bob"), now=LATER)


def test_a_week_begins_on_monday_in_utc(challenge: Challenge) -> None:
    team_id, _ = entrant = join(challenge)
    sunday = ROLLING + timedelta(days=7, seconds=-1)
    for now in (LATER, sunday):
        enter(challenge, entrant, now=now)
    with pytest.raises(TooManyError):
        enter(challenge, entrant, now=sunday)
    enter(challenge, entrant, now=sunday + timedelta(seconds=1))
    with challenge.catalogue.reading() as session:
        left = quota.load_quota(session, team_id, "2026-W43", sunday).left
    assert left == 1


def test_of_two_requests_for_the_last_result_one_has_it(any_challenge: Challenge) -> None:
    challenge = any_challenge
    team_id, method_id = entrant = join(challenge)
    waiting = [send(challenge, entrant)[0] for _ in range(4)]
    start = threading.Barrier(len(waiting))
    outcomes = list[str]()

    def confirm(submission_id: int) -> None:
        start.wait()
        try:
            with challenge.catalogue.writing() as session:
                submissions.confirm(session, team_id, submission_id, OPEN)
            outcomes.append("queued")
        except TooManyError:
            outcomes.append("refused")

    threads = [threading.Thread(target=confirm, args=(number,)) for number in waiting]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["queued", "refused", "refused", "refused"]
    with challenge.catalogue.reading() as session:
        left = quota.load_quota(session, team_id, f"method-{method_id}", OPEN)
        assert (left.used, left.left) == (1, 0)


def test_confirming_twice_takes_one_result(challenge: Challenge) -> None:
    entrant = join(challenge)
    submission_id = enter(challenge, entrant)
    with challenge.catalogue.writing() as session:
        progress = submissions.confirm(session, entrant[0], submission_id, OPEN)
    assert (progress.state, progress.place) == (State.QUEUED, 1)


def test_what_is_cancelled_costs_nothing(challenge: Challenge) -> None:
    team_id, _ = entrant = join(challenge)
    first = enter(challenge, entrant)
    with challenge.catalogue.writing() as session:
        submissions.cancel(session, challenge, team_id, first, OPEN)
    assert not challenge.upload_path(first).exists()
    second = enter(challenge, entrant)
    with challenge.catalogue.writing() as session:
        assert queue.take(session, "worker", OPEN) is not None
    with challenge.catalogue.writing() as session, pytest.raises(HeldError):
        submissions.cancel(session, challenge, team_id, second, OPEN)


def fail_ten_times(challenge: Challenge, entrant: tuple[int, int], at: datetime) -> None:
    """Let one submission fail and confirm it again, as often as a day allows."""
    submission_id = enter(challenge, entrant, now=at)
    for number in range(10):
        if number:
            with challenge.catalogue.writing() as session:
                submissions.confirm(session, entrant[0], submission_id, at)
        with challenge.catalogue.writing() as session:
            job = queue.take(session, "worker", at)
            assert job is not None
            queue.fail(session, job, "It took too long.", at, is_final=True, is_of_server=False)


def test_ten_failures_a_day_are_as_many_as_there_are_of_one_submission_too(
    challenge: Challenge,
) -> None:
    entrant = join(challenge)
    fail_ten_times(challenge, entrant, OPEN)
    with pytest.raises(TooManyError, match="after midnight UTC") as refused:
        send(challenge, entrant, now=OPEN + timedelta(hours=23, minutes=59))
    assert refused.value.again_in_secs == 60
    with challenge.catalogue.writing() as session, pytest.raises(TooManyError):
        submissions.confirm(session, entrant[0], 1, OPEN)
    send(challenge, entrant, now=OPEN + timedelta(days=1))
    send(challenge, join(challenge, "bob"))


def test_a_used_up_quota_says_when_there_are_new_results_if_ever(challenge: Challenge) -> None:
    entrant = join(challenge)
    enter(challenge, entrant)
    with pytest.raises(TooManyError) as refused:
        enter(challenge, entrant)
    assert refused.value.again_in_secs is None
    sunday = ROLLING + timedelta(days=7, seconds=-90)
    for _ in range(2):
        enter(challenge, entrant, now=sunday)
    with pytest.raises(TooManyError) as refused:
        enter(challenge, entrant, now=sunday)
    assert refused.value.again_in_secs == 90


def test_ten_checked_uploads_are_as_many_as_a_team_keeps_here(challenge: Challenge) -> None:
    entrant = join(challenge)
    for _ in range(submissions.MOST_WAITING):
        last, _ = send(challenge, entrant, {"Main/comp1_cls_test_cat.txt": b""})
        with challenge.catalogue.writing() as session:
            submissions.get(session, entrant[0], last).state = State.CHECKED
    with pytest.raises(HeldError, match="wait to be confirmed"):
        send(challenge, entrant)
    with challenge.catalogue.writing() as session:
        submissions.cancel(session, challenge, entrant[0], last, OPEN)
    send(challenge, entrant)


def test_what_is_checked_is_what_is_kept_whatever_other_requests_send_meanwhile(
    challenge: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    team_id, method_id = join(challenge)
    good = pack(make_results())
    with challenge.catalogue.writing() as session:
        number = submissions.begin(session, challenge, team_id, method_id, "a.tgz", OPEN).id
    submissions.append(challenge, team_id, number, 0, [good])
    judge = verdicts.judge
    refused = list[type[Exception]]()

    def judge_meanwhile(*arguments: Any) -> Any:
        for attempt in (
            lambda: submissions.append(challenge, team_id, number, 0, [b"other"]),
            lambda: submissions.check(challenge, team_id, number, OPEN),
        ):
            with pytest.raises(HeldError) as error:
                attempt()
            refused.append(error.type)
        return judge(*arguments)

    monkeypatch.setattr(verdicts, "judge", judge_meanwhile)
    assert submissions.check(challenge, team_id, number, OPEN).is_good
    assert len(refused) == 2
    with pytest.raises(InvalidError, match="has ended"):
        submissions.append(challenge, team_id, number, 0, [b"other"])
    assert [path.name for path in (challenge.folder / "uploads").iterdir()] == [str(number)]
    assert challenge.upload_path(number).read_bytes() == good


def test_other_data_enters_the_even_competitions_alone(challenge: Challenge) -> None:
    fields = MethodFields(
        "big", training=Training.OTHER, training_data="the web", mask_source=FIELDS.mask_source
    )
    team_id, method_id = join(challenge, fields=fields)
    submission_id, _ = send(challenge, (team_id, method_id))
    with challenge.catalogue.writing() as session, pytest.raises(InvalidError, match="as comp2"):
        submissions.confirm(session, team_id, submission_id, OPEN)
    files = {name.replace("comp3", "comp4"): data for name, data in make_results().items()}
    files = {name: data for name, data in files.items() if "comp4" in name}
    enter(challenge, (team_id, method_id), files)


def test_comp5_asks_what_masks_were_learned_from(challenge: Challenge) -> None:
    team_id, method_id = join(challenge, fields=MethodFields("plain"))
    submission_id, _ = send(challenge, (team_id, method_id))
    with challenge.catalogue.writing() as session, pytest.raises(InvalidError, match="boxes"):
        submissions.confirm(session, team_id, submission_id, OPEN)
    with challenge.catalogue.writing() as session:
        methods.edit(session, team_id, method_id, FIELDS, OPEN)
        submissions.confirm(session, team_id, submission_id, OPEN)


def test_a_submission_of_another_team_is_not_there(challenge: Challenge) -> None:
    submission_id = enter(challenge, join(challenge))
    other, _ = join(challenge, "bob")
    with challenge.catalogue.writing() as session:
        for call in (
            lambda: submissions.get(session, other, submission_id),
            lambda: submissions.confirm(session, other, submission_id, OPEN),
            lambda: submissions.cancel(session, challenge, other, submission_id, OPEN),
        ):
            with pytest.raises(NotFoundError, match=f"There is no submission {submission_id}"):
                call()
