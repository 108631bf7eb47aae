"""Archives of results that hold more or other than results: each is refused in a sentence."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.members import Caps
from vockit.evaluate.packed import open_results

EXPECTED = "Main/comp3_det_val_cat.txt"
Files = dict[str, bytes]


def make_tar(path: Path, files: Files, mode: str = "w:gz") -> Path:
    with tarfile.open(path, mode) as packed:  # type: ignore[call-overload]
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            packed.addfile(entry, io.BytesIO(data))
    return path


def make_zip(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, data in files.items():
            zipped.writestr(name, data)
    return path


PACKERS = [make_tar, make_zip]


def name_archive(folder: Path, packer: Callable[..., Path]) -> Path:
    return folder / ("entry.tar.gz" if packer is make_tar else "entry.zip")


def list_taken(archive: Path, caps: Caps | None = None) -> Files:
    """The files that the readers of results get of an archive."""
    with open_results(archive, caps) as folder:
        paths = [path for path in folder.rglob("*") if path.is_file()]
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def refuse(archive: Path, caps: Caps | None = None) -> str:
    with pytest.raises(EvaluateError) as refused, open_results(archive, caps):
        pass
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("above", ["", "./", "VOC2012/", "results/VOC2012/", "mine/"])
def test_results_may_lie_in_folders_of_their_own(
    tmp_path: Path, packer: Callable[..., Path], above: str
) -> None:
    files = {
        f"{above}{EXPECTED}": b"x",
        f"{above}model.txt": b"mine",
        f"{above}Main/notes.txt": b"passed over",
        f"{above}run.sh": b"passed over",
        "elsewhere/release.txt": b"passed over",
    }
    taken = list_taken(packer(name_archive(tmp_path, packer), files))
    assert taken == {EXPECTED: b"x", "model.txt": b"mine"}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"../Main/comp3_det_val_cat.txt": b""}, "names a file outside of itself"),
        ({f"a/../../{EXPECTED}": b""}, "names a file outside of itself"),
        ({"/etc/passwd": b""}, "names a file outside of itself"),
        ({"Main/comp3_cat.txt": b""}, "expected files such as Main/comp1_cls_SET_CLASS.txt"),
        ({"main/COMP3_DET_val_cat.TXT": b""}, f"expected '{EXPECTED}', small and capital"),
        ({EXPECTED: b"", "comp3_det_val_dog.txt": b""}, "expected 'Main/comp3_det_val_dog.txt'"),
        ({EXPECTED: b"", "Main/comp1_cls_val_cat.TXT": b""}, "expected 'Main/comp1_cls_val_cat"),
        ({"entry.tar.gz": b""}, "holds another archive, 'entry.tar.gz'; send that one itself"),
        ({f"a/{EXPECTED}": b"", f"b/{EXPECTED}": b""}, "in several folders (a and b)"),
        ({EXPECTED: b"", f"./{EXPECTED}": b""}, "twice; pack one of them"),
        ({}, "got no file"),
    ],
)
def test_what_is_not_a_folder_of_results_is_refused_with_what_was_expected(
    tmp_path: Path, packer: Callable[..., Path], files: Files, words: str
) -> None:
    assert words in refuse(packer(name_archive(tmp_path, packer), files))


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


def test_an_archive_is_read_by_its_bytes_whatever_it_is_called(tmp_path: Path) -> None:
    assert list_taken(make_zip(tmp_path / "entry.tar.gz", {EXPECTED: b"x"})) == {EXPECTED: b"x"}
    assert list_taken(make_tar(tmp_path / "entry.zip", {EXPECTED: b"x"})) == {EXPECTED: b"x"}
