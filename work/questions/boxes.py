"""Questions about the boxes of one screen: of suggestions, and of gold images among them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlalchemy import exists, select

from catalog.image_store import digest_of
from catalog.states import ImageState
from catalog.stuck import is_stuck
from catalog.tables import BlindTask, GoldImage, Image, Question, SeenImage, Suggestion
from qa.load import load_objects_of
from work.blind import draw_share, select_hidden
from work.gold import list_chosen
from work.visit import Visit

from .asked import HELD, Asked, make_question, store
from .drawing import Places
from .gold_crops import GoldCrop, GoldObject, choose_crop
from .waiting import is_begun, is_unsettled, make_lottery, select_waiting


def ask_boxes(
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
            gold = [item for item in gold if not _is_of_object(item, crop)]
            questions.append(_ask_gold(visit, class_id, crop))
        else:
            questions.append(_ask_suggestion(visit, class_id, *waiting.pop(0)))
    return questions


def _is_of_object(gold: GoldObject, crop: GoldCrop) -> bool:
    return (gold.image_id, gold.item.key) == (crop.image_id, crop.object_key)


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
    question = make_question(visit, class_id, image.id, suggestion.box)
    question.suggestion_id = suggestion.id
    return store(visit, question, image)


def _ask_gold(visit: Visit, class_id: str, crop: GoldCrop) -> Asked:
    question = make_question(visit, class_id, crop.image_id, crop.box)
    question.known = crop.known
    question.object_key = crop.object_key
    return store(visit, question, visit.session.get_one(Image, crop.image_id))


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
