"""What checkers changed, object by object and field by field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from catalog.box import overlap

from .subjects import CheckedObject

MOVED_OVERLAP = 0.9
"""A box that the checker's overlaps by less was off; what is nearer is the hand's trembling."""


class Slip(StrEnum):
    """What was wrong, by field; missed and extra are about the object itself."""

    MISSED = "missed"
    EXTRA = "extra"
    CLASS = "class"
    BOX = "box"
    VIEW = "view"
    TRUNCATED = "truncated"
    OCCLUDED = "occluded"
    ACTIONS = "actions"
    PARTS = "parts"


@dataclass(frozen=True)
class CheckedWork:
    """What an author first submitted of an image, and what checking settled on."""

    image_id: int
    author_id: int
    checker_id: int
    saved_at: datetime
    drawn: tuple[CheckedObject, ...]
    mended: tuple[CheckedObject, ...]


@dataclass(frozen=True)
class SlipAt:
    """One slip on one object; `class_name` is what it should have been, or was for an extra one."""

    slip: Slip
    class_name: str
    before: str | None = None
    after: str | None = None


def find_slips(work: CheckedWork) -> list[SlipAt]:
    """Every difference between what was drawn and what the checker made of it.

    Objects are told by their keys, which stay from revision to revision.
    """
    drawn = {item.key: item for item in work.drawn}
    mended = {item.key: item for item in work.mended}
    slips = [
        SlipAt(Slip.EXTRA, item.class_name) for key, item in drawn.items() if key not in mended
    ]
    for key, after in mended.items():
        before = drawn.get(key)
        if before is None:
            slips.append(SlipAt(Slip.MISSED, after.class_name))
        else:
            slips += _compare(before, after)
    return slips


def _compare(before: CheckedObject, after: CheckedObject) -> Iterator[SlipAt]:
    name = after.class_name
    if before.class_name != name:
        yield SlipAt(Slip.CLASS, name, before.class_name, name)
    if overlap(before.box, after.box) < MOVED_OVERLAP:
        yield SlipAt(Slip.BOX, name, _show(before.box.xyxy), _show(after.box.xyxy))
    if before.view is not after.view:
        yield SlipAt(Slip.VIEW, name, before.view.value, after.view.value)
    for slip in (Slip.TRUNCATED, Slip.OCCLUDED):
        said, should = getattr(before, slip.value), getattr(after, slip.value)
        if said is not should:
            yield SlipAt(slip, name, str(int(said)), str(int(should)))
    if set(before.actions) != set(after.actions):
        words = (", ".join(sorted(before.actions)), ", ".join(sorted(after.actions)))
        yield SlipAt(Slip.ACTIONS, name, *words)
    if before.parts != after.parts:
        yield SlipAt(Slip.PARTS, name)


def _show(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
