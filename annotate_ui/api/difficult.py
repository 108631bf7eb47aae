"""The difficult pass."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import select

from annotate_ui.organise import difficult_pass
from annotate_ui.visit import Visit
from catalog.tables import Image
from qa.difficulty import ToJudge

from .answers import Json, crop_url, pick
from .schemas import Body, Reply, Routes

blueprint = Routes("difficult", __name__, url_prefix="/difficult")


class JudgementsBody(Body):
    """POST /difficult/CLASS/judgements."""

    objects: Annotated[tuple[difficult_pass.Judgement, ...], Field(max_length=500)]


@blueprint.on_get("")
def show_waiting(visit: Visit) -> Reply:
    """How many objects of each class wait."""
    return {"classes": difficult_pass.list_waiting_classes(visit)}


@blueprint.on_post("/<class_name>/take")
def post_take(visit: Visit, class_name: str) -> Reply:
    """The objects of a class to judge, the smallest first."""
    objects = difficult_pass.take_class(visit, _today(visit, class_name))
    digests = _load_digests(visit, objects)
    return {"objects": [_format_object(one, digests[one.image_id]) for one in objects]}


@blueprint.on_post("/<class_name>/give-back")
def post_give_back(visit: Visit, class_name: str) -> Reply:
    """Nothing; another organiser may take the class."""
    difficult_pass.give_class_back(visit, _today(visit, class_name))
    return {}


@blueprint.on_post("/<class_name>/judgements")
def post_judgements(visit: Visit, class_name: str, body: JudgementsBody) -> Reply:
    """Which judgements came too late; the others hold."""
    late = difficult_pass.save_judgements(visit, _today(visit, class_name), body.objects)
    return {"late": [pick(one, "image_id", "key") for one in late]}


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
