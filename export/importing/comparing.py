"""What an export of the imported release will not write as the tree had it, list by list."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from catalog.states import Split
from export.image_sets import iterate_set_files
from export.label_map import NAME as LABEL_MAP
from export.label_map import format_label_map
from export.plan import ReleasePlan
from export.verify.labels import list_words
from export.verify.trees import list_names, read_bytes
from export.voc import tree
from export.voc.image_sets import SETS

from .findings import Mend

_REQUIRED_SETS = ("train", "val", "trainval")
_KNOWN = frozenset(
    {
        *(tree.ANNOTATIONS, tree.JPEG_IMAGES, tree.IMAGE_SETS, LABEL_MAP),
        *(tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT),
    }
)
_TASKS = (tree.MAIN, tree.SEGMENTATION, tree.LAYOUT, tree.ACTION)


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


def compare_lists(root: Path, paths: Iterable[str], plan: ReleasePlan) -> Iterator[Mend]:
    """Every list of the tree that is written otherwise, left behind or added."""
    written = dict(iterate_set_files(plan))
    before = set(paths)
    for path, text in written.items():
        if path not in before:
            message = f"it was not there and is written, with {_count(text)} lines"
            yield Mend(str(root / path), 1, "set-missing", message)
        else:
            yield from _compare(root / path, text)
    for path in sorted(before - written.keys()):
        yield Mend(str(root / path), 1, "list", "it is left behind: no release has it")
    if plan.recipe.has_label_map:
        yield from _compare(root / LABEL_MAP, format_label_map(plan.recipe))


def find_left_behind(root: Path, written: Mapping[str, Collection[str]]) -> Iterator[Mend]:
    """What else lies in the tree; `written` are the names that each folder of masks keeps."""
    for path in sorted(root.iterdir()):
        if path.name not in _KNOWN:
            yield Mend(str(path), 1, "other-file", "it is left behind: no release has it")
    for folder in sorted((root / tree.IMAGE_SETS).glob("*")):
        if f"{tree.IMAGE_SETS}/{folder.name}" not in _TASKS:
            yield Mend(str(folder), 1, "other-file", "it is left behind: no release has it")
    for name, kept in written.items():
        for image_id in list_names(root / name, ".png"):
            if image_id not in kept:
                path = root / tree.mask_path(name, image_id)
                message = "the mask is left behind: its image is not in the release"
                yield Mend(str(path), 1, "mask", message)


def with_lists(plan: ReleasePlan, lists: tuple[str, ...]) -> ReleasePlan:
    """The same release with those list files alone."""
    return replace(plan, recipe=replace(plan.recipe, lists=lists))


def _compare(path: Path, text: str) -> Iterator[Mend]:
    data = read_bytes(path)
    if isinstance(data, str):
        yield Mend(str(path), 1, "unreadable", data)
    elif data != text.encode():
        yield Mend(str(path), *_find_difference(data, text))


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
    return number, "list", f"{was.strip()[:60]!r} is written as {becomes[:60]!r}"


def _count(text: str) -> int:
    return text.count("\n")
