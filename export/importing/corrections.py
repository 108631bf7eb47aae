"""What of an annotation file is read otherwise than it says, so that releases can hold it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace

from catalog.annotated import AnnotatedObject, AnnotatedPart
from catalog.box import Box
from catalog.states import View
from export.forms import DEPTH, UNKNOWN
from vockit.foreign.corrections import describe_size, fit_record
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
        parts = list[records.VocPart]()
        counts = Counter[str]()
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
        replace(item, pose=item.pose and _fit_pose(image, item.pose, number, views))
        for number, item in enumerate(record.objects, start=1)
    )
    said = record.size
    record = replace(record, size=records.VocSize(*size_wh, DEPTH), objects=objects)
    fitted, changes = fit_record(record, size_wh, is_whole=True)
    if said is not None and (said.width, said.height) != size_wh:
        image.tell("size", describe_size(said, size_wh))
    for change in changes:
        image.tell(change.rule, change.message, change.number)
    return fitted


def _fit_pose(image: TreeImage, pose: str, number: int, views: Sequence[str]) -> str:
    """The view that the pose names in any case of letters, else Unspecified."""
    same = (str(view) for view in views if view.casefold() == pose.casefold())
    view = next(same, View.UNSPECIFIED.value)
    if view != pose:
        image.tell("pose", f"the pose of object {number}, {pose[:60]!r}, became {view}", number)
    return view


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
