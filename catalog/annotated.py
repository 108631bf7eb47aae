"""An annotated object and its parts as plain values, the same for every stage."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .box import Box
from .image_store import digest_of
from .states import View


def list_changed_keys(before: Mapping[str, Box], after: Mapping[str, Box]) -> list[str]:
    """The keys of objects that are new or have another box: their pixels are drawn again."""
    return [key for key, box in after.items() if before.get(key) != box]


def describe_looks(class_id: str, box: Box) -> str:
    """The digest of what a judge of difficulty sees of an object: its class and its box."""
    return digest_of(f"{class_id} {box.xyxy}".encode())


@dataclass(frozen=True, slots=True)
class AnnotatedPart:
    """A head, hand or foot with its box."""

    name: str
    box: Box


@dataclass(frozen=True, slots=True)
class AnnotatedObject:
    """One object of a revision, as checking, releases and imports see it.

    `number` is its place in the revision, from 1; `key` stays the same from revision to revision.
    `class_id` is the class that its author chose, and `class_name` what that is called today, or
    was when a release was made; an object that no row holds has no id.
    """

    number: int
    key: str
    class_name: str
    box: Box
    view: str = View.UNSPECIFIED.value
    truncated: bool = False
    occluded: bool = False
    difficult: bool = False
    actions: tuple[str, ...] = ()
    point_xy: tuple[int, int] | None = None
    parts: tuple[AnnotatedPart, ...] = ()
    class_id: str = field(default="", compare=False)
