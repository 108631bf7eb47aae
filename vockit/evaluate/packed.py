"""Results that come as one archive, as participants send them: tar, tar.gz or zip."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from .errors import EvaluateError

ENDINGS = (".tar", ".tar.gz", ".tgz", ".zip")
RESULT_FOLDERS = ("Main", "Segmentation", "Layout", "Action")
MOST_BYTES = 8_000_000_000
MOST_FILES = 1_000_000
"""Larger archives are refused before they are unpacked."""
_BLOCK_BYTES = 1 << 20
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError)


def is_packed(results: Path) -> bool:
    """Whether the results are a file whose name is that of an archive."""
    return results.is_file() and results.name.lower().endswith(ENDINGS)


@contextmanager
def open_results(results: Path) -> Iterator[Path]:
    """The results, those of an archive unpacked into a folder that is gone after the block.

    Messages of an EvaluateError name the archive in place of that folder. Raises EvaluateError
    where the archive is not whole, is too large, or names places outside of itself.
    """
    if not is_packed(results):
        yield results
        return
    with TemporaryDirectory() as temporary:
        place = Path(temporary)
        try:
            _unpack(results, place)
        except _DAMAGED as error:
            reason = str(error).partition("\n")[0].rstrip(":. ") or type(error).__name__
            raise EvaluateError(
                f"{results} is no whole archive ({reason}); pack or send it again."
            ) from error
        folder = _find_root(place)
        try:
            yield folder
        except EvaluateError as error:
            error.args = (str(error).replace(str(folder), str(results)),)
            raise


def _unpack(results: Path, place: Path) -> None:
    if results.name.lower().endswith(".zip"):
        with zipfile.ZipFile(results) as archive:
            _refuse_large(results, [entry.file_size for entry in archive.infolist()])
            archive.extractall(place)  # noqa: S202  # it keeps every name inside
        return
    with tarfile.open(results) as packed:
        _refuse_large(results, [entry.size for entry in packed.getmembers()])
        _read_to_end(packed)
        packed.extractall(place, filter="data")  # no links or names that lead out


def _read_to_end(packed: tarfile.TarFile) -> None:
    """Raise EOFError where the compressed file is cut off behind its last entry."""
    assert packed.fileobj is not None
    while packed.fileobj.read(_BLOCK_BYTES):
        pass


def _refuse_large(results: Path, sizes: list[int]) -> None:
    if sum(sizes) > MOST_BYTES or len(sizes) > MOST_FILES:
        raise EvaluateError(
            f"{results} holds {len(sizes):,} files of {sum(sizes) / 1e9:,.1f} GB; expected at most "
            f"{MOST_FILES:,} files and {MOST_BYTES / 1e9:,.0f} GB."
        )


def _find_root(place: Path) -> Path:
    """The folder with the results, which archives often hold in folders of their own."""
    folder = place
    while not any((folder / name).is_dir() for name in RESULT_FOLDERS):
        inside = [path for path in sorted(folder.iterdir()) if path.is_dir()]
        if len(inside) != 1:
            return folder
        folder = inside[0]
    return folder
