"""Gold and training images, how people did on them, and what a new person learns from."""

from __future__ import annotations

import math

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.organise.live_settings import load_shares
from annotate_ui.organise.people import display_name
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.visit import Visit
from annotate_ui.work.gold import (
    Answer,
    Chosen,
    Trainee,
    choose,
    end,
    find_chosen,
    finish_training,
    let_begin,
    list_chosen,
    list_examples,
    list_records,
    list_trainees,
    list_trials,
    load_progress,
)
from annotate_ui.work.revisions import get_image, load_head
from catalog.states import Role
from catalog.tables import Image, Person
from qa.gold import GoldRecord
from qa.intervals import Interval

from .answers import (
    Json,
    format_boxed,
    format_moment,
    format_moment_or_none,
    format_person,
    format_picture,
)
from .schemas import MAX_ID, Body, Comment, EmptyBody, parse_body

blueprint = Blueprint("gold", __name__)
_IMAGE = f"<int(max={MAX_ID}):image_id>"


class GoldBody(Body):
    """PUT /gold/ID."""

    is_training: bool
    note: Comment = ""


@blueprint.get("/gold")
@allowed(Role.ORGANISER)
def show_gold(visit: Visit) -> ResponseReturnValue:
    """The gold and training images in use, people's records and who is in training."""
    return {
        "shares": load_shares(visit),
        "images": [_format_chosen(one) for one in list_chosen(visit)],
        "people": [_format_record(person, record) for person, record in list_records(visit)],
        "trainees": [_format_trainee(one) for one in list_trainees(visit)],
    }


@blueprint.get(f"/gold/{_IMAGE}")
@allowed(Role.ORGANISER)
def show_image(visit: Visit, image_id: int) -> ResponseReturnValue:
    """An image that may be chosen, or is."""
    image = get_image(visit.session, image_id)
    head = load_head(visit.session, image)
    chosen = find_chosen(visit, image_id)
    return {
        "image_id": image.id,
        **format_picture(image),
        "objects": [format_boxed(one) for one in head.objects] if head else [],
        "gold": _format_chosen(chosen) if chosen else None,
    }


@blueprint.put(f"/gold/{_IMAGE}")
@allowed(Role.ORGANISER)
def put_gold(visit: Visit, image_id: int) -> ResponseReturnValue:
    """The image as gold or training image; its newest revision is the reference."""
    body = parse_body(GoldBody, request.get_data())
    chosen = choose(visit, image_id, is_training=body.is_training, note=body.note)
    return {"gold": _format_chosen(chosen)}


@blueprint.post(f"/gold/{_IMAGE}/end")
@allowed(Role.ORGANISER)
def post_end(visit: Visit, image_id: int) -> ResponseReturnValue:
    """Nothing; the image is given out no more, and answers so far stay."""
    parse_body(EmptyBody, request.get_data())
    end(visit, image_id)
    return {}


@blueprint.post(f"/people/<int(max={MAX_ID}):person_id>/let-begin")
@allowed(Role.ORGANISER)
def post_let_begin(visit: Visit, person_id: int) -> ResponseReturnValue:
    """The person, who may begin without passing more training images."""
    parse_body(EmptyBody, request.get_data())
    person = let_begin(visit, person_id)
    assert person.trained_at is not None
    return {"person": format_person(person), "trained_at": format_moment(person.trained_at)}


@blueprint.get("/training")
@allowed(*EVERYBODY)
def show_training(visit: Visit) -> ResponseReturnValue:
    """Examples of each class, and the training images tried so far."""
    return _format_progress(visit) | {
        "examples": {
            name: [_format_example(one) for one in list_examples(visit, name)]
            for name in visit.party.preset.class_names
        }
    }


@blueprint.post("/training/finish")
@allowed(*EVERYBODY)
def post_finish(visit: Visit) -> ResponseReturnValue:
    """How far the person is; from now on they may begin."""
    parse_body(EmptyBody, request.get_data())
    finish_training(visit)
    return _format_progress(visit)


def _format_chosen(chosen: Chosen) -> Json:
    image = chosen.image
    return {
        "image_id": image.id,
        **format_picture(image),
        "is_training": chosen.gold.is_training,
        "note": chosen.gold.note,
        "chosen_by": display_name(chosen.chooser),
        "chosen_at": format_moment(chosen.gold.chosen_at),
        "is_changed": chosen.is_changed,
        "objects": [format_boxed(one) for one in chosen.reference.objects],
        "answers": [_format_answer(one) for one in chosen.answers],
    }


def _format_answer(answer: Answer) -> Json:
    return {
        "person": format_person(answer.person),
        "is_passed": answer.is_passed,
        "found": answer.score.found,
        "objects": answer.score.objects,
        "drawn": answer.score.drawn,
        "mean_overlap": answer.score.mean_overlap,
    }


def _format_record(person: Person, record: GoldRecord) -> Json:
    return {
        "person": format_person(person),
        "images": record.images,
        "passed": record.passed,
        "found": _format_interval(record.found),
        "right": _format_interval(record.right),
    }


def _format_trainee(one: Trainee) -> Json:
    return {
        "person": format_person(one.person),
        "needed": one.progress.needed,
        "passed": one.progress.passed,
        "failed": one.progress.tried,
        "is_stuck": one.is_stuck,
        "seen_at": format_moment_or_none(one.person.seen_at),
    }


def _format_interval(interval: Interval) -> list[float] | None:
    is_known = not math.isnan(interval.value)
    return [interval.value, interval.low, interval.high] if is_known else None


def _format_progress(visit: Visit) -> Json:
    progress = load_progress(visit)
    return {
        "needed": progress.needed,
        "passed": progress.passed,
        "is_done": progress.is_done,
        "trained_at": format_moment_or_none(visit.person.trained_at),
        "trials": [
            {
                "image_id": one.image_id,
                "is_passed": one.is_passed,
                "says": list(one.sentences),
                "note": one.note,
            }
            for one in list_trials(visit)
        ],
    }


def _format_example(image: Image) -> Json:
    objects = image.annotation.objects if image.annotation else []
    return {**format_picture(image), "objects": [format_boxed(one) for one in objects]}
