"""The participants' kit: a release without the labels of its test sets, vockit, and a manual."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import tarfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

from vockit.errors import FolderTakenError, NothingWrittenError, WriteError
from vockit.format import tree
from vockit.format.given_persons import GIVING
from vockit.format.image_sets import SETS, TESTS
from vockit.format.text import split_mark
from vockit.report.progress import Advance

from .archives import clear_entry
from .folder import new_folder, write_file, write_sums
from .given_persons import list_given_files
from .identity import RELEASE_FILE, Identity, format_kit, identify
from .listed_images import PICTURE_SUFFIXES, SET_FOLDERS, read_spelling
from .own_wheel import ROOT, pack_wheel
from .tree_files import MASK_FOLDERS, SUFFIXES, get_tree, leads_out

RESULT_FOLDERS = ("Main", "Segmentation", "Layout", "Action")
_ACCOMPANYING = ("GUIDELINES.md", "LICENSE", "LICENSE.txt")
"""Files next to the VOCdevkit folder that participants need, where they are there."""
_CREDITS = "CREDITS.csv"
_CREDITS_PAGE = "CREDITS.html"
_KEEP = ".keep"
"""Holds an empty folder in places that keep files alone, such as git."""


@dataclass(frozen=True)
class Devkit:
    """What was written: the folder, its archive, its images, and how many have no labels in it."""

    folder: Path
    archive: Path
    images: int
    hidden: int


Show = Callable[[str, int], AbstractContextManager[Advance]]
"""Shows the progress of a step with so many files, as `progress` does."""


@contextmanager
def _show_nothing(_label: str, _files: int) -> Iterator[Advance]:
    yield lambda _count: None


def write_devkit(folder: Path, target: Path, show: Show = _show_nothing) -> Devkit:
    """Write the kit of the release in `folder` to the new folder `target`, and its archive.

    The same release and vockit give the same bytes. Raises FolderTakenError, NothingWrittenError,
    TreeNotFoundError and WriteError.
    """
    source = get_tree(folder).root
    archive = target.resolve().with_name(f"{target.resolve().name}.tar.gz")
    if os.path.lexists(archive):
        raise FolderTakenError(f"{archive} is there already; move it away or name a new folder.")
    hidden = _list_hidden(source)
    paths = list_kit_files(source)
    images = _list_pictured(source, paths)
    if not images:
        raise NothingWrittenError(f"{source} has no pictures; no kit was written.")
    part = archive.with_name(f".{archive.name}.part")
    try:
        with new_folder(target) as made:
            with show("Writing", len(paths) + len(list_given_files(source))) as advance:
                _fill(made, source, paths, hidden, advance)
            digests = {
                path.relative_to(made).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in made.rglob("*")
                if path.is_file()
            }
            write_sums(made, digests)
            with show("Packing", len(digests) + 1) as advance:
                _pack(made, target.resolve().name, part, advance)
        part.replace(archive)
    finally:
        part.unlink(missing_ok=True)
    return Devkit(
        folder=target,
        archive=archive,
        images=len(images),
        hidden=sum(image_id in hidden for image_id in images),
    )


def list_kit_files(source: Path) -> list[str]:
    """The files of a tree that participants get: none that tells labels of a test set.

    They get those of `list_given_files` too, which an open tree has otherwise.
    """
    return list(_iterate_paths(source, _list_hidden(source)))


def _list_pictured(source: Path, paths: Iterable[str]) -> list[str]:
    """The ids of the pictures among the kit's files, as files spell them."""
    spelling = read_spelling(source)
    names = (PurePath(path) for path in paths)
    return [spelling.find(name.name) for name in names if str(name.parent) == tree.JPEG_IMAGES]


def _fill(
    made: Path, source: Path, paths: Iterable[str], hidden: frozenset[str], advance: Advance
) -> None:
    """Write all of the kit but its sums; raises WriteError for a link out of the tree."""
    name = source.resolve().name
    for path in paths:
        if (source / path).is_symlink() and leads_out(source / path, source):
            raise WriteError(f"{source / path} is a link out of the tree; no kit was written.")
        write_file(made, f"{tree.DEVKIT}/{name}/{path}", (source / path).read_bytes())
        advance(1)
    for path, data in list_given_files(source).items():
        write_file(made, f"{tree.DEVKIT}/{name}/{path}", data)
        advance(1)
    for beside, data in _read_accompanying(source, hidden).items():
        write_file(made, beside, data)
    for place in (*(f"results/{name}/{kind}" for kind in RESULT_FOLDERS), f"local/{name}"):
        write_file(made, f"{tree.DEVKIT}/{place}/{_KEEP}", b"")
    _write_software(made, name, identify(source))


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


def _find_set(path: Path) -> str:
    """The set that a list or a label file is of, by its name."""
    return path.stem.rpartition("_")[2]


def _is_of_test(path: Path) -> bool:
    return _find_set(path) in TESTS


def _iterate_paths(source: Path, hidden: frozenset[str]) -> Iterator[str]:
    """The files of the tree that go into the kit, in order.

    Only those that a release has: what another tool left beside them may hold labels of test.
    """
    spelling = read_spelling(source)
    shown = set[str]()
    for path in _list_files(source / tree.JPEG_IMAGES):
        if path.suffix in PICTURE_SUFFIXES:
            shown.add(spelling.find(path.name))
            yield f"{tree.JPEG_IMAGES}/{path.name}"
    shown -= hidden
    for folder in (tree.ANNOTATIONS, *MASK_FOLDERS):
        for path in _list_files(source / folder):
            if path.suffix == SUFFIXES[folder] and spelling.find(path.stem) in shown:
                yield f"{folder}/{path.name}"
    for folder in SET_FOLDERS:
        for path in _list_files(source / folder):
            is_shown_list = path.stem in TESTS and folder not in GIVING
            is_list = path.suffix == ".txt" and _find_set(path) in SETS
            if is_list and (is_shown_list or not _is_of_test(path)):
                yield f"{folder}/{path.name}"
    if (source / tree.LABEL_MAP).is_file():
        yield tree.LABEL_MAP


def _read_accompanying(source: Path, hidden: frozenset[str]) -> dict[str, bytes]:
    """The files next to the VOCdevkit folder by name, without the credits of hidden images.

    The page of a photograph would tell what it shows.
    """
    devkit = source.resolve().parent
    if devkit.name != tree.DEVKIT:
        return {}  # what lies there belongs to something else
    names = (*_ACCOMPANYING, _CREDITS, _CREDITS_PAGE)
    paths = [devkit.parent / name for name in names if (devkit.parent / name).is_file()]
    files = {path.name: path.read_bytes() for path in paths}
    whole = files.pop(_CREDITS, b"")
    shown = _select_credits(whole, hidden)
    if shown:
        files[_CREDITS] = shown
    if not whole or shown != whole:  # the page has a row for each photograph, too
        files.pop(_CREDITS_PAGE, None)
    return files


def _select_credits(data: bytes, hidden: frozenset[str]) -> bytes:
    """CREDITS.csv, whose first column is the image, without the rows of hidden images."""
    text = data.decode("utf-8", "surrogateescape")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    shown = [row for row in rows if not row or row[0] not in hidden]
    if len(shown) == len(rows):
        return data
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows(shown)
    return target.getvalue().encode("utf-8", "surrogateescape")


def _list_files(folder: Path) -> list[Path]:
    """The folder's own files, by name, without hidden ones."""
    paths: Iterable[Path] = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in paths if path.is_file() and not path.name.startswith("."))


def _write_software(made: Path, name: str, identity: Identity) -> None:
    """The wheel, the manual, a Makefile, and what tells this release from another."""
    wheel, data = pack_wheel()
    write_file(made, wheel, data)
    for path in sorted((ROOT / "manual").glob("*.md")):
        write_file(made, f"manual/{path.name}", path.read_bytes())
    write_file(made, RELEASE_FILE, format_kit(name, identity).encode())
    for title in ("README.md", "Makefile"):
        text = (ROOT / "manual" / "kit" / f"{title}.in").read_text("utf-8")
        text = text.replace("@RELEASE@", name).replace("@WHEEL@", wheel)
        write_file(made, title, text.encode())


def _pack(folder: Path, name: str, place: Path, advance: Advance) -> None:
    """One tar.gz of the folder under that name, which holds no times and no owners."""
    with (
        place.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar,
    ):
        for path in [folder, *sorted(folder.rglob("*"))]:
            inside = (PurePath(name) / path.relative_to(folder)).as_posix()
            tar.add(path, inside, recursive=False, filter=clear_entry)
            advance(path.is_file())
