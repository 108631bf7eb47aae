"""The presence pass: who sees thumbnails of a class's queries says which of them show it.

What shows no class is discarded before anyone opens it; ILSVRC, too, asks which images show a class
before it asks for boxes (Russakovsky et al., 2015, section 3.2).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress

from sqlalchemy import ColumnElement, case, exists, func, select

from catalog.image_store import digest_of
from catalog.locks import lock_images
from catalog.preset import UNWANTED_REASON
from catalog.refusals import InvalidError
from catalog.states import ImageState, Shows
from catalog.stuck import is_stuck
from catalog.tables import Image, Photo, Presence, Query
from work.visit import Visit

from .image_actions import discard_image, take_back

THUMBNAILS = 24


def count_waiting(visit: Visit) -> dict[str, int]:
    """How many images of each class's queries still wait to be seen, by the ids of today."""
    moved = visit.party.classes.moved
    today = case(moved, value=Query.class_id, else_=Query.class_id) if moved else Query.class_id
    waiting = (
        select(today.label("class_id"), Image.id)
        .join(Photo, Photo.image_id == Image.id)
        .join(Query, Query.id == Photo.query_id)
        .where(*_waits())
        .subquery()
    )
    counted = select(waiting.c.class_id, func.count(waiting.c.id.distinct()))
    return dict(visit.session.execute(counted.group_by(waiting.c.class_id)).tuples().all())


def list_thumbnails(visit: Visit, class_id: str) -> list[Image]:
    """Images that wait, from a place of the visitor's own, so that two people see others."""
    place = digest_of(f"presence {visit.person.id}".encode())
    members = visit.party.classes.members(class_id)
    of_class = select(Photo.image_id).join(Query, Query.id == Photo.query_id)
    of_class = of_class.where(Query.class_id.in_(members))
    waiting = select(Image).where(Image.id.in_(of_class), *_waits()).order_by(Image.sha256)
    images: list[Image] = []
    for part in (Image.sha256 >= place, Image.sha256 < place):  # an index has each part in order
        images += visit.session.scalars(waiting.where(part).limit(THUMBNAILS - len(images)))
    return images


def keep_answers(visit: Visit, class_id: str, answers: Mapping[int, Shows]) -> list[Presence]:
    """The answers that were kept; what shows no class at all is discarded."""
    lock_images(visit.session, answers.keys())
    waiting = select(Image).where(Image.id.in_(answers), *_waits()).order_by(Image.id)
    images = list(visit.session.scalars(waiting, execution_options={"populate_existing": True}))
    judgement = {"class_id": class_id, "person_id": visit.person.id, "judged_at": visit.at}
    kept = list[Presence]()
    for image in images:
        answer = Presence(image_id=image.id, shows=answers[image.id], **judgement)
        visit.session.add(answer)
        kept.append(answer)
        if answers[image.id] is Shows.NONE:
            discard_image(visit, image, UNWANTED_REASON)
    visit.session.flush()
    return kept


def take_answers_back(visit: Visit, answer_ids: Collection[int]) -> int:
    """How many of the visitor's own answers no longer hold; what they discarded waits again."""
    ours = (Presence.id.in_(answer_ids), Presence.person_id == visit.person.id)
    lock_images(visit.session, select(Presence.image_id).where(*ours))
    recorded = select(Presence).where(*ours, Presence.set_aside_at.is_(None))
    answers = list(visit.session.scalars(recorded.with_for_update()))
    for answer in answers:
        answer.set_aside_at = visit.at
        if answer.shows is Shows.NONE:
            _bring_back(visit, visit.session.get_one(Image, answer.image_id))
    return len(answers)


def _bring_back(visit: Visit, image: Image) -> None:
    """Let the image wait as before the visitor's discard, unless it was changed since."""
    head = image.annotation
    is_unwanted = head is not None and head.discard_reason == UNWANTED_REASON
    if is_unwanted and image.state is ImageState.DISCARDED:
        with suppress(InvalidError), visit.session.begin_nested():
            take_back(visit, image)


def find_shown(visit: Visit, image_ids: list[int]) -> dict[int, str]:
    """The id of the class that was seen on each of the images that show what was asked for."""
    holds = (Presence.shows == Shows.ASKED, Presence.set_aside_at.is_(None))
    chosen = select(Presence.image_id, Presence.class_id).where(*holds)
    rows = visit.session.execute(chosen.where(Presence.image_id.in_(image_ids)))
    return {image_id: visit.party.classes.today(key) for image_id, key in rows.tuples()}


def _waits() -> tuple[ColumnElement[bool], ...]:
    seen = exists().where(Presence.image_id == Image.id, Presence.set_aside_at.is_(None))
    return Image.state == ImageState.POOL, Image.annotation_id.is_(None), ~seen, ~is_stuck()
