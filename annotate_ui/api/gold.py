"""Gold and training images, how people did on them, and what a new person learns from."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ColumnElement, exists, func, select
from sqlalchemy.orm import selectinload

from annotate_ui.organise.live_settings import load_shares
from annotate_ui.roles import EVERYBODY
from annotate_ui.visit import Visit
from annotate_ui.work.blind import select_hidden
from annotate_ui.work.gold import is_in_training, list_trials, load_progress, note_trained
from annotate_ui.work.history import get_shown
from annotate_ui.work.revisions import get_image, load_head
from catalog.states import ImageState, Role
from catalog.tables import Annotation, BlindTask, GoldImage, Image, Object, Person, Review
from operate.people import display_name, get_person_of
from present.refusals import InvalidError, NotFoundError
from qa.blind_rows import double_limit
from qa.gold import GoldScore, choose_gold, end_gold, load_gold_scores, summarise_gold

from .answers import Json, format_drawn, format_share, tell
from .schemas import Comment, Reply, Routes, each, like, shape
from .told import Drawn, PersonName, Share, Shares

blueprint = Routes("gold", __name__)
PER_CLASS = 3
MOST_OBJECTS = 12
"""Of an example; a crowd does not show what a class is."""


Answer = shape(
    "Answer: what a person drew on a gold image, compared with its reference.",
    person=PersonName,
    is_passed=bool,
    **like(GoldScore, "found objects drawn mean_overlap"),
)
Gold = shape(
    "Gold: a gold or training image; `is_changed`: its newest revision is not the reference.",
    Drawn,
    **like(GoldImage, "image_id is_training note chosen_at"),
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
    "Candidate: an image that may be chosen, or is.", Drawn, image_id=int, gold=Gold | None
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
    new = (Person.role == Role.ANNOTATOR, Person.trained_at.is_(None), Person.ended_at.is_(None))
    people = visit.session.scalars(select(Person).where(*new).order_by(Person.name))
    return {
        "shares": load_shares(visit),
        "images": _list_chosen(visit, Image.id.not_in(select_hidden(visit))),
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
        "trainees": [_tell_trainee(visit, it) for it in people if is_in_training(visit, it)],
    }


@blueprint.on_get("/gold/<int:image_id>", told=Candidate)
def show_image(visit: Visit, image_id: int) -> Reply:
    """An image that may be chosen, or is."""
    image = get_image(visit.session, image_id)
    if image_id in visit.session.scalars(select_hidden(visit)):
        raise NotFoundError(f"Image {image_id} is not available now. Choose another image.")
    drawn = format_drawn(image, load_head(visit.session, image))
    return drawn | {"image_id": image.id, "gold": _find_chosen(visit, image_id)}


@blueprint.on_put("/gold/<int:image_id>", told={"gold": Gold | None})
def put_gold(visit: Visit, image_id: int, *, is_training: bool, note: Comment = "") -> Reply:
    """The image as gold or training image; its newest revision is the reference."""
    get_shown(visit, image_id)
    by, at, note = visit.person.id, visit.at, note.strip()
    choose_gold(visit.session, image_id, person_id=by, at=at, is_training=is_training, note=note)
    return {"gold": _find_chosen(visit, image_id)}


@blueprint.on_post("/gold/<int:image_id>/end")
def post_end(visit: Visit, image_id: int) -> Reply:
    """Nothing; the image is given out no more, and answers so far stay."""
    if _find_chosen(visit, image_id) is None:
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
            name: [format_drawn(one, one.annotation) for one in _list_examples(visit, name)]
            for name in visit.party.preset.class_names
        }
    }


@blueprint.on_post("/training/finish", *EVERYBODY, told=TrainingProgress)
def post_finish(visit: Visit) -> Reply:
    """How far the person is; from now on they may begin."""
    note_trained(visit)
    if visit.person.trained_at is None:
        progress = load_progress(visit)
        left = progress.needed - progress.passed
        raise InvalidError(f"{left} of {progress.needed} training images are not passed yet.")
    return _format_progress(visit)


def _format_progress(visit: Visit) -> Json:
    trained_at, trials = visit.person.trained_at, list_trials(visit)
    return tell(TrainingProgress, load_progress(visit), trained_at=trained_at, trials=trials)


def _list_examples(visit: Visit, class_name: str) -> list[Image]:
    """Up to PER_CLASS examples of a class that the person will never be given to annotate.

    Training images, while no one has to pass them; then work that a checker accepted and
    that is neither gold nor to be annotated twice, so that no example gives an answer away.
    """
    qa = visit.settings.qa
    accepted = (Review.is_complete.is_(True), Review.set_aside_at.is_(None))
    checked = (
        Image.state == ImageState.CHECKED,
        exists().where(Review.annotation_id == Image.annotation_id, *accepted),
        ~exists().where(GoldImage.image_id == Image.id),
        ~exists().where(BlindTask.image_id == Image.id, BlindTask.finished_at.is_(None)),
        Image.sha256 >= double_limit(qa.double_share),
    )
    chosen = exists().where(
        GoldImage.image_id == Image.id,
        GoldImage.annotation_id == Image.annotation_id,
        GoldImage.is_training.is_(True),
        GoldImage.ended_at.is_(None),
    )
    of_head = Object.annotation_id == Image.annotation_id
    shows = exists().where(of_head, Object.class_name == class_name, Object.difficult.is_(False))
    crowd = exists().where(of_head, Object.number > MOST_OBJECTS)
    shown = select(Image).where(shows, ~crowd, Image.state != ImageState.TAKEN_DOWN)
    found = list[Image]()
    for conditions in (checked,) if qa.training_images else ((chosen,), checked):
        examples = shown.where(*conditions).order_by(Image.sha256).limit(PER_CLASS)
        found += visit.session.scalars(examples)
    return found[:PER_CLASS]


def _tell_trainee(visit: Visit, person: Person) -> Json:
    progress = load_progress(visit, person)
    tried = exists().where(
        BlindTask.image_id == GoldImage.image_id,
        BlindTask.person_id == person.id,
        BlindTask.finished_at.is_not(None),
    )
    in_use = (GoldImage.is_training.is_(True), GoldImage.ended_at.is_(None), ~tried)
    offered = visit.session.scalar(select(func.count(GoldImage.image_id)).where(*in_use)) or 0
    is_stuck = progress.passed + offered < progress.needed
    told = {"failed": progress.tried, "is_stuck": is_stuck, "seen_at": person.seen_at}
    return tell(Trainee, progress, person=person, **told)


def _list_chosen(visit: Visit, *conditions: ColumnElement[bool]) -> list[Json]:
    """The images in use, with the answers so far; `is_changed` are those that were saved since."""
    rows = visit.session.execute(
        select(GoldImage, Image, Annotation, Person)
        .join(Image, Image.id == GoldImage.image_id)
        .join(Annotation, Annotation.id == GoldImage.annotation_id)
        .join(Person, Person.id == GoldImage.person_id)
        .where(GoldImage.ended_at.is_(None), *conditions)
        .options(selectinload(Annotation.objects))
        .order_by(GoldImage.is_training.desc(), GoldImage.chosen_at, Image.id)
    )
    found: dict[int, Json] = {
        image.id: tell(
            Gold,
            gold,
            **format_drawn(image, reference),
            chosen_by=display_name(chooser),
            is_changed=image.annotation_id != reference.id,
            answers=[],
        )
        for gold, image, reference, chooser in rows.tuples()
    }
    answered = visit.session.execute(
        select(BlindTask, Person)
        .join(Person, Person.id == BlindTask.person_id)
        .where(BlindTask.image_id.in_(found), BlindTask.finished_at.is_not(None))
        .order_by(BlindTask.finished_at, BlindTask.id)
    )
    for task, person in answered.tuples():
        if task.score is not None:
            score, is_passed = GoldScore(**task.score), bool(task.is_passed)
            answer = tell(Answer, score, person=person, is_passed=is_passed)
            found[task.image_id]["answers"].append(answer)
    return list(found.values())


def _find_chosen(visit: Visit, image_id: int) -> Json | None:
    return next(iter(_list_chosen(visit, GoldImage.image_id == image_id)), None)
