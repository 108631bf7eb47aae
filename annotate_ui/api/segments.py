"""The pixels of objects: drawings, proposals, and a checker's verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from annotate_ui.guard import EVERYBODY
from catalog.states import LeaseKind, Role, Suggested, Verdict
from catalog.tables import Segment, Segmentation, SegmentationReview
from vockit.format.rings import pack_rings
from web.guard import Later
from work.bodies import Body, Comment, Id, ObjectKey, SaveKey, Secs
from work.detectors.pairs import Click
from work.reviews import corrected_key
from work.revision_rows import find_parent, get_image
from work.saving import require_pace, require_room, save_once
from work.segment import leases, pointing, saving
from work.segment.choices import Agreement, keep_agreement, measure_agreement
from work.segment.pointing import Readiness
from work.segment.suggested import find_outlines
from work.visit import Visit

from .names import PersonName
from .reviews import CONFLICTS
from .schemas import Answer, ErrorAnswer, Reply, Routes, Shown, make_error

blueprint = Routes("segments", __name__)
Count = Annotated[int, Field(ge=0, le=1_000_000)]


class SegmentBody(Body):
    """The rings of one object, each flat as x0, y0, x1, y1; without a key of a void region.

    Of an outline of a model, `suggested` says whether it is as it was accepted; it counts as
    corrected where that is not said.
    """

    object_key: ObjectKey | None
    depth: Annotated[int, Field(ge=-10_000, le=10_000)]
    rings: tuple[tuple[int, ...], ...]
    drawn_secs: Secs = 0.0
    inputs: Count = 0
    suggestion_set_id: Id | None = None
    suggested: Annotated[Suggested, Field(strict=False)] | None = None


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


class ClickBody(Body):
    """A point of the image in pixels from its corner, on the object or beside it."""

    x: float
    y: float
    is_inside: bool = True


class ProposalBody(Body):
    """An object, and strokes that add to its outline or remove from it.

    With clicks the party's model outlines what they are on, and there are no strokes.
    """

    object_key: ObjectKey
    add: tuple[tuple[int, ...], ...] = ()
    remove: tuple[tuple[int, ...], ...] = ()
    clicks: Annotated[tuple[ClickBody, ...], Field(max_length=50)] = ()


class SegmentAnswer(Answer):
    """An object's pixels, or a void region's without `object_key`.

    Larger depths are in front. Rings are x0, y0, x1, y1, ... in corners of pixels;
    even-odd over all rings tells the inside.
    """

    object_key: str | None
    depth: int
    drawn_secs: float
    inputs: int
    rings: list[list[int]]
    suggestion_set_id: int | None
    suggested: Suggested | None


class Drawing(Answer):
    """A revision of an image's segments."""

    id: int
    parent_id: int | None
    annotation_id: int
    is_finished: bool
    created_at: datetime
    person: PersonName
    segments: list[SegmentAnswer]


class SegmentReview(Answer):
    """A verdict that was saved."""

    id: int
    verdict: Verdict


class SegmentFault(Answer):
    """What a finished drawing leaves to ask; blocks nothing."""

    object_key: str | None
    reason: str


class SavedSegments(Answer):
    """A saved drawing or verdict."""

    segmentation: Drawing | None
    review: SegmentReview | None
    state: str | None
    is_conflict: bool
    findings: list[SegmentFault]


class KeptSegments(SavedSegments):
    """A drawing or verdict that is kept next to a newer drawing."""

    error: ErrorAnswer
    kept_as: int | None
    head: Drawing | None


class Proposal(Answer):
    """An outline for an object, and the set of the model that it came from."""

    rings: list[list[int]]
    suggestion_set_id: int | None = None


class SuggestedOutline(Answer):
    """The outline of an object as a model suggested it."""

    object_key: str
    rings: list[list[int]]
    suggestion_set_id: int


class OutlineModel(Answer):
    """Whether a click on an image gets an outline of the party's model, and why not."""

    state: Readiness
    name: str
    reason: str


class SuggestedOutlines(Answer):
    """What models suggest of an image; nothing of it is stored before a person accepts it."""

    outlines: list[SuggestedOutline]


@blueprint.on_post(
    "/images/<int:image_id>/segmentations",
    *EVERYBODY,
    shows=Shown("parent_id"),
    answers=SavedSegments,
)
def post_segmentation(visit: Visit, image_id: int, body: SegmentationBody) -> Later:
    """The saved drawing, or what became of it."""
    return _answer_later(_save_drawing(visit, image_id, body))


@blueprint.on_post(
    "/images/<int:image_id>/proposals", *EVERYBODY, only_reads=True, answers=Proposal
)
def post_proposal(visit: Visit, image_id: int, body: ProposalBody) -> Reply:
    """An outline for the object from its box and strokes, or from clicks; nothing is kept of it."""
    if body.clicks:
        clicks = [Click(click.x, click.y, click.is_inside) for click in body.clicks]
        proposed = pointing.outline_clicked(visit, image_id, body.object_key, clicks)
        return Proposal(rings=pack_rings(proposed.rings), suggestion_set_id=proposed.set_id)
    rings = saving.propose_outline(visit, image_id, body.object_key, body.add, body.remove)
    return Proposal(rings=pack_rings(rings))


@blueprint.on_get(
    "/images/<int:image_id>/suggested-outlines", *EVERYBODY, answers=SuggestedOutlines
)
def show_suggested_outlines(visit: Visit, image_id: int) -> Reply:
    """The outlines that came with the suggestions of which objects of a held image were made."""
    suggested = find_outlines(visit, image_id)
    return SuggestedOutlines(
        outlines=[
            SuggestedOutline(object_key=key, rings=pack_rings(rings), suggestion_set_id=set_id)
            for key, (rings, set_id) in suggested.items()
        ]
    )


@blueprint.on_get("/images/<int:image_id>/outline-model", *EVERYBODY, answers=OutlineModel)
def show_outline_model(visit: Visit, image_id: int) -> Reply:
    """Whether the party's model has looked at a held image, so that clicks get outlines."""
    model = pointing.tell_state(visit, image_id)
    return OutlineModel(state=model.readiness, name=model.name, reason=model.reason)


@blueprint.on_post(
    "/segmentations/<int:segmentation_id>/reviews",
    Role.CHECKER,
    shows=Shown("segmentation_id"),
    answers=SavedSegments,
)
def post_review(visit: Visit, segmentation_id: int, body: SegmentReviewBody) -> Later:
    """The saved verdict, or what became of it."""
    return _answer_later(_save_review(visit, segmentation_id, body))


def make_drawing(drawing: Segmentation | None) -> Drawing | None:
    """A drawing as pages show it."""
    if drawing is None:
        return None
    return Drawing(
        id=drawing.id,
        parent_id=drawing.parent_id,
        annotation_id=drawing.annotation_id,
        is_finished=drawing.is_finished,
        created_at=drawing.created_at,
        person=PersonName.model_validate(drawing.person),
        segments=[_make_segment(segment) for segment in drawing.segments],
    )


def _make_segment(segment: Segment) -> SegmentAnswer:
    return SegmentAnswer(
        object_key=segment.object_key,
        depth=segment.depth,
        drawn_secs=segment.drawn_secs,
        inputs=segment.inputs,
        rings=segment.rings,
        suggestion_set_id=segment.suggestion_set_id,
        suggested=segment.suggested,
    )


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
    fields = body.model_dump(exclude={"finish", "segments"}) | {"is_finished": body.finish}
    if boxes is None:  # lost by a restore: the outlines are kept with the boxes of today
        fields["annotation_id"] = image.annotation_id
    drawing = Segmentation(**fields, segments=_make_segments(body.segments))
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
    review = SegmentationReview(
        **body.model_dump(exclude={"objects", "comments", "segments"}),
        object_verdicts=[item.model_dump(mode="json") for item in body.objects],
        comments=body.comments or None,
    )
    fixed = None
    if body.segments is not None:
        fixed = Segmentation(save_key=keys[1], segments=_make_segments(body.segments))
    may_keep = partial(require_room, visit, Segmentation, drawing.image_id)
    return saving.save_review(visit, choice, lease, drawing, review, fixed, may_keep)


def _make_segments(sent: Sequence[SegmentBody]) -> list[Segment]:
    return [Segment(**_name_suggested(segment)) for segment in sent]


def _name_suggested(sent: SegmentBody) -> dict[str, Any]:
    """The columns of an outline; what is of no model was not suggested."""
    columns = sent.model_dump(mode="json", exclude={"suggested"})
    is_of_model = sent.suggestion_set_id is not None
    return columns | {"suggested": (sent.suggested or Suggested.CORRECTED) if is_of_model else None}


def _answer_later(saved: saving.SavedDrawing) -> Later:
    """What is computed of a drawing and answered, once it is stored."""
    drawing_id = saved.segmentation.id if saved.segmentation else None
    head_id = saved.head.id if saved.head else None
    return Later(partial(_look_at_saved, saved, drawing_id, head_id))


def _look_at_saved(
    saved: saving.SavedDrawing, drawing_id: int | None, head_id: int | None, visit: Visit
) -> Reply | Later:
    """The answer to a save; where an image was drawn twice, how far both agree is kept first."""
    drawing = visit.session.get(Segmentation, drawing_id) if drawing_id else None
    head = visit.session.get(Segmentation, head_id) if head_id else None
    is_verdict = saved.review is not None
    faults = saving.list_drawing_faults(visit, drawing) if drawing and not is_verdict else []
    reply = _make_saved(saved, drawing, head, faults)
    measured = measure_agreement(visit.session, drawing.image_id) if drawing else None
    if drawing is None or measured is None:
        return reply
    return Later(partial(_keep_agreement, drawing.image_id, measured, reply), writes=True)


def _keep_agreement(
    image_id: int, measured: tuple[int, Agreement], reply: Reply, visit: Visit
) -> Reply:
    keep_agreement(visit.session, image_id, *measured)
    return reply


def _make_saved(
    saved: saving.SavedDrawing,
    drawing: Segmentation | None,
    head: Segmentation | None,
    faults: list[tuple[str, str]],
) -> Reply:
    """What was saved; 409 if it was kept next to a newer one, which comes along, as for boxes."""
    review = saved.review
    answer = SavedSegments(
        segmentation=make_drawing(drawing),
        review=SegmentReview(id=review.id, verdict=review.verdict) if review else None,
        state=saved.choice.state if saved.choice else None,
        is_conflict=saved.code is not None,
        findings=[SegmentFault(object_key=key, reason=reason) for key, reason in faults],
    )
    if saved.code is None:
        return answer, 200 if saved.is_repeated else 201
    kept = KeptSegments(
        **dict(answer),
        error=make_error(saved.code, CONFLICTS[saved.code]),
        kept_as=drawing.id if drawing else None,
        head=make_drawing(head) if saved.code == "stale" else None,
    )
    return kept, 409
