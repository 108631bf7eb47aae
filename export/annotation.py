"""From an image's rows to the record of its annotation file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from catalog.preset import AnnotationStyle
from catalog.states import Source

from .form import UNKNOWN
from .recipe import FLICKR, Recipe
from .rows import ImageRow, ObjectRow, PhotoRow
from .voc.records import (
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocOwner,
    VocPart,
    VocPoint,
    VocSize,
    VocSource,
)
from .voc.text import fit_text

DEPTH = 3
_FLAGS = ("truncated", "occluded", "difficult")
SOURCES_OF_FLICKR = (Source.FLICKR, Source.VOC)  # an earlier VOC release took its own from there
FLICKR_PHOTO = "https://www.flickr.com/photo.gne?id="
"""What an imported photo's page begins with; its Flickr id follows."""


def find_fault(row: ImageRow, recipe: Recipe) -> str | None:
    """Why the image cannot be in a release, in a few words; None where it can."""
    return next(_find_faults(row, recipe), None)


def make_record(row: ImageRow, recipe: Recipe, public_id: str, year: int) -> VocImage:
    """What the annotation file of a faultless image says.

    Actions and points stand in a file only where every object has them, since the kit reads them in
    all objects of a file or in none; they are in the files of 2009 and later only. Owner and
    flickrid are in files of 2007 only.
    """
    is_2007 = recipe.style is AnnotationStyle.VOC2007
    photo = row.photos[0] if row.photos else None
    objects = row.objects
    has_actions = bool(recipe.actions) and all(item.actions for item in objects)
    has_points = recipe.style is AnnotationStyle.VOC2012 and all(it.point_xy for it in objects)
    flags = tuple(tag in recipe.flags for tag in _FLAGS)
    return VocImage(
        filename=f"{public_id}.jpg",
        folder=f"VOC{year}",
        source=_source(photo, recipe, has_flickrid=is_2007),
        owner=_owner(photo) if is_2007 else None,
        size=VocSize(row.width, row.height, DEPTH),
        segmented=False,
        objects=tuple([_object(it, recipe, flags, has_actions, has_points) for it in objects]),
    )


def _find_faults(row: ImageRow, recipe: Recipe) -> Iterator[str]:
    if not row.is_accepted:
        yield "no checker accepted its newest revision"
    if not row.objects:
        yield "it has no object, and the development kit cannot read an annotation without any"
    for number, item in enumerate(row.objects, start=1):
        if item.class_name not in recipe.classes:
            yield f"the class {item.class_name!r} of object {number} is not in the preset"
        if item.actions and recipe.actions and not set(item.actions) <= set(recipe.actions):
            yield f"an action of object {number} is not in the preset"
        parts = {part.name for part in item.parts} if item.parts and recipe.parts else ()
        if parts and not parts <= set(recipe.parts):
            yield f"a part of object {number} is not in the preset"
        boxes = (item.box, *[part.box for part in item.parts])
        if not all(box.is_inside(row.width, row.height) for box in boxes):
            yield f"a box of object {number} leaves the image of {row.width} x {row.height}"
        if item.point_xy is not None and not _is_inside(item.point_xy, row):
            yield f"the point of object {number} is not in the image"


def _is_inside(point_xy: tuple[int, int], row: ImageRow) -> bool:
    return 1 <= point_xy[0] <= row.width and 1 <= point_xy[1] <= row.height


def _source(photo: PhotoRow | None, recipe: Recipe, *, has_flickrid: bool) -> VocSource:
    image = recipe.image
    if photo is not None and photo.source not in SOURCES_OF_FLICKR and image == FLICKR:
        image = photo.source.value
    flickrid = fit_text(_find_flickrid(photo)) if has_flickrid else None
    return _make_source(recipe.database, recipe.annotation, image, flickrid or None)


_make_source = lru_cache(VocSource)
"""The same for all photos of one recipe, but in the style of 2007."""


def _find_flickrid(photo: PhotoRow | None) -> str:
    """Flickr's id of the photo, of which an earlier release may have told us; or nothing."""
    if photo is None:
        return ""
    if photo.source is Source.FLICKR:
        return photo.source_id
    page_url = photo.page_url or ""
    return page_url.removeprefix(FLICKR_PHOTO) if page_url.startswith(FLICKR_PHOTO) else ""


def _owner(photo: PhotoRow | None) -> VocOwner:
    """Never None, since the kit of 2007 wants the same children in all files of a set."""
    if photo is None:
        return VocOwner(UNKNOWN, UNKNOWN)
    owner_id, name = fit_text(photo.owner_id or ""), fit_text(photo.owner_name or "")
    return VocOwner(owner_id or UNKNOWN, name or UNKNOWN)


def _object(
    item: ObjectRow,
    recipe: Recipe,
    flags: tuple[bool, ...],
    has_actions: bool,
    has_points: bool,
) -> VocObject:
    truncated, occluded, difficult = flags
    box, actions = item.box, None
    if has_actions:
        actions = tuple(VocAction(name, name in item.actions) for name in sorted(recipe.actions))
    return VocObject(
        item.class_name,
        VocBox(box.xmin, box.ymin, box.xmax, box.ymax),
        item.view.value,
        item.truncated if truncated else None,
        item.occluded if occluded else None,
        item.difficult if difficult else None,
        _parts(item) if recipe.parts and item.parts else (),
        actions,
        VocPoint(*item.point_xy) if has_points and item.point_xy else None,
    )


def _parts(item: ObjectRow) -> tuple[VocPart, ...]:
    return tuple(VocPart(part.name, VocBox(*part.box.xyxy)) for part in item.parts)
