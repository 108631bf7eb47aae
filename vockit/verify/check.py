"""Every rule of the format, over one tree."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from vockit.errors import TreeNotFoundError
from vockit.foreign.listed_images import SET_FOLDERS
from vockit.foreign.manifest import read_manifest
from vockit.foreign.tree_files import SUFFIXES, Tree, find_trees, list_names
from vockit.format import tree
from vockit.format.given_persons import is_boxes_path
from vockit.format.image_sets import SETS
from vockit.report.comparison import Compared, compare

from .image_sets import DISJOINT_SETS, Content, check_listed, check_sets, read_content
from .labels import check_action_names, check_labels
from .masks import check_masks
from .trees import ImageFacts, Violation

CONTENT_RULES = frozenset(
    {
        "object-twice",
        "image-twice",
        "annotation-twice",
        "action-name",
        "actions-missing",
        "point-missing",
        "layout-points",
        "mask-palette",
        "mask-object",
        "mask-class",
    }
)
"""What annotators did. A release of an imported tree has it as that tree has."""


NO_OBJECT = "no-object"
HELD_BACK = "its annotation is held back, and no label of it can be checked"


@dataclass(frozen=True)
class TreeReport:
    """What a tree holds, its violations by file and line, and what was not compared, by reason.

    `names` are the images that were checked, and the lists of images.
    """

    root: Path
    images: int
    objects: int
    violations: tuple[Violation, ...]
    passed_over: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: frozenset[str] = frozenset()

    @property
    def errors(self) -> tuple[Violation, ...]:
        """The violations that are no warnings."""
        return tuple(violation for violation in self.violations if not violation.is_warning)

    @property
    def compared(self) -> Compared:
        """The images and lists that hold to the rules, those that do not, those passed over.

        An error in a file that is of neither makes that file one of those that do not.
        """
        faulty = {self._name_item(violation.file) for violation in self.errors}
        reason_of = {name: reason for reason, names in self.passed_over.items() for name in names}
        names = sorted(faulty.union(self.names, reason_of))
        outcomes = ((name, name not in faulty and reason_of.get(name, True)) for name in names)
        return compare(
            "image or list",
            outcomes,
            is_right="as the rules have it",
            many="images and lists",
        )

    def _name_item(self, file: str) -> str:
        """The image that a file belongs to, or the file's place in the tree."""
        path = Path(file)
        if path.stem in self.names and tree.IMAGE_SETS not in path.parts:
            return path.stem
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else file


def check_folder(folder: Path) -> list[TreeReport]:
    """A report on each VOC tree of the folder; raises TreeNotFoundError where there is none."""
    return [check_tree(tree_) for tree_ in find_trees(folder)]


def check_tree(tree_: Tree) -> TreeReport:
    """The report on one tree; it changes nothing there."""
    content = read_content(tree_)
    relative = [violation for facts in content.images.values() for violation in facts.violations]
    relative += [violation for check in _CHECKS for violation in check(content)]
    if any(violation.rule == NO_OBJECT for violation in relative) and _says_negatives(tree_):
        relative = [
            replace(violation, is_warning=violation.is_warning or violation.rule == NO_OBJECT)
            for violation in relative
        ]
    violations = {
        replace(violation, file=str(tree_.root / violation.file)) for violation in relative
    }
    images = content.listed.union(filter(content.is_annotated, content.images))
    objects = sum(len(known.objects or ()) for known in content.images.values())
    held_back = content.held_back
    lists = [image_set for sets in content.folders.values() for image_set in sets.values()]
    return TreeReport(
        root=tree_.root,
        images=len(images),
        objects=objects,
        violations=tuple(sorted(violations)),
        passed_over={HELD_BACK: tuple(sorted(held_back))} if held_back else {},
        names=images.union(image_set.path for image_set in lists if image_set.lines),
    )


def _says_negatives(tree_: Tree) -> bool:
    """Whether the release that the tree is of says that it has images without objects."""
    try:
        settings = read_manifest(tree_.root.resolve().parent.parent).get("settings")
    except TreeNotFoundError:
        return False
    return isinstance(settings, dict) and settings.get("negatives") is True


def _check_folders(content: Content) -> Iterator[Violation]:
    """The folder is called after a release, and has the folders that every tree has."""
    if content.tree.year is None:
        message = "expected a folder named VOC and the year, such as VOC2012"
        yield Violation("", 1, "tree-name", message)
    for name in (tree.ANNOTATIONS, tree.JPEG_IMAGES, tree.MAIN):
        if not (content.tree.root / name).is_dir():
            yield Violation("", 1, "folder-missing", f"expected the folder {name}")


def _check_stray(content: Content) -> Iterator[Violation]:
    """The tree has no files and folders but those of the format and of its images."""
    root = content.tree.root
    folders = {tree.IMAGE_SETS, *SUFFIXES, tree.LABEL_MAP}
    stray = [name for name in list_names(root, "") if name not in folders]
    stray += [*_list_stray_sets(root), *_list_stray_files(content)]
    message = "expected nothing here that the format does not have, or that is of no image"
    yield from (Violation(path, 1, "stray", message) for path in stray)


def _list_stray_sets(root: Path) -> Iterator[str]:
    """What is below ImageSets and is no folder or file of sets."""
    for name in list_names(root / tree.IMAGE_SETS, ""):
        folder = f"{tree.IMAGE_SETS}/{name}"
        if folder not in SET_FOLDERS:
            yield folder
            continue
        has_words = folder in (tree.MAIN, tree.ACTION)
        for file in list_names(root / folder, ""):
            word, _, set_name = file.removesuffix(".txt").rpartition("_")
            if is_boxes_path(f"{folder}/{file}"):
                continue
            if not file.endswith(".txt") or set_name not in SETS or (word and not has_words):
                yield f"{folder}/{file}"


def _list_stray_files(content: Content) -> Iterator[str]:
    """Files of images that no set lists and that have no picture."""
    root = content.tree.root
    pictures = list_names(root / tree.JPEG_IMAGES, "")
    known = content.listed.union(Path(name).stem for name in pictures)
    for folder, suffix in SUFFIXES.items():
        for name in list_names(root / folder, ""):
            ending = Path(name).suffix.lower().replace(".jpeg", ".jpg")
            if ending != suffix or Path(name).stem not in known:
                yield f"{folder}/{name}"


def _check_twins(content: Content) -> Iterator[Violation]:
    """Each picture and each annotation has one identifier; worst is a copy in another set."""
    set_of: dict[str, str] = {}
    for sets in content.folders.values():
        for name in (set_name for set_name in DISJOINT_SETS if set_name in sets):
            for image_id in sets[name].line_of:
                set_of.setdefault(image_id, name)
    copies = _find_copies({image_id: known.digest for image_id, known in content.images.items()})
    for image_id, first in copies.items():
        message = f"expected one id for a picture, but {_describe(first, image_id, set_of)}"
        yield Violation(tree.jpeg_path(image_id), 1, "image-twice", message)
    keys = {image_id: _make_key(known) for image_id, known in content.images.items()}
    for image_id, first in _find_copies(keys).items():
        if image_id not in copies:
            message = f"expected one id for an annotation, but {_describe(first, image_id, set_of)}"
            yield Violation(tree.annotation_path(image_id), 1, "annotation-twice", message)


def _find_copies(keys: Mapping[str, Hashable | None]) -> dict[str, str]:
    """For each image with the key of an earlier one that one, in ascending order."""
    first: dict[Hashable, str] = {}
    for image_id in sorted(keys):
        first.setdefault(keys[image_id], image_id)
    return {
        image_id: first[key]
        for image_id, key in keys.items()
        if key is not None and first[key] != image_id
    }


def _describe(first: str, image_id: str, set_of: Mapping[str, str]) -> str:
    first_set = set_of.get(first)
    other_set = set_of.get(image_id)
    if first_set is None or other_set is None or first_set == other_set:
        return f"{first} has the same"
    return (
        f"{first} in {first_set} has the same as this one in {other_set}: the sets are not "
        "independent"
    )


FEWEST_FREE_SIDES = 5
"""Sides of boxes off the border by which an annotation is known to be a copy: boxes of the whole
picture are alike in many images, as are their classes."""


def _make_key(known: ImageFacts) -> Hashable | None:
    """What the annotation says of its objects; None where other images may say so by chance."""
    if not known.objects or known.size_wh is None:
        return None
    width, height = known.size_wh
    free = sum(
        (box.xmin > 1) + (box.ymin > 1) + (box.xmax < width) + (box.ymax < height)
        for box in {item.box for item in known.objects}
    )
    return (known.size_wh, known.objects) if free >= FEWEST_FREE_SIDES else None


_CHECKS: tuple[Callable[[Content], Iterator[Violation]], ...] = (
    _check_folders,
    _check_stray,
    check_sets,
    check_listed,
    check_labels,
    check_action_names,
    check_masks,
    _check_twins,
)
"""The rules between the files of a tree; those of an image's own files are in trees.py."""
