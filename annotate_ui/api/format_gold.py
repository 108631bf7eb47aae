"""Gold and training images, and how people did on them, as answers tell them."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.stuck import about_image, require_of_image
from catalog.tables import BlindTask, Person
from qa.gold import GoldScore, give_feedback
from work.gold import ChosenImage, Trainee, Trial, load_answers
from work.people import display_name
from work.visit import Visit

from .answers import Json, format_drawn, format_person, pick, tell_each


def format_trials(visit: Visit, trials: Sequence[Trial]) -> list[Json]:
    """The training images that the visitor answered, with the organiser's notes."""

    def tell_trial(trial: Trial) -> Json:
        task, gold = trial
        return {
            "image_id": task.image_id,
            "is_passed": bool(task.is_passed),
            "note": gold.note if gold else "",
            "says": list(give_feedback(GoldScore(**task.score))) if task.score else [],
        }

    return tell_each(visit, trials, tell_trial, lambda trial: trial[0].image_id)


def format_trainee(trainee: Trainee) -> Json:
    """A person in training."""
    return {
        "person": format_person(trainee.person),
        **pick(trainee.progress, "needed", "passed", failed="tried"),
        "is_stuck": trainee.is_stuck,
        "seen_at": trainee.person.seen_at,
    }


def format_chosen(visit: Visit, images: Sequence[ChosenImage]) -> list[Json]:
    """Gold images with the answers so far; `is_changed` are those that were saved since."""

    def tell_chosen(chosen: ChosenImage) -> Json:
        require_of_image(chosen.image, chosen.reference)
        return {
            "image_id": chosen.image.id,
            **format_drawn(chosen.image, chosen.reference),
            **pick(chosen.gold, "annotation_id", "is_training", "note", "chosen_at"),
            "chosen_by": display_name(chosen.chooser),
            "is_changed": chosen.image.annotation_id != chosen.reference.id,
        }

    shown = tell_each(visit, images, tell_chosen, lambda chosen: chosen.image.id)
    answers = load_answers(visit.session, [item["image_id"] for item in shown])
    for item in shown:
        of_image = answers.get(item["image_id"], ())
        item["answers"] = [_format_answer(*answer) for answer in of_image]
    return shown


def _format_answer(task: BlindTask, person: Person) -> Json:
    with about_image(task.image_id):
        score = pick(GoldScore(**(task.score or {})), "found", "objects", "drawn", "mean_overlap")
    return {"person": format_person(person), "is_passed": bool(task.is_passed)} | score
