"""An interrupted export leaves no incomplete release, and the next run completes it."""

import errno
import fcntl
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import export.releases
from catalog.party import Party, open_party
from catalog.states import ImageState
from catalog.tables import Image
from export.errors import ExportError, ReleaseNameError
from export.planning import plan_release
from export.release import write_release
from tests.exporting import contents, count_releases, export_release, states, verify_tree
from tests.party_rows import CAT, NOW, fill, jpeg_bytes
from tests.warm import Warm
from vockit.errors import FolderTakenError, WriteError

from . import cut_off


def raising(error: BaseException) -> Callable[..., None]:
    def step(*args: object, **kwargs: object) -> None:
        raise error

    return step


class Stop(BaseException):
    """Stops the process here, like Ctrl-C."""


def test_a_disk_error_leaves_no_release(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        fault = OSError(errno.EIO, os.strerror(errno.EIO))
        patch.setattr("vockit.foreign.folder.sync_path", raising(fault))
        with pytest.raises(WriteError, match="cannot be written: Input/output error"):
            export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert [path.name for path in tmp_path.iterdir()] == ["party"]
    assert count_releases(stocked) == 0
    export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert verify_tree(tmp_path / "out") == []


@pytest.mark.parametrize("step", ["write_plan", "publish_folder"])
def test_an_export_interrupted_at_any_step_is_completed_by_a_rerun(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(f"export.release.{step}", raising(Stop()))
        with pytest.raises(Stop):
            export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert [path.name for path in tmp_path.iterdir()] == ["party"]
    assert count_releases(stocked) == (1 if step == "publish_folder" else 0)
    export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert verify_tree(tmp_path / "out") == []
    assert count_releases(stocked) == 1
    assert states(stocked) == {ImageState.RELEASED: 8}


@pytest.mark.parametrize("step", ["check_tree", "freeze_release", "publish_folder"])
def test_a_killed_export_is_completed_by_a_rerun(party: Party, tmp_path: Path, step: str) -> None:
    fill(party, [[CAT]] * 4)
    killed = Warm([str(tmp_path), step], main=cut_off.release_until_killed)
    assert killed.wait() == -signal.SIGKILL
    (left,) = [path for path in tmp_path.iterdir() if path.name != "party"]
    assert left.name.startswith(".out.")
    with open_party(tmp_path / "party") as reopened:
        plan = export_release(reopened, tmp_path / "out", year=2026, at=NOW)
        assert plan.is_recorded is (step == "publish_folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "party"]
    assert verify_tree(tmp_path / "out") == []


def test_the_folder_of_a_running_export_is_left_alone(stocked: Party, tmp_path: Path) -> None:
    other = tmp_path / ".out.0123456789ab.part"
    other.mkdir()
    descriptor = os.open(other, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    finally:
        os.close(descriptor)
    assert other.is_dir()


@pytest.mark.parametrize("name", [".out.mine.part", ".out.0123456789ab.part.old", ".out.part"])
def test_a_folder_of_the_user_is_not_taken_for_a_leftover(
    stocked: Party, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis.tex").write_text("text")
    export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert (tmp_path / name / "thesis.tex").read_text() == "text"


CHANGES: list[Callable[[Image], object]] = [
    lambda image: setattr(image, "state", ImageState.CHECKING),
    lambda image: setattr(image, "state", ImageState.TAKEN_DOWN),
    lambda image: setattr(image, "annotation_id", 2 if image.annotation_id == 1 else 1),
]


@pytest.mark.parametrize("change", CHANGES)
def test_an_image_that_changed_after_the_plan_stops_the_release(
    any_stocked: Party, tmp_path: Path, change: Callable[[Image], None]
) -> None:
    plan = plan_release(any_stocked, year=2026)
    with any_stocked.catalogue.writing() as session:
        change(session.get_one(Image, plan.images[0].row.id))
    with pytest.raises(ExportError, match=r"worked on image \d+ .* \(1 in all\)"):
        write_release(any_stocked, plan, tmp_path / "out", at=NOW)
    assert count_releases(any_stocked) == 0
    assert ImageState.RELEASED not in states(any_stocked)
    assert [path.name for path in tmp_path.iterdir()] == ["party"]


def test_of_two_releases_with_one_name_one_is_recorded(any_stocked: Party, tmp_path: Path) -> None:
    plans = [plan_release(any_stocked, year=2026) for _ in range(2)]
    write_release(any_stocked, plans[0], tmp_path / "one", at=NOW)
    with pytest.raises(ReleaseNameError, match="Another process just created"):
        write_release(any_stocked, plans[1], tmp_path / "two", at=NOW)
    assert count_releases(any_stocked) == 1
    assert not (tmp_path / "two").exists()


def test_a_release_whose_folder_was_taken_is_recorded_and_reported(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def freeze_and_take(*args: object, **kwargs: object) -> None:
        export.releases.freeze_release(*args, **kwargs)  # type: ignore[arg-type]
        (tmp_path / "out").mkdir()
        (tmp_path / "out" / "thesis.txt").write_text("precious")

    with monkeypatch.context() as patch:
        patch.setattr("export.release.freeze_release", freeze_and_take)
        with pytest.raises(FolderTakenError):
            export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    export_release(stocked, tmp_path / "other", year=2026, at=NOW)
    assert verify_tree(tmp_path / "other") == []
    assert contents(tmp_path / "out") == {"thesis.txt": b"precious"}


def test_a_file_damaged_after_the_plan_stops_the_release(stocked: Party, tmp_path: Path) -> None:
    plan = plan_release(stocked, year=2026)
    path = stocked.store.local_path(plan.images[3].jpeg_sha256)
    assert path is not None
    path.write_bytes(jpeg_bytes(77))
    with pytest.raises(ExportError, match="is not what was stored"):
        write_release(stocked, plan, tmp_path / "out", at=NOW)
    path.unlink()
    with pytest.raises(ExportError, match="is not in the image store"):
        write_release(stocked, plan, tmp_path / "out", at=NOW)
    assert count_releases(stocked) == 0


def test_a_tree_that_breaks_a_rule_is_not_released(stocked: Party, tmp_path: Path) -> None:
    plan = plan_release(stocked, year=2026)
    grey = stocked.store.put(jpeg_bytes(1, "L"))
    images = (replace(plan.images[0], jpeg_sha256=grey), *plan.images[1:])
    with pytest.raises(ExportError, match=r"2026_000001\.jpg:1: jpeg-colour"):
        write_release(stocked, replace(plan, images=images), tmp_path / "out", at=NOW)
    assert count_releases(stocked) == 0


def test_an_unwritable_folder_is_reported(stocked: Party, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="cannot be written"):
        export_release(stocked, tmp_path / "file" / "out", year=2026, at=NOW)


@pytest.mark.parametrize("most_bytes", [100, 2_500, 12_000])
def test_a_full_disk_records_no_release(stocked: Party, tmp_path: Path, most_bytes: int) -> None:
    """No file may grow beyond this many bytes; the catalogue's own files are longer already."""
    words = [str(tmp_path), str(most_bytes)]
    release = Warm(words, main=cut_off.release_onto_full_disk)
    _out, err = release.communicate()
    assert release.returncode == 1
    assert "File too large" in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["party"]
    assert count_releases(stocked) == 0
    assert states(stocked) == {ImageState.CHECKED: 8}
    export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert verify_tree(tmp_path / "out") == []
