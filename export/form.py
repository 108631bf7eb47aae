"""How the files of one image were written, where the release's own settings do not say it.

An imported image keeps the order of elements, the source and the sets of its tree; one that was
taken over from an earlier release keeps its bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from itertools import product
from typing import Any

from pydantic import TypeAdapter

from catalog.preset import AnnotationStyle
from catalog.states import Split

from .rows import ImageRow, ObjectRow
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

UNKNOWN = "?"
"""What the release of 2007 has for an owner who is not known."""


@dataclass(frozen=True)
class FileForm:
    """What an annotation file says beyond the objects, and which sets list the image.

    `flags` and `has_pose` have an entry for each object, or one for all. `sets` gives for each
    folder of sets that lists the image the numbers of the objects that it lists, and `splits` the
    set of each folder where that is not the image's own. `masks` are the digests of the image's
    segmentation masks, by their folders; `is_segmented` is what the file says of them. `is_blind`
    says that there was no file, since whoever made the tree holds the annotation back.
    """

    style: AnnotationStyle
    folder: str
    source: VocSource
    owner: VocOwner | None = None
    flags: tuple[tuple[str, ...], ...] = ()
    has_pose: tuple[bool, ...] = ()
    actions: tuple[str, ...] | None = None
    has_points: bool = False
    sets: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    splits: Mapping[str, Split] = field(default_factory=dict)
    masks: Mapping[str, str] = field(default_factory=dict)
    is_segmented: bool = False
    is_blind: bool = False

    def to_json(self) -> dict[str, Any]:
        """The values as JSON has them, without those that say nothing."""
        values = {name: getattr(self, name) for name in _NAMES}
        values["source"] = {name: getattr(self.source, name) for name in _SOURCE_NAMES}
        values["owner"] = None if self.owner is None else asdict(self.owner)
        return {key: value for key, value in values.items() if value not in _NOTHING}

    def split_in(self, folder: str, own: Split) -> Split:
        """The image's set in a folder of sets; `own` is that of the release."""
        return self.splits.get(folder, own)

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
            size=VocSize(row.width, row.height, 3),
            segmented=self.is_segmented,
            objects=tuple(self._object(place, item) for place, item in enumerate(row.objects)),
        )

    def _object(self, place: int, item: ObjectRow) -> VocObject:
        flags = _of_object(self.flags, place)
        performed = set(item.actions)
        return VocObject(
            name=item.class_name,
            box=VocBox(*item.box.xyxy),
            pose=item.view.value if _of_object(self.has_pose, place) else None,
            truncated=item.truncated if "truncated" in flags else None,
            occluded=item.occluded if "occluded" in flags else None,
            difficult=item.difficult if "difficult" in flags else None,
            parts=tuple(VocPart(part.name, VocBox(*part.box.xyxy)) for part in item.parts),
            actions=None
            if self.actions is None
            else tuple(VocAction(name, name in performed) for name in self.actions),
            point=VocPoint(*item.point_xy) if self.has_points and item.point_xy else None,
        )


_NAMES = tuple(it.name for it in fields(FileForm))
_SOURCE_NAMES = tuple(it.name for it in fields(VocSource))
_NOTHING: tuple[object, ...] = (None, (), {}, False)


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


@lru_cache
def make_blind_form(style: AnnotationStyle) -> FileForm:
    """The form of an image of which a tree has the picture alone, in no set."""
    return FileForm(style, "", VocSource(), is_blind=True)


def is_blind_form(values: Mapping[str, Any] | None) -> bool:
    """Whether `to_json` gave these values of such a form."""
    return values is not None and bool(values.get("is_blind"))


def parse_form(values: Mapping[str, Any]) -> FileForm:
    """The form that `to_json` gave."""
    return _ADAPTER.validate_python(dict(values))


_ADAPTER = TypeAdapter(FileForm)


def _of_object(values: Sequence[Any], place: int) -> Any:
    return values[place] if len(values) > 1 else values[0]


def _same(values: list[Any]) -> tuple[Any, ...]:
    return tuple(values[:1]) if len(set(values)) == 1 else tuple(values)


def _flags(item: VocObject) -> tuple[str, ...]:
    return _FLAGS[item.truncated is None, item.occluded is None, item.difficult is None]


_FLAG_NAMES = ("truncated", "occluded", "difficult")
_FLAGS = {
    absent: tuple(
        name for name, is_absent in zip(_FLAG_NAMES, absent, strict=True) if not is_absent
    )
    for absent in product((False, True), repeat=3)
}
