"""Moving the files that need not be kept into another folder, under the same paths."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from dedup.errors import DedupError
from vockit.errors import SettingsError

from .groups import FolderReport
from .kept_hashes import KeptHashes
from .reading import has_stamp


def refuse_place(folder: Path, destination: Path) -> None:
    """Raise SettingsError where the files of a folder cannot be moved to that place."""
    if destination.resolve().is_relative_to(folder.resolve()):
        raise SettingsError(
            f"{destination} is in {folder}, so that the next run would read what was moved; name a "
            "folder elsewhere."
        )
    if destination.exists() and not destination.is_dir():
        raise SettingsError(f"{destination} is a file; name a folder.")


def move_copies(report: FolderReport, kept: KeptHashes, destination: Path) -> tuple[int, list[str]]:
    """How many copies were moved, and the paths of those that were passed over.

    A copy is passed over where it or the file that is kept for it changed since it was read. Raises
    DedupError before anything is moved where a file is in the way, and where the disk takes no
    more; what was moved until then is whole, and the same call goes on.
    """
    folder = Path(report.folder)
    for copy in report.copies:
        if os.path.lexists(destination / copy.path):
            raise DedupError(
                f"{destination / copy.path} is there already, so nothing was moved; name an empty "
                "folder."
            )
    stamps = kept.list_files()
    moved = 0
    passed_over = []
    for group in report.groups:
        for copy in group.copies:
            names = group.kept, copy.path
            if all(has_stamp(folder / name, stamps[name][0]) for name in names):
                _move(folder / copy.path, destination / copy.path)
                moved += 1
            else:
                passed_over.append(copy.path)
    return moved, passed_over


def _move(source: Path, destination: Path) -> None:
    """Move a file, which is at either place whole at any moment, also to another disk."""
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        try:
            source.rename(destination)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _copy_away(source, destination)
    except OSError as error:
        raise DedupError(
            f"{source} cannot be moved to {destination}: {error.strerror}. What was moved before "
            "is whole; mend that and run the same command again."
        ) from error


def _copy_away(source: Path, destination: Path) -> None:
    part = destination.with_name(f".{destination.name}.part")
    try:
        shutil.copy2(source, part)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(destination)
    finally:
        part.unlink(missing_ok=True)
    source.unlink()
