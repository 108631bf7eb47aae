"""The members of an archive: links, damage, and more than anyone sends are refused."""

from __future__ import annotations

import errno
import gzip
import io
import lzma
import random
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vockit.evaluate.members import Caps

from .archives import EXPECTED, PACKERS, list_taken, make_tar, make_zip, name_archive, refuse
from .entries import make_valid, pack, run
from .small_tree import ROW, write


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize(
    ("caps", "words"),
    [
        (Caps(members=3), "expected at most 3 files"),
        (Caps(total_bytes=1000), "holds more than anyone sends"),
        (Caps(free_bytes=1000), "unpacks to more than 200 times its size"),
        (Caps(secs=0), "took more than 0 s and was ended"),
    ],
)
def test_an_archive_ends_at_the_first_cap_that_it_passes(
    tmp_path: Path, packer: Callable[..., Path], caps: Caps, words: str
) -> None:
    files = {f"Main/comp3_det_val_{number}.txt": bytes(200_000) for number in range(5)}
    archive = packer(name_archive(tmp_path, packer), files)
    assert words in refuse(archive, caps)
    assert len(list_taken(archive)) == 5


def test_what_is_packed_between_the_members_counts_too(tmp_path: Path) -> None:
    files = {"passed-over": bytes(20_000_000), EXPECTED: b"x"}
    assert "200 times" in refuse(make_tar(tmp_path / "entry.tar.gz", files))


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE],
)
def test_a_link_or_a_device_is_no_file_of_results(tmp_path: Path, kind: bytes) -> None:
    archive = tmp_path / "entry.tar"
    entry = tarfile.TarInfo(EXPECTED)
    entry.type = kind
    entry.linkname = "/etc/passwd"
    with tarfile.open(archive, "w") as packed:
        packed.addfile(entry)
    assert f"{EXPECTED} is a link or no regular file" in refuse(archive)


def test_a_link_in_a_zip_is_no_file_of_results(tmp_path: Path) -> None:
    entry = zipfile.ZipInfo(EXPECTED)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "entry.zip", "w") as zipped:
        zipped.writestr(entry, "/etc/passwd")
    assert "is a link" in refuse(tmp_path / "entry.zip")


def test_an_encrypted_zip_is_refused_as_such(tmp_path: Path) -> None:
    archive = make_zip(tmp_path / "entry.zip", {EXPECTED: b"x"})
    data = bytearray(archive.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    archive.write_bytes(data)
    assert "is encrypted; pack it without a password" in refuse(archive)


def test_a_zip_of_an_unusual_method_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "entry.zip", "w", zipfile.ZIP_LZMA) as zipped:
        zipped.writestr(EXPECTED, b"x")
    assert "pack it with deflate" in refuse(tmp_path / "entry.zip")


@pytest.mark.parametrize("ending", [".zip", ".tar", ".tar.gz"])
@pytest.mark.parametrize("left", [0, 10, 0.5, 0.99])
def test_an_archive_that_is_cut_off_is_refused_in_a_sentence(
    devkit: Path, ending: str, left: float
) -> None:
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    write(results / "Main/comp4_det_val_cat.txt", f"{ROW}\n" * 1000)
    archive = pack(results, ending)
    data = archive.read_bytes()
    archive.write_bytes(data[: int(left if left > 1 else left * len(data))])
    if (ending, left) == (".tar", 0.99):  # of which only the end mark is lost
        return
    said = run("check-results", archive, "--release", devkit, status=1)
    assert said.startswith(f"Error: {archive} is no whole archive (")
    assert said.count("\n") == 1


def test_an_archive_of_more_than_anyone_sends_is_not_unpacked(
    devkit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = devkit / "results" / "VOC2012"
    make_valid(results)
    monkeypatch.setattr("vockit.evaluate.packed.CAPS", Caps(total_bytes=100))
    said = run("check-results", pack(results, ".zip"), "--release", devkit, status=1)
    assert "expected at most 100,000 files" in said


def test_an_archive_is_refused_at_the_first_file_that_is_too_large(devkit: Path) -> None:
    """Nothing behind that is listed, which could take minutes of a small archive."""
    huge = tarfile.TarInfo("Main/comp3_det_val_cat.txt")
    huge.size = 9_000_000_000
    archive = devkit / "entry.tar.gz"
    archive.write_bytes(gzip.compress(huge.tobuf()))
    said = run("check-results", archive, "--release", devkit, status=1)
    assert "expected at most 100,000 files and 8 GB" in said


def make_damaged_archives() -> Iterator[tuple[str, bytes]]:
    """Archives at which unpacking raises errors of many kinds, most of them not tarfile's own."""
    entry = tarfile.TarInfo("Main/comp3_det_val_cat.txt")
    entry.size = 100_000
    packed = bytearray(lzma.compress(entry.tobuf() + random.Random(0).randbytes(101_376)))
    packed[len(packed) // 2 : len(packed) // 2 + 200] = bytes(200)
    yield "entry.tar.gz", bytes(packed)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("Main/comp3_det_val_cat.txt", f"{ROW}\n" * 1000)
    data = bytearray(file.getvalue())
    start = data.index(b"comp3_det_val_cat.txt") + len(b"comp3_det_val_cat.txt")
    data[start + 12 : start + 60] = b"\xff" * 48
    yield "entry.zip", bytes(data)
    long = tarfile.TarInfo("Main/comp3_det_val_cat.txt")
    long.type = tarfile.GNUTYPE_LONGNAME
    long.size = 7_000_000_000
    yield "entry.tar.gz", gzip.compress(long.tobuf())


# The archives hold the time at which they were made: no name, where several processes list tests.
@pytest.mark.parametrize(
    ("name", "data"), list(make_damaged_archives()), ids=("xz", "deflate", "long name")
)
def test_a_damaged_archive_is_refused_in_a_sentence(devkit: Path, name: str, data: bytes) -> None:
    archive = devkit / name
    archive.write_bytes(data)
    said = run("check-results", archive, "--release", devkit, status=1)
    assert said.startswith(f"Error: {archive} is no whole archive (")
    assert said.count("\n") == 1
    assert "Errno" not in said


def test_a_full_disk_is_not_called_a_fault_of_the_archive(
    devkit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = devkit / "results" / "VOC2012"
    make_valid(results)

    def fail(*_words: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    archive = pack(results, ".zip")
    monkeypatch.setattr(zipfile.ZipFile, "open", fail)
    said = run("check-results", archive, "--release", devkit, status=1)
    assert "has no room for it; make room, or set TMPDIR" in said


def test_an_archive_is_read_by_its_bytes_whatever_it_is_called(tmp_path: Path) -> None:
    assert list_taken(make_zip(tmp_path / "entry.tar.gz", {EXPECTED: b"x"})) == {EXPECTED: b"x"}
    assert list_taken(make_tar(tmp_path / "entry.zip", {EXPECTED: b"x"})) == {EXPECTED: b"x"}
