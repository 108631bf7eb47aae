"""Tar archives as VOC shipped them: trainval and each test set, the same bytes every time."""

from __future__ import annotations

import hashlib
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePath

from vockit.errors import NothingWrittenError, WriteError
from vockit.format import tree
from vockit.format.image_sets import TESTS

from .folder import new_folder, write_sums
from .listed_images import read_spelling, read_tree_splits
from .tree_files import get_tree, is_apple_double, leads_out

_TRAINVAL = "trainval"


def write_archives(folder: Path, target: Path) -> list[Path]:
    """The archives of the tree, with their sums, in a new folder; FolderTakenError, WriteError.

    Raises NothingWrittenError where the tree has no pictures.
    """
    source = get_tree(folder).root
    name = source.resolve().name
    digests = dict[str, str]()
    root = f"{tree.DEVKIT}/{name}"
    with new_folder(target) as made:
        for part in (_TRAINVAL, *TESTS):
            paths = list(_iterate_paths(source, part))
            if not any(path.startswith(tree.JPEG_IMAGES) for path in paths):
                continue  # the tree has no such images
            place = made / f"{name}{part}.tar"
            parents = {parent for path in paths for parent in PurePath(root, path).parents[:-1]}
            with tarfile.open(place, "w", format=tarfile.PAX_FORMAT, dereference=True) as archive:
                for parent in sorted(parents):
                    archive.add(source, str(parent), recursive=False, filter=clear_entry)
                for path in paths:
                    archive.add(source / path, f"{root}/{path}", filter=clear_entry)
            with place.open("rb") as file:
                digests[place.name] = hashlib.file_digest(file, "sha256").hexdigest()
        if not digests:
            raise NothingWrittenError(f"{source} has no pictures of its sets; nothing was packed.")
        write_sums(made, digests)
    return [target.resolve() / name for name in digests]


def clear_entry(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """An entry that tells nothing of when and where it was made."""
    plain = tarfile.TarInfo(entry.name)
    plain.type = entry.type
    plain.size = entry.size
    plain.mtime = 0
    plain.mode = 0o755 if entry.isdir() else 0o644
    return plain


def _iterate_paths(root: Path, part: str) -> Iterator[str]:
    """The files of one archive, in order; raises WriteError for a link out of the tree."""
    splits = read_tree_splits(root).main
    spelling = read_spelling(root)
    places = sorted(root.rglob("*"))
    for path in (place for place in places if place.is_symlink()):
        if not path.is_file() or leads_out(path, root):
            raise WriteError(
                f"{path} is a link to a folder or out of the tree; nothing was packed. Put what it "
                "leads to in its place, then run the same command again."
            )
    for path in (place for place in places if place.is_file() and not is_apple_double(place.name)):
        relative = path.relative_to(root)
        is_list = relative.parts[0] == tree.IMAGE_SETS
        set_name = path.stem.rpartition("_")[2] if is_list else splits.get(spelling.find(path.stem))
        if len(relative.parts) == 1 or part == (set_name if set_name in TESTS else _TRAINVAL):
            yield relative.as_posix()
