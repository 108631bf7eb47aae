"""The masks of a release, made of the drawings that a checker accepted.

An image with masks has a form of its own (form.py) with the digests of both files, so that every
later export gives the same bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.annotated import list_changed_keys
from catalog.party import Party
from catalog.rings import unpack_rings
from catalog.states import SegmentState
from catalog.tables import Person, Segment, Segmentation, SegmentationReview, SegmentChoice
from voc import tree
from voc.image_sets import SETS
from voc.masks import VOID

from .form import FileForm
from .plan import LeftOut, PlannedImage, ReleasePlan, has_masks
from .rows import DrawingRow, PersonRow, ReviewRow, iterate_rows, load_objects
from .segmentation import Outline, make_masks
from .tree_files import find_sets

Put = Callable[[bytes], str]
"""Stores bytes and returns their digest."""


def freeze_form(plan: ReleasePlan, image: PlannedImage) -> PlannedImage:
    """The image with the form that gives it the same files in another release."""
    if image.form is not None:
        return image
    form = FileForm(plan.recipe.style, plan.record(image), find_sets(plan, image))
    return replace(image, form=form)


def add_masks(
    session: Session, plan: ReleasePlan, party: Party, put: Put, fixed: Collection[int] = ()
) -> ReleasePlan:
    """The plan with masks of every image whose drawing was checked; `put` keeps the files.

    Masks are made anew where the drawing is another one by now, but of the images `fixed`. The
    plan's `unmasked` are images whose drawing cannot be released.
    """
    checked = _load_checked(session, [it.row.id for it in plan.images if not it.is_blind])
    outlines = load_outlines(session, (key for key, _ in checked.values()))
    refined = load_objects(session, (revision for _, revision in checked.values()))
    images, unmasked = list[PlannedImage](), list[LeftOut]()
    for image in plan.images:
        key, revision = checked.get(image.row.id, (None, 0))
        is_other = image.form is not None and image.form.segmentation_id != key
        is_fixed = not is_other or image.row.id in fixed
        if key is None or (has_masks(image) and is_fixed):
            images.append(image)
            continue
        boxes = ({it.key: it.box for it in some} for some in (refined[revision], image.row.objects))
        if fault := _find_fault(image, outlines[key], list_changed_keys(*boxes)):
            unmasked.append(LeftOut(image.row.id, fault))
            images.append(image)
            continue
        row, classes = image.row, plan.recipe.classes
        width_px = party.settings.export.void_width_px
        made = make_masks(outlines[key], row.objects, classes, (row.width, row.height), width_px)
        masks = {folder: put(data) for folder, data in made.items()}
        images.append(_mask(plan, image, masks, key))
    lists = plan.recipe.lists
    if lists and any(tree.SEGMENTATION in it.form.sets for it in images if it.form):
        lists = tuple(sorted({*lists, *(tree.set_path(tree.SEGMENTATION, it) for it in SETS)}))
    recipe = replace(plan.recipe, lists=lists)
    drawings = load_drawings(session, images)
    return replace(
        plan, recipe=recipe, images=tuple(images), unmasked=tuple(unmasked), drawings=drawings
    )


def load_drawings(session: Session, images: Iterable[PlannedImage]) -> dict[int, DrawingRow]:
    """By their ids the drawings of which the masks of these images were made."""
    ids = {it.form.segmentation_id or 0 for it in images if it.form} - {0}
    who = Person.name, Person.is_simulated
    made = SegmentationReview.segmentation_id, SegmentationReview.mended_segmentation_id
    judged = select(SegmentationReview.id, *who, SegmentationReview.verdict, *made)
    judged = judged.add_columns(SegmentationReview.created_at).order_by(SegmentationReview.id)
    judged = judged.join(Person, Person.id == SegmentationReview.person_id)
    reviews = defaultdict[int, list[ReviewRow]](list)
    for column in made:
        for key, name, is_simulated, verdict, of, mended, at in iterate_rows(
            session, judged, column, ids
        ):
            row = ReviewRow(key, of, PersonRow(name, is_simulated), verdict, mended, at)
            reviews[mended if column is made[1] else of].append(row)
    columns = Segmentation.id, Segmentation.annotation_id, Segmentation.created_at, *who
    found = select(*columns).join(Person, Person.id == Segmentation.person_id)
    return {
        key: DrawingRow(key, revision, PersonRow(*person), at, tuple(reviews[key]))
        for key, revision, at, *person in iterate_rows(session, found, Segmentation.id, ids)
    }


def _load_checked(session: Session, image_ids: Iterable[int]) -> dict[int, tuple[int, int]]:
    """By image its checked drawing and the box revision that this refines."""
    columns = SegmentChoice.image_id, Segmentation.id, Segmentation.annotation_id
    found = select(*columns).join(Segmentation, Segmentation.id == SegmentChoice.segmentation_id)
    found = found.where(SegmentChoice.state == SegmentState.CHECKED)
    rows = iterate_rows(session, found, SegmentChoice.image_id, image_ids)
    return {image_id: (key, revision) for image_id, key, revision in rows}


def load_outlines(session: Session, ids: Iterable[int]) -> Mapping[int, Sequence[Outline]]:
    """The outlines of these drawings, in the order in which they were saved."""
    columns = Segment.segmentation_id, Segment.object_key, Segment.depth, Segment.rings
    found: dict[int, list[Outline]] = defaultdict(list)
    statement = select(*columns).order_by(Segment.id)
    for key, of, depth, rings in iterate_rows(session, statement, Segment.segmentation_id, ids):
        found[key].append(Outline(of, depth, unpack_rings(rings)))
    return found


def _find_fault(
    image: PlannedImage, outlines: Iterable[Outline], changed: Sequence[str]
) -> str | None:
    """Why the drawing cannot be released, in a few words."""
    drawn = {it.object_key for it in outlines if it.rings}
    objects = enumerate(image.row.objects, start=1)
    if len(image.row.objects) >= VOID:
        return f"it has {len(image.row.objects)} objects, and masks have labels for {VOID - 1}"
    wanted = [(number, it) for number, it in objects if not it.difficult]
    for number, item in wanted:
        if item.key in changed:
            return f"the box of object {number} ({item.class_name}) changed since it was drawn"
        if item.key not in drawn:
            return f"object {number} ({item.class_name}) has no pixels"
    return None


def _mask(
    plan: ReleasePlan, image: PlannedImage, masks: Mapping[str, str], key: int
) -> PlannedImage:
    image = freeze_form(plan, image)
    assert image.form is not None
    form = image.form
    form = replace(
        form,
        record=replace(form.record, segmented=True),
        sets={**form.sets, tree.SEGMENTATION: ()},
        masks=masks,
        segmentation_id=key,
    )
    return replace(image, form=form)
