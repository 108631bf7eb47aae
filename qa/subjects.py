"""What the automatic checks look at: images and their objects as plain values, without SQL."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.box import Box
from catalog.states import View


@dataclass(frozen=True)
class CheckedPart:
    """A head, hand or foot with its box."""

    name: str
    box: Box


@dataclass(frozen=True)
class CheckedObject:
    """One object of a revision. `number` counts from 1; `key` stays from revision to revision."""

    number: int
    key: str
    class_name: str
    box: Box
    view: View = View.UNSPECIFIED
    truncated: bool = False
    occluded: bool = False
    difficult: bool = False
    actions: tuple[str, ...] = ()
    point_xy: tuple[int, int] | None = None
    parts: tuple[CheckedPart, ...] = ()


@dataclass(frozen=True)
class CheckedImage:
    """One image with the objects of its newest revision.

    `active_secs` is over all revisions that led to it; None where nobody measured it.
    """

    image_id: int
    width_px: int
    height_px: int
    objects: tuple[CheckedObject, ...]
    active_secs: float | None = None
