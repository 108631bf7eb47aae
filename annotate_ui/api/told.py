"""What the routes of the working pages answer, for the OpenAPI document and the tests."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from catalog.states import ImageState, LeaseKind, Role

from .schemas import ObjectBody


class Told(BaseModel):
    """What all answers share: no field that is not described."""

    model_config = ConfigDict(extra="forbid")


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


class Somebody(Told):
    """A person as others see them."""

    id: int
    name: str


class Visitor(Somebody):
    """The person who asks."""

    role: Role


class SessionTold(Told):
    """Who is signed in, at which party; the token goes into the header X-CSRFToken."""

    person: Visitor
    party_id: str
    csrf_token: str
    server_time: datetime


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


class Task(Told):
    """A leased image; what stands behind `campaigns` is told to checkers only."""

    image_id: int
    kind: LeaseKind
    image_url: str
    width: int
    height: int
    photo: PhotoTold | None
    lease: LeaseTold
    annotation: Revision | None
    review: Returned | None
    campaigns: list[Asked] = []
    author: Somebody | None = None
    findings: list[OpenFinding] = []
    is_released: bool = False
    rounds: list[dict[str, Any]] = []
    changes: list[dict[str, Any]] = []
    shows: str | None = None


class Tasks(Told):
    """The next image, those held ahead, how many are left; without a task, the reason."""

    task: Task | None
    left: int
    live: Live
    ahead: list[Task] = []
    reason: str | None = None


class SavedTold(Told):
    """A save; `feedback` and `training` come after a training image only."""

    annotation: Revision
    state: ImageState
    lease: LeaseTold | None = None
    findings: list[Hint] = []
    feedback: list[str] | None = None
    training: dict[str, Any] | None = None


class ReviewTold(Told):
    """A verdict that was saved, and the image's newest revision."""

    review_id: int
    state: ImageState
    annotation: Revision | None
