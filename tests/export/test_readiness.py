"""A release is refused while something is open, unless somebody insists, and then says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import Party
from catalog.states import FindingVerdict, ImageState
from catalog.tables import Finding
from export.errors import ExportError
from export.planning import ReleaseOrder, plan_release
from tests.export.exporting import export_release
from vocparty import main

from .outcome import contents, count_releases, manifest_of
from .rows import CAT, NOW, add_image


def add_finding(
    party: Party, key: str, severity: str, verdict: FindingVerdict | None, image_id: int | None = 1
) -> None:
    with party.catalogue.writing() as session:
        told = {"check_name": "touching", "subject_sha256": "0" * 64, "message": "something"}
        of = {"finding_key": key, "severity": severity, "image_id": image_id, "verdict": verdict}
        session.add(Finding(**told, **of, found_at=NOW))


@pytest.mark.parametrize("state", [ImageState.ANNOTATED, ImageState.CHECKING, ImageState.RETURNED])
def test_annotated_images_that_nobody_checked_are_named(
    any_stocked: Party, tmp_path: Path, state: ImageState
) -> None:
    with any_stocked.catalogue.writing() as session:
        add_image(session, any_stocked, 20, [CAT], state=state)
        add_image(session, any_stocked, 21, [], state=ImageState.POOL)
    with pytest.raises(ExportError, match="1 annotated image is not checked"):
        export_release(any_stocked, tmp_path / "out", year=2026, at=NOW)
    assert count_releases(any_stocked) == 0


def test_only_open_errors_count(any_stocked: Party) -> None:
    add_finding(any_stocked, "judged", "error", FindingVerdict.WRONG)
    add_finding(any_stocked, "mended", "error", FindingVerdict.MENDED)
    add_finding(any_stocked, "small", "warning", None)
    add_finding(any_stocked, "of a person", "error", None, image_id=None)
    with any_stocked.catalogue.writing() as session:
        gone = add_image(session, any_stocked, 20, [CAT], state=ImageState.DISCARDED).id
    add_finding(any_stocked, "not in the release", "error", None, image_id=gone)
    assert len(plan_release(any_stocked, year=2026).images) == 8
    add_finding(any_stocked, "one", "error", None)
    add_finding(any_stocked, "confirmed, not mended", "error", FindingVerdict.RIGHT, image_id=2)
    with pytest.raises(ExportError, match="2 findings of severity error are open"):
        plan_release(any_stocked, year=2026)


def test_a_forced_release_says_so_for_good(stocked: Party, tmp_path: Path) -> None:
    add_finding(stocked, "one", "error", None)
    order = ReleaseOrder(is_forced=True)
    export_release(stocked, tmp_path / "one", year=2026, at=NOW, order=order)
    assert manifest_of(tmp_path / "one")["forced"] == ["1 finding of severity error is open"]
    export_release(stocked, tmp_path / "two", year=2026, at=NOW)
    assert contents(tmp_path / "two") == contents(tmp_path / "one")


def test_a_release_that_needed_no_force_does_not_say_so(stocked: Party) -> None:
    assert plan_release(stocked, year=2026, order=ReleaseOrder(is_forced=True)).notes.forced == ()


def test_checks_run_before_a_new_release_and_not_before_a_recorded_one(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[Path | None] = []
    monkeypatch.setattr("qa.cli.check_first", checked.append)
    party = ("--year", "2026", "--party", str(stocked.folder))
    for number, more in enumerate([(), (), ("--name", "Zoo 2"), ("--name", "VOC2026")]):
        done = CliRunner().invoke(main, ["export", str(tmp_path / str(number)), *party, *more])
        assert done.exit_code == 0, done.output
    assert checked == [stocked.folder] * 2, "VOC2026 and Zoo 2 when they were new"
