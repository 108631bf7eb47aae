"""Images looked up by organisers, and what they do with those."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import request
from pydantic import Field

from catalog.refusals import InvalidError, RefusedError, refuse
from catalog.states import ImageState
from catalog.tables import Image
from web.language import translate
from web.service import Visit
from work import lookup
from work.blind import select_hidden
from work.campaigns import Wish, end_campaign, make_campaign
from work.image_actions import ACTIONS
from work.revisions import get_image

from .answers import Json, format_boxed, image_url, tell
from .schemas import Body, Comment, Id, Reply, Routes, each, like, parse_number, shape
from .told import BoxedObject, PersonName

blueprint = Routes("lookup", __name__, url_prefix="/images")

PAGE = 48
MOST = 5000
"""Of one action; a larger one would hold up everyone's saves."""
MOST_COUNTED = 10_000
"""Above this number a page says "more than"; counting all of a large party takes longer."""


class ChosenBody(Body):
    """The images that `ids` names, or all that `filters` find."""

    ids: Annotated[tuple[Id, ...], Field(max_length=1000)] = ()
    filters: Annotated[dict[str, str], Field(max_length=20, default_factory=dict)]


class CampaignBody(ChosenBody):
    """A campaign of all images that the filters find, or of these."""

    name: Annotated[str, Field(max_length=100)]
    fields: Annotated[tuple[str, ...], Field(max_length=20)]
    guidelines: int | None = None
    comment: Comment = ""


class ActionBody(ChosenBody):
    """What to do with images; a filter or ids are needed."""

    action: Literal["return", "reopen", "discard", "take_down"]
    words: Comment = ""


Found = shape(
    "Found: an image as a search shows it; without its picture once that was taken down.",
    **each(int, "image_id width height"),
    image_url=str | None,
    **like(Image, "state state_at reason"),
    author=PersonName | None,
    title=str,
    objects=[BoxedObject],
)
FoundPage = shape(
    "FoundPage: 48 images, newest first; `?before=` with `next` goes on; `total` counts to 10,000.",
    filters=dict[str, str],
    total=int,
    is_more=bool,
    images=[Found],
    next=int | None,
)


@blueprint.on_get("", told=FoundPage)
def show_images(visit: Visit) -> Reply:
    """One page of the images that the filters of the Images page find, the newest first."""
    args = request.args.to_dict()
    before = parse_number(args, "before")
    args.pop("before", None)
    filters = lookup.parse_filters(args, visit.party.former_classes)
    conditions = [*lookup.make_conditions(filters), Image.id.not_in(select_hidden(visit))]
    found = lookup.find_images(visit.session, conditions, before=before, limit=PAGE + 1)
    total = lookup.count_images(visit.session, conditions, MOST_COUNTED + 1)
    return {
        "filters": filters,
        "total": min(total, MOST_COUNTED),
        "is_more": total > MOST_COUNTED,
        "images": [_format(one) for one in found[:PAGE]],
        "next": found[PAGE - 1].id if len(found) > PAGE else None,
    }


@blueprint.on_post("/actions", told={"changed": list[int], "message": str})
def post_action(visit: Visit, body: ActionBody) -> Reply:
    """The images that were changed, and in one sentence why the first other one stayed.

    `words` are the comment of a return, the reason of a discard or a takedown.
    """
    conditions, words = _choose(visit, body), body.words.strip()
    chosen = list(body.ids) or lookup.list_ids(visit.session, conditions)
    if not chosen:
        raise InvalidError("No image matches. Remove a filter.", field="filters")
    if len(chosen) > MOST:
        message = f"{len(chosen):,} images match, more than {MOST:,}. Add a filter."
        raise InvalidError(message, field="filters")
    reasons = [one.key for one in visit.party.preset.discard_reasons]
    if body.action != "reopen" and not words:
        raise InvalidError("The reason is missing. Write why, in a few words.", field="words")
    if body.action == "discard" and words not in reasons:
        raise InvalidError(f"Unknown reason. Choose one of: {', '.join(reasons)}.", field="words")
    act, done = ACTIONS[body.action]
    changed, left = list[int](), list[str]()
    for image_id in sorted(chosen):
        try:
            with visit.session.begin_nested():
                act(visit, get_image(visit.session, image_id), words)
            changed.append(image_id)
        except RefusedError as error:
            left.append(f" Image {image_id} is unchanged: {error}")
    said = f"{len(changed):,} of {len(chosen):,} images {done}."
    return {"changed": changed, "message": translate(said + (left[0] if left else ""))}


@blueprint.on_post("/campaigns", told={"message": str})
def post_campaign(visit: Visit, body: CampaignBody) -> Reply:
    """What images are annotated again, in one sentence."""
    conditions = _choose(visit, body)
    if body.ids:
        conditions.append(Image.id.in_(body.ids))
    wish = Wish(body.name, body.fields, body.guidelines, body.comment, body.filters)
    by = visit.person.name
    return {"message": make_campaign(visit.session, wish, conditions, by=by, at=visit.at)}


@blueprint.on_post("/campaigns/<name>/end", told={"message": str})
def post_end(visit: Visit, name: str) -> Reply:
    """What became of the campaign's images, in one sentence."""
    return {"message": end_campaign(visit.session, name, by=visit.person.name, at=visit.at)}


def _choose(visit: Visit, body: ChosenBody) -> list[lookup.Condition]:
    """What the images of a change fulfil; raises InvalidError where that would be all images."""
    if body.ids and body.filters:
        raise InvalidError("Send either ids or filters, not both.", field="filters")
    if not body.ids and not body.filters:
        message = "This would change every image of the party. Set a filter first."
        raise InvalidError(message, field="filters")
    filters = lookup.parse_filters(body.filters, visit.party.former_classes)
    conditions = lookup.make_conditions(filters)
    if not body.ids and not conditions:
        refuse("filters", "expected one at least")
    return [*conditions, Image.id.not_in(select_hidden(visit))]


def _format(image: Image) -> Json:
    """An image without its picture once that was taken down."""
    head = image.annotation
    photo = image.photos[0] if image.photos else None
    is_gone = image.state is ImageState.TAKEN_DOWN
    return tell(
        Found,
        image,
        image_id=image.id,
        image_url=None if is_gone else image_url(image.sha256),
        author=head and head.person,
        title=(photo.title or "") if photo and not is_gone else "",
        objects=[format_boxed(one) for one in head.objects] if head and not is_gone else [],
    )
