"""Campaigns: images annotated again for some fields, by a version of the guidelines.

The images go into the pool with their boxes, are given out and checked like any other, and go back
to where they were where the campaign ends first.
"""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import ColumnElement, case, exists, func, insert, literal, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.at_rest import rests_in
from catalog.decisions import Standing, decide, load_decisions, stand
from catalog.locks import lock_images
from catalog.refusals import InvalidError, NotFoundError, refuse
from catalog.sentences import Sentence, name_term, say, say_all
from catalog.states import DecisionKind, ImageState, is_step
from catalog.stuck import BadRowError, about_image, is_stuck, keep_stuck
from catalog.tables import (
    Annotation,
    Campaign,
    CampaignImage,
    Decision,
    Image,
    Lease,
    LiveSetting,
)
from catalog.transitions import Move, move_many
from catalog.validation import FileWord

from .lease_endings import IS_OF_BOXES, release_leases

Json = dict[str, Any]
FIELDS = ("class", "box", "view", "truncated", "occluded", "actions", "point", "parts", "objects")
"""What may be looked at again; "objects" are those that are missing or too many."""
MOST_AT_ONCE = 5_000  # images that a transaction moves; saves wait for it, for a second or two
_FINISHED = (ImageState.DISCARDED, ImageState.CHECKED, ImageState.RELEASED)
_AT_REST = (ImageState.POOL, ImageState.RETURNED, ImageState.ANNOTATED, *_FINISHED)
_HELD = (ImageState.ANNOTATING, ImageState.CHECKING)
_IS_DRAWN = Image.state.in_((*_AT_REST, *_HELD)) & Image.annotation_id.is_not(None)
_is_newer = Image.annotation_id != CampaignImage.annotation_id  # unknown while a person has it
_STAGES: Mapping[str, ColumnElement[bool]] = {
    "taken_down": Image.state == ImageState.TAKEN_DOWN,
    "done": _is_newer & rests_in(_FINISHED),
    "check": _is_newer & rests_in([ImageState.ANNOTATED]),
}
STAGES = ("annotate", "check", "done", "taken_down")
"""Where an image of a campaign stands: to annotate, to check, done, or taken down."""


@dataclass(frozen=True)
class Wish:
    """A campaign to be made; without `guidelines_number` it is the newest version."""

    name: str
    fields: Sequence[str]
    guidelines_number: int | None = None
    comment: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)


Progress = tuple[Campaign, dict[str, int]]  # a campaign, and its numbers of images by STAGES


def make_campaign(
    session: Session,
    wish: Wish,
    conditions: Sequence[ColumnElement[bool]],
    *,
    author: str,
    at: datetime,
) -> str:
    """One sentence on the new campaign of the images that fulfil the conditions.

    An image that a person has in hand comes in when it is free. Raises InvalidError where the
    wish is wrong, its name is taken or no image can be in it.
    """
    campaign = Campaign(
        name=wish.name,
        fields=list(wish.fields),
        guidelines_number=_check_wish(session, wish),
        comment=wish.comment.strip(),
        filters=dict(wish.filters),
        made_by=author[:100],
        made_at=at,
    )
    try:
        with session.begin_nested():
            session.add(campaign)
    except IntegrityError as error:
        raise _is_taken(session, wish.name) from error
    chosen = select(literal(campaign.id), Image.id).where(*conditions, _IS_DRAWN)
    session.execute(insert(CampaignImage).from_select(["campaign_id", "image_id"], chosen))
    mine = CampaignImage.campaign_id == campaign.id
    images = session.scalar(select(func.count()).where(mine)) or 0
    others = select(Image).where(*conditions, ~_IS_DRAWN)
    left = session.scalar(select(func.count()).select_from(others.subquery())) or 0
    stayed = None
    if (first := session.scalar(others.order_by(Image.id).limit(1))) is not None:
        is_new = first.state in (*_AT_REST, *_HELD)
        why = (
            say("it has no annotation yet")
            if is_new
            else say("it is {state}", state=name_term(first.state.words))
        )
        stayed = say("Image {image_id} is unchanged: {why}.", image_id=first.id, why=why)
    if not images:
        because = stayed or say("No image matches these filters.")
        message = say("No image can be annotated again. {because}", because=because)
        raise InvalidError(message, field="filters")
    settle_campaigns(session, at=at)
    said = say(
        "{count:,} of {all:,} images will be annotated again in the campaign {name}.",
        count=images,
        all=images + left,
        name=wish.name,
    )
    return say("{sentence} {next}", sentence=said, next=stayed) if stayed else said


_TO_SETTLE = (
    select(CampaignImage, Image, Campaign, Annotation)
    .join(Image, Image.id == CampaignImage.image_id)
    .join(Campaign, Campaign.id == CampaignImage.campaign_id)
    .outerjoin(Annotation, Annotation.id == Image.annotation_id)
    .where(CampaignImage.asked_at.is_(None), Image.state.in_(_AT_REST), ~is_stuck())
    .order_by(Image.id, CampaignImage.campaign_id)
    .with_for_update(of=[Image, CampaignImage, Campaign], skip_locked=True, key_share=True)
    .execution_options(populate_existing=True)
)


def settle_campaigns(session: Session, *, at: datetime) -> None:
    """Put the next images of campaigns into the pool: new ones, and those people had in hand.

    Those of a campaign that ended go where they would be without it. Each request for a task goes
    on where MOST_AT_ONCE ended; what another one is busy with, or a campaign that ends now, is
    passed over.
    """
    rows = session.execute(_TO_SETTLE.limit(MOST_AT_ONCE)).all()
    decisions = load_decisions(session, [image.id for _, image, _, _ in rows])
    moves = dict[int, Move]()
    for asked, image, campaign, head in rows:
        try:
            with about_image(image.id):
                _settle(session, asked, campaign, decisions[image.id], at)
                standing = stand(image, decisions[image.id], head)
                if campaign.ended_at is None:
                    asked.annotation_id = image.annotation_id
                asked.asked_at = at
                _plan_move(moves, image, standing)
        except BadRowError as error:
            keep_stuck(session, error, at=at)
    session.flush()
    move_many(session, moves.values(), at=at)


def _settle(
    session: Session,
    asked: CampaignImage,
    campaign: Campaign,
    decisions: list[Decision],
    at: datetime,
) -> None:
    """Write that the campaign asks for the image, or that it ended, which sets its asking aside."""
    kind = DecisionKind.CAMPAIGN_ENDED if campaign.ended_at else DecisionKind.ASKED_AGAIN
    said: Json = {"campaign_id": campaign.id, "reason": campaign.name}
    if campaign.ended_at is not None:
        asking = [
            decision
            for decision in decisions
            if decision.campaign_id == campaign.id and decision.kind is DecisionKind.ASKED_AGAIN
        ]
        if not asking:  # a person had it until the campaign ended: it never came in
            return
        for decision in asking:
            decision.set_aside_at = decision.set_aside_at or at
    decisions.append(decide(session, asked.image_id, kind, at=at, **said))


def _plan_move(moves: dict[int, Move], image: Image, standing: Standing) -> None:
    """Note the step that the image takes, if any, in place of one that was noted before.

    Raises AssertionError for a step that does not exist in an image's life.
    """
    moves.pop(image.id, None)
    if standing.state is not image.state:
        enters = standing.state
        reason = standing.reason
        assert is_step(image.state, enters), f"no step leads from {image.state} to {enters}"
        moves[image.id] = Move(image.id, image.state, enters, reason)


def get_campaign(session: Session, condition: ColumnElement[bool]) -> Campaign:
    """The campaign that fulfils the condition; raises NotFoundError where there is none."""
    campaign = session.scalar(select(Campaign).where(condition))
    if campaign is None:
        raise NotFoundError(say("This campaign does not exist. The board lists all campaigns."))
    return campaign


def end_campaign(session: Session, campaign: Campaign, *, organiser: str, at: datetime) -> Sentence:
    """One sentence on what became of its images; raises InvalidError where it had ended."""
    # Two ends at once would each leave an image to the other's campaign. Only ends wait for this
    # lock, so it may come before those of the images.
    open_ones = select(Campaign.id).where(Campaign.ended_at.is_(None)).order_by(Campaign.id)
    session.execute(open_ones.with_for_update(key_share=True))
    session.refresh(campaign)
    if campaign.ended_at is not None:
        raise InvalidError(
            say(
                "{ended_by} already ended the campaign {name}.",
                ended_by=campaign.ended_by or "",
                name=campaign.name,
            )
        )
    mine = CampaignImage.campaign_id == campaign.id
    ((_, stages),) = load_progress(session, mine)
    campaign.ended_at = at
    campaign.ended_by = organiser[:100]
    session.flush()
    images = select(CampaignImage.image_id).where(mine)
    lock_images(session, images)
    reserved = Lease.image_id.in_(images) & Lease.opened_at.is_(None) & IS_OF_BOXES
    release_leases(session, reserved, "taken_back", at=at)
    session.execute(update(CampaignImage).where(mine).values(asked_at=None))
    settle_campaigns(session, at=at)
    return say(
        "Campaign {name} has ended: {done:,} of {all:,} images are done, the others return to "
        "their earlier state.",
        name=campaign.name,
        done=stages["done"],
        all=sum(stages.values()),
    )


def find_user() -> str:
    """The account that runs a command."""
    try:
        return f"{getpass.getuser()} (command line)"
    except (KeyError, OSError):  # an account without a name, as in some containers
        return "command line"


def find_campaigns(session: Session, image_id: int) -> list[Campaign]:
    """The campaigns that ask for the image to be annotated again, the first one first."""
    of_image = select(CampaignImage.campaign_id).where(CampaignImage.image_id == image_id)
    asking = select(Campaign).where(Campaign.id.in_(of_image), Campaign.ended_at.is_(None))
    return list(session.scalars(asking.order_by(Campaign.id)))


def describe_campaign(campaign: Campaign) -> Sentence:
    """What an annotator is asked to do."""
    fields = say_all([name_term(name) for name in campaign.fields])
    version = campaign.guidelines_number
    if version:
        task = say(
            "Check {fields} again, by version {version} of the guidelines.",
            fields=fields,
            version=version,
        )
    else:
        task = say("Check {fields} again.", fields=fields)
    return (
        say("{task} {comment}", task=task, comment=campaign.comment) if campaign.comment else task
    )


def load_progress(session: Session, condition: ColumnElement[bool]) -> list[Progress]:
    """The campaigns of images that fulfil the condition, the newest first, and how far they are."""
    stage = case(*((is_there, name) for name, is_there in _STAGES.items()), else_=STAGES[0])
    counted = select(CampaignImage.campaign_id, stage, func.count()).where(condition)
    counted = counted.join(Image, Image.id == CampaignImage.image_id)
    counts: dict[int, dict[str, int]] = {}
    for key, name, count in session.execute(counted.group_by(CampaignImage.campaign_id, stage)):
        counts.setdefault(key, dict.fromkeys(STAGES, 0))[name] = count
    chosen = select(Campaign).where(Campaign.id.in_(counts)).order_by(Campaign.id.desc())
    return [(campaign, counts[campaign.id]) for campaign in session.scalars(chosen)]


def load_open_progress(session: Session) -> list[Progress]:
    """The campaigns that did not end, the newest first."""
    open_ones = select(Campaign.id).where(Campaign.ended_at.is_(None))
    return load_progress(session, CampaignImage.campaign_id.in_(open_ones))


def is_of_campaign(word: str) -> ColumnElement[bool]:
    """Whether an image is in a campaign (NAME), or stands there (NAME/STAGE); or InvalidError."""
    name, _, stage = word.partition("/")
    if stage and stage not in STAGES:
        refuse("campaign", say("expected NAME, or NAME/ and one of {stages}", stages=list(STAGES)))
    is_there = _STAGES.get(stage)
    if stage == STAGES[0]:
        is_there = ~func.coalesce(or_(*_STAGES.values()), False)
    campaign = select(Campaign.id).where(Campaign.name == name).scalar_subquery()
    is_member = exists().where(
        CampaignImage.image_id == Image.id, CampaignImage.campaign_id == campaign
    )
    return is_member if is_there is None else is_member.where(is_there)


def _check_wish(session: Session, wish: Wish) -> int:
    """The number of the guidelines' version; raises InvalidError for the first wrong word."""
    try:
        TypeAdapter(FileWord).validate_python(wish.name)
    except ValidationError:
        refuse("name", say("expected one word of letters, digits, '_', '.' and '-'"))
    wrong = [name for name in wish.fields if name not in FIELDS]
    if wrong or not wish.fields:
        fields = list(FIELDS)
        got = repr(wrong[0]) if wrong else say("nothing")
        refuse("fields", say("expected some of {fields}, got {got}", fields=fields, got=got))
    if session.scalar(select(Campaign.id).where(Campaign.name == wish.name)) is not None:
        raise _is_taken(session, wish.name)
    of_guidelines = LiveSetting.name == "guidelines"
    last = session.scalar(select(func.max(LiveSetting.number)).where(of_guidelines)) or 0
    number = last if wish.guidelines_number is None else wish.guidelines_number
    if not 0 <= number <= last:
        refuse(
            "guidelines",
            say("there is no version {number}, the newest is {last}", number=number, last=last),
        )
    return number


def _is_taken(session: Session, name: str) -> InvalidError:
    author = session.scalar(select(Campaign.made_by).where(Campaign.name == name))
    message = say(
        "{author} already started a campaign {name}. Choose another name.",
        author=author or "",
        name=name,
    )
    return InvalidError(message, field="name")
