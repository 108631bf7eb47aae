"""How two releases differ: images, objects and fields added, changed and withdrawn. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from catalog.annotated import AnnotatedObject
from export.plan import PlannedImage, ReleasePlan

_NOT_FIELDS = ("key", "number")
ADDED, REMOVED, CHANGED = "added", "removed", "changed"


@dataclass(frozen=True)
class Change:
    """One field that the later release has otherwise; of an object its number there, else None.

    `was` or `is_now` is None where the object or the field is not there.
    """

    image_id: str
    object_number: int | None
    what: str
    field: str
    was: Any
    is_now: Any

    def __str__(self) -> str:
        """The change in one line."""
        where = self.image_id
        if self.object_number is not None:
            where += f", object {self.object_number}"
        if self.field == "object":
            return f"{where}: {self.is_now or self.was} {self.what}"
        return f"{where}: {self.field} was {self.was}, is {self.is_now}"


@dataclass(frozen=True)
class Difference:
    """What is in the later release and not in the earlier one, the other way round, and otherwise.

    `withdrawn` are the images taken down meanwhile, `left_out` those that are simply not in the
    later one.
    """

    added: tuple[str, ...]
    withdrawn: tuple[str, ...]
    left_out: tuple[str, ...]
    changes: tuple[Change, ...]


def compare_releases(earlier: ReleasePlan, later: ReleasePlan) -> Difference:
    """The difference of two releases; images are the same where their catalogue rows are."""
    before = {image.row.id: image for image in earlier.images}
    after = {image.row.id: image for image in later.images}
    changes = [
        change
        for image_id, image in before.items()
        if image_id in after
        for change in _compare_images(image, after[image_id])
    ]
    return Difference(
        added=_names(after, before),
        withdrawn=earlier.withdrawn,
        left_out=_names(before, after),
        changes=tuple(changes),
    )


def _names(some: Mapping[int, PlannedImage], others: Mapping[int, PlannedImage]) -> tuple[str, ...]:
    return tuple(sorted(image.public_id for key, image in some.items() if key not in others))


def _compare_images(earlier: PlannedImage, later: PlannedImage) -> Iterator[Change]:
    name = later.public_id
    for field, attribute in (("id", "public_id"), ("set", "split"), ("sha256", "jpeg_sha256")):
        was, is_now = getattr(earlier, attribute), getattr(later, attribute)
        if was != is_now:
            yield Change(name, None, CHANGED, field, str(was), str(is_now))
    before = {item.key: item for item in earlier.row.objects}
    after = {item.key: item for item in later.row.objects}
    for number, item in enumerate(later.row.objects, start=1):
        if item.key not in before:
            yield Change(name, number, ADDED, "object", None, item.class_name)
        else:
            yield from _compare_objects(name, number, before[item.key], item)
    for number, item in enumerate(earlier.row.objects, start=1):
        if item.key not in after:
            yield Change(name, number, REMOVED, "object", item.class_name, None)


def _compare_objects(
    name: str, number: int, earlier: AnnotatedObject, later: AnnotatedObject
) -> Iterator[Change]:
    for field in fields(AnnotatedObject):
        was, is_now = getattr(earlier, field.name), getattr(later, field.name)
        if field.name not in _NOT_FIELDS and was != is_now:
            yield Change(name, number, CHANGED, field.name, _plain(was), _plain(is_now))


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    if hasattr(value, "xyxy"):
        return list(value.xyxy)
    if isinstance(value, tuple):
        return [_plain(it) for it in value]
    return {"name": value.name, "box": _plain(value.box)} if hasattr(value, "box") else value
