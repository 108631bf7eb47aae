"""What was looked at is copied as it was; what somebody touched since is not."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from catalog.party import Party
from export.copying import copy_stamped, stamp_of
from export.release import export_release

from .outcome import contents
from .rows import NOW

DATA = os.urandom(100_000)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.write_bytes(DATA)
    os.utime(path, (1, 1))
    return path


def copy(source: Path, target: Path) -> bool:
    return copy_stamped(str(source), stamp_of(source.stat()), str(target))


def test_the_copy_has_the_same_bytes(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "new" / "target"
    assert copy(source, target)
    assert target.read_bytes() == DATA


def replaced(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(DATA)
    other.replace(path)


def written(path: Path) -> None:
    path.write_bytes(DATA)
    os.utime(path, (1, 1))


TOUCHED: dict[str, Callable[[Path], object]] = {
    "written to, with the time put back": written,
    "put in its place": replaced,
    "cut": lambda path: os.truncate(path, 99),
    "removed": Path.unlink,
}


@pytest.mark.parametrize("how", TOUCHED)
def test_a_file_that_somebody_touched_is_not_copied(source: Path, tmp_path: Path, how: str) -> None:
    stamp = stamp_of(source.stat())
    TOUCHED[how](source)
    assert not copy_stamped(str(source), stamp, str(tmp_path / "target"))


def test_a_file_that_is_touched_while_it_is_copied_is_to_be_written_anew(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = os.copy_file_range

    def copy_and_touch(*args: int) -> int:
        source.write_bytes(b"x" * len(DATA))
        return inner(*args)

    monkeypatch.setattr(os, "copy_file_range", copy_and_touch)
    assert not copy(source, tmp_path / "target")


@pytest.mark.parametrize("number", [errno.EXDEV, errno.EOPNOTSUPP, errno.EIO])
def test_where_the_system_cannot_copy_the_release_is_the_same(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    with monkeypatch.context() as patch:
        patch.setattr(os, "copy_file_range", _unable(number))
        export_release(stocked, tmp_path / "two", year=2026, name="two", at=NOW)
    pictures = [
        {name: data for name, data in contents(tmp_path / out).items() if name.endswith(".jpg")}
        for out in ("one", "two")
    ]
    assert len(pictures[0]) == 8
    assert pictures[1] == pictures[0]


def _unable(number: int) -> Callable[..., int]:
    def copy_file_range(*args: int) -> int:
        raise OSError(number, os.strerror(number))

    return copy_file_range
