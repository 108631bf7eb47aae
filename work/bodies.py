"""What a page sends of its work: revisions and verdicts, read strictly."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from catalog.states import Taster, Verdict
from catalog.tables.base import MAX_ID as MAX_ID

_YEAR_SECS = 31_536_000


def without_nul(text: str) -> str:
    """The text as PostgreSQL can keep it."""
    return text.replace("\x00", "")


SaveKey = Annotated[str, Field(min_length=8, max_length=64, pattern="^[A-Za-z0-9-]+$")]


ObjectKey = Annotated[str, Field(min_length=1, max_length=64, pattern="^[A-Za-z0-9-]+$")]


Secs = Annotated[float, Field(ge=0, le=_YEAR_SECS, allow_inf_nan=False)]


Comment = Annotated[str, Field(max_length=2000), AfterValidator(without_nul)]


Id = Annotated[int, Field(ge=1, le=MAX_ID)]


Xyxy = tuple[int, int, int, int]


class Body(BaseModel):
    """What all bodies share: no unknown fields, no conversions, no changes afterwards."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class PartBody(Body):
    """A part of an object; `part` is the id of what it is."""

    part: str
    box: Xyxy


class ObjectBody(Body):
    """One object as the page has it; class, view, actions and parts are ids of words.

    `group_of` marks a box around a group. `suggestion_id` is the suggestion that it was made of;
    left out, it stays as it was.
    """

    key: ObjectKey
    class_id: Annotated[str, Field(alias="class")]
    box: Xyxy
    view: str
    truncated: bool
    occluded: bool
    unsure: bool = False
    group_of: bool = False
    actions: tuple[str, ...] = ()
    point: tuple[int, int] | None = None
    parts: tuple[PartBody, ...] = ()
    drawn_secs: Secs = 0.0
    suggestion_id: Id | None = None


class RevisionBody(Body):
    """One complete revision, started from `parent_id`; `finish` false saves a draft on the way.

    A `save_key` that was saved before is answered with 200 and the first answer. `active_secs` is
    the time at work since the revision before, idle time left out; `discard_reason` one of the
    party's, or `no_wanted_class` in rare-class mode, with `finish`. A save whose lease ran out is
    taken if the image was not touched since; otherwise it is kept next to the newer one. `inputs`
    are presses of keys and buttons, counted as `active_secs`. `taster` is that of the task, as the
    page showed it. `suggestions_shown` is how many suggestions the page was given, `rejected` those
    rejected so far.
    """

    save_key: SaveKey
    parent_id: Id | None
    finish: bool
    discard_reason: str | None = None
    comment: Comment = ""
    active_secs: Secs = 0.0
    inputs: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    unsure_classes: tuple[str, ...] = ()
    taster: Annotated[Taster, Field(strict=False)] | None = None
    suggestions_shown: Annotated[int, Field(ge=0, le=1000)] = 0
    rejected: Annotated[tuple[Id, ...], Field(max_length=1000)] = ()
    objects: tuple[ObjectBody, ...]


class ObjectVerdictBody(Body):
    """A checker's verdict on one object."""

    key: ObjectKey
    verdict: Literal["accept", "reject"]
    comment: Comment = ""
    judged: bool = True


class FixedBody(Body):
    """The objects as the checker corrected them."""

    objects: tuple[ObjectBody, ...]
    active_secs: Secs = 0.0


class ReviewBody(Body):
    """A checker's verdict; `complete` is null where they did not say whether objects are missing.

    `accept` needs that nothing is missing and no object rejected; `fixed` brings the objects as
    corrected, with seconds of their own; `returned` needs a comment. An object that is left out is
    accepted and not judged, which `judge_each_object` of the party forbids.
    """

    save_key: SaveKey
    annotation_id: Id
    verdict: Verdict
    complete: bool | None = None
    comment: Comment = ""
    active_secs: Secs = 0.0
    objects: tuple[ObjectVerdictBody, ...] = ()
    fixed: FixedBody | None = None
