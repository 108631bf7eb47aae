"""What all pages share: the header, moments and numbers, and the page of an error."""

from __future__ import annotations

from typing import Any

from flask import Flask, render_template
from sqlalchemy.orm import Session

from catalog.sentences import say
from challenge.phases import format_moment
from challenge.values import Absence, Interval, MaskSource, Phase, State, Training

from .service import Owner, Role, current_service, find_visitor

TASKS = {
    "comp1": say("Classification, given data"),
    "comp2": say("Classification, any data"),
    "comp3": say("Detection, given data"),
    "comp4": say("Detection, any data"),
    "comp5": say("Segmentation, given data"),
    "comp6": say("Segmentation, any data"),
    "comp7": say("Person layout, given data"),
    "comp8": say("Person layout, any data"),
    "comp9": say("Action classification, given data"),
    "comp10": say("Action classification, any data"),
    "comp11": say("Action classification without boxes, given data"),
    "comp12": say("Action classification without boxes, any data"),
}
"""What each competition asks for; the even ones allow any data but the test set."""
PHASES = {
    Phase.ANNOUNCED: say("Announced"),
    Phase.TRAINING: say("Training data open"),
    Phase.IMAGES: say("Test images open"),
    Phase.SUBMISSIONS: say("Submissions open"),
    Phase.CLOSED: say("Closed, results published"),
    Phase.ROLLING: say("Rolling server"),
}
STATES = {
    State.UPLOADING: say("uploading"),
    State.REFUSED: say("refused by its format"),
    State.CHECKED: say("format is right, not yet confirmed"),
    State.QUEUED: say("waiting to be scored"),
    State.SCORED: say("scored"),
    State.FAILED: say("scoring failed"),
    State.CANCELLED: say("cancelled"),
}
ABSENCES = {
    Absence.PHASE: say(
        "It is scored. The phase does not show scores yet; the overview has the dates."
    ),
    Absence.NEXT_EDITION: say(
        "It is scored. All entries are being scored again just now, and its result is shown with "
        "the new edition of the board, when that is done."
    ),
    Absence.PART: say(
        "It is scored. The public part of the test set has nothing of what it answers; the end "
        "uses all images."
    ),
    Absence.FAILED: say(
        "It was scored before, and could not be scored again for this edition of the board. The "
        "organisers see why."
    ),
}
"""Why a scored submission has no numbers on its page."""
SCORING = say("being scored now")
"""What is said of one that was queued until now."""
TRAINED_ON = {
    Training.GIVEN: say("the given data"),
    Training.OTHER: say("other data"),
}
MASKS_FROM = {
    MaskSource.SEGMENTATIONS: say("segmentations"),
    MaskSource.BOXES: say("boxes"),
}
TITLES = {
    401: say("You are signed out"),
    403: say("Not open to you now"),
    404: say("Not found"),
    429: say("Slow down"),
}
_OTHER_TITLE = say("This did not work")


def show_error(status: int, message: str) -> str:
    """The page for an answer with this status."""
    return render_template(
        "error.html",
        title=TITLES.get(status, _OTHER_TITLE),
        message=message,
        is_signed_out=status == 401,
        visitor=None,
    )


def show(template: str, database: Session, **values: Any) -> str:
    """The page, with the visitor's name and ways in its header."""
    return render_template(template, visitor=find_visitor(database), **values)


def prepare_templates(app: Flask) -> None:
    """Give templates the challenge's name, and the words for moments, numbers and states."""
    app.jinja_env.filters.update(
        moment=lambda moment: format_moment(moment) if moment else "–",
        score=format_score,
        task=lambda name: TASKS.get(name, name),
        phase=lambda phase: PHASES[phase],
        state=lambda state: STATES[state],
        standing=lambda progress: SCORING if progress.is_running else STATES[progress.state],
        absence=lambda absence: ABSENCES[absence],
        trained_on=lambda training: TRAINED_ON[training],
        masks_from=lambda source: MASKS_FROM[source],
        size=format_size,
    )
    app.jinja_env.globals.update(opened_for=describe_opened_for, Role=Role)
    app.context_processor(_describe_challenge)


def describe_opened_for(owner: Owner) -> dict[str, Any]:
    """For whom a page is opened, as its forms and uploads say it (web/opened_for.py)."""
    return {"person_id": owner.id, "party_id": current_service().challenge_id}


def format_score(interval: Interval) -> str:
    """The score in percent with one decimal; a dash without one."""
    return "–" if interval.score is None else f"{interval.score:.1f}"


def format_size(size_bytes: int) -> str:
    """How large a file is."""
    for unit, size in (("GB", 1e9), ("MB", 1e6)):
        if size_bytes >= size:
            return f"{size_bytes / size:,.1f} {unit}"
    return f"{size_bytes / 1e3:,.1f} kB"


def _describe_challenge() -> dict[str, Any]:
    settings = current_service().challenge.settings
    return {"challenge_name": settings.name, "contact": settings.contact}
