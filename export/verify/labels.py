"""The files that give each image of a set a label: one for each class, in Main."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from export.voc import tree
from export.voc.image_sets import LABELS, LABELS_FORM, SETS, find_carriage_return, format_labels

from .facts import ImageFacts
from .image_sets import ImageSet, read_set
from .listed import is_blind
from .trees import Tree, list_names, read_bytes
from .violations import Violations


def check_class_files(
    tree_: Tree,
    sets: Mapping[str, ImageSet],
    facts: Mapping[str, ImageFacts],
    violations: Violations,
) -> None:
    """Each class of a file or an object has a file for each set, which agrees with the XML."""
    classes = list_words(tree_.root / tree.MAIN) | _annotated_classes(sets, facts)
    names = frozenset(list_names(tree_.root / tree.MAIN, ""))
    expected = {name: _Expected(image_set, facts) for name, image_set in sets.items()}
    for name, image_set in sets.items():
        for class_name in sorted(classes):
            path = tree_.root / tree.label_path(tree.MAIN, class_name, name)
            if path.name in names:
                if not _is_expected(path, class_name, expected[name], violations):
                    _check_class_file(path, class_name, image_set, facts, violations)
            elif not is_blind(name, image_set, facts):
                message = f"expected the labels of {class_name} in {name}"
                violations.add(path, 1, "class-file-missing", message)


def _is_expected(path: Path, class_name: str, expected: _Expected, violations: Violations) -> bool:
    """Whether the file says what it should; that CR ends its lines is told, and no reason to parse.

    A tree of a thousand classes has four thousand such files.
    """
    data = read_bytes(path)
    if isinstance(data, str):
        return False
    if expected.is_exactly(data, class_name):
        return True
    remark = find_carriage_return(data)
    if remark is None or not expected.is_exactly(data.replace(b"\r\n", b"\n"), class_name):
        return False
    violations.add_remarks(path, [remark])
    return True


class _Expected:
    """What the class files of a set say where there is nothing to remark on them.

    All lines of an image have the same length, whatever the label: see format_labels.
    """

    def __init__(self, image_set: ImageSet, facts: Mapping[str, ImageFacts]) -> None:
        ids = [line.image_id for line in image_set.lines]
        known = [facts.get(image_id) for image_id in ids]
        self._is_known = image_set.is_ascending and all(
            it and it.objects is not None for it in known
        )
        self._absent = format_labels((image_id, -1) for image_id in ids).encode()
        self._shown: dict[str, list[tuple[int, bytes]]] = {}
        end = 0
        for image_id, it in zip(ids, known, strict=True):
            end += len(image_id.encode()) + len(_ABSENT)
            for name, label in it.labels.items() if it else ():
                self._shown.setdefault(name, []).append((end, _ENDS[label]))

    def is_exactly(self, data: bytes, class_name: str) -> bool:
        """Whether the file says that to the byte; otherwise it has to be parsed."""
        if not self._is_known:
            return False
        text = bytearray(self._absent)
        for end, label in self._shown.get(class_name, ()):
            text[end - len(label) : end] = label
        return data == text


_ENDS = {label: format_labels([("", label)]).encode() for label in LABELS}
_ABSENT = _ENDS[-1]


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


def _annotated_classes(sets: Mapping[str, ImageSet], facts: Mapping[str, ImageFacts]) -> set[str]:
    return {
        item.name
        for image_set in sets.values()
        for line in image_set.lines
        if line.image_id in facts
        for item in facts[line.image_id].objects or ()
    }


def _check_class_file(
    path: Path,
    class_name: str,
    image_set: ImageSet,
    facts: Mapping[str, ImageFacts],
    violations: Violations,
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
