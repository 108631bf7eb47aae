"""A question that is put to a person: its row, and what a page shows of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from catalog.box import Box
from catalog.states import QuestionKind
from catalog.tables import Image, Question
from work.visit import Visit

HELD = timedelta(minutes=10)
"""A question without an answer is left to others after this time."""


@dataclass(frozen=True)
class Asked:
    """A question as a page shows it; `others` are the boxes of the class that are known there."""

    question: Question
    image: Image
    others: tuple[Box, ...] = ()


def make_question(
    visit: Visit, class_id: str, image_id: int, box: Box, kind: QuestionKind = QuestionKind.BOX
) -> Question:
    """A question of the visitor about a box, not stored yet."""
    corners = dict(zip(("xmin", "ymin", "xmax", "ymax"), box.xyxy, strict=True))
    return Question(
        kind=kind,
        image_id=image_id,
        class_id=class_id,
        person_id=visit.person.id,
        asked_at=visit.at,
        **corners,
    )


def store(visit: Visit, question: Question, image: Image) -> Asked:
    """The question with its image, stored and numbered."""
    visit.session.add(question)
    visit.session.flush()
    return Asked(question, image)
