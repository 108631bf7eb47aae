"""Images looked up by organisers, and what they do with those."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal

from flask import request
from pydantic import Field

from catalog.refusals import InvalidError, StaleError, refuse
from catalog.sentences import Sentence, say
from catalog.states import ImageState
from catalog.tables import Campaign, Image
from web.language import translate
from work import facets, lookup
from work.bodies import Body, Comment, Id
from work.campaigns import Wish, end_campaign, get_campaign, make_campaign
from work.image_actions import ACTIONS, act_on_images, compare_images
from work.seen import may_see
from work.shown import version_of_image
from work.undo_words import name_images
from work.visit import Visit

from .addresses import image_url
from .drawn import BoxedObject, list_boxed
from .names import PersonName
from .schemas import Answer, Reply, Routes, Shown, parse_number

blueprint = Routes("lookup", __name__, url_prefix="/images")

PAGE = 48
MOST = 5000
"""Of one action; a larger one would hold up everyone's saves."""
MOST_NAMED = 20
MOST_COUNTED = 10_000
"""Above this number a page says "more than"; counting all of a large party takes longer."""


class ShownBody(Body):
    """An image, and its version as it was shown."""

    image_id: Id
    version: Annotated[str, Field(max_length=100)]


class CampaignBody(Body):
    """A campaign of images, each as the sender was shown it."""

    name: Annotated[str, Field(max_length=100)]
    fields: Annotated[tuple[str, ...], Field(max_length=20)]
    guidelines: int | None = None
    comment: Comment = ""
    filters: Annotated[dict[str, str], Field(max_length=20, default_factory=dict)]
    images: Annotated[tuple[ShownBody, ...], Field(min_length=1, max_length=MOST)]


class ActionBody(Body):
    """What to do with images, each as the sender was shown it."""

    action: Literal["return", "reopen", "discard", "take_down", "undo"]
    images: Annotated[tuple[ShownBody, ...], Field(min_length=1, max_length=MOST)]
    words: Comment = ""


class ImageVersion(Answer):
    """An image as it is now.

    The version is another one whenever the image, its state or its newest revision changed.
    """

    image_id: int
    version: str


class FoundImage(ImageVersion):
    """An image as a search shows it; without its picture once that was taken down."""

    width: int
    height: int
    image_url: str | None
    state: ImageState
    state_at: datetime
    reason: str | None
    author: PersonName | None
    title: str
    objects: list[BoxedObject]


class FoundPage(Answer):
    """48 images, newest first; `?before=` with `next` goes on; `total` counts to 10,000."""

    filters: dict[str, str]
    total: int
    is_more: bool
    images: list[FoundImage]
    next: int | None


class ImageVersions(Answer):
    """All images that the filters find."""

    images: list[ImageVersion]


class FacetCount(Answer):
    """A value of a filter, and how many of the counted images it finds."""

    value: str
    images: int


class FacetCounts(Answer):
    """Counts by filter, largest first, over the `counted` newest images that were found."""

    counted: int
    facets: dict[str, list[FacetCount]]


class FilterValues(Answer):
    """The names by filter with which a search can be completed, apart from the preset's words."""

    values: dict[str, list[str]]


class ActionResult(Answer):
    """The images that were changed, those that changed since they were shown, and a sentence.

    `now` are the changed images as they are now.
    """

    changed: list[int]
    now: list[ImageVersion]
    changed_since: list[int]
    message: str


class Message(Answer):
    """What was done, in one sentence."""

    message: str


@blueprint.on_get("", answers=FoundPage)
def show_images(visit: Visit) -> Reply:
    """One page of the images that the filters of the Images page find, the newest first."""
    args = request.args.to_dict()
    before = parse_number(args, "before")
    args.pop("before", None)
    filters = lookup.parse_filters(visit.session, args, visit.party, visit.party.find_word_today)
    conditions = [*lookup.make_conditions(filters, visit.party.words), may_see(visit)]
    images = lookup.find_images(visit.session, conditions, before=before, limit=PAGE + 1)
    total = lookup.count_images(visit.session, conditions, MOST_COUNTED + 1)
    visit.shown.update(image.id for image in images[:PAGE] if image.annotation is not None)
    return FoundPage(
        filters=filters,
        total=min(total, MOST_COUNTED),
        is_more=total > MOST_COUNTED,
        images=[_make_found(image) for image in images[:PAGE]],
        next=images[PAGE - 1].id if len(images) > PAGE else None,
    )


@blueprint.on_get("/versions", answers=ImageVersions)
def show_versions(visit: Visit) -> Reply:
    """All images that the filters find, at most 5,000, to be confirmed before an action."""
    conditions = _choose(visit, request.args.to_dict())
    count = lookup.count_images(visit.session, conditions)
    if not count:
        raise InvalidError(say("No image matches. Remove a filter."), field="filters")
    if count > MOST:
        message = say(
            "{count:,} images match, more than {most:,}. Add a filter.", count=count, most=MOST
        )
        raise InvalidError(message, field="filters")
    versions = lookup.list_versions(visit.session, conditions)
    return ImageVersions(images=[ImageVersion.model_validate(version) for version in versions])


@blueprint.on_get("/facets", answers=FacetCounts)
def show_facets(visit: Visit) -> Reply:
    """How many of the newest 10,000 images that the filters find have which values."""
    args = request.args.to_dict()
    filters = lookup.parse_filters(visit.session, args, visit.party, visit.party.find_word_today)
    conditions = [*lookup.make_conditions(filters, visit.party.words), may_see(visit)]
    counted = facets.count_facets(visit.session, conditions, visit.party)
    return FacetCounts(
        counted=counted.counted,
        facets={
            name: [FacetCount(value=count.value, images=count.images) for count in counts]
            for name, counts in counted.counts.items()
        },
    )


@blueprint.on_get("/values", answers=FilterValues)
def show_values(visit: Visit) -> Reply:
    """The names of people, queries, sets and campaigns, at most 500 of each."""
    return FilterValues(values=facets.list_values(visit.session))


@blueprint.on_post("/actions", shows=Shown("images"), answers=ActionResult)
def post_action(visit: Visit, body: ActionBody) -> Reply:
    """The images that were changed, those that changed since they were shown, and a sentence.

    The sentence also says why the first other one stayed. `words` are the comment of a return, the
    reason of a discard or a takedown. "undo" takes one's own last decision about each image back.
    """
    words = body.words.strip()
    reasons = [reason.key for reason in visit.party.preset.discard_reasons]
    if body.action not in ("reopen", "undo") and not words:
        raise InvalidError(say("The reason is missing. Write why, in a few words."), field="words")
    if body.action == "discard" and words not in reasons:
        raise InvalidError(
            say("Unknown reason. Choose one of: {reasons}.", reasons=list(reasons)), field="words"
        )
    shown = {item.image_id: item.version for item in body.images}
    done = act_on_images(visit, body.action, shown, words)
    sentences = [
        say(
            "{count:,} of {all:,} images {done}.",
            count=len(done.changed),
            all=len(shown),
            done=ACTIONS[body.action][1],
        )
    ]
    if done.changed_since:
        sentences.append(_name_changed(done.changed_since))
    if done.left:
        sentences.append(done.left[0])
    return ActionResult(
        changed=done.changed,
        now=_list_now(visit, done.changed),
        changed_since=done.changed_since,
        message=" ".join(map(translate, sentences)),
    )


@blueprint.on_post("/campaigns", shows=Shown("images"), answers=Message)
def post_campaign(visit: Visit, body: CampaignBody) -> Reply:
    """What images are annotated again, in one sentence."""
    shown = {item.image_id: item.version for item in body.images}
    as_shown, changed_since = compare_images(visit, shown)
    if not as_shown:
        raise StaleError(_name_changed(changed_since))
    conditions = [Image.id.in_(as_shown), may_see(visit)]
    wish = Wish(
        name=body.name,
        fields=body.fields,
        guidelines_number=body.guidelines,
        comment=body.comment,
        filters=body.filters,
    )
    message = make_campaign(visit.session, wish, conditions, author=visit.person.name, at=visit.at)
    sentences = [message]
    if changed_since:
        sentences.append(_name_changed(changed_since))
    return Message(message=" ".join(map(translate, sentences)))


@blueprint.on_post("/campaigns/<int:campaign_id>/end", shows=Shown("campaign_id"), answers=Message)
def post_end(visit: Visit, campaign_id: int) -> Reply:
    """What became of the campaign's images, in one sentence.

    After a restore, another campaign may have the name; its number is another one.
    """
    campaign = get_campaign(visit.session, Campaign.id == campaign_id)
    message = end_campaign(visit.session, campaign, organiser=visit.person.name, at=visit.at)
    return Message(message=translate(message))


def _list_now(visit: Visit, image_ids: Sequence[int]) -> list[ImageVersion]:
    versions = lookup.list_versions(visit.session, [Image.id.in_(image_ids)])
    return [ImageVersion.model_validate(version) for version in versions]


def _name_changed(image_ids: Sequence[int]) -> Sentence:
    """The images that were left out, the first of them by their numbers."""
    names = name_images(image_ids)
    return say("Unchanged, because they changed since they were shown: {images}.", images=names)


def _choose(visit: Visit, wanted: Mapping[str, str]) -> list[lookup.Condition]:
    """What the images of a change fulfil; raises InvalidError where that would be all images."""
    if not wanted:
        message = say("This would change every image of the party. Set a filter first.")
        raise InvalidError(message, field="filters")
    filters = lookup.parse_filters(visit.session, wanted, visit.party, visit.party.find_word_today)
    conditions = lookup.make_conditions(filters, visit.party.words)
    if not conditions:
        refuse("filters", say("expected one at least"))
    return [*conditions, may_see(visit)]


def _make_found(image: Image) -> FoundImage:
    """An image without its picture once that was taken down."""
    head = image.annotation
    photo = image.photos[0] if image.photos else None
    is_gone = image.state is ImageState.TAKEN_DOWN
    return FoundImage(
        image_id=image.id,
        version=version_of_image(image),
        width=image.width,
        height=image.height,
        image_url=None if is_gone else image_url(image.sha256),
        state=image.state,
        state_at=image.state_at,
        reason=translate(image.why) if image.reason_parts else image.reason,
        author=PersonName.model_validate(head.person) if head else None,
        title=(photo.title or "") if photo and not is_gone else "",
        objects=[] if is_gone else list_boxed(head),
    )
