"""The pixels of objects: the next image, drawings, proposals, and a checker's verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from pydantic import Field

from catalog.states import LeaseKind, Role, Verdict
from catalog.stuck import about_image, require_sound
from catalog.tables import Lease, Segment, Segmentation, SegmentationReview, SegmentChoice
from vockit.format.rings import pack_rings
from web.guard import EVERYBODY
from work.bodies import Body, Comment, Id, ObjectKey, SaveKey, Secs
from work.reviews import corrected_key
from work.revisions import find_parent, get_image, load_head
from work.saving import require_pace, require_room, save_once
from work.segment import leases, saving
from work.segment.choices import list_changed
from work.visit import Visit

from .answers import Json, format_error, tell
from .queue import format_live
from .reviews import CONFLICTS
from .schemas import Reply, Routes, each, like, shape
from .tasks import Ahead, format_held
from .told import Held, Live, PersonName

blueprint = Routes("segments", __name__)
Count = Annotated[int, Field(ge=0, le=1_000_000)]


class SegmentBody(Body):
    """The rings of one object, each flat as x0, y0, x1, y1; without a key of a void region."""

    object_key: ObjectKey | None
    depth: Annotated[int, Field(ge=-10_000, le=10_000)]
    rings: tuple[tuple[int, ...], ...]
    drawn_secs: Secs = 0.0
    inputs: Count = 0


class SegmentationBody(Body):
    """POST /images/ID/segmentations."""

    save_key: SaveKey
    parent_id: Id | None
    annotation_id: Id
    active_secs: Secs = 0.0
    inputs: Count = 0
    finish: bool
    segments: tuple[SegmentBody, ...]


class SegmentVerdictBody(Body):
    """A checker's verdict on one object."""

    object_key: ObjectKey
    verdict: Verdict


class SegmentReviewBody(Body):
    """POST /segmentations/ID/reviews."""

    save_key: SaveKey
    verdict: Verdict
    objects: tuple[SegmentVerdictBody, ...] = ()
    missing: bool | None = None
    comments: Comment = ""
    active_secs: Secs = 0.0
    inputs: Count = 0
    segments: tuple[SegmentBody, ...] | None = None


SegmentTold = shape(
    """SegmentTold: an object's pixels, or a void region's without `object_key`.

    Larger depths are in front. Rings are x0, y0, x1, y1, ... in corners of pixels;
    even-odd over all rings tells the inside.
    """,
    **like(Segment, "object_key depth drawn_secs inputs"),
    rings=list[list[int]],
)
Drawing = shape(
    "Drawing: a revision of an image's segments.",
    **like(Segmentation, "id parent_id annotation_id is_finished created_at"),
    person=PersonName,
    segments=[SegmentTold],
)
SegmentReturn = shape(
    "SegmentReturn: why a drawing came back.",
    **each(str, "verdict comments"),
    missing=bool,
    person=PersonName,
    objects=list[dict[str, str]],
)
SegmentTask = shape(
    "SegmentTask: an image to segment or to check; `changed_keys` are objects to draw again.",
    Held,
    segmentation=Drawing | None,
    changed_keys=list[str],
    void_width_px=int,
    review=SegmentReturn | None,
)
SegmentTasks = shape(
    "SegmentTasks: as the answer of POST /tasks/annotate.",
    task=SegmentTask | None,
    ahead=[SegmentTask],
    left=int,
    live=Live,
    reason=(str | None, None),
)
SegmentReview = shape(
    "SegmentReview: a verdict that was saved.", **like(SegmentationReview, "id verdict")
)
SegmentFault = shape(
    "SegmentFault: what a finished drawing leaves to ask; blocks nothing.",
    object_key=str | None,
    reason=str,
)
SavedSegments = shape(
    "SavedSegments: a saved drawing or verdict.",
    segmentation=Drawing | None,
    review=SegmentReview | None,
    state=str | None,
    is_conflict=bool,
    findings=[SegmentFault],
)
_PROPOSAL = {"rings": list[list[int]]}


@blueprint.on_post("/tasks/segment", *EVERYBODY, told=SegmentTasks)
def take_to_segment(visit: Visit, *, image_id: Id | None = None, ahead: Ahead = 0) -> Reply:
    """The next image to segment, or the one that is named."""
    return _take(visit, LeaseKind.SEGMENT, image_id, ahead)


@blueprint.on_post("/tasks/check-segment", Role.CHECKER, told=SegmentTasks)
def take_to_check(visit: Visit, *, image_id: Id | None = None, ahead: Ahead = 0) -> Reply:
    """The next drawing to check, or that of the image that is named."""
    return _take(visit, LeaseKind.CHECK_SEGMENT, image_id, ahead)


@blueprint.on_post("/images/<int:image_id>/segmentations", *EVERYBODY, told=SavedSegments)
def post_segmentation(visit: Visit, image_id: int, body: SegmentationBody) -> Reply:
    """The saved drawing, or what became of it."""
    return _format_saved(visit, _save_drawing(visit, image_id, body))


@blueprint.on_post("/images/<int:image_id>/proposals", *EVERYBODY, only_reads=True, told=_PROPOSAL)
def post_proposal(
    visit: Visit,
    image_id: int,
    *,
    object_key: ObjectKey,
    add: tuple[tuple[int, ...], ...] = (),
    remove: tuple[tuple[int, ...], ...] = (),
) -> Reply:
    """An outline for the object from its box and strokes; nothing is kept of it."""
    rings = saving.propose_outline(visit, image_id, object_key, add, remove)
    return {"rings": pack_rings(rings)}


@blueprint.on_post("/segmentations/<int:segmentation_id>/reviews", Role.CHECKER, told=SavedSegments)
def post_review(visit: Visit, segmentation_id: int, body: SegmentReviewBody) -> Reply:
    """The saved verdict, or what became of it."""
    return _format_saved(visit, _save_review(visit, segmentation_id, body))


def _take(visit: Visit, kind: LeaseKind, image_id: int | None, ahead: int) -> Reply:
    if image_id is None:
        held = leases.take_segments(visit, kind, ahead)
    else:
        held = [leases.open_segment(visit, kind, image_id)]
    tasks = list[Json]()
    for lease in held:
        with about_image(lease.image_id):
            tasks.append(_format_task(visit, lease))
    left = max(leases.count_segments(visit, kind) - 1, 0)
    answer: Json = {"task": None, "ahead": tasks[1:], "left": left, "live": format_live(visit)}
    return answer | ({"task": tasks[0]} if tasks else {"reason": "empty"})


def _format_task(visit: Visit, lease: Lease) -> Json:
    """A leased image with its boxes and the drawing to go on with or to check."""
    session, choice = visit.session, visit.session.get_one(SegmentChoice, lease.image_id)
    head = load_head(session, choice.image)
    require_sound(choice.image, head, choice.image.state)
    drawing = choice.segmentation
    if leases.is_second_due(choice):
        drawing = saving.find_own_second(visit, choice)
    told, review = _format_drawing(drawing), saving.find_segment_return(session, choice)
    if told:  # an object may be gone since
        keys = {None, *(item.object_key for item in (head.objects if head else ()))}
        told["segments"] = [it for it in told["segments"] if it["object_key"] in keys]
    return format_held(lease, choice.image) | {
        "annotation": head,
        "segmentation": told,
        "changed_keys": list_changed(session, choice),
        "void_width_px": visit.party.settings.export.void_width_px,
        "review": review and tell(SegmentReturn, review, objects=review.object_verdicts),
    }


def _format_drawing(drawing: Segmentation | None) -> Json | None:
    """A drawing as pages show it."""
    if drawing is None:
        return None
    return tell(Drawing, drawing, segments=[tell(SegmentTold, it) for it in drawing.segments])


@save_once
def _save_drawing(visit: Visit, image_id: int, body: SegmentationBody) -> saving.SavedDrawing:
    """What became of a drawing, else an error and nothing was saved; no `save_key` saves twice."""
    # A second post waits here for the first.
    choice, lease = leases.hold_segment(visit, image_id, LeaseKind.SEGMENT)
    image = get_image(visit.session, image_id)
    if repeated := saving.find_repeated(visit, choice, lease, image, body.save_key):
        return repeated
    require_pace(visit, Segmentation.created_at)
    boxes = find_parent(visit.session, image, body.annotation_id, "annotation_id")
    told = body.model_dump(exclude={"finish", "segments"}) | {"is_finished": body.finish}
    if boxes is None:  # lost by a restore: the outlines are kept with the boxes of today
        told["annotation_id"] = image.annotation_id
    drawing = Segmentation(**told, segments=_make_segments(body.segments))
    may_keep = partial(require_room, visit, Segmentation, image_id)
    return saving.save_drawing(visit, choice, lease, image, drawing, may_keep)


@save_once
def _save_review(
    visit: Visit, segmentation_id: int, body: SegmentReviewBody
) -> saving.SavedDrawing:
    """What became of a verdict on a drawing, else InvalidError; no `save_key` saves twice."""
    drawing = saving.get_drawing(visit, segmentation_id)
    choice, lease = leases.hold_segment(visit, drawing.image_id, LeaseKind.CHECK_SEGMENT)
    keys = body.save_key, corrected_key(visit, body.save_key)
    if repeated := saving.find_repeated_review(visit, choice, drawing, *keys):
        return repeated
    told = body.model_dump(exclude={"objects", "comments", "segments"})
    said = [it.model_dump(mode="json") for it in body.objects]
    review = SegmentationReview(**told, object_verdicts=said, comments=body.comments or None)
    fixed = None
    if body.segments is not None:
        fixed = Segmentation(save_key=keys[1], segments=_make_segments(body.segments))
    return saving.save_review(visit, choice, lease, drawing, review, fixed)


def _make_segments(sent: Sequence[SegmentBody]) -> list[Segment]:
    return [Segment(**it.model_dump(mode="json")) for it in sent]


def _format_saved(visit: Visit, saved: saving.SavedDrawing) -> Reply:
    """What was saved; 409 if it was kept next to a newer one, which is told, as for boxes."""
    made, choice = saved.segmentation, saved.choice
    answer: Json = {
        "segmentation": _format_drawing(made),
        "review": saved.review and tell(SegmentReview, saved.review),
        "state": choice and choice.state,
        "is_conflict": saved.code is not None,
        "findings": [{"object_key": key, "reason": reason} for key, reason in saved.faults],
    }
    if saved.code is None:
        return answer, 200 if saved.is_repeated else 201
    error = format_error(saved.code, CONFLICTS[saved.code])
    newest = saved.head if saved.code == "stale" else None
    told = {"error": error, "kept_as": made and made.id, "head": _format_drawing(newest)}
    return answer | told, 409
