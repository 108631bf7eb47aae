"""A challenge is backed up, moved and looked through, and stays as private as it was."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from challenge import board, submissions
from challenge.folder import Challenge, open_challenge
from challenge.keeping import KeepingError, examine, restore_backup, write_backup
from challenge.tables import QuotaUse
from challenge.values import Board, State

from .contests import AFTER, OPEN, enter, join, make_results, pack, score_all


@pytest.fixture(autouse=True)
def _score_here(score_here: None) -> None:
    """Score in this process."""


def load_board(challenge: Challenge) -> Board:
    with challenge.catalogue.reading() as session:
        return board.load_board(session, challenge, "comp3", AFTER, team_id=1)


def list_faults(folder: Path) -> list[str]:
    return [check.name for check in examine(folder) if check.state == "error"]


def test_a_challenge_works_on_either_database_and_comes_back_from_a_backup(
    any_challenge: Challenge, tmp_path: Path
) -> None:
    team_id, _ = entrant = join(any_challenge)
    scored = enter(any_challenge, entrant)
    score_all(any_challenge)
    waiting = enter(any_challenge, join(any_challenge, "bob"), make_results(1))
    shown = load_board(any_challenge)
    assert [row.submission_id for row in shown.rows] == [scored]
    backup = tmp_path / "backup.tar"
    write_backup(any_challenge, backup)
    assert backup.stat().st_mode & 0o077 == 0
    folder = tmp_path / "again"
    restore_backup(backup, folder)
    assert list_faults(folder) == []
    with open_challenge(folder) as again:
        assert load_board(again) == shown
        score_all(again)
        with again.catalogue.reading() as session:
            assert submissions.get(session, 2, waiting).state is State.SCORED
            assert submissions.get(session, team_id, scored).state is State.SCORED
    with pytest.raises(KeepingError):
        write_backup(any_challenge, backup)


def test_a_backup_that_was_changed_or_cut_off_is_not_restored(
    challenge: Challenge, tmp_path: Path
) -> None:
    backup = tmp_path / "backup.tar"
    write_backup(challenge, backup)
    cut = tmp_path / "cut.tar"
    cut.write_bytes(backup.read_bytes()[:20_000])
    changed = tmp_path / "changed.tar"
    with tarfile.open(backup) as packed, tarfile.open(changed, "w") as other:
        for member in packed:
            if "Annotations/2012_000003" not in member.name:
                other.addfile(member, packed.extractfile(member))
    for source in (cut, changed):
        with pytest.raises(KeepingError):
            restore_backup(source, tmp_path / "again")
        assert not (tmp_path / "again").exists()


def test_doctor_finds_open_labels_a_changed_upload_and_a_result_that_nobody_has(
    challenge: Challenge,
) -> None:
    submission_id = enter(challenge, join(challenge))
    assert list_faults(challenge.folder) == []
    (challenge.folder / "truths").chmod(0o755)
    challenge.upload_path(submission_id).write_bytes(pack(make_results(9)))
    with challenge.catalogue.writing() as session:
        row = {"team_id": 1, "period": "2026-W42", "number": 1, "submission_id": submission_id}
        session.query(QuotaUse).delete()
        session.add(QuotaUse(**(row | {"submission_id": 99}), taken_at=OPEN))
    assert list_faults(challenge.folder) == ["privacy", "uploads", "quota"]
