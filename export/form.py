"""How the annotation file of an image is written, and why an image can have none.

An image that was annotated here follows the release's settings. An imported image keeps the order
of elements, the source and the sets of its tree; one that was taken over from an earlier release
keeps its bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from pydantic import TypeAdapter

from catalog.annotated import AnnotatedObject
from catalog.preset import AnnotationStyle
from catalog.states import Source, Split
from voc.records import (
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
from voc.text import fit_text

from .recipe import FLAGS, FLICKR, Recipe
from .rows import ImageRow, PhotoRow

DEPTH = 3
UNKNOWN = "?"
"""What the release of 2007 has for an owner who is not known."""
SOURCES_OF_FLICKR = (Source.FLICKR, Source.VOC)  # an earlier VOC release took its own from there
FLICKR_PHOTO = "https://www.flickr.com/photo.gne?id="
"""What an imported photo's page begins with; its Flickr id follows."""


@dataclass(frozen=True)
class FileForm:
    """What an annotation file says beyond the objects, and which sets list the image.

    `flags` and `has_pose` have an entry for each object, or one for all. `sets` gives for each
    folder of sets that lists the image the numbers of the objects that it lists, and `splits` the
    set of each folder where that is not the image's own. `masks` are the digests of the image's
    segmentation masks, by their folders; `is_segmented` is what the file says of them. `is_blind`
    says that there was no file, because the makers of the tree hold the annotation back.
    """

    style: AnnotationStyle
    folder: str
    source: VocSource
    owner: VocOwner | None = None
    flags: tuple[tuple[str, ...], ...] = ()
    has_pose: tuple[bool, ...] = ()
    actions: tuple[str, ...] | None = None
    has_points: bool = False
    omits_parts: bool = False
    sets: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    splits: Mapping[str, Split] = field(default_factory=dict)
    masks: Mapping[str, str] = field(default_factory=dict)
    is_segmented: bool = False
    is_blind: bool = False

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them, without those that say nothing."""
        values = {it.name: getattr(self, it.name) for it in fields(self)}
        values["source"] = asdict(self.source)
        values["owner"] = None if self.owner is None else asdict(self.owner)
        return {key: value for key, value in values.items() if value not in (None, (), {}, False)}

    def flags_of(self, place: int) -> tuple[str, ...]:
        """Which flags the file has of the object at that place, from 0."""
        return tuple(_of_object(self.flags, place))

    def make_record(self, row: ImageRow, public_id: str) -> VocImage:
        """What the image's annotation file says; a withdrawn photo's owner is named no more."""
        owner = self.owner
        if owner is not None and not row.photos:
            owner = VocOwner(UNKNOWN, UNKNOWN)
        return VocImage(
            filename=f"{public_id}.jpg",
            folder=self.folder,
            source=self.source,
            owner=owner,
            size=VocSize(row.width, row.height, DEPTH),
            segmented=self.is_segmented,
            objects=tuple([self._object(place, item) for place, item in enumerate(row.objects)]),
        )

    def _object(self, place: int, item: AnnotatedObject) -> VocObject:
        flags = self.flags_of(place)
        parts = () if self.omits_parts else item.parts
        actions = self.actions
        return VocObject(
            name=item.class_name,
            box=VocBox(*item.box.xyxy),
            pose=item.view.value if _of_object(self.has_pose, place) else None,
            truncated=item.truncated if "truncated" in flags else None,
            occluded=item.occluded if "occluded" in flags else None,
            difficult=item.difficult if "difficult" in flags else None,
            parts=tuple([VocPart(part.name, VocBox(*part.box.xyxy)) for part in parts]),
            actions=None
            if actions is None
            else tuple([VocAction(name, name in item.actions) for name in actions]),
            point=VocPoint(*item.point_xy) if self.has_points and item.point_xy else None,
        )


FORMS = TypeAdapter(FileForm)
"""Reads the forms that `to_json` gave."""


def make_own_form(row: ImageRow, recipe: Recipe, year: int) -> FileForm:
    """The form of an image that was annotated here.

    Actions and points stand in a file only where every object has them, since the kit reads them in
    all objects of a file or in none; they are in the files of 2009 and later only. Owner and
    flickrid are in files of 2007 only.
    """
    is_2007 = recipe.style is AnnotationStyle.VOC2007
    photo, objects = row.photos[0] if row.photos else None, row.objects
    has_actions = bool(recipe.actions) and all(item.actions for item in objects)
    return FileForm(
        style=recipe.style,
        folder=f"VOC{year}",
        source=_source(photo, recipe, has_flickrid=is_2007),
        owner=_owner(photo) if is_2007 else None,
        flags=(recipe.flags,),
        has_pose=(True,),
        actions=tuple(sorted(recipe.actions)) if has_actions else None,
        has_points=recipe.style is AnnotationStyle.VOC2012 and all(it.point_xy for it in objects),
        omits_parts=not recipe.parts,
    )


def make_form(
    record: VocImage,
    style: AnnotationStyle,
    sets: Mapping[str, tuple[int, ...]],
    *,
    splits: Mapping[str, Split] | None = None,
    masks: Mapping[str, str] | None = None,
) -> FileForm:
    """The form of a file that says what the record says."""
    objects = record.objects
    actions = objects[0].actions if objects else None
    return FileForm(
        style=style,
        folder=record.folder or "",
        source=record.source or VocSource(),
        owner=record.owner,
        flags=_same([_flags(item) for item in objects]),
        has_pose=_same([item.pose is not None for item in objects]),
        actions=None if actions is None else tuple([action.name for action in actions]),
        has_points=any(item.point is not None for item in objects),
        sets=sets,
        splits=splits or {},
        masks=masks or {},
        is_segmented=bool(record.segmented),
    )


def is_blind_form(values: Mapping[str, Any] | None) -> bool:
    """Whether `to_json` gave these values of such a form."""
    return values is not None and bool(values.get("is_blind"))


def find_fault(row: ImageRow, recipe: Recipe) -> str | None:
    """Why the image cannot be in a release, in a few words; None where it can."""
    return next(_find_faults(row, recipe), None)


def _find_faults(row: ImageRow, recipe: Recipe) -> Iterator[str]:
    if not row.is_accepted:
        yield "no checker accepted its newest revision"
    if not row.objects:
        yield "it has no object, and the development kit cannot read an annotation without any"
    for number, item in enumerate(row.objects, start=1):
        if item.class_name not in recipe.classes:
            yield f"the class {item.class_name!r} of object {number} is not in the preset"
        if recipe.actions and not set(item.actions) <= set(recipe.actions):
            yield f"an action of object {number} is not in the preset"
        if recipe.parts and not {part.name for part in item.parts} <= set(recipe.parts):
            yield f"a part of object {number} is not in the preset"
        boxes = (item.box, *(part.box for part in item.parts))
        if not all(box.is_inside(row.width, row.height) for box in boxes):
            yield f"a box of object {number} leaves the image of {row.width} x {row.height}"
        x, y = item.point_xy or (1, 1)
        if not (1 <= x <= row.width and 1 <= y <= row.height):
            yield f"the point of object {number} is not in the image"


def _source(photo: PhotoRow | None, recipe: Recipe, *, has_flickrid: bool) -> VocSource:
    image = recipe.image
    if photo is not None and photo.source not in SOURCES_OF_FLICKR and image == FLICKR:
        image = photo.source.value
    flickrid = fit_text(_find_flickrid(photo)) if has_flickrid else None
    return VocSource(recipe.database, recipe.annotation, image, flickrid or None)


def _find_flickrid(photo: PhotoRow | None) -> str:
    """Flickr's id of the photo, which an imported photo has in its page's address; or nothing."""
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


def _of_object(values: Sequence[Any], place: int) -> Any:
    return values[place] if len(values) > 1 else values[0]


def _same(values: list[Any]) -> tuple[Any, ...]:
    return tuple(values[:1]) if len(set(values)) == 1 else tuple(values)


def _flags(item: VocObject) -> tuple[str, ...]:
    return tuple(flag for flag in FLAGS if getattr(item, flag) is not None)
