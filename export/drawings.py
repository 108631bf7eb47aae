"""The masks of a release, made of drawings that a checker accepted, and outlines of masks.

Void is derived, never drawn: the pixels within half of `[export] void_width_px` of a border between
two labels, void regions, and difficult objects unless `difficult_masks` has them labelled.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import AnnotatedObject, list_changed_keys
from catalog.group_limits import refuse_masks
from catalog.party import Party
from catalog.settings import ExportSettings
from catalog.states import SegmentState
from catalog.suggested import Detector, SuggestedObject
from catalog.tables import (
    Person,
    Segment,
    Segmentation,
    SegmentationReview,
    SegmentChoice,
    SuggestionSet,
)
from vockit.foreign.tree_files import MASK_FOLDERS
from vockit.format import tree
from vockit.format.image_sets import SETS, Split
from vockit.format.masks import VOID, Labels, format_mask, read_mask
from vockit.format.rings import Outline, fill, trace, unpack_rings
from vockit.verify.masks import check_objects

from .forms import FileForm
from .loading import iterate_rows, load_objects
from .plan import LeftOut, PlannedImage, ReleasePlan, has_masks
from .recipe import Recipe
from .rows import DrawingRow, PersonRow, ReviewRow
from .tree_files import Put, find_sets


def freeze_form(plan: ReleasePlan, image: PlannedImage) -> FileForm:
    """The form that gives the image the same files in another release."""
    return image.form or FileForm(
        style=plan.recipe.style,
        record=plan.record(image),
        sets=find_sets(plan, image),
        asked=plan.asked(image),
    )


@dataclass(frozen=True)
class _CheckedDrawing:
    """The drawing of an image that passed checking, and the revision that was drawn."""

    id: int
    annotation_id: int


def add_masks(
    session: Session, plan: ReleasePlan, party: Party, put: Put, fixed: Collection[int] = ()
) -> ReleasePlan:
    """The plan with masks of checked drawings, new but for `fixed`; `unmasked` cannot be had."""
    shown = (image.row.id for image in plan.images if not image.is_blind)
    wanted = _choose_drawings(plan, _load_checked_drawings(session, shown), fixed)
    if wanted:
        refuse_masks(party.preset)
    outlines = load_outlines(session, (drawing.id for drawing in wanted.values()))
    objects_of = load_objects(session, (drawing.annotation_id for drawing in wanted.values()))
    settings = party.settings.export
    images = list[PlannedImage]()
    unmasked = list[LeftOut]()
    for image in plan.images:
        drawing = wanted.get(image.row.id)
        if drawing is None:
            images.append(image)
            continue
        drawn = objects_of[drawing.annotation_id]
        masks = _make_masks(plan, image, outlines[drawing.id], drawn, settings)
        if isinstance(masks, str):
            unmasked.append(LeftOut(image.row.id, masks))
            images.append(image)
        else:
            digests = {folder: put(data) for folder, data in masks.items()}
            images.append(_with_masks(plan, image, drawing.id, digests, settings))
    has_new = len(unmasked) < len(wanted)
    return replace(
        plan,
        recipe=_list_segmentation(plan.recipe) if has_new else plan.recipe,
        images=tuple(images),
        unmasked=tuple(unmasked),
        drawings=load_drawings(session, images),
    )


def load_drawn_ids(session: Session, image_ids: Iterable[int]) -> set[int]:
    """The ids of those of these images of which a drawing passed checking."""
    return set(_load_checked_drawings(session, image_ids))


def _load_checked_drawings(
    session: Session, image_ids: Iterable[int]
) -> dict[int, _CheckedDrawing]:
    """The drawing that passed checking of each image that has one."""
    chosen = select(SegmentChoice.image_id, Segmentation.id, Segmentation.annotation_id)
    chosen = chosen.join(Segmentation, Segmentation.id == SegmentChoice.segmentation_id)
    chosen = chosen.where(SegmentChoice.state == SegmentState.CHECKED)
    return {
        image_id: _CheckedDrawing(drawing_id, annotation_id)
        for image_id, drawing_id, annotation_id in iterate_rows(
            session, chosen, SegmentChoice.image_id, image_ids
        )
    }


def _choose_drawings(
    plan: ReleasePlan, checked: Mapping[int, _CheckedDrawing], fixed: Collection[int]
) -> dict[int, _CheckedDrawing]:
    """The drawings of which masks are to be made, by image ids.

    Masks of `fixed` images stay, and so do those that were made of the same drawing.
    """
    shown = {image.form.segmentation_id for image in plan.images if image.form}
    wanted = dict[int, _CheckedDrawing]()
    for image in plan.images:
        image_id = image.row.id
        if image_id not in checked:
            continue
        if has_masks(image) and (image_id in fixed or checked[image_id].id in shown):
            continue
        wanted[image_id] = checked[image_id]
    return wanted


def _with_masks(
    plan: ReleasePlan,
    image: PlannedImage,
    drawing_id: int,
    digests: Mapping[str, str],
    settings: ExportSettings,
) -> PlannedImage:
    """The image with these mask files, in the lists of segmentation."""
    form = freeze_form(plan, image)
    form = replace(
        form,
        record=replace(form.record, segmented=True),
        sets={**form.sets, tree.SEGMENTATION: ()},
        masks=digests,
        segmentation_id=drawing_id,
        labels_difficult=_labels_difficult(settings),
    )
    return replace(image, form=form)


def _list_segmentation(recipe: Recipe) -> Recipe:
    """The recipe with the lists of segmentation, where it names its lists."""
    if not recipe.lists:
        return recipe
    has_test2 = tree.set_path(tree.MAIN, Split.TEST2) in recipe.lists
    names = (name for name in SETS if name != Split.TEST2 or has_test2)
    more = {tree.set_path(tree.SEGMENTATION, name) for name in names}
    return replace(recipe, lists=tuple(sorted({*recipe.lists, *more})))


def load_drawings(session: Session, images: Iterable[PlannedImage]) -> dict[int, DrawingRow]:
    """By their ids the drawings of which the masks of these images were made."""
    ids = {image.form.segmentation_id or 0 for image in images if image.form} - {0}
    reviews = _load_drawing_reviews(session, ids)
    efforts = _load_efforts(session, ids)
    outlined = _load_outlined(session, ids)
    drawn = select(
        Segmentation.id,
        Segmentation.annotation_id,
        Segmentation.created_at,
        Person.name,
        Person.is_simulated,
    ).join(Person, Person.id == Segmentation.person_id)
    return {
        key: DrawingRow(
            id=key,
            annotation_id=annotation_id,
            person=PersonRow(*person),
            saved_at=saved_at,
            reviews=tuple(reviews[key]),
            efforts=efforts[key],
            outlined=outlined[key],
        )
        for key, annotation_id, saved_at, *person in iterate_rows(
            session, drawn, Segmentation.id, ids
        )
    }


def _load_drawing_reviews(session: Session, ids: Collection[int]) -> dict[int, list[ReviewRow]]:
    """The reviews of each drawing, and those that a checker fixed with it."""
    judged = SegmentationReview.segmentation_id
    fixed = SegmentationReview.fixed_segmentation_id
    statement = (
        select(
            SegmentationReview.id,
            SegmentationReview.verdict,
            SegmentationReview.created_at,
            Person.name,
            Person.is_simulated,
            judged.label("judged_id"),
            fixed.label("fixed_id"),
        )
        .join(Person, Person.id == SegmentationReview.person_id)
        .where(SegmentationReview.set_aside_at.is_(None))
        .order_by(SegmentationReview.id)
    )
    reviews = defaultdict[int, list[ReviewRow]](list)
    for column, label in ((judged, "judged_id"), (fixed, "fixed_id")):
        for row in iterate_rows(session, statement, column, ids):
            review = ReviewRow(
                id=row.id,
                annotation_id=row.judged_id,
                person=PersonRow(row.name, row.is_simulated),
                verdict=row.verdict,
                fixed_annotation_id=row.fixed_id,
                reviewed_at=row.created_at,
            )
            reviews[getattr(row, label)].append(review)
    return reviews


def _load_efforts(
    session: Session, ids: Collection[int]
) -> dict[int, dict[str, tuple[float, float]]]:
    """For each drawing the seconds and inputs that its objects took, by object key."""
    columns = Segment.segmentation_id, Segment.object_key, Segment.drawn_secs, Segment.inputs
    efforts = defaultdict[int, dict[str, tuple[float, float]]](dict)
    for drawing_id, object_key, secs, inputs in iterate_rows(
        session, select(*columns), Segment.segmentation_id, ids
    ):
        if object_key and inputs:
            efforts[drawing_id][object_key] = (secs, inputs)
    return efforts


def _load_outlined(session: Session, ids: Collection[int]) -> dict[int, dict[str, SuggestedObject]]:
    """For each drawing the outlines of models that were accepted or corrected, by object key."""
    columns = (getattr(SuggestionSet, name) for name in Detector._fields)
    statement = (
        select(Segment.segmentation_id, Segment.object_key, Segment.suggested, *columns)
        .join(SuggestionSet, SuggestionSet.id == Segment.suggestion_set_id)
        .where(Segment.object_key.is_not(None))
    )
    outlined = defaultdict[int, dict[str, SuggestedObject]](dict)
    for drawing_id, key, made, *detector in iterate_rows(
        session, statement, Segment.segmentation_id, ids
    ):
        outlined[drawing_id][key] = SuggestedObject(made, Detector(*detector))
    return outlined


def load_outlines(session: Session, ids: Iterable[int]) -> dict[int, list[Outline]]:
    """The outlines of these drawings, in the order in which they were saved."""
    columns = Segment.segmentation_id, Segment.object_key, Segment.depth, Segment.rings
    outlines: dict[int, list[Outline]] = defaultdict(list)
    statement = select(*columns).order_by(Segment.id)
    for drawing_id, object_key, depth, rings in iterate_rows(
        session, statement, Segment.segmentation_id, ids
    ):
        outlines[drawing_id].append(Outline(object_key, depth, unpack_rings(rings)))
    return outlines


def _make_masks(
    plan: ReleasePlan,
    image: PlannedImage,
    outlines: Iterable[Outline],
    before: Iterable[AnnotatedObject],
    settings: ExportSettings,
) -> dict[str, bytes] | str:
    """The mask files by their folders, or why there are none; objects were drawn as `before`."""
    row = image.row
    classes = plan.recipe.classes
    for count, what in ((len(row.objects), "objects"), (len(classes), "classes")):
        if count >= VOID:
            return f"there are {count} {what}, and masks have labels for {VOID - 1}"
    boxes = ({item.key: item.box for item in some} for some in (before, row.objects))
    changed = list_changed_keys(*boxes)
    for number, item in enumerate(row.objects, start=1):
        if _is_labelled(item, settings) and item.key in changed:
            return f"the box of object {number} ({item.class_name}) changed since it was drawn"
    masks = make_masks(outlines, row.objects, classes, (row.width, row.height), settings)
    folder = tree.SEGMENTATION_OBJECT
    violations = check_objects(folder, read_mask(masks[folder]), plan.record(image).objects)
    return next((violation.message for violation in violations if not violation.is_warning), masks)


def make_masks(
    outlines: Iterable[Outline],
    objects: Sequence[AnnotatedObject],
    classes: Sequence[str],
    size_wh: tuple[int, int],
    settings: ExportSettings,
) -> dict[str, bytes]:
    """The two mask files by their folders; label k is the k-th object, or its class."""
    labels = _fill_outlines(outlines, objects, size_wh)
    is_border = derive_void(labels, settings.void_width_px)
    shown = np.full((2, max(VOID, int(labels.max())) + 1), VOID, np.uint8)
    shown[:, 0] = 0
    for number, item in enumerate(objects, start=1):
        if _is_labelled(item, settings):
            shown[:, number] = classes.index(item.class_name) + 1, number
    masks = np.where(is_border, VOID, shown[:, labels]).astype(np.uint8)
    return dict(zip(MASK_FOLDERS, map(format_mask, masks), strict=True))


def draw_labels(
    outlines: Iterable[Outline],
    objects: Sequence[AnnotatedObject],
    classes: Sequence[str],
    size_wh: tuple[int, int],
) -> Labels:
    """The class of each pixel as it was drawn, without void: 0 is background and void regions."""
    labels = _fill_outlines(outlines, objects, size_wh)
    class_of = np.zeros(max(VOID, int(labels.max())) + 1, np.uint8)
    for number, item in enumerate(objects, start=1):
        class_of[number] = classes.index(item.class_name) + 1
    return class_of[labels]


def _fill_outlines(
    outlines: Iterable[Outline], objects: Sequence[AnnotatedObject], size_wh: tuple[int, int]
) -> NDArray[np.uint16]:
    """The number of the object of each pixel, 0 of none; each void region has a label over VOID."""
    numbers = {item.key: number for number, item in enumerate(objects, start=1)}
    labels = np.zeros(size_wh[::-1], np.uint16)
    known = [
        outline
        for outline in outlines
        if outline.object_key is None or outline.object_key in numbers
    ]
    ordered = sorted(known, key=lambda outline: outline.depth)
    for region, outline in enumerate(ordered, start=VOID + 1):
        inside = fill(outline.rings, *size_wh)
        labels[inside] = region if outline.object_key is None else numbers[outline.object_key]
    return labels


def _is_labelled(item: AnnotatedObject, settings: ExportSettings) -> bool:
    """Whether the pixels of an object carry its label."""
    return not item.difficult or _labels_difficult(settings)


def _labels_difficult(settings: ExportSettings) -> bool:
    return settings.difficult_masks == "labelled"


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
    label_map = np.where(is_large[parts], VOID, of_nearest[nearest])
    numbered = [*zip(keys, range(1, VOID), strict=False), (None, VOID)]
    labels_seen = set(np.unique(label_map).tolist())
    return [
        Outline(key, n % VOID, trace(label_map == n)) for key, n in numbered if n in labels_seen
    ]
