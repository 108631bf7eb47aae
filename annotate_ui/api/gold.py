"""Gold and training images, how people did on them, and what a new person learns from."""

from __future__ import annotations

from datetime import datetime

from catalog.refusals import InvalidError, NotFoundError
from catalog.tables import GoldImage, Image, Person
from qa.gold import GoldScore, choose_gold, end_gold, load_gold_scores, summarise_gold
from web.guard import EVERYBODY
from work import gold
from work.blind import select_hidden
from work.bodies import Comment, Id
from work.gold import list_examples
from work.history import get_shown
from work.live_settings import load_shares
from work.people import get_person_of
from work.revisions import get_image, load_head
from work.visit import Visit

from .answers import Json, format_drawn, format_share, tell, tell_each
from .format_gold import format_chosen, format_trainee, format_trials
from .schemas import Reply, Routes, each, like, shape
from .told import Drawn, PersonName, Share, Shares

blueprint = Routes("gold", __name__)


Answer = shape(
    "Answer: what a person drew on a gold image, compared with its reference.",
    person=PersonName,
    is_passed=bool,
    **like(GoldScore, "found objects drawn mean_overlap"),
)
Gold = shape(
    "Gold: a gold or training image; `is_changed`: its newest revision is not the reference.",
    Drawn,
    **like(GoldImage, "image_id annotation_id is_training note chosen_at"),
    chosen_by=str,
    is_changed=bool,
    answers=[Answer],
)
GoldRecord = shape(
    "GoldRecord: a person on gold images that they did not know to be gold.",
    person=PersonName,
    **each(int, "images passed"),
    **each(Share, "found right"),
)
Trainee = shape(
    "Trainee: a person in training; `is_stuck` where too few training images are left to try.",
    person=PersonName,
    **each(int, "needed passed failed"),
    is_stuck=bool,
    seen_at=datetime | None,
)
GoldPage = shape("GoldPage", shares=Shares, images=[Gold], people=[GoldRecord], trainees=[Trainee])
Candidate = shape(
    "Candidate: an image that may be chosen, or is, with its newest revision.",
    Drawn,
    image_id=int,
    annotation_id=int | None,
    gold=Gold | None,
)
Trial = shape(
    "Trial: a training image that the visitor tried, and what may be said of it.",
    image_id=int,
    is_passed=bool,
    note=str,
    says=list[str],
)
TrainingProgress = shape(
    "TrainingProgress: how far the visitor is.",
    **each(int, "needed passed"),
    is_done=bool,
    trained_at=datetime | None,
    trials=[Trial],
)
Training = shape(
    "Training: with examples of each class: accepted work that no one will annotate blind.",
    TrainingProgress,
    examples=dict[str, list[Drawn]],  # type: ignore[valid-type]
)


@blueprint.on_get("/gold", told=GoldPage)
def show_gold(visit: Visit) -> Reply:
    """The gold and training images in use, people's records and who is in training."""
    is_shown = Image.id.not_in(select_hidden(visit))
    return {
        "shares": load_shares(visit),
        "images": format_chosen(visit, gold.list_chosen(visit, is_shown)),
        "people": [
            tell(
                GoldRecord,
                one,
                person=visit.session.get_one(Person, one.person_id),
                found=format_share(one.found),
                right=format_share(one.right),
            )
            for one in summarise_gold(load_gold_scores(visit.session))
        ],
        "trainees": [format_trainee(trainee) for trainee in gold.list_trainees(visit)],
    }


@blueprint.on_get("/gold/<int:image_id>", told=Candidate)
def show_image(visit: Visit, image_id: int) -> Reply:
    """An image that may be chosen, or is."""
    image = get_image(visit.session, image_id)
    if image_id in visit.session.scalars(select_hidden(visit)):
        raise NotFoundError(f"Image {image_id} is not available now. Choose another image.")
    head = load_head(visit.session, image)
    shown = {"image_id": image.id, "annotation_id": head.id if head else None}
    return format_drawn(image, head) | shown | {"gold": _find_gold(visit, image_id)}


@blueprint.on_put("/gold/<int:image_id>", told={"gold": Gold | None})
def put_gold(
    visit: Visit, image_id: int, *, annotation_id: Id, is_training: bool, note: Comment = ""
) -> Reply:
    """The image as gold or training image; the revision that was seen is the reference.

    409 where that is neither the newest revision nor the reference so far.
    """
    get_shown(visit, image_id)
    choose_gold(
        visit.session,
        image_id,
        seen_id=annotation_id,
        person_id=visit.person.id,
        at=visit.at,
        is_training=is_training,
        note=note.strip(),
    )
    return {"gold": _find_gold(visit, image_id)}


@blueprint.on_post("/gold/<int:image_id>/end")
def post_end(visit: Visit, image_id: int) -> Reply:
    """Nothing; the image is given out no more, and answers so far stay."""
    if gold.find_chosen(visit, image_id) is None:
        raise NotFoundError(f"Image {image_id} is not a gold image.")
    end_gold(visit.session, image_id, at=visit.at)
    return {}


@blueprint.on_post(
    "/people/<int:person_id>/let-begin", told={"person": PersonName, "trained_at": datetime}
)
def post_let_begin(visit: Visit, person_id: int) -> Reply:
    """The person, who may begin without passing more training images."""
    person = get_person_of(visit.session, person_id)
    person.trained_at = person.trained_at or visit.at
    return {"person": person, "trained_at": person.trained_at}


@blueprint.on_get("/training", *EVERYBODY, told=Training)
def show_training(visit: Visit) -> Reply:
    """Examples of each class, and the training images tried so far."""
    return _format_progress(visit) | {
        "examples": {
            name: tell_each(
                visit,
                list_examples(visit, name),
                lambda image: format_drawn(image, image.annotation),
                lambda image: image.id,
            )
            for name in visit.party.preset.class_names
        }
    }


@blueprint.on_post("/training/finish", *EVERYBODY, told=TrainingProgress)
def post_finish(visit: Visit) -> Reply:
    """How far the person is; from now on they may begin."""
    gold.note_trained(visit)
    if visit.person.trained_at is None:
        progress = gold.load_progress(visit)
        left = progress.needed - progress.passed
        raise InvalidError(f"{left} of {progress.needed} training images are not passed yet.")
    return _format_progress(visit)


def _find_gold(visit: Visit, image_id: int) -> Json | None:
    """The image as a gold or training image in use, or None."""
    chosen = gold.find_chosen(visit, image_id)
    shown = format_chosen(visit, [chosen] if chosen else [])
    return next(iter(shown), None)


def _format_progress(visit: Visit) -> Json:
    trained_at = visit.person.trained_at
    trials = format_trials(visit, gold.list_trials(visit))
    return tell(TrainingProgress, gold.load_progress(visit), trained_at=trained_at, trials=trials)
