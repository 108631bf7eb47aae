"""`vocparty challenge`: what an organiser does without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from challenge import board
from challenge.folder import Challenge
from vocparty import main

from .contests import AFTER, enter, join, score_all


@pytest.fixture(autouse=True)
def _score_here(score_here: None) -> None:
    """Score in this process."""


@pytest.fixture
def run(challenge: Challenge) -> Any:
    """Runs a command on the challenge, and gives what it said."""

    def call(*words: str, status: int = 0) -> str:
        folder = ["--challenge", str(challenge.folder)]
        done = CliRunner().invoke(main, ["challenge", *words, *folder])
        assert done.exit_code == status, done.output
        assert "Traceback" not in done.output
        return done.output

    return call


def test_a_challenge_is_made_private_and_shows_its_dates(release: Path, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    words = [
        "--truth",
        str(release),
        "--submissions",
        "2026-09-01",
        "--closed",
        "2026-09-30T12:00Z",
    ]
    done = CliRunner().invoke(main, ["challenge", "init", str(folder), *words])
    assert done.exit_code == 0, done.output
    assert "with comp1, comp2, comp3, comp4, comp5, comp6." in done.output
    modes = {path.stat().st_mode & 0o077 for path in [folder, *folder.rglob("*")]}
    assert modes == {0}
    said = CliRunner().invoke(main, ["challenge", "phases", "--challenge", str(folder)]).output
    assert "submissions 2026-09-01 00:00 UTC\nclosed      2026-09-30 12:00 UTC\n" in said
    again = CliRunner().invoke(main, ["challenge", "init", str(folder), *words])
    assert (again.exit_code, "is not empty" in again.output) == (2, True)


def test_no_label_is_in_the_lists_that_a_verdict_reads(challenge: Challenge) -> None:
    lists = challenge.list_folder("1")
    names = {path.relative_to(lists).as_posix() for path in lists.rglob("*") if path.is_file()}
    root = "VOCdevkit/VOC2012"
    assert names == {
        "release.txt",
        f"{root}/labelmap.txt",
        f"{root}/ImageSets/Main/test.txt",
        f"{root}/ImageSets/Main/train.txt",
        f"{root}/ImageSets/Main/cat_train.txt",
        f"{root}/ImageSets/Main/person_train.txt",
        f"{root}/ImageSets/Segmentation/test.txt",
        f"{root}/JPEGImages/2012_000001.jpg",
        f"{root}/JPEGImages/2012_000002.jpg",
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--competitions", "comp9"], "no truth to score action"),
        (["--competitions", "comp99"], "Unknown competition"),
        (["--set", "train2"], "has no list of the set train2"),
        (["--submissions", "2026-09-01"], "closed needs a date"),
        (["--submissions", "soon"], "expected a date such as"),
        (["--images", "2026-09-01", "--training", "2026-10-01"], "would begin before training"),
    ],
)
def test_a_wrong_order_is_refused_in_a_sentence(
    release: Path, tmp_path: Path, words: list[str], said: str
) -> None:
    folder = tmp_path / "made"
    words = ["challenge", "init", str(folder), "--truth", str(release), *words]
    done = CliRunner().invoke(main, words)
    assert done.exit_code in (1, 2)
    assert said in done.output
    assert list(tmp_path.iterdir()) == []


def test_teams_are_added_with_a_link_each(run: Any) -> None:
    first = run("team", "add", "Example Lab", "--contact", "ann@example.org")
    assert first.startswith("http://127.0.0.1:8090/enter/")
    assert "or one like it" in run("team", "add", "example  lab", status=2)
    assert run("team", "link", "Example Lab") != first
    (row,) = json.loads(run("team", "list", "--json"))
    assert (row["team"], row["name"], row["contact"]) == (1, "Example Lab", "ann@example.org")
    run("team", "erase", "Example Lab")
    assert "Example" not in run("team", "list")
    assert "There is no team Example Lab." in run("team", "link", "Example Lab", status=2)


def test_what_an_organiser_does_is_listed_in_the_log(challenge: Challenge, run: Any) -> None:
    team_id, _ = entrant = join(challenge)
    submission_id = str(enter(challenge, entrant))
    score_all(challenge)
    with challenge.catalogue.writing() as session:
        board.publish(session, team_id, int(submission_id), AFTER)
    run("hide", submission_id, "--reason", "a check")
    run("show", submission_id, "--reason", "done")
    run("disqualify", submission_id, "--reason", "trained on test")
    run("quota", "ann", "--period", "2026-W42", "--reason", "server was down")
    run("phases", "--rolling", "2026-11-01")
    assert "Edition 2" in run("rescore", "--reason", "again")
    deeds = [line["deed"] for line in json.loads(run("log", "--json"))]
    assert deeds == ["invite", "hide", "show", "disqualify", "quota", "extend", "rescore"]
    (row,) = json.loads(run("list", "--json"))
    assert (row["state"], row["reason"]) == ("scored", "trained on test")
    assert "There is no submission 99." in run("hide", "99", "--reason", "x", status=2)


def test_outside_of_a_challenge_a_command_ends_in_a_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["challenge", "list", "--challenge", str(tmp_path)])
    assert done.exit_code == 2
    assert done.output.count("\n") == 1
