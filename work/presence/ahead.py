"""Questions that a person may answer before another one confirmed what the person said.

Else who works alone could answer one question about each image, and then wait.
"""

from __future__ import annotations

from collections import defaultdict

from sqlalchemy import select

from catalog.hierarchy import Node
from catalog.tables import Image, Presence, PresenceState
from work.visit import Visit

from .beliefs import Beliefs
from .eligible import is_asked
from .planning import find_next
from .plans import Plan
from .settling import settle
from .states import load_answers_of, load_likely

ANSWERS_LOOKED_AT = 2_000
IMAGES_LOOKED_AT = 96
"""A person goes on with the images that they answered last."""


def find_ahead(visit: Visit, plan: Plan, most: int) -> tuple[Node | None, list[Image]]:
    """The question that comes next where others agree with the visitor, and its images.

    These are of the images that the visitor answered last.
    """
    image_ids = _list_answered(visit)
    if not image_ids:
        return None, []
    likely = load_likely(visit.session, plan, image_ids)
    answers = load_answers_of(visit.session, plan, image_ids)
    next_of = defaultdict[Node, list[int]](list)
    for image_id in image_ids:
        heard = [item for _, item in answers[image_id]]
        said = [item for person_id, item in answers[image_id] if person_id == visit.person.id]
        times = max((plan.rules.need(item.node) for item in said), default=0)
        repeated = heard + said * times
        beliefs = Beliefs(plan.outline, repeated, plan.rules.wrong_share, likely.get(image_id, {}))
        settled = settle(plan.outline, plan.rules, repeated, beliefs)
        node = find_next(
            plan.outline, plan.rules, repeated, beliefs, settled, likely.get(image_id, {})
        )
        if node is not None and node not in {item.node for item in said}:
            next_of[node].append(image_id)
        if node is not None and len(next_of[node]) == most:
            break
    if not next_of:
        return None, []
    node = max(next_of, key=lambda node: (len(next_of[node]), -plan.outline.order[node]))
    images = visit.session.scalars(select(Image).where(Image.id.in_(next_of[node])))
    return node, sorted(images, key=lambda image: image.sha256)


def _list_answered(visit: Visit) -> list[int]:
    """The images with an open question that the visitor answered last, the last one first."""
    mine = (
        select(Presence.image_id)
        .join(Image, Image.id == Presence.image_id)
        .join(PresenceState, PresenceState.image_id == Presence.image_id)
        .where(
            Presence.person_id == visit.person.id,
            Presence.set_aside_at.is_(None),
            Presence.known.is_(None),
            PresenceState.next_kind.is_not(None),
            is_asked(),
        )
        .order_by(Presence.id.desc())
        .limit(ANSWERS_LOOKED_AT)
    )
    return list(dict.fromkeys(visit.session.scalars(mine)))[:IMAGES_LOOKED_AT]
