"""The files with labels: of each class in Main, of each action in Action, and people in Layout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

from vockit.foreign.label_map import read_label_map
from vockit.foreign.manifest import MANIFEST
from vockit.foreign.tree_files import list_names
from vockit.format import tree
from vockit.format.image_sets import LABELS, LABELS_FORM, OBJECT_LABELS_FORM, SETS, SetLine
from vockit.format.read import ACTIONS
from vockit.format.records import VocObject
from vockit.format.tree import PERSON, VOC_CLASSES

from .image_sets import Content, ImageSet, check_union, read_set
from .trees import Violation


def list_words(folder: Path) -> set[str]:
    """The words that files such as <word>_train.txt are named after."""
    stems = (stem.rpartition("_") for stem in list_names(folder, ".txt"))
    return {word for word, _, name in stems if word and name in SETS}


def check_labels(content: Content) -> Iterator[Violation]:
    """Each label file agrees with its set and the annotations; what all lack is reported once."""
    for folder, sets in content.folders.items():
        against = set[str]()
        root = content.tree.root
        form = {tree.MAIN: LABELS_FORM, tree.ACTION: OBJECT_LABELS_FORM}.get(folder)
        words = sorted(list_words(root / folder)) if form else []
        for name, image_set in sets.items():
            paths = {word: tree.label_path(folder, word, name) for word in words}
            files = {
                word: read_set(root, path, form)
                for word, path in paths.items()
                if form and (root / path).exists()
            }
            lost, added = _compare_lists(content, folder, image_set, files)
            against |= lost | added
            for word, labels in files.items():
                yield from labels.violations
                unasked = _list_unasked(content, word) if folder == tree.MAIN else frozenset[str]()
                yield from _check_images(content, labels, image_set, lost | added, unasked)
            yield from _check_held_back(content, list(files.values()))
            yield from _check_lists(content, folder, image_set, lost, added, len(files))
            if folder == tree.MAIN:
                yield from _check_classes(content, name, files)
            elif folder == tree.ACTION:
                yield from _check_actions(content, image_set, files)
            elif folder == tree.LAYOUT:
                yield from _check_layout(content, image_set)
        yield from check_union(sets, against)


def _check_lists(
    content: Content, folder: str, image_set: ImageSet, lost: Set[str], added: Set[str], files: int
) -> Iterator[Violation]:
    """Each image of the set has a line in its label files, and no other image has."""
    all_files = f"{files} label files of the set"
    for image_id in sorted(lost):
        message = f"expected a line for {image_id}, which all {all_files} list"
        yield image_set.breaks(max(len(image_set.lines), 1), "line-missing", message)
    for image_id in sorted(added):
        message = f"expected {image_id} in the {all_files}; none of them has it"
        message += _describe_taster(content, folder, image_id)
        rule = "class-file-images" if folder == tree.MAIN else "action-file-images"
        yield image_set.breaks(image_set.line_of[image_id], rule, message)


def _list_unasked(content: Content, class_name: str) -> frozenset[str]:
    """The images that release.json says were not asked about the class."""
    return frozenset(
        image_id for image_id, asked in content.asked.items() if class_name not in asked
    )


def _compare_lists(
    content: Content, folder: str, image_set: ImageSet, files: Mapping[str, ImageSet]
) -> tuple[set[str], set[str]]:
    """What all of several label files have beyond the set, and what all of them lack of it."""
    if len(files) < 2:
        return set(), set()
    listed = [set(file.line_of) for file in files.values()]
    lost = set.intersection(*listed) - image_set.line_of.keys()
    added = image_set.line_of.keys() - content.held_back.union(*listed)
    if folder == tree.MAIN:
        added -= {image_id for image_id, asked in content.asked.items() if asked.isdisjoint(files)}
    return lost, added


def _describe_taster(content: Content, folder: str, image_id: str) -> str:
    """What an image of Main that no class list has may be, where other folders list it."""
    others = [
        Path(other).name
        for other in (tree.LAYOUT, tree.ACTION)
        for image_set in content.folders.get(other, {}).values()
        if folder == tree.MAIN and image_id in image_set.line_of
    ]
    names = " and ".join(dict.fromkeys(others))
    return f", so that it seems to be of {names} alone" if names else ""


def _check_held_back(content: Content, files: Sequence[ImageSet]) -> Iterator[Violation]:
    """The files of a set do not deny every object of images whose annotation is held back."""
    lines = [
        (file, line) for file in files for line in file.lines if line.image_id in content.held_back
    ]
    if lines and all(line.numbers[-1] < 0 for _, line in lines):
        labels, line = lines[0]
        images = len({line.image_id for _, line in lines})
        message = f"expected no label of {images} images whose annotation is held back; -1 in all "
        message += "files says that they show nothing"
        yield labels.breaks(line.line, "label-held-back", message)


def _check_images(
    content: Content,
    labels: ImageSet,
    image_set: ImageSet,
    against: Set[str],
    unasked: Set[str],
) -> Iterator[Violation]:
    """A label file lists the images of the set that are annotated and were asked, and no others."""
    wanted = image_set.line_of
    listed = labels.line_of
    is_of_classes = labels.path.startswith(tree.MAIN)
    rule = "class-file-images" if is_of_classes else "action-file-images"
    name = Path(image_set.path).name
    for image_id in sorted(listed.keys() - wanted.keys() - against):
        message = f"expected only images of {name}, got {image_id}"
        yield labels.breaks(listed[image_id], rule, message)
    for image_id in sorted(listed.keys() & unasked):
        message = f"expected no line of {image_id}, which {MANIFEST} says was not asked"
        yield labels.breaks(listed[image_id], rule, message)
    if missing := sorted(wanted.keys() - listed.keys() - against - content.held_back - unasked):
        message = f"expected all {len(wanted)} images of {name}, "
        message += f"but {len(missing)} are missing, such as {missing[0]}"
        if image_set.path.startswith(tree.MAIN):
            message += f", and no {MANIFEST} says that it was not asked"
        yield labels.breaks(max(len(labels.lines), 1), rule, message)


def _check_classes(
    content: Content, name: str, files: Mapping[str, ImageSet]
) -> Iterator[Violation]:
    """Each class of a file or an object has a file, which agrees with the XML."""
    sets = content.folders[tree.MAIN]
    listed = frozenset[str]().union(*(image_set.line_of for image_set in sets.values()))
    shown = {item.name for image_id in listed for item in content.objects_of(image_id) or ()}
    missing = (shown | list_words(content.tree.root / tree.MAIN)) - files.keys()
    for class_name in () if content.is_blind(name, sets[name]) else sorted(missing):
        path = tree.label_path(tree.MAIN, class_name, name)
        message = f"expected the labels of {class_name} in {name}"
        yield Violation(path, 1, "class-file-missing", message)
    for class_name, labels in files.items():
        for line in labels.lines:
            (label,) = line.numbers
            known = content.images.get(line.image_id)
            if label not in LABELS:
                yield labels.breaks(line.line, "label", f"expected 1, 0 or -1, got {label}")
            elif not known or known.objects is None:
                continue
            elif label != (true := known.labels.get(class_name, -1)):
                message = f"expected {true} ({_MEANINGS[true]}), got {label}"
                yield labels.breaks(line.line, "label-disagrees", message)


_MEANINGS = {
    1: "the annotation has an object of the class that is not difficult",
    0: "the annotation has only difficult objects of the class",
    -1: "the annotation has no object of the class",
}


def _check_layout(content: Content, image_set: ImageSet) -> Iterator[Violation]:
    """A listed object is a person; VOCevallayout_pr wants <point> in all of them or in none."""
    lines: dict[bool, int] = {}
    for line in image_set.lines:
        person = _find_person(content, line) if line.numbers else None
        if isinstance(person, str):
            yield image_set.breaks(line.line, "object-number", person)
        elif person:
            lines.setdefault(person.point is not None, line.line)
    if len(lines) > 1:
        message = "expected <point> in the files of all images of this list or in none, or the "
        message += "kit's VOCevallayout_pr stops; this line is the first that differs"
        yield image_set.breaks(max(lines.values()), "layout-points", message)


def _check_actions(
    content: Content, image_set: ImageSet, files: Mapping[str, ImageSet]
) -> Iterator[Violation]:
    """Each action's file lists every person with actions, as annotated; since 2011 with a point."""
    expected = [
        (image_id, number)
        for image_id in image_set.line_of
        for number, item in enumerate(content.objects_of(image_id) or (), start=1)
        if item.actions
    ]
    for action, labels in files.items():
        listed = {(line.image_id, line.numbers[0]) for line in labels.lines}
        for image_id, number in expected:
            if (image_id, number) not in listed:
                message = f"expected object {number} of {image_id}, a person with actions"
                yield labels.breaks(max(len(labels.lines), 1), "action-file-images", message)
        for line in labels.lines:
            person = _find_person(content, line)
            yield from _check_action_label(labels, line, person, action)
            if isinstance(person, VocObject):
                yield from _check_actor(content, line, person)


def _check_action_label(
    labels: ImageSet, line: SetLine, person: VocObject | str | None, action: str
) -> Iterator[Violation]:
    """The line says of a person whether the action is performed, as its annotation does."""
    label = line.numbers[1]
    if label not in (1, -1):
        yield labels.breaks(line.line, "label", f"expected 1 or -1, got {label}")
    elif isinstance(person, str):
        yield labels.breaks(line.line, "object-number", person)
    elif person and label == -_labels(person).get(action, 0):
        message = f"expected {-label}, as the annotation says of {action}, got {label}"
        yield labels.breaks(line.line, "label-disagrees", message)


def _check_actor(content: Content, line: SetLine, person: VocObject) -> Iterator[Violation]:
    """The annotation of a listed person has actions, and since 2011 a point."""
    path = tree.annotation_path(line.image_id)
    message = f"in object {line.numbers[0]}, which ImageSets/Action lists"
    if person.actions is None:
        yield Violation(path, 1, "actions-missing", f"expected <actions> {message}")
    elif person.point is None and content.tree.kit_year >= 2011:
        yield Violation(path, 1, "point-missing", f"expected <point> {message}")


def _labels(person: VocObject) -> dict[str, int]:
    """By action 1 where the person performs it, -1 where not."""
    return {action.name: 1 if action.is_performed else -1 for action in person.actions or ()}


def _find_person(content: Content, line: SetLine) -> VocObject | str | None:
    """The listed person, or what is wrong with its number; None without an annotation."""
    objects = content.objects_of(line.image_id)
    number = line.numbers[0]
    if objects is None:
        return None
    if not 1 <= number <= len(objects):
        return f"expected an object of {line.image_id} from 1 to {len(objects)}, got {number}"
    item = objects[number - 1]
    if item.name != PERSON:
        return f"expected a person, but object {number} of {line.image_id} is a {item.name}"
    return item


def check_action_names(content: Content) -> Iterator[Violation]:
    """Each action of a file is one of those of the label map, or of VOC where there is none."""
    label_map = read_label_map(content.tree.root)
    names = (
        {name for actions in label_map.values() for name in actions} if label_map else set(ACTIONS)
    )
    if not label_map and not content.class_names <= set(VOC_CLASSES):
        return
    for image_id, known in content.images.items():
        used = {action.name for item in known.objects or () for action in item.actions or ()}
        for name in sorted(used - names):
            listed = f"one of {', '.join(sorted(names))}" if names else "no action"
            message = f"expected {listed}, got {name!r}"
            yield Violation(tree.annotation_path(image_id), 1, "action-name", message)
