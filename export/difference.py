"""How two releases differ: images, objects, fields and facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from catalog.annotated import AnnotatedObject

from .notes import list_changed_facts
from .plan import PlannedImage, ReleasePlan


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


_COMPARED_FIELDS = tuple(
    field.name for field in fields(AnnotatedObject) if field.name not in ("key", "number")
)
PICTURE_FIELD = "sha256"
"""The field of a change of the picture's file; in an edition its metadata went."""


def count_corrected(corrections: Iterable[Mapping[str, Any]]) -> int:
    """How many images have a change of their annotation."""
    return len({change["image_id"] for change in corrections if change["field"] != PICTURE_FIELD})


@dataclass(frozen=True)
class Difference:
    """What is only in the later release, was taken down, is only in the earlier, or differs.

    `facts` are the keys of [release] that say something else.
    """

    added: tuple[str, ...]
    withdrawn: tuple[str, ...]
    left_out: tuple[str, ...]
    changes: tuple[Change, ...]
    facts: tuple[str, ...] = ()


def compare_releases(earlier: ReleasePlan, later: ReleasePlan) -> Difference:
    """The difference of two releases; images are the same where their catalogue rows are."""
    before = {image.row.id: image for image in earlier.images}
    after = {image.row.id: image for image in later.images}
    both = [key for key in before if key in after]
    return Difference(
        added=tuple(sorted(image.public_id for key, image in after.items() if key not in before)),
        withdrawn=earlier.withdrawn,
        left_out=tuple(
            sorted(image.public_id for key, image in before.items() if key not in after)
        ),
        changes=tuple(
            change for key in both for change in _compare_images(before[key], after[key])
        ),
        facts=list_changed_facts(earlier.notes.about, later.notes.about),
    )


def _compare_images(earlier: PlannedImage, later: PlannedImage) -> Iterator[Change]:
    name = later.public_id
    for field, attribute in (("id", "public_id"), ("set", "split"), (PICTURE_FIELD, "jpeg_sha256")):
        was = str(getattr(earlier, attribute))
        is_now = str(getattr(later, attribute))
        if was != is_now:
            yield Change(name, None, "changed", field, was, is_now)
    if earlier.is_blind or later.is_blind:  # of objects that are held back nothing is known
        was, is_now = ("held back" if image.is_blind else "shown" for image in (earlier, later))
        if was != is_now:
            yield Change(name, None, "changed", "annotation", was, is_now)
        return
    yield from _compare_masks(earlier, later)
    yield from _compare_objects(name, earlier.row.objects, later.row.objects)


def _compare_masks(earlier: PlannedImage, later: PlannedImage) -> Iterator[Change]:
    before, after = (image.form.masks if image.form else {} for image in (earlier, later))
    if before == after:
        return
    was, is_now = ("masks" if masks else None for masks in (before, after))
    what = "added" if was is None else "removed" if is_now is None else "changed"
    yield Change(later.public_id, None, what, "masks", was, is_now)


def _compare_objects(
    image_id: str, earlier: Sequence[AnnotatedObject], later: Sequence[AnnotatedObject]
) -> Iterator[Change]:
    """What changed of objects with one key; those that came, and those that went."""
    before = {item.key: item for item in earlier}
    for number, item in enumerate(later, start=1):
        former = before.pop(item.key, None)
        if former is None:
            yield Change(image_id, number, "added", "object", None, item.class_name)
            continue
        for field in _COMPARED_FIELDS:
            was = _plain(getattr(former, field))
            is_now = _plain(getattr(item, field))
            if was != is_now:
                yield Change(image_id, number, "changed", field, was, is_now)
    for number, item in enumerate(earlier, start=1):
        if item.key in before:
            yield Change(image_id, number, "removed", "object", item.class_name, None)


def _plain(value: Any) -> Any:
    """The value as JSON has it."""
    if hasattr(value, "xyxy"):
        return list(value.xyxy)
    if isinstance(value, tuple):
        return [_plain(member) for member in value]
    return {"name": value.word, "box": _plain(value.box)} if hasattr(value, "box") else value
