"""The sets that list objects: people with parts in Layout, people with actions in Action."""

from __future__ import annotations

from collections.abc import Mapping

from export.voc import tree
from export.voc.image_sets import OBJECT_LABELS_FORM, SetLine

from .facts import ImageFacts, ObjectFacts
from .image_sets import ImageSet, read_set
from .labels import check_same_images, list_words
from .trees import Tree
from .violations import Violations

LABELS = (1, -1)


def check_layout(
    sets: Mapping[str, ImageSet], facts: Mapping[str, ImageFacts], violations: Violations
) -> None:
    """Each object that a layout set lists is a person of the annotation."""
    for image_set in sets.values():
        for line in image_set.lines:
            if line.numbers:
                _find_person(image_set, line, facts, violations)


def check_actions(
    tree_: Tree,
    sets: Mapping[str, ImageSet],
    facts: Mapping[str, ImageFacts],
    violations: Violations,
) -> None:
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
    action: str, labels: ImageSet, facts: Mapping[str, ImageFacts], violations: Violations
) -> None:
    for line in labels.lines:
        label = line.numbers[1]
        if label not in LABELS:
            violations.add(labels.path, line.line, "label", f"expected 1 or -1, got {label}")
            continue
        person = _find_person(labels, line, facts, violations)
        performs = person.actions.get(action) if person else None
        if performs is not None and label != (1 if performs else -1):
            message = f"expected {-label}, as the annotation says of {action}, got {label}"
            violations.add(labels.path, line.line, "label-disagrees", message)


def _check_complete(
    labels: ImageSet,
    image_set: ImageSet,
    facts: Mapping[str, ImageFacts],
    violations: Violations,
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
    image_set: ImageSet, line: SetLine, facts: Mapping[str, ImageFacts], violations: Violations
) -> ObjectFacts | None:
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
