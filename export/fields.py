"""For each field of a release's annotation files: of how many objects a person decided it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from catalog.annotated import AnnotatedObject
from catalog.origins import ObjectOrigin
from catalog.states import View
from vockit.format.records import VocObject

from .plan import PlannedImage, ReleasePlan, has_masks, is_labelled
from .recipe import FLAGS
from .rows import RevisionRow

Judged = Mapping[str, Any]
"""A Judgement of accompanying_files/facts.py as JSON has it."""
_FIELDS = ("view", *FLAGS, "parts", "actions", "point", "mask")
_OF_CLASSES = ("parts", "point")
"""Fields that an object may lack although its class has them."""


@dataclass(frozen=True)
class FieldCount:
    """How many objects have a field of the annotation files, and for how many a person decided it.

    `objects` have the field. It is `decided` for an object if a person gave a value or a checker
    judged that object by itself; difficult, if it was set here or an organiser judged the object.
    `imported` counts objects that have the field as an imported tree had it, undecided since: all
    in an image that nobody changed, those with another than the initial value in a changed one,
    since a tree may have had no value. Of objects that came with labels of another tool it counts
    those whose file states the field. For the others, the field has its initial value.
    """

    name: str
    decided: int
    imported: int
    objects: int

    @property
    def undecided(self) -> int:
        """The objects whose value nobody gave or confirmed."""
        return self.objects - self.decided - self.imported


@dataclass(frozen=True)
class _ShownObject:
    """An object of a file, with its number in it and what people said of the annotation.

    `now` is the object in the released revision, and `before` in the one that came with a tree, if
    any. `is_drawn` says whether people drew what the masks show of the object: otherwise these came
    with the tree too, or show it as void.
    """

    item: VocObject
    number: int
    judged: Judged
    now: AnnotatedObject
    before: AnnotatedObject | None
    is_masked: bool
    is_drawn: bool
    origin: ObjectOrigin | None

    def has(self, field: str) -> bool:
        """Whether the file says anything of the field."""
        if field == "mask":
            return self.is_masked
        name = "pose" if field == "view" else field
        return getattr(self.item, name) not in (None, ())

    def is_set(self, field: str) -> bool:
        """Whether the value is another one than an object begins with."""
        if field == "view":
            return self.item.pose not in (None, "", View.UNSPECIFIED.value)
        if field == "actions":
            return any(action.is_performed for action in self.item.actions or ())
        if field in FLAGS:
            return bool(getattr(self.item, field))
        return self.has(field)

    def is_decided(self, field: str) -> bool:
        """Whether a person gave the value here, or confirmed it."""
        if field == "mask":
            return self.is_drawn
        if field == "difficult" and self.now.group_of:
            return self.before is None or not self.before.group_of
        judged_numbers = self.judged.get("difficult" if field == "difficult" else "judged", ())
        return self.number in judged_numbers or self.is_given(field)

    def is_given(self, field: str) -> bool:
        """Whether the value is another one than the object had before people saw it."""
        if self.before is None:
            return self.is_set(field)
        name = "point_xy" if field == "point" else field
        return bool(getattr(self.now, name) != getattr(self.before, name))

    def is_imported(self, field: str) -> bool:
        """Whether nobody decided the value, and it came with a tree or with labels."""
        if self.before is None or self.is_decided(field):
            return False
        if self.origin is not None and field != "mask":
            return field in self.origin.stated
        return self.judged.get("tree") is not None or self.is_set(field)


def count_fields(
    plan: ReleasePlan, judgements: Mapping[str, Judged] | None = None
) -> tuple[FieldCount, ...]:
    """The fields that any file of the release has, in the order of the files.

    The judgements are those that the release recorded, unless others are given.
    """
    if judgements is None:
        judgements = plan.facts.get("judgements", {})
    shown = list(_iterate_objects(plan, judgements))
    return tuple(count for count in map(partial(_count_field, shown), _FIELDS) if count.objects)


def _iterate_objects(plan: ReleasePlan, judgements: Mapping[str, Judged]) -> Iterator[_ShownObject]:
    for image in plan.annotated:
        judged = judgements.get(image.public_id, {})
        brought = _find_brought(image, judged)
        objects = brought.objects if brought is not None else ()
        before = {item.key: item for item in objects}
        is_drawn = _is_drawn(plan, image, brought)
        shown = zip(plan.records[image.public_id].objects, image.row.objects, strict=True)
        for number, (item, now) in enumerate(shown, start=1):
            yield _ShownObject(
                item=item,
                number=number,
                judged=judged,
                now=now,
                before=before.get(now.key),
                is_masked=has_masks(image),
                is_drawn=is_drawn and is_labelled(image, item),
                origin=image.row.origins.get(now.key),
            )


def _find_brought(image: PlannedImage, judged: Judged) -> RevisionRow | None:
    """The revision that came with a tree, of those that the released one grew from."""
    brought_id = judged.get("brought")
    return next((row for row in image.row.revisions if row.id == brought_id), None)


def _is_drawn(plan: ReleasePlan, image: PlannedImage, brought: RevisionRow | None) -> bool:
    """Whether people drew the masks of the image."""
    drawing = plan.find_drawing(image)
    if drawing is None:
        return False
    return brought is None or drawing.person != brought.person


def _count_field(shown: list[_ShownObject], field: str) -> FieldCount:
    having = [item for item in shown if item.has(field)]
    if field in _OF_CLASSES:  # an object of the class without them is one of the objects as well
        classes = {item.item.name for item in having}
        having = [item for item in shown if item.item.name in classes]
    decided = sum(item.is_decided(field) for item in having)
    imported = sum(item.is_imported(field) for item in having)
    return FieldCount(field, decided, imported, len(having))
