"""Which questions a person gets next: boxes of one class, then whether the image shows another one.

A suggestion is asked of two people, or until one does not call it right. Where gold images are
chosen, some of the boxes are of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, Subquery, and_, except_, func, or_, select, union, union_all

from catalog.states import ImageState, QuestionKind
from catalog.stuck import is_stuck
from catalog.suggested import stands
from catalog.tables import Image, Person, Question, Suggestion, SuggestionSet
from work.suggestions import find_withheld_share
from work.visit import Visit

from .asked import Asked
from .boxes import ask_boxes
from .drawing import Places, select_unfinished
from .shown import list_others
from .waiting import has_answer, is_asked, is_begun, is_unsettled, make_lottery, select_waiting
from .whole_images import IMAGES_AT_ONCE, ask_more, ask_to_draw, list_for_more

AT_ONCE = 12
"""Boxes of one screen."""


def count_waiting(visit: Visit) -> dict[str, int]:
    """How many questions of each class wait for anybody's answer, by the ids of today.

    These are boxes, and images that may show another object once no box of theirs waits.
    """
    class_id = Suggestion.class_today.label("class_id")
    boxes = select_waiting(class_id, Suggestion.image_id).where(is_unsettled())
    places = except_(_select_places(visit).select(), boxes).subquery()
    waiting = union_all(boxes, select(places)).subquery()
    counts = Counter[str]()
    if find_withheld_share(visit.party.settings) == 0:
        counted = select(waiting.c.class_id, func.count()).group_by(waiting.c.class_id)
        return dict(visit.session.execute(counted).tuples().all())
    is_shown = make_lottery(visit)
    counted = select(waiting, func.count()).group_by(*waiting.c)
    for key, image_id, count in visit.session.execute(counted).tuples():
        if is_shown(image_id):
            counts[key] += count
    return dict(counts)


def _select_places(visit: Visit) -> Subquery:
    """Classes and images that are asked for another object, or miss one, once no box waits."""
    class_id = Suggestion.class_today.label("class_id")
    begun = select_waiting(class_id, Suggestion.image_id).where(is_begun())
    done = select(Question.class_today.label("class_id"), Question.image_id).where(
        Question.kind == QuestionKind.MORE, has_answer(Question)
    )
    answered = except_(begun, done).subquery()
    if not visit.party.settings.questions.boxes:
        return answered
    return union(select(answered), select(select_unfinished().subquery())).subquery()


def take_questions(visit: Visit, class_id: str) -> list[Asked]:
    """The next questions of a class for the visitor, all of one kind; empty where none is left.

    What they were asked and did not answer comes first. Questions whether there is another one come
    once a screen of them is full, or no box is left.
    """
    _lock_person(visit)
    members = visit.party.classes.members(class_id)
    places = Places(visit, class_id)
    left_open = _renew_open(visit, members)
    boxes = [asked for asked in left_open if asked.question.kind is QuestionKind.BOX][:AT_ONCE]
    if boxes and left_open[0] is boxes[0]:
        return _fill_screen(visit, class_id, boxes, places)
    images = [asked for asked in left_open if asked.question.kind is QuestionKind.MORE]
    waiting = list_for_more(visit, members, places)
    if images or len(waiting) == IMAGES_AT_ONCE:
        images += ask_more(visit, class_id, waiting[: max(IMAGES_AT_ONCE - len(images), 0)])
        return _add_others(visit, images[:IMAGES_AT_ONCE])
    if boxes := _fill_screen(visit, class_id, boxes, places):
        return boxes
    if waiting:
        return _add_others(visit, ask_more(visit, class_id, waiting))
    return _add_others(visit, ask_to_draw(visit, class_id, left_open, places))


def _lock_person(visit: Visit) -> None:
    """Let two windows of the visitor ask one after the other; others may refer to them."""
    mine = select(Person.id).where(Person.id == visit.person.id)
    visit.session.execute(mine.with_for_update(key_share=True))


def _renew_open(visit: Visit, members: Collection[str]) -> list[Asked]:
    """What the visitor left open, which they have from now on as if it was asked now."""
    is_shown = make_lottery(visit)
    left_open = [
        asked
        for asked in _load_open(visit, members)
        if asked.question.known or is_shown(asked.image.id)
    ]
    for asked in left_open:
        asked.question.asked_at = visit.at
    return left_open


def _fill_screen(
    visit: Visit, class_id: str, boxes: Sequence[Asked], places: Places
) -> list[Asked]:
    """These questions about boxes, and new ones as far as the screen has room."""
    open_gold = sum(asked.question.known is not None for asked in boxes)
    new = ask_boxes(visit, class_id, AT_ONCE - len(boxes), open_gold, places)
    screen = [*boxes, *new]
    visit.shown.update(asked.image.id for asked in screen)
    return screen


def _load_open(visit: Visit, members: Collection[str]) -> list[Asked]:
    """What the visitor was asked of the class and did not answer, as far as it is still asked."""
    is_open = or_(
        and_(Question.known.is_not(None), Image.state != ImageState.TAKEN_DOWN),
        and_(is_asked(), Question.suggestion_id.is_(None), Question.known.is_(None)),
        and_(is_asked(), SuggestionSet.is_shown, is_unsettled(), _is_of_box_that_stands()),
    )
    mine = (
        select(Question, Image)
        .join(Image, Image.id == Question.image_id)
        .outerjoin(Suggestion, Suggestion.id == Question.suggestion_id)
        .outerjoin(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(
            Question.person_id == visit.person.id,
            Question.class_id.in_(members),
            ~has_answer(Question),
            is_open,
            ~is_stuck(),
        )
        .order_by(Question.id)
    )
    return [Asked(*row) for row in visit.session.execute(mine).tuples()]


def _is_of_box_that_stands() -> ColumnElement[bool]:
    """Whether a Question is about a box that nobody took back, or asks again for such a box."""
    return or_(Question.kind == QuestionKind.DRAW, stands())


def _add_others(visit: Visit, questions: Sequence[Asked]) -> list[Asked]:
    """The questions with the boxes of the class that are known."""
    visit.shown.update(asked.image.id for asked in questions)
    return [replace(asked, others=list_others(visit, asked.question)) for asked in questions]
