"""Tar archives as VOC shipped them: trainval and test, the same bytes every time."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

from .errors import ExportError, FolderTakenError
from .folder import has_content, part_folder, publish_folder, write_file
from .importing.source_tree import get_tree, read_splits
from .syncing import sync_folder
from .travel.sums import NAME as SUMS
from .travel.sums import format_sums
from .verify.trees import Tree
from .voc import tree

MOMENT_SECS = 0
"""The time of every entry: an archive tells nothing of when it was made."""
_TEST = "test"
_FILE_MODE, _FOLDER_MODE = 0o644, 0o755


def write_archives(folder: Path, target: Path) -> list[Path]:
    """The archives of the tree in `folder`, in the new folder `target`; sums are beside them.

    Raises TreeNotFoundError where there is no tree, FolderTakenError where `target` holds
    something, ExportError where it cannot be written.
    """
    found = get_tree(folder)
    target = target.resolve()
    if has_content(target):
        raise FolderTakenError(f"{target} is not empty; name a new folder.")
    with part_folder(target) as part:
        try:
            names = [_write(found, part, is_test) for is_test in (False, True)]
            write_file(part, SUMS, format_sums(part).encode())
            sync_folder(part)
            publish_folder(part, target)
        except OSError as error:
            raise ExportError(
                f"{target} cannot be written: {error.strerror}; nothing of it was kept."
            ) from error
    return [target / name for name in names if name is not None]


def _write(found: Tree, folder: Path, is_test: bool) -> str | None:
    """The archive's name; None where the tree has no such images."""
    paths = list(_iterate_paths(found.root, is_test))
    if not any(path.startswith(tree.JPEG_IMAGES) for path in paths):
        return None
    name = found.root.resolve().name
    file_name = f"{name}{'test' if is_test else 'trainval'}.tar"
    root = f"{tree.DEVKIT}/{name}"
    with tarfile.open(folder / file_name, "w", format=tarfile.USTAR_FORMAT) as archive:
        made: set[str] = set()
        for path in paths:
            _add_folders(archive, f"{root}/{path}", made)
            archive.addfile(*_entry(found.root / path, f"{root}/{path}"))
    return file_name


def _iterate_paths(root: Path, is_test: bool) -> Iterator[str]:
    """The files of one archive, in order: those of its images, and the lists of its sets."""
    splits = read_splits(root)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    for path in files:
        relative = path.relative_to(root)
        if relative.parts[0] == tree.IMAGE_SETS:
            is_wanted = path.stem.rpartition("_")[2] == _TEST or path.stem == _TEST
        elif len(relative.parts) == 1:
            is_wanted = not is_test
        else:
            is_wanted = splits.get(path.stem) == _TEST
        if is_wanted == is_test or len(relative.parts) == 1:
            yield relative.as_posix()


def _add_folders(archive: tarfile.TarFile, path: str, made: set[str]) -> None:
    parts = path.split("/")[:-1]
    for depth in range(1, len(parts) + 1):
        folder = "/".join(parts[:depth])
        if folder not in made:
            made.add(folder)
            info = tarfile.TarInfo(folder)
            info.type, info.mode, info.mtime = tarfile.DIRTYPE, _FOLDER_MODE, MOMENT_SECS
            archive.addfile(info)


def _entry(path: Path, name: str) -> tuple[tarfile.TarInfo, io.BytesIO]:
    data = path.read_bytes()
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(data), _FILE_MODE, MOMENT_SECS
    return info, io.BytesIO(data)
