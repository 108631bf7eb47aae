"""Few files are brought to the disk one by one, many at once where the file system can."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from export import syncing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve files in three folders; together with it 16 paths."""
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        for number in range(4):
            (tmp_path / name / f"{number}.txt").write_text("text")
    return tmp_path


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths that are synced one by one."""
    paths: list[str] = []
    monkeypatch.setattr(syncing, "sync_path", lambda path: paths.append(str(path)))
    return paths


def all_paths(folder: Path) -> list[str]:
    return sorted(map(str, [folder, *folder.rglob("*")]))


def test_few_files_are_synced_one_by_one(folder: Path, synced: list[str]) -> None:
    syncing.sync_folder(folder)
    assert sorted(synced) == all_paths(folder)


@pytest.mark.parametrize("name", ["nfs", "tmpfs", None])
def test_many_files_are_synced_one_by_one_where_the_file_system_is_another(
    folder: Path, synced: list[str], name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "PATHS_IN_MEMORY", 5)
    monkeypatch.setattr(syncing, "_find_file_system", lambda folder: name)
    syncing.sync_folder(folder)
    assert sorted(synced) == all_paths(folder)


def test_many_files_are_synced_at_once(
    folder: Path, synced: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "PATHS_IN_MEMORY", 5)
    monkeypatch.setattr(syncing, "_find_file_system", lambda folder: "ext4")
    syncing.sync_folder(folder)
    assert synced == []


def test_a_disk_that_fails_at_once_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "PATHS_IN_MEMORY", 5)
    monkeypatch.setattr(syncing, "_find_file_system", lambda folder: "ext4")

    class Library:
        def syncfs(self, descriptor: int) -> int:
            ctypes.set_errno(errno.ENOSPC)
            return -1

    monkeypatch.setattr(ctypes, "CDLL", lambda name, use_errno: Library())
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)) as caught:
        syncing.sync_folder(folder)
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize("pays", [False, True])
@pytest.mark.parametrize("form", [syncing.syncing, syncing.syncing_ahead])
def test_what_the_disk_says_is_raised_when_the_block_has_ended(
    folder: Path,
    form: Callable[..., AbstractContextManager[None]],
    pays: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(folder: Path) -> None:
        raise OSError(errno.EIO, "by the disk")

    monkeypatch.setattr("export.forked.can_fork", lambda: True)
    monkeypatch.setattr(syncing, "can_fork", lambda: True)
    monkeypatch.setattr(syncing, "_find_file_system", lambda folder: "ext4")
    monkeypatch.setattr(syncing, "sync_folder", fail)
    is_left_to_the_block = form is syncing.syncing_ahead and not pays
    with (
        nullcontext() if is_left_to_the_block else pytest.raises(OSError, match=_SAID),
        form(folder, pays=pays),
    ):
        pass


_SAID = os.strerror(errno.EIO)


def test_what_the_disk_said_to_a_process_that_was_killed_is_not_taken_for_good(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = os.getpid()

    def die(folder: Path) -> None:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr("export.forked.can_fork", lambda: True)
    monkeypatch.setattr(syncing, "sync_folder", die)
    with pytest.raises(OSError, match=_SAID), syncing.syncing(folder, pays=True):
        pass


@pytest.mark.parametrize("name", ["nfs", "tmpfs", None])
def test_files_that_are_synced_one_by_one_are_not_synced_ahead(
    folder: Path, synced: list[str], name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syncing, "can_fork", lambda: True)
    monkeypatch.setattr(syncing, "_find_file_system", lambda folder: name)
    with syncing.syncing_ahead(folder, pays=True):
        pass
    assert synced == []


MOUNTS = """22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 {device} / / rw,relatime shared:1 - xfs /dev/vda rw
"""


@pytest.mark.parametrize(
    ("kernel", "system", "name"),
    [("6.1.0", "Linux", "xfs"), ("5.4.0-x", "Linux", None), ("24.1.0", "Darwin", None)],
)
def test_the_file_system_is_the_one_that_holds_the_folder(
    folder: Path,
    kernel: str,
    system: str,
    name: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = folder.stat().st_dev
    mounts = MOUNTS.format(device=f"{os.major(device)}:{os.minor(device)}")
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((system, "", kernel, "", "")))
    monkeypatch.setattr(Path, "read_text", lambda path, **options: mounts)
    assert syncing._find_file_system(folder) == name
