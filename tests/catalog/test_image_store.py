import errno
import os
import stat
import uuid
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import ImageMissingError, ImageStoreError
from catalog.image_store import ImageStore, digest_of, open_image_store, write_whole
from tests.rows import at_once
from vockit.format import whole_file


@pytest.fixture(params=["folder", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> ImageStore:
    if request.param == "folder":
        return open_image_store("images", tmp_path)
    return open_image_store(f"memory://party-{uuid.uuid4()}/images")


def test_a_file_is_stored_once_and_a_missing_one_is_named(store: ImageStore) -> None:
    sha256 = store.put(b"some bytes")
    assert sha256 == digest_of(b"some bytes") == store.put(b"some bytes")
    assert store.has(sha256)
    assert store.get(sha256) == b"some bytes"
    assert list(store.digests()) == [sha256]
    store.delete(sha256)
    store.delete(sha256)
    assert not store.has(sha256)
    assert list(store.digests()) == []
    with pytest.raises(ImageMissingError, match="holds no file"):
        store.get(sha256)
    path = store.local_path(store.put(b"some bytes"))
    assert path is None or path.read_bytes() == b"some bytes"


def test_a_failed_delete_is_a_store_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_image_store("images", tmp_path)
    sha256 = store.put(b"some bytes")

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "remove", refuse)
    with pytest.raises(ImageStoreError, match="did not delete"):
        store.delete(sha256)


@pytest.mark.parametrize("digest", ["../../etc/passwd", "", "Z" * 64, "0" * 63 + "/"])
def test_a_path_is_never_accepted_as_a_digest(store: ImageStore, digest: str) -> None:
    with pytest.raises(ValueError, match="64 hexadecimal digits"):
        store.get(digest)


def test_a_store_url_of_an_unknown_kind_is_refused_in_a_sentence() -> None:
    with pytest.raises(ImageStoreError, match="cannot be opened"):
        open_image_store("nosuchthing://bucket/images")


def test_a_full_disk_is_named_leaving_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = open_image_store("images", tmp_path)

    def no_space(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(ImageStoreError, match="No space left"):
        store.put(b"too much")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_many_threads_that_store_the_same_bytes_leave_one_whole_file(tmp_path: Path) -> None:
    store = open_image_store("images", tmp_path)
    data = os.urandom(200_000)
    at_once(*[partial(store.put, data)] * 8)
    assert [path.stat().st_size for path in tmp_path.rglob("*") if path.is_file()] == [200_000]


def test_writing_a_file_replaces_the_earlier_one_as_a_whole(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.txt", b"first")
    write_whole(tmp_path / "a.txt", b"second")
    assert (tmp_path / "a.txt").read_bytes() == b"second"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_is_synced_before_its_rename_and_its_folder_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    sync = os.fsync
    rename = os.replace

    def watched_sync(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        sync(descriptor)

    def watched_rename(source: str, target: str) -> None:
        done.append("name")
        rename(source, target)

    monkeypatch.setattr(os, "fsync", watched_sync)
    monkeypatch.setattr(os, "replace", watched_rename)
    write_whole(tmp_path / "a.txt", b"whole")
    assert done == ["file", "name", "folder"]


def test_new_folders_are_synced_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    sync_path = whole_file.sync_path

    def watched_sync(path: str) -> None:
        synced.append(str(Path(path).relative_to(tmp_path)))
        sync_path(path)

    monkeypatch.setattr(whole_file, "sync_path", watched_sync)
    write_whole(tmp_path / "new" / "deep" / "a.txt", b"first")
    write_whole(tmp_path / "new" / "deep" / "b.txt", b"second")
    assert synced == [".", "new", "new/deep", "new/deep"]


def test_a_folder_can_be_made_in_an_unlistable_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    open_any = os.open
    make = os.mkdir

    def open_readable(path: Path | str, flags: int, mode: int = 0o777) -> int:
        if Path(path) == tmp_path:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        descriptor = open_any(path, flags, mode)
        done.append("file" if flags & os.O_CREAT else Path(path).name)
        return descriptor

    def watched_make(path: Path | str, mode: int = 0o777) -> None:
        make(path, mode)
        done.append("folder")

    monkeypatch.setattr(os, "open", open_readable)
    monkeypatch.setattr(os, "mkdir", watched_make)
    monkeypatch.setattr(os, "sync", lambda: done.append("all is on the disk"))
    write_whole(tmp_path / "new" / "a.txt", b"whole")
    assert done == ["folder", "all is on the disk", "file", "new"]
    assert (tmp_path / "new" / "a.txt").read_bytes() == b"whole"


@given(st.binary(max_size=300))
def test_any_bytes_are_read_back_as_they_were_stored(data: bytes) -> None:
    store = open_image_store(f"memory://party-{uuid.uuid4()}/images")
    assert store.get(store.put(data)) == data
