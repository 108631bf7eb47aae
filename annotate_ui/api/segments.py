"""The pixels of objects: the next image, drawings, proposals, and a checker's verdicts."""

from __future__ import annotations

from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit
from annotate_ui.work import segments
from annotate_ui.work.revisions import load_head
from catalog.rings import pack_rings
from catalog.states import Role
from catalog.tables import Segment, Segmentation, SegmentationReview, SegmentChoice
from segment import leases, saving
from segment.choices import list_changed

from .answers import Json, format_error, tell
from .queue import format_live
from .reviews import CONFLICTS
from .schemas import Id, ObjectKey, Reply, Routes, each, like, shape
from .tasks import Ahead, format_held
from .told import Held, Live, PersonName

blueprint = Routes("segments", __name__)


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
    return _take(visit, "segment", image_id, ahead)


@blueprint.on_post("/tasks/check-segment", Role.CHECKER, told=SegmentTasks)
def take_to_check(visit: Visit, *, image_id: Id | None = None, ahead: Ahead = 0) -> Reply:
    """The next drawing to check, or that of the image that is named."""
    return _take(visit, "check-segment", image_id, ahead)


@blueprint.on_post("/images/<int:image_id>/segmentations", *EVERYBODY, told=SavedSegments)
def post_segmentation(visit: Visit, image_id: int, body: segments.SegmentationBody) -> Reply:
    """The saved drawing, or what became of it."""
    return _format_saved(visit, segments.save_segmentation(visit, image_id, body))


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
def post_review(visit: Visit, segmentation_id: int, body: segments.SegmentReviewBody) -> Reply:
    """The saved verdict, or what became of it."""
    return _format_saved(visit, segments.save_segment_review(visit, segmentation_id, body))


def _take(visit: Visit, kind: leases.Kind, image_id: int | None, ahead: int) -> Reply:
    if image_id is None:
        held = leases.take_segments(visit, kind, ahead)
    else:
        held = [leases.open_segment(visit, kind, image_id)]
    tasks = [_format_task(visit, lease) for lease in held]
    left = max(leases.count_segments(visit, kind) - 1, 0)
    answer: Json = {"task": None, "ahead": tasks[1:], "left": left, "live": format_live(visit)}
    return answer | ({"task": tasks[0]} if tasks else {"reason": "empty"})


def _format_task(visit: Visit, choice: SegmentChoice) -> Json:
    """A leased image with its boxes and the drawing to go on with or to check."""
    session, head = visit.session, load_head(visit.session, choice.image)
    drawing = choice.segmentation
    if leases.is_second_due(choice):
        drawing = saving.find_own_second(visit, choice)
    told, review = _format_drawing(drawing), saving.find_segment_return(session, choice)
    if told:  # an object may be gone since
        keys = {None, *(item.object_key for item in (head.objects if head else ()))}
        told["segments"] = [it for it in told["segments"] if it["object_key"] in keys]
    return format_held(choice, choice.image) | {
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
    newest = choice.segmentation if choice and saved.code == "stale" else None
    told = {"error": error, "kept_as": made and made.id, "head": _format_drawing(newest)}
    return answer | told, 409
