"""The organiser's board: where the party stands, its shares, leases to take back."""

from __future__ import annotations

from datetime import UTC, tzinfo
from typing import Annotated
from zoneinfo import ZoneInfo

from flask import Response, request
from pydantic import Field

from catalog.locks import lock_image
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.states import ImageState
from work.bodies import Body
from work.leases import read_number
from work.live_settings import SHARES, save_qa_settings
from work.revision_rows import get_image
from work.shown import version_of_lease
from work.stuck import settle_image
from work.tasks import give_back, lock_lease
from work.visit import Visit

from .answers import format_moment, save_or_head
from .board_agreement import AgreementAnswer, load_agreement
from .board_answer import Board, Shares, load_shares_answer, make_board
from .board_tables import TABLES, format_csv
from .schemas import Answer, Base, NoAnswer, Now, Reply, Routes, Shown, VersionBody

blueprint = Routes("board", __name__, url_prefix="/board")

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
_Images = Annotated[int, Field(ge=0, le=100)]


class SharesBody(Body):
    """Shares of images, and the number of the version that they started from."""

    base: Base
    double_share: _Share
    gold_share: _Share
    training_images: _Images


class StateBody(Body):
    """The state of the image as the sender was shown it."""

    state: Annotated[ImageState, Field(strict=False)]


class SettledImage(Answer):
    """The state of an image that was stuck."""

    state: ImageState


@blueprint.on_get("", answers=Board)
def show_board(visit: Visit) -> Reply:
    """Where the party stands; `?zone=Europe/Zurich` says where days begin."""
    return make_board(visit, _get_zone())


@blueprint.on_get("/agreement", answers=AgreementAnswer)
def show_agreement(visit: Visit) -> Reply:
    """Who agrees with whom."""
    return load_agreement(visit)


@blueprint.on_get("/<name>.csv", answers=str)
def send_table(visit: Visit, name: str) -> Reply:
    """One plot's numbers: images, classes, people, hours, progress, seconds or agreement."""
    if name not in TABLES:
        raise NotFoundError(say("Unknown table. Tables: {tables}.", tables=list(TABLES)))
    answer = load_agreement(visit) if name == "agreement" else make_board(visit, _get_zone())
    columns, list_rows = TABLES[name]
    moment = format_moment(visit.at).replace(":", "")
    return Response(
        format_csv(columns, list_rows(answer.model_dump(by_alias=True))),
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}-{moment}.csv"'},
    )


@blueprint.on_put("/shares", shows=Shown("base"), answers=Shares)
def put_shares(visit: Visit, body: SharesBody) -> Reply:
    """The shares of images that hold from now on; other settings of checking stay as they are."""

    def save() -> Shares:
        save_qa_settings(visit, body.model_dump(include=set(SHARES)), base=body.base)
        return load_shares_answer(visit)

    return save_or_head(save, lambda: load_shares_answer(visit))


def _load_lease_now(visit: Visit, person_id: int, lease_id: int) -> Now:
    """What the person has in hand now; raises LeaseLostError where it is nothing of this image."""
    kind, image_id = read_number(lease_id)
    return Now(version_of_lease(lock_lease(visit.session, kind, image_id, person_id)))


@blueprint.on_post(
    "/people/<int:person_id>/leases/<int:lease_id>/take-back",
    shows=Shown("version", _load_lease_now),
)
def take_lease_back(visit: Visit, person_id: int, lease_id: int, body: VersionBody) -> Reply:
    """Nothing; the image is where it came from, and work that comes later is taken if it fits."""
    kind, image_id = read_number(lease_id)
    give_back(visit, kind, image_id, of_id=person_id)
    return NoAnswer()


def _load_state_now(visit: Visit, image_id: int) -> Now:
    """The state of the image now, which no one else changes; raises NotFoundError."""
    lock_image(visit.session, image_id)
    image = get_image(visit.session, image_id)
    visit.session.refresh(image)
    return Now(image.state, SettledImage(state=image.state))


@blueprint.on_post(
    "/stuck/<int:image_id>/settle",
    shows=Shown("state", _load_state_now),
    answers=SettledImage,
)
def post_settle(visit: Visit, image_id: int, body: StateBody) -> Reply:
    """The state of an image that was stuck: where its own revisions and verdicts say."""
    return SettledImage(
        state=settle_image(visit.session, image_id, at=visit.at, organiser=visit.person)
    )


def _get_zone() -> tzinfo:
    """The zone that a browser names ("Europe/Zurich"); UTC where this machine does not know it."""
    try:
        return ZoneInfo(request.args.get("zone", "UTC"))
    except (ValueError, KeyError, OSError):  # no name, no such zone, a folder of them
        return UTC
