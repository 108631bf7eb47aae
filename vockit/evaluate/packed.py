"""Results that come as one archive, as participants send them: tar, tar.gz or zip."""

from __future__ import annotations

import errno
import tarfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from vockit.errors import WriteError
from vockit.format.shortage import refuse_shortage

from .errors import EvaluateError

ENDINGS = (".tar", ".tar.gz", ".tgz", ".zip")
RESULT_FOLDERS = ("Main", "Segmentation", "Layout", "Action")
MOST_BYTES = 8_000_000_000
MOST_FILES = 1_000_000
"""Larger archives are refused before they are unpacked."""
_BLOCK_BYTES = 1 << 20
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_MACOS = "__MACOSX"
"""The folder in which the Finder packs what macOS alone knows of each file."""


def is_packed(results: Path) -> bool:
    """Whether the results are a file whose name is that of an archive."""
    return results.is_file() and results.name.lower().endswith(ENDINGS)


def name_folder(results: Path) -> Path:
    """The folder next to a file of results that has the file's name without its ending."""
    name = results.name
    endings = (ending for ending in ENDINGS if name.lower().endswith(ending))
    return results.with_name(name[: -len(next(endings, results.suffix))])


@contextmanager
def open_results(results: Path) -> Iterator[Path]:
    """The results, those of an archive unpacked into a folder that is gone after the block.

    Messages of an EvaluateError name the archive in place of that folder. Raises EvaluateError
    where the archive is not whole, is too large, or names places outside of itself; WriteError
    where the disk has no room for it.
    """
    if not is_packed(results):
        yield results
        return
    with TemporaryDirectory() as temporary:
        place = Path(temporary)
        try:
            _unpack(results, place)
        except EvaluateError:
            raise
        except Exception as error:  # tarfile and zipfile raise many kinds over damaged archives
            refuse_shortage(error)
            if isinstance(error, OSError) and error.errno in _FULL:
                raise WriteError(
                    f"{results} was not unpacked: {temporary} has no room for it; make room, or "
                    "set TMPDIR to a folder on another disk."
                ) from error
            text = str(getattr(error, "strerror", None) or error)  # no path that is soon gone
            reason = text.partition("\n")[0].rstrip(":. ") or type(error).__name__
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
            _refuse_large(results, (entry.file_size for entry in archive.infolist()))
            archive.extractall(place)  # noqa: S202  # it keeps every name inside
        return
    with tarfile.open(results) as packed:
        _refuse_large(results, (entry.size for entry in packed))
        _read_to_end(packed)
        packed.extractall(place, filter="data")  # no links or names that lead out


def _read_to_end(packed: tarfile.TarFile) -> None:
    """Raise EOFError where the compressed file is cut off behind its last entry."""
    assert packed.fileobj is not None
    while packed.fileobj.read(_BLOCK_BYTES):
        pass


def _refuse_large(results: Path, sizes: Iterable[int]) -> None:
    """Raise EvaluateError at the first file that is too much; the rest is not even listed."""
    total = 0
    for files, size in enumerate(sizes, 1):
        total += size
        if total > MOST_BYTES or files > MOST_FILES:
            raise EvaluateError(
                f"{results} holds more than anyone sends; expected at most {MOST_FILES:,} files "
                f"and {MOST_BYTES / 1e9:,.0f} GB."
            )


def _find_root(place: Path) -> Path:
    """The folder with the results, which archives often hold in folders of their own."""
    folder = place
    while not any((folder / name).is_dir() for name in RESULT_FOLDERS):
        inside = [path for path in folder.iterdir() if path.is_dir() and path.name != _MACOS]
        if len(inside) != 1:
            return folder
        folder = inside[0]
    return folder
