"""The participants' kit: a release without the labels of its test sets, vockit, and a manual."""

from __future__ import annotations

import gzip
import hashlib
import os
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from vockit.errors import FolderTakenError, NothingWrittenError, WriteError
from vockit.format import tree
from vockit.format.image_sets import TESTS
from vockit.format.release_digest import find_release_digest
from vockit.format.text import split_mark

from .archives import clear_entry
from .folder import new_folder, write_file, write_sums
from .listed_images import SET_FOLDERS, read_spelling
from .own_wheel import ROOT, pack_wheel
from .tree_files import get_tree, leads_out

RESULT_FOLDERS = ("Main", "Segmentation", "Layout", "Action")
_ACCOMPANYING = ("CREDITS.csv", "CREDITS.html", "GUIDELINES.md", "LICENSE", "LICENSE.txt")
"""Files next to the VOCdevkit folder that participants need, where they are there."""
_HIDING = (tree.LAYOUT, tree.ACTION)
"""Folders whose test lists tell what is hidden: who has parts, who performs an action."""
_KEEP = ".keep"
"""Holds an empty folder in places that keep files alone, such as git."""


@dataclass(frozen=True)
class Devkit:
    """What was written: the folder, its archive, its images, and how many have no labels in it."""

    folder: Path
    archive: Path
    images: int
    hidden: int


def write_devkit(folder: Path, target: Path) -> Devkit:
    """Write the kit of the release in `folder` to the new folder `target`, and its archive.

    The same release and vockit give the same bytes. Raises FolderTakenError, NothingWrittenError,
    TreeNotFoundError and WriteError.
    """
    source = get_tree(folder).root
    archive = target.resolve().with_name(f"{target.resolve().name}.tar.gz")
    if os.path.lexists(archive):
        raise FolderTakenError(f"{archive} is there already; move it away or name a new folder.")
    hidden = _list_hidden(source)
    paths = list(_iterate_paths(source, hidden))
    images = sum(path.startswith(f"{tree.JPEG_IMAGES}/") for path in paths)
    if not images:
        raise NothingWrittenError(f"{source} has no pictures; no kit was written.")
    name = source.resolve().name
    with new_folder(target) as made:
        for path in paths:
            if (source / path).is_symlink() and leads_out(source / path, source):
                raise WriteError(f"{source / path} is a link out of the tree; no kit was written.")
            write_file(made, f"{tree.DEVKIT}/{name}/{path}", (source / path).read_bytes())
        for beside in _ACCOMPANYING:
            if (source.parent.parent / beside).is_file():
                write_file(made, beside, (source.parent.parent / beside).read_bytes())
        for place in (*(f"results/{name}/{kind}" for kind in RESULT_FOLDERS), f"local/{name}"):
            write_file(made, f"{tree.DEVKIT}/{place}/{_KEEP}", b"")
        _write_software(made, name, find_release_digest(source))
        digests = {
            path.relative_to(made).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in made.rglob("*")
            if path.is_file()
        }
        write_sums(made, digests)
    _pack(target.resolve(), archive)
    return Devkit(target, archive, images, len(hidden))


def _list_hidden(source: Path) -> frozenset[str]:
    """The images that any test list or label file of a test set names, as files spell them."""
    spelling = read_spelling(source)
    paths = (path for folder in SET_FOLDERS for path in _list_files(source / folder))
    contents = (split_mark(path.read_bytes()) for path in paths if _is_of_test(path))
    lines = (
        line
        for data, encoding, _ in contents
        for line in data.decode(encoding, "replace").splitlines()
    )
    return frozenset(spelling.find(line.split()[0]) for line in lines if line.strip())


def _is_of_test(path: Path) -> bool:
    return path.stem.rpartition("_")[2] in TESTS


def _iterate_paths(source: Path, hidden: frozenset[str]) -> Iterator[str]:
    """The files of the tree that go into the kit, in order."""
    labels = (tree.ANNOTATIONS, tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT)
    for folder in (tree.JPEG_IMAGES, *labels):
        for path in _list_files(source / folder):
            if folder == tree.JPEG_IMAGES or path.stem not in hidden:
                yield f"{folder}/{path.name}"
    for folder in SET_FOLDERS:
        for path in _list_files(source / folder):
            is_shown_list = path.stem in TESTS and folder not in _HIDING
            if not _is_of_test(path) or is_shown_list:
                yield f"{folder}/{path.name}"
    if (source / tree.LABEL_MAP).is_file():
        yield tree.LABEL_MAP


def _list_files(folder: Path) -> list[Path]:
    """The folder's own files, by name, without hidden ones."""
    paths: Iterable[Path] = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in paths if path.is_file() and not path.name.startswith("."))


def _write_software(made: Path, name: str, digest: str) -> None:
    """The wheel, the manual, a Makefile, and what tells this release from another."""
    wheel, data = pack_wheel()
    write_file(made, wheel, data)
    for path in sorted((ROOT / "manual").glob("*.md")):
        write_file(made, f"manual/{path.name}", path.read_bytes())
    write_file(made, "release.txt", f"{name} {digest}\n".encode())
    for title in ("README.md", "Makefile"):
        text = (ROOT / "manual" / "kit" / f"{title}.in").read_text("utf-8")
        text = text.replace("@RELEASE@", name).replace("@WHEEL@", wheel)
        write_file(made, title, text.encode())


def _pack(folder: Path, archive: Path) -> None:
    """One tar.gz of the folder, which appears whole and holds no times and no owners."""
    part = archive.with_name(f".{archive.name}.part")
    try:
        with (
            part.open("wb") as file,
            gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
        ):
            for path in [folder, *sorted(folder.rglob("*"))]:
                name = path.relative_to(folder.parent).as_posix()
                tar.add(path, name, recursive=False, filter=clear_entry)
        part.replace(archive)
    finally:
        part.unlink(missing_ok=True)
