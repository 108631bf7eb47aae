"""How two releases differ: images, objects and fields added, changed and withdrawn. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from catalog.annotated import AnnotatedObject

from .plan import PlannedImage, ReleasePlan

_NOT_FIELDS = ("key", "number")


@dataclass(frozen=True)
class Change:
    """One field that the later release has otherwise; None is what is not there."""

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
        if self.field in ("object", "masks"):
            return f"{where}: {self.is_now or self.was} {self.what}"
        return f"{where}: {self.field} was {self.was}, is {self.is_now}"


@dataclass(frozen=True)
class Difference:
    """What is only in the later release, was taken down, is only in the earlier, or differs."""

    added: tuple[str, ...]
    withdrawn: tuple[str, ...]
    left_out: tuple[str, ...]
    changes: tuple[Change, ...]


def compare_releases(earlier: ReleasePlan, later: ReleasePlan) -> Difference:
    """The difference of two releases; images are the same where their catalogue rows are."""
    before = {image.row.id: image for image in earlier.images}
    after = {image.row.id: image for image in later.images}
    both = [key for key in before if key in after]
    return Difference(
        added=tuple(sorted(it.public_id for key, it in after.items() if key not in before)),
        withdrawn=earlier.withdrawn,
        left_out=tuple(sorted(it.public_id for key, it in before.items() if key not in after)),
        changes=tuple(it for key in both for it in _compare_images(before[key], after[key])),
    )


def _compare_images(earlier: PlannedImage, later: PlannedImage) -> Iterator[Change]:
    name = later.public_id
    for field, attribute in (("id", "public_id"), ("set", "split"), ("sha256", "jpeg_sha256")):
        was, is_now = str(getattr(earlier, attribute)), str(getattr(later, attribute))
        if was != is_now:
            yield Change(name, None, "changed", field, was, is_now)
    masks = [it.form.masks if it.form else {} for it in (earlier, later)]
    if masks[0] != masks[1]:
        words = ["masks" if it else None for it in masks]
        what = "changed" if all(words) else "added" if words[1] else "removed"
        yield Change(name, None, what, "masks", *words)
    before = {item.key: item for item in earlier.row.objects}
    for number, item in enumerate(later.row.objects, start=1):
        former = before.pop(item.key, None)
        if former is None:
            yield Change(name, number, "added", "object", None, item.class_name)
            continue
        for field in (it.name for it in fields(AnnotatedObject) if it.name not in _NOT_FIELDS):
            pair = [_plain(getattr(it, field)) for it in (former, item)]
            if pair[0] != pair[1]:
                yield Change(name, number, "changed", field, *pair)
    for number, item in enumerate(earlier.row.objects, start=1):
        if item.key in before:
            yield Change(name, number, "removed", "object", item.class_name, None)


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    if hasattr(value, "xyxy"):
        return list(value.xyxy)
    if isinstance(value, tuple):
        return [_plain(it) for it in value]
    return {"name": value.name, "box": _plain(value.box)} if hasattr(value, "box") else value
