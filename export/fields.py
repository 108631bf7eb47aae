"""For each field of a release's annotation files: of how many objects a person decided it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from catalog.states import View
from vockit.format.records import VocObject

from .plan import PlannedImage, ReleasePlan, has_masks
from .recipe import FLAGS, import_name

Judged = Mapping[str, Any]
"""A Judgement of accompanying_files/facts.py as JSON has it."""
_FIELDS = ("view", *FLAGS, "parts", "actions", "point", "mask")
_OF_CLASSES = ("parts", "point")
"""Fields that an object may lack although its class has them."""


@dataclass(frozen=True)
class FieldCount:
    """How many objects have a field of the annotation files, and for how many a person decided it.

    `objects` have the field. It is `decided` for an object if a person gave a value or a checker
    judged that object by itself; difficult, if it is set or an organiser judged the object.
    `imported` counts objects of an imported tree whose field nobody decided since. For the others,
    the field has its initial value.
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
    """An object of a file, with its number in it and what people said of the annotation."""

    item: VocObject
    number: int
    judged: Judged
    is_masked: bool
    is_drawn: bool
    """By people, not with an imported tree."""

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
            return self.is_drawn and not self.item.difficult
        judged_numbers = self.judged.get("difficult" if field == "difficult" else "judged", ())
        return self.number in judged_numbers or (not self.is_imported() and self.is_set(field))

    def is_imported(self) -> bool:
        """Whether the object is as it came with a tree."""
        return self.judged.get("tree") is not None


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
        for number, item in enumerate(plan.records[image.public_id].objects, start=1):
            yield _ShownObject(
                item=item,
                number=number,
                judged=judged,
                is_masked=has_masks(image),
                is_drawn=_is_drawn(plan, image, judged),
            )


def _is_drawn(plan: ReleasePlan, image: PlannedImage, judged: Judged) -> bool:
    """Whether people drew the masks of the image."""
    drawing = plan.drawings.get((image.form and image.form.segmentation_id) or 0)
    return drawing is not None and drawing.person.name != import_name(judged.get("tree") or "")


def _count_field(shown: list[_ShownObject], field: str) -> FieldCount:
    having = [item for item in shown if item.has(field)]
    if field in _OF_CLASSES:  # an object of the class without them is one of the objects as well
        classes = {item.item.name for item in having}
        having = [item for item in shown if item.item.name in classes]
    decided = sum(item.is_decided(field) for item in having)
    imported = sum(item.is_imported() and not item.is_decided(field) for item in having)
    return FieldCount(field, decided, imported, len(having))
