"""Archives of results, and what the readers of results get of one."""

from __future__ import annotations

import io
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
