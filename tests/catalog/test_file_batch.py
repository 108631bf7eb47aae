"""Many files at once: all in their places when it is over, none before."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from catalog import file_batch
from catalog.errors import ImageStoreError
from catalog.file_batch import FileBatch
from catalog.image_store import ImageStore, digest_of, open_image_store


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ImageStore:
    if request.param == "folder":
        return open_image_store("images", tmp_path)
    return open_image_store(f"memory://party-{uuid.uuid4()}/images")


def list_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_files_that_threads_put_at_once_are_there_when_the_block_ends(store: ImageStore) -> None:
    datas = [bytes([number]) * 1_000 for number in range(40)]
    with store.putting() as put, ThreadPoolExecutor(4) as pool:
        digests = list(pool.map(put, [*datas, *datas]))
    assert digests == [digest_of(data) for data in datas] * 2
    assert list(store.digests()) == sorted(set(digests))
    assert [store.get(digest) for digest in digests[:40]] == datas


def test_no_file_is_in_its_place_before_the_disk_has_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[Path]] = []
    sync = file_batch.sync_filesystem

    def watched(descriptor: int, paths: object) -> None:
        seen.append([path for path in list_files(tmp_path) if len(path.name) == 64])
        sync(descriptor, [])

    monkeypatch.setattr(file_batch, "sync_filesystem", watched)
    store = open_image_store("images", tmp_path)
    with store.putting() as put:
        put(b"one")
        put(b"two")
    assert [len(paths) for paths in seen] == [0, 2]


def test_nothing_is_kept_of_a_block_that_raises(tmp_path: Path) -> None:
    store = open_image_store("images", tmp_path)
    with pytest.raises(KeyError), store.putting() as put:
        put(b"one")
        raise KeyError
    assert list_files(tmp_path) == []
    assert list((tmp_path / "images").iterdir()) == []


def test_a_full_disk_at_the_end_is_a_named_error_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(_descriptor: int, _paths: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(file_batch, "sync_filesystem", no_space)
    with (
        pytest.raises(ImageStoreError, match="No space left"),
        open_image_store("images", tmp_path).putting() as put,
    ):
        put(b"too much")
    assert list_files(tmp_path) == []


def test_one_file_that_the_disk_refuses_is_an_error_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, write = open_image_store("images", tmp_path), FileBatch.write

    def refuse_large(batch: FileBatch, path: str, data: bytes) -> None:
        if len(data) > 10:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(batch, path, data)

    monkeypatch.setattr(FileBatch, "write", refuse_large)
    with store.putting() as put:
        small = put(b"small")
        with pytest.raises(ImageStoreError, match="No space left"):
            put(b"much too large")
    assert list(store.digests()) == [small]


def test_a_system_without_one_call_for_all_waits_for_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    monkeypatch.setattr(file_batch, "_SYNCFS", None)
    monkeypatch.setattr(file_batch, "sync_path", synced.append)
    with open_image_store("images", tmp_path).putting() as put:
        digest = put(b"some bytes")
    store = tmp_path / "images"
    assert len(synced) == 3
    assert synced[1:] == [str(store / digest[:2]), str(store)]


def test_a_failed_call_of_the_system_is_an_os_error() -> None:
    descriptor = os.open(".", os.O_RDONLY)
    os.close(descriptor)
    with pytest.raises(OSError, match="Bad file descriptor"):
        file_batch.sync_filesystem(descriptor, ["."])


def test_what_a_killed_batch_left_is_removed_by_the_next(tmp_path: Path) -> None:
    program = (
        "import os, pathlib\nfrom catalog.file_batch import FileBatch\n"
        f"FileBatch(pathlib.Path({str(tmp_path)!r})).write('x', b'half')\nos._exit(9)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=False)
    assert [path.read_bytes() for path in list_files(tmp_path)] == [b"half"]
    alive = FileBatch(tmp_path)
    alive.write(str(tmp_path / "kept"), b"whole")
    FileBatch(tmp_path).publish()
    assert [path.read_bytes() for path in list_files(tmp_path)] == [b"whole"]
    alive.publish()
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
