"""A leased image as an answer, with all that its page shows of it."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ConfigDict, Field, field_validator

from catalog.box import Box
from catalog.origins import load_origins
from catalog.states import BlindKind, ImageState, LeaseKind, PhotoState, Taster
from catalog.stuck import require_of_image, require_sound
from catalog.tables import Annotation, Image, Lease
from qa.blind_rows import find_blind_of
from qa.check_list import enabled_checks
from qa.finding_rows import list_findings
from web.language import translate
from work.bodies import Xyxy
from work.campaigns import describe_campaign, find_campaigns
from work.history import compare_with_verdict, find_author_of_repeat
from work.questions.answering import list_seen_more
from work.reviews import find_return
from work.revision_rows import load_head, load_revision
from work.suggestions import SuggestedBox, offer_suggestions
from work.visit import Visit

from .addresses import image_url, safe_url
from .drawn import Change, PartAnswer, Picture, Revision, add_rejected
from .findings import OpenFinding, make_open_finding
from .leases import LeaseAnswer, name_kind
from .names import PersonName, show_name
from .reviews import JudgedObject, Round, list_rounds, make_judged
from .schemas import Answer, ClassId


class PhotoAnswer(Answer):
    """The photograph of an image."""

    title: str
    owner_name: str
    page_url: str | None


class Returned(Answer):
    """Why an image came back."""

    comment: str
    checker: str
    objects: list[JudgedObject]


class CampaignAnswer(Answer):
    """A campaign for which an image is annotated again."""

    name: str
    made_by: str
    text: str


class OriginAnswer(Answer):
    """Where an imported object stood in the files of another tool, and what these say of it.

    Made of a value of these fields.
    """

    model_config = ConfigDict(from_attributes=True)

    form: str
    place: str
    attributes: dict[str, str]


class SuggestionAnswer(Answer):
    """A box that a model suggests, with its confidence from 0 to 1. Made of a value of these.

    `is_confirmed` where two people called its crop right: the page draws it as an object.
    """

    model_config = ConfigDict(from_attributes=True)

    id: int
    class_id: ClassId
    box: Xyxy
    confidence: float
    is_confirmed: bool = False
    parts: tuple[PartAnswer, ...] = ()

    @field_validator("box", mode="before")
    @classmethod
    def _read_box(cls, box: Any) -> Any:
        return box.xyxy if isinstance(box, Box) else box


class Held(Picture):
    """A leased image, without what was drawn on it."""

    image_id: int
    kind: str
    photo: PhotoAnswer | None
    lease: LeaseAnswer
    annotation: Revision | None


H = TypeVar("H", bound=Held)


class Task(Held):
    """A leased image; what stands behind `campaigns` is told to checkers only.

    `suggestions` are the best first, and none where there are none or a lottery withholds them, or
    where people choose whom they draw. `seen_more` are classes of which somebody saw another object
    when they verified the suggestions.
    `origins` are those of the objects of `annotation` that were imported, by their keys. For
    `taster` alone people are chosen and annotated; a save sends it back. A checker is told what the
    author was asked for.
    """

    kind: LeaseKind
    review: Returned | None
    suggestions: list[SuggestionAnswer] = Field(default_factory=list)
    seen_more: list[str] = Field(default_factory=list)
    origins: dict[str, OriginAnswer] = Field(default_factory=dict)
    campaigns: list[CampaignAnswer] = Field(default_factory=list)
    author: PersonName | None = None
    findings: list[OpenFinding] = Field(default_factory=list)
    is_released: bool = False
    rounds: list[Round] = Field(default_factory=list)
    changes: list[Change] = Field(default_factory=list)
    shows: str | None = None
    taster: Taster | None = None


def make_task(visit: Visit, lease: Lease, image: Image) -> Task:
    """A leased image with all that the page shows of it."""
    if lease.kind is LeaseKind.BLIND:
        blind = find_blind_of(visit.session, visit.person.id, image.id)
        drawn = load_revision(visit.session, blind.annotation_id) if blind else None
        require_of_image(image, drawn)
        task = make_held(Task, lease, image, drawn, review=None)
        if blind is not None and blind.kind is not BlindKind.TRAINING:
            is_double = blind.kind is BlindKind.DOUBLE
            _add_suggestions(visit, task, is_blind=True, is_double=is_double)
        return task
    head = load_head(visit.session, image)
    require_sound(image, head, lease.returns_to)
    task = make_held(Task, lease, image, head, review=None)
    drawn = head if lease.kind is LeaseKind.CHECK else None
    if taster := image.taster if drawn is None else drawn.taster:
        task.taster = taster
    if lease.kind is LeaseKind.ANNOTATE:
        _add_suggestions(visit, task)
    if head is None:
        return task
    if origins := _find_origins(visit, head):  # a blind answer has none, and no task tells that
        task.origins = origins
    task.review = _find_returned(visit, image)
    if campaigns := find_campaigns(visit.session, image.id):
        task.campaigns = [
            CampaignAnswer(
                name=campaign.name,
                made_by=campaign.made_by,
                text=translate(describe_campaign(campaign)),
            )
            for campaign in campaigns
        ]
    if lease.kind is LeaseKind.CHECK:
        _add_for_checker(visit, task, lease, image, head)
    return task


def make_held(
    answer: type[H], lease: Lease, image: Image, drawn: Annotation | None, **more: Any
) -> H:
    """A leased image with what was drawn on it; `more` are other fields of the answer."""
    return answer(
        image_url=image_url(image.sha256),
        width=image.width,
        height=image.height,
        image_id=image.id,
        kind=name_kind(lease),
        photo=_find_photo(image),
        lease=LeaseAnswer.model_validate(lease),
        annotation=Revision.model_validate(drawn) if drawn else None,
        **more,
    )


def _find_photo(image: Image) -> PhotoAnswer | None:
    """The first photograph of an image that was not withdrawn."""
    for photo in image.photos:
        if photo.state is not PhotoState.WITHDRAWN:
            return PhotoAnswer(
                title=photo.title or "",
                owner_name=photo.owner_name or "",
                page_url=safe_url(photo.page_url),
            )
    return None


def _add_suggestions(
    visit: Visit, task: Task, *, is_blind: bool = False, is_double: bool = False
) -> None:
    """Add what is suggested for the image, and what its annotation rejected so far.

    Who annotates blind is not told what others said about it on the verification page.
    """
    offer = offer_suggestions(visit, task.image_id, taster=task.taster, is_double=is_double)
    if offer.suggestions:
        is_new = task.annotation is None and not is_blind
        task.suggestions = [_make_suggestion(item, is_new) for item in offer.suggestions]
        if is_new and (seen_more := _list_seen_more(visit, task.image_id)):
            task.seen_more = seen_more
    if task.annotation is not None:
        add_rejected(visit, task.annotation)


def _list_seen_more(visit: Visit, image_id: int) -> list[str]:
    """The party's classes of which somebody saw another object in the image."""
    known = set(visit.party.preset.class_ids.values())
    return [name for name in list_seen_more(visit.session, image_id) if name in known]


def _make_suggestion(box: SuggestedBox, is_new: bool) -> SuggestionAnswer:
    """A suggestion; one that is confirmed says so where nothing was drawn yet."""
    answer = SuggestionAnswer.model_validate(box)
    if not (answer.is_confirmed and is_new):
        answer = answer.model_copy(update={"is_confirmed": False})
        answer.model_fields_set.discard("is_confirmed")
    if not answer.parts:
        answer.model_fields_set.discard("parts")
    return answer


def _find_origins(visit: Visit, head: Annotation) -> dict[str, OriginAnswer]:
    """Where the imported objects of the revision come from, by their keys."""
    origins = load_origins(visit.session, [head.image_id]).get(head.image_id, {})
    keys = (item.object_key for item in head.objects)
    return {key: OriginAnswer.model_validate(origins[key]) for key in keys if key in origins}


def _find_returned(visit: Visit, image: Image) -> Returned | None:
    """Why an image came back, where it did."""
    review = find_return(visit.session, image.id)
    if review is None:
        return None
    return Returned(
        comment=review.comment or "",
        checker=show_name(review.person),
        objects=[make_judged(verdict) for verdict in review.object_verdicts],
    )


def _add_for_checker(
    visit: Visit, task: Task, lease: Lease, image: Image, head: Annotation
) -> None:
    """Add what checkers alone are told: earlier verdicts, open findings of the checks that are on.

    Of an image that is checked a second time, a checker is told of no earlier verdict.
    """
    session = visit.session
    checks = [check.name for check in enabled_checks(visit.settings)]
    findings = list_findings(session, image_id=image.id, checks=checks)
    task.findings = [make_open_finding(row) for row in findings]
    author = find_author_of_repeat(visit, lease)
    task.is_released = lease.returns_to is ImageState.RELEASED and author is None
    if author is not None:
        task.rounds = []
        task.changes = []
        task.author = PersonName.model_validate(author)
        return
    changes, _ = compare_with_verdict(visit, image)
    task.rounds = list_rounds(session, image.id)
    task.changes = [Change.model_validate(change) for change in changes]
    task.author = PersonName.model_validate(head.person)
