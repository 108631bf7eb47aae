"""What of an annotation file is read otherwise than it says, so that releases can hold it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.box import Box, clamp
from catalog.states import View
from export.recipe import DEPTH, UNKNOWN
from vockit.format import records
from vockit.format.read import EXCLUSIVE_ACTION, PERSON_PARTS
from vockit.format.text import fit_text
from vockit.format.tree import PERSON
from vockit.verify.trees import is_release_folder

from .tree_image import TreeImage, object_key

NOT_SAID = "Unknown"
"""For a source that the file does not name; other programs write it too."""
CORRECTED_RULES = frozenset(
    {
        "actions",
        "actions-in-all",
        "box-inside",
        "box-order",
        "integer",
        "part-count",
        "point-in-all",
        "point-inside",
        "pose",
    }
)
"""Rules of the reader whose breaches are reported with the new value."""


class UncorrectableError(Exception):
    """A record or picture says something that nothing in the catalogue can stand for."""


def normalise(
    image: TreeImage, record: records.VocImage, year: int, *, is_canonical: bool
) -> records.VocImage:
    """The record with a folder, source and objects that a release of that year can have."""
    if record.folder is None or not is_release_folder(record.folder, year):
        folder = f"VOC{year}"
        image.tell("folder", f"<folder> said {_show(record.folder)} and became {folder}")
        record = replace(record, folder=folder)
    if is_canonical:
        return record
    source = _settle_source(image, record.source)
    owner = _settle_owner(image, record.owner)
    objects = _settle_actions(image, _settle_parts(image, record.objects))
    if len({item.point is None for item in objects}) > 1:
        image.tell("point-in-all", "its points are left out: not all objects have one")
        objects = tuple(replace(item, point=None) for item in objects)
    return replace(record, source=source, owner=owner, objects=objects)


def _settle_source(image: TreeImage, source: records.VocSource | None) -> records.VocSource:
    """The source with a text in each tag; Flickr's id alone may be missing."""
    texts = asdict(source or records.VocSource())
    for tag, text in texts.items():
        texts[tag] = _text(image, "source", tag, text)
        if tag != "flickrid" and texts[tag] is None:
            texts[tag] = NOT_SAID
            if text is None:
                image.tell("source", f"<{tag}> was missing and became {NOT_SAID}")
    return records.VocSource(**texts)


def _settle_owner(image: TreeImage, owner: records.VocOwner | None) -> records.VocOwner | None:
    if owner is None:
        return None
    flickrid = _text(image, "owner", "flickrid", owner.flickrid) or UNKNOWN
    return records.VocOwner(flickrid, _text(image, "owner", "name", owner.name) or UNKNOWN)


def _settle_parts(
    image: TreeImage, objects: Sequence[records.VocObject]
) -> tuple[records.VocObject, ...]:
    """The objects, people with no more parts of a name than a person has."""
    settled = list[records.VocObject]()
    for number, item in enumerate(objects, start=1):
        if item.name != PERSON:
            settled.append(item)
            continue
        parts, counts = list[records.VocPart](), Counter[str]()
        for part in item.parts:
            counts[part.name] += 1
            if counts[part.name] <= PERSON_PARTS.get(part.name, len(item.parts)):
                parts.append(part)
                continue
            message = f"a {part.name} of object {number} is left out: a person has no more of them"
            image.tell("part-count", message, number)
        settled.append(replace(item, parts=tuple(parts)))
    return tuple(settled)


def fit(
    image: TreeImage,
    record: records.VocImage,
    size_wh: tuple[int, int],
    views: Sequence[str] = tuple(View),
) -> records.VocImage:
    """The record with boxes in a picture of that size and poses of `views`.

    Raises UncorrectableError.
    """
    objects = tuple(
        _fit_object(image, item, number, size_wh, views)
        for number, item in enumerate(record.objects, start=1)
    )
    return replace(record, size=records.VocSize(*size_wh, DEPTH), objects=objects)


def _fit_object(
    image: TreeImage,
    item: records.VocObject,
    number: int,
    size_wh: tuple[int, int],
    views: Sequence[str],
) -> records.VocObject:
    """The object with a view of the party's, and with point, parts and box inside the picture."""
    what = f"object {number}"
    pose, point = item.pose, item.point
    if pose is not None:
        pose = _fit_pose(image, pose, number, views)
    if point is not None:
        point = _fit_point(image, point, number, size_wh)
    parts = [
        records.VocPart(
            part.name, _box(image, part.box, size_wh, number, f"the {part.name} of {what}")
        )
        for part in item.parts
    ]
    box = _box(image, item.box, size_wh, number, what)
    return replace(item, box=box, pose=pose, parts=tuple(parts), point=point)


def _fit_pose(image: TreeImage, pose: str, number: int, views: Sequence[str]) -> str:
    """The view that the pose names in any case of letters, else Unspecified."""
    same = (str(view) for view in views if view.casefold() == pose.casefold())
    view = next(same, View.UNSPECIFIED.value)
    if view != pose:
        image.tell("pose", f"the pose of object {number}, {pose[:60]!r}, became {view}", number)
    return view


def _fit_point(
    image: TreeImage, point: records.VocPoint, number: int, size_wh: tuple[int, int]
) -> records.VocPoint:
    """The nearest pixel of the picture."""
    xy = point.x, point.y
    pixel = tuple(min(max(_whole(value), 1), most) for value, most in zip(xy, size_wh, strict=True))
    _compare(image, "point", f"the point of object {number}", xy, pixel, number)
    return records.VocPoint(*pixel)


def _text(image: TreeImage, parent: str, tag: str, text: str | None) -> str | None:
    fitting = None if text is None else fit_text(text)
    if fitting != text:
        image.tell(parent, f"<{tag}> said {_show(text)} and became {_show(fitting)}")
    return fitting or None


def _settle_actions(
    image: TreeImage, objects: tuple[records.VocObject, ...]
) -> tuple[records.VocObject, ...]:
    """The kit reads actions in all objects of a file or in none."""
    if all(item.actions is None for item in objects):
        return objects
    names = sorted({action.name for item in objects for action in item.actions or ()})
    settled = []
    for number, item in enumerate(objects, start=1):
        performed = {action.name for action in item.actions or () if action.is_performed}
        if EXCLUSIVE_ACTION in performed and len(performed) > 1:
            performed.discard(EXCLUSIVE_ACTION)
            message = f"object {number} does not perform {EXCLUSIVE_ACTION!r}: it does another"
            image.tell("actions", message, number)
        if item.actions is None:
            message = f"object {number} got <actions>, of which it performs none"
            image.tell("actions-in-all", message, number)
        actions = tuple(records.VocAction(name, name in performed) for name in names)
        settled.append(replace(item, actions=actions))
    return tuple(settled)


def _box(
    image: TreeImage, box: records.VocBox, size_wh: tuple[int, int], number: int, what: str
) -> records.VocBox:
    """The box in whole pixels inside the image; a file may count from 0 or swap two ends."""
    given = (box.xmin, box.ymin, box.xmax, box.ymax)
    (width, height), what = size_wh, f"the box of {what}"
    left, right = sorted((_whole(box.xmin), _whole(box.xmax)))
    top, bottom = sorted((_whole(box.ymin), _whole(box.ymax)))
    if right < 1 or bottom < 1 or left > width or top > height:
        raise UncorrectableError(
            f"{what} ({_list(given)}) lies outside the {width} x {height} pixels of the image"
        )
    made = clamp((left, top, right, bottom), width, height).xyxy
    _compare(image, "box", what, given, made, number)
    return records.VocBox(*made)


def _compare(
    image: TreeImage,
    rule: str,
    what: str,
    given: Sequence[records.Number],
    made: Sequence[int],
    number: int,
) -> None:
    if tuple(given) != tuple(made):
        image.tell(rule, f"{what} was {_list(given)} and became {_list(made)}", number)


def _show(text: str | None) -> str:
    return "nothing" if text is None else repr(text[:60])


def make_objects(record: records.VocImage) -> tuple[AnnotatedObject, ...]:
    """The objects of a corrected record, keyed by their numbers."""
    return tuple(
        AnnotatedObject(
            number=number,
            key=object_key(number),
            class_name=item.name,
            box=_make_box(item.box),
            view=item.pose or View.UNSPECIFIED.value,
            truncated=bool(item.truncated),
            occluded=bool(item.occluded),
            difficult=bool(item.difficult),
            actions=tuple(
                sorted({action.name for action in item.actions or () if action.is_performed})
            ),
            point_xy=(int(item.point.x), int(item.point.y)) if item.point else None,
            parts=tuple([AnnotatedPart(part.name, _make_box(part.box)) for part in item.parts]),
        )
        for number, item in enumerate(record.objects, start=1)
    )


def _make_box(box: records.VocBox) -> Box:
    return Box(int(box.xmin), int(box.ymin), int(box.xmax), int(box.ymax))


def _whole(number: records.Number) -> int:
    """The nearest whole number; of two, the larger."""
    return number if isinstance(number, int) else math.floor(number + 0.5)


def _list(numbers: Sequence[records.Number]) -> str:
    return ", ".join(str(number) for number in numbers)
