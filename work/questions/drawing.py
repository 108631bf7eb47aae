"""Boxes class by class: in which images an object of a class is to be drawn, and what is drawn.

Where the questions say that an image shows a class, one person draws one object, another verifies
the box, and a question whether there is another one leads to the next, until somebody says no. A
drawn box is a suggestion of a set of people: whoever draws the image gets it with the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, except_, exists, func, or_, select
from sqlalchemy.orm import aliased

from catalog.image_store import digest_of
from catalog.refusals import refuse
from catalog.sentences import say
from catalog.states import QuestionKind, Said, SuggestionKind
from catalog.suggested import stands
from catalog.tables import (
    Image,
    PresentClass,
    Question,
    QuestionAnswer,
    Suggestion,
    SuggestionSet,
)
from catalog.tables.words import find_class_today
from work.bodies import Xyxy
from work.visit import Visit

from .waiting import has_answer, is_asked, is_unsettled, make_lottery, select_waiting

MODEL = "People"
VERSION = "class by class"
_SHA256 = digest_of(b"boxes that people draw class by class")

Place = tuple[str, int]
"""A class by its id of today, and an image."""


@dataclass(frozen=True)
class _Last:
    """The ids of the last answers about a class in an image: the larger one came later."""

    drawn: int = 0
    another: int = 0
    rejected: int = 0
    right: int = 0
    end: int = 0

    @property
    def needs_box(self) -> bool:
        """Whether somebody is to draw an object, where no box waits to be verified."""
        if self.end:
            return False
        asked = max(self.another, self.rejected)
        return asked > self.drawn if asked else not (self.drawn or self.right)

    @property
    def needs_question(self) -> bool:
        """Whether somebody is to say if there is another object, where no box waits."""
        return not self.end and not self.needs_box


@dataclass(frozen=True)
class Progress:
    """Classes in images that miss a box, and those about which is asked if there is another one."""

    to_draw: frozenset[Place] = frozenset()
    to_ask: frozenset[Place] = frozenset()


def select_unfinished() -> CompoundSelect[Any]:
    """Classes and images that show them, until somebody says that all boxes are drawn."""
    present = (
        select(find_class_today(PresentClass.class_id).label("class_id"), PresentClass.image_id)
        .join(Image, Image.id == PresentClass.image_id)
        .where(is_asked())
    )
    ended = (
        select(Question.class_today, Question.image_id)
        .join(QuestionAnswer, QuestionAnswer.question_id == Question.id)
        .where(
            QuestionAnswer.said == Said.NO,
            QuestionAnswer.set_aside_at.is_(None),
            Question.known.is_(None),
        )
    )
    return except_(present, ended)


def load_progress(visit: Visit, members: Collection[str]) -> Progress:
    """What the images need that show one of these classes; nothing where that is not asked."""
    if not visit.party.settings.questions.boxes:
        return Progress()
    today = visit.party.classes.today
    present = (
        select(PresentClass.class_id, PresentClass.image_id)
        .join(Image, Image.id == PresentClass.image_id)
        .where(PresentClass.class_id.in_(members), is_asked())
    )
    waiting = select_waiting(Suggestion.class_today, Suggestion.image_id).where(
        Suggestion.class_id.in_(members), is_unsettled()
    )
    rows = visit.session.execute(present).tuples()
    places = {(today(class_id), image_id) for class_id, image_id in rows}
    is_shown = make_lottery(visit)
    places -= {place for place in visit.session.execute(waiting).tuples() if is_shown(place[1])}
    last = _load_last(visit, members)
    return Progress(
        to_draw=frozenset(place for place in places if last.get(place, _Last()).needs_box),
        to_ask=frozenset(place for place in places if last.get(place, _Last()).needs_question),
    )


def _load_last(visit: Visit, members: Collection[str]) -> Mapping[Place, _Last]:
    """The last answers of each kind about each class in each image."""
    columns = (Question.class_id, Question.image_id, Question.kind, QuestionAnswer.said)
    is_drawn = func.coalesce(SuggestionSet.kind == SuggestionKind.DRAWN, False)
    answers = (
        select(*columns, is_drawn, func.max(QuestionAnswer.id))
        .join(QuestionAnswer, QuestionAnswer.question_id == Question.id)
        .outerjoin(Suggestion, Suggestion.id == Question.suggestion_id)
        .outerjoin(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(QuestionAnswer.set_aside_at.is_(None), Question.known.is_(None))
        .where(or_(Question.kind != QuestionKind.BOX, stands()), Question.class_id.in_(members))
        .group_by(*columns, is_drawn)
    )
    today = visit.party.classes.today
    answer_ids = defaultdict[Place, dict[str, int]](dict)
    for class_id, image_id, kind, said, of_people, answer_id in visit.session.execute(answers):
        if name := _name_answer(kind, said, is_of_people=bool(of_people)):
            of_place = answer_ids[today(class_id), image_id]
            of_place[name] = max(of_place.get(name, 0), answer_id)
    return {place: _Last(**ids) for place, ids in answer_ids.items()}


def _name_answer(kind: QuestionKind, said: Said, *, is_of_people: bool) -> str | None:
    """Which field of _Last an answer is for."""
    if said is Said.NO:
        return "end"
    if said is Said.YES:
        return "another"
    if kind is QuestionKind.DRAW:
        return "drawn"
    if said is Said.RIGHT:
        return "right"
    return "rejected" if is_of_people else None


def is_boxed() -> ColumnElement[bool]:
    """Whether no class that an Image shows misses a box: somebody said of each that that is all."""
    about = aliased(Question)
    ended = select(about.id).where(
        about.image_id == PresentClass.image_id,
        about.class_id == PresentClass.class_id,
        has_answer(about, QuestionAnswer.said == Said.NO),
    )
    missing = exists().where(PresentClass.image_id == Image.id, ~ended.exists())
    return ~missing


def keep_box(visit: Visit, question: Question, xyxy: Xyxy, took_ms: int) -> QuestionAnswer:
    """The answer with the box that the visitor drew, in place of one that they drew before.

    Raises InvalidError for a box that reaches outside the image or is too small.
    """
    image = visit.session.get_one(Image, question.image_id)
    least_px = visit.party.settings.annotate.min_box_px
    if question.kind is not QuestionKind.DRAW:
        refuse("box", say("this question asks for no box"))
    xmin, ymin, xmax, ymax = xyxy
    is_inside = xmin >= 1 and ymin >= 1 and xmax <= image.width and ymax <= image.height
    if not is_inside or min(xmax - xmin, ymax - ymin) + 1 < least_px:
        refuse(
            "box",
            say("expected a box inside the image with sides of {least} px or more", least=least_px),
        )
    suggestion = Suggestion(
        set_id=_find_set(visit),
        image_id=image.id,
        class_id=question.class_id,
        confidence=1.0,
        **dict(zip(("xmin", "ymin", "xmax", "ymax"), xyxy, strict=True)),
    )
    visit.session.add(suggestion)
    visit.session.flush()
    question.suggestion_id = suggestion.id
    answer = QuestionAnswer(
        question_id=question.id, said=Said.RIGHT, answered_at=visit.at, took_ms=took_ms
    )
    visit.session.add(answer)
    visit.session.flush()
    return answer


def _find_set(visit: Visit) -> int:
    """The set of what people draw, made with the first box."""
    ours = select(SuggestionSet.id).where(
        SuggestionSet.kind == SuggestionKind.DRAWN, SuggestionSet.withdrawn_at.is_(None)
    )
    if (set_id := visit.session.scalar(ours)) is not None:
        return set_id
    made = SuggestionSet(
        model=MODEL,
        version=VERSION,
        sha256=_SHA256,
        kind=SuggestionKind.DRAWN,
        loaded_at=visit.at,
    )
    visit.session.add(made)
    visit.session.flush()
    return made.id
