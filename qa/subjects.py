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
    """One image with the objects of its newest revision, which `person_id` made.

    `active_secs` is over all revisions that led to it; None where nobody measured it. `owner` and
    `taken_hour` are the photograph's ("2026-01-31 12"); None where the source does not say.
    """

    image_id: int
    width_px: int
    height_px: int
    objects: tuple[CheckedObject, ...]
    active_secs: float | None = None
    annotation_id: int | None = None
    person_id: int | None = None
    owner: str | None = None
    taken_hour: str | None = None


@dataclass(frozen=True)
class SeenTwice:
    """One image as two people have it: `first_id` drew `first`, `second_id` drew `second`.

    `is_blind` says that neither saw the other's work; else the second is a checker who began with
    the first's objects.
    """

    image_id: int
    first_id: int
    second_id: int
    first: tuple[CheckedObject, ...]
    second: tuple[CheckedObject, ...]
    is_blind: bool = True


@dataclass(frozen=True)
class PartyWork:
    """All that the checks of people look at: the images, and those that two people looked at.

    `names` are the people's, by id. `drawn` are images with what their annotators drew, before any
    checker mended it.
    """

    names: dict[int, str]
    drawn: tuple[CheckedImage, ...]
    seen_twice: tuple[SeenTwice, ...]
