"""The lists and boxes of people that participants get of a test set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from pathlib import Path

from vockit.format import image_sets, tree
from vockit.format.given_persons import (
    GIVING,
    GivenPerson,
    boxes_path,
    format_persons,
)
from vockit.format.read import read_annotation
from vockit.format.text import split_mark


def list_given_files(root: Path) -> dict[str, bytes]:
    """The files that say which people of the test sets Layout and Action ask about, by path.

    A blind tree has them. Of an open one they are made, as its blind release had them.
    """
    files = dict[str, bytes]()
    for folder, image_set in product(GIVING, image_sets.TESTS):
        boxes = root / boxes_path(folder, image_set)
        listed = tree.set_path(folder, image_set)
        if boxes.is_file() and (root / listed).is_file():
            files[listed] = (root / listed).read_bytes()
            files[boxes_path(folder, image_set)] = boxes.read_bytes()
            continue
        persons = make_given(root, folder, image_set)
        files |= {path: text.encode() for path, text in format_given(folder, image_set, persons)}
    return files


def format_given(
    folder: str, image_set: str, persons: Iterable[GivenPerson]
) -> Iterator[tuple[str, str]]:
    """The list of these people and the table of their boxes, by path; nothing without people."""
    listed = list(persons)
    if listed:
        keys = image_sets.format_labels(person.key for person in listed)
        yield tree.set_path(folder, image_set), keys
        yield boxes_path(folder, image_set), format_persons(listed)


def make_given(root: Path, folder: str, image_set: str) -> list[GivenPerson]:
    """The people that a set of an open tree lists, in images that Main does not list."""
    in_main = _list_main(root)
    persons = list[GivenPerson]()
    for image_id, number in sorted(set(_list_people(root, folder, image_set))):
        path = root / tree.annotation_path(image_id)
        if image_id in in_main or not path.is_file():
            continue
        image = read_annotation(path.read_bytes()).image
        objects = image.objects if image else ()
        if 1 <= number <= len(objects):
            item = objects[number - 1]
            persons.append(GivenPerson(image_id, number, item.box, item.point))
    return persons


def _list_main(root: Path) -> frozenset[str]:
    """The images of all sets of Main."""
    paths = (root / tree.set_path(tree.MAIN, name) for name in image_sets.SETS)
    return frozenset(
        line.split()[0] for path in paths for line in _read_lines(path) if line.strip()
    )


def _list_people(root: Path, folder: str, image_set: str) -> Iterator[tuple[str, int]]:
    """The image and object of each line of Layout's list, or of the label files of Action."""
    if folder == tree.LAYOUT:
        paths = [root / tree.set_path(folder, image_set)]
        form = image_sets.OBJECTS_FORM
    else:
        paths = sorted((root / folder).glob(f"*_{image_set}.txt"))
        form = image_sets.OBJECT_LABELS_FORM
    for path in paths:
        if path.is_file():
            for line in image_sets.parse_set(path.read_bytes(), form)[0]:
                yield line.image_id, line.numbers[0]


def _read_lines(path: Path) -> list[str]:
    if not path.is_file():
        return []
    data, encoding, _ = split_mark(path.read_bytes())
    return data.decode(encoding, "replace").splitlines()
