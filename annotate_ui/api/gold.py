"""Gold and training images, how people did on them, and what a new person learns from."""

from __future__ import annotations

import math

from annotate_ui.organise.live_settings import load_shares
from annotate_ui.organise.people import display_name
from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit
from annotate_ui.work import gold
from annotate_ui.work.gold import list_examples
from annotate_ui.work.revisions import get_image, load_head
from catalog.tables import Image, Person
from qa.gold import GoldRecord
from qa.intervals import Interval

from .answers import Json, format_drawn, format_person, pick
from .schemas import Body, Comment, Reply, Routes

blueprint = Routes("gold", __name__)


class GoldBody(Body):
    """PUT /gold/ID."""

    is_training: bool
    note: Comment = ""


@blueprint.on_get("/gold")
def show_gold(visit: Visit) -> Reply:
    """The gold and training images in use, people's records and who is in training."""
    return {
        "shares": load_shares(visit),
        "images": [_format_chosen(one) for one in gold.list_chosen(visit)],
        "people": [_format_record(person, record) for person, record in gold.list_records(visit)],
        "trainees": [_format_trainee(one) for one in gold.list_trainees(visit)],
    }


@blueprint.on_get("/gold/<int:image_id>")
def show_image(visit: Visit, image_id: int) -> Reply:
    """An image that may be chosen, or is."""
    image = get_image(visit.session, image_id)
    head = load_head(visit.session, image)
    chosen = gold.find_chosen(visit, image_id)
    return {
        "image_id": image.id,
        **format_drawn(image, head.objects if head else ()),
        "gold": _format_chosen(chosen) if chosen else None,
    }


@blueprint.on_put("/gold/<int:image_id>")
def put_gold(visit: Visit, image_id: int, body: GoldBody) -> Reply:
    """The image as gold or training image; its newest revision is the reference."""
    chosen = gold.choose(visit, image_id, is_training=body.is_training, note=body.note)
    return {"gold": _format_chosen(chosen)}


@blueprint.on_post("/gold/<int:image_id>/end")
def post_end(visit: Visit, image_id: int) -> Reply:
    """Nothing; the image is given out no more, and answers so far stay."""
    gold.end(visit, image_id)
    return {}


@blueprint.on_post("/people/<int:person_id>/let-begin")
def post_let_begin(visit: Visit, person_id: int) -> Reply:
    """The person, who may begin without passing more training images."""
    person = gold.let_begin(visit, person_id)
    return {"person": format_person(person), "trained_at": person.trained_at}


@blueprint.on_get("/training", *EVERYBODY)
def show_training(visit: Visit) -> Reply:
    """Examples of each class, and the training images tried so far."""
    return _format_progress(visit) | {
        "examples": {
            name: [_format_example(one) for one in list_examples(visit, name)]
            for name in visit.party.preset.class_names
        }
    }


@blueprint.on_post("/training/finish", *EVERYBODY)
def post_finish(visit: Visit) -> Reply:
    """How far the person is; from now on they may begin."""
    gold.finish_training(visit)
    return _format_progress(visit)


def _format_chosen(chosen: gold.Chosen) -> Json:
    image = chosen.image
    return {
        "image_id": image.id,
        **format_drawn(image, chosen.reference.objects),
        **pick(chosen.gold, "is_training", "note", "chosen_at"),
        "chosen_by": display_name(chosen.chooser),
        "is_changed": chosen.is_changed,
        "answers": [_format_answer(one) for one in chosen.answers],
    }


def _format_answer(answer: gold.Answer) -> Json:
    return {
        "person": format_person(answer.person),
        "is_passed": answer.is_passed,
        **pick(answer.score, "found", "objects", "drawn", "mean_overlap"),
    }


def _format_record(person: Person, record: GoldRecord) -> Json:
    return {
        "person": format_person(person),
        **pick(record, "images", "passed"),
        "found": _format_interval(record.found),
        "right": _format_interval(record.right),
    }


def _format_trainee(one: gold.Trainee) -> Json:
    return {
        "person": format_person(one.person),
        **pick(one.progress, "needed", "passed"),
        "failed": one.progress.tried,
        "is_stuck": one.is_stuck,
        "seen_at": one.person.seen_at,
    }


def _format_interval(interval: Interval) -> list[float] | None:
    is_known = not math.isnan(interval.value)
    return [interval.value, interval.low, interval.high] if is_known else None


def _format_progress(visit: Visit) -> Json:
    progress = gold.load_progress(visit)
    return {
        **pick(progress, "needed", "passed", "is_done"),
        "trained_at": visit.person.trained_at,
        "trials": [
            pick(one, "image_id", "is_passed", "note") | {"says": one.sentences}
            for one in gold.list_trials(visit)
        ],
    }


def _format_example(image: Image) -> Json:
    return format_drawn(image, image.annotation.objects if image.annotation else [])
