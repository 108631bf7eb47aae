"""The files with labels: of each class in Main, of each action in Action, and people in Layout."""

from __future__ import annotations

from pathlib import Path

from voc import tree
from voc.image_sets import LABELS, LABELS_FORM, OBJECT_LABELS_FORM, SETS, SetLine
from voc.records import VocObject

from .facts import Facts
from .image_sets import ImageSet, Sets, is_blind, read_set
from .trees import Tree, Violations, list_names

ACTION_LABELS = (1, -1)


def check_class_files(tree_: Tree, sets: Sets, facts: Facts, violations: Violations) -> None:
    """Each class of a file or an object has a file for each set, which agrees with the XML."""
    classes = list_words(tree_.root / tree.MAIN) | _annotated_classes(sets, facts)
    names = frozenset(list_names(tree_.root / tree.MAIN, ""))
    for name, image_set in sets.items():
        for class_name in sorted(classes):
            path = tree_.root / tree.label_path(tree.MAIN, class_name, name)
            if path.name in names:
                _check_class_file(path, class_name, image_set, facts, violations)
            elif not is_blind(name, image_set, facts):
                message = f"expected the labels of {class_name} in {name}"
                violations.add(path, 1, "class-file-missing", message)


def list_words(folder: Path) -> set[str]:
    """The words that files such as <word>_train.txt are named after."""
    stems = (stem.rpartition("_") for stem in list_names(folder, ".txt"))
    return {word for word, _, name in stems if word and name in SETS}


def check_same_images(
    labels: ImageSet, image_set: ImageSet, violations: Violations, rule: str
) -> None:
    """The label file lists the images of the set and no others."""
    listed, wanted = labels.line_of, image_set.line_of
    for image_id in sorted(listed.keys() - wanted.keys()):
        message = f"expected only images of {image_set.path.name}, got {image_id}"
        violations.add(labels.path, listed[image_id], rule, message)
    if missing := sorted(wanted.keys() - listed.keys()):
        message = f"expected all {len(wanted)} images of {image_set.path.name}, "
        message += f"but {len(missing)} are missing, such as {missing[0]}"
        violations.add(labels.path, max(len(labels.lines), 1), rule, message)


def _annotated_classes(sets: Sets, facts: Facts) -> set[str]:
    return {
        item.name
        for image_set in sets.values()
        for line in image_set.lines
        if line.image_id in facts
        for item in facts[line.image_id].objects or ()
    }


def _check_class_file(
    path: Path, class_name: str, image_set: ImageSet, facts: Facts, violations: Violations
) -> None:
    labels = read_set(path, LABELS_FORM, violations)
    check_same_images(labels, image_set, violations, "class-file-images")
    for line in labels.lines:
        (label,) = line.numbers
        if label not in LABELS:
            violations.add(path, line.line, "label", f"expected 1, 0 or -1, got {label}")
            continue
        true = facts[line.image_id].label(class_name) if line.image_id in facts else None
        if true is not None and label != true:
            message = f"expected {true} ({_MEANINGS[true]}), got {label}"
            violations.add(path, line.line, "label-disagrees", message)


_MEANINGS = {
    1: "the annotation has an object of the class that is not difficult",
    0: "the annotation has only difficult objects of the class",
    -1: "the annotation has no object of the class",
}


def check_layout(sets: Sets, facts: Facts, violations: Violations) -> None:
    """Each object that a layout set lists is a person of the annotation."""
    for image_set in sets.values():
        for line in image_set.lines:
            if line.numbers:
                _find_person(image_set, line, facts, violations)


def check_actions(tree_: Tree, sets: Sets, facts: Facts, violations: Violations) -> None:
    """Each action's file lists every person with actions, and agrees with the annotation."""
    for action in sorted(list_words(tree_.root / tree.ACTION)):
        for name, image_set in sets.items():
            path = tree_.root / tree.label_path(tree.ACTION, action, name)
            if path.is_file():
                labels = read_set(path, OBJECT_LABELS_FORM, violations)
                check_same_images(labels, image_set, violations, "action-file-images")
                _check_action_labels(action, labels, facts, violations)
                _check_complete(labels, image_set, facts, violations)


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
    elif known.objects[number - 1].name != "person":
        message = f"expected a person, but object {number} of {line.image_id} is a "
        message += known.objects[number - 1].name
    else:
        return known.objects[number - 1]
    violations.add(image_set.path, line.line, "object-number", message)
    return None
