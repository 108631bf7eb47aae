"""The files below ImageSets of a release: who is in which set, and the labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from catalog.states import Split

from .plan import PlannedImage, ReleasePlan
from .voc import tree
from .voc.image_sets import (
    LABELS,
    SETS,
    format_images,
    format_labels,
    format_object_labels,
)

SET_SPLITS = {
    "train": (Split.TRAIN,),
    "val": (Split.VAL,),
    "trainval": (Split.TRAIN, Split.VAL),
    "test": (Split.TEST,),
}
FIRST_LAYOUT_OF_OBJECTS = 2008
"""Before, the sets of Layout listed images alone."""
PERSON = "person"
"""Of whom there are layouts and actions."""

Sets = Mapping[str, tuple[int, ...]]
SetFile = tuple[str, str]


def iterate_set_files(plan: ReleasePlan) -> Iterator[SetFile]:
    """Every set file's path below the tree and its text; of a blind test set the list alone."""
    lists = frozenset(plan.recipe.lists)
    return (file for file in _iterate_all(plan) if not lists or file[0] in lists)


def _iterate_all(plan: ReleasePlan) -> Iterator[SetFile]:
    sets_of = {image.public_id: find_sets(plan, image) for image in plan.images}
    labels_of = {image.public_id: find_labels(plan, image) for image in plan.images}
    members = _Members(plan, sets_of)
    has_masks = any(tree.SEGMENTATION in sets for sets in sets_of.values())
    for set_name in SETS:
        ids = [image.public_id for image in members.find(tree.MAIN, set_name)]
        if plan.is_blind and set_name == Split.TEST:
            yield _list_file(tree.MAIN, set_name, ids)
            continue
        if tree.MAIN in plan.recipe.tasks:
            yield _list_file(tree.MAIN, set_name, ids)
            for name, text in _iterate_labels(ids, labels_of, plan.recipe.classes):
                yield tree.label_path(tree.MAIN, name, set_name), text
        if has_masks or tree.SEGMENTATION in plan.recipe.tasks:
            images = members.find(tree.SEGMENTATION, set_name)
            yield _list_file(tree.SEGMENTATION, set_name, [image.public_id for image in images])
        if tree.LAYOUT in plan.recipe.tasks:
            images = members.find(tree.LAYOUT, set_name)
            yield tree.set_path(tree.LAYOUT, set_name), _layout(images, sets_of, plan.year)
        if tree.ACTION in plan.recipe.tasks:
            images = members.find(tree.ACTION, set_name)
            yield from _iterate_actions(plan, images, sets_of, set_name)


class _Members:
    """The images that each folder lists, looked for once for all its sets."""

    def __init__(self, plan: ReleasePlan, sets_of: Mapping[str, Sets]) -> None:
        self._plan, self._sets_of = plan, sets_of
        self._found: dict[str, list[tuple[PlannedImage, Split]]] = {}

    def find(self, folder: str, set_name: str) -> list[PlannedImage]:
        """Those of one set."""
        if folder not in self._found:
            self._found[folder] = [
                (image, _find_split(image, folder))
                for image in self._plan.images
                if folder in self._sets_of[image.public_id]
            ]
        splits = SET_SPLITS[set_name]
        return [image for image, split in self._found[folder] if split in splits]


def _find_split(image: PlannedImage, folder: str) -> Split:
    return image.split if image.form is None else image.form.split_in(folder, image.split)


def find_sets(plan: ReleasePlan, image: PlannedImage) -> Sets:
    """The folders of sets that list the image, each with the numbers of the objects it lists.

    All images are in Main; those with parts of people also in Layout, with the people that have
    any; those of which all objects are people with actions also in Action. The development kit
    evaluates people alone, whatever else a preset gives parts and actions.
    """
    if image.form is not None:
        return image.form.sets
    objects, tasks = image.row.objects, plan.recipe.tasks
    people = [place for place, it in enumerate(objects, start=1) if it.class_name == PERSON]
    sets: dict[str, tuple[int, ...]] = {tree.MAIN: ()}
    if tree.LAYOUT in tasks and (drawn := [it for it in people if objects[it - 1].parts]):
        sets[tree.LAYOUT] = tuple(drawn)
    if tree.ACTION in tasks and len(people) == len(objects) and all(it.actions for it in objects):
        sets[tree.ACTION] = tuple(people)
    return sets


def find_labels(plan: ReleasePlan, image: PlannedImage) -> dict[str, int]:
    """The label of each class that the image shows: 1, or 0 where all its objects are difficult.

    Where files do not tell what is difficult, nothing is.
    """
    labels: dict[str, int] = {}
    for place, item in enumerate(image.row.objects):
        flags = plan.recipe.flags if image.form is None else image.form.flags_of(place)
        is_difficult = item.difficult and "difficult" in flags
        labels[item.class_name] = max(labels.get(item.class_name, 0), int(not is_difficult))
    return labels


def _list_file(folder: str, set_name: str, ids: Sequence[str]) -> SetFile:
    return tree.set_path(folder, set_name), format_images(ids)


def _iterate_labels(
    ids: Sequence[str], labels_of: Mapping[str, Mapping[str, int]], classes: Sequence[str]
) -> Iterator[SetFile]:
    """The text of each class's file; nearly all lines are the same in all of them."""
    absent = format_labels((image_id, -1) for image_id in ids).encode()
    shown: dict[str, list[tuple[int, bytes]]] = {name: [] for name in classes}
    end = 0
    for image_id in ids:
        end = absent.index(b"\n", end) + 1
        for name, label in labels_of[image_id].items():
            if name in shown:
                shown[name].append((end, _ENDS[label]))
    for name in classes:
        text = bytearray(absent)
        for end, label_end in shown[name]:
            text[end - len(label_end) : end] = label_end
        yield name, text.decode()


_ENDS = {label: format_labels([("", label)]).encode() for label in LABELS}
"""How lines end, whatever the image; all labels take as many characters."""


def _layout(images: Sequence[PlannedImage], sets_of: Mapping[str, Sets], year: int) -> str:
    ids = [image.public_id for image in images]
    if year < FIRST_LAYOUT_OF_OBJECTS:
        return format_images(ids)
    return format_labels((it, number) for it in ids for number in sets_of[it][tree.LAYOUT])


def _iterate_actions(
    plan: ReleasePlan,
    images: Sequence[PlannedImage],
    sets_of: Mapping[str, Sets],
    set_name: str,
) -> Iterator[SetFile]:
    yield _list_file(tree.ACTION, set_name, [image.public_id for image in images])
    people = [
        (image.public_id, number, image.row.objects[number - 1].actions)
        for image in images
        if not image.is_blind
        for number in sets_of[image.public_id][tree.ACTION]
    ]
    for action in sorted(plan.recipe.actions):
        lines = ((it, number, 1 if action in performed else -1) for it, number, performed in people)
        yield tree.label_path(tree.ACTION, action, set_name), format_object_labels(lines)
