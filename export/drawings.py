"""The masks of a release, made of drawings that a checker accepted, and outlines of masks.

Void is derived, never drawn: the pixels within half of `[export] void_width_px` of a border between
two labels, and the whole of difficult objects and void regions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject, list_changed_keys
from catalog.party import Party
from catalog.states import SegmentState
from catalog.tables import Person, Segment, Segmentation, SegmentationReview, SegmentChoice
from vockit.foreign.tree_files import MASK_FOLDERS
from vockit.format import tree
from vockit.format.image_sets import SETS
from vockit.format.masks import VOID, Labels, format_mask, read_mask
from vockit.format.rings import Outline, fill, trace, unpack_rings
from vockit.verify.masks import check_objects

from .plan import LeftOut, PlannedImage, ReleasePlan, has_masks
from .recipe import FileForm
from .rows import DrawingRow, PersonRow, ReviewRow, iterate_rows, load_objects
from .tree_files import Put, find_sets


def freeze_form(plan: ReleasePlan, image: PlannedImage) -> FileForm:
    """The form that gives the image the same files in another release."""
    return image.form or FileForm(plan.recipe.style, plan.record(image), find_sets(plan, image))


def add_masks(
    session: Session, plan: ReleasePlan, party: Party, put: Put, fixed: Collection[int] = ()
) -> ReleasePlan:
    """The plan with masks of checked drawings, new but for `fixed`; `unmasked` cannot be had."""
    choice, ids = SegmentChoice, [it.row.id for it in plan.images if not it.is_blind]
    chosen = select(choice.image_id, Segmentation.id, Segmentation.annotation_id)
    chosen = chosen.join(Segmentation, Segmentation.id == choice.segmentation_id)
    chosen = chosen.where(choice.state == SegmentState.CHECKED)
    rows = iterate_rows(session, chosen, choice.image_id, ids)
    checked = {image_id: (key, revision) for image_id, key, revision in rows}
    shown = {it.form.segmentation_id for it in plan.images if it.form}
    wanted = {
        it.row.id: drawing
        for it in plan.images
        if (drawing := checked.get(it.row.id)) is not None
        and not (has_masks(it) and (it.row.id in fixed or drawing[0] in shown))
    }
    outlines = _load_outlines(session, (key for key, _ in wanted.values()))
    refined = load_objects(session, (revision for _, revision in wanted.values()))
    width_px, recipe = party.settings.export.void_width_px, plan.recipe
    images, unmasked = list[PlannedImage](), list[LeftOut]()
    for image in plan.images:
        images.append(image)
        if image.row.id not in wanted:
            continue
        key, revision = wanted[image.row.id]
        made = _make_masks(plan, image, outlines[key], refined[revision], width_px)
        if isinstance(made, str):
            unmasked.append(LeftOut(image.row.id, made))
            continue
        masks = {folder: put(data) for folder, data in made.items()}
        form = freeze_form(plan, image)
        record, sets = replace(form.record, segmented=True), dict(form.sets)
        sets[tree.SEGMENTATION] = ()
        form = replace(form, record=record, sets=sets, masks=masks, segmentation_id=key)
        images[-1] = replace(image, form=form)
    if recipe.lists and len(unmasked) < len(wanted):
        lists = {*recipe.lists, *(tree.set_path(tree.SEGMENTATION, name) for name in SETS)}
        recipe = replace(recipe, lists=tuple(sorted(lists)))
    drawings = load_drawings(session, images)
    return replace(
        plan, recipe=recipe, images=tuple(images), unmasked=tuple(unmasked), drawings=drawings
    )


def load_drawings(session: Session, images: Iterable[PlannedImage]) -> dict[int, DrawingRow]:
    """By their ids the drawings of which the masks of these images were made."""
    ids = {it.form.segmentation_id or 0 for it in images if it.form} - {0}
    who = Person.name, Person.is_simulated
    made = SegmentationReview.segmentation_id, SegmentationReview.fixed_segmentation_id
    judged = select(SegmentationReview.id, *who, SegmentationReview.verdict, *made)
    judged = judged.add_columns(SegmentationReview.created_at).order_by(SegmentationReview.id)
    judged = judged.join(Person, Person.id == SegmentationReview.person_id)
    reviews = defaultdict[int, list[ReviewRow]](list)
    for column in made:
        for key, name, is_simulated, verdict, of, fixed, at in iterate_rows(
            session, judged, column, ids
        ):
            row = ReviewRow(key, of, PersonRow(name, is_simulated), verdict, fixed, at)
            reviews[fixed if column is made[1] else of].append(row)
    took = select(Segment.segmentation_id, Segment.object_key, Segment.drawn_secs, Segment.inputs)
    efforts = defaultdict[int, dict[str, tuple[float, float]]](dict)
    for of, key, secs, inputs in iterate_rows(session, took, Segment.segmentation_id, ids):
        efforts[of] |= {key: (secs, inputs)} if key and inputs else {}
    columns = Segmentation.id, Segmentation.annotation_id, Segmentation.created_at, *who
    found = select(*columns).join(Person, Person.id == Segmentation.person_id)
    return {
        key: DrawingRow(key, revision, PersonRow(*person), at, tuple(reviews[key]), efforts[key])
        for key, revision, at, *person in iterate_rows(session, found, Segmentation.id, ids)
    }


def _load_outlines(session: Session, ids: Iterable[int]) -> dict[int, list[Outline]]:
    """The outlines of these drawings, in the order in which they were saved."""
    columns = Segment.segmentation_id, Segment.object_key, Segment.depth, Segment.rings
    found: dict[int, list[Outline]] = defaultdict(list)
    statement = select(*columns).order_by(Segment.id)
    for key, of, depth, rings in iterate_rows(session, statement, Segment.segmentation_id, ids):
        found[key].append(Outline(of, depth, unpack_rings(rings)))
    return found


def _make_masks(
    plan: ReleasePlan,
    image: PlannedImage,
    outlines: Iterable[Outline],
    before: Iterable[AnnotatedObject],
    void_width_px: int,
) -> dict[str, bytes] | str:
    """The mask files by their folders, or why there are none; objects were drawn as `before`."""
    row, classes = image.row, plan.recipe.classes
    for count, what in ((len(row.objects), "objects"), (len(classes), "classes")):
        if count >= VOID:
            return f"there are {count} {what}, and masks have labels for {VOID - 1}"
    boxes = ({it.key: it.box for it in some} for some in (before, row.objects))
    changed = list_changed_keys(*boxes)
    for number, item in enumerate(row.objects, start=1):
        if not item.difficult and item.key in changed:
            return f"the box of object {number} ({item.class_name}) changed since it was drawn"
    made = make_masks(outlines, row.objects, classes, (row.width, row.height), void_width_px)
    folder = tree.SEGMENTATION_OBJECT
    found = check_objects(folder, read_mask(made[folder]), plan.record(image).objects)
    return next((it.message for it in found if not it.is_warning), made)


def make_masks(
    outlines: Iterable[Outline],
    objects: Sequence[AnnotatedObject],
    classes: Sequence[str],
    size_wh: tuple[int, int],
    void_width_px: int,
) -> dict[str, bytes]:
    """The two mask files by their folders; label k is the k-th object, or its class."""
    numbers = {it.key: number for number, it in enumerate(objects, start=1)}
    labels = np.zeros(size_wh[::-1], np.uint16)
    known = [it for it in outlines if it.object_key is None or it.object_key in numbers]
    ordered = sorted(known, key=lambda it: it.depth)
    for region, outline in enumerate(ordered, start=VOID + 1):  # each void region has its label
        inside = fill(outline.rings, *size_wh)
        labels[inside] = region if outline.object_key is None else numbers[outline.object_key]
    is_border = derive_void(labels, void_width_px)
    shown = np.full((2, VOID + 1 + len(ordered)), VOID, np.uint8)
    shown[:, 0] = 0
    for number, item in enumerate(objects, start=1):
        if not item.difficult:
            shown[:, number] = classes.index(item.class_name) + 1, number
    masks = np.where(is_border, VOID, shown[:, labels]).astype(np.uint8)
    return dict(zip(MASK_FOLDERS, map(format_mask, masks), strict=True))


def derive_void(labels: NDArray[np.integer[Any]], width_px: int) -> NDArray[np.bool_]:
    """The pixels whose centre lies within half of `width_px` of a border between two labels.

    Of a pixel dx, dy away as a square: max(2|dx| - 1, 0)² + max(2|dy| - 1, 0)² <= width_px².
    """
    reach = (width_px + 1) // 2
    squares = np.maximum(2 * np.abs(np.arange(-reach, reach + 1)) - 1, 0) ** 2
    is_near = (np.add.outer(squares, squares) <= width_px**2).astype(np.uint8)
    numbers = labels.astype(np.uint16)  # of which OpenCV takes extremes
    return np.not_equal(cv2.erode(numbers, is_near), cv2.dilate(numbers, is_near))


def find_outlines(labels: Labels, keys: Sequence[str]) -> list[Outline]:
    """The outlines of an object mask, as people edit them; thick void is a void region."""
    is_void = labels == VOID
    away_px, nearest = cv2.distanceTransformWithLabels(
        is_void.astype(np.uint8), cv2.DIST_L2, maskSize=5, labelType=cv2.DIST_LABEL_PIXEL
    )
    # void farther than 3 px from all labels is no border: those of VOC are 5 px wide
    _, parts = cv2.connectedComponents((away_px > 3).astype(np.uint8))
    is_large = np.bincount(parts.ravel()) >= 4  # smaller ones are corners where borders meet
    is_large[0] = False
    of_nearest = np.append(np.uint8(VOID), labels[~is_void])  # counted from 1, row by row
    own = np.where(is_large[parts], VOID, of_nearest[nearest])
    numbered = [*zip(keys, range(1, VOID), strict=False), (None, VOID)]
    found = set(np.unique(own).tolist())
    return [Outline(key, n % VOID, trace(own == n)) for key, n in numbered if n in found]
