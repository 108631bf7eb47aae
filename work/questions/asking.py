"""Which questions a person gets next: boxes of one class, then whether the image shows another one.

A suggestion is asked of two people, or until one does not call it right. Where gold images are
chosen, some of the boxes are of these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import (
    ColumnElement,
    Subquery,
    and_,
    except_,
    exists,
    func,
    or_,
    select,
    union,
    union_all,
)
from sqlalchemy.orm import aliased

from catalog.box import Box
from catalog.image_store import digest_of
from catalog.states import ImageState, QuestionKind
from catalog.stuck import is_stuck
from catalog.suggested import stands
from catalog.tables import (
    BlindTask,
    GoldImage,
    Image,
    Person,
    Question,
    SeenImage,
    Suggestion,
    SuggestionSet,
)
from qa.load import load_objects_of
from work.blind import draw_share, select_hidden
from work.gold import list_chosen
from work.suggestions import find_withheld_share
from work.visit import Visit

from .drawing import Places, select_unfinished
from .gold_crops import GoldCrop, GoldObject, choose_crop
from .shown import Asked, list_others
from .waiting import (
    has_answer,
    is_asked,
    is_begun,
    is_unsettled,
    make_lottery,
    select_waiting,
)

AT_ONCE = 12
"""Boxes of one screen."""
IMAGES_AT_ONCE = 6
"""Images of one screen; another object in them may be small."""
HELD = timedelta(minutes=10)
"""A question without an answer is left to others after this time."""


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
    is_shown = make_lottery(visit)
    open_ones = [
        asked
        for asked in _load_open(visit, members)
        if asked.question.known or is_shown(asked.image.id)
    ]
    for asked in open_ones:
        asked.question.asked_at = visit.at
    places = Places(visit, class_id)
    boxes = [asked for asked in open_ones if asked.question.kind is QuestionKind.BOX][:AT_ONCE]
    images = [asked for asked in open_ones if asked.question.kind is QuestionKind.MORE]
    is_at_boxes = bool(boxes) and open_ones[0] is boxes[0]
    waiting = [] if is_at_boxes else _list_for_more(visit, members, places)
    if not is_at_boxes and (images or len(waiting) == IMAGES_AT_ONCE):
        images += _ask_more(visit, class_id, waiting[: max(IMAGES_AT_ONCE - len(images), 0)])
        return _add_others(visit, images[:IMAGES_AT_ONCE])
    open_gold = sum(asked.question.known is not None for asked in boxes)
    boxes += _ask_boxes(visit, class_id, AT_ONCE - len(boxes), open_gold, places)
    if not boxes and not waiting:
        return _add_others(visit, _ask_to_draw(visit, class_id, open_ones, places))
    if not boxes:
        return _add_others(visit, _ask_more(visit, class_id, waiting))
    visit.shown.update(asked.image.id for asked in boxes)
    return boxes


def _lock_person(visit: Visit) -> None:
    """Let two windows of the visitor ask one after the other; others may refer to them."""
    mine = select(Person.id).where(Person.id == visit.person.id)
    visit.session.execute(mine.with_for_update(key_share=True))


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


def _ask_boxes(
    visit: Visit, class_id: str, count: int, open_gold: int, places: Places
) -> list[Asked]:
    """New questions about boxes, at most so many; gold ones at places that nobody can guess.

    Each gold crop has the place of a suggestion, as those of the screen that are open already:
    a screen that shows more than what waits would tell that some are gold.
    """
    waiting = list(_list_waiting(visit, class_id, count + open_gold, places))
    count = min(count, len(waiting) - open_gold)
    if count <= 0:
        return []
    share = visit.party.settings.suggestions.gold_share
    is_gold = [draw_share(visit) < share for _ in range(count)]
    gold = _load_gold(visit, class_id) if any(is_gold) else []
    questions = list[Asked]()
    for place in range(count):
        crop = _draw_crop(visit, class_id, gold) if is_gold[place] else None
        if crop is not None:
            gold = [
                item
                for item in gold
                if (item.image_id, item.item.key) != (crop.image_id, crop.object_key)
            ]
            questions.append(_ask_gold(visit, class_id, crop))
        else:
            questions.append(_ask_suggestion(visit, class_id, *waiting.pop(0)))
    return questions


def _list_waiting(
    visit: Visit, class_id: str, count: int, places: Places
) -> Iterator[tuple[Suggestion, Image]]:
    """Suggestions of the class to ask the visitor about: those that another called right first."""
    members = visit.party.classes.members(class_id)
    was_asked = exists().where(
        Question.suggestion_id == Suggestion.id, Question.person_id == visit.person.id
    )
    waits_for_others = is_unsettled(held_since=visit.at - HELD)
    waits = [Suggestion.class_id.in_(members), waits_for_others, ~was_asked]
    if (image_ids := places.find_waiting()) is not None:
        waits.append(Image.id.in_(image_ids))
    begun = is_begun()
    is_shown = make_lottery(visit)
    left = count
    for condition in (begun, ~begun):
        chosen = select_waiting(Suggestion, Image).where(*waits, condition)
        chosen = chosen.order_by(Image.id, Suggestion.set_id, Suggestion.id)
        rows = visit.session.execute(chosen.execution_options(yield_per=100))
        for suggestion, image in rows.tuples():
            if left == 0:
                break
            if is_shown(image.id):
                left -= 1
                yield suggestion, image
        rows.close()


def _ask_suggestion(visit: Visit, class_id: str, suggestion: Suggestion, image: Image) -> Asked:
    question = _make_question(visit, class_id, image.id, suggestion.box)
    question.suggestion_id = suggestion.id
    return _store(visit, question, image)


def _ask_gold(visit: Visit, class_id: str, crop: GoldCrop) -> Asked:
    question = _make_question(visit, class_id, crop.image_id, crop.box)
    question.known = crop.known
    question.object_key = crop.object_key
    return _store(visit, question, visit.session.get_one(Image, crop.image_id))


def _make_question(
    visit: Visit, class_id: str, image_id: int, box: Box, kind: QuestionKind = QuestionKind.BOX
) -> Question:
    corners = dict(zip(("xmin", "ymin", "xmax", "ymax"), box.xyxy, strict=True))
    person_id = visit.person.id
    return Question(
        kind=kind,
        image_id=image_id,
        class_id=class_id,
        person_id=person_id,
        asked_at=visit.at,
        **corners,
    )


def _store(visit: Visit, question: Question, image: Image) -> Asked:
    visit.session.add(question)
    visit.session.flush()
    return Asked(question, image)


def _draw_crop(visit: Visit, class_id: str, gold: Sequence[GoldObject]) -> GoldCrop | None:
    """A gold crop that nobody can guess, of the images that the visitor knows where there are any.

    Seeing the crop of another image makes it known, and its blind task would be none any more.
    """
    lot = int(digest_of(visit.tokens().encode())[:12], 16)
    known = set(
        visit.session.scalars(
            select(SeenImage.image_id)
            .where(SeenImage.person_id == visit.person.id)
            .union(select(BlindTask.image_id).where(BlindTask.person_id == visit.person.id))
        )
    )
    of_known = [item for item in gold if item.image_id in known]
    return choose_crop(of_known, class_id, lot) or choose_crop(gold, class_id, lot)


def _load_gold(visit: Visit, class_id: str) -> list[GoldObject]:
    """Objects of gold images about which the visitor was not asked yet for the class."""
    asked = set(
        visit.session.execute(
            select(Question.image_id, Question.object_key).where(
                Question.person_id == visit.person.id,
                Question.class_id == class_id,
                Question.known.is_not(None),
            )
        ).tuples()
    )
    is_open = (
        GoldImage.is_training.is_(False),
        Image.state != ImageState.TAKEN_DOWN,
        Image.id.not_in(select_hidden(visit)),
        ~is_stuck(),
    )
    chosen = list_chosen(visit, *is_open)
    objects = load_objects_of(visit.session, [image.reference.id for image in chosen])
    today = visit.party.classes.today
    gold = list[GoldObject]()
    for image in chosen:
        items = [
            replace(item, class_id=today(item.class_id))
            for item in objects.get(image.reference.id, ())
        ]
        size = (image.image.width, image.image.height)
        gold += [
            GoldObject(image.image.id, size, item, items)
            for item in items
            if (image.image.id, item.key) not in asked
        ]
    return gold


def _list_for_more(visit: Visit, members: Sequence[str], places: Places) -> list[Image]:
    """Images of which all boxes of the class are answered, and nobody was asked for another one.

    Where people draw class by class, they are asked again after each box.
    """
    chosen = _list_for_more_by_models(visit, members, places)
    left_out = set(places.look_at([image.id for image in chosen]).to_draw)
    images = [image for image in chosen if image.id not in left_out]
    for again in places.list_to_ask():
        if len(images) >= IMAGES_AT_ONCE:
            break
        known = {image.id for image in images}
        images += _load_free(visit, members, QuestionKind.MORE, set(again) - known)
    return images[:IMAGES_AT_ONCE]


def _load_free(
    visit: Visit, members: Sequence[str], kind: QuestionKind, image_ids: Collection[int]
) -> list[Image]:
    """The first of these images about which another person is not asked the same now."""
    about = aliased(Question)
    held = exists().where(
        about.image_id == Image.id,
        about.class_id.in_(members),
        about.kind == kind,
        about.asked_at > visit.at - HELD,
        ~has_answer(about),
    )
    free = select(Image).where(Image.id.in_(image_ids), ~held).order_by(Image.id)
    return list(visit.session.scalars(free.limit(IMAGES_AT_ONCE)))


def _ask_to_draw(
    visit: Visit, class_id: str, open_ones: Sequence[Asked], places: Places
) -> list[Asked]:
    """One image to draw an object of the class in: what the visitor left open first."""
    left_open = [asked for asked in open_ones if asked.question.kind is QuestionKind.DRAW]
    wanted = places.look_at([asked.image.id for asked in left_open]).to_draw
    for asked in left_open:
        if asked.image.id in wanted:
            return [asked]
    members = visit.party.classes.members(class_id)
    for some in places.list_to_draw():
        for image in _load_free(visit, members, QuestionKind.DRAW, some)[:1]:
            whole = Box(1, 1, image.width, image.height)
            question = _make_question(visit, class_id, image.id, whole, QuestionKind.DRAW)
            return [_store(visit, question, image)]
    return []


def _list_for_more_by_models(visit: Visit, members: Sequence[str], places: Places) -> list[Image]:
    """Images of which all boxes of the class are answered, and nobody was asked for another one."""
    about = aliased(Question)
    of_class = (Suggestion.class_id.in_(members), Suggestion.image_id == Image.id)
    unsettled = (
        select(Suggestion.id)
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(*of_class, SuggestionSet.is_shown, stands(), is_unsettled())
        .correlate(Image)
    )
    more = select(about.id).where(
        about.kind == QuestionKind.MORE,
        about.image_id == Image.id,
        about.class_id.in_(members),
        or_(
            has_answer(about),
            about.person_id == visit.person.id,
            about.asked_at > visit.at - HELD,
        ),
    )
    answered = select_waiting(Suggestion.image_id).where(
        Suggestion.class_id.in_(members), is_begun()
    )
    if (image_ids := places.find_answered()) is not None:
        answered = answered.where(Image.id.in_(image_ids))
    chosen = (
        select(Image)
        .where(
            Image.id.in_(answered),
            is_asked(),
            ~unsettled.exists(),
            ~more.correlate(Image).exists(),
        )
        .order_by(Image.id)
        .limit(IMAGES_AT_ONCE)
    )
    return list(visit.session.scalars(chosen))


def _ask_more(visit: Visit, class_id: str, images: Sequence[Image]) -> list[Asked]:
    """Questions whether these images show another object of the class."""
    return [
        _store(
            visit,
            _make_question(
                visit,
                class_id,
                image.id,
                Box(1, 1, image.width, image.height),
                QuestionKind.MORE,
            ),
            image,
        )
        for image in images
    ]


def _add_others(visit: Visit, questions: Sequence[Asked]) -> list[Asked]:
    """The questions with the boxes of the class that are known."""
    visit.shown.update(asked.image.id for asked in questions)
    return [replace(asked, others=list_others(visit, asked.question)) for asked in questions]
