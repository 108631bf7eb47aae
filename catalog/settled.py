"""Which classes an image was asked for in questions of the hierarchy, as its answers settle it."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from .hierarchy import Hierarchy, make_hierarchy, read_node
from .session import in_parts
from .states import NodeKind
from .tables import PresenceState, QuestionPlan


def read_hierarchy(body: Mapping[str, Any]) -> Hierarchy:
    """The hierarchy of a plan's body."""
    return _read_parents(
        json.dumps(
            [[[item["key"], item["parents"]] for item in body[listing]] for listing in _BOTH]
        )
    )


_BOTH = ("classes", "groups")


@lru_cache(maxsize=16)
def _read_parents(text: str) -> Hierarchy:
    classes, groups = (dict(listed) for listed in json.loads(text))
    return make_hierarchy(classes, groups)


def load_settled(session: Session, image_ids: Collection[int]) -> dict[int, dict[str, bool]]:
    """By image the classes that its answers settle, and whether it shows them, by their ids.

    A class that is above none of the answers' questions was not asked for.
    """
    settled = dict[int, dict[str, bool]]()
    columns = select(PresenceState.image_id, PresenceState.plan_id, PresenceState.settled)
    hierarchies = dict[int, Hierarchy]()
    for some in in_parts(sorted(image_ids)):
        rows = columns.where(PresenceState.image_id.in_(some))
        for image_id, plan_id, nodes in session.execute(rows).tuples():
            if plan_id not in hierarchies:
                hierarchies[plan_id] = read_hierarchy(session.get_one(QuestionPlan, plan_id).body)
            settled[image_id] = _read_settled(hierarchies[plan_id], nodes)
    return settled


def _read_settled(hierarchy: Hierarchy, nodes: Mapping[str, list[str]]) -> dict[str, bool]:
    absent = {
        item.key: False for word in nodes["no"] for item in hierarchy.classes_below[read_node(word)]
    }
    yes = map(read_node, nodes["yes"])
    return absent | {node.key: True for node in yes if node.kind is NodeKind.CLASS}
