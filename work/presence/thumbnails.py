"""The presence pass: who sees thumbnails of a class's queries says which of them show it.

This is the simplest case of questions: one is asked of each image, and one person's word holds.
What shows no class is discarded before anyone opens it; ILSVRC, too, asks which images show a class
before it asks for boxes (Russakovsky et al., 2015, section 3.2).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import ColumnElement, case, exists, func, select

from catalog.hierarchy import ROOT, Node
from catalog.image_store import digest_of
from catalog.locks import lock_images
from catalog.preset import UNWANTED_REASON
from catalog.states import ImageState, NodeKind, Shows
from catalog.stuck import is_stuck
from catalog.tables import Image, Photo, Presence, Query
from work.image_actions import discard_image
from work.visit import Visit

from .plans import get_plan
from .states import refresh_states
from .taking_back import take_back

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
    plan = get_plan(visit.session, visit.party, visit.at)
    kept = list[Presence]()
    for image in images:
        shows = answers[image.id]
        node = ROOT if shows is Shows.NONE else Node(NodeKind.CLASS, class_id)
        answer = Presence(
            image_id=image.id,
            plan_id=plan.id,
            kind=node.kind,
            key=node.key,
            is_yes=shows is Shows.ASKED,
            person_id=visit.person.id,
            judged_at=visit.at,
        )
        visit.session.add(answer)
        kept.append(answer)
        if shows is Shows.NONE:
            discard_image(visit, image, UNWANTED_REASON)
    visit.session.flush()
    refresh_states(visit.session, plan, [image.id for image in images])
    return kept


def take_answers_back(visit: Visit, answer_ids: Collection[int]) -> int:
    """How many of the visitor's own answers no longer hold; what they discarded waits again."""
    return take_back(visit, answer_ids).answers


def find_shown(visit: Visit, image_ids: list[int]) -> dict[int, str]:
    """The id of the class that was seen on each of the images that show what was asked for."""
    holds = (
        Presence.kind == NodeKind.CLASS,
        Presence.is_yes.is_(True),
        Presence.known.is_(None),
        Presence.set_aside_at.is_(None),
    )
    chosen = select(Presence.image_id, Presence.key).where(*holds).order_by(Presence.id.desc())
    rows = visit.session.execute(chosen.where(Presence.image_id.in_(image_ids)))
    return {image_id: visit.party.classes.today(key) for image_id, key in rows.tuples()}


def _waits() -> tuple[ColumnElement[bool], ...]:
    seen = exists().where(
        Presence.image_id == Image.id, Presence.set_aside_at.is_(None), Presence.known.is_(None)
    )
    return Image.state == ImageState.POOL, Image.annotation_id.is_(None), ~seen, ~is_stuck()
