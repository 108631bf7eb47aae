"""A VOC tree's files: finding the tree, listing and reading what is in it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from vockit.errors import TreeError, TreeNotFoundError
from vockit.format import tree
from vockit.format.shortage import refuse_shortage

MOST_BYTES = 100_000_000


MOST_ANNOTATION_BYTES = 25_000_000
"""Of some 12,000 objects; reading takes up to a hundred times as much memory."""


@dataclass(frozen=True)
class Tree:
    """One release's folder; `year` is None where the folder is not named after one."""

    root: Path
    year: int | None

    @property
    def kit_year(self) -> int:
        """The year of the rules that hold."""
        return 2012 if self.year is None else self.year


def find_trees(folder: Path) -> list[Tree]:
    """The release in the folder, or those in its VOCdevkit, by name; TreeNotFoundError."""
    if not folder.is_dir():
        raise TreeNotFoundError(f"{folder} is not a folder; name a VOC tree or a folder with one.")
    if any((folder / name).is_dir() for name in (tree.ANNOTATIONS, tree.IMAGE_SETS)):
        return [_make_tree(folder)]
    for parent in (folder, folder / tree.DEVKIT, folder / "TrainVal" / tree.DEVKIT):
        paths = [parent / name for name in list_names(parent, "") if tree.TREE_NAME.fullmatch(name)]
        if trees := [_make_tree(path) for path in paths if path.is_dir()]:
            return trees
    if tree.TREE_NAME.fullmatch(folder.resolve().name):
        return [_make_tree(folder)]
    raise TreeNotFoundError(
        f"{folder} holds no VOC tree; name a folder such as VOC2012 with {tree.ANNOTATIONS}, "
        f"{tree.JPEG_IMAGES} and {tree.IMAGE_SETS} in it, or the VOCdevkit folder above it."
    )


def read_bytes(path: Path | str, most_bytes: int = MOST_BYTES) -> bytes | str:
    """The file's bytes, or in a few words why there are none."""
    path = Path(path)
    try:
        status = path.stat()  # before the link is followed, which may lead to itself
        if path.is_symlink() and leads_out(path, path.parent.parent):
            return "expected a file, but it is a link out of the tree, which is not followed"
        if not stat.S_ISREG(status.st_mode):  # a pipe must not be waited for
            return "expected a file, and it is something else"
        if status.st_size > most_bytes:
            return f"expected a file of at most {most_bytes} bytes"
        return path.read_bytes()
    except OSError as error:
        refuse_shortage(error)
        return f"expected a file that can be read: {error.strerror}"


def leads_out(path: Path, root: Path) -> bool:
    """Whether the path leads to something that is not below that folder, through links."""
    return not path.resolve().is_relative_to(root.resolve())


def list_names(folder: Path, suffix: str) -> list[str]:
    """The sorted names in a folder that end so, without the ending; TreeNotFoundError.

    AppleDouble files are left out.
    """
    try:
        names = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208  names alone
    except OSError as error:
        raise TreeNotFoundError(f"{folder} cannot be read: {error.strerror}.") from error
    return sorted(
        name.removesuffix(suffix)
        for name in names
        if name.endswith(suffix) and not is_apple_double(name)
    )


def is_apple_double(name: str) -> bool:
    """Whether it is what macOS keeps beside each file of another file system, `._NAME`."""
    return name.startswith("._")


def _make_tree(folder: Path) -> Tree:
    match = tree.TREE_NAME.fullmatch(folder.resolve().name)
    return Tree(folder, int(match[1]) if match else None)


MASK_FOLDERS = (tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT)


SUFFIXES = {
    tree.ANNOTATIONS: ".xml",
    tree.JPEG_IMAGES: ".jpg",
    **dict.fromkeys(MASK_FOLDERS, ".png"),
}


def list_files(root: Path) -> dict[str, frozenset[str]]:
    """The images that have a file in each of these folders that is there."""
    folders = {name: suffix for name, suffix in SUFFIXES.items() if (root / name).is_dir()}
    return {name: frozenset(list_names(root / name, suffix)) for name, suffix in folders.items()}


def get_tree(folder: Path) -> Tree:
    """The one tree that the folder holds; raises TreeError where there are several."""
    trees = find_trees(folder)
    if len(trees) > 1:
        names = ", ".join(str(tree_.root) for tree_ in trees)
        raise TreeError(f"{folder} holds {len(trees)} trees; name one of them: {names}.")
    return trees[0]
