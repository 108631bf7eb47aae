"""Moving the files that need not be kept into another folder, under the same paths."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable
from pathlib import Path

from catalog.image_store import MARK_FILE
from dedup.errors import DedupError
from vockit.errors import SettingsError
from vockit.format.own_files import refuse_in_tree
from vockit.format.whole_file import make_folder, sync_path

from .groups import Copy, FolderReport
from .reading import FolderFiles


def refuse_place(folder: Path, destination: Path) -> None:
    """Raise SettingsError where the files of a folder cannot be moved to that place."""
    refuse_in_tree(destination)
    if destination.resolve().is_relative_to(folder.resolve()):
        raise SettingsError(
            f"{destination.resolve()} lies in the folder itself, so that the next run would read "
            "what was moved; name a folder elsewhere."
        )
    if destination.exists() and not destination.is_dir():
        raise SettingsError(f"{destination} is a file; name a folder.")


def move_copies(
    report: FolderReport, files: FolderFiles, destination: Path
) -> tuple[int, list[str]]:
    """How many copies were moved, and the paths of those that were passed over.

    A copy is passed over unless it and the file that is kept for it hold, byte for byte, what was
    compared. Raises DedupError before anything is moved where a file is in the way or an image
    store would be changed, and where the disk takes no more; what was moved until then is whole,
    and the same call goes on.
    """
    folder = files.folder
    _refuse_stores(folder, destination, report.copies)
    for copy in report.copies:
        if os.path.lexists(destination / copy.path):
            raise DedupError(
                f"{destination / copy.path} is there already, so nothing was moved; name an empty "
                "folder."
            )
    digests = {name: sha256 for sha256, names in files.paths.items() for name in names}
    moved = 0
    passed_over = []
    for group in report.groups:
        is_kept = _holds(folder / group.kept, digests[group.kept])
        for name in _list_links_first(folder, group.copies):
            if is_kept and _holds(folder / name, digests[name]):
                _move(folder / name, destination / name)
                moved += 1
            else:
                passed_over.append(name)
    return moved, passed_over


def _refuse_stores(folder: Path, destination: Path, copies: Iterable[Copy]) -> None:
    """Raise DedupError where a file would leave or enter the image store of a party."""
    whole = folder.resolve()
    target = destination.resolve()
    places = {target, *target.parents}
    for copy in copies:
        places.update((whole / copy.path).parents)
    for place in places:
        if (place / MARK_FILE).is_file():
            raise DedupError(
                f"{place} is the image store of a party, so nothing was moved; `vocparty dedup "
                "--party DIR` puts near-duplicates of a party aside."
            )


def _list_links_first(folder: Path, copies: Iterable[Copy]) -> list[str]:
    """The paths of the copies; a link is moved while the file that it leads to is there."""
    names = [copy.path for copy in copies]
    return sorted(names, key=lambda name: not (folder / name).is_symlink())


def _holds(path: Path, sha256: str) -> bool:
    """Whether the file holds what was compared; its stamp does not tell."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == sha256
    except OSError:
        return False


def _move(source: Path, destination: Path) -> None:
    """Move a file, which is at either place whole at any moment, also to another disk."""
    try:
        make_folder(destination.parent)
        try:
            _rename(source, destination)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _copy_away(source, destination)
    except OSError as error:
        raise DedupError(
            f"{source} cannot be moved to {destination}: {error.strerror}. What was moved before "
            "is whole; mend that and run the same command again."
        ) from error


def _rename(source: Path, destination: Path) -> None:
    """Raises FileExistsError for a file that came meanwhile, or whose name differs in case."""
    if os.path.lexists(destination):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    source.rename(destination)


def _copy_away(source: Path, destination: Path) -> None:
    part = destination.with_name(f".{secrets.token_hex(6)}.part")
    try:
        shutil.copy2(source, part)
        sync_path(part)
        _rename(part, destination)
    finally:
        part.unlink(missing_ok=True)
    sync_path(destination.parent)
    source.unlink()
