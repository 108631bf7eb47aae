"""What several routes answer, for the OpenAPI document and the tests that hold answers to it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from catalog.states import ImageState, LeaseKind

from .schemas import ObjectBody, Told

ClassName = Annotated[str, Field(alias="class")]
Share = tuple[float, float, float] | None
"""An estimate with its interval of 95 %, or null where nothing is known."""


class DrawnObject(ObjectBody):
    """An object of a revision; organisers judge whether it is difficult."""

    difficult: bool


class Revision(Told):
    """One saved revision; boxes are VOC's, with both ends inside."""

    id: int
    parent_id: int | None
    saved_at: datetime
    finished: bool
    discard_reason: str | None
    comment: str
    unsure_classes: list[str]
    objects: list[DrawnObject]


class PersonName(Told):
    """A person as others see them."""

    id: int
    name: str


class Word(Told):
    """A name of the dataset, and how people read it."""

    name: str
    display: str


class Picture(Told):
    """Where an image is found, and its size in pixels."""

    image_url: str
    width: int
    height: int


class BoxedObject(Told):
    """An object as pictures with boxes show it."""

    key: str
    class_name: ClassName
    box: tuple[int, int, int, int]


class Drawn(Picture):
    """An image with the objects of one revision."""

    objects: list[BoxedObject]


class Shares(Told):
    """Settings of checking that the board sets, and the number of their version."""

    number: int
    double_share: float
    gold_share: float
    training_images: int


class LeaseTold(Told):
    """A lease; it ends by itself unless the page sends heartbeats."""

    id: int
    expires_at: datetime


class Live(Told):
    """What may have changed since the page was opened; no wanted classes are all of them."""

    wanted_classes: list[str]
    guidelines_number: int
    classes_number: int


class PhotoTold(Told):
    """Where a photograph comes from."""

    title: str
    owner_name: str
    page_url: str | None


class JudgedObject(Told):
    """A checker's word on an object."""

    key: str
    verdict: str
    comment: str


class Returned(Told):
    """Why an image came back."""

    comment: str
    checker: str
    objects: list[JudgedObject]


class Asked(Told):
    """A campaign for which an image is annotated again."""

    name: str
    by: str
    text: str


class Hint(Told):
    """A hint of the automatic checks, which blocks nothing."""

    check: str
    severity: str
    object_key: str | None
    message: str


class OpenFinding(Hint):
    """A finding that waits for a checker."""

    id: int
    verdict: str | None


class JudgedWord(JudgedObject):
    """A checker's word on an object, with its class."""

    class_name: ClassName


class Round(Told):
    """A verdict, with those objects that were rejected or commented."""

    verdict: str
    checker: str
    at: datetime
    comment: str
    objects: list[JudgedWord]


class Change(Told):
    """An object that differs; it `moved` where only box, point or parts do."""

    key: str
    kind: Literal["added", "removed", "moved", "changed"]
    fields: list[str]
    before: DrawnObject | None
    after: DrawnObject | None


class Held(Picture):
    """A leased image, without what was drawn on it."""

    image_id: int
    kind: str
    photo: PhotoTold | None
    lease: LeaseTold
    annotation: Revision | None


class Task(Held):
    """A leased image; what stands behind `campaigns` is told to checkers only."""

    kind: LeaseKind
    review: Returned | None
    campaigns: tuple[Asked, ...] = ()
    author: PersonName | None = None
    findings: tuple[OpenFinding, ...] = ()
    is_released: bool = False
    rounds: tuple[Round, ...] = ()
    changes: tuple[Change, ...] = ()
    shows: str | None = None


class Tasks(Told):
    """The next image, those held ahead, how many are left; without a task, the reason.

    Each image has its own lease. Reasons are `empty`, `nothing_of_others` (only one's own work
    waits), `untrained` (no training image is left to try), `too_fast` (more images were finished
    within a minute than the party allows).
    """

    task: Task | None
    left: int
    live: Live
    ahead: tuple[Task, ...] = ()
    reason: str | None = None


class SavedTold(Told):
    """A save; `feedback` and `training` come after a training image only."""

    annotation: Revision
    state: ImageState
    lease: LeaseTold | None = None
    findings: tuple[Hint, ...] = ()
    feedback: list[str] | None = None
    training: dict[str, Any] | None = None


class RemarkTold(Told):
    """A remark to the visitor about an image."""

    id: int
    text: str
    from_name: Annotated[str, Field(alias="from")]
    written_at: datetime
    seen_at: datetime | None
    image_id: int
    image_url: str
    object_key: str | None
