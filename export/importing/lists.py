"""The lists of a VOC tree: where each image stands in them, and how a release will write them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from catalog.states import Split
from export.plan import ReleasePlan
from export.tree_files import LABEL_MAP, format_label_map, iterate_set_files
from export.verify.check import SET_FOLDERS
from export.verify.labels import list_words
from export.verify.trees import list_names, read_bytes
from voc import tree
from voc.image_sets import OBJECT_LABELS_FORM, SETS, SetForm, SetLine, find_set_form, parse_set

from .tree_image import Correction

_REQUIRED_SETS = ("train", "val", "trainval")
_KNOWN = frozenset(
    {
        *(tree.ANNOTATIONS, tree.JPEG_IMAGES, tree.IMAGE_SETS, LABEL_MAP),
        *(tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT),
    }
)


@dataclass(frozen=True)
class TreeLists:
    """The list files of a tree below its folder, and for each image the folders that list it.

    With each folder come the numbers of the objects that its lists name.
    """

    paths: tuple[str, ...]
    sets_of: Mapping[str, Mapping[str, tuple[int, ...]]]
    has_label_map: bool


def read_lists(root: Path, year: int) -> TreeLists:
    """The lists of every task as the tree has them; nothing is checked."""
    paths = tuple(
        f"{folder}/{name}.txt"
        for folder in SET_FOLDERS
        for name in list_names(root / folder, ".txt")
    )
    found: dict[str, dict[str, set[int]]] = {}
    for folder, line in _iterate_lines(root, paths, year):
        numbers = found.setdefault(line.image_id, {}).setdefault(folder, set())
        numbers.update(line.numbers[:1])
    sets_of = {
        image_id: {folder: tuple(sorted(numbers)) for folder, numbers in sorted(folders.items())}
        for image_id, folders in found.items()
    }
    return TreeLists(paths, sets_of, (root / LABEL_MAP).is_file())


def _iterate_lines(root: Path, paths: tuple[str, ...], year: int) -> Iterator[tuple[str, SetLine]]:
    """The lines that say which images and objects a folder lists; labels of classes do not."""
    for path in paths:
        folder, _, name = path.rpartition("/")
        form = _find_form(folder, name.removesuffix(".txt"), year)
        data = read_bytes(root / path) if form else ""
        if form and isinstance(data, bytes):
            for line in parse_set(data, form)[0]:
                yield folder, line


def _find_form(folder: str, name: str, year: int) -> SetForm | None:
    if name in SETS:
        return find_set_form(folder, year)
    is_action = folder == tree.ACTION and name.rpartition("_")[2] in SETS
    return OBJECT_LABELS_FORM if is_action else None


def complete_lists(root: Path, paths: Iterable[str], plan: ReleasePlan) -> tuple[str, ...]:
    """The list files of the tree, and those that a release cannot do without."""
    found = set(paths)
    folders = {path.rpartition("/")[0] for path in found} | {tree.MAIN}
    found |= {tree.set_path(folder, name) for folder in folders for name in _REQUIRED_SETS}
    is_blind = any(it.form and it.is_blind and tree.MAIN in it.form.sets for it in plan.images)
    names = [name for name in SETS if tree.set_path(tree.MAIN, name) in found]
    if is_blind:  # then it needs no labels
        names = [name for name in names if name != Split.TEST]
    shown = {it.class_name for image in plan.images for it in image.row.objects}
    words = sorted(shown | list_words(root / tree.MAIN))
    found |= {tree.label_path(tree.MAIN, word, name) for word in words for name in names}
    return tuple(sorted(found))


def compare_lists(root: Path, paths: Iterable[str], plan: ReleasePlan) -> Iterator[Correction]:
    """Every list of the tree that is written otherwise, left behind or added."""
    written = dict(iterate_set_files(plan))
    before = set(paths)
    for path, text in written.items():
        if path not in before:
            told = f"it was not there and is written, with {len(text.splitlines())} lines"
            yield Correction(str(root / path), 1, "set-missing", told)
        else:
            yield from _compare(root / path, text)
    for path in sorted(before - written.keys()):
        yield Correction(str(root / path), 1, "list", "it is left behind: no release has it")
    if plan.recipe.has_label_map:
        yield from _compare(root / LABEL_MAP, format_label_map(plan.recipe))


def find_left_behind(root: Path, written: Mapping[str, Collection[str]]) -> Iterator[Correction]:
    """What else lies in the tree; `written` are the names that each folder of masks keeps."""
    for path in sorted(root.iterdir()):
        if path.name not in _KNOWN:
            yield Correction(str(path), 1, "other-file", "it is left behind: no release has it")
    for folder in sorted((root / tree.IMAGE_SETS).glob("*")):
        if f"{tree.IMAGE_SETS}/{folder.name}" not in SET_FOLDERS:
            yield Correction(str(folder), 1, "other-file", "it is left behind: no release has it")
    for name, kept in written.items():
        for image_id in list_names(root / name, ".png"):
            if image_id not in kept:
                path = root / tree.mask_path(name, image_id)
                message = "the mask is left behind: its image is not in the release"
                yield Correction(str(path), 1, "mask", message)


def _compare(path: Path, text: str) -> Iterator[Correction]:
    data = read_bytes(path)
    if isinstance(data, str):
        yield Correction(str(path), 1, "unreadable", data)
    elif data != text.encode():
        yield Correction(str(path), *_find_difference(data, text))


def _find_difference(data: bytes, text: str) -> tuple[int, str, str]:
    """The first line that is another one, the rule and a sentence."""
    old, new = data.decode("utf-8", "replace").split("\n"), text.split("\n")
    pairs = enumerate(zip_longest(old, new, fillvalue=""), start=1)
    found = next(((number, pair) for number, pair in pairs if pair[0] != pair[1]), None)
    if found is None:
        return len(old), "final-newline", "it is written with a line end at the end"
    number, (was, becomes) = found
    if was.removesuffix("\r") == becomes:
        return number, "line-end", "it is written with LF alone as the line end"
    if was not in new and becomes in (*old, ""):
        return number, "list", f"the line {was.strip()[:60]!r} is left out"
    if becomes not in old and was in (*new, ""):
        return number, "list", f"the line {becomes[:60]!r} is added"
    return number, "list", f"{was.strip()[:60]!r} is written as {becomes[:60]!r}"
