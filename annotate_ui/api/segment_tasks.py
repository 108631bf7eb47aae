"""The next image whose pixels are drawn or checked, and what its page begins with."""

from __future__ import annotations

from pydantic import Field

from annotate_ui.guard import EVERYBODY
from catalog.states import LeaseKind, Role
from catalog.stuck import about_image, require_sound
from catalog.tables import Annotation, Lease, Segmentation, SegmentationReview, SegmentChoice
from web.guard import Later
from work.bodies import Body, Id
from work.revision_rows import load_head
from work.segment import leases, pointing, saving
from work.segment.choices import list_changed
from work.visit import Visit

from .held import Held, make_held
from .names import PersonName
from .queue import Live, load_live
from .schemas import Answer, Reply, Routes
from .segments import Drawing, make_drawing
from .tasks import Ahead, Leaving

blueprint = Routes("segment_tasks", __name__)


class SegmentTaskBody(Body):
    """As that of POST /tasks/annotate; `is_opened` as in POST /tasks/check."""

    image_id: Id | None = None
    ahead: Ahead = 0
    leaving: Leaving = Field(default_factory=list)
    is_opened: bool = True


class SegmentReturn(Answer):
    """Why a drawing came back."""

    verdict: str
    comments: str
    missing: bool
    person: PersonName
    objects: list[dict[str, str]]


class SegmentTask(Held):
    """An image to segment or to check; `changed_keys` are objects to draw again.

    `is_difficult_void` says how masks show difficult objects.
    """

    segmentation: Drawing | None
    changed_keys: list[str]
    void_width_px: int
    is_difficult_void: bool
    review: SegmentReturn | None


class SegmentTasks(Answer):
    """As the answer of POST /tasks/annotate."""

    task: SegmentTask | None
    ahead: list[SegmentTask]
    left: int
    live: Live
    reason: str | None = None


@blueprint.on_post("/tasks/segment", *EVERYBODY, answers=SegmentTasks)
def take_to_segment(visit: Visit, body: SegmentTaskBody) -> Later:
    """The next image to segment, or the one that is named."""
    return _take(visit, LeaseKind.SEGMENT, body)


@blueprint.on_post("/tasks/check-segment", Role.CHECKER, answers=SegmentTasks)
def take_to_check(visit: Visit, body: SegmentTaskBody) -> Later:
    """The next drawing to check, or that of the image that is named."""
    return _take(visit, LeaseKind.CHECK_SEGMENT, body)


def _take(visit: Visit, kind: LeaseKind, body: SegmentTaskBody) -> Later:
    """The image and those behind it; how many are left is counted when the leases are stored."""
    wish = body.ahead, body.leaving
    if body.image_id is None:
        held = leases.take_segments(visit, kind, *wish, is_opened=body.is_opened)
    else:
        held = leases.open_segments(visit, kind, body.image_id, *wish)
    tasks = list[SegmentTask]()
    for lease in held:
        with about_image(lease.image_id):
            tasks.append(_make_task(visit, lease))
    answer = SegmentTasks(
        task=tasks[0] if tasks else None,
        ahead=tasks[1:],
        left=0,
        live=load_live(visit),
    )
    if not tasks:
        answer.reason = "empty"
    to_draw = [lease.image_id for lease in held] if kind is LeaseKind.SEGMENT else []

    def count_left(later: Visit) -> Reply:
        pointing.prepare(later, to_draw)
        answer.left = max(leases.count_segments(later, kind, body.leaving) - 1, 0)
        return answer

    return Later(count_left)


def _make_task(visit: Visit, lease: Lease) -> SegmentTask:
    """A leased image with its boxes and the drawing to go on with or to check."""
    session = visit.session
    choice = visit.session.get_one(SegmentChoice, lease.image_id)
    image = choice.image
    head = load_head(session, image)
    require_sound(image, head, image.state)
    drawing = choice.segmentation
    if leases.is_second_due(choice):
        drawing = saving.find_own_second(visit, choice)
    review = saving.find_segment_return(session, choice)
    settings = visit.party.settings.export
    return make_held(
        SegmentTask,
        lease,
        image,
        head,
        segmentation=_make_drawing_of(drawing, head),
        changed_keys=list_changed(session, choice),
        void_width_px=settings.void_width_px,
        is_difficult_void=settings.difficult_masks == "void",
        review=_make_return(review) if review else None,
    )


def _make_drawing_of(drawing: Segmentation | None, head: Annotation | None) -> Drawing | None:
    """A drawing without the segments of objects that are gone since."""
    answer = make_drawing(drawing)
    if answer is not None:
        keys = {None, *(item.object_key for item in (head.objects if head else ()))}
        answer.segments = [item for item in answer.segments if item.object_key in keys]
    return answer


def _make_return(review: SegmentationReview) -> SegmentReturn:
    return SegmentReturn(
        verdict=review.verdict,
        comments=review.comments or "",
        missing=bool(review.missing),
        person=PersonName.model_validate(review.person),
        objects=review.object_verdicts,
    )
