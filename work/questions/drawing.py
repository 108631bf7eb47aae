"""Boxes class by class: in which images an object of a class is to be drawn, and what is drawn.

Where the questions say that an image shows a class, one person draws one object, another verifies
the box, and a question whether there is another one leads to the next, until somebody says no. A
drawn box is a suggestion of a set of people: whoever draws the image gets it with the others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, except_, exists, func, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from catalog.image_store import digest_of
from catalog.refusals import refuse
from catalog.sentences import say
from catalog.session import in_parts
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

MOST_LISTED = 5_000
"""A minute's work of many people: the list is made anew as often."""
_AT_ONCE = 100


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
    """What images need for a class, as when it was computed; their ids in ascending order.

    `to_draw` miss a box, of `to_ask` somebody is to say whether there is another one; boxes of
    `waiting` are to be verified, and of `answered` something was answered. Each has at most
    MOST_LISTED. `last_answer_id` is the last answer of all.
    """

    to_draw: tuple[int, ...] = ()
    to_ask: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    last_answer_id: int = 0


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


class Places:
    """What the images that show a class need: found once for all, and looked at again when used.

    In a large party the list is up to a minute old; what was answered since is looked at first.
    """

    def __init__(self, visit: Visit, class_id: str) -> None:
        self._visit = visit
        self._members = visit.party.classes.members(class_id)
        self._key = ("boxes by class", class_id, visit.party.classes_number)
        self._is_on = visit.party.settings.questions.boxes

    def look_at(self, image_ids: Collection[int]) -> Progress:
        """What these images need now."""
        if not self._is_on or not image_ids:
            return Progress()
        return _compute(self._visit, self._members, image_ids)

    def list_to_draw(self) -> Iterator[list[int]]:
        """The images that miss a box, some at a time."""
        if not self._is_on:
            return
        for some in self._list(lambda progress: progress.to_draw):
            yield list(self.look_at(some).to_draw)

    def list_to_ask(self) -> Iterator[list[int]]:
        """The images of which somebody is to say whether there is another one, some at a time."""
        if not self._is_on:
            return
        for some in self._list(lambda progress: progress.to_ask):
            yield list(self.look_at(some).to_ask)

    def find_waiting(self) -> set[int] | None:
        """All images with a box to be verified, perhaps others; None where these are too many."""
        return self._find_all(lambda progress: progress.waiting)

    def find_answered(self) -> set[int] | None:
        """All images with an answer about the class, perhaps others; None where too many have."""
        return self._find_all(lambda progress: progress.answered)

    def _find_all(self, choose: Callable[[Progress], tuple[int, ...]]) -> set[int] | None:
        if not self._is_on or len(choose(self._progress)) == MOST_LISTED:
            return None
        return {*choose(self._progress), *self._changed}

    def _list(self, choose: Callable[[Progress], tuple[int, ...]]) -> Iterator[Sequence[int]]:
        yield from in_parts(sorted(self._changed), _AT_ONCE)
        left = [image_id for image_id in choose(self._progress) if image_id not in self._changed]
        yield from in_parts(left, _AT_ONCE)

    @cached_property
    def _progress(self) -> Progress:
        return self._visit.share(self._key, lambda visit: _compute(visit, self._members))

    @cached_property
    def _changed(self) -> set[int]:
        """The images of which something was answered since the list was made."""
        since = (
            select(Question.image_id)
            .join(QuestionAnswer, QuestionAnswer.question_id == Question.id)
            .where(
                QuestionAnswer.id > self._progress.last_answer_id,
                Question.class_id.in_(self._members),
            )
        )
        return set(self._visit.session.scalars(since))


def _compute(
    visit: Visit, members: Sequence[str], image_ids: Collection[int] | None = None
) -> Progress:
    """What images need that show one of these classes; all images, or these."""

    def among(column: InstrumentedAttribute[int]) -> ColumnElement[bool]:
        return true() if image_ids is None else column.in_(image_ids)

    session = visit.session
    present = (
        select(PresentClass.image_id)
        .join(Image, Image.id == PresentClass.image_id)
        .where(PresentClass.class_id.in_(members), is_asked(), among(PresentClass.image_id))
    )
    waiting = select_waiting(Suggestion.image_id).where(
        Suggestion.class_id.in_(members), is_unsettled(), among(Suggestion.image_id)
    )
    is_shown = make_lottery(visit)
    to_verify = {image_id for image_id in session.scalars(waiting) if is_shown(image_id)}
    places = set(session.scalars(present)) - to_verify
    last = _load_last(session, members, among(Question.image_id))
    nothing = _Last()
    to_draw = list[int]()
    to_ask = list[int]()
    for image_id in sorted(places):
        of_place = last.get(image_id, nothing)
        if of_place.needs_box:
            to_draw.append(image_id)
        elif of_place.needs_question:
            to_ask.append(image_id)
    return Progress(
        to_draw=tuple(to_draw[:MOST_LISTED]),
        to_ask=tuple(to_ask[:MOST_LISTED]),
        waiting=tuple(sorted(to_verify)[:MOST_LISTED]),
        answered=tuple(sorted(last)[:MOST_LISTED]),
        last_answer_id=session.scalar(select(func.max(QuestionAnswer.id))) or 0,
    )


def _load_last(
    session: Session, members: Collection[str], is_among: ColumnElement[bool]
) -> Mapping[int, _Last]:
    """The last answers of each kind about one class in each image."""
    columns = (Question.image_id, Question.kind, QuestionAnswer.said)
    is_drawn = func.coalesce(SuggestionSet.kind == SuggestionKind.DRAWN, False)
    answers = (
        select(*columns, is_drawn, func.max(QuestionAnswer.id))
        .join(QuestionAnswer, QuestionAnswer.question_id == Question.id)
        .outerjoin(Suggestion, Suggestion.id == Question.suggestion_id)
        .outerjoin(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(QuestionAnswer.set_aside_at.is_(None), Question.known.is_(None))
        .where(or_(Question.kind != QuestionKind.BOX, stands()), Question.class_id.in_(members))
        .where(is_among)
        .group_by(*columns, is_drawn)
    )
    answer_ids = defaultdict[int, dict[str, int]](dict)
    for image_id, kind, said, of_people, answer_id in session.execute(answers):
        if name := _name_answer(kind, said, is_of_people=bool(of_people)):
            of_place = answer_ids[image_id]
            of_place[name] = max(of_place.get(name, 0), answer_id)
    return {image_id: _Last(**ids) for image_id, ids in answer_ids.items()}


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
