"""The difficult pass."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint, request
from flask.typing import ResponseReturnValue
from pydantic import Field
from sqlalchemy import select

from annotate_ui.organise.difficult_pass import (
    Judgement,
    give_class_back,
    list_waiting_classes,
    save_judgements,
    take_class,
)
from annotate_ui.roles import allowed
from annotate_ui.visit import Visit
from catalog.states import Role
from catalog.tables import Image
from qa.difficulty import ToJudge

from .answers import Json, crop_url
from .schemas import Body, EmptyBody, Id, ObjectKey, parse_body

blueprint = Blueprint("difficult", __name__, url_prefix="/difficult")


class JudgementBody(Body):
    """One word on one object."""

    image_id: Id
    key: ObjectKey
    difficult: bool


class JudgementsBody(Body):
    """POST /difficult/CLASS/judgements."""

    objects: Annotated[tuple[JudgementBody, ...], Field(max_length=500)]


@blueprint.get("")
@allowed(Role.ORGANISER)
def show_waiting(visit: Visit) -> ResponseReturnValue:
    """How many objects of each class wait."""
    display = visit.party.preset.class_displays
    return {
        "classes": [
            {
                "name": one.name,
                "display": display[one.name],
                "waiting": one.waiting,
                "holder": one.holder,
            }
            for one in list_waiting_classes(visit)
        ]
    }


@blueprint.post("/<class_name>/take")
@allowed(Role.ORGANISER)
def post_take(visit: Visit, class_name: str) -> ResponseReturnValue:
    """The objects of a class to judge, the smallest first."""
    parse_body(EmptyBody, request.get_data())
    objects = take_class(visit, _today(visit, class_name))
    digests = _load_digests(visit, objects)
    return {"objects": [_format_object(one, digests[one.image_id]) for one in objects]}


@blueprint.post("/<class_name>/give-back")
@allowed(Role.ORGANISER)
def post_give_back(visit: Visit, class_name: str) -> ResponseReturnValue:
    """Nothing; another organiser may take the class."""
    parse_body(EmptyBody, request.get_data())
    give_class_back(visit, _today(visit, class_name))
    return {}


@blueprint.post("/<class_name>/judgements")
@allowed(Role.ORGANISER)
def post_judgements(visit: Visit, class_name: str) -> ResponseReturnValue:
    """Which judgements came too late; the others hold."""
    body = parse_body(JudgementsBody, request.get_data())
    said = [Judgement(one.image_id, one.key, one.difficult) for one in body.objects]
    late = save_judgements(visit, _today(visit, class_name), said)
    return {"late": [{"image_id": one.image_id, "key": one.object_key} for one in late]}


def _today(visit: Visit, class_name: str) -> str:
    """The class's name as it is now; the page may have been opened before it changed."""
    return visit.party.former_classes.get(class_name, class_name)


def _load_digests(visit: Visit, objects: list[ToJudge]) -> dict[int, str]:
    """The digest of each image that holds an object."""
    wanted = {one.image_id for one in objects}
    rows = visit.session.execute(select(Image.id, Image.sha256).where(Image.annotation_id > 0))
    return {image_id: sha256 for image_id, sha256 in rows.tuples() if image_id in wanted}


def _format_object(one: ToJudge, sha256: str) -> Json:
    return {
        "image_id": one.image_id,
        "key": one.object_key,
        "size": [one.box.width_px, one.box.height_px],
        "difficult": one.is_difficult,
        "changed": one.was_judged,
        "crop_url": crop_url(sha256, one.box),
    }
