"""What a new person learns from, and how far they are."""

from __future__ import annotations

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from annotate_ui.answers import Json, format_moment, image_url
from annotate_ui.examples import Example, list_examples
from annotate_ui.roles import EVERYBODY, allowed
from annotate_ui.schemas import EmptyBody, parse_body
from annotate_ui.training import finish_training, list_trials, load_progress
from annotate_ui.visit import Visit

from .wall import format_boxed

blueprint = Blueprint("training", __name__, url_prefix="/training")


@blueprint.get("")
@allowed(*EVERYBODY)
def show_training(visit: Visit) -> ResponseReturnValue:
    """Examples of each class, and the training images tried so far."""
    return _format_progress(visit) | {
        "examples": {
            name: [_format_example(one) for one in list_examples(visit, name)]
            for name in visit.party.preset.class_names
        }
    }


@blueprint.post("/finish")
@allowed(*EVERYBODY)
def post_finish(visit: Visit) -> ResponseReturnValue:
    """How far the person is; from now on they may begin."""
    parse_body(EmptyBody, request.get_data())
    finish_training(visit)
    return _format_progress(visit)


def _format_progress(visit: Visit) -> Json:
    progress = load_progress(visit)
    trained_at = visit.person.trained_at
    return {
        "needed": progress.needed,
        "passed": progress.passed,
        "is_done": progress.is_done,
        "trained_at": format_moment(trained_at) if trained_at else None,
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


def _format_example(example: Example) -> Json:
    return {
        "image_url": image_url(example.image.sha256),
        "width": example.image.width,
        "height": example.image.height,
        "objects": [format_boxed(one) for one in example.objects],
    }
