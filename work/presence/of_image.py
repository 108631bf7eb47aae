"""The answers about one image, with who gave them and when; one of them taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from catalog.hierarchy import Node
from catalog.locks import lock_images
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.tables import Person, Presence
from work.visit import Visit

from .plans import load_plan
from .taking_back import TakenBack, set_answers_aside


@dataclass(frozen=True)
class ImageAnswer:
    """An answer, whose it is, what was asked, and who took it back where another person did."""

    row: Presence
    person: Person
    words: str
    taken_back_by: Person | None


def list_answers(session: Session, image_id: int) -> Sequence[ImageAnswer]:
    """All answers about an image, also those taken back, the newest first."""
    undoer = aliased(Person)
    chosen = (
        select(Presence, Person, undoer)
        .join(Person, Person.id == Presence.person_id)
        .outerjoin(undoer, undoer.id == Presence.set_aside_by_id)
        .where(Presence.image_id == image_id)
        .order_by(Presence.id.desc())
    )
    return [
        ImageAnswer(row, person, _find_words(session, row), taken_back_by)
        for row, person, taken_back_by in session.execute(chosen).tuples()
    ]


def _find_words(session: Session, row: Presence) -> str:
    """What was asked for, in the words of its time."""
    words = load_plan(session, row.plan_id).words
    return words.get(Node(row.kind, row.key), row.key)


def version_of_image(session: Session, image_id: int) -> str:
    """The version of an image's answers, as a page shows them: how many stand, and the last."""
    count, last = session.execute(
        select(func.count(Presence.id), func.max(Presence.id)).where(
            Presence.image_id == image_id, Presence.set_aside_at.is_(None)
        )
    ).one()
    return f"{count}-{last or 0}"


def take_back_answer(visit: Visit, image_id: int, answer_id: int) -> TakenBack:
    """Let an answer about an image count no more; raises NotFoundError where none of it stands."""
    lock_images(visit.session, [image_id])
    chosen = (Presence.id == answer_id, Presence.image_id == image_id)
    taken = set_answers_aside(visit.session, *chosen, at=visit.at, undoer=visit.person)
    if taken.answers == 0:
        raise NotFoundError(say("This answer does not exist, or was taken back."))
    visit.changed.update(taken.reopened, taken.discarded)
    return taken
