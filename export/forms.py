"""How the files of an image are written: as an import or a release froze them, or by the recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from catalog.annotated import AnnotatedObject
from catalog.preset import AnnotationStyle
from catalog.states import Source, Taster
from vockit.format import records, tree
from vockit.format.image_sets import Split
from vockit.format.text import fit_text

from .recipe import FLAGS_OF, FLICKR, Recipe
from .rows import FLICKR_PAGE, ImageRow, PhotoRow

DEPTH = 3
UNKNOWN = "?"
"""What the release of 2007 has for an owner who is not known."""
SOURCES_OF_FLICKR = (Source.FLICKR, Source.VOC)  # an earlier VOC release took its own from there
FLICKR_PHOTO = "https://www.flickr.com/photo.gne?id="
"""What an imported photo's page begins with; its Flickr id follows."""


@dataclass(frozen=True)
class FileForm:
    """The files of an image that was imported or taken over, frozen in a release."""

    style: AnnotationStyle
    record: records.VocImage
    sets: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # objects listed by folder
    splits: Mapping[str, Split] = field(default_factory=dict)  # where a folder has another set
    masks: Mapping[str, str] = field(default_factory=dict)  # digests by folder
    is_blind: bool = False  # the makers hold the annotation back
    segmentation_id: int | None = None
    labels_difficult: bool = False  # so do masks that were made here with that setting
    asked: tuple[str, ...] | None = None  # the classes that it was asked about, if not all

    def without_owner(self) -> records.VocImage:
        """The record, in which an owner is not named."""
        owner = self.record.owner and records.VocOwner(UNKNOWN, UNKNOWN)
        return replace(self.record, owner=owner)

    def without_masks(self) -> FileForm:
        """The same of an image whose masks do not show its objects any more."""
        sets = {
            folder: numbers for folder, numbers in self.sets.items() if folder != tree.SEGMENTATION
        }
        record = replace(self.record, segmented=False)
        return replace(
            self,
            record=record,
            sets=sets,
            masks={},
            segmentation_id=None,
            labels_difficult=False,
        )

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them, without defaults; qa reads `is_segmented` too."""
        values: dict[str, Any] = FORMS.dump_python(self, mode="json", exclude_defaults=True)
        return values | ({"is_segmented": True} if self.record.segmented else {})


FORMS = TypeAdapter(FileForm)


def make_record(row: ImageRow, recipe: Recipe, year: int, public_id: str) -> records.VocImage:
    """What the annotation file of an image says that was annotated here.

    A flag that the recipe has not is given where it is set. Actions and points are in a file only
    where every object has them, as the kit reads them in all or none; owner and flickrid in files
    of 2007 only.
    """
    is_2007 = recipe.style is AnnotationStyle.VOC2007
    photo = row.photos[0] if row.photos else None
    items = row.objects
    has_actions = bool(recipe.actions) and all(item.actions for item in items)
    has_points = recipe.style is AnnotationStyle.VOC2012 and all(item.point_xy for item in items)
    objects = [
        _make_object(item, recipe, has_actions=has_actions, has_points=has_points) for item in items
    ]
    source, flickrid = _find_source(photo, recipe)
    # never without, since the kit of 2007 wants the same children in all files of a set
    names = (photo.owner_id, photo.owner_name) if photo else ("", "")
    owner = records.VocOwner(*(fit_text(name or "") or UNKNOWN for name in names))
    return records.VocImage(
        filename=f"{public_id}.jpg",
        folder=f"VOC{year}",
        source=records.VocSource(
            recipe.database,
            recipe.annotation,
            source,
            flickrid=(fit_text(flickrid) or None) if is_2007 else None,
        ),
        owner=owner if is_2007 else None,
        size=records.VocSize(row.width, row.height, DEPTH),
        segmented=False,
        objects=tuple(objects),
    )


def _make_object(
    item: AnnotatedObject, recipe: Recipe, *, has_actions: bool, has_points: bool
) -> records.VocObject:
    other_flags = [flag for flag in FLAGS_OF[recipe.style] if flag not in recipe.flags]
    names = sorted(recipe.actions) if has_actions else ()
    actions = tuple(records.VocAction(name, name in item.actions) for name in names)
    parts = item.parts if recipe.parts else ()
    return records.VocObject(
        name=item.class_name,
        box=records.VocBox(*item.box.xyxy),
        pose=item.view,
        **{flag: getattr(item, flag) for flag in recipe.flags},
        **{flag: True for flag in other_flags if getattr(item, flag)},
        parts=tuple(records.VocPart(part.word, records.VocBox(*part.box.xyxy)) for part in parts),
        actions=actions if has_actions else None,
        point=records.VocPoint(*item.point_xy) if has_points and item.point_xy else None,
    )


def _find_source(photo: PhotoRow | None, recipe: Recipe) -> tuple[str, str]:
    """Where a photograph is from, by the recipe's word, and its number at Flickr; empty without."""
    if photo is None:
        return recipe.image, ""
    page = photo.page_url or ""
    of_flickr = FLICKR_PAGE.fullmatch(page) if photo.source is Source.TABLE else None
    is_flickrs = of_flickr is not None or photo.source in SOURCES_OF_FLICKR
    is_elsewhere = recipe.image == FLICKR and not is_flickrs
    source = photo.source.value if is_elsewhere else recipe.image
    if of_flickr is not None:
        return source, of_flickr[1]
    if photo.source is Source.FLICKR:
        return source, photo.source_id
    if page.startswith(FLICKR_PHOTO):  # an imported one
        return source, page.removeprefix(FLICKR_PHOTO)
    return source, ""


TASTER_FOLDERS = {Taster.LAYOUT: tree.LAYOUT, Taster.ACTION: tree.ACTION}
"""The folders whose lists alone name the images for one task."""


def list_chosen(row: ImageRow) -> dict[str, tuple[int, ...]]:
    """The folder that lists an image for one task, with the numbers of its people."""
    assert row.taster is not None
    people = (
        place for place, item in enumerate(row.objects, start=1) if item.class_name == tree.PERSON
    )
    return {TASTER_FOLDERS[row.taster]: tuple(people)}


def find_fault(row: ImageRow, recipe: Recipe) -> str | None:
    """The first reason why the image cannot be in a release; None where it can."""
    if not row.is_accepted:
        return "no checker accepted its newest revision"
    if not row.objects and not recipe.negatives:
        return "it has no object, and the development kit cannot read an annotation without any"
    if row.taster is not None and (fault := _find_taster_fault(row, recipe)):
        return fault
    for number, item in enumerate(row.objects, start=1):
        if item.class_name not in recipe.classes:
            return f"the class {item.class_name!r} of object {number} is not in the preset"
        if recipe.actions and not set(item.actions) <= set(recipe.actions):
            return f"an action of object {number} is not in the preset"
        if recipe.parts and not {part.word for part in item.parts} <= set(recipe.parts):
            return f"a part of object {number} is not in the preset"
        boxes = (item.box, *(part.box for part in item.parts))
        if not all(box.is_inside(row.width, row.height) for box in boxes):
            return f"a box of object {number} leaves the image of {row.width} x {row.height}"
        x, y = item.point_xy or (1, 1)
        if not (1 <= x <= row.width and 1 <= y <= row.height):
            return f"the point of object {number} is not in the image"
    return None


def _find_taster_fault(row: ImageRow, recipe: Recipe) -> str | None:
    """Why an image for one task cannot be in its lists: words or classes changed since."""
    assert row.taster is not None
    task = row.taster.title()
    if TASTER_FOLDERS[row.taster] not in recipe.tasks:
        return f"it is for {task} alone, and the preset has no such task any more"
    if not row.objects:
        return f"it is for {task} alone and has no person"
    for number, item in enumerate(row.objects, start=1):
        if item.class_name != tree.PERSON:
            return f"it is for {task} alone, and object {number} is no person"
        has_all = item.parts if row.taster is Taster.LAYOUT else item.actions and item.point_xy
        if not has_all:
            return f"it is for {task} alone, and person {number} has nothing that it needs"
    return None
