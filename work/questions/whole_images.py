"""Questions about a whole image: whether it shows another object of a class, and to draw one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import exists, or_, select
from sqlalchemy.orm import aliased

from catalog.box import Box
from catalog.states import QuestionKind
from catalog.suggested import stands
from catalog.tables import Image, Question, Suggestion, SuggestionSet
from work.visit import Visit

from .asked import HELD, Asked, make_question, store
from .drawing import Places
from .waiting import has_answer, is_asked, is_begun, is_unsettled, select_waiting

IMAGES_AT_ONCE = 6
"""Images of one screen; another object in them may be small."""


def list_for_more(visit: Visit, members: Sequence[str], places: Places) -> list[Image]:
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


def ask_more(visit: Visit, class_id: str, images: Sequence[Image]) -> list[Asked]:
    """Questions whether these images show another object of the class."""
    return [_ask_of(visit, class_id, image, QuestionKind.MORE) for image in images]


def ask_to_draw(
    visit: Visit, class_id: str, left_open: Sequence[Asked], places: Places
) -> list[Asked]:
    """One image to draw an object of the class in: what the visitor left open first."""
    to_draw = [asked for asked in left_open if asked.question.kind is QuestionKind.DRAW]
    wanted = places.look_at([asked.image.id for asked in to_draw]).to_draw
    for asked in to_draw:
        if asked.image.id in wanted:
            return [asked]
    members = visit.party.classes.members(class_id)
    for some in places.list_to_draw():
        for image in _load_free(visit, members, QuestionKind.DRAW, some)[:1]:
            return [_ask_of(visit, class_id, image, QuestionKind.DRAW)]
    return []


def _ask_of(visit: Visit, class_id: str, image: Image, kind: QuestionKind) -> Asked:
    whole = Box(1, 1, image.width, image.height)
    return store(visit, make_question(visit, class_id, image.id, whole, kind), image)
