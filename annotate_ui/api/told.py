"""What several routes answer, for the OpenAPI document and the tests that hold answers to it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from catalog.settings import QaSettings
from catalog.states import ImageState, LeaseKind
from catalog.tables import Annotation, Person, Remark
from work.bodies import ObjectBody, Xyxy

from .schemas import each, like, shape

Share = tuple[float, float, float] | None
"""An estimate with its interval of 95 %, or null where nothing is known."""


class DrawnObject(ObjectBody):
    """An object of a revision; organisers judge whether it is difficult."""

    difficult: bool


Revision = shape(
    "Revision: one saved revision; boxes are VOC's, with both ends inside.",
    **like(Annotation, "id parent_id saved_at discard_reason unsure_classes"),
    finished=bool,
    comment=str,
    objects=[DrawnObject],
)
PersonName = shape("PersonName", **like(Person, "id name"))
Word = shape("Word: a name of the dataset, and how people read it.", name=str, display=str)
Picture = shape("Picture", image_url=str, width=int, height=int)
BoxedObject = shape("BoxedObject", key=str, class_=str, box=Xyxy)
Drawn = shape("Drawn: an image with the objects of one revision.", Picture, objects=[BoxedObject])
Shares = shape(
    "Shares: settings of checking that the board sets, and the number of their version.",
    number=int,
    **like(QaSettings, "double_share gold_share training_images"),
)
LeaseTold = shape(
    "LeaseTold: a lease; it ends by itself unless the page sends heartbeats.",
    id=int,
    expires_at=datetime,
)
Live = shape(
    "Live: what may have changed since the page was opened; no wanted classes are all of them.",
    wanted_classes=list[str],
    **each(int, "guidelines_number classes_number"),
)
Hint = shape(
    "Hint: a hint of the automatic checks, which blocks nothing.",
    **each(str, "check severity message"),
    object_key=str | None,
)
OpenFinding = shape(
    "OpenFinding: a finding that waits for a checker.", Hint, id=int, verdict=str | None
)
JudgedObject = shape("JudgedObject", key=str, verdict=str, comment=str)
Returned = shape(
    "Returned: why an image came back.", comment=str, checker=str, objects=[JudgedObject]
)
Round = shape(
    "Round: a verdict, with those objects that were rejected or commented.",
    **each(str, "verdict checker comment"),
    at=datetime,
    objects=[shape("JudgedWord", JudgedObject, class_=str)],
)
Change = shape(
    "Change: an object that differs; it `moved` where only box, point or parts do.",
    key=str,
    kind=Literal["added", "removed", "moved", "changed"],
    fields=list[str],
    before=DrawnObject | None,
    after=DrawnObject | None,
)
PhotoTold = shape("PhotoTold", title=str, owner_name=str, page_url=str | None)
Held = shape(
    "Held: a leased image, without what was drawn on it.",
    Picture,
    image_id=int,
    kind=str,
    photo=PhotoTold | None,
    lease=LeaseTold,
    annotation=Revision | None,
)
Asked = shape(
    "Asked: a campaign for which an image is annotated again.", name=str, by=str, text=str
)
Task = shape(
    "Task: a leased image; what stands behind `campaigns` is told to checkers only.",
    Held,
    kind=LeaseKind,
    review=Returned | None,
    campaigns=([Asked], ()),
    author=(PersonName | None, None),
    findings=([OpenFinding], ()),
    is_released=(bool, False),
    rounds=([Round], ()),
    changes=([Change], ()),
    shows=(str | None, None),
)
Tasks = shape(
    """Tasks: the next image, those held ahead, how many are left; without a task, the reason.

    Each image has its own lease. Reasons are `empty`, `nothing_of_others` (only one's own work
    waits), `untrained` (no training image is left to try), `too_fast` (more images were finished
    within a minute than the party allows).
    """,
    task=Task | None,
    left=int,
    live=Live,
    ahead=([Task], ()),
    reason=(str | None, None),
)
SavedTold = shape(
    "SavedTold: a save; `feedback` and `training` come after a training image only.",
    annotation=Revision,
    state=ImageState,
    lease=(LeaseTold | None, None),
    findings=([Hint], ()),
    feedback=(list[str] | None, None),
    training=(dict[str, Any] | None, None),
)
RemarkTold = shape(
    "RemarkTold: a remark to the visitor about an image.",
    **like(Remark, "id image_id object_key text written_at seen_at"),
    **each(str, "from image_url"),
)
