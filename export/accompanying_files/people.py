"""Second annotations of test images as results of a method called people.

A second person annotated some images blind, or drew their masks blind. As results they are scored
like those of any method: `vocparty evaluate` shows them next to the methods, on the same images.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from catalog import tables
from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.party import Party
from catalog.states import BlindKind
from catalog.stored_files import PEOPLE_RESULTS
from export.asked import LookedFor
from export.drawings import draw_labels, load_outlines
from export.loading import iterate_rows, load_objects
from export.notes import Facts
from export.parquet import is_in_main
from export.plan import PlannedImage, ReleasePlan, has_masks
from export.tree_files import find_sets
from vockit.evaluate.people import PEOPLE_FILE, find_same_object
from vockit.format import tree
from vockit.format.image_sets import TESTS
from vockit.format.masks import Labels, format_mask

_DETECTION = "comp4"
_CLASSIFICATION = "comp2"
_SEGMENTATION = "comp6"
_ACTION = "comp10"


def settle_people(
    session: Session, party: Party, plan: ReleasePlan
) -> tuple[Facts, dict[str, bytes]]:
    """What a second person gave of each image of a test set, and the masks among it by path.

    `images` have by public id the person and the objects, `masks` the person who drew the pixels;
    people are numbered anew. `discarded` counts the images that the second person would not have
    annotated. Nothing where party.toml does not allow it.
    """
    if not party.settings.export.people_results:
        return {}, {}
    images = {image.row.id: image for image in plan.images if _is_of_test(image)}
    answers = _load_answers(session, plan, images)
    drawn = [answer for answer in answers if answer.discard_reason is None]
    drawings = _load_drawings(session, images)
    masks = _draw_masks(session, plan, images, drawings)
    drawings = [drawing for drawing in drawings if drawing.image_id in masks]
    people = dict.fromkeys(row.person_id for row in (*drawn, *drawings))
    numbers = {person_id: number for number, person_id in enumerate(people, start=1)}
    objects_of = load_objects(
        session, (answer.annotation_id for answer in drawn), plan.recipe.classes_number
    )
    facts: Facts = {
        "discarded": len(answers) - len(drawn),
        "images": {
            images[answer.image_id].public_id: {
                "person": numbers[answer.person_id],
                "objects": [_describe(item) for item in objects_of[answer.annotation_id]],
            }
            for answer in drawn
        },
        "masks": {
            images[drawing.image_id].public_id: numbers[drawing.person_id] for drawing in drawings
        },
    }
    return facts, {_mask_path(images[key]): format_mask(mask) for key, mask in masks.items()}


def _list_asked(plan: ReleasePlan, image: PlannedImage) -> tuple[str, ...]:
    """The classes about which the image was asked."""
    asked = plan.asked(image)
    return plan.recipe.classes if asked is None else asked


def _describe(item: AnnotatedObject) -> dict[str, Any]:
    return {
        "class": item.class_name,
        "box": list(item.box.xyxy),
        "actions": list(item.actions),
    }


def _is_of_test(image: PlannedImage) -> bool:
    return image.split in TESTS and not image.is_blind


def _load_answers(
    session: Session, plan: ReleasePlan, images: Mapping[int, PlannedImage]
) -> list[Any]:
    """For each image in Main that has any the first finished answer, in the order of public ids.

    It is of a person who drew neither what it was compared with nor what is released, and was asked
    about all classes that the image was asked about. A gold image has several answers.
    """
    images = {key: image for key, image in images.items() if is_in_main(image)}
    authors = _load_authors(session, images)
    looked_for = LookedFor(session, images)
    task = tables.BlindTask
    first = aliased(tables.Annotation)
    second = aliased(tables.Annotation)
    columns = task.id, task.image_id, task.annotation_id
    given = (
        select(*columns, second.person_id, second.saved_at, second.discard_reason)
        .join(first, first.id == task.reference_id)
        .join(second, second.id == task.annotation_id)
        .where(
            task.kind.in_((BlindKind.DOUBLE, BlindKind.GOLD)),
            task.finished_at.is_not(None),
            first.person_id != second.person_id,
            second.set_aside_at.is_(None),
        )
    )
    answer_of: dict[int, Any] = {}
    rows = iterate_rows(session, given, task.image_id, images)
    for row in sorted(rows, key=lambda row: row.id):
        is_of_other = (row.image_id, row.person_id) not in authors
        asked = _list_asked(plan, images[row.image_id])
        if is_of_other and looked_for.was_about(asked, row.saved_at):
            answer_of.setdefault(row.image_id, row)
    return sorted(answer_of.values(), key=lambda row: images[row.image_id].public_id)


def _load_authors(session: Session, images: Mapping[int, PlannedImage]) -> set[tuple[int, int]]:
    """Each image with each person who saved a revision that the released one grew from."""
    revision = tables.Annotation
    ids = [item.id for image in images.values() for item in image.row.revisions]
    authors = select(revision.image_id, revision.person_id)
    rows = iterate_rows(session, authors, revision.id, ids)
    return {(row.image_id, row.person_id) for row in rows}


def _load_drawings(session: Session, images: Mapping[int, PlannedImage]) -> list[Any]:
    """Of images that were drawn twice the finished drawing that their masks were not made of."""
    drawing = tables.Segmentation
    choice = tables.SegmentChoice
    twice = (
        select(choice.image_id, drawing.id, drawing.annotation_id, drawing.person_id)
        .join(drawing, drawing.id == choice.second_id)
        .where(drawing.is_finished.is_(True), drawing.set_aside_at.is_(None))
    )
    masked = [image_id for image_id, image in images.items() if has_masks(image)]
    rows = iterate_rows(session, twice, choice.image_id, masked)
    return sorted(rows, key=lambda row: images[row.image_id].public_id)


def _draw_masks(
    session: Session,
    plan: ReleasePlan,
    images: Mapping[int, PlannedImage],
    drawings: Sequence[Any],
) -> dict[int, Labels]:
    """The class of each pixel of these drawings by image.

    An image with an object whose box is not the one that was drawn in is left out.
    """
    outlines = load_outlines(session, (drawing.id for drawing in drawings))
    drawn_of = load_objects(session, (drawing.annotation_id for drawing in drawings))
    masks = {}
    for drawing in drawings:
        row = images[drawing.image_id].row
        drawn = drawn_of[drawing.annotation_id]
        if _list_boxes(row.objects) == _list_boxes(drawn):
            size_wh = row.width, row.height
            masks[drawing.image_id] = draw_labels(
                outlines[drawing.id], row.objects, plan.recipe.classes, size_wh
            )
    return masks


def _list_boxes(objects: Iterable[AnnotatedObject]) -> dict[str, Box]:
    return {item.key: item.box for item in objects}


def _mask_split(image: PlannedImage) -> str:
    """The set whose list of Segmentation has the image."""
    splits = image.form.splits if image.form else {}
    return splits.get(tree.SEGMENTATION, image.split)


def _mask_path(image: PlannedImage) -> str:
    name = f"{_SEGMENTATION}_{_mask_split(image)}_cls/{image.public_id}.png"
    return f"{PEOPLE_RESULTS}/Segmentation/{name}"


def format_people(plan: ReleasePlan) -> dict[str, bytes]:
    """The results of the method people by path, but for masks; nothing where none are to be shown.

    A blind release has none: they would tell what it holds back.
    """
    facts = plan.facts.get("people")
    if plan.is_blind or not facts:
        return {}
    answered = [image for image in plan.images if image.public_id in facts["images"]]
    masked = [image for image in plan.images if image.public_id in facts["masks"]]
    files: dict[str, str] = {}
    sets: dict[str, Any] = {}
    for name in TESTS:
        images = [image for image in answered if image.split == name]
        drawn = [image for image in masked if _mask_split(image) == name]
        if not images and not drawn:
            continue
        sets[name] = {
            "images": {
                image.public_id: facts["images"][image.public_id]["person"] for image in images
            },
            "masks": {image.public_id: facts["masks"][image.public_id] for image in drawn},
        }
        if images:
            files |= dict(_iterate_files(plan, name, images, facts["images"]))
    if not sets:
        return {}
    about = {"format": 1, "tree": f"VOC{plan.year}", "discarded": facts["discarded"], "sets": sets}
    files[PEOPLE_FILE] = json.dumps(about, indent=1) + "\n"
    return {f"{PEOPLE_RESULTS}/{path}": text.encode() for path, text in sorted(files.items())}


def _iterate_files(
    plan: ReleasePlan, set_name: str, images: Iterable[PlannedImage], answers: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """The results files of a set: presence and boxes of each class, actions of each action."""
    images = list(images)
    for class_name in plan.recipe.classes:
        presence: list[str] = []
        boxes: list[str] = []
        for image in images:
            objects = answers[image.public_id]["objects"]
            of_class = [item for item in objects if item["class"] == class_name]
            presence.append(f"{image.public_id} {int(bool(of_class))}\n")
            boxes += [
                f"{image.public_id} 1 {' '.join(map(str, item['box']))}\n" for item in of_class
            ]
        yield f"Main/{_CLASSIFICATION}_cls_{set_name}_{class_name}.txt", "".join(presence)
        yield f"Main/{_DETECTION}_det_{set_name}_{class_name}.txt", "".join(boxes)
    actions_of = _match_actions(plan, images, answers)
    if not actions_of:
        return
    for action in sorted(plan.recipe.actions):
        rows = [
            f"{image_id} {number} {int(action in actions)}\n"
            for (image_id, number), actions in actions_of.items()
        ]
        yield f"Action/{_ACTION}_action_{set_name}_{action}.txt", "".join(rows)


def _match_actions(
    plan: ReleasePlan, images: Iterable[PlannedImage], answers: Mapping[str, Any]
) -> dict[tuple[str, int], list[str]]:
    """What the second annotator said of each person that Action lists and that they drew too."""
    actions: dict[tuple[str, int], list[str]] = {}
    for image in images:
        persons = defaultdict[str, list[Any]](list)
        for item in answers[image.public_id]["objects"]:
            persons[item["class"]].append(item)
        objects = plan.record(image).objects
        for number in find_sets(plan, image).get(tree.ACTION, ()):
            asked = objects[number - 1]
            drawn = persons[asked.name]
            place = find_same_object(asked.box, [item["box"] for item in drawn])
            if place is not None:
                actions[image.public_id, number] = drawn[place]["actions"]
    return actions
