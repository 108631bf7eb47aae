"""The files with labels: of each class in Main, of each action in Action, and people in Layout."""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path

from export.recipe import PERSON
from voc import tree
from voc.image_sets import LABELS, LABELS_FORM, OBJECT_LABELS_FORM, SETS, SetLine
from voc.read_object import ACTIONS
from voc.records import VocObject
from voc.tree import VOC_CLASSES

from .facts import Facts
from .image_sets import ImageSet, Sets, is_blind, read_set
from .trees import Tree, Violations, list_names, read_bytes

ACTION_LABELS = (1, -1)
FIRST_YEAR_OF_POINTS = 2011


def check_class_files(tree_: Tree, sets: Sets, facts: Facts, violations: Violations) -> set[str]:
    """Each class of a file or an object has a file for each set, which agrees with the XML.

    The images that a set lists against all of its class files; they are named once.
    """
    against: set[str] = set()
    classes = list_words(tree_.root / tree.MAIN) | _annotated_classes(sets, facts)
    names = frozenset(list_names(tree_.root / tree.MAIN, ""))
    for name, image_set in sets.items():
        files = []
        for class_name in sorted(classes):
            path = tree_.root / tree.label_path(tree.MAIN, class_name, name)
            if path.name in names:
                files.append(read_set(path, LABELS_FORM, violations))
                _check_class_file(class_name, files[-1], facts, violations)
            elif not is_blind(name, image_set, facts):
                message = f"expected the labels of {class_name} in {name}"
                violations.add(path, 1, "class-file-missing", message)
        against |= check_same_images(files, image_set, violations, "class-file-images")
    return against


def find_classes(root: Path, held: Set[str]) -> tuple[str, ...] | None:
    """The classes of a tree in label order; None where neither VOC nor a label map names them."""
    if held <= set(VOC_CLASSES):
        return VOC_CLASSES
    listed = tuple(read_label_map(root))
    return listed if held <= set(listed) else None


def find_actions(root: Path, held: Set[str]) -> Set[str] | None:
    """The actions of a tree with these classes; None where nothing names them."""
    label_map = read_label_map(root)
    known = set(ACTIONS) if held <= set(VOC_CLASSES) else None
    return {it for actions in label_map.values() for it in actions} if label_map else known


def read_label_map(root: Path) -> dict[str, tuple[str, ...]]:
    """The classes in label order, each with its actions; empty where the tree has no label map."""
    path = root / tree.LABEL_MAP
    data = read_bytes(path) if path.exists() else b""
    lines = data.decode("utf-8", "replace").splitlines() if isinstance(data, bytes) else []
    rows = [line.split(":") for line in lines if line and not line.startswith("#")]
    found = {row[0]: tuple(filter(None, row[-1].split(","))) for row in rows}
    return {name: actions for name, actions in found.items() if name != "background"}


def list_words(folder: Path) -> set[str]:
    """The words that files such as <word>_train.txt are named after."""
    stems = (stem.rpartition("_") for stem in list_names(folder, ".txt"))
    return {word for word, _, name in stems if word and name in SETS}


def check_same_images(
    files: Sequence[ImageSet], image_set: ImageSet, violations: Violations, rule: str
) -> set[str]:
    """Each label file lists the images of the set and no others.

    The images by which the set differs from all of them: the fault is the set's, and named there.
    """
    wanted, path, count = image_set.line_of, image_set.path, len(files)
    lost, added = set[str](), set[str]()
    if count > 1:
        lost = set.intersection(*(set(it.line_of) for it in files)) - wanted.keys()
        added = wanted.keys() - set.union(*(set(it.line_of) for it in files))
    for image_id in sorted(lost):
        message = f"expected a line for {image_id}, which all {count} label files of the set list"
        violations.add(path, max(len(image_set.lines), 1), "line-missing", message)
    for image_id in sorted(added):
        message = f"expected {image_id} in the {count} label files of the set; none of them has it"
        violations.add(path, wanted[image_id], rule, message)
    for labels in files:
        listed = labels.line_of
        for image_id in sorted(listed.keys() - wanted.keys() - lost):
            message = f"expected only images of {path.name}, got {image_id}"
            violations.add(labels.path, listed[image_id], rule, message)
        if missing := sorted(wanted.keys() - listed.keys() - added):
            message = f"expected all {len(wanted)} images of {path.name}, "
            message += f"but {len(missing)} are missing, such as {missing[0]}"
            violations.add(labels.path, max(len(labels.lines), 1), rule, message)
    return lost | added


def _annotated_classes(sets: Sets, facts: Facts) -> set[str]:
    return {
        item.name
        for image_set in sets.values()
        for line in image_set.lines
        if line.image_id in facts
        for item in facts[line.image_id].objects or ()
    }


def _check_class_file(
    class_name: str, labels: ImageSet, facts: Facts, violations: Violations
) -> None:
    for line in labels.lines:
        (label,) = line.numbers
        if label not in LABELS:
            violations.add(labels.path, line.line, "label", f"expected 1, 0 or -1, got {label}")
            continue
        true = facts[line.image_id].label(class_name) if line.image_id in facts else None
        if true is not None and label != true:
            message = f"expected {true} ({_MEANINGS[true]}), got {label}"
            violations.add(labels.path, line.line, "label-disagrees", message)


_MEANINGS = {
    1: "the annotation has an object of the class that is not difficult",
    0: "the annotation has only difficult objects of the class",
    -1: "the annotation has no object of the class",
}


def check_layout(sets: Sets, facts: Facts, violations: Violations) -> None:
    """Each object that a layout set lists is a person of the annotation.

    VOCevallayout_pr and example_layout of the 2012 kit gather these people in one struct array, so
    that the files of all of them must have <point>, or none.
    """
    for image_set in sets.values():
        lines: dict[bool, int] = {}
        for line in image_set.lines:
            if line.numbers and (person := _find_person(image_set, line, facts, violations)):
                lines.setdefault(person.point is not None, line.line)
        if len(lines) > 1:
            message = "expected <point> in the files of all images of this list or in none, or the "
            message += "kit's VOCevallayout_pr stops; this line is the first that differs"
            violations.add(image_set.path, max(lines.values()), "layout-points", message)


def check_actions(tree_: Tree, sets: Sets, facts: Facts, violations: Violations) -> set[str]:
    """Each action's file lists every person with actions, and agrees with the annotation.

    The images that a set lists against all of its action files; they are named once.
    """
    against: set[str] = set()
    actions = sorted(list_words(tree_.root / tree.ACTION))
    for name, image_set in sets.items():
        files = []
        for action in actions:
            path = tree_.root / tree.label_path(tree.ACTION, action, name)
            if path.is_file():
                files.append(labels := read_set(path, OBJECT_LABELS_FORM, violations))
                _check_action_labels(action, labels, facts, violations)
                _check_complete(labels, image_set, facts, violations)
        against |= check_same_images(files, image_set, violations, "action-file-images")
        people = {(it.image_id, it.numbers[0]) for labels in files for it in labels.lines}
        _check_people(tree_, people, facts, violations)
    return against


def _check_people(
    tree_: Tree, people: Set[tuple[str, int]], facts: Facts, violations: Violations
) -> None:
    """Each listed person has actions and, since 2011, a point; example_action_nobb reads it."""
    for image_id, number in sorted(people):
        objects = (facts[image_id].objects if image_id in facts else None) or ()
        if not 1 <= number <= len(objects) or objects[number - 1].name != PERSON:
            continue
        path, person = tree_.root / tree.annotation_path(image_id), objects[number - 1]
        if person.actions is None:
            message = f"expected <actions> in object {number}, which ImageSets/Action lists"
            violations.add(path, 1, "actions-missing", message)
        elif person.point is None and tree_.kit_year >= FIRST_YEAR_OF_POINTS:
            message = f"expected <point> in object {number}, which ImageSets/Action lists"
            violations.add(path, 1, "point-missing", message)


def check_action_names(
    tree_: Tree, names: Set[str] | None, facts: Facts, violations: Violations
) -> None:
    """Each action of a file is one of the tree's; None where they are not known."""
    for image_id, known in facts.items() if names is not None else ():
        used = {action.name for it in known.objects or () for action in it.actions or ()}
        for name in sorted(used - (names or set())):
            path = tree_.root / tree.annotation_path(image_id)
            message = f"expected one of {', '.join(sorted(names or ()))}, got {name!r}"
            violations.add(path, 1, "action-name", message)


def _check_action_labels(
    action: str, labels: ImageSet, facts: Facts, violations: Violations
) -> None:
    for line in labels.lines:
        label = line.numbers[1]
        if label not in ACTION_LABELS:
            violations.add(labels.path, line.line, "label", f"expected 1 or -1, got {label}")
            continue
        person = _find_person(labels, line, facts, violations)
        performs = _find_action(person, action) if person else None
        if performs is not None and label != (1 if performs else -1):
            message = f"expected {-label}, as the annotation says of {action}, got {label}"
            violations.add(labels.path, line.line, "label-disagrees", message)


def _find_action(person: VocObject, action: str) -> bool | None:
    """Whether the person performs the action, None where the annotation does not say."""
    return next((it.is_performed for it in person.actions or () if it.name == action), None)


def _check_complete(
    labels: ImageSet, image_set: ImageSet, facts: Facts, violations: Violations
) -> None:
    listed = {(line.image_id, line.numbers[0]) for line in labels.lines}
    for line in image_set.lines:
        known = facts.get(line.image_id)
        for number, item in enumerate((known and known.objects) or (), start=1):
            if item.actions and (line.image_id, number) not in listed:
                message = f"expected object {number} of {line.image_id}, a person with actions"
                violations.add(
                    labels.path, max(len(labels.lines), 1), "action-file-images", message
                )


def _find_person(
    image_set: ImageSet, line: SetLine, facts: Facts, violations: Violations
) -> VocObject | None:
    known = facts.get(line.image_id)
    if known is None or known.objects is None:
        return None
    number = line.numbers[0]
    if not 1 <= number <= len(known.objects):
        message = (
            f"expected an object of {line.image_id} from 1 to {len(known.objects)}, got {number}"
        )
    elif known.objects[number - 1].name != PERSON:
        message = f"expected a person, but object {number} of {line.image_id} is a "
        message += known.objects[number - 1].name
    else:
        return known.objects[number - 1]
    violations.add(image_set.path, line.line, "object-number", message)
    return None
